# SPDX-License-Identifier: Apache-2.0
"""A board of any shape on several sheets, with its corner tags printed in place.

Sheets overlap by a strip: each is cut at its left and near edge
and glued onto the strip of its neighbour.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.model.game import Region
from companion.model.grid import Cell, Grid, cell_mm, resized
from companion.model.tags import CORNER_MODULE_MM, CORNERS, RIM, corner_outlines_mm
from companion.sheets.frame import inside, sheet, tag_shapes
from companion.sheets.page import (
    Area,
    Box,
    Colour,
    Drawn,
    Page,
    Paper,
    Point,
    Shape,
    Stroke,
    Text,
    Window,
    bounds,
)

Edge: TypeAlias = frozenset[Point]

OVERLAP_MM: Final = 10.0
_LARGEST_MM: Final = 500.0
"""Boards larger than this are printed with smaller cells, unless a size is given.

A camera sees such a board at arm's length.
"""
_LINES: Final = 0.55
_NAMES: Final = 0.25
_CROP_MM: Final = 4.0


def usual_cell_mm(grid: Grid) -> float:
    """Default size of printed cells: the game's own, reduced for large boards.

    Reduced in steps of 5 mm.
    """
    box = _extent(grid)
    largest = cell_mm(grid) * _LARGEST_MM / max(box.width_mm, box.height_mm)
    return cell_mm(grid) if largest >= cell_mm(grid) else 5.0 * math.floor(largest / 5.0 + 1e-6)


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of a board: of light and dark cells, and of obstacles."""

    light: Colour
    dark: Colour
    obstacle: Colour


