# SPDX-License-Identifier: Apache-2.0
"""`companion doctor --camera` measures a camera and names faults with remedies."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.host.doctor.camera import BoardFacts, CameraFacts, CameraProbe, examine, glimpse
from companion.host.doctor.checks import Level
from companion.sensing.problems import CameraProblem
from companion.sensing.profile import Locked
from tests.host.printed import PrintedTable
from tests.virtual.scene import Exposure

BOARD = BoardFacts(4, 4, 0.3, ("h8", 4.2), 0.4)
WELL = CameraFacts("0", "C920", (1920, 1080), 30.0, False, Locked(True, True, True), None, "", BOARD)


def test_a_good_camera_has_no_findings() -> None:
    found = examine(WELL)
    assert all(finding.level is Level.GOOD for finding in found)
    assert [finding.subject for finding in found] == [
        "Camera",
        "Pace",
        "Settings of the camera",
        "Light",
        "Board",
        "Tags",
        "Speed",
    ]


@pytest.mark.parametrize(
    ("facts", "level", "said"),
    [
        (replace(WELL, rate=8.0), Level.FAULT, "8 images a second: moves are seen late"),
        (replace(WELL, locked=Locked(False, True, False)), Level.NOTE, "changes exposure, focus by itself"),
        (replace(WELL, light=CameraProblem.TOO_BRIGHT), Level.FAULT, "move the lamp or the camera"),
        (replace(WELL, light=CameraProblem.TOO_DARK), Level.FAULT, "more light"),
        (replace(WELL, mismatch="camera 0 gives 640×480"), Level.FAULT, "gives 640×480"),
        (replace(WELL, board=BoardFacts(2, 4)), Level.FAULT, "2 of 4 corner tags are seen"),
        (
            replace(WELL, board=BoardFacts(0, 4, problem=CameraProblem.OTHER_BOARD, other="Chess")),
            Level.FAULT,
            "this is the board of Chess",
        ),
        (replace(WELL, board=BoardFacts(0, 4, problem=CameraProblem.MIRRORED)), Level.FAULT, "is mirrored"),
        (replace(WELL, board=BoardFacts(4, 4, problem=CameraProblem.TWO_BOARDS)), Level.FAULT, "two boards"),
        (replace(WELL, board=replace(BOARD, residual_px=3.0)), Level.NOTE, "3.0 pixels from where"),
        (
            replace(WELL, board=replace(BOARD, weakest=("a20", 1.6))),
            Level.FAULT,
            "1.6 pixels a module at a20",
        ),
        (replace(WELL, board=replace(BOARD, weakest=("a20", 2.5))), Level.NOTE, "enough in good light"),
        (replace(WELL, board=replace(BOARD, look_ms=31.0)), Level.FAULT, "let the camera send smaller"),
    ],
)
def test_each_fault_is_named_with_its_remedy(facts: CameraFacts, level: Level, said: str) -> None:
    wrong = [finding for finding in examine(facts) if finding.level is not Level.GOOD]
    assert [(finding.level, said in finding.said) for finding in wrong] == [(level, True)]


def film(folder: Path, exposure: Exposure) -> str:
    folder.mkdir()
    table = PrintedTable()
    for number in range(4):
        cv2.imwrite(str(folder / f"{number}.png"), table.scene.photograph(exposure))
    return str(folder)


def test_a_board_before_a_camera_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = film(tmp_path / "film", Exposure())
    assert main(["doctor", "--camera", source, "--game", "close-quarters"]) == 0
    out = capsys.readouterr().out.replace("\n", " ")
    assert "1280×720" in out
    assert "Board: found, to 0." in out
    assert "pixels a module at" in out
    assert "No faults." in out


def test_the_board_of_another_game_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = film(tmp_path / "film", Exposure())
    assert main(["doctor", "--camera", source, "--game", "gottaz"]) == 1
    assert "this is the board of Close Quarters" in capsys.readouterr().out.replace("\n", " ")


def test_a_board_in_the_dark_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = film(tmp_path / "film", Exposure(0.05))
    assert main(["doctor", "--camera", source]) == 1
    assert "the picture is too dark" in capsys.readouterr().out
    assert main(["doctor", "--camera", source, "--language", "de"]) == 1
    assert "zu dunkel: mehr Licht" in capsys.readouterr().out


def test_a_camera_that_sees_no_board_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "film").mkdir()
    cv2.imwrite(str(tmp_path / "film" / "1.png"), np.full((720, 1280), 120, np.uint8))
    assert main(["doctor", "--camera", str(tmp_path / "film"), "--game", "chess"]) == 1
    assert "0 of 4 corner tags are seen" in capsys.readouterr().out


def test_a_missing_camera_is_reported_with_the_list_of_cameras(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "--camera", "97"]) == 1
    assert "camera 97" in capsys.readouterr().err


def test_a_quick_look_reports_the_images_or_why_there_are_none(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), np.full((48, 64), 99, np.uint8))
    assert CameraProbe("64×48 pixels", is_good=True) == glimpse(str(tmp_path))
    gone = glimpse(str(tmp_path / "nothing.avi"))
    assert not gone.is_good
    assert "cannot be opened" in gone.said


def test_a_hanging_driver_does_not_block_the_check() -> None:
    never = threading.Event()

    def hanging(_source: str) -> None:
        never.wait()

    seen = glimpse("3", patience_s=0.05, one=hanging)
    assert CameraProbe("camera 3 gives no picture within 0.05 s", is_good=False) == seen
    never.set()


def test_no_camera_is_reported_faulty_without_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "companion.sensing.capture", None)
    assert CameraProbe("", is_good=True) == glimpse("0")
