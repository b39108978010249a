# SPDX-License-Identifier: Apache-2.0
"""Cameras work with the lowest and the newest OpenCV that `pyproject.toml` allows.

All other tests use the version of `requirements/`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tests.house.test_requirements import ranges

ROOT = Path(__file__).parents[2]
SEEN = (
    "tests/cli/test_films.py",
    "tests/cli/test_record.py",
    "tests/host/doctor/test_camera.py",
    "tests/sensing/test_annotated.py",
    "tests/sensing/test_capture.py",
    "tests/sensing/test_camera.py",
    "tests/sensing/test_untagged_sensor.py",
    "tests/sensing/vision",
    "tests/calibration/test_chart.py",
    "tests/calibration/test_training.py",
    "tests/calibration/test_view_fit.py",
)
"""Films on the command line, drivers, tags, plain pieces, and what the workshop measures."""


def run(*command: str | Path, libraries: Path | None = None) -> str:
    """What *command* prints, run in this folder; modules in *libraries* precede those installed."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    if libraries:
        surroundings["PYTHONPATH"] = str(libraries)
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the lowest versions have wheels for the lowest Python"
)
@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
def test_cameras_work_with_the_lowest_and_the_newest_opencv(resolution: str, tmp_path: Path) -> None:
    wanted = [each for each in ranges("dev") if each.name.startswith(("numpy", "opencv-python"))]
    (name,) = (each.name for each in wanted if each.marker and each.marker.evaluate())
    libraries = tmp_path / "libraries"
    install = f"-m uv pip install --quiet --resolution {resolution} --python".split()
    run(sys.executable, *install, sys.executable, "--target", libraries, *map(str, wanted))
    (found,) = metadata.distributions(name=name, path=[str(libraries)])
    if found.version == metadata.version(name):
        pytest.skip(f"all other tests use OpenCV {found.version}")
    told = run(sys.executable, "-c", "import cv2; print(cv2.__file__)", libraries=libraries)
    assert told.startswith(str(libraries))
    run(sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *SEEN, libraries=libraries)
