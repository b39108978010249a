# SPDX-License-Identifier: Apache-2.0
"""What may have been made instead of what is believed from now on: the rivals of a reading.

A hand may hold its wood, or rest on it, for so long that it seems to be done and the opponent to have answered.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.model.occupancy import cells_of, occupancy_of
from companion.referee.alternatives import Line, variants
from companion.referee.belief import Belief, Ply, answered
from companion.referee.footprints import Imprint
from companion.referee.marks import Reading
from companion.referee.proving import in_order
from companion.referee.reading import exactly, is_unseen_back
from companion.referee.timing import LINGER_MS
from companion.referee.undoing import is_settled_by_word


def rivalled(following: Belief, belief: Belief, found: list[Reading], sure: Reading) -> Belief:
    """*following*, which takes *sure* from what was *found* after *belief*, with what may have been instead as rivals."""
    for other in found:
        if not other.is_sure or not other.imprints or other.depth >= sure.depth:
            continue
        if _may_go_on(belief, other.depth):  # else it was rather answered
            following = following.rivalled((*belief.line[: other.depth], ply_of(belief, other)))
    for other in (*_slides(belief, sure), *_slow(belief, sure)):
        line = (*belief.line[: other.depth], ply_of(belief, other))
        following = following.rivalled(line, is_kept=False)
    for line in _battles(belief, sure):
        following = following.rivalled(line, is_kept=False)
    return following


def _may_go_on(belief: Belief, depth: int) -> bool:
    """True if the hand of the ply at *depth* may still have held wood when the next was handled."""
    ply = belief.line[depth]
    if not ply.is_left:
        return True
    if ply.is_supposed:
        return not is_held_long(belief, depth)
    if ply.is_pressed or ply.is_told:
        return False
    next_edges = belief.edges[max(0, ply.handled_since - belief.first_edge) :][:1]
    return all(edge.t_ms - ply.mark.rest_since_ms < LINGER_MS for edge in next_edges)


def _slides(belief: Belief, reading: Reading) -> Iterator[Reading]:
    """The ways in which all that *reading* and the plies before it did to the same wood was one slide that rested."""
    source = reading.imprints[0].source if reading.imprints else ()
    for depth in range(reading.depth - 1, -1, -1):
        ply, stood_ms = belief.line[depth], belief.stood_ms(depth)
        is_resting = stood_ms is not None and stood_ms < LINGER_MS and not (ply.is_pressed or ply.is_told)
        is_fixed = belief.stands(depth) and not belief.is_open(depth)
        if not source or ply.imprint.target != source or not is_resting or is_fixed:
            return
        source = ply.imprint.source
        slide = exactly(belief, depth, belief.before(depth).differing(belief.seen))
        if slide and slide.is_sure and any(imprint.source == source for imprint in slide.imprints):
            yield slide


def _slow(belief: Belief, reading: Reading) -> Iterator[Reading]:
    """The way in which what *reading* takes for an answer to wood that left was that wood, held for long and put down."""
    depth = reading.depth - 1
    last = belief.line[depth] if 0 <= depth == len(belief.line) - 1 else None
    if last is None or not (last.is_supposed and last.is_left) or last.is_pressed or last.is_told:
        return
    before = belief.before(depth)
    found = in_order(belief, depth, before.exactly(before.differing(belief.seen), belief.seen))
    if reading.is_sure:
        found = [imprint for imprint in found if imprint.shows & ~belief.seen.hidden]
    if found and not is_held_long(belief, depth):
        yield Reading(depth, tuple(found), is_sure=reading.is_sure)


def _battles(belief: Belief, reading: Reading) -> Iterator[Line]:
    """The way in which wood that *reading* takes for lifted again was taken by some of which nothing is left, and another piece put where that came from."""
    depth, missing = len(belief.line), belief.tip.differing(belief.seen)
    if reading.imprints or reading.depth != depth - 1 or missing & belief.seen.occupied:
        return
    edges = belief.edges[max(0, belief.line[-1].since - belief.first_edge) :]
    refilled = occupancy_of(edge.cell for edge in edges if edge.is_occupied) & belief.seen.occupied
    lines = (belief.line, *variants(belief, belief.line, list(belief.line[-1].others))) if refilled else ()
    for line in lines:
        taken = belief._replace(line=answered(line))
        for first in taken.tip.touching(next(cells_of(missing))):
            if first.shows or missing & ~first.changed or not first.changed & ~missing & refilled:
                continue
            made = ply_of(taken, Reading(depth, (first,), is_sure=False))
            after = taken._replace(line=(*taken.line, made))
            second = exactly(after, depth + 1, after.tip.differing(belief.seen))
            if second is not None:
                yield (*after.line, ply_of(after, second))
                return


def as_one(belief: Belief, floor: int) -> Iterator[Belief]:
    """What would be believed if all that was taken for plies from some depth on, *floor* at least, was one hand: it made one move, or is about to, and put right what it had knocked over."""
    is_fixed, moved = False, 0
    for depth in range(len(belief.line) - 1, floor - 1, -1):
        ply = belief.line[depth]
        if ply.is_pressed or ply.is_told or (is_fixed and not ply.is_supposed):
            return
        if not ply.is_supposed:  # what it moved has to be back
            is_back = belief.is_touched(depth) and not is_unseen_back(belief, ply)
            moved |= ply.imprint.changed | ply.imprint.lifted if is_back else -1
        if belief.stands(depth):  # unless what it answers was merely supposed
            is_fixed = True
            continue
        line, differing = belief.line[:depth], belief.before(depth).differing(belief.seen)
        found = exactly(belief, depth, differing)
        if found is not None and found.is_sure:
            yield belief._replace(line=(*line, ply_of(belief, found)), guess=None)
        elif moved >= 0 and not differing & (belief.seen.occupied | moved):
            yield belief._replace(line=line, guess=None)


def is_held_long(belief: Belief, depth: int) -> bool:
    """True if wood that was lifted after *depth* plies was held for longer than by anybody's hand before the next was handled."""
    return _held_ms(belief, depth) >= LINGER_MS


