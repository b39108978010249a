# SPDX-License-Identifier: Apache-2.0
"""The solver's distances are right in all positions; `proof` says why."""

from __future__ import annotations

import numpy as np
import pytest

from companion.opponent.close_quarters.moves import cells_of, is_alive
from companion.opponent.close_quarters.numbers import POSITIONS, WEIGHTS
from companion.opponent.close_quarters.paths import MoveOptions
from companion.opponent.close_quarters.tablebase import DRAWN, INVALID, SHIPPED, shipped
from tests.opponent.close_quarters.proof import contradictions, follows
from tests.opponent.close_quarters.samples import KING, OPTIONS, positions, rules_of, solved

SETS = [
    pytest.param(options, marks=() if options == KING else pytest.mark.long, id="-".join(options))
    for options in OPTIONS
]


@pytest.mark.parametrize("options", SETS)
def test_every_distance_follows_from_those_of_the_successors(options: MoveOptions) -> None:
    solver = solved(options)
    for side in range(2):
        for first in range(0, POSITIONS - WEIGHTS[0], WEIGHTS[0]):
            numbers = np.arange(first, first + WEIGHTS[0])
            numbers = numbers[(solver.plies[side][numbers] != INVALID) & is_alive(cells_of(numbers), side)]
            shortest = np.full(len(numbers), INVALID, np.int16)
            longest = np.zeros(len(numbers), np.int16)
            for is_legal, after in solver.moves.successors(side, numbers):
                plies = solver.plies[1 - side][after].astype(np.int16)
                assert (plies[is_legal] != INVALID).all()
                shortest = np.where(
                    is_legal & (plies % 2 == 0) & (plies != DRAWN) & (plies < shortest), plies, shortest
                )
                longest = np.where(is_legal, np.maximum(plies, longest), longest)
            drawn_or_lost = np.where(longest == DRAWN, DRAWN, longest + 1)
            implied = np.where(shortest != INVALID, shortest + 1, drawn_or_lost)
            assert np.array_equal(solver.plies[side][numbers], implied)


@pytest.mark.parametrize("options", SETS)
def test_the_rules_confirm_the_distances_of_random_positions(options: MoveOptions) -> None:
    rules, tablebase = rules_of(options), solved(options).tablebase()
    for position in positions(rules, 3, 3000):
        found = tablebase.distance(position.turn, position[1:5])
        assert found == follows(rules, tablebase, position), rules.write_position(position)


def test_the_solution_that_is_shipped_is_the_solvers() -> None:
    assert shipped().plies == solved(SHIPPED).tablebase().plies


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_the_rules_confirm_every_distance_that_is_shipped() -> None:
    rules, tablebase = rules_of(SHIPPED), shipped()
    assert list(contradictions(rules, tablebase)) == []
