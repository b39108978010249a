# SPDX-License-Identifier: Apache-2.0
"""The camera looks for exactly what is printed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.games import find
from companion.model.observation import Observation
from companion.model.tags import CORNERS, family
from companion.sensing.camera import CameraSensor
from companion.sensing.profile import (
    BoardData,
    CameraData,
    CornerTag,
    Fit,
    Heights,
    Profile,
    board_corners_mm,
)
from companion.sensing.tagged_table import USUAL_HEIGHT_MM, TaggedTable, fitted, printed
from tests.host.printed import ABOVE, HEIGHT_MM, PrintedTable
from tests.virtual.optics import Optics
from tests.virtual.render import Thing
from tests.virtual.scene import Scene


def test_the_printed_chess_set_is_seen_in_its_start_position() -> None:
    outfit = printed(find("chess"), height_mm=12.0)
    optics = Optics((1280, 720), (200.0, -60.0, 520.0), (200.0, 175.0), focal_px=620.0, noise=3.0)
    flat = [Thing(family().rows(tag), at, 0.0, outfit.corner_mm, 0.0) for tag, at in outfit.corners.items()]
    scene, sensor = Scene(outfit.grid, optics, flat), CameraSensor(outfit)
    rules, free = find("chess").rules(), list(outfit.marks.values())
    placed = rules.placement(rules.initial()).by_cell()
    for cell, piece in placed.items():
        mark = next(each for each in free if (each.piece.kind, each.piece.side) == (piece.kind, piece.side))
        free.remove(mark)
        at_mm = outfit.grid.centre_mm(cell)
        scene.put(cell, Thing(family().rows(mark.tag), at_mm, 0.0, outfit.tag_mm, outfit.height_mm))
    told: list[Observation | None] = [sensor.observe(scene.photograph(), 33 * image) for image in range(12)]
    first = next(observation for observation in told if observation is not None)
    seen = {cell: (sighting.kind, sighting.side) for cell, sighting in first.sightings.seen}
    assert seen == {cell: (piece.kind, piece.side) for cell, piece in placed.items()}


def profile_of(outfit: TaggedTable, optics: Optics, tags: tuple[CornerTag, ...]) -> Profile:
    """A profile of a camera with *optics* before the board of *outfit*.

    *tags* are beside the board.
    """
    corners = np.array([(*corner, 0.0) for corner in board_corners_mm(outfit.grid)])
    near_left, near_right, far_right, far_left = ((float(x), float(y)) for x, y in optics.project(corners))
    return Profile(
        "test",
        "2026-05-01T20:15:00+02:00",
        CameraData("folder", "folder", optics.size_px),
        BoardData(outfit.grid.slug, 50.0, outfit.tag_mm, 32.0, tags),
        Fit((near_left, near_right, far_right, far_left)),
        heights=Heights(HEIGHT_MM, {"sword": 30.0}),
    )


def set_up_and_see(table: PrintedTable, profile: Profile) -> Observation:
    """The first sightings of *table* by a camera with *profile*."""
    sensor = CameraSensor(fitted(profile, find("close-quarters")))
    told = (sensor.observe(table.see(), 33 * image) for image in range(12))
    return next(observation for observation in told if observation is not None)


def test_tags_anywhere_beside_the_board_are_found_at_their_measured_places() -> None:
    table = PrintedTable()
    tags = (
        CornerTag(0, (-60.0, 40.0), 30.0),
        CornerTag(1, (260.0, 10.0), -75.0),
        CornerTag(2, (270.0, 380.0), 180.0),
        CornerTag(3, (-50.0, 300.0), 5.0),
    )
    flat = [Thing(family().rows(tag.id), tag.middle_mm, tag.turn_deg, 32.0, 0.0) for tag in tags]
    table.scene = Scene(table.outfit.grid, ABOVE, flat)
    for cell, mark in list(table.standing.items()):
        table.put(cell, mark)
    first = set_up_and_see(table, profile_of(table.outfit, ABOVE, tags))
    assert {cell for cell, _ in first.sightings.seen} == set(table.standing)


def test_a_board_without_tags_is_found_by_its_confirmed_corners() -> None:
    table = PrintedTable()
    table.scene = Scene(table.outfit.grid, ABOVE)
    for cell, mark in list(table.standing.items()):
        table.put(cell, mark)
    first = set_up_and_see(table, profile_of(table.outfit, ABOVE, ()))
    assert {cell for cell, _ in first.sightings.seen} == set(table.standing)


def test_a_profile_sets_the_heights_of_its_kinds() -> None:
    table = PrintedTable()
    outfit = fitted(profile_of(table.outfit, ABOVE, ()), find("close-quarters"))
    swords = [mark.tag for mark in outfit.marks.values() if mark.piece.kind == "sword"]
    assert swords
    for tag in outfit.marks:
        assert outfit.height_of(tag) == (30.0 if tag in swords else HEIGHT_MM)


def test_a_profile_without_heights_does_not_know_them() -> None:
    table = PrintedTable()
    profile = profile_of(table.outfit, ABOVE, ())
    assert fitted(profile, find("close-quarters")).is_height_known
    unknown = fitted(replace(profile, heights=Heights()), find("close-quarters"))
    assert (unknown.height_mm, unknown.is_height_known) == (USUAL_HEIGHT_MM, False)


@pytest.mark.parametrize("of_profile", [CORNERS, ()])
@pytest.mark.parametrize("on_board", [CORNERS, ()])
def test_a_profile_fits_a_board_that_was_printed_again_with_other_corner_tags(
    of_profile: tuple[int, ...], on_board: tuple[int, ...]
) -> None:
    table = PrintedTable(corners=on_board)
    middles = table.outfit.corners.values()
    ids = of_profile or tuple(table.outfit.corners)
    tags = tuple(CornerTag(tag, at_mm) for tag, at_mm in zip(ids, middles, strict=True))
    first = set_up_and_see(table, profile_of(table.outfit, ABOVE, tags))
    assert {cell for cell, _ in first.sightings.seen} == set(table.standing)
