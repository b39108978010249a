# SPDX-License-Identifier: Apache-2.0
"""Ways to understand what stands on the board, from most to least likely.

In this order: nothing is different; one move explains all of it, made after what is believed or instead of its end;
one move explains it but for empty cells (wood in a hand); two moves, the second begun before the first was complete.
What the order of the edges tells decides between moves that look alike (see `proving`).
"""

from __future__ import annotations

from typing import Final

from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.belief import Belief, Ply
from companion.referee.events import Stage
from companion.referee.extending import is_one_hand
from companion.referee.footprints import Imprint
from companion.referee.marks import Reading
from companion.referee.proving import (
    in_order,
    is_proven,
    is_put_since,
    may_be_missed,
    may_be_traceless,
    may_have_stood,
)
from companion.referee.timing import ANSWER_MS, LINGER_MS
from companion.referee.undoing import is_ruled_out, is_settled_by_word, may_come_late

_MOST_FIRSTS: Final = 4
"""First moves of a pair that are tried: each costs the index of a position."""


def readings(belief: Belief) -> list[Reading]:
    """The ways to understand the board, the most likely first; what a hand may not revise is kept."""
    depths = open_depths(belief)
    differing = {depth: belief.before(depth).differing(belief.seen) for depth in depths}
    put_back = next((depth for depth in depths if not differing[depth]), None)
    if put_back is not None and _may_be_put_back(belief, put_back):
        return [Reading(put_back, (), is_sure=True)]
    exact = [reading for depth in depths if (reading := exactly(belief, depth, differing[depth]))]
    if any(reading.is_sure for reading in exact):
        return exact
    if undone := _back_beside(belief, differing):
        return undone
    if exact and (seen_to_end := _pairs(belief, depths, differing, is_proven_only=True)):
        return seen_to_end
    tip = len(belief.line)
    is_still = belief.rest_ms >= belief.table.timing.rest_ms
    is_several = is_still and tip - 1 in depths and not _is_one_hand(belief)
    is_put = is_several or differing[tip] & belief.seen.occupied  # else only wood in hands since
    near = depths if is_put else [tip]
    partly = [reading for depth in near if (reading := _partly(belief, depth, differing[depth]))]
    if partly and is_still:  # two whole moves say more than one and a hand
        partly = _pairs(belief, depths, differing, is_proven_only=not is_several) or partly
    if partly or exact:
        return partly or exact
    return _back_in_part(belief, differing) or _beside(belief, differing) or _pairs(belief, near, differing)


def open_depths(belief: Belief) -> list[int]:
    """How many plies of the line may be kept: all, or all but the last, which its hand may revise.

    The likeliest comes first: a provisional ply is rather revised than answered, and so is one that went where nobody sees,
    or whose wood may still be in the hand.
    What was merely supposed, or slid on at once, may have been none even if it seems to be answered.
    """
    tip = len(belief.line)
    if not tip or belief.stands(tip - 1):
        return [tip]
    last = belief.line[-1]
    is_sure = last.is_pressed or last.is_told
    is_in_hand = last.is_supposed and not last.is_left
    is_fresh = (last.stage is Stage.PROVISIONAL or last.is_unseen or is_in_hand) and not is_sure
    depths = [tip - 1, tip] if is_fresh else [tip, tip - 1]
    return [*depths, tip - 2] if _is_loose(belief) and not belief.stands(tip - 2) else depths


def _is_loose(belief: Belief) -> bool:
    """True if the last ply but one may have been none although it seems to be answered."""
    if len(belief.line) < 2:
        return False
    ply, reply = belief.line[-2:]
    if ply.is_pressed or ply.is_told or reply.is_told:
        return False
    is_unanswered = reply.is_supposed and not reply.is_pressed and not ply.is_left
    is_held = ply.is_supposed and belief.now_ms - ply.mark.rest_since_ms < LINGER_MS
    is_undated = ply.is_conjecture and reply.since <= belief.gap  # it may have been part of it
    return is_held or ply.is_unseen or is_unanswered or is_undated or belief.is_passing(len(belief.line) - 2)


