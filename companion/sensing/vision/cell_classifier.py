# SPDX-License-Identifier: Apache-2.0
"""The learned classifier of cells without tags: empty, light, dark, hand or shadow.

It sees the window of a cell beside the same window of the empty board.
`calibration.train` makes its file from rendered cells.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sensing.cell_classes import CELL_CLASSES
from companion.sensing.vision.codes import Singles
from companion.sensing.vision.ground import ACROSS, Ground
from companion.sensing.vision.sampler import Flags

MODEL: Final = "cells.onnx"
_WHITE: Final = 95
"""Percentile of the empty board's samples that counts as white."""


def class_shares(ground: Ground, levels: Singles, empty: Singles, cells: Flags) -> Singles:
    """(m, classes): the likelihood of each class for each of *cells*.

    *levels* and *empty*, the empty board in the same light, are (s, channels).
    """
    if not cells.any():
        return np.zeros((0, len(CELL_CLASSES)), np.float32)
    white = float(np.percentile(empty, _WHITE))
    pair = [_windows(ground, each, cells) for each in (levels, empty)]
    return shares_of(np.concatenate(pair, axis=1), white)


def shares_of(windows: NDArray[np.float32], white: float | NDArray[np.float32]) -> Singles:
    """(n, classes) for (n, 6, `ACROSS`, `ACROSS`) from 0 to 255.

    *white*: the level of white. Without the classifier's file nothing is likely.
    """
    net = _network(model_file())
    if net is None:
        return np.zeros((len(windows), len(CELL_CLASSES)), np.float32)
    net.setInput(normalised(windows, white))
    return np.asarray(net.forward(), np.float32)


def normalised(windows: NDArray[np.float32], white: float | NDArray[np.float32]) -> NDArray[np.float32]:
    """*windows* as the network takes them: about -1 to 1, in units of *white*.

    The empty half is replaced by the difference from the present one.
    """
    scaled = (windows / np.maximum(white, 1.0)).astype(np.float32)
    scaled[:, 3:] = scaled[:, :3] - scaled[:, 3:]
    scaled[:, :3] -= 0.5
    return 2 * scaled


def _windows(ground: Ground, levels: Singles, cells: Flags) -> Singles:
    """(m, 3, `ACROSS`, `ACROSS`): the windows of *cells*, a grey one three times."""
    shown = ground.windows(levels)[cells].reshape(-1, ACROSS, ACROSS, levels.shape[1])
    coloured = np.repeat(shown, 3, axis=3) if levels.shape[1] == 1 else shown
    found: Singles = coloured.transpose(0, 3, 1, 2)
    return found


def has_classifier() -> bool:
    """True if the classifier's file can be read."""
    return _network(model_file()) is not None


def model_file() -> Path:
    """The classifier's file."""
    return Path(__file__).parents[1] / MODEL


@cache
def _network(file: Path) -> cv2.dnn.Net | None:
    """The network from *file*; None if that is missing or damaged."""
    try:
        data = file.read_bytes()
        return cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
    except (OSError, cv2.error):
        return None
