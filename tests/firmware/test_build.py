# SPDX-License-Identifier: Apache-2.0
"""What `make` makes: a board for every panel file, the same bytes wherever it is built, and nothing cppcheck minds."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware.generate import PANELS, ROOT
from tests.firmware.simulator_library import BUILD, make, require_tools

pytestmark = pytest.mark.firmware


def test_every_panel_has_its_hex() -> None:
    require_tools()
    make("Makefile", "boards")
    made = {path.stem.split("-", 1)[1] for path in BUILD.glob("*.hex")}
    assert made >= {path.stem for path in PANELS.glob("*.toml")}


def test_the_same_source_makes_the_same_hex_in_another_folder(tmp_path: Path) -> None:
    require_tools()
    make("Makefile", str(BUILD / "nano-4x8.hex"))
    shutil.copytree(
        ROOT / "firmware", tmp_path / "elsewhere" / "firmware", ignore=shutil.ignore_patterns("build")
    )
    shutil.copytree(PANELS, tmp_path / "elsewhere" / "companion" / "panels")
    there = tmp_path / "elsewhere" / "firmware" / "build" / "nano-4x8.hex"
    subprocess.run(
        ["make", "-s", "-C", str(tmp_path / "elsewhere" / "firmware"), str(there)],
        check=True,
        capture_output=True,
        env={**os.environ, "LC_ALL": "C", "TZ": "Asia/Tokyo"},
    )
    assert there.read_bytes() == (BUILD / "nano-4x8.hex").read_bytes()


def test_cppcheck_finds_nothing() -> None:
    require_tools()
    if shutil.which("cppcheck") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("cppcheck missing: apt-get install -y cppcheck")
        pytest.skip("cppcheck missing")
    make("Makefile", "cppcheck")
