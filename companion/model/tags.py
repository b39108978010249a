# SPDX-License-Identifier: Apache-2.0
"""The printed tags of a camera table: patterns, and their assignment to pieces.

A tag is 6 by 6 modules inside a black border one module wide,
and that inside a white rim at least one module wide.
Its upper edge is the forward of its piece, so a turned tag is a turned piece.
A decoder compares with the whole family: tags that are not in play reject look-alikes.

Why 6 by 6: at one printed size a module is 1/8 of the width, and 1/7 for 5 by 5.
It therefore needs 14 % more pixels; in return, twelve times fewer strangers are accepted.
Distance is in modules, measured over all four turns; a stranger is a random pattern,
accepted as one of 60 ids in play (or as many as there are)
where at most one module in seven differs.

    family             ids    distance    modules wide    strangers accepted
    ArUco 4x4_50        50        4             6              42 %
    ArUco 5x5_100      100        7             7               1.9 %
    AprilTag 25h9       35        9             7               1.1 %
    ArUco 6x6_100      100       12             8               0.16 %
    AprilTag 36h11     587       11             8               0.16 %
    ours               120       14             8               0.16 %

The distance lets a decoder identify worn, blurred and half-shaded tags reliably.
The bits are in `tags.toml`, made by `python -m calibration.tagfamily`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Final

from companion.model.errors import SettingsError
from companion.model.game import AnyRules, Game, HasBox
from companion.model.grid import Cell, Grid, cell_mm
from companion.model.pieces import Figure, Piece
from companion.model.toml import build, parse

CORNERS: Final = (0, 1, 2, 3)
"""Ids of the corner tags of any board.

First player's left, first player's right, far right, far left.
"""
BOARDS: Final = (
    "close-quarters 4x8",
    "martian-chess 4x8",
    "chess 8x8",
    "fightopia 8x8",
    "martian-chess 8x8",
    "gottaz 5x5",
    "tank-chess 16x16",
    "tank-chess 20x20",
    "martian-chess wedges-3",
    "martian-chess wedges-5",
    "martian-chess wedges-6",
)
"""Boards with corner tags of their own: game and grid.

Printed sheets depend on the order.
"""
_BOARD_TAGS: Final = range(108, 120)
"""Ids of the corner tags of `BOARDS`: thrice four, as in `CORNERS`."""
BORDER: Final = 1
"""Black modules on each side of the data."""
RIM: Final = 1
"""White modules that must stay free on each side of the border."""
CORNER_MODULE_MM: Final = 4.0
"""A corner tag is 32 mm wide, 40 with its rim.

