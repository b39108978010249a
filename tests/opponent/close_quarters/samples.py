# SPDX-License-Identifier: Apache-2.0
"""Positions and options of Close Quarters for the tests of its solution."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import product

from companion.games import find
from companion.games.close_quarters import CloseQuartersRules, GameState
from companion.model.grid import OFF
from companion.opponent.close_quarters.paths import MoveOptions
from companion.opponent.close_quarters.solver import Solver

NAMES = ("sword", "sword_jumps", "mace_path")
OPTIONS = [
    MoveOptions(*values)
    for values in product(
        *(option.values for option in find("close-quarters").options if option.name in NAMES)
    )
]
"""All combinations of the options that decide how pieces move."""

KING = MoveOptions("king", "no", "straight-first")
"""Options under which most positions are won for the weapons."""


def rules_of(options: MoveOptions, **more: str) -> CloseQuartersRules:
    rules = find("close-quarters").rules({**options._asdict(), **more})
    assert isinstance(rules, CloseQuartersRules)
    return rules


def positions(rules: CloseQuartersRules, seed: int, count: int) -> Iterator[GameState]:
    """Random positions in which the game goes on; eliminated weapons are frequent."""
    chance = random.Random(seed)
    while count:
        cells = chance.sample(range(32), 4)
        kept = [cells[0], *(cell if chance.random() < 0.7 else OFF for cell in cells[1:])]
        position = GameState(chance.randrange(2), *kept)
        if rules.status(position) is None:
            count -= 1
            yield position


def every_position(rules: CloseQuartersRules) -> Iterator[GameState]:
    """All positions in which the game goes on."""
    for turn, *cells in product(range(2), range(32), *[range(OFF, 32)] * 3):
        standing = [cell for cell in cells if cell != OFF]
        position = GameState(turn, *cells)
        if len({*standing}) == len(standing) and rules.status(position) is None:
            yield position


@cache
def solved(options: MoveOptions) -> Solver:
    """All positions under *options*, analysed; takes some seconds."""
    solver = Solver(options)
    for _ in solver.steps():
        pass
    return solver
