# SPDX-License-Identifier: Apache-2.0
"""A board as text: pieces as letters, facings as arrows, lamps as marks.

Rule: no two kinds or faces of a game look alike, and nothing depends on colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from rich.text import Text

from companion.feedback import lights
from companion.feedback.lights import Meaning
from companion.feedback.words import Words
from companion.model.game import AnyRules, all_faces
from companion.model.grid import Cell, Grid
from companion.model.occupancy import Occupancy
from companion.model.pieces import STANDING, Piece
from companion.model.placement import Placement

ARROWS: Final = "↑↗→↘↓↙←↖"
"""Facings, clockwise from the first player's forward."""
_WRECK: Final = "wreck"
_WRECK_SIGN: Final = "×"
_FREE: Final = "·"
_STRANGE: Final = "●"
_OBSTACLE: Final = "##"
_GAP: Final = "  "
"""Gap between two blocks of a board that is not a rectangle."""
_SIDES: Final = ("yellow", "cyan", "green", "magenta", "red", "blue")
"""The first side is distinguished by capitals, too."""

Row: TypeAlias = tuple[str, tuple[Cell, ...]]
"""A label, and cells from left to right."""


@dataclass(frozen=True, slots=True)
class Letters:
    """Abbreviations of the pieces of a game."""

    short: Mapping[str, str]
    """By kind or face."""
    has_facings: bool

    @classmethod
    def of(cls, rules: AnyRules, words: Words, letters: int = 2) -> Letters:
        """The abbreviations of a game, at most *letters* each.

        Names that end with a digit keep it.
        """
        faces = all_faces(rules)
        kinds = [] if _is_many_faced(faces) else [*words.game.kinds]
        slugs = dict.fromkeys([*kinds, *map(_slug, faces)])
        named = {slug: _name(slug, words) for slug in slugs}
        if any(cell_len(name) != len(name) for name in named.values()):
            named = {slug: slug.replace("-", " ") for slug in slugs}
        return cls(_abbreviated(named, letters), has_facings=any(face.facing is not None for face in faces))

    @property
    def width(self) -> int:
        """Columns of the longest abbreviation, with its arrow."""
        return max(map(len, self.short.values()), default=2) + self.has_facings

    def name(self, piece: Piece) -> str:
        """The letters of *piece* without arrow: capitals for the first side."""
        text = self.short.get(_slug(piece)) or piece.kind[:2]
        return text.upper() if piece.side == 0 else text.lower()

    def write(self, piece: Piece, grid: Grid, *, is_flipped: bool = False) -> str:
        """*piece* in letters: capitals for the first side, and an arrow for its facing."""
        text = self.name(piece)
        if piece.pose == _WRECK:
            return text + _WRECK_SIGN
        if piece.facing is None:
            return text
        eighths = piece.facing * len(ARROWS) // len(grid.steps) + (len(ARROWS) // 2 if is_flipped else 0)
        return text + ARROWS[eighths % len(ARROWS)]


def board(
    grid: Grid,
    placement: Placement,
    letters: Letters,
    said: Mapping[Cell, Meaning] | None = None,
    occupied: Occupancy | None = None,
    columns: int = 80,
    *,
    is_flipped: bool = False,
) -> list[Text]:
    """The board as lines: a rectangle as the first player sees it, others in blocks.

    With *is_flipped*, a rectangle is drawn as the player opposite sees it.

    A block holds cells whose names begin alike; blocks are side by side as far as *columns* allow.
    *said* maps cells to their meanings, shown as marks;
    *occupied*, if given, is the occupancy that the sensors see.
    """
    pieces = placement.by_cell()
    seen = placement.occupancy if occupied is None else occupied
    wide = letters.width + 1

    def square(cell: Cell) -> Text:
        written = letters.write(pieces[cell], grid, is_flipped=is_flipped) if cell in pieces else ""
        text = _square(cell, pieces.get(cell), grid, letters, written=written, is_seen=bool(seen >> cell & 1))
        return _marked(text, (said or {}).get(cell))

    def line(row: Row) -> Text:
        return Text.assemble((f"{row[0]:>2} ", "dim"), *map(square, row[1]))

    def head(labels: Iterable[str], corner: str) -> Text:
        return Text(f"{corner:>2} " + "".join(f" {label:{wide - 1}}" for label in labels), style="dim")

    if grid.files:
        way = -1 if is_flipped else 1
        ranks = [(str(rank + 1), _rank(grid, rank)[::way]) for rank in range(grid.ranks)][::-way]
        return [*map(line, ranks), head([grid.name(cell)[0] for cell in range(grid.files)][::way], "")]
    blocks = []
    for name, rows in _blocks(grid).items():
        labels = [grid.name(cell)[len(name) + 1 :] for cell in rows[0][1]]
        blocks.append([head(labels, name), *map(line, rows)])
    return list(_side_by_side(blocks, columns))


