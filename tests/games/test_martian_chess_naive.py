# SPDX-License-Identifier: Apache-2.0
"""A second generator of Martian Chess moves, based on the printed board, agrees."""

from __future__ import annotations

import random

import pytest

from companion.games.martian_chess import GAME, MartianRules
from companion.games.martian_chess.rules import CALL, GameState
from tests.games.naive import martian_chess as naive
from tests.games.support import option_sets, random_positions

SETS = [
    *option_sets("martian-chess"),
    *({"players": players, "centre": "either-neighbour"} for players in "35"),
    *({"players": players, "no_undo": "all"} for players in "3456"),
    {"players": "4", "teams": "opposite-corners", "deadlock": "call-the-clock-7"},
    {"players": "6", "deadlock": "27-quiet-moves", "merge": "replace"},
    {"players": "3", "deadlock": "call-the-clock-7"},
]


def check_against_naive(rules: MartianRules, board: naive.Sheet, position: GameState) -> None:
    name = rules.grid.name
    found = {
        ("clock", "") if move == CALL else (name(move >> 7), name(move & 127))
        for move in rules.legal_moves(position)
    }
    assert found == naive.moves(rules.write_position(position), board, rules.players, dict(rules.options))


def sheet(rules: MartianRules) -> naive.Sheet:
    forks = rules.options["centre"] == "either-neighbour"
    return naive.sheet(rules.grid.names, rules.grid.outlines, forks=forks)


@pytest.mark.parametrize("options", SETS, ids=str)
def test_a_second_generator_agrees_in_games(options: dict[str, str], is_long: bool) -> None:
    rules = GAME.rules(options)
    board = sheet(rules)
    for position in random_positions(rules, seed=3, count=10_000 if is_long else 300, plies=90):
        check_against_naive(rules, board, position)


def crowded(rules: MartianRules, chance: random.Random) -> GameState:
    """A position of few or many pieces of all kinds anywhere."""
    share = chance.choice((0.1, 0.3, 0.6, 0.95))
    board = bytes(
        chance.choice((1, 2, 3, 6, 7, 11)) if chance.random() < share else 0 for _ in range(len(rules.grid))
    )
    occupied = sum(1 << cell for cell, code in enumerate(board) if code)
    out = 1 << chance.randrange(rules.players) if chance.random() < 0.2 else 0
    turn = chance.choice([side for side in range(rules.players) if not out >> side & 1])
    return GameState(turn, board, occupied, (0,) * rules.players, out=out)


@pytest.mark.parametrize("options", [{"players": players} for players in "23456"] + SETS[-6:], ids=str)
def test_a_second_generator_agrees_in_crowded_positions(options: dict[str, str], is_long: bool) -> None:
    rules, chance = GAME.rules(options), random.Random(9)
    board = sheet(rules)
    for _ in range(10_000 if is_long else 100):
        check_against_naive(rules, board, crowded(rules, chance))


@pytest.mark.parametrize("players", "23456")
def test_a_side_with_a_piece_has_a_move_even_without_undoing(players: str) -> None:
    """With any single move forbidden, another remains.

    So the rules need no provision for a side without a move.
    """
    rules, chance = GAME.rules({"players": players, "no_undo": "all"}), random.Random(2)
    for _ in range(300):
        position = crowded(rules, chance)
        moves = rules.legal_moves(position)
        crossing = [move for move in moves if rules.layout.zone_of[move & 127] != position.turn]
        assert bool(moves) == (rules.status(position) is None)
        for move in crossing:
            assert rules.legal_moves(position._replace(undo=move))
