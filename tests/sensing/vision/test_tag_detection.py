# SPDX-License-Identifier: Apache-2.0
"""Tags on rendered cells are read correctly, and nothing else is read."""

from __future__ import annotations

import random

import numpy as np
import pytest

from companion.model.grid import rectangle
from companion.model.tags import family
from companion.sensing.vision.codes import Grey, read
from companion.sensing.vision.geometry import Lens, View
from companion.sensing.vision.tag_detection import REACH, SAMPLES, Found, Patch, find_tag, patch_of
from tests.sensing.vision.tables import all_codes, corner_things, true_view
from tests.virtual.optics import Optics
from tests.virtual.render import Arm, Thing
from tests.virtual.scene import Scene

GRID = rectangle(8, 8, cell_mm=25.0)
CODES = all_codes(range(4, 60))
TAG_MM = 14.0
MODULE_MM = TAG_MM / 8


def at(px_per_module: float, **faults: float) -> Optics:
    """A camera 700 mm above the board, with modules of *module_px*."""
    focal = px_per_module / MODULE_MM * (700 - 8)
    return Optics((960, 720), (100.0, 99.0, 700.0), (100.0, 100.0), focal_px=focal, jpeg=90, **faults)


def look(image: Grey, view: View, cell: int, *, is_thorough: bool = False) -> Found | None:
    patch = patch_of(image, view, GRID.centre_mm(cell), 25 * REACH, MODULE_MM / SAMPLES, 8.0)
    return find_tag(CODES, patch, TAG_MM, is_thorough=is_thorough)


def strewn(optics: Optics, tags: list[int], seed: int) -> tuple[Scene, dict[int, tuple[int, int, Thing]]]:
    """A board with *tags* on every second cell, with the truth.

    The tags were put down with human accuracy.
    """
    chance = random.Random(seed)
    scene = Scene(GRID, optics, corner_things(GRID), seed)
    truth = {}
    for number, tag in enumerate(tags):
        cell, facing = 2 * number + (number // 4) % 2, chance.randrange(8)
        x, y = GRID.centre_mm(cell)
        spot = (x + chance.gauss(0, 1.2), y + chance.gauss(0, 1.2))
        thing = Thing(family().rows(tag), spot, 45 * facing + chance.gauss(0, 3), TAG_MM)
        scene.put(number, thing)
        truth[cell] = (tag, facing, thing)
    return scene, truth


@pytest.mark.parametrize(
    ("optics", "lens"),
    [
        (Optics(focal_px=2600.0, aim_mm=(100.0, 100.0), camera_mm=(100.0, -350.0, 700.0)), None),
        (
            Optics(
                focal_px=2000.0, k1=-0.5, aim_mm=(100.0, 100.0), camera_mm=(100.0, -250.0, 700.0), roll_deg=20
            ),
            Lens((959.5, 539.5), 2000.0, -0.5),
        ),
    ],
    ids=["oblique", "through a wide lens"],
)
def test_every_tag_is_read_with_its_place_and_facing(optics: Optics, lens: Lens | None) -> None:
    scene, truth = strewn(optics, list(range(4, 32)), seed=3)
    view, image = true_view(GRID, optics, lens), scene.photograph()
    for cell in range(64):
        found = look(image, view, cell)
        if cell not in truth:
            assert found is None
            continue
        tag, facing, thing = truth[cell]
        assert found is not None
        assert (found.tag, round(found.turn_deg / 45) % 8) == (tag, facing)
        assert found.at_mm == pytest.approx(thing.at_mm, abs=0.8)


@pytest.mark.parametrize(("px", "blur", "noise"), [(2.0, 0.7, 4.0), (3.0, 1.2, 8.0)], ids=["good", "poor"])
def test_small_tags_are_read_in_good_and_in_poor_light(px: float, blur: float, noise: float) -> None:
    optics = at(px, blur_px=blur, noise=noise)
    scene, truth = strewn(optics, list(range(4, 36)), seed=5)
    view, image = true_view(GRID, optics), scene.photograph()
    read = {cell: look(image, view, cell, is_thorough=True) for cell in truth}
    assert [cell for cell, found in read.items() if found is None or found.tag != truth[cell][0]] == []


def test_tags_that_are_not_in_play_are_distinguished_from_ours() -> None:
    optics = at(3.0)
    scene, truth = strewn(optics, list(range(60, 92)), seed=7)
    view, image = true_view(GRID, optics), scene.photograph()
    found = {cell: look(image, view, cell) for cell in truth}
    assert all(each is not None and not CODES.wanted[each.tag] for each in found.values())


def test_neither_a_hand_nor_noise_is_a_tag() -> None:
    optics = at(3.0)
    scene = Scene(GRID, optics, seed=2)
    view = true_view(GRID, optics)
    covered = scene.photograph(arms=[Arm((100.0, 100.0), (100.0, -150.0))])
    noise = np.random.default_rng(4).integers(0, 256, covered.shape).astype(np.uint8)
    for image in (covered, noise):
        assert [look(image, view, cell, is_thorough=True) for cell in range(64)] == [None] * 64


def test_a_tag_half_under_a_finger_is_not_read() -> None:
    optics = at(3.0)
    scene = Scene(GRID, optics, seed=2)
    scene.put(1, Thing(family().rows(9), GRID.centre_mm(27), 0.0, TAG_MM))
    x, y = GRID.centre_mm(27)
    image = scene.photograph(arms=[Arm((x, y - 2), (x, -200.0), height_mm=10.0, casts_shadow=False)])
    assert look(image, true_view(GRID, optics), 27) is None


def test_the_shaded_edge_of_a_hand_is_no_tag() -> None:
    """The samples that once made a resting hand look like tag 5."""
    edge = [
        [122, 123, 124, 124, 121, 126, 141, 116],
        [124, 124, 125, 124, 125, 133, 149, 123],
        [124, 124, 124, 120, 130, 148, 162, 125],
        [123, 123, 124, 126, 143, 158, 174, 124],
        [121, 123, 128, 143, 156, 168, 172, 128],
        [129, 134, 150, 160, 168, 170, 174, 138],
        [138, 150, 159, 172, 171, 172, 173, 149],
        [145, 154, 159, 150, 128, 120, 100, 92],
    ]
    strengthened = 130 + 2.0 * (np.array([edge], np.float32) - 130)  # under harder light
    for samples in (np.array([edge], np.float32), strengthened):
        assert read(CODES, samples) is None


def test_noise_on_skin_is_no_tag() -> None:
    tag = np.kron(np.where(np.array(family().rows(5)), 108, 96), np.ones((3, 3))).astype(np.uint8)
    faint = np.full((40, 40), 102, np.uint8)
    faint[8:32, 8:32] = tag
    assert find_tag(CODES, Patch(faint, (0.0, 0.0), MODULE_MM / SAMPLES), TAG_MM, is_thorough=True) is None
