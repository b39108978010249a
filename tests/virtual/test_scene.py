# SPDX-License-Identifier: Apache-2.0
"""The virtual camera is deterministic, redraws only changes, and shows all pieces."""

from __future__ import annotations

import numpy as np

from companion.model.grid import rectangle
from companion.model.tags import family
from tests.virtual.optics import Optics
from tests.virtual.render import Arm, Thing
from tests.virtual.scene import Exposure, Scene

GRID = rectangle(8, 8, cell_mm=25.0)
OPTICS = Optics((640, 480), (100.0, -150.0, 500.0), (100.0, 95.0), focal_px=800.0, jpeg=None, noise=0.0)


def tank(cell: int, turn_deg: float = 0.0) -> Thing:
    return Thing(family().rows(7), GRID.centre_mm(cell), turn_deg, 14.0)


def test_a_point_projects_to_the_pixel_whose_ray_passes_through_it() -> None:
    bent = Optics(k1=-0.2, k2=0.02, roll_deg=30.0)
    points = np.array([[10.0, 20.0], [480.0, 300.0], [250.0, 500.0]])
    there = bent.project(np.column_stack([points, np.full(3, 12.0)]))
    assert np.abs(bent.pierce(there, 12.0) - points).max() < 1e-3


def test_a_removed_piece_leaves_no_pixel_behind() -> None:
    scene = Scene(GRID, OPTICS)
    before = scene.photograph()
    scene.put(1, tank(27))
    scene.put(2, tank(35, 45.0))
    assert (scene.photograph() != before).any()
    scene.put(1, None)
    scene.put(2, None)
    assert (scene.photograph() == before).all()


def test_incremental_drawing_equals_drawing_at_once() -> None:
    wandered, direct = Scene(GRID, OPTICS), Scene(GRID, OPTICS)
    for cell in (0, 9, 18, 28):
        wandered.put(1, tank(27))
        wandered.put(2, tank(cell))
    direct.put(1, tank(27))
    direct.put(2, tank(28))
    assert (wandered.photograph() == direct.photograph()).all()


def test_a_piece_on_the_edge_of_the_image_does_no_harm() -> None:
    near = Optics((200, 120), (100.0, -150.0, 500.0), (100.0, 95.0), focal_px=800.0)
    scene = Scene(GRID, near)
    for cell in range(64):
        scene.put(cell, tank(cell))
    assert scene.photograph().shape == (120, 200)


def test_the_same_seed_gives_the_same_images() -> None:
    noisy = Optics((320, 240), (100.0, -150.0, 500.0), (100.0, 95.0), focal_px=400.0)
    first, second = Scene(GRID, noisy, seed=5), Scene(GRID, noisy, seed=5)
    assert all((first.photograph() == second.photograph()).all() for _ in range(3))
    assert (first.photograph() != first.photograph()).any()


def test_light_and_hands_change_the_expected_pixels() -> None:
    scene = Scene(GRID, OPTICS)
    plain = scene.photograph().astype(int)
    assert scene.photograph(Exposure(gain=0.5)).mean() < 0.6 * plain.mean()
    darker_above = scene.photograph(Exposure(tilt=0.4)).astype(int) - plain
    assert darker_above[:100].mean() < 0 < darker_above[-100:].mean()
    covered = scene.photograph(arms=[Arm((100.0, 60.0), (100.0, -60.0))])
    x, y = np.rint(OPTICS.project(np.array([[100.0, 50.0, 45.0]]))[0]).astype(int)
    assert abs(int(covered[y, x]) - plain[y, x]) > 5
    assert (covered[:60] == plain[:60]).all()
