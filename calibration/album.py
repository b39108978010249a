# SPDX-License-Identifier: Apache-2.0
"""Calibration from a set of images. Pure.

Views of the chart determine the lens; the others show the board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.assessment import Assessment, assess
from calibration.chart import ENOUGH_VIEWS, ChartView, LensFit, chart_in, is_new, lens_from
from calibration.marks import Look, finder, middle_image, tags_in
from calibration.table import Table, outfit_of
from calibration.view_fit import fit_hand, fit_tags
from companion.model.errors import CalibrationError
from companion.sensing.profile import Locked
from companion.sensing.tagged_table import TaggedTable, as_seen
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.discs import grey_of
from companion.sensing.vision.geometry import Floats

MOST_IMAGES: Final = 9
"""Largest number of board images used: more take time without better results."""
_MOVED_PX: Final = 2.0
"""A tag displaced by more than this means another pose of the camera."""


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """An image and its name."""

    name: str
    image: Grey
    """Grey, or BGR."""


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The result of a set of images."""

    outfit: TaggedTable
    assessment: Assessment
    lens: LensFit | None
    """From the chart, if it is visible."""
    board: Grey
    """The board at rest, with averaged noise; in colour if the images are."""


Progress = Callable[[int, int], None]
"""Called with the number of processed images and their total."""


def calibrate(
    images: Sequence[Named],
    table: Table,
    corners_px: Floats | None = None,
    locked: Locked | None = None,
    progress: Progress = lambda done, of: None,
) -> Result:
    """The calibration of the camera that took *images*.

    The board's corners are at *corners_px*, (4, 2), or found by tags.
    Raises `CalibrationError`, and as `outfit_of` does.
    """
    outfit = outfit_of(table)
    size_px = _one_size(images)
    boards: list[Named] = []
    views: list[ChartView] = []
    for number, named in enumerate(images):
        view = chart_in(grey_of(named.image))
        if view is None:
            boards.append(named)
        elif len(views) < ENOUGH_VIEWS and is_new(view, views):
            views.append(view)
        progress(number + 1, len(images))
    if not boards:
        raise CalibrationError("every image shows the chart; at least one must show the board without it")
    lens = lens_from(views, size_px) if views else None
    chosen = boards[:: -(-len(boards) // MOST_IMAGES)]
    find = finder(outfit.family)
    grey = [grey_of(named.image) for named in chosen]
    _check_still(chosen, [tags_in([image], find) for image in grey])
    look = tags_in(grey, find)
    outfit = as_seen(outfit, {each.tag for each in look.tags})
    board = middle_image(grey)
    known = None if lens is None else lens.lens
    if corners_px is None:
        fit = fit_tags((look, board), outfit, known)
    else:
        fit = fit_hand((look, board), outfit, corners_px, known)
    assessment = assess(grey, look, fit, outfit, locked, has_tags=table.has_tags)
    return Result(outfit, assessment, lens, middle_image([named.image for named in chosen]))


def _one_size(images: Sequence[Named]) -> tuple[int, int]:
    """Width and height of all images.

    Raises `CalibrationError` if there are no images, or their sizes differ.
    """
    if not images:
        raise CalibrationError("there are no images to calibrate with")
    first = images[0]
    for named in images:
        if named.image.shape[:2] != first.image.shape[:2]:
            raise CalibrationError(
                "{image} has {size} px and {other} {other_size}: all images must be those of one camera "
                "at one size",
                image=named.name,
                size=_spelt(named.image),
                other=first.name,
                other_size=_spelt(first.image),
            )
    return first.image.shape[1], first.image.shape[0]


def _check_still(images: Sequence[Named], looks: Sequence[Look]) -> None:
    """Raise `CalibrationError` if the camera was moved between *images*."""
    first = {tag.tag: tag.outline_px for tag in looks[0].tags}
    for named, look in zip(images, looks, strict=True):
        apart = [
            float(np.hypot(*(tag.outline_px - first[tag.tag]).T).max())
            for tag in look.tags
            if tag.tag in first
        ]
        if apart and np.median(apart) > _MOVED_PX:
            raise CalibrationError(
                "the camera stood elsewhere in {image} than in {other}: tags are {px:.0f} px apart. Take "
                "all images of the board from one place",
                image=named.name,
                other=images[0].name,
                px=np.median(apart),
            )


def _spelt(image: Grey) -> str:
    return f"{image.shape[1]}×{image.shape[0]}"
