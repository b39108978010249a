# SPDX-License-Identifier: Apache-2.0
"""Sheets of tags to be cut out: for pieces, and for board corners.

A piece's faces are side by side, to be folded over its edge, and so are the names below them:
what lies on top of the piece fits its cell.
A tag's upper edge is the piece's forward; an arrowhead marks it where the piece has a front.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Final, TypeAlias

from companion.model.errors import SheetError
from companion.model.grid import Grid, cell_mm
from companion.model.pieces import Piece
from companion.model.tags import CORNER_MODULE_MM, CORNERS, RIM, Mark, family, module_mm
from companion.sheets.frame import inside, sheet, tag_shapes
from companion.sheets.outline import loops_of
from companion.sheets.page import Area, Box, Drawn, Page, Paper, Point, Stroke, Text, fitted

Naming: TypeAlias = Callable[[Piece], tuple[str, str]]
"""Two texts of a piece: its name; its face and owner."""

_NAME_MM: Final = 7.0
"""Two lines below a tag, and the piece's symbol beside them."""
_SYMBOL_MM: Final = 5.6
_SYMBOL_UNITS: Final = 80.0
"""Edge of a symbol in the units of its path, which is centred."""
_ARROW_MM: Final = 3.0
"""An arrowhead, where cells have room for it."""
_FREE_MM: Final = 0.5
"""Least distance of a piece's edge from those of its cell."""
_GAP_MM: Final = 4.0
_CUT: Final = 0.6
"""Shade of the cutting lines: pale, so a remainder is not a module."""
_CORNER_NAMES: Final = ("first player's left", "first player's right", "far right", "far left")


@dataclass(frozen=True, slots=True)
class Cutout:
    """A part to be cut out, drawn from its own lower left corner."""

    width_mm: float
    height_mm: float
    shapes: tuple[Drawn, ...]


def piece_pages(
    title: str,
    marks: Sequence[Mark],
    grid: Grid,
    naming: Naming,
    paper: Paper,
    symbols: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Page, ...]:
    """The tags of *marks* for pieces on *grid*, in its cell size.

    *symbols*: path data of the pieces' symbols, by kind.
    Raises `SheetError` if a piece is too large for *paper*.
    """
    module = module_mm(grid)
    alike = Counter(mark.piece for mark in marks if mark.part == 0)
    cutouts = [
        _figure(list(figure), cell_mm(grid), module, naming, alike, symbols)
        for _, figure in groupby(marks, key=lambda mark: mark.figure)
    ]
    advice = (
        f"Tags of {family().width * module:.1f} mm for cells of {cell_mm(grid):.4g} mm. Cut along the grey lines, fold along"
        " the dashed ones; cut names off flat pieces. A tag's upper edge looks where the piece looks."
    )
    return _packed(f"{title} · tags for the pieces", advice, cutouts, paper)


def corner_pages(paper: Paper) -> tuple[Page, ...]:
    """The four tags beside the corners of any board; they do not tell the game."""
    module = CORNER_MODULE_MM
    cutouts = [
        _face([(tag, (0.0, 0.0))], module, (_CORNER_NAMES[tag], f"corner · #{tag}")) for tag in CORNERS
    ]
    advice = "All four upright for the first player, outside the board: a corner of the white rim touches the board's corner."
    return _packed("Tags for the corners of the board", advice, cutouts, paper)


def _figure(
    marks: list[Mark],
    pitch_mm: float,
    module: float,
    naming: Naming,
    alike: Counter[Piece],
    symbols: Mapping[str, str],
) -> Cutout:
    """All faces of one piece, side by side."""
    room_mm = pitch_mm - 2 * _FREE_MM - (family().width + 2 * RIM) * module
    top_mm = min(_ARROW_MM, room_mm) if any(mark.piece.facing is not None for mark in marks) else 0.0
    faces = []
    for piece, group in groupby(marks, key=lambda mark: mark.piece):
        parts = list(group)
        what, whose = naming(piece)
        number = f"{parts[0].copy + 1}" if alike[piece] > 1 else ""
        ids = f"#{parts[0].tag}" if len(parts) == 1 else f"#{parts[0].tag}-{parts[-1].tag}"
        second = " · ".join(filter(None, (whose, number, ids)))
        tags = [(mark.tag, (mark.at[0] * pitch_mm, mark.at[1] * pitch_mm)) for mark in parts]
        symbol = _symbol(symbols.get(piece.kind, ""), is_filled=piece.side != 0)
        faces.append(_face(tags, module, (what, second), top_mm, symbol))
        if piece.facing is not None:
            faces[-1] = _with_arrow(faces[-1], top_mm)
    width, height = sum(face.width_mm for face in faces), faces[0].height_mm
    shapes: list[Drawn] = [Stroke(((0.0, _NAME_MM), (width, _NAME_MM)), 0.1, _CUT, is_dashed=True)]
    left = 0.0
    for face in faces:
        shapes += (moved(shape, (left, 0.0)) for shape in face.shapes)
        left += face.width_mm
        if left < width:
            shapes.append(Stroke(((left, 0.0), (left, height)), 0.1, _CUT, is_dashed=True))
    return Cutout(width, height, tuple(shapes))


