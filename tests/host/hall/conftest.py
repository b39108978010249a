# SPDX-License-Identifier: Apache-2.0
"""Fixtures for all tests of a hall."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The URL of a fresh database."""
    return f"sqlite:///{tmp_path}/hall.sqlite"
