# SPDX-License-Identifier: Apache-2.0
"""A finished game, shown by lamps and display one move after another. Pure.

Each move stays for a while, a mistake longer; a press of a button shows the next one at once. Hands
that move a piece end it. Once the game is analysed, the display has the value of each move, and the
best one where another was made; that of a mistake is lit, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from companion.feedback.lights import Meaning
from companion.feedback.shown import Overlay, Shown
from companion.feedback.text import fit
from companion.host.table.layers.layer import Layer, has_press
from companion.model.grid import Cell
from companion.model.observation import Observation
from companion.model.occupancy import Occupancy
from companion.referee.values.view import MoveView, TableView

STEP_MS: Final = 2000
"""How long a move is shown."""
MISTAKE_MS: Final = 6000
"""How long a mistake is shown."""


class Grade(StrEnum):
    """How good a move was, where that is worth a mark."""

    BEST = "best"
    """The best of several."""
    ONLY = "only"
    """The best one, and every other was much worse."""
    MISTAKE = "mistake"
    BLUNDER = "blunder"
    """A large mistake."""

    @property
    def is_bad(self) -> bool:
        """True for mistakes of both sizes."""
        return self in (Grade.MISTAKE, Grade.BLUNDER)


@dataclass(frozen=True, slots=True)
class MoveJudgement:
    """What the analysis says of a move."""

    move: str
    value: str
    """After the move, for the display; "" if it is not known."""
    better: str = ""
    """The best move; "" if it was made."""
    grade: Grade | None = None
    """None for a move without a mark."""
    source: tuple[Cell, ...] = ()
    """The cells of the better move."""
    target: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """What is shown of a move."""

    source: tuple[Cell, ...]
    target: tuple[Cell, ...]
    lines: tuple[str, str]
    """For the display."""
    better: tuple[tuple[Cell, ...], tuple[Cell, ...]] = ((), ())
    """The cells of the better move, if this one is a mistake."""
    ms: int = STEP_MS
    """How long it is shown."""


class BoardReview(Layer):
    """Goes through the moves of one game; off until `begin`."""

    def __init__(self) -> None:
        self._moves: tuple[ReviewedMove, ...] = ()
        """The moves that are left, that on show first."""
        self._until_ms = 0
        """When the next one follows."""
        self._occupied: Occupancy = 0
        """The cells on which pieces stand during the review."""

    def begin(self, view: TableView, now_ms: int, judged: Sequence[MoveJudgement] = ()) -> None:
        """Show the game of *view* from its first move.

        *judged* has a judgement for each move, or nothing for those of a game not yet analysed.
        """
        count = len(view.record)
        self._moves = tuple(
            _reviewed(move, f"{number}/{count}", judged[number - 1] if number <= len(judged) else None)
            for number, move in enumerate(view.record, 1)
        )
        self._occupied = view.occupied
        self._until_ms = now_ms + (self._moves[0].ms if self._moves else 0)

    def withhold(self, observation: Observation) -> Observation:
        """Show the next move now, if *observation* has a press."""
        if self._moves and has_press(observation):
            self._until_ms = 0
        return observation

    def tend(self, view: TableView, now_ms: int) -> bool:
        """Go on at *now_ms*, as far as *view* allows; true if something else is shown."""
        if not self._moves:
            return False
        if view.outcome is None or view.occupied != self._occupied:
            self._moves = ()
        elif now_ms >= self._until_ms:
            self._moves = self._moves[1:]
            self._until_ms = now_ms + (self._moves[0].ms if self._moves else 0)
        else:
            return False
        return True

    def next_deadline_ms(self) -> int | None:
        """Return when the next move follows."""
        return self._until_ms if self._moves else None

    def added_to(self, shown: Shown) -> Shown:
        """Return *shown* with the present move alone, if the review is on."""
        if not self._moves:
            return shown
        move = self._moves[0]
        lit = (
            *((cell, Meaning.LAST_FROM) for cell in move.source),
            *((cell, Meaning.LAST_TO) for cell in move.target),
            *((cell, Meaning.HINT_FROM) for cell in move.better[0]),
            *((cell, Meaning.HINT_TO) for cell in move.better[1]),
        )
        return shown._replace(overlays=(*shown.overlays, Overlay(lit, move.lines, is_alone=True)))


def _reviewed(move: MoveView, place: str, judged: MoveJudgement | None) -> ReviewedMove:
    """What is shown of *move*, at *place*, and of its judgement."""
    text = move.move or "-"
    if judged is None or judged.move != move.move:
        return ReviewedMove(move.source, move.target, (place, fit(text)))
    lines = fit(f"{place} {judged.value}".rstrip()), fit(text)
    if judged.grade is not None and judged.grade.is_bad:
        better = judged.source, judged.target
        sign = "??" if judged.grade is Grade.BLUNDER else "?"
        lines = lines[0], fit(f"{text}{sign} {judged.better}")
        return ReviewedMove(move.source, move.target, lines, better, MISTAKE_MS)
    if judged.better:
        lines = lines[0], fit(f"{text} ({judged.better})")
    return ReviewedMove(move.source, move.target, lines)
