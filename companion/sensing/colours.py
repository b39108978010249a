# SPDX-License-Identifier: Apache-2.0
"""Owners of pieces by colour.

Colours are learned from the pieces of the start position, relative to the light on the board.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from companion.model.grid import Cell
from companion.model.pieces import Side
from companion.sensing.vision.codes import Singles
from companion.sensing.vision.geometry import Floats
from companion.sensing.vision.ground import Ground, on_plane, plane_fit
from companion.sensing.vision.sampler import Flags

_APART: Final = 1.6
"""Factor by which the next side's colour must be farther away than the nearest."""
_FAINT: Final = 0.03
"""Difference of two colours caused by camera noise, relative to the light."""


class Colours:
    """The colours of the sides."""

    def __init__(self, start: Mapping[Cell, Side | None]) -> None:
        """*start*: the sides of the pieces on the board when the colours are learned."""
        self._start = {cell: side for cell, side in start.items() if side is not None}
        self._means: dict[Side, Floats] = {}

    @property
    def are_known(self) -> bool:
        """True once the sides' colours were seen and are distinct."""
        return len(self._means) > 1

    def of(self, ground: Ground, levels: Singles, expected: Singles, flagged: Flags) -> Singles:
        """(n, channels): the colour of the piece on each cell, relative to the light there.

        *levels* and *expected* (the empty board), in the initial light: (s, channels).
        """
        windows = np.median(ground.windows(expected).mean(axis=2), axis=1)
        brightest = np.array([windows[beside].max() for beside in ground.beside])
        middles = np.array([ground.places_mm[must].mean(axis=0) for must in ground.must])
        light = np.maximum(on_plane(plane_fit(brightest.astype(np.float64), middles), middles), 1.0)
        found = np.zeros((ground.count, levels.shape[1]), np.float32)
        for cell, must in enumerate(ground.must):
            shown = must[flagged[must]]
            found[cell] = levels[shown if len(shown) else must].mean(axis=0) / light[cell]
        return found

    def learn(self, colours: Singles) -> None:
        """Learn the colours at the start, if the sides differ enough.

        More than the pieces of one side do.
        """
        if len(set(self._start.values())) < 2:
            return
        by_side = {
            side: colours[[cell for cell, owner in self._start.items() if owner == side]].astype(np.float64)
            for side in sorted(set(self._start.values()))
        }
        means = {side: own.mean(axis=0) for side, own in by_side.items()}
        for side, own in by_side.items():
            spread = float(np.abs(own - means[side]).max())
            others = [
                float(np.linalg.norm(means[side] - mean)) for each, mean in means.items() if each != side
            ]
            if min(others) < _APART * spread + _FAINT:
                return
        self._means = means

    def side(self, colour: Singles) -> Side | None:
        """The side of a piece with this *colour*, (channels,).

        None if it may belong to several sides or to nobody.
        """
        apart = sorted((float(np.linalg.norm(colour - mean)), side) for side, mean in self._means.items())
        if len(apart) < 2 or apart[1][0] < _APART * apart[0][0] + _FAINT:
            return None
        return apart[0][1]
