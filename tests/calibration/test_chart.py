# SPDX-License-Identifier: Apache-2.0
"""The lens of a virtual camera is computed from views of the printed chart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.chart import ChartView, chart_in, covered, is_enough, is_new, lens_from
from companion.games import find
from companion.model.errors import CalibrationError
from companion.model.tags import assign, family
from companion.sheets.chart import lens_chart
from tests.calibration.studio import CHESS, chart_photographs, chart_views, over, photographs, scene_of

TRUE = over(CHESS, (960, 540), k1=-0.18, k2=0.03)


@pytest.fixture(scope="module")
def views() -> list[ChartView]:
    """The chart as the moving camera sees it."""
    return list(chart_views(TRUE, 8))


def test_the_lens_is_found(views: list[ChartView]) -> None:
    found = lens_from(views, TRUE.size_px)
    assert found.rms_px < 0.2
    assert found.lens.focal_px == pytest.approx(TRUE.focal_px, rel=0.005)
    corner = np.array([[120.0, 60.0], [840.0, 60.0], [300.0, 100.0]])
    bent = found.lens.straighten(corner)
    middle = (np.array(TRUE.size_px) - 1) / 2
    rays = (bent - middle) / found.lens.focal_px
    squared = (rays**2).sum(axis=1, keepdims=True)
    again = rays * (1 + squared * (TRUE.k1 + TRUE.k2 * squared)) * TRUE.focal_px + middle
    assert np.abs(again - corner).max() < 1.0


def test_too_few_views_make_no_lens(views: list[ChartView]) -> None:
    with pytest.raises(CalibrationError, match="3 different views of the chart are too few"):
        lens_from(views[:3], TRUE.size_px)


def test_a_bent_chart_makes_no_lens(views: list[ChartView]) -> None:
    chance = np.random.default_rng(1)
    bent = [
        ChartView(
            view.corners_mm, view.corners_px + chance.normal(0, 4, view.corners_px.shape), view.measures
        )
        for view in views
    ]
    with pytest.raises(CalibrationError, match="do not fit together"):
        lens_from(bent, TRUE.size_px)


def test_the_progress_bars_fill_with_new_views(views: list[ChartView]) -> None:
    assert covered([]) == (0.0, 0.0, 0.0, 0.0)
    assert not is_enough(views[:1])
    some, more = covered(views[:2]), covered(views)
    assert all(after >= before for before, after in zip(some, more, strict=True))
    assert all(0 <= bar <= 1 for bar in more)
    assert is_new(views[0], [])
    assert not is_new(views[0], views)


def test_pieces_beside_the_chart_may_have_its_tags(views: list[ChartView]) -> None:
    assert set(lens_chart().tags) & {mark.tag for mark in assign(find("gottaz"), {"pawns": "draft"})}
    image = chart_photographs(TRUE, 8)[0].copy()
    corners = [(x, y) for x in (10, 900) for y in range(10, 500, 55)]
    clear = [(x, y) for x, y in corners if image[y : y + 50, x : x + 50].max() < 130]
    assert len(clear) > 10
    for tag, (x, y) in zip(lens_chart().tags, clear, strict=False):
        levels = np.where(np.pad(np.array(family().rows(tag)), 1, constant_values=True), 235, 25)
        image[y : y + 50, x : x + 50] = np.kron(levels, np.ones((5, 5)))
    found = chart_in(image)
    assert found is not None
    assert found.corners_mm == pytest.approx(views[0].corners_mm)
    assert found.corners_px == pytest.approx(views[0].corners_px, abs=0.2)


@pytest.mark.long
def test_a_chart_is_found_through_a_wide_lens() -> None:
    wide = chart_views(replace(TRUE, k1=-0.33, k2=0.1), 6)
    assert len(wide) == 6
    assert min(len(view.corners_mm) for view in wide) > 20


def test_a_board_without_the_chart_shows_none() -> None:
    assert chart_in(photographs(scene_of(CHESS, over(CHESS, (960, 540))), 1)[0]) is None
