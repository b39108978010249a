# SPDX-License-Identifier: Apache-2.0
"""Heights of tags are told from where they appear, and correct what a camera sees."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin
from typing import Any

import numpy as np
import pytest

from companion.games import find
from companion.model.grid import edges_mm
from companion.model.observation import Observation, SensorKind, Sighting
from companion.referee.values.board.looks import look
from companion.sensing.beginning import IMAGES
from companion.sensing.camera import LEARN_MS, CameraSensor
from companion.sensing.problems import CameraProblem
from companion.sensing.tag_heights import CellsInView, heights_of
from companion.sensing.tagged_table import USUAL_HEIGHT_MM
from tests.sensing.vision.tables import CameraTable, true_view
from tests.virtual.optics import Optics


def from_the_side(rules: Any, tilt_deg: float, size_px: tuple[int, int] = (1920, 1080)) -> Optics:
    """A camera over the middle of the board, *tilt_deg* from the vertical.

    Its images are not compressed, which would take three quarters of the time.
    """
    points = np.array([point for outline in rules.grid.outlines for point in outline])
    (x, y), wide = points.mean(axis=0), float(np.ptp(points, axis=0).max())
    away = 2.1 * wide
    camera = (float(x), float(y) - away * sin(radians(tilt_deg)), away * cos(radians(tilt_deg)))
    return Optics(size_px, camera, (float(x), float(y)), focal_px=1.2 * size_px[1], noise=2.0, jpeg=None)


@pytest.mark.parametrize("tilt_deg", [15.0, 30.0, 40.0])
@pytest.mark.parametrize("slug", ["tank-chess", "chess", "close-quarters", "martian-chess"])
def test_the_height_is_told_to_a_few_mm_where_it_matters(slug: str, tilt_deg: float) -> None:
    rules, chance = find(slug).rules(), np.random.default_rng(3)
    optics = from_the_side(rules, tilt_deg)
    grid = rules.grid
    board = CellsInView(
        true_view(grid, optics),
        np.array([grid.centre_mm(cell) for cell in range(len(grid))]),
        np.array(edges_mm(grid)),
    )
    pieces = rules.placement(rules.initial()).by_cell()
    edge = board.edges_mm.mean()
    for height_mm in (0.0, 10.0, 30.0, 45.0):
        at_mm = board.middles_mm[list(pieces)] + chance.normal(0, 0.04 * edge, (len(pieces), 2))
        seen_px = optics.project(np.column_stack([at_mm, np.full(len(at_mm), height_mm)]))
        seen_mm = board.view.to_board(seen_px)
        found = heights_of(board, seen_mm, [piece.kind for piece in pieces.values()], USUAL_HEIGHT_MM)
        assert found is not None
        off_mm = np.hypot(*(board.view.to_board(seen_px, found[0]) - at_mm).T)
        assert off_mm.max() < 0.2 * edge
        if height_mm == USUAL_HEIGHT_MM:
            assert found == (USUAL_HEIGHT_MM, {})


def test_too_few_tags_tell_no_height() -> None:
    rules = find("chess").rules()
    view = true_view(rules.grid, from_the_side(rules, 30.0))
    board = CellsInView(view, np.array([[25.0, 25.0]]), np.array([50.0]))
    assert heights_of(board, np.array([[30.0, 30.0]] * 3), ["pawn"] * 3, USUAL_HEIGHT_MM) is None


def table_of(
    slug: str, tilt_deg: float, height_mm: float, kinds: dict[str, float], *, is_assumed: bool = False
) -> CameraTable:
    """A table with pieces whose heights its sensor does not know.

    They are *height_mm* high, or as *kinds* says.

    *is_assumed*: it takes the usual height for theirs.
    """
    game = find(slug)
    rules = game.rules()
    table = CameraTable(game, None, from_the_side(rules, tilt_deg), seed=5)
    heights = {mark.tag: kinds.get(mark.piece.kind, height_mm) for mark in table.marks}
    table.outfit = replace(table.outfit, heights_mm=heights)
    unknown = replace(table.outfit, height_mm=USUAL_HEIGHT_MM, heights_mm={}, is_height_known=is_assumed)
    table.sensor = CameraSensor(unknown)
    return table


def expected(table: CameraTable) -> dict[int, Sighting]:
    """The sightings of a perfect sensor in the start position."""
    pieces = table.rules.placement(table.rules.initial()).by_cell()
    return {cell: look(piece, SensorKind.IDENTITY_FACING) for cell, piece in pieces.items()}


@pytest.mark.parametrize(
    ("slug", "tilt_deg", "height_mm", "kinds", "is_assumed"),
    [
        ("tank-chess", 40.0, 35.0, {}, False),
        ("chess", 40.0, 35.0, {}, False),
        ("chess", 35.0, 24.0, {"king": 40.0}, False),
        ("martian-chess", 40.0, 35.0, {}, True),
        pytest.param("martian-chess", 40.0, 35.0, {}, False, marks=pytest.mark.long),
        pytest.param("tank-chess", 40.0, 35.0, {}, True, marks=pytest.mark.long),
        pytest.param("chess", 40.0, 35.0, {}, True, marks=pytest.mark.long),
        pytest.param("chess", 35.0, 24.0, {"king": 40.0}, True, marks=pytest.mark.long),
    ],
)
def test_a_game_starts_with_pieces_of_unknown_heights_which_are_not_assumed(
    slug: str, tilt_deg: float, height_mm: float, kinds: dict[str, float], is_assumed: bool
) -> None:
    table = table_of(slug, tilt_deg, height_mm, kinds, is_assumed=is_assumed)
    table.set_up(table.rules.initial())
    first = next(seen for seen in (table.see() for _ in range(3 * IMAGES)) if seen is not None)
    assert (dict(first.sightings.seen) == expected(table)) is not is_assumed


def test_pieces_that_come_during_the_game_are_measured_then() -> None:
    table = table_of("tank-chess", 30.0, 25.0, {})
    assert any(table.see() for _ in range(2 * IMAGES))
    table.set_up(table.rules.initial())
    last: Observation | None = None
    for _ in range(2 * LEARN_MS // 33):
        last = table.see() or last
    assert last is not None
    assert dict(last.sightings.seen) == expected(table)


def test_a_height_that_cannot_be_told_is_said_where_it_may_mislead() -> None:
    for tilt_deg, is_said in ((40.0, True), (0.0, False)):
        table = table_of("close-quarters", tilt_deg, 25.0, {})
        pieces = list(table.rules.placement(table.rules.initial()).entries)
        for piece, cells in pieces[:2]:
            for cell, mark in zip(cells, table.fetch(piece), strict=True):
                table.put(cell, piece, mark)
        assert any(table.see() for _ in range(3 * IMAGES))
        assert (CameraProblem.HEIGHT_UNKNOWN in table.sensor.troubles) is is_said
        for piece, cells in pieces[2:]:
            for cell, mark in zip(cells, table.fetch(piece), strict=True):
                table.put(cell, piece, mark)
        for _ in range(2 * LEARN_MS // 33):
            table.see()
        assert table.sensor.troubles == frozenset()
