# SPDX-License-Identifier: Apache-2.0
"""`companion tools film` keeps the camera's images, and they replay to the same game."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.cli.main import main
from companion.sensing.camera import CameraSensor
from companion.sensing.capture import recorded_images
from tests.host.printed import PrintedTable
from tests.phone import Phone


def filmed(folder: Path) -> PrintedTable:
    """A folder of lossless images of a move; the table afterwards.

    The pieces rest long enough for a recorder that misses images on a busy machine.
    """
    table = PrintedTable()
    folder.mkdir()
    images = [table.see() for _ in range(8)]
    images += table.carry("a1-b2")
    images += [table.see() for _ in range(30)]
    for number, image in enumerate(images):
        cv2.imwrite(str(folder / f"{number:03}@{number * 20:06}.png"), image)
    return table


@pytest.mark.parametrize("kept", ["kept", pytest.param("kept.avi", marks=pytest.mark.long)])
def test_a_recording_shows_the_same_move(
    kept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = filmed(tmp_path / "film")
    assert main(["tools", "film", str(tmp_path / "film"), str(tmp_path / kept)]) == 0
    assert "images are in" in capsys.readouterr().out
    sensor = CameraSensor(table.outfit)
    told = [sensor.observe(image, 33 * number) for number, image in enumerate(images_of(tmp_path / kept))]
    last = [observation for observation in told if observation is not None][-1]
    assert {cell for cell, _ in last.sightings.seen} == set(table.standing)


def images_of(path: Path) -> list[NDArray[np.uint8]]:
    if path.is_dir():
        return [image for _, image in recorded_images(path)]
    video = cv2.VideoCapture(str(path))
    images: list[NDArray[np.uint8]] = []
    while (read := video.read())[0]:
        images.append(np.asarray(cv2.cvtColor(read[1], cv2.COLOR_BGR2GRAY), np.uint8))
    video.release()
    return images


@pytest.mark.long
def test_a_lossless_recording_keeps_every_grey_and_every_time(tmp_path: Path) -> None:
    filmed(tmp_path / "film")
    assert main(["tools", "film", str(tmp_path / "film"), str(tmp_path / "kept"), "--lossless"]) == 0
    before, after = list(recorded_images(tmp_path / "film")), list(recorded_images(tmp_path / "kept"))
    for (taken_ms, image), (kept_ms, kept) in zip(before, after, strict=True):
        assert kept_ms >= taken_ms - 2  # whole milliseconds
        assert np.array_equal(image, kept)


@pytest.mark.parametrize(
    ("target", "words", "said"),
    [
        ("film", [], "holds images already: name another folder"),
        ("file.txt", [], "is a file: name a folder"),
        ("there.avi", [], "exists already"),
        ("new.avi", ["--lossless"], "a video is not lossless"),
        ("none/there.avi/x", [], "cannot be made"),
    ],
)
def test_a_place_that_will_not_do_is_answered_with_a_remedy(
    target: str, words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "film").mkdir()
    (tmp_path / "none").mkdir()
    cv2.imwrite(str(tmp_path / "film" / "1.png"), np.zeros((48, 64), np.uint8))
    for name in ("file.txt", "there.avi", "none/there.avi"):
        (tmp_path / name).write_text("")
    assert main(["tools", "film", str(tmp_path / "film"), str(tmp_path / target), *words]) == 1
    assert said in capsys.readouterr().err.replace("\n", " ")


def test_a_recording_ends_after_its_time(tmp_path: Path) -> None:
    with Phone() as phone:
        phone.hold(np.full((48, 64), 90, np.uint8))
        assert main(["tools", "film", phone.address, str(tmp_path / "kept"), "--seconds", "1"]) == 0
    times_ms = [taken_ms for taken_ms, _ in recorded_images(tmp_path / "kept")]
    assert 500 < times_ms[-1] < 1000


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_ctrl_c_ends_a_recording_in_order(how: signal.Signals, tmp_path: Path) -> None:
    target = tmp_path / "kept.avi"
    with Phone() as phone:
        phone.hold(np.full((48, 64), 90, np.uint8))
        program = subprocess.Popen(
            [sys.executable, "-m", "companion", "tools", "film", phone.address, str(target)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "200"},
        )
        for _ in range(20):
            phone.show(np.full((48, 64), 90, np.uint8))
        program.send_signal(how)
        said, complaints = program.communicate()
    assert (program.returncode, complaints) == (0, "")
    assert "images are in" in said
    assert images_of(target)
