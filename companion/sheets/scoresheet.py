# SPDX-License-Identifier: Apache-2.0
"""A score sheet to write a game down by hand: who played, a line for every round, how it ended, signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.sheets.frame import inside, sheet
from companion.sheets.page import Box, Drawn, Page, Paper, Stroke, Text, fitted

_LINE_MM: Final = 7.0
_NUMBER_MM: Final = 9.0
_GAP_MM: Final = 6.0
_FIELDS: Final = (("Event", 0.55), ("Round", 0.15), ("Table", 0.15), ("Date", 0.15))
_SIGN_MM: Final = 24.0
_PALE: Final = 0.5


def score_page(title: str, sides: Sequence[str], paper: Paper) -> Page:
    """The score sheet of a game with these *sides*, in the order of their turns."""
    room = inside(paper)
    shapes: list[Drawn] = []
    top = room.far
    left = room.left
    for name, share in _FIELDS:
        shapes += _field(name, left, top - _LINE_MM, room.width_mm * share - 3.0)
        left += room.width_mm * share
    for row, side in enumerate(sides, start=2):
        shapes += _field(side, room.left, top - row * _LINE_MM, room.width_mm * 0.7 - 3.0)
        shapes += _field(
            "Points", room.left + room.width_mm * 0.7, top - row * _LINE_MM, room.width_mm * 0.3 - 3.0
        )
    table = Box(room.left, room.near + _SIGN_MM, room.right, top - (len(sides) + 1.6) * _LINE_MM)
    shapes += _table(table, sides)
    for n, name in enumerate(("Result", "Signatures")):
        shapes += _field(name, room.left, room.near + 13.0 - n * 10.0, room.width_mm - 3.0)
    return sheet(paper, f"{title} · score sheet", "", (1, 1), tuple(shapes))


def _field(name: str, left: float, base: float, width_mm: float) -> list[Drawn]:
    """A line to write on, with its *name* before it."""
    label = Text((left, base), name, 3.2)
    start = left + min(24.0, width_mm * 0.4)
    label = fitted(label, start - left - 2.0)
    return [label, Stroke(((start, base - 0.8), (left + width_mm, base - 0.8)), 0.2, _PALE)]


def _table(box: Box, sides: Sequence[str]) -> list[Drawn]:
    """Rounds in as many blocks side by side as leave every side 25 mm to write in."""
    blocks = max(1, min(3, int((box.width_mm + _GAP_MM) // (_NUMBER_MM + 30.0 * len(sides) + _GAP_MM))))
    width = (box.width_mm - (blocks - 1) * _GAP_MM) / blocks
    lines = int(box.height_mm // _LINE_MM) - 1
    shapes: list[Drawn] = []
    for block in range(blocks):
        left = box.left + block * (width + _GAP_MM)
        shapes += _block(
            Box(left, box.far - (lines + 1) * _LINE_MM, left + width, box.far), sides, block * lines
        )
    return shapes


def _block(box: Box, sides: Sequence[str], before: int) -> list[Drawn]:
    """One block: a head with the sides, then numbered lines, the first one after *before*."""
    column = (box.width_mm - _NUMBER_MM) / len(sides)
    lefts = [box.left + _NUMBER_MM + n * column for n in range(len(sides))]
    lines = round(box.height_mm / _LINE_MM) - 1
    shapes: list[Drawn] = [Stroke(box.corners, 0.4, is_closed=True)]
    for left, side in zip(lefts, sides, strict=True):
        shapes.append(Stroke(((left, box.near), (left, box.far)), 0.2, _PALE))
        head = Text((left + column / 2, box.far - _LINE_MM + 2.2), side, 3.2, "middle")
        shapes.append(fitted(head, column - 2.0))
    for line in range(1, lines + 1):
        y = box.far - line * _LINE_MM
        shapes.append(
            Stroke(((box.left, y), (box.right, y)), 0.4 if line == 1 else 0.15, 0.0 if line == 1 else _PALE)
        )
        number = Text((box.left + _NUMBER_MM - 1.5, y - _LINE_MM + 2.2), str(before + line), 3.0, "end", 0.3)
        shapes.append(number)
    return shapes
