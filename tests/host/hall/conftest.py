# SPDX-License-Identifier: Apache-2.0
"""What tests of a hall share."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.host import retry as retrying


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The URL of a database of this test."""
    return f"sqlite:///{tmp_path}/hall.sqlite"


@pytest.fixture(autouse=True)
def nobody_takes_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is tried again soon: a test has nobody to spare."""
    monkeypatch.setattr(retrying, "AFTER_S", 0.05)
