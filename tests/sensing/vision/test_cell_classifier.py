# SPDX-License-Identifier: Apache-2.0
"""Without the classifier's file, play goes on, and the camera says what is missing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from companion.games import find
from companion.host.devices.camera import CameraOptions, set_up_camera
from companion.sensing.cell_classes import CELL_CLASSES
from companion.sensing.problems import CameraProblem
from companion.sensing.vision import cell_classifier
from companion.sensing.vision.ground import ACROSS
from companion.virtual.scene import Exposure
from tests.sensing.plain_tables import PlainTable
from tests.sensing.test_untagged_sensor import SMALL, Followed

MOVES = "a1-a3 d8-d6 a3-c5"
UNREADABLE = {"missing": "missing.onnx", "damaged": "test_cell_classifier.py"}
"""Files that stand for the classifier's."""


def problems(*, is_tagless: bool) -> frozenset[CameraProblem]:
    """What a camera of chess says of a well lit image."""
    setup = set_up_camera(CameraOptions("0", is_tagless=is_tagless), find("chess"), {})
    capture = cast("Any", SimpleNamespace(locked=None))
    return setup.judge(capture, np.full((480, 640), 128, np.uint8))


@pytest.mark.parametrize("name", UNREADABLE)
def test_play_goes_on_without_the_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cell_classifier.has_classifier()
    assert not problems(is_tagless=True)
    monkeypatch.setattr(cell_classifier, "model_file", lambda: Path(__file__).with_name(UNREADABLE[name]))
    assert problems(is_tagless=True) == {CameraProblem.NO_CLASSIFIER}
    assert not problems(is_tagless=False)
    windows = np.zeros((2, 6, ACROSS, ACROSS), np.float32)
    assert cell_classifier.shares_of(windows, 1.0).tolist() == [[0.0] * len(CELL_CLASSES)] * 2


def test_a_game_is_followed_without_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_classifier, "model_file", lambda: Path(__file__).with_name("missing.onnx"))
    table = PlainTable(find("close-quarters"), None, SMALL, seed=2)
    followed = Followed(table)
    table.set_up(followed.position)
    while followed.session is None:
        followed.observe(table.see())
    for text in MOVES.split():
        followed.play(text, Exposure(1.0))
    assert [each.move for each in followed.session.view().record] == followed.played
