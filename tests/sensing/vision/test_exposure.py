# SPDX-License-Identifier: Apache-2.0
"""Exposure: too much and too little light are recognised, whatever surrounds the board."""

from __future__ import annotations

import numpy as np
import pytest

from companion.sensing.problems import CameraProblem
from companion.sensing.vision.exposure import light_trouble
from tests.host.printed import PrintedTable
from tests.virtual.scene import Exposure

BOARD = ((400.0, 600.0), (880.0, 600.0), (800.0, 100.0), (480.0, 100.0))


@pytest.mark.parametrize("gain", [0.5, 0.8, 1.0, 1.15])
def test_a_printed_board_in_ordinary_light_is_well_exposed(gain: float) -> None:
    image = PrintedTable().scene.photograph(Exposure(gain))
    assert light_trouble(image) is None
    assert light_trouble(image, BOARD) is None


def test_glare_and_darkness_are_reported() -> None:
    scene = PrintedTable().scene
    assert light_trouble(scene.photograph(Exposure(2.0)), BOARD) is CameraProblem.TOO_BRIGHT
    assert light_trouble(scene.photograph(Exposure(0.08)), BOARD) is CameraProblem.TOO_DARK


def test_a_white_table_cloth_around_the_board_is_no_glare() -> None:
    image = np.full((720, 1280), 255, np.uint8)
    image[100:600, 400:880] = 150
    assert light_trouble(image) is CameraProblem.TOO_BRIGHT
    assert light_trouble(image, ((400.0, 599.0), (879.0, 599.0), (879.0, 100.0), (400.0, 100.0))) is None
