# SPDX-License-Identifier: Apache-2.0
"""What a hand holds, and the moves that it may still make with it."""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import NamedTuple

from companion.model.grid import Cell
from companion.model.occupancy import cells_of, covered, occupancy_of
from companion.referee.inference.belief import Belief
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint


class Completions(NamedTuple):
    """The legal moves that a hand may still make."""

    before: Prospect
    """The position in which they are legal."""
    moves: tuple[Imprint, ...]

    @property
    def targets(self) -> tuple[Cell, ...]:
        """The cells to which the pieces in the hand may go."""
        return tuple(sorted({cell for move in self.moves for cell in move.target if cell not in move.source}))


def lifted(belief: Belief) -> tuple[Cell, ...]:
    """Cells whose piece is in a hand, in the order of lifting."""
    empty = belief.tip.differing(belief.seen) & belief.tip.occupied & ~belief.seen.occupied
    order = {edge.cell: number for number, edge in enumerate(belief.edges) if not edge.is_occupied}
    return tuple(sorted(cells_of(empty), key=lambda cell: order.get(cell, -1)))


def completions(belief: Belief, held: Collection[Cell]) -> Completions:
    """The moves of the pieces *held*: after the line, or instead of its last ply."""
    before, sources = belief.tip, set(held)
    depth = len(belief.line)
    if depth and sources & set(belief.line[-1].imprint.target) and not belief.stands(depth - 1):
        ply = belief.line[-1]
        before = belief.before(depth - 1)
        sources = sources - set(ply.imprint.target) | set(ply.imprint.source)
    taken = occupancy_of(sources)
    moves = {
        move.move: own
        for cell in sources
        for move in before.taking(cell)
        if not taken & ~move.lifted
        and (own := _from_second(move, sources) if sources.isdisjoint(move.source) else move)
    }
    return Completions(before, tuple(moves.values()))


def _from_second(move: Imprint, sources: Set[Cell]) -> Imprint | None:
    """*move*, if its second piece, from *sources*, changes places with the first; otherwise None.

    A hand may carry either of them, so that the second becomes the mover.
    """
    if len(move.carried) != 2 or move.carried[0] != move.carried[1][::-1]:
        return None
    source, target = move.carried[1]
    if sources.isdisjoint(source):
        return None
    return move._replace(source=source, target=target, entered=covered(target))
