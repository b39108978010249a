# SPDX-License-Identifier: Apache-2.0
"""Lens calibration from views of the printed chart, and the views still needed. Pure.

A view is kept if it differs from the kept ones;
four bars show the range of places, sizes and tilts that the kept views cover.

Source: the bars and their limits are those of ROS's `camera_calibration`, which are well tested.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np

from companion.model.errors import CalibrationError
from companion.model.tags import family
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.corner_search import detect, detector
from companion.sensing.vision.geometry import Floats, Lens, transform
from companion.sheets.chart import lens_chart

FEWEST_VIEWS: Final = 6
"""Least number of views that separate focal length and distortion."""
ENOUGH_VIEWS: Final = 25
"""Number of views above which more add time only."""
_FEWEST_TAGS: Final = 4
"""Least number of the chart's 27 tags for a detection."""
_FEWEST_CORNERS: Final = 12
"""Least number of its 40 inner corners in a view."""
_ASIDE: Final = 0.6
"""Largest displacement of a tag by distortion, in edges of a tag."""
_NEW: Final = 0.2
"""Least difference of a new view from every kept one, summed over the four measures."""
_WANTED: Final = (0.7, 0.7, 0.4, 0.5)
"""Range of each measure that the kept views should cover."""
_WORST_RMS_PX: Final = 1.5
"""Residual above which a fit is rejected: the chart was bent, moved or blurred."""

MEASURES: Final = ("across", "down", "size", "tilt")


@dataclass(frozen=True, slots=True, eq=False)
class ChartView:
    """One view of the chart."""

    corners_mm: Floats
    """(n, 2): inner corners of the chart."""
    corners_px: Floats
    """(n, 2): their image points."""
    measures: tuple[float, float, float, float]
    """From 0 to 1: horizontal and vertical place, size, tilt."""


@dataclass(frozen=True, slots=True)
class LensFit:
    """A lens and its residual."""

    lens: Lens
    rms_px: float
    views: int


def chart_in(image: Grey) -> ChartView | None:
    """The view of the chart in *image*; None if too little of it is visible."""
    seen = _tags_in(image)
    if len(seen) < _FEWEST_TAGS:
        return None
    outlines = [outline.astype(np.float32)[None] for _, outline in seen]
    tags = np.array([[number] for number, _ in seen], np.int32)
    corners, numbers, _, _ = _detector().detectBoard(image, None, None, outlines, tags)
    if numbers is None or len(numbers) < _FEWEST_CORNERS:
        return None
    chart = lens_chart()
    corners_px = np.asarray(corners, np.float64).reshape(-1, 2)
    row, column = np.divmod(np.ravel(numbers), chart.columns - 1)
    corners_mm = np.column_stack([column + 1.0, row + 1.0]) * chart.square_mm
    if np.linalg.matrix_rank(corners_mm - corners_mm.mean(axis=0)) < 2:
        return None
    return ChartView(
        corners_mm, corners_px, _measures(corners_mm, corners_px, (image.shape[1], image.shape[0]))
    )


def is_new(view: ChartView, kept: Sequence[ChartView]) -> bool:
    """True if *view* differs sufficiently from all of *kept*."""
    return all(np.abs(np.subtract(view.measures, each.measures)).sum() > _NEW for each in kept)


def covered(kept: Sequence[ChartView]) -> tuple[float, float, float, float]:
    """Fill levels of the four bars, from 0 to 1, in the order of `MEASURES`."""
    if not kept:
        return 0.0, 0.0, 0.0, 0.0
    measures = np.array([view.measures for view in kept])
    ranges = measures.max(axis=0) - np.array([*measures.min(axis=0)[:2], 0.0, 0.0])
    across, down, size, tilt = np.minimum(ranges / _WANTED, 1.0)
    return float(across), float(down), float(size), float(tilt)


def is_enough(kept: Sequence[ChartView]) -> bool:
    """True if the views cover all ranges, or are many."""
    return len(kept) >= ENOUGH_VIEWS or (len(kept) >= FEWEST_VIEWS and min(covered(kept)) >= 1.0)