def _face(
    tags: Sequence[tuple[int, Point]],
    module: float,
    names: tuple[str, str],
    top_mm: float = 0.0,
    symbol: Sequence[Drawn] = (),
) -> Cutout:
    """One face: the tags over its cells, *symbol* and names below, *top_mm* free above."""
    rim, size = RIM * module, (family().width + 2 * RIM) * module
    width = size + max(x for _, (x, _) in tags)
    tall = size + max(y for _, (_, y) in tags)
    shapes: list[Drawn] = []
    for tag, (x, y) in tags:
        shapes += tag_shapes(tag, (x + rim, _NAME_MM + y + rim), module)
    left = _NAME_MM if symbol else 0.0
    shapes += symbol
    for words, base, size_mm in zip(names, (3.8, 1.0), (3.2, 2.6), strict=True):
        middle = ((width + left) / 2, base)
        shapes.append(fitted(Text(middle, words, size_mm, "middle"), width - left - 2.5))
    return Cutout(width, _NAME_MM + tall + top_mm, tuple(shapes))


def _symbol(path: str, *, is_filled: bool) -> tuple[Drawn, ...]:
    """The symbol of *path* data at the left below a tag."""
    scale, middle = _SYMBOL_MM / _SYMBOL_UNITS, _NAME_MM / 2
    loops = tuple(tuple((middle + x * scale, middle - y * scale) for x, y in loop) for loop in loops_of(path))
    if is_filled:
        return (Area(loops),) if loops else ()
    return tuple(Stroke(loop, 0.15, is_closed=True) for loop in loops)


def _with_arrow(face: Cutout, high_mm: float) -> Cutout:
    """*face* with an arrowhead in the free strip above its tags, *high_mm* high."""
    middle, half, top = face.width_mm / 2, high_mm * 0.7, face.height_mm - 0.2 * high_mm
    base = face.height_mm - high_mm
    arrow = Area((((middle - half, base), (middle + half, base), (middle, top)),))
    return Cutout(face.width_mm, face.height_mm, (*face.shapes, arrow))


def _packed(title: str, advice: str, cutouts: Iterable[Cutout], paper: Paper) -> tuple[Page, ...]:
    """*cutouts* in rows on as many pages as needed, in order."""
    room = inside(paper)
    pages: list[list[Drawn]] = [[]]
    left, top, row = room.left, room.far, 0.0
    for cutout in cutouts:
        if cutout.width_mm > room.width_mm or cutout.height_mm > room.height_mm:
            raise SheetError(
                "a piece takes {width_mm:.0f} x {height_mm:.0f} mm, more than there is on {paper}: print "
                "for smaller cells with --cell-mm",
                width_mm=cutout.width_mm,
                height_mm=cutout.height_mm,
                paper=paper.name,
            )
        if left + cutout.width_mm > room.right:
            left, top, row = room.left, top - row - _GAP_MM, 0.0
        if top - cutout.height_mm < room.near:
            pages.append([])
            left, top, row = room.left, room.far, 0.0
        near = top - cutout.height_mm
        outline = Box(left, near, left + cutout.width_mm, top)
        pages[-1] += (moved(shape, (left, near)) for shape in cutout.shapes)
        pages[-1].append(Stroke(outline.corners, 0.1, _CUT, is_closed=True))
        left, row = outline.right + _GAP_MM, max(row, cutout.height_mm)
    return tuple(
        sheet(paper, title, advice, (number, len(pages)), tuple(shapes))
        for number, shapes in enumerate(pages, start=1)
    )


def moved(shape: Drawn, by: Point) -> Drawn:
    """*shape* moved by *by*."""

    def there(point: Point) -> Point:
        return point[0] + by[0], point[1] + by[1]

    if isinstance(shape, Area):
        return Area(tuple(tuple(map(there, loop)) for loop in shape.loops), shape.shade, shape.colour)
    if isinstance(shape, Stroke):
        points = tuple(map(there, shape.points))
        return Stroke(points, shape.width_mm, shape.shade, shape.is_closed, shape.is_dashed)
    return Text(there(shape.at), shape.words, shape.size_mm, shape.anchor, shape.shade)