def _square(
    cell: Cell, piece: Piece | None, grid: Grid, letters: Letters, *, written: str, is_seen: bool
) -> Text:
    """One cell's content: a missing piece is dim, an unexpected one has no name."""
    if piece is None:
        free = "" if cell in grid.border else _OBSTACLE if cell in grid.obstacles else _FREE
        free = free[: letters.width]
        return Text(f"{_STRANGE if is_seen else free:{letters.width}}")
    colour = "" if piece.side is None else _SIDES[piece.side % len(_SIDES)]
    return Text(
        f"{written:{letters.width}}",
        style=f"bold {colour}" if is_seen else f"dim {colour}",
    )


def _marked(text: Text, meaning: Meaning | None) -> Text:
    """*text* after the mark of *meaning*, in its colour."""
    if meaning is None:
        return Text.assemble(" ", text)
    return Text(lights.mark(meaning) + text.plain, style=_lit(meaning))


def _lit(meaning: Meaning) -> Style:
    """The colour of *meaning*, as a background on which letters can be read."""
    rgb = lights.palette()[lights.index_of(meaning)].rgb
    red, green, blue = rgb
    ink = "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 90 else "#ffffff"
    return Style(color=ink, bgcolor=Color.from_rgb(*rgb), bold=True)


def _rank(grid: Grid, rank: int) -> tuple[Cell, ...]:
    """The cells of *rank* of a rectangle, counted from 0."""
    return tuple(range(rank * grid.files, (rank + 1) * grid.files))


def _blocks(grid: Grid) -> dict[str, list[Row]]:
    """The cells of other grids, by first and then second letter of their names."""
    blocks: dict[str, dict[str, list[Cell]]] = {}
    for cell, name in enumerate(grid.names):
        blocks.setdefault(name[0], {}).setdefault(name[1], []).append(cell)
    return {
        name: [(label, tuple(cells)) for label, cells in sorted(rows.items())]
        for name, rows in sorted(blocks.items())
    }


def _side_by_side(blocks: list[list[Text]], columns: int) -> Iterator[Text]:
    """*blocks* in rows of as many as fit, with an empty line between rows."""
    wide = max(line.cell_len for block in blocks for line in block)
    fitting = max(1, (columns + len(_GAP)) // (wide + len(_GAP)))
    for begin in range(0, len(blocks), fitting):
        if begin:
            yield Text()
        for lines in zip(*blocks[begin : begin + fitting], strict=True):
            yield Text(_GAP).join(_padded(line, wide) for line in lines)


def _padded(line: Text, wide: int) -> Text:
    """*line* padded with blanks to *wide* columns."""
    return line + Text(" " * (wide - line.cell_len))


def _slug(piece: Piece) -> str:
    """The distinguishing slug of *piece*: its upper face if it has several, else its kind."""
    return piece.kind if piece.pose in (STANDING, _WRECK) else piece.pose


def _is_many_faced(faces: Iterable[Piece]) -> bool:
    """True if pieces of this game are distinguished by their upper face."""
    return any(_slug(face) != face.kind for face in faces)


def _name(slug: str, words: Words) -> str:
    """The name of a kind or face."""
    noun = words.game.kinds.get(slug)
    return noun.name if noun else words.pose(slug).name


def _abbreviated(named: Mapping[str, str], letters: int) -> dict[str, str]:
    """*named* in small letters, abbreviated to *letters*; all differ if possible."""
    short: dict[str, str] = {}
    found = {}
    for slug, name in named.items():
        stem, digits = re.fullmatch(r"(.*?)[\s-]*(\d*)", name.casefold()).groups()  # type: ignore[union-attr]
        if stem not in short:
            free = (each for each in _candidates(stem, letters) if each not in short.values())
            short[stem] = next(free, stem[:letters])
        found[slug] = short[stem] + digits
    return found


def _candidates(stem: str, letters: int) -> Iterator[str]:
    """Abbreviations of *stem*, the best first: initials, then first and a later letter."""
    initials = re.findall(r"\b\w", stem)
    rest = re.findall(r"\w", stem)
    if letters == 1:
        yield from [*initials, *rest]
        return
    if len(initials) > 1:
        yield initials[0] + initials[1]
    yield from (rest[0] + later for later in rest[1:])
    yield from (one + other for one in rest for other in rest)
