# SPDX-License-Identifier: Apache-2.0
"""What several tests of the whole folder need."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """There is an index of packages."""
    folder = tmp_path_factory.mktemp("index")
    pip = [sys.executable, "-m", "pip", "--quiet", "download", "--no-deps", "--dest", str(folder), "typer"]
    if subprocess.run(pip, capture_output=True, check=False).returncode:
        missing = "there is no index of packages: is this machine online?"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
