# SPDX-License-Identifier: Apache-2.0
"""Score sheets: players, a line for every round, result, signatures.

They are filled in by hand, or printed filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.sheets.frame import ENGLISH as FOOT
from companion.sheets.frame import Foot, inside, sheet
from companion.sheets.page import Box, Drawn, Page, Paper, Stroke, Text, fitted

_LINE_MM: Final = 7.0
_NUMBER_MM: Final = 9.0
_GAP_MM: Final = 6.0
_SHARES: Final = (0.55, 0.15, 0.15, 0.15)
"""Shares of the line with event, round, table and date."""
_SIGN_MM: Final = 24.0
_PALE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Written:
    """Entries of a score sheet; empty ones are filled in by hand."""

    event: str = ""
    round: str = ""
    table: str = ""
    date: str = ""
    names: Sequence[str] = ()
    """The players of the sides, in the order of their turns."""
    points: Sequence[str] = ()
    rounds: Sequence[Sequence[str]] = ()
    """The moves, one round of turns each.

    In the first round the sides before the one that began have "".
    """
    result: str = ""


BLANK: Final = Written()


@dataclass(frozen=True, slots=True)
class Labels:
    """Printed labels of every sheet."""

    title: str = "score sheet"
    event: str = "Event"
    round: str = "Round"
    table: str = "Table"
    date: str = "Date"
    points: str = "Points"
    result: str = "Result"
    signatures: str = "Signatures"
    foot: Foot = FOOT


ENGLISH: Final = Labels()


def score_pages(
    title: str, sides: Sequence[str], paper: Paper, written: Written = BLANK, labels: Labels = ENGLISH
) -> tuple[Page, ...]:
    """The score sheet of a game with these *sides*, in the order of their turns.

    As many pages as its rounds need.
    """
    room = inside(paper)
    table = Box(room.left, room.near + _SIGN_MM, room.right, room.far - (len(sides) + 1.6) * _LINE_MM)
    blocks, lines = _capacity(table, len(sides))
    each = blocks * lines
    count = max(1, -(-len(written.rounds) // each))
    head = (*_head(room, sides, written, labels), *_foot(room, written, labels))
    return tuple(
        sheet(
            paper,
            f"{title} · {labels.title}",
            "",
            (number + 1, count),
            (
                *head,
                *_table(table, sides, written.rounds[number * each : (number + 1) * each], number * each),
            ),
            labels.foot,
        )
        for number in range(count)
    )


def _head(room: Box, sides: Sequence[str], written: Written, labels: Labels) -> list[Drawn]:
    """Event, place, time and players."""
    shapes: list[Drawn] = []
    left = room.left
    header = (written.event, written.round, written.table, written.date)
    names = (labels.event, labels.round, labels.table, labels.date)
    for name, share, text in zip(names, _SHARES, header, strict=True):
        shapes += _field(name, left, room.far - _LINE_MM, room.width_mm * share - 3.0, text)
        left += room.width_mm * share
    for row, side in enumerate(sides):
        base = room.far - (row + 2) * _LINE_MM
        shapes += _field(side, room.left, base, room.width_mm * 0.7 - 3.0, _at(written.names, row))
        right = room.left + room.width_mm * 0.7
        shapes += _field(labels.points, right, base, room.width_mm * 0.3 - 3.0, _at(written.points, row))
    return shapes


def _foot(room: Box, written: Written, labels: Labels) -> list[Drawn]:
    """Result and signatures."""
    return [
        *_field(labels.result, room.left, room.near + 13.0, room.width_mm - 3.0, written.result),
        *_field(labels.signatures, room.left, room.near + 3.0, room.width_mm - 3.0),
    ]


def _at(texts: Sequence[str], index: int) -> str:
    """Item *index* of *texts*, or ""."""
    return texts[index] if index < len(texts) else ""


def _field(name: str, left: float, base: float, width_mm: float, text: str = "") -> list[Drawn]:
    """A line for handwriting after *name*, with *text* on it."""
    label = Text((left, base), name, 3.2)
    start = left + min(24.0, width_mm * 0.4)
    label = fitted(label, start - left - 2.0)
    line = Stroke(((start, base - 0.8), (left + width_mm, base - 0.8)), 0.2, _PALE)
    return [label, line, *_entry(Text((start + 1.0, base), text, 3.6), left + width_mm - start - 1.0)]


def _entry(text: Text, width_mm: float) -> list[Drawn]:
    """*text* fitted into *width_mm*; nothing if it is empty."""
    return [fitted(text, width_mm)] if text.words else []


def _capacity(box: Box, sides: int) -> tuple[int, int]:
    """Number of blocks with 25 mm for every side, and lines per block."""
    blocks = max(1, min(3, int((box.width_mm + _GAP_MM) // (_NUMBER_MM + 30.0 * sides + _GAP_MM))))
    return blocks, int(box.height_mm // _LINE_MM) - 1


def _table(box: Box, sides: Sequence[str], rounds: Sequence[Sequence[str]], before: int) -> list[Drawn]:
    """*rounds* in blocks, the first one with number *before* + 1."""
    blocks, lines = _capacity(box, len(sides))
    width = (box.width_mm - (blocks - 1) * _GAP_MM) / blocks
    shapes: list[Drawn] = []
    for block in range(blocks):
        left = box.left + block * (width + _GAP_MM)
        there = Box(left, box.far - (lines + 1) * _LINE_MM, left + width, box.far)
        first = block * lines
        shapes += _block(there, sides, rounds[first : first + lines], before + first)
    return shapes


def _block(box: Box, sides: Sequence[str], rounds: Sequence[Sequence[str]], before: int) -> list[Drawn]:
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
        base = y - _LINE_MM + 2.2
        shapes.append(Text((box.left + _NUMBER_MM - 1.5, base), str(before + line), 3.0, "end", 0.3))
        for left, move in zip(lefts, rounds[line - 1] if line <= len(rounds) else (), strict=False):
            shapes += _entry(Text((left + 1.5, base), move, 3.6), column - 3.0)
    return shapes
