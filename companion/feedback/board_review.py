# SPDX-License-Identifier: Apache-2.0
"""A finished game, shown by lamps and display one move after another. Pure.

Each move stays for a while; a press of a button shows the next one at once. Hands that move a piece
end it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.feedback.lights import DARK, Meaning, indices
from companion.feedback.text import fit
from companion.model.grid import Cell
from companion.model.occupancy import Occupancy
from companion.referee.view import TableView

STEP_MS: Final = 2000
"""How long a move is shown."""


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """What is shown of a move."""

    source: tuple[Cell, ...]
    target: tuple[Cell, ...]
    lines: tuple[str, str]
    """For the display."""


class BoardReview:
    """Goes through the moves of one game; off until `begin`."""

    def __init__(self) -> None:
        self._moves: tuple[ReviewedMove, ...] = ()
        """The moves that are left, that on show first."""
        self._until_ms = 0
        """When the next one follows."""
        self._occupied: Occupancy = 0
        """The cells on which pieces stand during the review."""

    def begin(self, view: TableView, now_ms: int) -> None:
        """Show the game of *view* from its first move."""
        count = len(view.record)
        self._moves = tuple(
            ReviewedMove(move.source, move.target, (f"{number}/{count}", fit(move.move or "-")))
            for number, move in enumerate(view.record, 1)
        )
        self._until_ms, self._occupied = now_ms + STEP_MS, view.occupied

    def skip(self) -> None:
        """Show the next move now."""
        self._until_ms = 0

    def observe(self, view: TableView, now_ms: int) -> bool:
        """Go on at *now_ms*, as far as *view* allows; true if something else is shown."""
        if not self._moves:
            return False
        if view.outcome is None or view.occupied != self._occupied:
            self._moves = ()
        elif now_ms >= self._until_ms:
            self._moves, self._until_ms = self._moves[1:], now_ms + STEP_MS
        else:
            return False
        return True

    def next_deadline_ms(self) -> int | None:
        """Return when the next move follows."""
        return self._until_ms if self._moves else None

    def view(self) -> ReviewedMove | None:
        """Return what is shown now; None if the review is off."""
        return self._moves[0] if self._moves else None

    def overlay(
        self, image: tuple[int, ...], lines: tuple[str, ...]
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Return the lamps *image*, by cell, and the display's *lines*, or those of the review."""
        shown = self.view()
        if shown is None:
            return image, lines
        cells = [DARK] * len(image)
        for meaning, lit in ((Meaning.LAST_FROM, shown.source), (Meaning.LAST_TO, shown.target)):
            for cell in lit:
                cells[cell] = indices(meaning)[0]
        return tuple(cells), shown.lines
