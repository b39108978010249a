# SPDX-License-Identifier: Apache-2.0
"""Lists and tables for display or distribution: pairings, standings, cross tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.sheets.frame import ENGLISH, Foot, inside, sheet
from companion.sheets.page import Area, Box, Drawn, Page, Paper, Stroke, Text, fitted, text_width_mm

_LINE_MM: Final = 6.5
_TEXT_MM: Final = 3.8
_PAD_MM: Final = 1.5
_STRIPE: Final = 0.93
"""Shade of every second line, which guides the eye."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a list."""

    head: str
    anchor: Literal["start", "middle", "end"] = "start"


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; a row of a single cell is a heading for those below it."""

    title: str
    about: str
    """A line below the title."""
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    is_wide: bool = False
    """True for landscape paper."""


def listing_pages(listing: Listing, paper: Paper, foot: Foot = ENGLISH) -> tuple[Page, ...]:
    """*listing* on as many pages as needed, with column heads on each."""
    paper = paper.turned if listing.is_wide else paper
    room = inside(paper)
    each = int(room.height_mm // _LINE_MM) - 1
    parts = [listing.rows[first : first + each] for first in range(0, len(listing.rows), each)] or [()]
    widths = _widths(listing, room.width_mm)
    return tuple(
        sheet(
            paper,
            listing.title,
            listing.about,
            (number, len(parts)),
            tuple(_table(room, listing.columns, widths, part)),
            foot,
        )
        for number, part in enumerate(parts, 1)
    )


def _widths(listing: Listing, room_mm: float) -> list[float]:
    """Each column as wide as its widest cell; columns of names get the remaining space."""
    wanted = [
        max(
            text_width_mm(text, _TEXT_MM)
            for text in [column.head, *(row[place] for row in listing.rows if len(row) > 1)]
        )
        + 2 * _PAD_MM
        for place, column in enumerate(listing.columns)
    ]
    spare = room_mm - sum(wanted)
    if spare < 0:
        return [width * room_mm / sum(wanted) for width in wanted]
    loose = [column.anchor == "start" for column in listing.columns]
    share = spare / (sum(loose) or 1)
    return [width + share * is_loose for width, is_loose in zip(wanted, loose, strict=True)]


def _table(
    room: Box, columns: Sequence[Column], widths: Sequence[float], rows: Sequence[Sequence[str]]
) -> list[Drawn]:
    """The head, and *rows* below it."""
    y = room.far - _LINE_MM
    shapes = _cells([column.head for column in columns], columns, widths, (room.left, y))
    shapes.append(Stroke(((room.left, y), (room.right, y)), 0.4))
    for number, row in enumerate(rows):
        y -= _LINE_MM
        if len(row) == 1:
            shapes.append(fitted(Text((room.left, y + 2.0), row[0], 4.2), room.width_mm))
            shapes.append(Stroke(((room.left, y), (room.right, y)), 0.2, 0.5))
            continue
        if number % 2:
            shapes.append(Area((Box(room.left, y, room.right, y + _LINE_MM).corners,), _STRIPE))
        shapes += _cells(row, columns, widths, (room.left, y))
    return shapes


def _cells(
    row: Sequence[str], columns: Sequence[Column], widths: Sequence[float], at: tuple[float, float]
) -> list[Drawn]:
    """One line."""
    left, y = at
    shapes: list[Drawn] = []
    for text, column, width in zip(row, columns, widths, strict=True):
        x = {"start": left + _PAD_MM, "middle": left + width / 2, "end": left + width - _PAD_MM}[
            column.anchor
        ]
        if text:
            shapes.append(
                fitted(Text((x, y + 2.0), text, _TEXT_MM, column.anchor), max(width - 2 * _PAD_MM, width / 2))
            )
        left += width
    return shapes
