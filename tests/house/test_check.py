# SPDX-License-Identifier: Apache-2.0
"""`check.py`: its report on the tests, and the environment of the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import check

FILE = """
import pytest, threading

@pytest.mark.parametrize("tenths", range(3))
def test_waits(tenths):
    threading.Event().wait(tenths / 10)
"""


def test_the_slowest_tests_are_named_with_their_seconds(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(FILE)
    report = tmp_path / "tests.xml"
    few = ["--numprocesses=1", "-p", "no:cacheprovider", "test_some.py"]
    command = check.tests(Path(sys.executable), few, report)
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    told = [re.fullmatch(r" +(\d+\.\d) s  (.*)", line) for line in check.slowest(report, 2)]
    named = [(float(found[1]) > 0, found[2]) for found in told if found]
    assert named == [(True, "test_some.py::test_waits[2]"), (True, "test_some.py::test_waits[1]")]


def test_without_a_report_no_test_is_named(tmp_path: Path) -> None:
    assert check.slowest(tmp_path / "tests.xml") == []


def test_programs_that_tests_start_find_their_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import sys; print(sys.dont_write_bytecode)"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=check.tests_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "False\n"
    assert check.tests_environment()["PATH"] == os.environ["PATH"]


def test_each_check_is_reported_with_its_duration() -> None:
    code, said, seconds = check.read([sys.executable, "-c", "print('well')"])
    assert (code, said) == (0, "well\n")
    assert 0 < seconds < 60
