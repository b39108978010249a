# SPDX-License-Identifier: Apache-2.0
"""A video file in place of a camera, on the command line."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from subprocess import PIPE

import cv2
import pytest

from companion.cli.main import main
from companion.host.journal import journal
from companion.referee.values.events import MoveMade
from tests.host.printed import PrintedTable
from tests.programs import Program

PLAY = ["play", "close-quarters", "--no-browser", "--http-port", "0", "--camera"]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The start position, then `a1-b2`, then two thirds of a second of rest."""
    table = PrintedTable()
    images = [table.see() for _ in range(12)]
    images += table.carry("a1-b2")
    images += [table.see() for _ in range(20)]
    path = str(tmp_path_factory.mktemp("film") / "game.avi")
    height, width = images[0].shape
    video = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*"MJPG"), 30.0, (width, height))
    for image in images:
        video.write(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR))
    video.release()
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_a_game_is_played_from_a_video_file_to_its_end(film: str, tmp_path: Path) -> None:
    surroundings = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200", "XDG_DATA_HOME": str(tmp_path)}
    with Program("companion", [*PLAY, film], stdout=PIPE, env=surroundings) as program:
        assert program.stdout is not None
        has_ended = any("The recording has ended." in line for line in program.stdout)
        program.send_signal(signal.SIGINT)
        program.stdout.read()
    assert has_ended
    assert program.returncode == 0
    (path,) = tmp_path.rglob("*.jsonl")
    assert {each.move for each in journal.read(path).events if isinstance(each, MoveMade)} == {"a1-b2"}


def test_a_board_in_a_video_file_is_measured(film: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--camera", film, "--game", "close-quarters"]) == 0
    assert "Board: found, to 0." in capsys.readouterr().out.replace("\n", " ")