It is larger than those on pieces, since the whole grid depends on it.
"""
_SHARE: Final = 0.66
"""Share of a cell; 0.83 with the rim, so a piece may stand off centre."""


@dataclass(frozen=True, slots=True)
class Tag:
    """One pattern."""

    id: int
    bits: int
    """Row by row from the upper left module, the most significant first; 1 is white."""


@dataclass(frozen=True, slots=True)
class Family:
    """All tags."""

    slug: str
    size: int
    """Data modules on each side."""
    distance: int
    """The least number of differing modules between two tags, over all turns."""
    bits: tuple[int, ...]
    """By id."""

    @property
    def width(self) -> int:
        """Modules on each side, with border, without rim."""
        return self.size + 2 * BORDER

    @property
    def tags(self) -> tuple[Tag, ...]:
        """Every tag, by id."""
        return tuple(Tag(number, bits) for number, bits in enumerate(self.bits))

    def rows(self, tag: int) -> tuple[tuple[bool, ...], ...]:
        """The modules of *tag* from above, with border, row by row from the upper left;
        True is white.
        """
        bits, size = self.bits[tag], self.size
        dark = (False,) * self.width
        data = [
            tuple(bool(bits >> (size * size - 1 - row * size - col) & 1) for col in range(size))
            for row in range(size)
        ]
        return (dark, *((False, *row, False) for row in data), dark)


def module_mm(grid: Grid) -> float:
    """Module width in mm of piece tags: a tag takes `_SHARE` of the narrowest cell."""
    narrowest = min(_inner_mm(outline, grid.centre_mm(cell)) for cell, outline in enumerate(grid.outlines))
    return math.floor(narrowest * _SHARE / family().width * 10 + 1e-6) / 10


def corner_tags(game: str, grid: str) -> tuple[int, int, int, int]:
    """The corner tags of the board *grid* of *game*; else `CORNERS`.

    Two boards have at most one id in common, so two tags name the board:
    a Reed-Solomon code over the field of four elements, in which a sum is an exclusive or.
    """
    board = f"{game} {grid}"
    number = BOARDS.index(board) + 1 if board in BOARDS else 0
    left, right = divmod(number, 4)
    return (
        _corner_tag(0, left),
        _corner_tag(1, right),
        _corner_tag(2, left ^ right),
        _corner_tag(3, left ^ _DOUBLED[right]),
    )


def corner_place(tag: int) -> int:
    """The corner at which the corner tag *tag* lies, as an index of `CORNERS`."""
    return tag % len(CORNERS)


_DOUBLED: Final = (0, 2, 3, 1)
"""Twice each number in the field of four elements."""


def _corner_tag(place: int, symbol: int) -> int:
    """The corner tag of *symbol* at *place*; 0 is that of `CORNERS`."""
    return _BOARD_TAGS[4 * symbol - 4 + place] if symbol else CORNERS[place]


def corner_outlines_mm(
    grid: Grid, tags: Sequence[int] = CORNERS
) -> dict[int, tuple[tuple[float, float], ...]]:
    """The black corners of each of the corner *tags* in the frame of *grid*.

    Each outline is clockwise as read, from the tag's upper left.
    All four tags are upright for the first player, just outside the rectangle round the board;
    the corner of a tag's white rim touches the corner of that rectangle.
    """
    xs = [x for outline in grid.outlines for x, _ in outline]
    ys = [y for outline in grid.outlines for _, y in outline]
    rim, width = RIM * CORNER_MODULE_MM, family().width * CORNER_MODULE_MM
    left, right = min(xs) - rim - width, max(xs) + rim
    near, far = min(ys) - rim - width, max(ys) + rim
    return {
        tag: ((x, y + width), (x + width, y + width), (x + width, y), (x, y))
        for tag, (x, y) in zip(tags, ((left, near), (right, near), (right, far), (left, far)), strict=True)
    }


def _inner_mm(outline: tuple[tuple[float, float], ...], centre: tuple[float, float]) -> float:
    """Twice the distance from *centre* to the nearest edge."""
    edges = zip(outline, (*outline[1:], outline[0]), strict=True)
    return 2 * min(
        abs((bx - ax) * (ay - centre[1]) - (ax - centre[0]) * (by - ay)) / math.dist((ax, ay), (bx, by))
        for (ax, ay), (bx, by) in edges
    )


@cache
def family() -> Family:
    """The family that is printed and detected."""
    text = resources.files("companion.model").joinpath("tags.toml").read_text(encoding="utf-8")
    return build(Family, parse(text, "tags.toml"), "tags.toml")


@dataclass(frozen=True, slots=True)
class Mark:
    """One tag in its place: piece, face, and covered cell."""

    tag: int
    piece: Piece
    """The piece with this face up; facing 0 where it has a front, else None."""
    copy: int
    """Index among equal pieces, from 0."""
    figure: int
    """Index of the piece in the set, from 0: its faces and parts share it."""
    part: int = 0
    """Index of the cell, in the order of the cells at set-up."""
    at: tuple[int, int] = (0, 0)
    """Offset of that cell from the first one at set-up.

    Cells to the right and away from the first player.
    """


def assign(game: Game, options: Mapping[str, str] | None = None) -> tuple[Mark, ...]:
    """Every tag of *game* under *options*, in rising order of ids; ids are unique.

    Raises `OptionError`, and `SettingsError` if the game has more faces than the family has tags.
    """
    rules = game.rules(options)
    marks: list[Mark] = []
    copies: dict[tuple[Piece, ...], int] = {}
    for number, figure in enumerate(_box(rules)):
        copy = copies.get(figure.faces, 0)
        copies[figure.faces] = copy + 1
        for piece in figure.faces:
            for part, at in enumerate(figure.shape):
                marks.append(Mark(len(CORNERS) + len(marks), piece, copy, number, part, at))
    free = len(family().bits) - len(CORNERS) - len(_BOARD_TAGS)
    if len(marks) > free:
        raise SettingsError(
            "{game}: its pieces have {count} faces; there are tags for {free}: take a smaller set or map",
            game=game.slug,
            count=len(marks),
            free=free,
        )
    return tuple(marks)


def _box(rules: AnyRules) -> tuple[Figure, ...]:
    """The pieces of the set: from the rules, or else from the start position."""
    if isinstance(rules, HasBox):
        return tuple(rules.box())
    found = [
        Figure((piece if piece.facing is None else replace(piece, facing=0),), _shape(rules.grid, cells))
        for piece, cells in rules.placement(rules.initial()).entries
    ]
    return tuple(sorted(found, key=_order))


def _shape(grid: Grid, cells: tuple[Cell, ...]) -> tuple[tuple[int, int], ...]:
    """Offsets of *cells* from the first of them."""
    edge = cell_mm(grid)
    places = [grid.centre_mm(cell) for cell in cells]
    left, near = places[0]
    return tuple((round((x - left) / edge), round((y - near) / edge)) for x, y in places)


def _order(figure: Figure) -> tuple[int, str]:
    """Sort key: by side, then by kind."""
    first = figure.faces[0]
    return -1 if first.side is None else first.side, first.kind
