# SPDX-License-Identifier: Apache-2.0
"""Captures and promotions of chess are generated without the other moves."""

from __future__ import annotations

from companion.games.chess.generation import captures, legal_moves
from companion.games.chess.tables import BIT, EN_PASSANT, TO_QUEEN
from tests.opponent.samples import going_on, rules_of


def test_captures_are_the_legal_moves_that_capture_or_make_a_queen() -> None:
    found = 0
    for position in going_on(rules_of("chess"), seed=5, count=150, plies=160):
        enemy = position.white if position.turn else position.black
        wanted = [
            move
            for move in legal_moves(position)
            if BIT[move >> 3 & 63] & enemy or move & 7 in (TO_QUEEN, EN_PASSANT)
        ]
        assert captures(position, enemy) == wanted
        for targets in (position.knights | position.lines, position.pawns):
            some = [
                move
                for move in wanted
                if BIT[move >> 3 & 63] & targets & enemy
                or move & 7 == TO_QUEEN
                or (move & 7 == EN_PASSANT and targets & enemy & position.pawns)
            ]
            assert captures(position, targets & enemy) == some
        found += sum(move & 7 in (TO_QUEEN, EN_PASSANT) for move in wanted) + bool(wanted)
    assert found > 100
