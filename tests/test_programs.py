# SPDX-License-Identifier: Apache-2.0
"""Programs of `tests.programs` behave as those that Python starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.programs import Program, companion

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--version"], marks=pytest.mark.long),
        ["games", "chess"],
        pytest.param(["play", "ludo"], marks=pytest.mark.long),
        ["rules", "chess", "--language", "fr"],
        ["tools", "moves", "--nonsense"],
    ],
)
def test_output_and_exit_code_are_those_of_python_m_companion(words: list[str]) -> None:
    environment = {**os.environ, "COLUMNS": "60"}
    long_way = subprocess.run(
        [sys.executable, "-m", "companion", *words],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    program = Program("companion", words, stdout=PIPE, stderr=PIPE, env=environment)
    assert program.communicate() == (long_way.stdout, long_way.stderr)
    assert program.returncode == long_way.returncode


def test_a_program_reads_its_input_and_ends_with_it() -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    words = ["tools", "simulate", "chess", "--listen", "0"]
    with Program("companion", words, stdin=PIPE, stdout=PIPE, env=environment) as panel:
        assert panel.stdout is not None
        assert "socket://" in panel.stdout.readline()
        assert panel.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            panel.wait(timeout=0)
        panel.communicate()
    assert panel.returncode == 0


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGKILL, -9)])
def test_signals_reach_the_program(how: signal.Signals, code: int, tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    words = ["play", "close-quarters", "--no-browser", "--http-port=0"]
    with Program("companion", words, stdout=PIPE, env=environment) as program:
        assert program.stdout is not None
        next(line for line in program.stdout if "connected" in line)
        program.send_signal(how)
        program.stdout.read()
    assert program.returncode == code
    assert list(tmp_path.rglob("*.jsonl"))


def test_a_program_that_fails_is_reported() -> None:
    with pytest.raises(AssertionError, match="companion play ludo ended with 2"):
        companion("play", "ludo")
