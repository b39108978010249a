# SPDX-License-Identifier: Apache-2.0
"""Scenes of a stored game, and the shapes of pieces in images.

Pure. Images know grids and placements, not games: a piece is its letters in its side's colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from companion.feedback.letters import Letters
from companion.feedback.words import Words
from companion.host.records.records import rules_of
from companion.model.grid import Cell, Grid, cell_mm
from companion.model.notation import GameRecord, numbers, replay
from companion.model.placement import Entry, Placement

FLOOR, OBSTACLE, LINE, MARK, CAPTION = "#e9dec5", "#77705f", "#8b7b5e", "#e8b71a", "#555555"
BLACK: Final = "#222222"
_FILLS: Final = ("#f6f1e3", "#30343a", "#2a78b8", "#c8501e", "#6b4a9e", "#3f7f4f", "#8a8a86")
"""Colours of the sides: light, dark, blue, vermilion, violet, green; grey for unowned pieces.

Letters distinguish the sides, too.
"""
_INKS: Final = (BLACK, *["#ffffff"] * 6)
_WRECK: Final = "wreck"


@dataclass(frozen=True, slots=True)
class Scene:
    """One position of a game."""

    placement: Placement
    caption: str
    """The move that led to it, with its number; empty at the start."""


@dataclass(frozen=True, slots=True)
class PieceShape:
    """Shape of a piece: a disc, or a bar over several cells.

    In mm, y axis down.
    """

    left: float
    top: float
    right: float
    bottom: float
    radius: float
    """Corner radius: half the width of a disc."""
    fill: str
    ink: str
    letters: str
    turned: float | None
    """Facing, in degrees clockwise from the first player's forward; None if irrelevant."""
    is_wreck: bool

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of the shape."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def scenes(record: GameRecord) -> tuple[Scene, ...]:
    """Return the positions of *record*, in order.

    Raises `CompanionError` if the game's rules reject it.
    """
    rules = rules_of(record)
    played = list(replay(rules, record))
    turns = [before.turn for (before, _), (_, text) in pairwise(played) if text]
    numbered = iter(numbers(turns))
    return tuple(
        Scene(rules.placement(position), f"{next(numbered)} {text}" if text else "")
        for position, text in played
    )


def letters_of(record: GameRecord, words: Words) -> Letters:
    """Return the letters for the pieces of *record*."""
    return Letters.of(rules_of(record), words)


def changed(shown: Sequence[Scene], number: int) -> tuple[Cell, ...]:
    """Return the cells on which position *number* differs from the previous one."""
    if not number:
        return ()
    before, after = (set(shown[at].placement.entries) for at in (number - 1, number))
    return tuple(sorted({cell for _, cells in before ^ after for cell in cells}))


def motif(entry: Entry, grid: Grid, letters: Letters) -> PieceShape:
    """Return the shape of the piece *entry*."""
    piece, cells = entry
    side = len(_FILLS) - 1 if piece.side is None else piece.side % (len(_FILLS) - 1)
    centres = [grid.centre_mm(cell) for cell in cells]
    xs, ys = [x for x, _ in centres], [-y for _, y in centres]
    radius = cell_mm(grid) * 0.36
    return PieceShape(
        min(xs) - radius,
        min(ys) - radius,
        max(xs) + radius,
        max(ys) + radius,
        radius,
        _FILLS[side],
        _INKS[side],
        letters.name(piece),
        None if piece.facing is None else 360 * piece.facing / len(grid.steps),
        piece.pose == _WRECK,
    )
