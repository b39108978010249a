# SPDX-License-Identifier: Apache-2.0
"""Search for the board's corner tags in a whole image: slow, for set-up and recovery.

OpenCV's detector looks for them, with a dictionary of the corner tags only:
with more it takes several times as long in OpenCV 5.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.tags import Family
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats, Lens, View, view_of
from companion.sensing.vision.sampler import Known

_CORRECTED: Final = 3
"""Wrong modules that are accepted: less than half of any family's least distance."""


def detector(family: Family, tags: Sequence[int]) -> cv2.aruco.ArucoDetector:
    """A detector of *tags* of *family*; the n-th of them is its marker n."""
    patterns = [np.array(family.rows(tag), np.uint8)[1:-1, 1:-1] for tag in tags]
    packed = np.vstack([cv2.aruco.Dictionary.getByteListFromBits(bits) for bits in patterns])
    dictionary = cv2.aruco.Dictionary(packed, family.size, _CORRECTED)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_CONTOUR
    parameters.minMarkerPerimeterRate = 0.01  # the default is a tenth of the image
    return cv2.aruco.ArucoDetector(dictionary, parameters)


def detect(finder: cv2.aruco.ArucoDetector, image: Grey) -> list[tuple[int, NDArray[np.float64]]]:
    """Each detected marker with its (4, 2) corners in px, clockwise.

    From its upper left one.
    """
    outlines, numbers, _ = finder.detectMarkers(image)
    if numbers is None:
        return []
    return [
        (int(number), np.asarray(outline, np.float64).reshape(4, 2))
        for number, outline in zip(np.ravel(numbers), outlines, strict=True)
    ]


def locate(
    image: Grey,
    family: Family,
    corners: Mapping[int, tuple[float, float]],
    corner_mm: float,
    lens: Lens | None = None,
    turns_deg: Mapping[int, float] | None = None,
) -> View | None:
    """The view of the board from its corner tags, or None.

    *corners* are the centres in mm of the tags of edge *corner_mm*;
    *turns_deg* are the clockwise turns of those that are not upright.
    None if fewer than three are visible, or one of them twice:
    then it may be the board of another table.
    Raises `CalibrationError` if their places do not fit the board.
    """
    tags = list(corners)
    seen = detect(detector(family, tags), image)
    if len({number for number, _ in seen}) < 3 or len(seen) > len(tags):
        return None
    half = corner_mm / 2
    square = np.array([(-half, half), (half, half), (half, -half), (-half, -half)])
    turned = {tag: square @ _clockwise((turns_deg or {}).get(tag, 0.0)).T for tag in tags}
    points_mm: Floats = np.vstack([turned[tags[number]] + corners[tags[number]] for number, _ in seen])
    points_px: Floats = np.vstack([outline for _, outline in seen])
    height, width = image.shape
    return view_of(points_mm, points_px, (width, height), lens)


def lying(
    corners: Mapping[int, tuple[float, float]], corner_mm: float, turns_deg: Mapping[int, float]
) -> list[Known]:
    """The tags *corners* of *corner_mm* beside the board, ready for watching."""
    return [Known(tag, at_mm, turns_deg.get(tag, 0.0), corner_mm, 0.0) for tag, at_mm in corners.items()]


def _clockwise(turn_deg: float) -> Floats:
    """(2, 2): a clockwise rotation of board points."""
    cosine, sine = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return np.array([[cosine, sine], [-sine, cosine]])
