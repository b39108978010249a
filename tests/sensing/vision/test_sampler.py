# SPDX-License-Identifier: Apache-2.0
"""Repeated checks of every image: known tags, and cells compared with their references."""

from __future__ import annotations

import numpy as np
import pytest

from companion.model.grid import rectangle
from companion.model.tags import family
from companion.sensing.vision.sampler import Known, Still, watch
from tests.sensing.vision.tables import all_codes, true_view
from tests.virtual.optics import Optics
from tests.virtual.scene import Scene, Thing

GRID = rectangle(4, 4, cell_mm=25.0)
OPTICS = Optics((640, 480), (50.0, -20.0, 200.0), (50.0, 48.0), focal_px=600.0, noise=2.0)
VIEW = true_view(GRID, OPTICS)
CODES = all_codes(range(4, 60))
TAG_MM = 14.0


def known(tag: int, cell: int, turn_deg: float = 0.0) -> Known:
    return Known(tag, GRID.centre_mm(cell), turn_deg, TAG_MM, 8.0)


def shown(*tags: Known) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    scene = Scene(GRID, OPTICS)
    for one in tags:
        scene.put(one.tag, Thing(family().rows(one.tag), one.at_mm, one.turn_deg, TAG_MM, 8.0))
    return scene.photograph()


def test_tags_are_recognised_at_their_old_places_only() -> None:
    here, turned, gone = known(4, 0), known(5, 6, 90.0), known(6, 9)
    alike, levels = watch(VIEW, CODES, [here, turned, gone]).look(shown(here, known(5, 6), known(6, 10)))
    assert alike[0] > 0.9
    assert alike[1:].max() < 0.5
    assert levels[0] == pytest.approx(levels[1], abs=40)


def test_replacing_the_watched_cells_equals_a_fresh_start() -> None:
    stays, leaves, comes, first = known(7, 3), known(8, 5), known(9, 11), known(10, 12)
    before = watch(VIEW, CODES, [leaves, stays])
    now, anew = (watch(VIEW, CODES, [first, stays, comes], each) for each in (before, None))
    assert now.known == anew.known == (first, stays, comes)
    assert all(np.array_equal(one, other) for one, other in zip(now.where, anew.where, strict=True))
    assert np.array_equal(now.templates, anew.templates)


def test_nothing_is_watched_on_an_empty_table() -> None:
    alike, levels = watch(VIEW, CODES, []).look(shown())
    assert alike.shape == levels.shape == (0,)


def test_a_quick_check_finds_and_names_the_differing_cell() -> None:
    chance = np.random.default_rng(3)
    levels = chance.integers(60, 200, (16, 25)).astype(np.uint8)
    still = Still(levels)
    assert still.is_seen_in(levels + chance.integers(0, 4, levels.shape).astype(np.uint8))
    other = levels.copy()
    other[5] = 255 - other[5]
    assert not still.is_seen_in(other)
    assert np.flatnonzero(still.differing(other)).tolist() == [5]
