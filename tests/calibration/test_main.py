# SPDX-License-Identifier: Apache-2.0
"""The workshop's command line reports missing requirements."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run(*words: str, path: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "calibration", *words]
    env = {**os.environ, "PYTHONPATH": path, "COLUMNS": "120"}
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, env=env
    )


def test_help_lists_the_wiring_walk() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "Test a board with a magnet" in done.stdout


def test_help_lists_what_can_be_fitted_with_examples() -> None:
    told = run("--help").stdout
    assert all(name in told for name in ("workshop", "camera", "reeds", "tagfamily"))
    assert "--shows empty" in run("camera", "--help").stdout


def test_the_remedy_for_missing_opencv_is_named(tmp_path: Path) -> None:
    (tmp_path / "cv2.py").write_text("raise ModuleNotFoundError('no cv2', name='cv2')", encoding="utf-8")
    for words in (["workshop", "--no-browser"], ["camera", str(tmp_path), "--game=chess"]):
        done = run(*words, path=str(tmp_path))
        assert done.returncode == 1
        assert "a camera needs cv2" in " ".join(done.stderr.split())


def test_a_missing_port_is_named() -> None:
    done = run("reeds", "--port", "/dev/ttyNONE")
    assert done.returncode == 1
    assert "there is no port /dev/ttyNONE" in " ".join(done.stderr.split())


def test_unknown_arguments_exit_with_code_two() -> None:
    assert run("reeds").returncode == 2
