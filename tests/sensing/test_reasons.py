# SPDX-License-Identifier: Apache-2.0
"""What keeps a game from starting is reported within three seconds, by cell."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import cv2
import numpy as np
import pytest

from companion.games import find
from companion.host.devices.camera import CameraOptions, set_up_camera
from companion.model.observation import Observation, SensorKind, Sighting
from companion.referee.looks import look
from companion.sensing.beginning import IMAGES, median_of_nine
from companion.sensing.camera import CameraSensor
from companion.sensing.problems import NO_BOARD, CameraProblem
from companion.sensing.vision.codes import Grey
from companion.virtual.optics import Optics
from companion.virtual.render import Figure
from companion.virtual.scene import Exposure
from tests.host.printed import PrintedTable
from tests.sensing.plain_tables import PlainTable
from tests.sensing.vision.tables import CameraTable

THREE_SECONDS = 90
"""Images."""
SMALL = Optics((960, 540), (100.0, -120.0, 640.0), (100.0, 195.0), focal_px=540.0, noise=3.0)
"""Over a board of 200 by 400 mm, with its corner tags."""
FAR = Optics((360, 480), (100.0, 60.0, 950.0), (100.0, 190.0), focal_px=800.0, noise=3.0)
"""Over the same board, whose corner tags are nearer."""


def pyramids(optics: Optics = SMALL) -> CameraTable:
    """Martian Chess in its start position, not seen yet."""
    table = CameraTable(find("martian-chess"), None, optics, seed=4)
    table.set_up(table.rules.initial())
    return table


def expected(table: CameraTable) -> dict[int, Sighting]:
    """The sightings of a perfect sensor in the start position."""
    pieces = table.rules.placement(table.rules.initial()).by_cell()
    return {cell: look(piece, SensorKind.IDENTITY_FACING) for cell, piece in pieces.items()}


def named(sensor: CameraSensor, table: CameraTable, problem: CameraProblem) -> set[str]:
    """The cells for which *problem* is reported."""
    return {table.grid.name(cell) for cell in sensor.places.get(problem, ())}


def test_the_median_of_nine_images_is_that_of_each_pixel() -> None:
    images = list(np.random.default_rng(1).integers(0, 255, (9, 20, 30), np.uint8))
    assert (median_of_nine(images) == np.median(np.stack(images), axis=0)).all()


def test_a_game_does_not_start_while_the_exposure_changes_and_says_so() -> None:
    table = pyramids()
    gains = [0.5 + 0.005 * image for image in range(THREE_SECONDS)]
    told = [table.see(Exposure(gain)) for gain in gains]
    assert told == [None] * THREE_SECONDS
    assert table.sensor.troubles == {CameraProblem.LIGHT_CHANGES}
    first = [seen for seen in (table.see(Exposure(gains[-1])) for _ in range(2 * IMAGES)) if seen]
    assert dict(first[0].sightings.seen) == expected(table)
    assert table.sensor.troubles == frozenset()


@pytest.mark.parametrize(("noise", "flicker"), [(8.0, 0.0), pytest.param(3.0, 0.06, marks=pytest.mark.long)])
def test_a_game_starts_in_noise_and_flicker(noise: float, flicker: float) -> None:
    table, chance = pyramids(replace(SMALL, noise=noise)), Random(5)
    told = [table.see(Exposure(0.8, flicker=flicker, phase=chance.random())) for _ in range(20)]
    first = next(seen for seen in told if seen is not None)
    assert dict(first.sightings.seen) == expected(table)


def test_a_cell_that_flickers_is_named() -> None:
    table = pyramids()
    cell, chance = table.grid.cell("b4"), Random(2)
    x, y = table.grid.centre_mm(cell)
    patch = ((x - 20, y - 20), (x + 20, y - 20), (x + 20, y + 20), (x - 20, y + 20))
    for _ in range(THREE_SECONDS):
        assert table.see(Exposure(0.7, patch_mm=patch, patch_gain=chance.choice([0.5, 1.0, 1.5]))) is None
    assert table.sensor.troubles == {CameraProblem.RESTLESS}
    assert named(table.sensor, table, CameraProblem.RESTLESS) == {"b4"}
    first = next(seen for seen in (table.see() for _ in range(2 * IMAGES)) if seen)
    assert dict(first.sightings.seen) == expected(table)


def shown(sensor: CameraSensor, image: Grey) -> frozenset[CameraProblem]:
    """The problems of *image*."""
    sensor.observe(image, 33)
    return sensor.troubles


def test_a_mirrored_picture_and_two_boards_are_named() -> None:
    table = pyramids()
    image = table.scene.photograph()
    fresh = CameraSensor(table.outfit)
    assert shown(fresh, np.ascontiguousarray(cv2.flip(image, 1))) == {CameraProblem.MIRRORED}
    assert shown(CameraSensor(table.outfit), np.hstack([image, image])) == {CameraProblem.TWO_BOARDS}
    assert not shown(CameraSensor(table.outfit), image) & NO_BOARD


def test_hidden_corner_tags_are_named_by_their_cells() -> None:
    table = pyramids()
    image = table.scene.photograph()
    image[: len(image) // 2] = 90  # as if something stood on the far half
    sensor = CameraSensor(table.outfit)
    assert shown(sensor, image) == {CameraProblem.CORNERS_HIDDEN}
    assert named(sensor, table, CameraProblem.CORNERS_HIDDEN) == {"a8", "d8"}


@pytest.mark.parametrize(
    ("there", "wanted", "name"),
    [
        ("chess", "close-quarters", "Chess / Tank Chess"),
        ("close-quarters", "gottaz", "Close Quarters / Martian Chess"),
        ("gottaz", "chess", "GOTTAZ"),
    ],
)
def test_the_board_of_another_game_is_named(there: str, wanted: str, name: str) -> None:
    above = Optics((960, 960), (150.0, -60.0, 800.0), (150.0, 180.0), focal_px=1000.0, noise=2.0)
    table = PrintedTable(there, above)
    image = table.see()
    sensor = set_up_camera(CameraOptions("0"), find(wanted), {}).image_sensor(None)
    assert sensor.observe(image, 33) is None
    assert sensor.troubles == {CameraProblem.OTHER_BOARD}
    assert sensor.board == name
    right = set_up_camera(CameraOptions("0"), find(there), {}).image_sensor(None)
    assert right.observe(image, 33) is None
    assert not right.troubles & NO_BOARD


@pytest.mark.parametrize("has_reference", [True, False])
def test_cells_that_do_not_look_empty_are_named_until_they_are(has_reference: bool) -> None:
    table = PlainTable(find("close-quarters"), None, FAR, seed=4, has_reference=has_reference)
    table.set_up(table.rules.initial())
    aside, radius = (15, 16.0) if has_reference else (0, 23.0)  # no piece stands so, or is so wide
    for number, name in enumerate(("b3", "c6")):
        x, y = table.grid.centre_mm(table.grid.cell(name))
        table.scene.put(900 + number, Figure((x + aside, y + aside), (60, 120, 200), radius, 3.0))
    told: list[Observation | None] = [table.see() for _ in range(THREE_SECONDS)]
    assert told == [None] * THREE_SECONDS
    assert table.sensor.troubles == {CameraProblem.NOT_EMPTY}
    cells = {table.grid.name(cell) for cell in table.sensor.places[CameraProblem.NOT_EMPTY]}
    assert cells >= {"b3", "c6"}
    assert not cells & {"a1", "d1", "a8", "d8", "a5"}
    for number in range(2):
        table.scene.put(900 + number, None)
    assert any(table.see() for _ in range(2 * IMAGES))
    assert table.sensor.troubles == frozenset()
