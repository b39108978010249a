# SPDX-License-Identifier: Apache-2.0
"""The picture for people shows the board, and marks cells where they are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.games import find
from companion.sensing.annotated import annotated
from tests.sensing.vision.tables import CameraTable
from tests.virtual.optics import Optics

ABOVE = Optics((1280, 960), (100.0, -120.0, 640.0), (100.0, 195.0), focal_px=700.0)


def unpacked(packed: bytes) -> np.ndarray:
    """The picture in a file."""
    return np.asarray(cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR))


def marks(picture: np.ndarray) -> np.ndarray:
    """(n, 2): the px of *picture* in the colour of marks."""
    blue, green, red = (picture[:, :, channel].astype(int) for channel in range(3))
    return np.argwhere((red - green > 80) & (red - blue > 80))[:, ::-1]


@pytest.mark.parametrize("in_colour", [False, True])
def test_the_board_is_shown_with_marked_cells(in_colour: bool) -> None:
    table = CameraTable(find("close-quarters"), None, ABOVE, seed=3)
    table.set_up(table.rules.initial())
    table.see()
    sight = table.sensor.sight
    assert sight is not None
    image = table.scene.photograph()
    image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8) if in_colour else image
    assert not len(marks(unpacked(annotated(image, sight, ()))))
    picture = unpacked(annotated(image, sight, [table.grid.cell("b4")]))
    assert picture.shape[1] <= 960
    assert picture.shape[0] < 960
    found = marks(picture)
    corners = sight[0].to_image(np.array([point for outline in table.grid.outlines for point in outline]))
    middle = sight[0].to_image(np.array([table.grid.centre_mm(table.grid.cell("b4"))]))[0]
    extent = np.ptp(corners, axis=0)
    share = (middle - corners.min(axis=0) + 0.15 * extent) / (1.3 * extent)
    assert np.abs(found.mean(axis=0) / (picture.shape[1], picture.shape[0]) - share).max() < 0.02


def test_the_whole_picture_is_shown_while_no_board_is_found() -> None:
    picture = unpacked(annotated(np.full((960, 1280), 90, np.uint8), None, [3]))
    assert picture.shape[:2] == (720, 960)
    assert not len(marks(picture))