PLAIN: Final = "plain"
LOOKS: Final[Mapping[str, Look]] = {
    PLAIN: Look((1.0, 1.0, 1.0), (0.72, 0.72, 0.72), (0.45, 0.45, 0.45)),
    "walnut": Look((0.93, 0.82, 0.64), (0.70, 0.50, 0.33), (0.36, 0.22, 0.13)),
    "green": Look((0.93, 0.93, 0.84), (0.49, 0.63, 0.42), (0.24, 0.33, 0.20)),
    "blue": Look((0.91, 0.94, 0.97), (0.52, 0.64, 0.78), (0.23, 0.31, 0.42)),
}
"""Looks by name. Names of cells are legible on all their cells."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """The division of a board into equal sheets."""

    paper: Paper
    whole: Box
    """In the frame of the grid."""
    columns: int
    rows: int

    @property
    def width_mm(self) -> float:
        """Width of one tile, overlap included."""
        return (self.whole.width_mm + (self.columns - 1) * OVERLAP_MM) / self.columns

    @property
    def height_mm(self) -> float:
        """Height of one tile, overlap included."""
        return (self.whole.height_mm + (self.rows - 1) * OVERLAP_MM) / self.rows

    @property
    def tiles(self) -> tuple[tuple[int, int, Box], ...]:
        """Column, row and box of each tile in reading order.

        Boxes are in the frame of the grid.

        The far row is first.
        """
        return tuple(
            (column, row, self._tile(column, row))
            for row in reversed(range(self.rows))
            for column in range(self.columns)
        )

    def _tile(self, column: int, row: int) -> Box:
        left = self.whole.left + column * (self.width_mm - OVERLAP_MM)
        near = self.whole.near + row * (self.height_mm - OVERLAP_MM)
        return Box(left, near, left + self.width_mm, near + self.height_mm)


def tiling(grid: Grid, paper: Paper) -> Tiling:
    """The tiling of *grid* and its corner tags with the fewest sheets, portrait or landscape."""
    tags = [point for outline in corner_outlines_mm(grid).values() for point in outline]
    rim = RIM * CORNER_MODULE_MM
    whole = Box(
        min(x for x, _ in tags) - rim,
        min(y for _, y in tags) - rim,
        max(x for x, _ in tags) + rim,
        max(y for _, y in tags) + rim,
    )

    def on(sheet_of: Paper) -> Tiling:
        room = inside(sheet_of)
        columns, rows = (
            max(1, math.ceil((length - OVERLAP_MM) / (there - OVERLAP_MM)))
            for length, there in ((whole.width_mm, room.width_mm), (whole.height_mm, room.height_mm))
        )
        return Tiling(sheet_of, whole, columns, rows)

    return min((on(paper), on(paper.turned)), key=lambda tiles: tiles.columns * tiles.rows)


def board_pages(
    title: str,
    grid: Grid,
    regions: Sequence[Region],
    paper: Paper,
    corners: Sequence[int] = CORNERS,
    look: str = PLAIN,
) -> tuple[Page, ...]:
    """The sheets of *grid*, in its cell size, with *corners* and a look of `LOOKS`.

    A plan precedes several sheets.
    """
    cut = tiling(grid, paper)
    drawn = [*board_shapes(grid, regions, look), *_corner_shapes(grid, corners)]
    tiles = cut.tiles
    count = len(tiles) + (len(tiles) > 1)
    heading = f"{title} · board with cells of {cell_mm(grid):.4g} mm"
    plan = [_plan(heading, grid, regions, look, cut, paper, count)] if len(tiles) > 1 else []
    pages = [
        _tile_page(heading, drawn, cut, tile, (number, count))
        for number, tile in enumerate(tiles, start=count - len(tiles) + 1)
    ]
    return *plan, *pages


def board_shapes(
    grid: Grid, regions: Sequence[Region], look: str = PLAIN, *, with_names: bool = True
) -> list[Drawn]:
    """The board in the frame of *grid*: cells, regions, obstacles, and cell names."""
    cells = [cell for cell in range(len(grid)) if cell not in grid.border]
    obstacles = tuple(grid.outlines[cell] for cell in grid.obstacles if cell not in grid.border)
    colours = LOOKS[look]
    fills = {
        colours.light: () if look == PLAIN else tuple(grid.outlines[cell] for cell in cells),
        colours.dark: tuple(grid.outlines[cell] for cell in _dark_cells(grid, regions, look)),
        colours.obstacle: obstacles,
    }
    shapes: list[Drawn] = [Area(loops, colour=colour) for colour, loops in fills.items() if loops]
    shapes += (Stroke(grid.outlines[cell], 0.2, _LINES, is_closed=True) for cell in cells)
    for region in regions:
        if not region.is_shaded:
            shapes += (Stroke(tuple(sorted(edge)), 1.0) for edge in _rim(grid, region.cells))
    shapes += (Stroke(tuple(sorted(edge)), 1.0) for edge in _rim(grid, cells))
    if with_names:
        shapes += (_name(grid, cell) for cell in range(len(grid)) if cell not in grid.obstacles)
    return shapes


def _dark_cells(grid: Grid, regions: Sequence[Region], look: str) -> list[Cell]:
    """The cells that the game shades; in colours otherwise every second one."""
    shaded = [cell for region in regions if region.is_shaded for cell in region.cells]
    if shaded or look == PLAIN or not grid.files:
        return shaded
    return [
        cell
        for cell in range(len(grid))
        if sum(divmod(cell, grid.files)) % 2 == 0 and cell not in grid.border
    ]


def _name(grid: Grid, cell: Cell) -> Text:
    """The name of *cell*, small, near its first corner."""
    (x, y), (cx, cy) = grid.outlines[cell][0], grid.centre_mm(cell)
    size = max(1.8, min(3.5, 0.09 * cell_mm(grid)))
    at = (x + 0.24 * (cx - x), y + 0.24 * (cy - y) - size * 0.3)
    return Text(at, grid.name(cell), size, "middle", _NAMES)


def _rim(grid: Grid, cells: Iterable[Cell]) -> list[Edge]:
    """The edges between *cells* and all others, in a fixed order."""
    edges = Counter(edge for cell in cells for edge in _edges(grid.outlines[cell]))
    return sorted((edge for edge, times in edges.items() if times == 1), key=sorted)


def _edges(outline: Sequence[Point]) -> list[Edge]:
    """The edges of a cell, rounded so that those of two neighbours are equal."""
    corners = [(round(x, 2), round(y, 2)) for x, y in outline]
    return [frozenset(pair) for pair in zip(corners, (*corners[1:], corners[0]), strict=True)]


def _corner_shapes(grid: Grid, corners: Sequence[int]) -> list[Drawn]:
    """The tags *corners* in their places."""
    return [
        shape
        for tag, outline in corner_outlines_mm(grid, corners).items()
        for shape in tag_shapes(tag, outline[3], CORNER_MODULE_MM)
    ]


def _tile_page(
    heading: str, drawn: Sequence[Drawn], cut: Tiling, tile: tuple[int, int, Box], number: tuple[int, int]
) -> Page:
    """One sheet of the board."""
    column, row, box = tile
    room = inside(cut.paper)
    shift = (
        room.left + (room.width_mm - box.width_mm) / 2 - box.left,
        room.far - box.height_mm - box.near,
    )
    there = Box(box.left + shift[0], box.near + shift[1], box.right + shift[0], box.far + shift[1])
    shapes: list[Shape] = [Window(there, shift, tuple(shape for shape in drawn if bounds(shape).meets(box)))]
    if column < cut.columns - 1:
        x = there.right - OVERLAP_MM
        shapes.append(Stroke(((x, there.near), (x, there.far)), 0.1, _LINES, is_dashed=True))
    if row < cut.rows - 1:
        y = there.far - OVERLAP_MM
        shapes.append(Stroke(((there.left, y), (there.right, y)), 0.1, _LINES, is_dashed=True))
    shapes += _crop_marks(there)
    advice = (
        f"Column {column + 1} of {cut.columns}, row {row + 1} of {cut.rows} from the first player."
        " Cut between the marks at the left and near edges; glue onto the neighbours' strips, up to their dashed lines."
        if number[1] > 1
        else "The first player sits at this page's lower edge."
    )
    return sheet(cut.paper, heading, advice, number, tuple(shapes))


def _crop_marks(box: Box) -> list[Stroke]:
    """Two short lines outside each corner of *box*, in line with its edges."""
    marks = []
    for x, outward in ((box.left, -1), (box.right, 1)):
        for y, upward in ((box.near, -1), (box.far, 1)):
            marks.append(Stroke(((x + outward, y), (x + outward * _CROP_MM, y)), 0.1))
            marks.append(Stroke(((x, y + upward), (x, y + upward * _CROP_MM)), 0.1))
    return marks


def _plan(
    heading: str, grid: Grid, regions: Sequence[Region], look: str, cut: Tiling, paper: Paper, count: int
) -> Page:
    """A small picture of the board with the numbers of its sheets."""
    room = inside(paper)
    factor = min(room.width_mm / cut.whole.width_mm, room.height_mm / cut.whole.height_mm, 1.0)
    shift = (room.left - cut.whole.left * factor, room.far - cut.whole.far * factor)

    def small(box: Box) -> Box:
        (left, near), _, (right, far), _ = (
            (x * factor + shift[0], y * factor + shift[1]) for x, y in box.corners
        )
        return Box(left, near, right, far)

    picture = tuple(board_shapes(resized(grid, cell_mm(grid) * factor), regions, look, with_names=False))
    shapes: list[Shape] = [Window(small(cut.whole), shift, picture)]
    for number, (_, _, box) in enumerate(cut.tiles, start=2):
        tile = small(box)
        x, y = (tile.left + tile.right) / 2, (tile.near + tile.far) / 2
        shapes.append(Stroke(tile.corners, 0.3, is_closed=True, is_dashed=True))
        shapes.append(Area((Box(x - 4.5, y - 3.0, x + 4.5, y + 4.0).corners,), 1.0))
        shapes.append(Text((x, y - 2.0), str(number), 7.0, "middle"))
    advice = (
        f"How pages 2 to {count} lie: the first player sits below. Begin with the lower left sheet;"
        f" neighbours overlap by {OVERLAP_MM:g} mm."
    )
    return sheet(paper, f"{heading} · plan", advice, (1, count), tuple(shapes))


def _extent(grid: Grid) -> Box:
    """The rectangle round *grid*."""
    xs = [x for outline in grid.outlines for x, _ in outline]
    ys = [y for outline in grid.outlines for _, y in outline]
    return Box(min(xs), min(ys), max(xs), max(ys))
