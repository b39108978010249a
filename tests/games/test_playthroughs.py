# SPDX-License-Identifier: Apache-2.0
"""Recorded playthroughs replay line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.games import find
from tests.games.playthroughs import read, write

FOLDER = Path(__file__).parent / "playthroughs"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_a_playthrough_replays_line_by_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    slug, options, moves = read(text)
    assert slug == path.stem
    assert write(find(slug).rules(options), moves).splitlines() == text.splitlines()
