# SPDX-License-Identifier: Apache-2.0
"""The lowest versions in `pyproject.toml` exist, fit together, and work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from requirements import pins
from tests.house.test_requirements import ranges

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.skipif(
        sys.version_info[:2] != (3, 11), reason="the lowest versions have wheels for the lowest Python"
    ),
    pytest.mark.usefixtures("index"),
]

IMPORT_ALL = """
import importlib, pkgutil, calibration, companion
for package in (companion, calibration):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""


def run(*command: str | Path) -> str:
    """What *command* prints, run in this folder."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lowest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the lowest versions."""
    file = tmp_path_factory.mktemp("lowest") / "lowest.txt"
    options = "--quiet --resolution lowest-direct --no-header --no-annotate --extra dev --group build"
    run(sys.executable, "-m", "uv", "pip", "compile", *options.split(), "pyproject.toml", "-o", file)
    return file


def test_no_range_begins_lower_than_versions_that_fit_together(lowest: Path) -> None:
    resolved = {canonicalize_name(name): Version(version) for name, version in pins.pins(lowest).items()}
    for wanted in ranges("dev"):
        (bound,) = (Version(part.version) for part in wanted.specifier if part.operator == ">=")
        if wanted.marker is None or wanted.marker.evaluate():
            version = resolved[canonicalize_name(wanted.name)]
            assert version.release[: len(bound.release)] == bound.release, f"{wanted}: raise it to {version}"


@pytest.mark.timeout(900)
def test_the_program_works_with_the_lowest_versions(lowest: Path, tmp_path: Path, is_long: bool) -> None:
    """Import every module, play a game, and run tests of hall, pages and records."""
    if not is_long:
        pytest.skip("takes minutes: --long")
    uv = [sys.executable, "-m", "uv"]
    python = tmp_path / "env/bin/python"
    run(*uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "env")
    run(*uv, "pip", "install", "--quiet", "--python", python, "--requirement", lowest)
    run(python, "-c", IMPORT_ALL)
    assert run(python, "-m", "companion", "--version").startswith("companion ")
    assert "replays to the same events" in run(python, "-m", "companion", "tools", "demo")
    tests = "tests/host/hall/test_api.py tests/host/records/test_store.py tests/sheets tests/host/web/test_connections.py"
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not browser", *tests.split())
