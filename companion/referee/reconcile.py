# SPDX-License-Identifier: Apache-2.0
"""Holds what is sensed against the lawful moves: `reconcile(belief, input)` gives the next belief.

Rules of this file: pure, and no game is known here.
A change of the board is understood in this order:
nothing is different; one move explains all of it, made after what is believed or instead of its end;
one move explains it but for empty cells (wood in a hand); two moves, the second begun before the first was complete.
What explains nothing yet may be the way to something, and changes no belief.

Order is information: where other wood stands on a cell that looks as before, the cell must have been filled
while the cell the wood came from was already empty.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from companion.model.observation import Change, LeverTurned, Press
from companion.model.occupancy import Occupancy, cells_of
from companion.model.pieces import Side
from companion.referee.belief import Belief, Ply, Reading
from companion.referee.events import Stage
from companion.referee.extending import is_extendable
from companion.referee.footprints import Imprint
from companion.referee.looks import Seen

Input: TypeAlias = Change | Press | LeverTurned


def reconcile(belief: Belief, entered: Input) -> Belief:
    """What is believed after *entered*."""
    if isinstance(entered, Change):
        seen = belief.seen.changed(entered.cell, entered.sighting)
        return understood(belief.sensed(entered.t_ms, entered.cell, seen))
    side = entered.side if isinstance(entered, LeverTurned) else entered.button
    return finished_by(replace(belief, now_ms=max(belief.now_ms, entered.t_ms)), side)


def understood(belief: Belief) -> Belief:
    """*belief* with its line and doubts as what is seen now suggests."""
    if not belief.tip.differing(belief.seen):
        return replace(belief, doubt=())
    found = readings(belief)
    sure = [reading for reading in found if reading.is_sure]
    for reading in sure:
        if len(reading.imprints) == 1:
            return adopted(belief, reading)
    if sure:
        return replace(belief, line=belief.line[: sure[0].depth], doubt=(sure[0],))
    return replace(belief, doubt=tuple(found))


def adopted(belief: Belief, reading: Reading, *, is_guess: bool = False) -> Belief:
    """*belief* in which the only move of *reading* was made, or nothing since its depth."""
    line = belief.line[: reading.depth]
    if not reading.imprints:
        return replace(belief, line=line, doubt=())
    imprint = reading.imprints[0]
    if len(belief.line) == reading.depth + 1 and belief.line[-1].imprint == imprint:
        return replace(belief, doubt=())
    if line and line[-1].stage is Stage.PROVISIONAL:  # the opponent has answered it
        line = (*line[:-1], replace(line[-1], stage=Stage.ANNOUNCED))
    after = belief.before(reading.depth).after(imprint.move)
    ply = Ply(imprint, after, since=belief.edge_count, is_guess=is_guess)
    return replace(belief, line=(*line, ply), doubt=())


def readings(belief: Belief) -> list[Reading]:
    """The ways to understand the board, the most likely first; what a hand may not revise is kept."""
    depths = [len(belief.line)]
    while depths[-1] > 0 and not belief.stands(depths[-1] - 1):
        depths.append(depths[-1] - 1)
    differing = {depth: belief.before(depth).differing(belief.seen) for depth in depths}
    put_back = next((depth for depth in depths if not differing[depth]), None)
    if put_back is not None:
        return [Reading(put_back, (), is_sure=True)]
    exact = [reading for depth in depths for reading in _exact(belief, depth, differing[depth])]
    if any(reading.is_sure for reading in exact):
        return exact
    partly = [reading for depth in depths for reading in _partly(belief, depth, differing[depth])]
    return partly or exact


def _exact(belief: Belief, depth: int, differing: Occupancy) -> list[Reading]:
    """The moves after *depth* plies that explain *differing* wholly."""
    return _weighed(belief, depth, belief.before(depth).exactly(differing, belief.seen))


def _partly(belief: Belief, depth: int, differing: Occupancy) -> list[Reading]:
    """The moves after *depth* plies that explain all of *differing* but empty cells."""
    found = belief.before(depth).within(differing, belief.seen)
    if not found:
        return []
    fullest = max(imprint.changed.bit_count() for imprint in found)
    best = [imprint for imprint in found if imprint.changed.bit_count() == fullest]
    return [
        reading._replace(loose=differing & ~reading.imprints[0].changed)
        for reading in _weighed(belief, depth, best)
        if reading.is_sure
    ]


def _weighed(belief: Belief, depth: int, imprints: list[Imprint]) -> list[Reading]:
    """*imprints* as a reading: those that the order of the edges speaks for, else all."""
    if not imprints:
        return []
    proven = [imprint for imprint in imprints if is_proven(belief, depth, imprint)]
    if proven:
        return [Reading(depth, tuple(proven), is_sure=True)]
    shown = [imprint for imprint in imprints if imprint.shows]
    if shown:
        return [Reading(depth, tuple(shown), is_sure=True)]
    return [Reading(depth, tuple(imprints), is_sure=False)]


def is_proven(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if wood was seen to be put down for every part of *imprint* that leaves its mark in the order only."""
    if not imprint.unseen:
        return bool(imprint.shows)
    return all(_was_entered(belief, depth, cell, origin) for cell, origin in imprint.unseen)


