# SPDX-License-Identifier: Apache-2.0
"""Check of the board's light: level, contrast, sharpness and stability. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from calibration.marks import Look
from companion.model.grid import Grid
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats, View

BURNT: Final = 250
"""Grey level from which white is overexposed."""
MOST_BURNT: Final = 0.02
"""Largest overexposed share of the board: a glint."""
LEAST_LEVEL: Final = 60.0
"""Median grey level of the board below which noise dominates."""
LEAST_CONTRAST: Final = 50.0
"""Contrast of a tag, in grey levels, of twelve times the noise."""
MOST_RIDE: Final = 0.03
"""Largest change of the board's brightness between images, as a share."""
MOST_MOTION: Final = 6.0
"""Largest change, in grey levels, of the moving tenth of the board between images.

Noise is below, a hand far above.
"""


@dataclass(frozen=True, slots=True)
class Exposure:
    """The light on a board."""

    level: float
    """Median grey level, 0 to 255."""
    burnt: float
    """Overexposed share of the board."""
    contrast: float | None
    """Grey levels between the black borders and the white rims of the tags.

    None without a visible tag.
    """
    ride: float
    """Change of the brightness between images, as a share; 0 for one image."""
    motion: float
    """Change of the most changing parts in grey levels; 0 for one image."""


def exposure_of(images: Sequence[Grey], look: Look, outfit: TaggedTable, view: View) -> Exposure:
    """The light on *outfit*'s board in *images* of a table at rest.

    *view* is its view, *look* its tags.
    """
    mask = _mask(outfit.grid, view)
    boards = [image[mask > 0] for image in images]
    if not boards[0].size:
        return Exposure(0.0, 0.0, None, 0.0, 0.0)
    means = np.array([board.mean() for board in boards])
    motion = 0.0
    if len(images) > 1:
        gains = means.mean() / np.maximum(means, 1.0)
        small = np.stack([_small(image) * gain for image, gain in zip(images, gains, strict=True)])
        motion = float(np.percentile(np.abs(np.diff(small, axis=0)).max(axis=0)[_small(mask) > 127], 90))
    return Exposure(
        float(np.median(boards[0])),
        float((boards[0] >= BURNT).mean()),
        _contrast(images[0], look, outfit.family.width),
        float((means.max() - means.min()) / max(float(means.mean()), 1.0)),
        motion,
    )


def _contrast(image: Grey, look: Look, modules: int) -> float | None:
    """Mean difference in brightness between rims and borders of all tags."""
    if not look.tags:
        return None
    found = []
    for tag in look.tags:
        middle = tag.outline_px.mean(axis=0)
        rings = [_along((tag.outline_px - middle) * (1 + sign / modules) + middle, image) for sign in (-1, 1)]
        found.append(float(np.median(rings[1]) - np.median(rings[0])))
    return float(np.median(found))


def _along(outline_px: Floats, image: Grey) -> Floats:
    """Grey levels along the edges of an outline."""
    steps = np.linspace(0, 1, 12, endpoint=False)[:, None]
    edges = zip(outline_px, np.roll(outline_px, -1, axis=0), strict=True)
    points = np.vstack([one * (1 - steps) + other * steps for one, other in edges])
    inside = np.clip(np.rint(points), 0, np.array(image.shape[::-1]) - 1).astype(np.intp)
    levels: Floats = image[inside[:, 1], inside[:, 0]].astype(np.float64)
    return levels


def _mask(grid: Grid, view: View) -> Grey:
    """Mask of the board in the image, 255 inside."""
    width, height = view.size_px
    mask = np.zeros((height, width), np.uint8)
    outlines = [np.rint(view.to_image(np.array(outline))).astype(np.int32) for outline in grid.outlines]
    cv2.fillPoly(mask, outlines, 255)
    return mask


def _small(image: Grey) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """The image at an eighth of its size in each direction, which averages the noise."""
    return np.asarray(cv2.resize(image, None, fx=0.125, fy=0.125, interpolation=cv2.INTER_AREA), np.float32)
