# SPDX-License-Identifier: Apache-2.0
"""What is printed is what the camera looks for."""

from __future__ import annotations

from companion.games import find
from companion.model.observation import Observation
from companion.model.tags import family
from companion.sensing.camera import CameraSensor
from companion.sensing.outfit import printed
from companion.virtual.optics import Optics
from companion.virtual.scene import Scene, Thing


def test_the_printed_chess_set_is_seen_as_it_is_set_up() -> None:
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
    told: list[Observation | None] = [sensor.observe(scene.photograph(), 33 * image) for image in range(5)]
    first = next(observation for observation in told if observation is not None)
    seen = {cell: (sighting.kind, sighting.side) for cell, sighting in first.sightings.seen}
    assert seen == {cell: (piece.kind, piece.side) for cell, piece in placed.items()}
