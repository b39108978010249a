# SPDX-License-Identifier: Apache-2.0
"""Boards of any shape are printed in exact millimetres, on sheets that join."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion import games
from companion.model.game import HasRegions, Region
from companion.model.grid import Grid, cell_mm, rectangle, resized
from companion.model.tags import corner_outlines_mm
from companion.sheets.board import LOOKS, OVERLAP_MM, board_pages, board_shapes, tiling, usual_cell_mm
from companion.sheets.frame import MARGIN_MM, inside
from companion.sheets.page import PAPERS, Area, Page, Stroke, Text, Window
from tests.sheets.scans import needs_poppler, scan

BOARDS: tuple[tuple[str, dict[str, str]], ...] = (
    ("chess", {}),
    ("close-quarters", {}),
    ("fightopia", {}),
    ("gottaz", {}),
    ("martian-chess", {}),
    ("martian-chess", {"players": "3"}),
    ("martian-chess", {"players": "4"}),
    ("martian-chess", {"players": "5"}),
    ("martian-chess", {"players": "6"}),
    ("tank-chess", {}),
    ("tank-chess", {"map": "companion-20"}),
)


def board_of(slug: str, options: dict[str, str]) -> tuple[Grid, tuple[Region, ...]]:
    rules = games.find(slug).rules(options)
    grid = resized(rules.grid, usual_cell_mm(rules.grid))
    return grid, tuple(rules.regions()) if isinstance(rules, HasRegions) else ()


def windows(pages: tuple[Page, ...]) -> list[Window]:
    """The windows of the sheets, without the overview plan."""
    sheets = pages[1:] if len(pages) > 1 else pages
    return [shape for page in sheets for shape in page.shapes if isinstance(shape, Window)]


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize(("slug", "options"), BOARDS)
def test_every_cell_is_named_on_some_sheet_and_obstacles_on_none(
    slug: str, options: dict[str, str], paper: str
) -> None:
    grid, regions = board_of(slug, options)
    seen = set()
    for window in windows(board_pages(slug, grid, regions, PAPERS[paper])):
        for shape in window.shapes:
            if isinstance(shape, Text):
                x, y = shape.at[0] + window.shift[0], shape.at[1] + window.shift[1]
                box = window.box
                if box.left <= x <= box.right and box.near <= y <= box.far:
                    seen.add(shape.words)
    assert seen == {grid.names[cell] for cell in range(len(grid)) if cell not in grid.obstacles}


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize(("slug", "options"), BOARDS)
def test_sheets_stay_within_the_margins_and_overlap_by_the_strip(
    slug: str, options: dict[str, str], paper: str
) -> None:
    grid, regions = board_of(slug, options)
    pages = board_pages(slug, grid, regions, PAPERS[paper])
    cut = tiling(grid, PAPERS[paper])
    assert len(pages) == cut.columns * cut.rows + 1
    room = inside(cut.paper)
    for window in windows(pages):
        assert window.box.left >= room.left - 1e-6
        assert window.box.right <= room.right + 1e-6
        assert window.box.near >= room.near - 1e-6
        assert window.box.far <= room.far + 1e-6
    boxes = {(column, row): box for column, row, box in cut.tiles}
    for (column, row), box in boxes.items():
        if (column + 1, row) in boxes:
            assert box.right - boxes[column + 1, row].left == pytest.approx(OVERLAP_MM)
        if (column, row + 1) in boxes:
            assert box.far - boxes[column, row + 1].near == pytest.approx(OVERLAP_MM)


@given(
    files=st.integers(1, 26),
    ranks=st.integers(1, 26),
    edge=st.floats(15.0, 150.0),
    paper=st.sampled_from(sorted(PAPERS)),
)
def test_tiles_cover_the_board_and_its_corner_tags(files: int, ranks: int, edge: float, paper: str) -> None:
    grid = rectangle(files, ranks, cell_mm=edge)
    cut = tiling(grid, PAPERS[paper])
    boxes = [box for _, _, box in cut.tiles]
    points = [
        *(point for outline in grid.outlines for point in outline),
        *(point for outline in corner_outlines_mm(grid).values() for point in outline),
    ]
    for x, y in points:
        assert any(box.left <= x <= box.right and box.near <= y <= box.far for box in boxes)


def test_a_board_that_is_larger_than_half_a_metre_is_printed_smaller() -> None:
    assert usual_cell_mm(rectangle(20, 20)) == 25.0
    assert usual_cell_mm(rectangle(16, 16)) == 30.0
    assert usual_cell_mm(rectangle(8, 8, cell_mm=57)) == pytest.approx(57.0)


def test_wedges_keep_their_shape_when_resized() -> None:
    wedges = games.find("martian-chess").rules({"players": "3"}).grid
    small = resized(wedges, 20.0)
    assert cell_mm(small) == pytest.approx(20.0)
    for before, after in zip(wedges.outlines, small.outlines, strict=True):
        for (ax, ay), (bx, by) in zip(before, after, strict=True):
            assert (bx, by) == pytest.approx((ax * 0.4, ay * 0.4), abs=1e-3)


def thick(shapes: list[Area | Stroke | Text]) -> set[frozenset[tuple[float, float]]]:
    return {
        frozenset(shape.points) for shape in shapes if isinstance(shape, Stroke) and shape.width_mm == 1.0
    }


def test_the_canals_of_wedges_are_drawn_where_two_zones_meet() -> None:
    rules = games.find("martian-chess").rules({"players": "3"})
    assert isinstance(rules, HasRegions)
    lines = thick(board_shapes(rules.grid, rules.regions()))
    assert len(lines) == 3 * 8 + 3 * 4


def test_territories_and_centre_row_of_gottaz_are_set_off() -> None:
    grid, regions = board_of("gottaz", {})
    shapes = board_shapes(grid, regions)
    shaded = [shape for shape in shapes if isinstance(shape, Area)]
    assert [len(area.loops) for area in shaded] == [5]
    assert {y for loop in shaded[0].loops for _, y in loop} == {100.0, 150.0}
    assert frozenset({(0.0, 50.0), (50.0, 50.0)}) in thick(shapes)
    assert frozenset({(0.0, 100.0), (50.0, 100.0)}) not in thick(shapes)


def test_obstacles_are_printed_on_the_board() -> None:
    grid, regions = board_of("tank-chess", {})
    (obstacles,) = (shape for shape in board_shapes(grid, regions) if isinstance(shape, Area))
    assert set(obstacles.loops) == {grid.outlines[cell] for cell in grid.obstacles}


def test_a_board_with_border_surfaces_is_printed_in_its_shape() -> None:
    grid, regions = board_of("tank-chess", {"map": "yard; 4x4; B2; CB1N cC4S; A1 D4"})
    shapes = board_shapes(grid, regions)
    (obstacles,) = (shape for shape in shapes if isinstance(shape, Area))
    assert obstacles.loops == (grid.outlines[grid.cell("B2")],)
    size = cell_mm(grid)
    assert frozenset({(0.0, size), (size, size)}) in thick(shapes)  # the edge above A1
    assert frozenset({(0.0, 0.0), (size, 0.0)}) not in thick(shapes)
    assert {"A1", "D4", "B2"}.isdisjoint(shape.words for shape in shapes if isinstance(shape, Text))


@needs_poppler
def test_a_cell_of_50_mm_is_50_mm_on_paper_and_a_corner_tag_is_read_in_its_place() -> None:
    grid, regions = board_of("gottaz", {})
    pages = board_pages("GOTTAZ", grid, regions, PAPERS["a4"])
    images = scan(pages)
    lower_left = len(pages) - 2
    (window,) = windows((pages[0], pages[lower_left]))
    dx, dy = window.shift
    edges = [(a + b) / 2 for a, b in images[lower_left].dark_runs(25.0 + dy) if b - a > 0.7]
    assert edges[0] == pytest.approx(dx, abs=0.15)
    runs = [(a + b) / 2 for a, b in images[lower_left].dark_runs(75.0 + dy)]
    assert runs[0] == pytest.approx(dx, abs=0.15)
    x, y = corner_outlines_mm(grid)[0][3]
    assert images[lower_left].read_tag((x + dx, y + dy), 4.0) == 0


@needs_poppler
def test_every_sheet_has_a_ruler_of_100_mm_and_its_number() -> None:
    grid, regions = board_of("close-quarters", {})
    pages = board_pages("Close Quarters", grid, regions, PAPERS["letter"])
    for number, (page, image) in enumerate(zip(pages, scan(pages), strict=True), start=1):
        (run,) = (run for run in image.dark_runs(MARGIN_MM + 4.0) if run[1] - run[0] > 20.0)
        assert run[1] - run[0] == pytest.approx(100.0, abs=0.35)
        words = [shape.words for shape in page.shapes if isinstance(shape, Text)]
        assert f"{number} of {len(pages)}" in words


@pytest.mark.parametrize("look", LOOKS)
def test_every_look_sets_off_dark_cells_and_leaves_names_legible(look: str) -> None:
    colours = LOOKS[look]
    assert contrast(colours.light, colours.dark) > 1.6
    assert contrast(colours.dark, colours.obstacle) > 1.8
    for cells in (colours.light, colours.dark):
        assert contrast(cells, (0.25, 0.25, 0.25)) > 3.0
    grid, regions = board_of("chess", {})
    shapes = board_shapes(grid, regions, look)
    (dark,) = (shape for shape in shapes if isinstance(shape, Area) and shape.colour == colours.dark)
    assert set(dark.loops) == {grid.outlines[cell] for cell in range(64) if sum(divmod(cell, 8)) % 2 == 0}
    texts = {shape.shade for shape in shapes if isinstance(shape, Text)}
    assert texts == {0.25}


def contrast(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """The contrast ratio of two colours. Source: WCAG 2.1, relative luminance."""

    def luminance(colour: tuple[float, float, float]) -> float:
        linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return bright / dim


def test_a_board_without_shaded_cells_is_chequered_in_colours_only() -> None:
    grid, regions = board_of("close-quarters", {})
    assert not any(isinstance(shape, Area) for shape in board_shapes(grid, regions))
    light, dark = (shape for shape in board_shapes(grid, regions, "walnut") if isinstance(shape, Area))
    assert (len(light.loops), len(dark.loops)) == (32, 16)


@needs_poppler
def test_a_coloured_board_is_printed_in_its_colours() -> None:
    grid, regions = board_of("close-quarters", {})
    pages = board_pages("Close Quarters", grid, regions, PAPERS["a4"], look="walnut")
    shades = {image.shade((105.0, 60.0 + 25.0 * step)) for image in scan(pages)[1:] for step in range(6)}
    assert any(100 < shade < 150 for shade in shades)
    assert any(190 < shade < 225 for shade in shades)