def _was_entered(belief: Belief, depth: int, cell: int, origin: Occupancy) -> bool:
    """True if *cell* was filled after *depth* plies while *origin* was, or was just about to be, empty."""
    since = belief.since(depth)
    overlap_ms = belief.table.timing.rest_ms
    filled_ms = left_ms = None
    for number in range(len(belief.edges) - 1, -1, -1):
        edge = belief.edges[number]
        if filled_ms is None and edge.cell == cell and edge.is_occupied:
            if number + belief.first_edge < since:
                return False
            filled_ms = edge.t_ms
        if left_ms is None and origin >> edge.cell & 1 and not edge.is_occupied:
            left_ms = edge.t_ms
    return filled_ms is not None and (left_ms is None or left_ms <= filled_ms + overlap_ms)


def rested(belief: Belief, now_ms: int) -> Belief:
    """What is believed at *now_ms*, if nothing was sensed since."""
    belief = replace(belief, now_ms=max(belief.now_ms, now_ms))
    timing = belief.table.timing
    if belief.doubt and belief.rest_ms >= timing.dwell_emptied_ms:
        belief = guessed(belief)
    if belief.line and belief.rest_ms >= timing.rest_ms and _may_announce(belief):
        belief = announced(belief)
    return belief


def _may_announce(belief: Belief) -> bool:
    """True if the last ply of the line will not be extended, as far as the rest of the board tells."""
    ply = belief.line[-1]
    differing = belief.tip.differing(belief.seen)
    if differing & belief.seen.occupied or belief.doubt:
        return False
    before = belief.before(len(belief.line) - 1)
    is_dwelt = belief.rest_ms >= belief.table.timing.dwell_ms
    if not differing:
        return is_dwelt or not is_extendable(before, ply.imprint)
    if not is_dwelt:
        return False
    return not any(  # wood in a hand: is it still this ply?
        other.lifted & differing == differing
        for other in before.imprints()
        if other.move != ply.move and set(other.source) & set(ply.imprint.source)
    )


def guessed(belief: Belief) -> Belief:
    """*belief* in which the only move that empty cells suggest was made; unchanged if there are several or none."""
    if len(belief.doubt) != 1 or len(belief.doubt[0].imprints) != 1:
        return belief
    return announced(adopted(belief, belief.doubt[0], is_guess=True))


def announced(belief: Belief) -> Belief:
    """*belief* in which the last ply of the line is announced, and what it answers is settled."""
    if not belief.line or belief.line[-1].stage is not Stage.PROVISIONAL:
        return belief
    *earlier, last = belief.line
    line = (*(replace(ply, stage=Stage.SETTLED) for ply in earlier), replace(last, stage=Stage.ANNOUNCED))
    return replace(belief, line=line)


def finished_by(belief: Belief, side: Side) -> Belief:
    """What is believed after *side* has said that it is done."""
    if belief.tip.position.turn == side:
        belief = _completed(belief)
    if belief.line and belief.before(len(belief.line) - 1).position.turn == side:
        belief = announced(belief)
        last = replace(belief.line[-1], is_pressed=True)
        belief = replace(belief, line=(*belief.line[:-1], last))
    return belief


def _completed(belief: Belief) -> Belief:
    """*belief* in which the side to move has made the only move that leaves the board as it is, if there is one."""
    depth = len(belief.line)
    differing = belief.tip.differing(belief.seen)
    found = [reading for reading in belief.doubt if reading.depth == depth]
    if not differing:
        found = _exact(belief, depth, 0)
    if len(found) == 1 and len(found[0].imprints) == 1:
        return adopted(belief, found[0], is_guess=not found[0].is_sure)
    return belief


def looking(belief: Belief, at_ms: int, seen: Seen) -> Belief:
    """*belief* when all cells look as *seen* and nobody knows in which order they changed: not yet understood."""
    changed = belief.seen.occupied ^ seen.occupied
    for cell in (*cells_of(changed & ~seen.occupied), *cells_of(changed & seen.occupied)):
        belief = belief.sensed(at_ms, cell, belief.seen.changed(cell, seen.look(cell)))
    return replace(belief, seen=seen, now_ms=max(belief.now_ms, at_ms))
