# SPDX-License-Identifier: Apache-2.0
"""The classifier of cells: its training is deterministic, and OpenCV reads its file."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.train.__main__ import trained
from calibration.train.network import new_network
from calibration.train.onnx_file import onnx_file
from calibration.train.scenes import CellRenderer
from companion.sensing.cell_classes import CELL_CLASSES, CellClass
from companion.sensing.vision import cell_classifier
from companion.sensing.vision.ground import ACROSS

LARGEST = 200_000
"""Bytes of the file."""


def test_opencv_computes_the_same_shares_from_the_file(tmp_path: Path) -> None:
    network = new_network(len(CELL_CLASSES), ACROSS, seed=3)
    windows = np.random.default_rng(4).normal(0, 1, (5, 6, ACROSS, ACROSS)).astype(np.float32)
    file = tmp_path / "cells.onnx"
    file.write_bytes(onnx_file(network.weights, 6, ACROSS))
    read = cv2.dnn.readNetFromONNX(str(file))
    read.setInput(windows)
    shares = np.exp(network.logits(windows))
    assert read.forward() == pytest.approx(shares / shares.sum(axis=1, keepdims=True), abs=1e-5)


def test_a_step_against_the_slope_makes_the_loss_smaller() -> None:
    network = new_network(len(CELL_CLASSES), ACROSS, seed=3)
    chance = np.random.default_rng(4)
    windows = chance.normal(0, 1, (8, 6, ACROSS, ACROSS)).astype(np.float32)
    labels = chance.integers(0, len(CELL_CLASSES), 8)
    losses = [network.learn(windows, labels, 2e-3) for _ in range(6)]
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.long
def test_the_same_seed_gives_the_same_file() -> None:
    files = [onnx_file(trained(seed=5, count=300)[0].weights, 6, ACROSS) for _ in range(2)]
    assert files[0] == files[1]


def test_the_shipped_classifier_reads_rendered_cells() -> None:
    file = Path(cell_classifier.__file__).parents[1] / cell_classifier.MODEL
    assert file.stat().st_size <= LARGEST
    windows, labels = CellRenderer(seed=77).samples(270)
    white = np.percentile(windows[:, 3:], 95, axis=(1, 2, 3), keepdims=True) * 1.3
    read = cell_classifier.shares_of(windows, white.astype(np.float32)).argmax(axis=1)
    assert (read == labels).mean() > 0.8
    light, dark = (CELL_CLASSES.index(each) for each in (CellClass.LIGHT, CellClass.DARK))
    mistaken = ((labels == light) & (read == dark)) | ((labels == dark) & (read == light))
    assert mistaken.mean() < 0.06
