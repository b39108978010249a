# SPDX-License-Identifier: Apache-2.0
"""Search for the board's corner tags in a whole image: slow, for set-up and recovery.

OpenCV's detector looks for them, with a dictionary of the corner tags only:
with more it takes several times as long in OpenCV 5.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.tags import CORNERS, Family, corner_place
from companion.sensing.other_boards import OtherBoards
from companion.sensing.problems import CameraProblem
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats, Lens, View, view_of
from companion.sensing.vision.sampler import Known

_CORRECTED: Final = 3
"""Wrong modules that are accepted: less than half of any family's least distance."""


_ENOUGH: Final = 3
"""Corner tags that determine the view of a board."""
_LARGER: Final = 1.3
"""Factor by which a corner tag is larger than one of a chart."""
_NAMED: Final = 2
"""Corner tags that determine which board it is."""
_MISFIT: Final = 0.1
"""Residual of another board, in edges of a corner tag; a lens causes half."""
_FIT: Final = 0.06
"""Residual of the right board."""
_ALIKE: Final = 0.02
"""Difference of residuals below which two boards fit equally well."""
_BETTER: Final = 0.4
"""Factor by which another board must fit better."""


class BesideBoard(Protocol):
    """A table with tags beside its board."""

    @property
    def family(self) -> Family:
        """All tags."""
        ...

    @property
    def corners(self) -> Mapping[int, tuple[float, float]]:
        """The centres in mm of the tags beside the board, by id."""
        ...

    @property
    def corner_mm(self) -> float:
        """Their edge."""
        ...

    @property
    def corner_turns_deg(self) -> Mapping[int, float]:
        """The clockwise turns of those that are not upright."""
        ...

    @property
    def corner_ids(self) -> Sequence[Sequence[int]]:
        """Other ids that they may have, in the same order."""
        ...

    @property
    def others(self) -> OtherBoards:
        """Boards of other games and sizes."""
        ...

    @property
    def lens(self) -> Lens | None:
        """The camera's lens, if it is known."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The result of a search."""

    view: View | None
    """None if the board was not found."""
    problem: CameraProblem | None = None
    """Why the board was not found, as far as the image shows it."""
    ids: Mapping[int, int] = field(default_factory=dict)
    """The id that was seen, or is expected, for each of the table's corner tags."""
    hidden: tuple[int, ...] = ()
    """The table's corner tags that are not visible although others are."""
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


def search(image: Grey, table: BesideBoard) -> Located:
    """The view of the board of *table*, or why it has none.

    Fewer than three tags do not determine a view. A tag that is seen twice does not count,
    unless one is much larger, as beside a lens chart: another board may have it,
    and does not matter if three others are seen.
    Raises `CalibrationError` if the tags' places do not fit the board.
    """
    own, others = tuple(table.corners), table.others
    sets = [own, *(tuple(ids) for ids in table.corner_ids)]
    tags = list(dict.fromkeys(tag for ids in (*sets, *others.tags.values()) for tag in ids))
    finder = detector(table.family, tags)
    seen = [(tags[number], outline) for number, outline in detect(finder, image)]
    times = Counter(tag for tag, _ in seen)
    if not times and len(detect(finder, np.asarray(cv2.flip(image, 1), np.uint8))) >= _ENOUGH:
        return Located(None, CameraProblem.MIRRORED)
    best = max(sets, key=lambda ids: _visible(ids, times))
    count = _visible(best, times)
    outlines = {tag: outline for tag in best if (outline := _only(tag, seen)) is not None}
    by_name = {name: _visible(ids, times) for name, ids in others.tags.items()}
    most = max(by_name.values(), default=0)
    if most >= _NAMED and most > count:
        names = sorted(name for name, each in by_name.items() if each == most)
        return Located(None, CameraProblem.OTHER_BOARD, board=" / ".join(names))
    ids = dict(zip(own, best, strict=True))
    hidden = tuple(tag for tag in own if ids[tag] not in outlines)
    if not count:
        return Located(None, CameraProblem.BOARD_NOT_FOUND)
    if len(outlines) < _ENOUGH:
        is_one = len(outlines) == count
        problem = CameraProblem.CORNERS_HIDDEN if is_one else CameraProblem.TWO_BOARDS
        return Located(None, problem, ids, hidden)
    return _fitted(table, ids, hidden, outlines, (image.shape[1], image.shape[0]))


def _fitted(
    table: BesideBoard,
    ids: Mapping[int, int],
    hidden: tuple[int, ...],
    outlines: Mapping[int, Floats],
    size_px: tuple[int, int],
) -> Located:
    """The view of the board from the *outlines* of its tags in px.

    Or the name of a board that fits better.
    """
    half = table.corner_mm / 2
    square = np.array([(-half, half), (half, half), (half, -half), (-half, -half)])
    visible = [tag for tag in ids if tag not in hidden]
    points_px: Floats = np.vstack([outlines[ids[tag]] for tag in visible])

    def view(places: Mapping[int, tuple[float, float]]) -> View:
        turned = (square @ _clockwise(table.corner_turns_deg.get(tag, 0.0)).T for tag in visible)
        points_mm: Floats = np.vstack(
            [points + places[tag] for tag, points in zip(visible, turned, strict=True)]
        )
        return view_of(points_mm, points_px, size_px, table.lens)

    found = view(table.corners)
    edge_px = float(np.mean([_edge_px(outlines[ids[tag]]) for tag in visible]))
    if found.residual_px > _MISFIT * edge_px and set(ids.values()) <= set(CORNERS):
        residuals = {
            name: view({tag: places[corner_place(tag)] for tag in visible}).residual_px / edge_px
            for name, places in table.others.middles_mm.items()
        }
        least = min(residuals.values(), default=np.inf)
        if least < min(_FIT, _BETTER * found.residual_px / edge_px):
            names = [name for name, residual in residuals.items() if residual < least + _ALIKE]
            return Located(None, CameraProblem.OTHER_BOARD, board=" / ".join(sorted(names)))
    return Located(found, None, ids, hidden)


def _only(tag: int, seen: Sequence[tuple[int, Floats]]) -> Floats | None:
    """The outline of *tag* among *seen* ones; None if it is not the only one.

    Much smaller ones do not count.
    """
    found = sorted((_edge_px(outline), number) for number, (each, outline) in enumerate(seen) if each == tag)
    if not found or (len(found) > 1 and found[-1][0] < _LARGER * found[-2][0]):
        return None
    return seen[found[-1][1]][1]


def _edge_px(outline: Floats) -> float:
    """The length of its edges, on average."""
    return float(np.hypot(*(outline - np.roll(outline, 1, axis=0)).T).mean())


def _visible(ids: Sequence[int], times: Mapping[int, int]) -> int:
    """The number of the tags *ids* that were seen."""
    return sum(tag in times for tag in ids)


def lying(table: BesideBoard, ids: Mapping[int, int]) -> list[Known]:
    """The tags beside the board with the *ids* that were seen, ready for watching."""
    return [
        Known(ids.get(tag, tag), at_mm, table.corner_turns_deg.get(tag, 0.0), table.corner_mm, 0.0)
        for tag, at_mm in table.corners.items()
    ]


def _clockwise(turn_deg: float) -> Floats:
    """(2, 2): a clockwise rotation of board points."""
    cosine, sine = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return np.array([[cosine, sine], [-sine, cosine]])
