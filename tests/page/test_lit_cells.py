# SPDX-License-Identifier: Apache-2.0
"""A piece that is dropped on a lit cell makes a legal move.

Hands send what the page sends.

Nothing is refused or wrong at any moment. Pieces, cells and answers are drawn by the date.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from companion import games

from .conftest import ended, started
from .lit_hands import play

PAIRS: Final = 12
LONG: Final = 200
TABLES: Final = 1
"""Tables at which each game is played at once."""


@pytest.mark.timeout(600)  # twelve hundred drops in a long run, two minutes on two idle cores
def test_a_piece_dropped_on_a_lit_cell_makes_a_legal_move(tmp_path: Path, *, is_long: bool) -> None:
    seed, pairs = f"{datetime.now(UTC):%Y-%m-%d}", LONG if is_long else PAIRS
    games_of = [(slug, number) for slug in games.slugs() for number in range(TABLES)]
    tables = [started(tmp_path / f"{slug}-{number}", game=slug) for slug, number in games_of]

    async def played() -> list[BaseException | None]:
        hands = (
            play(table.address, slug, f"{seed} {number}", pairs // TABLES)
            for (slug, number), table in zip(games_of, tables, strict=True)
        )
        return await asyncio.gather(*hands, return_exceptions=True)

    try:
        found = asyncio.run(played())
    finally:
        for table in tables:
            ended(table)
    faults = [str(each) for each in found if each is not None]
    assert not faults, f"drawn by {seed}: " + "\n".join(faults)
