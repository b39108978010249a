# SPDX-License-Identifier: Apache-2.0
"""A move that was decided elsewhere, and what hands have to do for it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from companion.model.moves import Step
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Side
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import look
from companion.referee.values.board.marks import Edge


@dataclass(frozen=True, slots=True)
class DecidedMove:
    """A move of an absent side, until hands have carried it out."""

    ply: int
    side: Side
    text: str
    """Its notation."""
    before: Prospect
    after: Prospect
    imprint: Imprint
    steps: tuple[Step, ...]
    since: int
    """Number of edges until it arrived."""
    is_confirmed: bool = False
    """True if somebody has said that it is carried out."""

    @classmethod
    def of(cls, before: Prospect, move: Hashable, ply: int, since: int) -> DecidedMove:
        """The legal *move* in *before*, as ply number *ply*."""
        steps = tuple(before.rules.steps(before.position, move))
        side: Side = before.position.turn
        text = before.written(move)
        return cls(ply, side, text, before, before.after(move), before.imprint(move), steps, since)

    @property
    def handled(self) -> Occupancy:
        """The cells that hands touch for it."""
        return occupancy_of(
            cell
            for step in self.steps
            if step.source != step.target or step.piece != step.becomes
            for cell in (*step.source, *step.target)
        )

    def unseen(self, edges: Iterable[Edge]) -> tuple[Step, ...]:
        """The steps of which the sensor shows nothing on the board, nor has by *edges*.

        A piece replaces another that looks alike, or is turned on its cells.
        """
        emptied = occupancy_of(edge.cell for edge in edges if not edge.is_occupied)
        return tuple(
            step for step in self.steps if (cells := self._alike(step)) and not emptied & occupancy_of(cells)
        )

    def _alike(self, step: Step) -> list[int]:
        """The cells of *step* that look as before; [] if one of them does not."""
        looks, kind = self.before.looks, self.before.kind
        if step.source == step.target and step.piece == step.becomes:
            return []
        entered = [cell for cell in step.target if cell not in step.source] or list(step.target)
        return entered if all(looks.get(cell) == look(step.becomes, kind) for cell in entered) else []