def lens_from(views: Sequence[ChartView], size_px: tuple[int, int]) -> LensFit:
    """The lens that fits *views* of images of *size_px*.

    One focal length, two terms of radial distortion, centre fixed: more terms fit the noise.
    Raises `CalibrationError` for too few views, and for a large residual.
    """
    if len(views) < FEWEST_VIEWS:
        raise CalibrationError(
            "{count} different views of the chart are too few for a lens: at least {fewest} are "
            "needed, near and far, tilted, and in every corner of the picture",
            count=len(views),
            fewest=FEWEST_VIEWS,
        )
    flags = (
        cv2.CALIB_FIX_ASPECT_RATIO
        | cv2.CALIB_FIX_PRINCIPAL_POINT
        | cv2.CALIB_ZERO_TANGENT_DIST
        | cv2.CALIB_FIX_K3
        | cv2.CALIB_USE_INTRINSIC_GUESS
    )
    width, height = size_px
    guess = np.array([[width, 0, (width - 1) / 2], [0, width, (height - 1) / 2], [0, 0, 1.0]])
    flat = [np.column_stack([view.corners_mm, np.zeros(len(view.corners_mm))]) for view in views]
    rms_px, inside, bend, _, _ = cv2.calibrateCamera(
        [each.astype(np.float32) for each in flat],
        [view.corners_px.astype(np.float32) for view in views],
        size_px,
        guess,
        np.zeros(5),
        flags=flags,
    )
    if rms_px > _WORST_RMS_PX:
        raise CalibrationError(
            "the views of the chart do not fit together: {rms_px:.1f} px are left over. Is the chart "
            "glued onto something flat, printed at 100 %, and held still?",
            rms_px=rms_px,
        )
    k1, k2 = (float(term) for term in np.ravel(bend)[:2])
    lens = Lens((float(inside[0, 2]), float(inside[1, 2])), float(inside[0, 0]), k1, k2)
    return LensFit(lens, float(rms_px), len(views))


def _tags_in(image: Grey) -> list[tuple[int, Floats]]:
    """The chart's tags in *image*, by index, each with its (4, 2) corners in px.

    Some games have pieces with the same tags: those in the wrong place for the chart are left out.
    """
    seen = detect(_finder(), image)
    if len(seen) < _FEWEST_TAGS:
        return []
    places = _places_mm()
    points_mm: Floats = np.vstack([places[number] for number, _ in seen])
    points_px: Floats = np.vstack([px for _, px in seen])
    edge_px = float(np.median([np.hypot(*(px[1] - px[0])) for _, px in seen]))
    homography, _ = cv2.findHomography(points_mm, points_px, cv2.RANSAC, _ASIDE * edge_px)
    if homography is None:
        return []
    apart = (
        np.hypot(*(transform(np.asarray(homography, np.float64), points_mm) - points_px).T)
        .reshape(-1, 4)
        .max(axis=1)
    )
    best: dict[int, tuple[float, Floats]] = {}
    for (number, px), off in zip(seen, apart, strict=True):
        if off < _ASIDE * edge_px and off < best.get(number, (math.inf, px))[0]:
            best[number] = float(off), px
    return [(number, px) for number, (_, px) in best.items()]


@cache
def _places_mm() -> list[Floats]:
    """The (4, 2) corners of each chart tag, clockwise from its upper left."""
    chart = lens_chart()
    inset = (chart.square_mm - chart.tag_mm) / 2
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * chart.tag_mm + inset
    white = ((row, col) for row in range(chart.rows) for col in range(chart.columns) if (row + col) % 2)
    return [square + np.array([col, row]) * chart.square_mm for row, col in white]


@cache
def _finder() -> cv2.aruco.ArucoDetector:
    """The detector of the chart's tags."""
    return detector(family(), lens_chart().tags)


@cache
def _detector() -> cv2.aruco.CharucoDetector:
    """The detector of the chart's corners between its tags."""
    chart, tags = lens_chart(), family()
    patterns = [np.array(tags.rows(tag), np.uint8)[1:-1, 1:-1] for tag in chart.tags]
    packed = np.vstack([cv2.aruco.Dictionary.getByteListFromBits(bits) for bits in patterns])
    dictionary = cv2.aruco.Dictionary(packed, tags.size, 3)
    board = cv2.aruco.CharucoBoard((chart.columns, chart.rows), chart.square_mm, chart.tag_mm, dictionary)
    return cv2.aruco.CharucoDetector(board)


def _measures(
    corners_mm: Floats, corners_px: Floats, size_px: tuple[int, int]
) -> tuple[float, float, float, float]:
    """Place, size and tilt of the chart in the image."""
    chart = lens_chart()
    homography, _ = cv2.findHomography(corners_mm, corners_px)
    if homography is None:
        return 0.0, 0.0, 0.0, 0.0
    wide, high = (chart.columns * chart.square_mm, chart.rows * chart.square_mm)
    edges = np.array([[[0.0, 0.0], [wide, 0.0], [wide, high], [0.0, high]]])
    outline = cv2.perspectiveTransform(edges, homography)[0]
    width, height = size_px
    x, y = outline.T
    area = abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
    middle = corners_px.mean(axis=0)
    sides = np.hypot(*(outline - np.roll(outline, -1, axis=0)).T)
    leaning = max(abs(np.log(sides[0] / sides[2])), abs(np.log(sides[1] / sides[3])))
    return (
        float(np.clip(middle[0] / width, 0, 1)),
        float(np.clip(middle[1] / height, 0, 1)),
        float(np.sqrt(min(area / (width * height), 1.0))),
        float(min(leaning * 1.5, 1.0)),
    )
