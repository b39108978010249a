# SPDX-License-Identifier: Apache-2.0
"""What keeps a game from starting is reported within three seconds, by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final

import cv2
import numpy as np
import pytest

from companion.games import find
from companion.host.devices.camera import CameraOptions, set_up_camera
from companion.host.devices.camera_status import CameraState, CameraStatus
from companion.model.observation import SensorKind, Sighting
from companion.model.occupancy import cells_of
from companion.model.tags import CORNERS, family
from companion.referee.values.board.looks import look
from companion.sensing.beginning import IMAGES, median_of_nine
from companion.sensing.camera import CameraSensor
from companion.sensing.problems import NO_BOARD, CameraProblem
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.exposure import light_trouble
from companion.sheets.chart import lens_chart
from tests.host.printed import PrintedTable
from tests.sensing.plain_tables import PlainTable
from tests.sensing.test_untagged_sensor import Seen
from tests.sensing.vision.tables import CameraTable
from tests.virtual.optics import Optics
from tests.virtual.render import Arm, Figure, Thing
from tests.virtual.scene import PLAIN, Exposure

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


ABOVE_ALL = Optics((960, 960), (150.0, -60.0, 800.0), (150.0, 180.0), focal_px=1000.0, noise=2.0)
"""Over the boards of all games."""


@pytest.mark.parametrize(
    ("there", "corners", "wanted", "name"),
    [
        ("chess", (), "close-quarters", "Chess"),
        ("close-quarters", (), "martian-chess", "Close Quarters"),
        ("martian-chess", (), "close-quarters", "Martian Chess (4x8)"),
        ("tank-chess", (), "chess", "Tank Chess (16x16)"),
        ("chess", CORNERS, "close-quarters", "Chess / Tank Chess"),
        ("close-quarters", CORNERS, "gottaz", "Close Quarters / Martian Chess"),
        ("gottaz", CORNERS, "chess", "GOTTAZ"),
    ],
)
def test_the_board_of_another_game_is_named(
    there: str, corners: tuple[int, ...], wanted: str, name: str
) -> None:
    table = PrintedTable(there, ABOVE_ALL, corners)
    image = table.see()
    sensor = set_up_camera(CameraOptions("0"), find(wanted), {}).image_sensor(None)
    assert sensor.observe(image, 33) is None
    assert sensor.troubles == {CameraProblem.OTHER_BOARD}
    assert sensor.board == name
    right = set_up_camera(CameraOptions("0"), find(there), {}).image_sensor(None)
    assert right.observe(image, 33) is None
    assert not right.troubles & NO_BOARD


@pytest.mark.parametrize("corners", [(), CORNERS])
def test_a_game_starts_on_its_own_board_and_on_one_that_does_not_tell_its_game(
    corners: tuple[int, ...],
) -> None:
    table = PrintedTable(corners=corners)
    sensor = set_up_camera(CameraOptions("0"), find("close-quarters"), {}).image_sensor(None)
    seen = [sensor.observe(table.see(), 33 * number) for number in range(2 * IMAGES)]
    first = next(each for each in seen if each is not None)
    assert list(cells_of(first.sightings.occupied)) == sorted(table.standing)
    assert sensor.troubles == frozenset()


def test_another_board_beside_that_of_the_game_does_not_matter() -> None:
    own, other = PrintedTable(optics=ABOVE_ALL), PrintedTable("gottaz", ABOVE_ALL)
    sensor = set_up_camera(CameraOptions("0"), find("close-quarters"), {}).image_sensor(None)
    sensor.observe(np.hstack([own.see(), other.see()]), 33)
    assert not sensor.troubles & NO_BOARD
    sensor = set_up_camera(CameraOptions("0"), find("chess"), {}).image_sensor(None)
    sensor.observe(np.hstack([own.see(), other.see()]), 33)
    assert sensor.board == "Close Quarters / GOTTAZ"


@pytest.mark.parametrize("corners", [(), CORNERS])
def test_a_lens_chart_beside_the_board_is_no_second_board(corners: tuple[int, ...]) -> None:
    table, chart = PrintedTable("chess", ABOVE_ALL, corners), lens_chart()
    for number, tag in enumerate(chart.tags):
        row, column = divmod(number, 9)
        at_mm = (-60.0 - 27.0 * row, 54.0 * column)
        table.scene.put(2000 + number, Thing(family().rows(tag), at_mm, 0.0, chart.tag_mm, 0.0))
    sensor = set_up_camera(CameraOptions("0"), find("chess"), {}).image_sensor(None)
    sensor.observe(table.see(), 33)
    assert not sensor.troubles & NO_BOARD


@pytest.mark.parametrize("has_reference", [True, False])
def test_cells_that_cannot_be_read_are_named_until_they_can(has_reference: bool) -> None:
    table = PlainTable(find("close-quarters"), None, FAR, seed=4, has_reference=has_reference)
    table.set_up(table.rules.initial())
    for number, (name, thing) in enumerate((("b3", "coin"), ("c6", "key"))):
        table.scene.put(
            900 + number, replace(THINGS[thing], at_mm=table.grid.centre_mm(table.grid.cell(name)))
        )
    told = [table.see() for _ in range(THREE_SECONDS)]
    (first, *_) = [observation for observation in told if observation is not None]
    assert {0, 3, 28, 31} <= set(cells_of(first.sightings.occupied))
    assert table.sensor.troubles == {CameraProblem.UNSEEN}
    cells = {table.grid.name(cell) for cell in table.sensor.places[CameraProblem.UNSEEN]}
    assert cells >= {"b3", "c6"}
    assert not cells & {"a1", "d1", "a8", "d8", "a5"}
    for number in range(2):
        table.scene.put(900 + number, None)
    for _ in range(THREE_SECONDS):
        table.see()
    assert table.sensor.troubles == frozenset()


def plain(*, has_reference: bool) -> PlainTable:
    """Close Quarters with plain pieces in the start position, not seen yet."""
    table = PlainTable(find("close-quarters"), None, FAR, seed=4, has_reference=has_reference)
    table.set_up(table.rules.initial())
    return table


def spot(table: CameraTable | PlainTable) -> Exposure:
    """A mirrored lamp over b4 and c4."""
    x, y = table.grid.centre_mm(table.grid.cell("b4"))
    corners = ((x - 20, y - 20), (x + 70, y - 20), (x + 70, y + 20), (x - 20, y + 20))
    return Exposure(0.8, patch_mm=corners, patch_gain=8.0)


def after_three_seconds(
    table: CameraTable | PlainTable, exposure: Exposure = PLAIN, arms: Sequence[Arm] = ()
) -> dict[CameraProblem, set[str]]:
    """The cells of each problem, after three seconds in which nothing changes."""
    for _ in range(THREE_SECONDS):
        table.see(exposure, arms)
    assert set(table.sensor.places) == table.sensor.troubles
    return {
        problem: {table.grid.name(cell) for cell in cells} for problem, cells in table.sensor.places.items()
    }


@pytest.mark.parametrize(
    ("has_reference", "is_playing"),
    [
        (True, True),
        (False, False),
        pytest.param(True, False, marks=pytest.mark.long),
        pytest.param(False, True, marks=pytest.mark.long),
    ],
)
def test_a_hand_that_rests_over_plain_pieces_is_named_by_its_cells(
    has_reference: bool, is_playing: bool
) -> None:
    table = plain(has_reference=has_reference)
    if is_playing:
        assert any(table.see() for _ in range(2 * IMAGES))
    named = after_three_seconds(table, arms=[table.arm(table.grid.cell("b4"))])
    assert named.keys() == {CameraProblem.UNSEEN}
    assert named[CameraProblem.UNSEEN] & {"b4", "c3", "c2", "c1"}
    assert not named[CameraProblem.UNSEEN] & {"a8", "d8", "a5", "d6"}


def test_a_hand_that_rests_over_tags_is_named_by_cells_under_it() -> None:
    table = pyramids()
    assert any(table.see() for _ in range(2 * IMAGES))
    named = after_three_seconds(table, arms=[table.arm(table.grid.cell("b4"))])
    assert named.keys() == {CameraProblem.UNSEEN}
    assert {"c1", "c2", "c3"} <= named[CameraProblem.UNSEEN]
    assert not named[CameraProblem.UNSEEN] & {"a8", "d8", "b6", "a1"}


THINGS: Final = {
    "coin": Figure((0.0, 0.0), (60, 110, 160), 11.0, 2.0, slim=1.0),
    "key": Figure((0.0, 0.0), (60, 60, 60), 1.0, 3.0, wide_mm=(34, 9)),
    "slip": Figure((0.0, 0.0), (240, 240, 240), 1.0, 0.5, wide_mm=(32, 14)),
    "box": Figure((0.0, 0.0), (20, 20, 20), 1.0, 10.0, wide_mm=(30, 24)),
    "cup": Figure((0.0, 0.0), (200, 90, 60), 30.0, 80.0),
}


@pytest.mark.parametrize(
    ("thing", "has_reference", "is_playing"),
    [
        ("coin", False, False),
        *(
            pytest.param(thing, has_reference, is_playing, marks=pytest.mark.long)
            for thing in THINGS
            for has_reference in (False, True)
            for is_playing in (False, True)
        ),
    ],
)
def test_a_thing_that_is_no_piece_is_named_by_its_cell(
    thing: str, has_reference: bool, is_playing: bool
) -> None:
    seen = Seen(plain(has_reference=has_reference))
    if is_playing:
        seen.told(2 * IMAGES)
    x, y = seen.table.grid.centre_mm(seen.table.grid.cell("b4"))
    seen.table.scene.put(900, replace(THINGS[thing], at_mm=(x + 5, y - 4)))
    seen.told(THREE_SECONDS)
    assert seen.session is not None
    view = seen.session.view()
    cells = {cell for cells in seen.table.sensor.places.values() for cell in cells}
    cells |= {at for guide in view.guides for at in (guide.source, guide.target) if at is not None}
    assert {seen.table.grid.name(cell) for cell in cells} & {"b3", "b4", "c4"}
    assert not view.record


@pytest.mark.parametrize("is_playing", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_mirrored_lamp_is_named_over_plain_pieces_and_over_tags(is_playing: bool) -> None:
    for table in (plain(has_reference=True), plain(has_reference=False), pyramids()):
        if is_playing:
            assert any(table.see() for _ in range(2 * IMAGES))
        named = after_three_seconds(table, spot(table))
        assert named.keys() == {CameraProblem.GLARE}
        assert named[CameraProblem.GLARE] <= {"b4", "c4"}


def test_a_hand_that_never_rests_is_named_by_its_cells_until_it_leaves() -> None:
    table, chance = plain(has_reference=True), Random(3)
    assert any(table.see() for _ in range(2 * IMAGES))
    for _ in range(THREE_SECONDS):
        table.see(arms=[table.arm(table.grid.cell(chance.choice(["b4", "b5", "c4"])))])
    assert table.sensor.troubles == {CameraProblem.RESTLESS}
    restless = {table.grid.name(cell) for cell in table.sensor.places[CameraProblem.RESTLESS]}
    assert restless & {"b3", "b4", "c3", "c4"}
    assert not restless & {"a8", "d8", "a1"}
    assert after_three_seconds(table) == {}


@pytest.mark.parametrize(("gain", "word"), [(0.05, "too-dark"), (0.1, "too-dark"), (20.0, "too-bright")])
def test_light_in_which_no_board_is_found_is_named_instead(gain: float, word: str) -> None:
    table = pyramids()
    image = table.scene.photograph(Exposure(gain))
    assert shown(table.sensor, image) == {CameraProblem.BOARD_NOT_FOUND}
    light = light_trouble(image)
    assert light is not None
    status = CameraStatus(CameraState.WATCHING, troubles=table.sensor.troubles | {light})
    assert status.keys == (word,)
    assert not status.is_well
