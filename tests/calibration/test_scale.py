# SPDX-License-Identifier: Apache-2.0
"""The map of px per module matches the virtual camera; small rows are named."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.scale import Scale, scale_of, where
from calibration.table import Table, outfit_of
from calibration.view_fit import handles_mm
from calibration.wording import load, sentence
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.geometry import view_of
from tests.calibration.studio import CHESS, over, true_handles_px
from tests.virtual.optics import Optics


def scale(outfit: TaggedTable, optics: Optics, *, has_tags: bool = True) -> Scale:
    view = view_of(handles_mm(outfit.grid), true_handles_px(outfit, optics), optics.size_px)
    return scale_of(outfit, view, has_tags=has_tags)


def test_the_map_matches_the_camera() -> None:
    outfit, optics = outfit_of(CHESS), over(CHESS)
    found = scale(outfit, optics)
    module_mm = outfit.tag_mm / outfit.family.width
    for cell in (0, 27, 63):
        x, y = outfit.grid.centre_mm(cell)
        ways = np.linspace(0, np.pi, 60)
        across = np.column_stack([np.cos(ways), np.sin(ways), np.zeros(60)]) * module_mm / 2
        apart = optics.project(np.array([x, y, outfit.height_mm]) + across) - optics.project(
            np.array([x, y, outfit.height_mm]) - across
        )
        assert found.module_px[cell] == pytest.approx(float(np.hypot(*apart.T).min()), rel=0.01)
    assert where(outfit.grid, found.worst) == sentence("places.far-row")
    assert found.outside == ()
    assert found.distance_mm == pytest.approx(
        float(
            np.hypot(
                np.hypot(*(np.array(outfit.grid.centre_mm(56)) - optics.camera_mm[:2])), optics.camera_mm[2]
            )
        ),
        rel=0.01,
    )


def test_cells_outside_the_picture_are_named() -> None:
    outfit = outfit_of(CHESS)
    aside = over(CHESS, aim_mm=(420.0, 188.0))
    found = scale(outfit, aside)
    assert 0 in found.outside
    assert 63 not in found.outside


def test_without_tags_there_are_no_modules() -> None:
    found = scale(outfit_of(CHESS), over(CHESS), has_tags=False)
    assert not found.module_px.any()
    assert 30 < found.cell_px.min() < found.cell_px.max() < 120


@pytest.mark.parametrize(
    ("cell", "place"),
    [(3, "Near row"), (60, "Far row"), (24, "Left column"), (31, "Right column"), (27, "Cell d4")],
)
def test_a_place_is_named_as_the_first_player_sees_it(cell: int, place: str) -> None:
    assert load("en").text(where(outfit_of(CHESS).grid, cell)) == place


def test_a_cell_of_a_wedge_is_named_by_itself() -> None:
    grid = outfit_of(Table("martian-chess", {"players": "3"})).grid
    assert where(grid, 5) == sentence("places.cell", name=grid.name(5))
