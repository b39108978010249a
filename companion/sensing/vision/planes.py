# SPDX-License-Identifier: Apache-2.0
"""Light over a board: planes through levels at places in mm."""

from __future__ import annotations

from typing import Final

import numpy as np

from companion.sensing.vision.geometry import Floats

_ROUNDS: Final = 8
"""Iterations of a robust fit."""


def plane_fit(values: Floats, at_mm: Floats, start: Floats | None = None) -> Floats:
    """The plane a + b x + c y through most *values*.

    Fitted by least absolute distance.

    (m,) *values* at (m, 2) mm; x and y in metres; returns (3,).
    """
    places = np.column_stack([np.ones(len(at_mm)), at_mm / 1000])
    weights = np.ones(len(values))
    plane = np.array([float(np.median(values)), 0.0, 0.0]) if start is None else start
    for _ in range(_ROUNDS):
        apart = np.abs(values - places @ plane)
        weights = 1 / np.maximum(apart, 0.005 * max(abs(float(plane[0])), 1e-3))
        flat = np.diag([0.0, 1e-6, 1e-6]) * weights.sum()
        plane = np.linalg.solve(
            (places * weights[:, None]).T @ places + flat, (places * weights[:, None]).T @ values
        )
    found: Floats = plane
    return found


def on_plane(plane: Floats, at_mm: Floats) -> Floats:
    """(m,): the values of *plane* at (m, 2) mm."""
    values: Floats = np.column_stack([np.ones(len(at_mm)), at_mm / 1000]) @ plane
    return values
