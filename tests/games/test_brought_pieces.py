# SPDX-License-Identifier: Apache-2.0
"""The notation of GOTTAZ says which pawn comes from the hand, and which is chosen."""

from __future__ import annotations

from companion import games
from companion.model.game import NamesBroughtPieces
from tests.opponent.samples import going_on


def test_a_pawn_from_the_hand_is_the_one_that_the_steps_place() -> None:
    rules = games.find("gottaz").rules()
    assert isinstance(rules, NamesBroughtPieces)
    placed = 0
    for position in going_on(rules, seed=3, count=12):
        for move in rules.legal_moves(position):
            first = next(iter(rules.steps(position, move)), None)
            wanted = first.becomes if first is not None and not first.source else None
            assert rules.brought(rules.write_move(position, move), position.turn) == wanted
            placed += wanted is not None
    assert placed


def test_a_chosen_pawn_has_no_face_up() -> None:
    rules = games.find("gottaz").rules({"pawns": "draft"})
    assert isinstance(rules, NamesBroughtPieces)
    position = rules.initial()
    for move in rules.legal_moves(position):
        brought = rules.brought(rules.write_move(position, move), position.turn)
        assert brought == rules.picked(move)  # type: ignore[attr-defined]
