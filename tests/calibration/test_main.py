# SPDX-License-Identifier: Apache-2.0
"""The workshop's command line says what it needs."""

from __future__ import annotations

import subprocess
import sys


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "calibration", *words]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def test_help_lists_the_walk() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "Walk over the board with a magnet" in done.stdout


def test_a_missing_port_is_named() -> None:
    done = run("reeds", "--port", "/dev/ttyNONE")
    assert done.returncode == 1
    assert "there is no port /dev/ttyNONE" in " ".join(done.stderr.split())


def test_words_that_are_not_understood_end_with_two() -> None:
    assert run("reeds").returncode == 2
