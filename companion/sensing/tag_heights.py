# SPDX-License-Identifier: Apache-2.0
"""The heights of tags above the board, from where they appear. Pure.

A tag above the board appears farther from the point below the camera than it is.
Pieces stand about in the middle of cells, so the right height is the one at which most tags do.
A height is returned only where it matters, and where no other one fits nearly as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.sensing.vision.geometry import Floats, View

FEWEST: Final = 4
"""Tags from which a height can be told."""
_TALLEST_MM: Final = 120.0
_SHARE: Final = 0.5
"""Largest height, as a share of the camera's."""
_STEP_MM: Final = 1.0
_MATTERS: Final = 0.08
"""Least shift of the farthest tag that is corrected, in edges."""
_BETTER: Final = 0.6
"""Factor by which tags must be nearer to the middles of cells."""
_LARGEST: Final = 0.2
"""Distance from the middles above which no height fits, in edges."""
_OTHER: Final = 0.3
"""Shift in edges from which another height is another solution."""
_RIVAL: Final = 1.5
"""Factor of the distance up to which another solution is possible."""
_KIND: Final = 0.15
"""Distance from which a kind may have its own height, in edges."""
_ROUNDS: Final = 3
_ERROR_MM: Final = 20.0
"""A usual error of an assumed height."""
_ASIDE: Final = 0.4
"""Shift at which a tag may be on another cell, in edges."""


@dataclass(frozen=True, slots=True, eq=False)
class CellsInView:
    """The cells of a board in one view."""

    view: View
    middles_mm: Floats
    """(n, 2)"""
    edges_mm: Floats
    """(n,)"""


def may_mislead(cells: CellsInView) -> bool:
    """True if a usual error of the height moves a tag to a neighbouring cell."""
    reach = np.hypot(*(cells.middles_mm - cells.view.camera_mm[:2]).T) / cells.view.camera_mm[2]
    return bool((reach * _ERROR_MM > _ASIDE * cells.edges_mm).any())


def heights_of(
    cells: CellsInView, seen_mm: Floats, kinds: Sequence[str], before_mm: float
) -> tuple[float, Mapping[str, float]] | None:
    """The usual height of the tags, and those of kinds that differ.

    None if they cannot be told.

    *seen_mm*, (n, 2): where the tags of pieces of *kinds* appear on the plane of the board.
    *before_mm* is the height that was assumed.
    """
    if len(seen_mm) < FEWEST:
        return None
    camera_mm = float(cells.view.camera_mm[2])
    tried = np.arange(0.0, min(_TALLEST_MM, _SHARE * camera_mm), _STEP_MM)
    apart = np.array([_typical(_apart(cells, seen_mm, height)) for height in tried])
    best = int(apart.argmin())
    reach = np.hypot(*(seen_mm - cells.view.camera_mm[:2]).T).max() / camera_mm / cells.edges_mm.mean()
    rivals = (apart < _RIVAL * apart[best] + 0.01) & (np.abs(tried - tried[best]) * reach > _OTHER)
    if apart[best] > _LARGEST or rivals.any():
        return None
    usual = float(tried[best])
    is_better = apart[best] < _BETTER * _typical(_apart(cells, seen_mm, before_mm))
    if not is_better or abs(usual - before_mm) * reach < _MATTERS:
        usual = before_mm
    own = {
        kind: _own_height(cells, seen_mm[[each == kind for each in kinds]], usual)
        for kind in dict.fromkeys(kinds)
    }
    return usual, {kind: height for kind, height in own.items() if height is not None}


def _own_height(cells: CellsInView, seen_mm: Floats, usual_mm: float) -> float | None:
    """The own height of tags that do not fit *usual_mm*, or None."""
    before = _typical(_apart(cells, seen_mm, usual_mm))
    if before < _KIND:
        return None
    height = usual_mm
    reach = seen_mm - cells.view.camera_mm[:2]
    for _ in range(_ROUNDS):
        here = cells.middles_mm[_nearest(cells, seen_mm, height)]
        height = float(((seen_mm - here) * reach).sum() / (reach**2).sum() * cells.view.camera_mm[2])
    is_possible = 0.0 <= height <= min(_TALLEST_MM, _SHARE * cells.view.camera_mm[2])
    return height if is_possible and _typical(_apart(cells, seen_mm, height)) < _BETTER * before else None


def _at(cells: CellsInView, seen_mm: Floats, height_mm: float) -> Floats:
    """Where tags at *height_mm* are that appear at *seen_mm*."""
    at_mm: Floats = seen_mm + (cells.view.camera_mm[:2] - seen_mm) * (height_mm / cells.view.camera_mm[2])
    return at_mm


def _nearest(cells: CellsInView, seen_mm: Floats, height_mm: float) -> NDArray[np.intp]:
    """The nearest cell to each tag."""
    offsets = _at(cells, seen_mm, height_mm)[:, None] - cells.middles_mm[None]
    nearest: NDArray[np.intp] = np.hypot(offsets[..., 0], offsets[..., 1]).argmin(axis=1)
    return nearest


def _apart(cells: CellsInView, seen_mm: Floats, height_mm: float) -> Floats:
    """The distances of the tags from the middles of their cells, in edges."""
    nearest = _nearest(cells, seen_mm, height_mm)
    offsets = _at(cells, seen_mm, height_mm) - cells.middles_mm[nearest]
    apart: Floats = np.hypot(*offsets.T) / cells.edges_mm[nearest]
    return apart


def _typical(apart: Floats) -> float:
    """The root mean square of *apart*."""
    return float(np.sqrt(np.mean(apart**2)))