def _may_be_put_back(belief: Belief, depth: int) -> bool:
    """True if the board as it was after *depth* plies means that the next was none: its wood was lifted again.

    What the next side may lawfully have brought about, by that side: see `undoing`.
    Wood that entered from the hand is rather lifted by whoever captures it, once its own hand has left it;
    and wood that the next side may lawfully move back, as where location decides whose it is, by that side.
    Where nobody sees whether it is back, it is in a hand as long as it may be.
    """
    if depth == len(belief.line):
        return True
    ply, tip = belief.line[depth], belief.tip
    if is_unseen_back(belief, ply) and belief.rest_ms < belief.table.timing.longest_ms:
        return False
    replies = () if belief.is_denied else tip.exactly(tip.differing(belief.seen), belief.seen)
    if not ply.is_left:
        is_slow = belief.now_ms - ply.mark.rest_since_ms >= ANSWER_MS
        return not (is_slow and any(is_proven(belief, len(belief.line), reply) for reply in replies))
    if replies:
        return False
    is_still = belief.rest_ms >= belief.table.timing.rest_ms
    is_refilled = is_still and ply.is_inferred and belief.is_refilled(depth)  # its mover was not seen to come
    return bool(ply.imprint.source) and (belief.is_touched(depth) or is_refilled)


def _back_in_part(belief: Belief, differing: dict[int, Occupancy]) -> list[Reading]:
    """That the last ply was none, if its mover may have stayed, and wood is back where it emptied a cell: the rest is in a hand."""
    depth = len(belief.line) - 1
    if belief.rest_ms < belief.table.timing.rest_ms or depth not in differing:
        return []
    ply = belief.line[depth]
    is_missed = ply.is_conjecture and belief.gap > belief.since(depth)
    is_loose = ply.is_supposed or is_missed or ply.stage is Stage.PROVISIONAL
    is_sure = ply.is_pressed or ply.is_told or not is_loose
    if is_sure or differing[depth] & belief.seen.occupied or not belief.is_refilled(depth):
        return []
    return [Reading(depth, (), is_sure=True)]


def _back_beside(belief: Belief, differing: dict[int, Occupancy]) -> list[Reading]:
    """That the last ply was none, if all that it moved is back, and what is missing is in a hand: a neighbour was knocked over and put right."""
    depth = len(belief.line) - 1
    if depth not in differing or belief.rest_ms < belief.table.timing.rest_ms:
        return []
    ply, apart = belief.line[depth], differing[depth]
    is_back = not apart & (ply.imprint.changed | ply.imprint.lifted | belief.seen.occupied)
    is_back = is_back and bool(ply.imprint.source) and belief.is_touched(depth)
    is_sure = ply.is_pressed or ply.is_told or ply.is_supposed or is_unseen_back(belief, ply)
    return [Reading(depth, (), is_sure=True)] if is_back and not is_sure else []


def _beside(belief: Belief, differing: dict[int, Occupancy]) -> list[Reading]:
    """That the last ply, which is merely supposed, was none yet: its wood is in a hand, and what else explains the board was done by the same side."""
    depth = len(belief.line) - 1
    ply = belief.line[depth] if depth in differing else None
    if ply is None or not ply.is_supposed or ply.is_left or ply.is_pressed or ply.is_told:
        return []
    before = belief.before(depth)
    found = in_order(belief, depth, before.within(differing[depth], belief.seen, belief.seen.occupied))
    reading = _fullest(belief, depth, found)
    if reading is None or not reading.is_sure:
        return []
    return [reading._replace(loose=differing[depth] & ~reading.imprints[0].changed)]


def is_unseen_back(belief: Belief, ply: Ply) -> bool:
    """True if nobody sees whether the mover of *ply* is back where it came from."""
    return bool(occupancy_of(ply.imprint.source) & belief.seen.hidden)


