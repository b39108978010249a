# SPDX-License-Identifier: Apache-2.0
"""The moves of many positions at once are those of the rules, forwards and backwards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from companion.games.close_quarters import CloseQuartersRules, GameState
from companion.model.grid import OFF, Cell
from companion.opponent.close_quarters.moves import Moves
from companion.opponent.close_quarters.numbers import BASE, GONE, WEIGHTS, number_of
from companion.opponent.close_quarters.paths import MoveOptions
from tests.opponent.close_quarters.samples import OPTIONS, positions, rules_of

NAMED = ["-".join(options) for options in OPTIONS]


def after(rules: CloseQuartersRules, position: GameState) -> Counter[int]:
    """The numbers of the positions after each legal move of *position*."""
    return Counter(number_of(rules.apply(position, move)[1:5]) for move in rules.legal_moves(position))


@pytest.mark.parametrize("options", OPTIONS, ids=NAMED)
def test_successors_are_the_positions_after_the_legal_moves(options: MoveOptions) -> None:
    rules, moves = rules_of(options), Moves(options)
    found = [*positions(rules, 1, 2000)]
    for side in range(2):
        mine = [position for position in found if position.turn == side]
        numbers = np.array([number_of(position[1:5]) for position in mine])
        successors: list[Counter[int]] = [Counter() for _ in mine]
        for is_legal, reached in moves.successors(side, numbers):
            for index in np.flatnonzero(is_legal):
                successors[index][int(reached[index])] += 1
        assert successors == [after(rules, position) for position in mine]


def cells_in(number: int) -> tuple[Cell, ...]:
    """The cells of the four pieces: the inverse of `number_of`."""
    digits = (number // weight % BASE for weight in WEIGHTS)
    return tuple(OFF if digit == GONE else digit for digit in digits)


@pytest.mark.parametrize("options", OPTIONS, ids=NAMED)
def test_predecessors_are_the_positions_whose_moves_lead_there(options: MoveOptions) -> None:
    rules, moves = rules_of(options), Moves(options)
    for position in positions(rules, 2, 60):
        number = number_of(position[1:5])
        for reached in after(rules, position):
            before = [*moves.predecessors(position.turn, np.array([reached]))]
            assert np.concatenate(before).tolist().count(number) == 1
        (mine,) = [np.concatenate([*moves.predecessors(1 - position.turn, np.array([number]))])]
        for each in mine.tolist():
            earlier = GameState(1 - position.turn, *cells_in(each))
            assert rules.status(earlier) is None
            assert after(rules, earlier)[number] == 1


def test_the_king_takes_one_step_whether_it_may_jump_or_not() -> None:
    for path in ("straight-first", "either"):
        plain, jumping = (Moves(MoveOptions("king", jumps, path)) for jumps in ("no", "yes"))
        numbers = np.arange(33**3, 2 * 33**3)
        for one, other in zip(plain.successors(0, numbers), jumping.successors(0, numbers), strict=True):
            assert all(np.array_equal(left, right) for left, right in zip(one, other, strict=True))
