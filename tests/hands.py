# SPDX-License-Identifier: Apache-2.0
"""Actions of hands at a virtual table for the steps of a move.

The hands know no rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.host.virtual_table.hands import Drop, Flip, Hand, Lift, PutAway, Take, Turn
from companion.host.virtual_table.table import motions
from companion.model.moves import Step
from companion.model.pieces import Piece
from companion.virtual.pieces import PieceSet


def hands_for(pieces: PieceSet, steps: Sequence[Step]) -> Iterator[tuple[Hand, PieceSet]]:
    """Each action of the hands for *steps*, with the pieces afterwards."""
    at_work = _AtWork(pieces)
    going = [step for step in steps if step.source != step.target]
    for step in going:
        if step.target:
            yield from at_work.carry(step)
    entered = {cell for step in going for cell in step.target}
    for step in steps:
        if not step.target and not entered & set(step.source):
            yield from at_work.take_off(step)
        elif step.source == step.target:
            yield from at_work.alter(step)


class _AtWork:
    def __init__(self, pieces: PieceSet) -> None:
        self.pieces = pieces

    def do(self, hand: Hand) -> tuple[Hand, PieceSet]:
        *_, self.pieces = motions(self.pieces, hand, self.pieces.standing)
        return hand, self.pieces

    def carry(self, step: Step) -> Iterator[tuple[Hand, PieceSet]]:
        """Carry from board, hand or box to the target, with the right face and facing."""
        is_there = step.source and self.pieces.standing.at(step.source[0]) == step.piece
        yield self.do(Lift(step.source[0]) if is_there else Take(self._boxed(step.piece)))
        while self._held().pose != step.becomes.pose:
            yield self.do(Flip())
        while self._held().facing != step.becomes.facing or self._spot(step) is None:
            yield self.do(Turn())
        spot = self._spot(step)
        assert spot is not None
        yield self.do(Drop(spot))

    def take_off(self, step: Step) -> Iterator[tuple[Hand, PieceSet]]:
        """Take off into the box, unless the capturing piece already did so."""
        if self.pieces.standing.entry_at(step.source[0]) == (step.piece, step.source):
            yield self.do(PutAway(step.source[0]))

    def alter(self, step: Step) -> Iterator[tuple[Hand, PieceSet]]:
        """Flip or turn in place; turn in the hand where one turn is not enough."""
        (cell,) = step.source
        while self._on(cell).pose != step.becomes.pose:
            yield self.do(Flip(cell))
        if self._on(cell).facing == step.becomes.facing:
            return
        *_, after = motions(self.pieces, Turn(cell), self.pieces.standing)
        turned = after.standing.at(cell)
        if turned is not None and turned.facing == step.becomes.facing:
            yield self.do(Turn(cell))
        else:
            yield from self.carry(step)

    def _boxed(self, piece: Piece) -> int:
        alike = (piece.kind, piece.side)
        boxed = [(loose.piece.kind, loose.piece.side) for loose in self.pieces.box]
        return boxed.index(alike)

    def _held(self) -> Piece:
        assert self.pieces.hand is not None
        return self.pieces.hand.piece

    def _on(self, cell: int) -> Piece:
        piece = self.pieces.standing.at(cell)
        assert piece is not None
        return piece

    def _spot(self, step: Step) -> int | None:
        """The cell to drop it on."""
        wanted = set(step.target)
        return next((cell for cell in step.target if set(self.pieces.reach(cell)) == wanted), None)