def _held_ms(belief: Belief, depth: int) -> int:
    """The longest rest with wood missing and none elsewhere, after *depth* plies."""
    stood, apart, last_ms, longest_ms = belief.before(depth).occupied, 0, 0, 0
    for edge in belief.edges[max(0, belief.since(depth) - belief.first_edge) :]:
        if apart and not apart & ~stood:
            longest_ms = max(longest_ms, edge.t_ms - last_ms)
        last_ms, bit = edge.t_ms, 1 << edge.cell
        apart = apart & ~bit if edge.is_occupied == bool(stood & bit) else apart | bit
    return longest_ms


def ply_of(belief: Belief, reading: Reading) -> Ply:
    """One of the moves of *reading*, made now."""
    first, *others = _told(belief, reading) or reading.imprints
    is_missed = belief.gap > belief.since(reading.depth) and not _is_begun_since(belief, belief.gap, first)
    is_inferred = not is_missed and (reading.is_supposed or not reading.is_sure)
    return Ply(
        first,
        belief.before(reading.depth).after(first.move),
        belief.mark,
        is_doubted=reading.is_doubted,
        is_told=bool(_told(belief, reading)),
        is_inferred=is_inferred,
        is_slow=is_inferred and _held_ms(belief, reading.depth) >= belief.table.timing.longest_ms,
        others=tuple(others),
        loose=reading.loose & ~belief.seen.occupied,
    )


def _is_begun_since(belief: Belief, edge: int, imprint: Imprint) -> bool:
    """True if the mover of *imprint* was lifted after the edge number *edge*."""
    edges = belief.edges[max(0, edge - belief.first_edge) :]
    return any(each.cell in imprint.source and not each.is_occupied for each in edges)


def _told(belief: Belief, reading: Reading) -> tuple[Imprint, ...]:
    """Those moves of *reading* of which somebody has said that one was made; () if nobody has, or its wood was handled again."""
    if reading.depth == len(belief.line) or not is_settled_by_word(belief, reading.depth):
        return ()
    told = belief.line[reading.depth].candidates
    return told if set(told) <= set(reading.imprints) else ()