def exactly(belief: Belief, depth: int, differing: Occupancy) -> Reading | None:
    """The moves after *depth* plies that explain *differing* wholly."""
    found = belief.before(depth).exactly(differing, belief.seen)
    return _weighed(belief, depth, possible(belief, depth, found, is_whole=True))


def _is_one_hand(belief: Belief) -> bool:
    """True if all wood that is missing after the last ply may be in one hand: that which answers it, or its own."""
    before, last = belief.before(len(belief.line) - 1), belief.line[-1]
    missing = belief.tip.differing(belief.seen) & ~belief.seen.occupied
    return is_one_hand(before, last.after, last.imprint, missing)


def _partly(belief: Belief, depth: int, differing: Occupancy) -> Reading | None:
    """The moves after *depth* plies that explain all of *differing* but empty cells."""
    found = belief.before(depth).within(differing, belief.seen, belief.seen.occupied)
    reading = _fullest(belief, depth, possible(belief, depth, found, is_whole=False))
    if reading is None or not reading.is_sure:
        return None
    reading = reading._replace(loose=differing & ~reading.imprints[0].changed)
    return None if _is_on_its_way(belief, reading) else reading


def _is_on_its_way(belief: Belief, reading: Reading) -> bool:
    """True if what *reading* takes for an answer to the last ply was lifted before that was complete, and its mover is in a hand again: it slides on with its victim."""
    last = belief.line[-1] if belief.line else None
    if last is None or reading.depth < len(belief.line) or last.stage is not Stage.PROVISIONAL:
        return False
    is_in_hand = bool(reading.loose & last.imprint.entered)
    return is_in_hand and bool(last.loose & reading.imprints[0].lifted)


def _pairs(
    belief: Belief, depths: list[int], differing: dict[int, Occupancy], *, is_proven_only: bool = False
) -> list[Reading]:
    """The moves after which another, of which wood was seen to be put down, explains the rest.

    The opponent has acted: so the first may look like a piece in the hand,
    and before anything is called illegal, it may be one that cannot be seen.
    """
    for depth in depths:
        before = belief.before(depth)
        part = possible(belief, depth, before.within(differing[depth], belief.seen, 0), is_whole=False)
        firsts = [
            first for first in part if is_put_since(belief, depth, first) and is_proven(belief, depth, first)
        ]
        if belief.rest_ms >= belief.table.timing.rest_ms and not is_proven_only:
            firsts += [
                first for first in part if first not in firsts and may_have_stood(belief, depth, first)
            ]
        is_doubted = not firsts and not is_proven_only and _may_be_unseen(belief)
        if is_doubted:
            firsts = [
                move for move in before.exactly(0, belief.seen) if may_be_traceless(belief, depth, move)
            ]
        for first in firsts[:_MOST_FIRSTS]:
            if is_ruled_out(belief, depth, first):
                continue
            after = before.after(first.move)
            rest = after.differing(belief.seen)
            if any(
                second.shows & ~belief.seen.hidden and not _is_too_late(belief, depth, first, second)
                for second in after.exactly(rest, belief.seen)
            ):
                alike = [other for other in firsts if other.changed == first.changed and other != first]
                found = Reading(depth, (first, *alike), is_sure=True, is_doubted=is_doubted, loose=rest)
                return [found._replace(is_supposed=not (is_doubted or is_proven(belief, depth, first)))]
    return []


def _is_too_late(belief: Belief, depth: int, first: Imprint, second: Imprint) -> bool:
    """True if all wood of *second* was where it belongs before any of *first*, which it would answer, was handled."""
    since = belief.since(depth)
    edges = belief.edges[max(0, since - belief.first_edge) :] if belief.gap <= since else ()
    began_ms = [edge.t_ms for edge in edges if first.changed >> edge.cell & 1]
    own = second.shows & ~first.changed
    done_ms = [edge.t_ms for edge in edges if own >> edge.cell & 1 and edge.is_occupied]
    rest_ms = belief.table.timing.rest_ms
    return bool(began_ms and done_ms) and max(done_ms) + rest_ms < min(began_ms)


