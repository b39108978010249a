# SPDX-License-Identifier: Apache-2.0
"""`docs/close-quarters.md` has the values that the solver finds."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from companion.games.close_quarters import GAME
from companion.opponent.close_quarters.analysis import Analyst, Score
from companion.opponent.close_quarters.moves import cells_of, is_alive
from companion.opponent.close_quarters.numbers import POSITIONS
from companion.opponent.close_quarters.paths import MoveOptions
from companion.opponent.close_quarters.tablebase import DRAWN, INVALID
from tests.opponent.close_quarters.samples import KING, OPTIONS, rules_of, solved

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "close-quarters.md").read_text(encoding="utf-8")
STARTS = next(option for option in GAME.options if option.name == "start").values
SETS = [
    pytest.param(options, marks=() if options == KING else pytest.mark.long, id="-".join(options))
    for options in OPTIONS
]


def rows(heading: str, options: MoveOptions) -> list[list[str]]:
    """The cells after the options, in the rows below *heading* that are about *options*."""
    table = TEXT.split(heading)[1].split("\n## ")[0]
    one = r"`[^`|]*`(?: or `[^`|]*`)*"
    found = []
    for line in table.splitlines():
        parts = re.fullmatch(rf"\| ({one})(?:,| \|) ({one})(?:,| \|) ({one}) \| (.*) \|", line)
        if parts and all(f"`{value}`" in parts[index] for index, value in enumerate(options, 1)):
            found.append([cell.strip() for cell in parts[4].split("|")])
    return found


def said(score: Score) -> str:
    return "draw" if score.winner is None else f"{'won' if score.winner == 0 else 'lost'} in {score.plies}"


@pytest.mark.parametrize("options", SETS)
def test_the_value_of_every_start_is_documented(options: MoveOptions) -> None:
    solver = solved(options)
    values = []
    for start in STARTS:
        rules = rules_of(options, start=start)
        values.append(said(Analyst(rules, solver.tablebase()).score(rules.initial())))
    longest = solver.plies[solver.plies < DRAWN].max()
    assert rows("## The value of every start", options) == [[*values, f"{longest}"]]


@pytest.mark.parametrize("options", SETS)
def test_the_numbers_of_positions_are_documented(options: MoveOptions) -> None:
    counts = []
    cells = cells_of(np.arange(POSITIONS))
    for side in range(2):
        plies = solved(options).plies[side][is_alive(cells, 0) & is_alive(cells, 1)]
        plies = plies[plies != INVALID]
        kinds = (plies % 2 == 1, plies == DRAWN, (plies % 2 == 0) & (plies != DRAWN))
        counts.append(", ".join(f"{kind.sum():,}".replace(",", " ") for kind in kinds))
    assert rows("## All positions", options) == [counts]
