# SPDX-License-Identifier: Apache-2.0
"""The picture of a camera for people, with the cells that it cannot judge. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell, Grid
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import View

_WIDE_PX: Final = 960
_QUALITY: Final = 80
_MARGIN: Final = 0.15
"""Visible surroundings of the board, in shares of its extent."""
_MARK: Final = (40, 40, 230)
_EDGE: Final = (250, 250, 250)
_LINE_PX: Final = 3


def annotated(image: Grey, sight: tuple[View, Grid] | None, cells: Collection[Cell]) -> bytes:
    """*image*, grey or BGR, as a JPEG file, with the outlines of *cells*.

    *sight* is the view of a grid; with it, only the board and a margin are shown.
    """
    shown = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR) if image.ndim == 2 else image, np.uint8)
    left = top = 0
    if sight is not None:
        view, grid = sight
        board = view.to_image(np.array([point for outline in grid.outlines for point in outline]))
        shown, left, top = _cropped(shown, board)
    scale = min(1.0, _WIDE_PX / shown.shape[1])
    drawn = np.ascontiguousarray(cv2.resize(shown, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    if sight is not None:
        for cell in cells:
            outline = (view.to_image(np.array(grid.outlines[cell])) - (left, top)) * scale
            points = np.rint(outline).astype(np.int32)
            cv2.polylines(drawn, [points], isClosed=True, color=_EDGE, thickness=2 * _LINE_PX)
            cv2.polylines(drawn, [points], isClosed=True, color=_MARK, thickness=_LINE_PX)
    packed: bytes = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()
    return packed


def _cropped(image: NDArray[np.uint8], board_px: NDArray[np.float64]) -> tuple[NDArray[np.uint8], int, int]:
    """The part of *image* around *board_px*, with its left and top."""
    low, high = board_px.min(axis=0), board_px.max(axis=0)
    margin = _MARGIN * (high - low)
    height, width = image.shape[:2]
    left, top = (int(each) for each in np.clip(low - margin, 0, (width - 2, height - 2)))
    right, bottom = (int(each) for each in np.clip(high + margin, (left + 2, top + 2), (width, height)))
    return image[top:bottom, left:right], left, top