def _may_be_unseen(belief: Belief) -> bool:
    """True if it is time to suspect a move of which nothing could be sensed."""
    is_plain = belief.is_clocked or belief.is_denied
    return not is_plain and belief.rest_ms >= belief.table.timing.hint_ms


def possible(belief: Belief, depth: int, found: list[Imprint], *, is_whole: bool) -> list[Imprint]:
    """Those of *found* that may have been made after *depth* plies, by the order in which cells changed, and by what was said of that.

    Instead of the ply at *depth*, once that was announced, they must leave wood that was not lifted again where it was put.
    Wood that was never seen to arrive need not have done so, as long as the hand has not left it,
    or with *is_whole*, which says that nothing but *found* explains the whole board at rest.
    """
    found = in_order(belief, depth, found)
    if depth == len(belief.line):
        return found
    ply = belief.line[depth]
    if is_settled_by_word(belief, depth):
        found = [imprint for imprint in found if imprint in ply.candidates]
    if not is_whole:  # the same wood is in the hand again, or went further
        found = [imprint for imprint in found if imprint.lifted & ply.imprint.lifted]
    is_handled = belief.is_touched(depth) or belief.is_refilled(depth)
    is_lost = belief.gap > ply.since  # what was lost since may be a part of it
    if ply.stage is Stage.PROVISIONAL or is_handled or is_lost or _is_early(belief, ply):
        return found
    is_still = is_whole and belief.rest_ms >= belief.table.timing.rest_ms and may_come_late(belief, ply)
    is_sure = ply.is_pressed or ply.is_told
    is_free = ply.is_conjecture and not is_sure and (is_still or not ply.is_left or ply.is_unseen)
    if is_free or belief.tip.differing(belief.seen) & ply.imprint.entered:
        return found
    made = {(candidate.source, candidate.target) for candidate in ply.candidates}
    return [imprint for imprint in found if made.intersection(imprint.carried)]


def _is_early(belief: Belief, ply: Ply) -> bool:
    """True if the last edge may have been reported after its time, as part of what made *ply*."""
    made = ply.since - belief.first_edge - 1
    return made >= 0 and belief.edges[-1].t_ms - belief.edges[made].t_ms <= belief.table.timing.rest_ms


def _fullest(belief: Belief, depth: int, found: list[Imprint]) -> Reading | None:
    """Those of *found* that explain most."""
    most = max((imprint.changed.bit_count() for imprint in found), default=0)
    return _weighed(belief, depth, [imprint for imprint in found if imprint.changed.bit_count() == most])


def _weighed(belief: Belief, depth: int, imprints: list[Imprint]) -> Reading | None:
    """*imprints* as a reading: those that the order of the edges speaks for, else all, touched wood first, and what cannot have been seen."""
    if not imprints:
        return None
    put = [imprint for imprint in imprints if is_put_since(belief, depth, imprint)]
    proven = [imprint for imprint in put if is_proven(belief, depth, imprint)]
    if proven:
        missed = [each for each in imprints if each not in proven and may_be_missed(belief, depth, each)]
        return Reading(depth, (*proven, *missed), is_sure=True)
    shown = [imprint for imprint in put if imprint.shows & ~belief.seen.hidden]
    if shown:
        return Reading(depth, tuple(shown), is_sure=True)
    touched = {edge.cell for edge in belief.edges[max(0, belief.since(depth) - belief.first_edge) :]}
    hidden = belief.seen.hidden
    likely = sorted(imprints, key=lambda each: (touched.isdisjoint(each.source), not each.shows & hidden))
    return Reading(depth, tuple(likely), is_sure=False)
