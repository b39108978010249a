# SPDX-License-Identifier: Apache-2.0
"""In local rules a move does not depend on how far pieces are turned."""

from __future__ import annotations

from random import Random

import pytest

from companion import games
from companion.model.game import LocalRules
from companion.model.occupancy import occupancy_of
from tests.games.support import random_positions

LOCAL = [slug for slug in games.slugs() if isinstance(games.find(slug).rules(), LocalRules)]


def test_tank_chess_is_local() -> None:
    assert LOCAL == ["tank-chess"]


@pytest.mark.parametrize("seed", range(12))
def test_a_move_stays_legal_if_other_tanks_turn(seed: int) -> None:
    rules, chance = games.find("tank-chess").rules(), Random(seed)
    for position in random_positions(rules, seed, 6):
        moves = rules.legal_moves(position)
        if not moves:
            continue
        move = chance.choice(moves)
        steps = rules.steps(position, move)
        cells = occupancy_of(cell for step in steps for cell in (*step.source, *step.target))
        tanks = [
            tank if cells >> (tank >> 7) & 1 else tank & ~(7 << 4) | chance.randrange(8) << 4
            for tank in position.tanks
        ]
        turned = position._replace(tanks=tuple(sorted(tanks)))
        assert move in rules.legal_moves(turned)
        assert rules.steps(turned, move) == steps
