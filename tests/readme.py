# SPDX-License-Identifier: Apache-2.0
"""The games that the README presents: of these everything must be there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

README: Final = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
_ROW: Final = re.compile(r"^\| <img [^|]*<br>([^|]+) \|(.+)\|$", re.MULTILINE)


def game_rows() -> dict[str, list[str]]:
    """The table of the games: by slug, players, minutes and boards."""
    return {
        title.lower().replace(" ", "-"): [cell.strip() for cell in cells.split("|")]
        for title, cells in _ROW.findall(README)
    }


PRESENTED: Final = tuple(sorted(game_rows()))
"""The slugs of the games in the README."""
