# SPDX-License-Identifier: Apache-2.0
"""What tests of a hall share."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.host import saving
from companion.host.hall import appearing, attending, boards, branch


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The URL of a database of this test."""
    return f"sqlite:///{tmp_path}/hall.sqlite"


@pytest.fixture(autouse=True)
def nobody_takes_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is tried again soon: a test has nobody to spare."""
    for module, wait in (
        (appearing, "_TELL_S"),
        (attending, "_WAIT_S"),
        (boards, "_AGAIN_S"),
        (branch, "_LEAST_WAIT_S"),
        (saving, "_ROOM_S"),
    ):
        monkeypatch.setattr(module, wait, 0.05)
