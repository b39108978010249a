# SPDX-License-Identifier: Apache-2.0
"""Heights are computed from the places of tags; impossible heights are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.heights import Stood, height_from
from calibration.table import outfit_of
from calibration.view_fit import handles_mm
from companion.model.errors import CalibrationError
from companion.sensing.vision.geometry import View, view_of
from tests.calibration.studio import CHESS, over, true_handles_px

OUTFIT = outfit_of(CHESS)
OPTICS = over(CHESS)


def true_view() -> View:
    return view_of(handles_mm(OUTFIT.grid), true_handles_px(OUTFIT, OPTICS), OPTICS.size_px)


def stood(cell: int, height_mm: float) -> Stood:
    x, y = OPTICS.project(np.array([[*OUTFIT.grid.centre_mm(cell), height_mm]]))[0]
    return Stood(cell, (float(x), float(y)))


@given(st.floats(0.0, 60.0), st.lists(st.integers(16, 63), min_size=1, max_size=4, unique=True))
def test_the_computed_height_is_the_true_one(height_mm: float, cells: list[int]) -> None:
    found = height_from(OUTFIT, true_view(), [stood(cell, height_mm) for cell in cells])
    assert found.height_mm == pytest.approx(height_mm, abs=0.05)


def test_more_places_reduce_the_uncertainty() -> None:
    one = height_from(OUTFIT, true_view(), [stood(60, 12.0)])
    three = height_from(OUTFIT, true_view(), [stood(cell, 12.0) for cell in (56, 60, 63)])
    assert three.sigma_mm < one.sigma_mm < 3.0


def test_a_piece_at_another_place_gives_no_height() -> None:
    wrong = Stood(60, stood(36, 0.0).at_px)
    with pytest.raises(CalibrationError, match="did the piece stand on e8"):
        height_from(OUTFIT, true_view(), [wrong])


def test_heights_cannot_be_measured_right_under_the_camera() -> None:
    optics = over(CHESS, camera_mm=(225.0, 225.0, 900.0), aim_mm=(225.0, 225.0))
    view = view_of(handles_mm(OUTFIT.grid), true_handles_px(OUTFIT, optics), optics.size_px)
    x, y = optics.project(np.array([[225.0, 225.0, 10.0]]))[0]
    with pytest.raises(CalibrationError, match="right under the camera"):
        height_from(OUTFIT, view, [Stood(36, (float(x), float(y)))])


def test_no_place_gives_no_height() -> None:
    with pytest.raises(CalibrationError, match="no tag was seen"):
        height_from(OUTFIT, true_view(), [])
