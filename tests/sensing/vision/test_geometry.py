# SPDX-License-Identifier: Apache-2.0
"""The view of a board, compared with an explicit camera model.

The model rotates, shifts, divides and distorts.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from companion.model.errors import CalibrationError
from companion.sensing.vision.geometry import Lens, View, fit_homography, view_of

SIZE = (1920, 1080)
CENTRE = np.array([959.5, 539.5])
CORNERS = np.array([[0.0, 0.0], [500.0, 0.0], [500.0, 500.0], [0.0, 500.0], [250.0, 0.0], [0.0, 250.0]])


def photograph(
    points_mm: NDArray[np.float64],
    tilt_deg: float,
    *,
    focal: float = 1500.0,
    k1: float = 0.0,
    turn: float = 0.1,
) -> NDArray[np.float64]:
    """Pixels of (N, 3) points.

    The camera is 900 mm from the centre of the board, tilted towards the first player.
    """
    camera = camera_mm(tilt_deg)
    forward = (np.array([250.0, 250.0, 0.0]) - camera) / 900.0
    right = np.array([1.0, 0.0, 0.0])
    down = np.cross(forward, right)
    right, down = right * np.cos(turn) + down * np.sin(turn), down * np.cos(turn) - right * np.sin(turn)
    away = points_mm - camera
    rays = np.stack([away @ right, away @ down], axis=1) / (away @ forward)[:, None]
    pixels: NDArray[np.float64] = rays * (1 + k1 * (rays**2).sum(axis=1, keepdims=True)) * focal + CENTRE
    return pixels


def camera_mm(tilt_deg: float) -> NDArray[np.float64]:
    tilt = np.radians(tilt_deg)
    return np.array([250.0, 250.0 - 900.0 * np.sin(tilt), 900.0 * np.cos(tilt)])


def flat(points_mm: NDArray[np.float64], height_mm: float = 0.0) -> NDArray[np.float64]:
    return np.column_stack([points_mm, np.full(len(points_mm), height_mm)])


def seen(tilt_deg: float) -> View:
    return view_of(CORNERS, photograph(flat(CORNERS), tilt_deg), SIZE)


@pytest.mark.parametrize("tilt_deg", [15.0, 35.0, 50.0])
def test_one_tilted_view_determines_the_camera_pose(tilt_deg: float) -> None:
    view = seen(tilt_deg)
    assert view.camera_mm == pytest.approx(camera_mm(tilt_deg), abs=0.01)
    assert view.residual_px < 1e-6


def test_a_vertical_view_assumes_a_typical_focal_length() -> None:
    view = seen(0.0)
    assert view.camera_mm[:2] == pytest.approx([250, 250], abs=0.01)
    assert view.camera_mm[2] == pytest.approx(900, rel=0.1)


@given(
    st.floats(12, 50),
    st.lists(st.tuples(st.floats(0, 500), st.floats(0, 500)), min_size=1, max_size=8),
    st.floats(0, 60),
)
def test_points_at_a_height_project_as_in_the_camera_model(
    tilt_deg: float, points: list[tuple[float, float]], height_mm: float
) -> None:
    there = np.array(points)
    appear = photograph(flat(there, height_mm), tilt_deg)
    view = seen(tilt_deg)
    assert view.to_image(there, height_mm) == pytest.approx(appear, abs=0.01)
    assert view.to_board(appear, height_mm) == pytest.approx(there, abs=0.01)


def test_a_focal_length_wrong_by_a_tenth_moves_low_tops_by_less_than_two_millimetres() -> None:
    corners = photograph(flat(CORNERS), 35.0)
    wrong = view_of(CORNERS, corners, SIZE, Lens((959.5, 539.5), 1650.0))
    tops = photograph(flat(CORNERS, 8.0), 35.0)
    assert np.abs(wrong.to_board(tops, 8.0) - CORNERS).max() < 2.0


@given(st.floats(-0.3, 0.3), st.floats(-0.05, 0.05), st.floats(-0.5, 0.5), st.floats(-0.3, 0.3))
def test_straighten_undoes_bend(k1: float, k2: float, x: float, y: float) -> None:
    lens = Lens((959.5, 539.5), 1500.0, k1, k2)
    point = np.array([[959.5 + 1500 * x, 539.5 + 1500 * y]])
    assert lens.straighten(lens.bend(point)) == pytest.approx(point, abs=0.05)


def test_a_known_lens_distortion_is_removed_from_the_view() -> None:
    lens = Lens((959.5, 539.5), 1500.0, k1=-0.2)
    bent = photograph(flat(CORNERS), 35.0, k1=-0.2)
    with_lens = view_of(CORNERS, bent, SIZE, lens)
    assert with_lens.residual_px < 1e-3
    assert with_lens.camera_mm == pytest.approx(camera_mm(35.0), abs=0.5)
    assert view_of(CORNERS, bent, SIZE).residual_px > 1.0
    points = np.array([[125.0, 375.0]])
    assert with_lens.to_image(points, 20.0) == pytest.approx(
        photograph(flat(points, 20.0), 35.0, k1=-0.2), abs=0.1
    )


def test_the_scale_is_that_of_the_worse_direction() -> None:
    view = seen(45.0)
    assert view.px_per_mm((250.0, 250.0)) == pytest.approx(1500 / 900 * np.cos(np.radians(45)), rel=0.01)


def test_collinear_corners_make_no_view() -> None:
    line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    with pytest.raises(CalibrationError, match="lie on a line"):
        fit_homography(line, line)


def test_a_mirrored_board_is_refused() -> None:
    mirrored = photograph(flat(CORNERS), 35.0) * (-1, 1) + (1919, 0)
    with pytest.raises(CalibrationError, match="wrong order"):
        view_of(CORNERS, mirrored, SIZE)
