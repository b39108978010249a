# SPDX-License-Identifier: Apache-2.0
"""Moves are recognised in shaking, dark, flickering and noisy images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games import find
from companion.model.observation import Observation, SensorKind, Sighting
from companion.referee.values.board.looks import look
from tests.sensing.vision.tables import CameraTable
from tests.virtual.optics import Optics
from tests.virtual.render import Arm
from tests.virtual.scene import Exposure

VGA = Optics((640, 480), (-110.0, 195.0, 540.0), (92.0, 195.0), focal_px=545.0, noise=3.0)


class Table(CameraTable):
    """A board in bad images."""

    shake_px = 0.0
    """Largest shift of an image, in each direction."""
    light: Callable[[], Exposure] = staticmethod(Exposure)
    """Returns the light of the next image."""
    last: Observation | None = None

    def watch(self, images: int, arms: list[Arm] | None = None) -> None:
        """Let the sensor see the next images."""
        for _ in range(images):
            image = self.scene.photograph(self.light(), arms or [])
            if self.shake_px:
                x, y = (self.chance.uniform(-self.shake_px, self.shake_px) for _ in range(2))
                shift = np.array([[1, 0, x], [0, 1, y]])
                size = image.shape[1], image.shape[0]
                image = np.asarray(
                    cv2.warpAffine(image, shift, size, borderMode=cv2.BORDER_REPLICATE), np.uint8
                )
            self.now_ms += 33
            self.last = self.sensor.observe(image, self.now_ms) or self.last

    def seen(self) -> dict[int, Sighting]:
        """The last report."""
        return {} if self.last is None else dict(self.last.sightings.seen)


def played(optics: Optics, seed: int, moves: int, **how: Any) -> list[bool]:
    """Whether the start and each move were recognised two seconds after the hand."""
    table, chance = Table(find("martian-chess"), None, optics, seed), Random(seed)
    for name, value in how.items():
        setattr(table, name, value)
    rules, position = table.rules, table.rules.initial()

    def is_seen() -> bool:
        pieces = rules.placement(position).by_cell()
        kind = SensorKind.IDENTITY_FACING
        return table.seen() == {cell: look(piece, kind) for cell, piece in pieces.items()}

    table.set_up(position)
    table.watch(40)
    found = [is_seen()]
    for _ in range(moves):
        move = chance.choice(rules.legal_moves(position))
        (step,) = rules.steps(position, move)[:1]
        for gone in rules.steps(position, move):
            if not gone.target:
                table.take(gone.source[0])
        table.watch(3, [table.arm(step.source[0])])
        mark = table.take(step.source[0])
        table.watch(2, [table.arm(step.target[0])])
        table.put(step.target[0], step.becomes, mark)
        table.watch(3, [table.arm(step.target[0])])
        position = rules.apply(position, move)
        table.watch(60)
        found.append(is_seen())
    return found


PHASES = Random(9)
CASES: dict[str, dict[str, Any]] = {
    "shake": {"shake_px": 5.0},
    "dark": {"light": lambda: Exposure(0.2)},
    "flicker": {"light": lambda: Exposure(0.85, flicker=0.1, phase=PHASES.random())},
    "noise": {},
}


def optics_of(name: str) -> Optics:
    """The camera of the case *name*."""
    return replace(VGA, noise=8.0) if name == "noise" else VGA


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        *((name, 8 if name == "dark" else 3) for name in CASES),
        *(pytest.param(name, seed, marks=pytest.mark.long) for name in CASES for seed in (4, 5, 6, 7, 9)),
    ],
)
def test_all_moves_are_recognised(name: str, seed: int, *, is_long: bool) -> None:
    moves = 4 if is_long else 2
    assert played(optics_of(name), seed, moves, **CASES[name]) == [True] * (moves + 1)
