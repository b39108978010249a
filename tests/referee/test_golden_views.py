# SPDX-License-Identifier: Apache-2.0
"""The view of every game after scripted plies matches its golden file."""

from __future__ import annotations

import pytest

from .golden_views import FOLDER, draw, played


@pytest.mark.parametrize("slug", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_the_view_after_a_scripted_game_matches_its_golden_file(slug: str) -> None:
    assert draw(played(slug).session.view()) == (FOLDER / f"{slug}.txt").read_text(encoding="utf-8")
