# SPDX-License-Identifier: Apache-2.0
"""What tests of a hall share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The URL of a database of this test."""
    return f"sqlite:///{tmp_path}/hall.sqlite"
