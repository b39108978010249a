# SPDX-License-Identifier: Apache-2.0
"""The view fit is accurate to half a px under any lens; residuals are true."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.crossings import crossings_mm
from calibration.marks import Look
from calibration.table import Table, outfit_of
from calibration.view_fit import Bend, Fit, Origin, fit_hand, fit_tags, handles_mm
from companion.model.errors import CalibrationError
from companion.model.tags import CORNERS
from companion.sensing.tagged_table import TaggedTable, as_seen
from companion.sensing.vision.geometry import Lens
from tests.calibration.studio import CHESS, looked_at, over, photographs, scene_of, set_up, true_handles_px
from tests.virtual.optics import Optics

BY_HAND = np.array([(6.0, -4.0), (-5.0, 6.0), (4.0, 5.0), (-6.0, -5.0)])
"""The error of a hand."""


def corners_off_px(fit: Fit, outfit: TaggedTable, optics: Optics) -> float:
    """The largest error, in px, of the fitted corners of the board."""
    true = optics.project(np.column_stack([handles_mm(outfit.grid), np.zeros(4)]))
    return float(np.hypot(*(fit.view.to_image(handles_mm(outfit.grid)) - true).T).max())


@pytest.mark.parametrize(
    ("table", "k1", "stands"),
    [
        (CHESS, 0.0, False),
        (CHESS, -0.2, False),
        (CHESS, -0.15, True),
        (Table("tank-chess", {"map": "companion-20"}), -0.05, True),
        pytest.param(Table("martian-chess", {"players": "3"}), -0.1, True, marks=pytest.mark.long),
    ],
    ids=["straight", "bent", "with-pieces", "many-cells", "wedges"],
)
def test_corners_are_found_to_half_a_px_under_any_lens(table: Table, k1: float, stands: bool) -> None:
    optics = over(table, (1920, 1080) if len(outfit_of(table).grid) != 64 else (1280, 720), k1=k1)
    scene = scene_of(table, optics)
    if stands:
        set_up(scene, table)
    outfit = outfit_of(table)
    fit = fit_tags(looked_at(photographs(scene, 1)), outfit)
    assert corners_off_px(fit, outfit, optics) <= 0.5
    assert fit.bend is (Bend.LINES if k1 else Bend.NONE)
    assert np.abs(fit.view.camera_mm - optics.camera_mm).max() < 0.02 * optics.camera_mm[2]
    if k1:
        lens = fit.view.lens
        assert lens.k1 * (optics.focal_px / lens.focal_px) ** 2 == pytest.approx(k1, abs=0.015)


def test_residuals_are_the_true_remaining_errors() -> None:
    """For an ideal lens model, the residuals are the distortion of the true lens."""
    optics = over(CHESS, k1=-0.03)
    images = looked_at(photographs(scene_of(CHESS, optics), 1))
    straight = Lens(((1280 - 1) / 2, (720 - 1) / 2), optics.focal_px)
    fit = fit_tags(images, outfit_of(CHESS), straight)
    points = crossings_mm(outfit_of(CHESS).grid)
    true = optics.project(np.column_stack([points, np.zeros(len(points))]))
    apart = np.hypot(*(fit.view.to_image(points) - true).T)
    assert fit.rms_px == pytest.approx(float(np.sqrt(np.mean(apart**2))), abs=0.1)
    assert fit_tags(images, outfit_of(CHESS)).rms_px < 0.2


def test_corners_dragged_by_hand_snap_to_the_boards_lines() -> None:
    optics = over(CHESS, k1=-0.12)
    outfit = outfit_of(CHESS)
    images = looked_at(photographs(scene_of(CHESS, optics, tags=False), 1))
    by_hand = true_handles_px(outfit, optics) + BY_HAND
    fit = fit_hand(images, outfit, by_hand)
    assert (fit.origin, fit.bend) == (Origin.HAND, Bend.LINES)
    assert corners_off_px(fit, outfit, optics) <= 0.5
    loose = fit_hand(images, outfit, by_hand, snaps=False)
    assert not loose.proves
    assert np.abs(loose.view.to_image(handles_mm(outfit.grid)) - by_hand).max() < 1e-6


def test_tags_at_other_places_are_measured_there() -> None:
    optics = over(CHESS)
    images = looked_at(photographs(scene_of(CHESS, optics, shift_mm=6.0), 1))
    outfit = outfit_of(CHESS)
    fit = fit_hand(images, outfit, true_handles_px(outfit, optics) + BY_HAND)
    assert [tag.tag for tag in fit.lying] == list(outfit.corners)
    for tag in fit.lying:
        x, y = outfit.corners[tag.tag]
        assert tag.middle_mm == pytest.approx((x + 6.0, y), abs=0.5)
        assert tag.off_mm == pytest.approx(6.0, abs=0.5)
        assert min(tag.turn_deg, 360 - tag.turn_deg) < 1.0


def test_a_lens_is_requested_for_strong_distortion_and_a_given_lens_is_used() -> None:
    optics = over(CHESS, (1920, 1080), k1=-0.45)
    images = looked_at(photographs(scene_of(CHESS, optics), 1))
    straight = Lens(((1920 - 1) / 2, (1080 - 1) / 2), optics.focal_px)
    assert fit_tags(images, outfit_of(CHESS), straight).wants_lens(90.0)
    assert not fit_tags(images, outfit_of(CHESS)).wants_lens(90.0)


def test_missing_input_is_named() -> None:
    optics = over(CHESS)
    empty = photographs(scene_of(CHESS, optics, tags=False), 1)[0]
    outfit = outfit_of(CHESS)
    with pytest.raises(CalibrationError, match="no tags are seen"):
        fit_tags((Look(), empty), outfit)
    look, image = looked_at(photographs(scene_of(CHESS, optics), 1))
    near_left, _, far_right, _ = outfit.corners
    two = Look(tuple(tag for tag in look.tags if tag.tag in (near_left, far_right)))
    with pytest.raises(CalibrationError, match="near right, far left are not seen"):
        fit_tags((two, image), outfit)


def test_the_tags_of_another_board_are_refused() -> None:
    optics = over(CHESS)
    images = looked_at(photographs(scene_of(CHESS, optics), 1))
    martian = outfit_of(Table("martian-chess", {"players": "2"}))
    with pytest.raises(CalibrationError, match="this is the board of Chess: choose that game"):
        fit_tags(images, martian)
    with pytest.raises(CalibrationError, match="do not lie as on this board"):
        fit_tags(
            looked_at(photographs(scene_of(CHESS, optics, corners=CORNERS), 1)), as_seen(martian, CORNERS)
        )


def test_crossings_are_inside_the_board_and_away_from_obstacles() -> None:
    assert len(crossings_mm(outfit_of(CHESS).grid)) == 49
    grid = outfit_of(Table("tank-chess", {"map": "companion-20"})).grid
    dark = {point for cell in grid.obstacles for point in grid.outlines[cell]}
    assert not dark & {(x, y) for x, y in crossings_mm(grid).tolist()}
