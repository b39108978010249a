# SPDX-License-Identifier: Apache-2.0
"""Tag sheets: every tag of a game, in exact millimetres, legible.

Each tag has a white rim, with its name below.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from companion import games
from companion.model.errors import SheetError
from companion.model.grid import edges_mm, resized
from companion.model.pieces import Piece
from companion.model.tags import CORNERS, assign, family, module_mm
from companion.sheets.board import usual_cell_mm
from companion.sheets.outline import loops_of
from companion.sheets.page import PAPERS, Area, Box, Page, Stroke, Text, bounds
from companion.sheets.tags import corner_pages, piece_pages
from tests.sheets.scans import needs_poppler, scan

GAMES = games.slugs()


def naming(piece: Piece) -> tuple[str, str]:
    return f"{piece.kind} {piece.pose}", "" if piece.side is None else f"side {piece.side}"


def pages_of(slug: str, cell_mm: float = 25.0, paper: str = "a4") -> tuple[Page, ...]:
    game = games.find(slug)
    grid = resized(game.rules().grid, cell_mm)
    return piece_pages(game.title, assign(game), grid, naming, PAPERS[paper])


def black_squares(page: Page, width_mm: float) -> Iterator[Box]:
    """The squares that tags fill on *page*."""
    for shape in page.shapes:
        if isinstance(shape, Area) and shape.shade == 0.0:
            box = bounds(shape)
            if box.width_mm == pytest.approx(width_mm) and box.height_mm == pytest.approx(width_mm):
                yield box


@needs_poppler
@pytest.mark.parametrize("slug", GAMES)
def test_every_tag_of_a_game_can_be_read_off_its_sheets(slug: str) -> None:
    pages = pages_of(slug)
    module = module_mm(resized(games.find(slug).rules().grid, 25.0))
    found = [
        image.read_tag((box.left, box.near), module)
        for page, image in zip(pages, scan(pages), strict=True)
        for box in black_squares(page, module * family().width)
    ]
    assert found == [mark.tag for mark in assign(games.find(slug))]


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("slug", GAMES)
def test_nothing_is_printed_in_the_white_rim_of_a_tag(slug: str, paper: str) -> None:
    pages = pages_of(slug, 50.0, paper)
    module = module_mm(resized(games.find(slug).rules().grid, 50.0))
    tags = 0
    for page in pages:
        for box in black_squares(page, module * family().width):
            tags += 1
            inner = 1e-6 - module
            rim = Box(box.left + inner, box.near + inner, box.right - inner, box.far - inner)
            for shape in page.shapes:
                assert not isinstance(shape, Text) or not _ink(shape).meets(rim), shape
                if isinstance(shape, Stroke):
                    assert not _crosses(shape, rim), shape
    assert tags == len(assign(games.find(slug)))


def _ink(text: Text) -> Box:
    """The bounding box of a centred text, descenders included."""
    around = bounds(text)
    quarter = (around.right - around.left) / 4
    near = text.at[1] - 0.22 * text.size_mm
    return Box(around.left + quarter, near, around.right - quarter, text.at[1] + 0.74 * text.size_mm)


def _crosses(stroke: Stroke, box: Box) -> bool:
    """True if a horizontal or vertical line of *stroke* enters *box*."""
    points = [*stroke.points, stroke.points[0]] if stroke.is_closed else [*stroke.points]
    return any(
        min(ax, bx) < box.right
        and max(ax, bx) > box.left
        and min(ay, by) < box.far
        and max(ay, by) > box.near
        for (ax, ay), (bx, by) in pairwise(points)
    )


@pytest.mark.parametrize("paper", PAPERS)
def test_everything_lies_within_the_printable_area(paper: str) -> None:
    for slug in GAMES:
        for page in pages_of(slug, 57.0, paper):
            for shape in page.shapes:
                assert not isinstance(shape, Stroke | Area) or _is_inside(bounds(shape), page)


def _is_inside(box: Box, page: Page) -> bool:
    reach = Box(5.0, 5.0, page.paper.width_mm - 5.0, page.paper.height_mm - 5.0)
    return (
        box.left >= reach.left
        and box.near >= reach.near
        and box.right <= reach.right
        and box.far <= reach.far
    )


def test_every_name_stands_once_for_each_face() -> None:
    texts = [shape.words for page in pages_of("gottaz") for shape in page.shapes if isinstance(shape, Text)]
    assert texts.count("supply-1-leap-5 supply-1") == 4
    assert texts.count("supply-1-leap-5 leap-5") == 4
    assert "side 0 · 2 · #6" in texts


def test_the_faces_of_a_pawn_lie_side_by_side_with_a_fold_between() -> None:
    page = pages_of("gottaz")[0]
    module = module_mm(resized(games.find("gottaz").rules().grid, 25.0))
    first, second = list(black_squares(page, module * 8))[:2]
    assert second.near == first.near
    assert second.left - first.left == pytest.approx(10 * module)
    below, between = [shape for shape in page.shapes if isinstance(shape, Stroke) and shape.is_dashed][:2]
    assert between.points[0][0] == pytest.approx((first.right + second.left) / 2)
    assert below.points[0][1] == below.points[1][1] == pytest.approx(first.near - module)


@pytest.mark.parametrize(
    ("slug", "options", "cell_mm"),
    [
        *((slug, {}, None) for slug in GAMES),
        *((slug, {}, 15.0) for slug in GAMES),
        ("tank-chess", {"map": "companion-20"}, None),
        *(("martian-chess", {"players": str(players)}, None) for players in (3, 4, 5, 6)),
    ],
)
def test_a_piece_fits_its_cells_when_it_is_cut_and_folded_as_instructed(
    slug: str, options: dict[str, str], cell_mm: float | None
) -> None:
    game = games.find(slug)
    board = game.rules(options).grid
    grid = resized(board, cell_mm or usual_cell_mm(board))
    module, tags = module_mm(grid), assign(game, options)
    (page, *_) = piece_pages(game.title, tags, grid, naming, PAPERS["a4"])
    tag = next(black_squares(page, module * family().width))
    strokes = [shape for shape in page.shapes if isinstance(shape, Stroke)]
    outline = next(shape for shape in strokes if shape.is_closed)
    name_fold, *others = [shape for shape in strokes if shape.is_dashed]
    far = max(y for _, y in outline.points)
    right = min([x for fold in others for x, _ in fold.points if x > tag.left] + [bounds(outline).right])
    cells = 1 + max(max(mark.at) for mark in tags if mark.figure == tags[0].figure)
    narrowest = min(edges_mm(grid)) if grid.files else module * family().width / 0.66
    room = cells * narrowest
    assert far - name_fold.points[0][1] < room
    assert right - bounds(outline).left < room
    assert name_fold.points[0][1] < tag.near - module + 1e-6


def test_only_the_standing_side_of_a_tank_has_an_arrowhead() -> None:
    heads = [
        shape
        for page in pages_of("tank-chess")
        for shape in page.shapes
        if isinstance(shape, Area) and len(shape.loops) == 1 and len(shape.loops[0]) == 3
    ]
    assert len(heads) == 28
    for head in heads:
        left, right, tip = head.loops[0]
        assert left[1] == right[1] < tip[1]


def test_the_tags_of_a_giant_lie_as_far_apart_as_its_cells() -> None:
    module = module_mm(resized(games.find("fightopia").rules().grid, 40.0))
    first, right, above, both = list(black_squares(pages_of("fightopia", 40.0)[0], module * 8))[:4]
    assert (right.left - first.left, right.near - first.near) == pytest.approx((40.0, 0.0))
    assert (above.left - first.left, above.near - first.near) == pytest.approx((0.0, 40.0))
    assert (both.left - first.left, both.near - first.near) == pytest.approx((40.0, 40.0))


def test_a_piece_that_is_too_large_for_the_paper_is_refused_with_a_remedy() -> None:
    with pytest.raises(SheetError, match="more than there is on A4: print for smaller cells with --cell-mm"):
        pages_of("fightopia", 150.0)


@needs_poppler
def test_the_four_corner_tags_are_32_mm_wide_and_named() -> None:
    (page,) = corner_pages(PAPERS["letter"])
    boxes = list(black_squares(page, 32.0))
    (image,) = scan([page])
    assert [image.read_tag((box.left, box.near), 4.0) for box in boxes] == list(CORNERS)
    assert "first player's left" in [shape.words for shape in page.shapes if isinstance(shape, Text)]


def test_the_symbol_of_a_piece_is_beside_its_name_and_white_pieces_have_outlines() -> None:
    game = games.find("chess")
    grid = resized(game.rules().grid, 57.0)
    (page, *_) = piece_pages(
        game.title, assign(game), grid, naming, PAPERS["a4"], {"pawn": "M-20-20H20V20H-20Z"}
    )
    squares = [bounds(shape) for shape in page.shapes if isinstance(shape, Stroke) and shape.width_mm == 0.15]
    assert len(squares) == 8, "the other kinds of white pieces have no symbol here"
    names = [bounds(shape) for shape in page.shapes if isinstance(shape, Text) and "pawn" in shape.words]
    for square, name in zip(squares, names, strict=True):
        assert square.width_mm == pytest.approx(2.8 + 2 * 0.15)
        assert square.right < name.left
    black = piece_pages(
        game.title, assign(game), grid, naming, PAPERS["a4"], {"king": "M-40 0A40 40 0 1 1 40 0Z"}
    )
    half_discs = [
        bounds(shape)
        for page in black
        for shape in page.shapes
        if isinstance(shape, Area) and len(shape.loops) == 1 and len(shape.loops[0]) == 13
    ]
    assert [round(box.height_mm, 2) for box in half_discs] == [2.8]


def test_path_data_becomes_polygons() -> None:
    assert loops_of("M0 0H4V-3L1-2 0-1ZM9 9 8 8") == (
        ((0, 0), (4, 0), (4, -3), (1, -2), (0, -1)),
        ((9, 9), (8, 8)),
    )
    (curve,) = loops_of("M0 0C0 4 6 4 6 0")
    assert curve[6] == pytest.approx((3, 3))
    assert curve[-1] == pytest.approx((6, 0))
    for path, top in (("M-5 0A5 5 0 0 1 5 0", (0, -5)), ("M-5 0A5 5 0 0 0 5 0", (0, 5))):
        (arc,) = loops_of(path)
        assert arc[6] == pytest.approx(top)
    (large,) = loops_of("M-3-4A5 5 0 1 1 3-4")
    assert max(y for _, y in large) == pytest.approx(-4)
    assert min(y for _, y in large) == pytest.approx(-13)
