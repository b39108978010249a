# SPDX-License-Identifier: Apache-2.0
"""Standard views match their reviewed golden files."""

from __future__ import annotations

import pytest

from companion.referee.values.view import TableView

from .goldens import FOLDER, draw
from .views import VIEWS


@pytest.mark.parametrize(("name", "view"), VIEWS.items(), ids=VIEWS)
def test_a_standard_view_matches_its_golden_file(name: str, view: TableView) -> None:
    assert draw(view) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
