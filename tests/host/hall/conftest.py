# SPDX-License-Identifier: Apache-2.0
"""Fixtures for all tests of a hall."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.host import retry as retrying


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The URL of a fresh database."""
    return f"sqlite:///{tmp_path}/hall.sqlite"


@pytest.fixture(autouse=True)
def short_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed operations are tried again soon, so that tests do not wait."""
    monkeypatch.setattr(retrying, "AFTER_S", 0.05)
