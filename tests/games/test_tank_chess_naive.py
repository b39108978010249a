# SPDX-License-Identifier: Apache-2.0
"""A second generator of Tank Chess moves and announcements agrees."""

from __future__ import annotations

import itertools
import random

import pytest

from companion.games.tank_chess import GAME, TankChessRules
from companion.games.tank_chess.maps import draw
from companion.games.tank_chess.pieces import LETTERS
from companion.games.tank_chess.rules import GameState
from companion.model.grid import COMPASS
from companion.model.occupancy import cells_of
from tests.games.fields import bare, field
from tests.games.naive import tank_chess as naive
from tests.games.support import option_sets, random_positions


def random_text(rules: TankChessRules, chance: random.Random, count: int) -> str:
    """A position of *count* tanks and wrecks anywhere.

    It has many shots and many escapes.
    """
    open_cells = list(cells_of(rules.grid.everything & ~rules.terrain.obstacles))
    cells = [rules.grid.name(cell) for cell in chance.sample(open_cells, count)]
    letters = ["C", "c", *chance.choices(LETTERS + LETTERS.lower(), k=count - 2)]
    looks = [
        chance.choice((*COMPASS, "x")) if sign not in "Cc" else chance.choice(COMPASS) for sign in letters
    ]
    looks = [
        "x" if sign in "Cc" and n > 1 else look
        for n, (sign, look) in enumerate(zip(letters, looks, strict=True))
    ]
    return " ".join([chance.choice("wb"), *map("".join, zip(letters, cells, looks, strict=True))])


def check_against_naive(
    rules: TankChessRules, position: GameState, picture: str, *, reverse_out: bool = False
) -> None:
    table = naive.read(rules.write_position(position), picture, reverse_out=reverse_out)
    assert {bare(rules, move) for move in rules.legal_moves(position)} == naive.moves(table)
    called = {
        (cry.cry.value, rules.grid.name(cause))
        for cry in rules.announcements(position)
        for cause in cry.causes
    }
    assert called == naive.cries(table)


@pytest.mark.parametrize(("share", "options"), [*enumerate(option_sets("tank-chess"))], ids=str)
def test_a_second_generator_agrees_in_games(share: int, options: dict[str, str], is_long: bool) -> None:
    """Each option has its own games; every third position is checked."""
    rules = GAME.rules(options)
    positions = random_positions(rules, seed=10_000 * share, count=9000 if is_long else 75, plies=150)
    for position in itertools.islice(positions, share % 3, None, 3):
        check_against_naive(rules, position, draw(rules.map))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("walls", ["", "B2 C2 F2 D4 E5 C7 F7 G7"])
def test_a_second_generator_agrees_in_crowded_positions(walls: str, reverse: bool, is_long: bool) -> None:
    """Leaving in reverse adds no position: the Command Tank can always turn and drive out."""
    rules, chance = field(walls), random.Random(f"{walls} {'yes' if reverse else 'no'}")
    for _ in range(10_000 if is_long else 80):
        position = rules.read_position(random_text(rules, chance, chance.randint(2, 14)))
        check_against_naive(rules, position, draw(rules.map), reverse_out=reverse)


@pytest.mark.parametrize(
    "outside",
    [
        "A1 A8 H1 H8 B1 G8",
        "D8 E8 D7 E7 A1 B1 A2 H3",
        "C4 D4 E4 D5",
        "A8 B8 C8 D8 E8 F8 A7 B7 C7 A6 H1 G1 F1",
    ],
)
def test_a_second_generator_agrees_on_boards_with_border_surfaces(outside: str, is_long: bool) -> None:
    rules, chance = field("C3 F6", "CD2N cE6S", outside), random.Random(outside)
    escapes = 0
    for _ in range(10_000 if is_long else 40):
        position = rules.read_position(random_text(rules, chance, chance.randint(2, 9)))
        check_against_naive(rules, position, draw(rules.map))
        escapes += any(bare(rules, move).endswith("-off") for move in rules.legal_moves(position))
    assert escapes
