# SPDX-License-Identifier: Apache-2.0
"""Search for the board's corner tags in a whole image: slow, for set-up and recovery.

OpenCV's detector looks for them, with a dictionary of the corner tags only:
with more it takes several times as long in OpenCV 5.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.tags import Family
from companion.sensing.problems import CameraProblem
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats, Lens, View, view_of
from companion.sensing.vision.sampler import Known

_CORRECTED: Final = 3
"""Wrong modules that are accepted: less than half of any family's least distance."""


_ENOUGH: Final = 3
"""Corner tags that determine the view of a board."""
_MISFIT: Final = 0.1
"""Residual of another board, in edges of a corner tag; a lens causes half."""
_FIT: Final = 0.06
"""Residual of the right board."""
_ALIKE: Final = 0.02
"""Difference of residuals below which two boards fit equally well."""
_BETTER: Final = 0.4
"""Factor by which another board must fit better."""


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The result of a search."""

    view: View | None
    """None if the board was not found."""
    problem: CameraProblem | None = None
    """Why the board was not found, as far as the image shows it."""
    hidden: tuple[int, ...] = ()
    """The corner tags that are not visible although others are."""
    board: str = ""
    """The name of the other board that lies there."""


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
    """The view of the board from its corner tags, or None; see `search`."""
    return search(image, family, corners, corner_mm, lens, turns_deg).view


def search(
    image: Grey,
    family: Family,
    corners: Mapping[int, tuple[float, float]],
    corner_mm: float,
    lens: Lens | None = None,
    turns_deg: Mapping[int, float] | None = None,
    others: Mapping[str, Mapping[int, tuple[float, float]]] | None = None,
) -> Located:
    """The view of the board from its corner tags, or why it has none.

    *corners* are the centres in mm of the tags of edge *corner_mm*;
    *turns_deg* are the clockwise turns of those that are not upright.
    Fewer than three tags do not determine a view.
    If one of them is seen twice, a board may be that of another table.
    *others* are the corners of other boards, by name: their tags are as large,
    and lie at other distances.
    Raises `CalibrationError` if their places do not fit the board.
    """
    tags = list(corners)
    finder = detector(family, tags)
    seen = detect(finder, image)
    times = Counter(number for number, _ in seen)
    if times and max(times.values()) > 1:
        return Located(None, CameraProblem.TWO_BOARDS)
    if not times and len(detect(finder, np.asarray(cv2.flip(image, 1), np.uint8))) >= _ENOUGH:
        return Located(None, CameraProblem.MIRRORED)
    hidden = tuple(tag for number, tag in enumerate(tags) if number not in times)
    if not times:
        return Located(None, CameraProblem.BOARD_NOT_FOUND)
    if len(times) < _ENOUGH:
        return Located(None, CameraProblem.CORNERS_HIDDEN, hidden)
    half = corner_mm / 2
    square = np.array([(-half, half), (half, half), (half, -half), (-half, -half)])
    turned = {tag: square @ _clockwise((turns_deg or {}).get(tag, 0.0)).T for tag in tags}
    points_px: Floats = np.vstack([outline for _, outline in seen])
    height, width = image.shape

    def view(places: Mapping[int, tuple[float, float]]) -> View:
        points_mm: Floats = np.vstack([turned[tags[number]] + places[tags[number]] for number, _ in seen])
        return view_of(points_mm, points_px, (width, height), lens)

    found = view(corners)
    edge_px = float(np.mean([np.hypot(*np.diff(outline, axis=0).T).mean() for _, outline in seen]))
    if found.residual_px > _MISFIT * edge_px and others:
        residuals = {name: view(places).residual_px / edge_px for name, places in others.items()}
        least = min(residuals.values())
        if least < min(_FIT, _BETTER * found.residual_px / edge_px):
            names = [name for name, residual in residuals.items() if residual < least + _ALIKE]
            return Located(None, CameraProblem.OTHER_BOARD, board=" / ".join(sorted(names)))
    return Located(found, hidden=hidden)


def lying(
    corners: Mapping[int, tuple[float, float]], corner_mm: float, turns_deg: Mapping[int, float]
) -> list[Known]:
    """The tags *corners* of *corner_mm* beside the board, ready for watching."""
    return [Known(tag, at_mm, turns_deg.get(tag, 0.0), corner_mm, 0.0) for tag, at_mm in corners.items()]


def _clockwise(turn_deg: float) -> Floats:
    """(2, 2): a clockwise rotation of board points."""
    cosine, sine = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return np.array([[cosine, sine], [-sine, cosine]])
