# SPDX-License-Identifier: Apache-2.0
"""Captured pieces beside the board follow from the moves, in every game."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, Final

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.watch.page import replay_json, views
from companion.model.game import AnyRules, HasScores
from companion.model.notation import GameRecord
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.values.captured import after_plies
from companion.referee.values.commands import LetStand, TakeBack
from companion.referee.values.record import played_on
from tests.fakes import FakeTable

from .support import perform, table

_PLIES: Final = 120
_VALUES: Final = {"pawn": 1, "drone": 2, "queen": 3}


def at_random(rules: AnyRules, seed: int) -> list[str]:
    """The moves of a game in which everyone captures as often as chance has it."""
    chance, position, moves = Random(seed), rules.initial(), []
    for _ in range(_PLIES):
        legal = [] if rules.status(position) is not None else rules.legal_moves(position)
        if not legal:
            break
        move = chance.choice(legal)
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return moves


def standing(rules: AnyRules, position: Any) -> Counter[int | None]:
    """The number of pieces of each side on the board."""
    return Counter(piece.side for piece, _ in rules.placement(position).entries)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("slug", ["chess", "close-quarters", "fightopia"])
def test_what_has_left_the_board_lies_beside_it(slug: str, seed: int) -> None:
    rules = games.find(slug).rules()
    start = rules.initial()
    moves = at_random(rules, seed)
    plies, end = played_on(rules, start, 0, moves)
    for number in range(len(plies) + 1):
        position = plies[number].before if number < len(plies) else end
        found = after_plies(rules, start, plies[:number], position)
        assert Counter(piece.side for piece in found) == standing(rules, start) - standing(rules, position)
    shown = [view.captured for view in views(GameRecord(slug, dict(rules.options), "", tuple(moves)))]
    assert shown[-1] == after_plies(rules, start, plies, end)
    assert len(shown) == len(plies) + 1


def test_chess_captures_at_random_are_not_rare() -> None:
    rules = games.find("chess").rules()
    kinds = set[str]()
    for seed in range(6):
        plies, end = played_on(rules, rules.initial(), 0, at_random(rules, seed))
        kinds |= {piece.kind for piece in after_plies(rules, rules.initial(), plies, end)}
    assert kinds >= {"pawn", "knight", "bishop", "rook", "queen"}


@pytest.mark.parametrize("merge", ["stack", "replace"])
@pytest.mark.parametrize("players", ["2", "3", "4"])
def test_the_captured_pieces_of_martian_chess_are_worth_the_points(players: str, merge: str) -> None:
    rules = games.find("martian-chess").rules({"players": players, "merge": merge})
    assert isinstance(rules, HasScores)
    plies, end = played_on(rules, rules.initial(), 0, at_random(rules, 3))
    found = after_plies(rules, rules.initial(), plies, end)
    assert sum(_VALUES[piece.kind] for piece in found) == sum(rules.scores(end)) > 0


@pytest.mark.parametrize("slug", ["gottaz", "tank-chess"])
def test_beaten_pawns_return_to_the_hand_and_wrecks_stay_on_the_board(slug: str) -> None:
    rules = games.find(slug).rules()
    plies, end = played_on(rules, rules.initial(), 0, at_random(rules, 1))
    assert len(plies) > 10
    assert after_plies(rules, rules.initial(), plies, end) == ()


def test_a_promoted_pawn_is_not_captured_and_a_captured_queen_is_a_queen() -> None:
    rules = games.find("chess").rules()
    start = rules.read_position("1n6/P6k/8/8/8/8/7K/3r4 w - - 0 1")
    plies, end = played_on(rules, start, 0, ["axb8=Q", "Rd8", "Qxd8"])
    assert after_plies(rules, start, plies, end) == (Piece("knight", 1), Piece("rook", 1))
    assert after_plies(rules, start, plies[:2], plies[2].before) == (Piece("knight", 1),)


def test_a_command_tank_that_leaves_is_not_captured() -> None:
    rules = games.find("tank-chess").rules()
    start = rules.read_position("w CG15N cG2S")
    plies, end = played_on(rules, start, 0, ["G15-off"])
    assert standing(rules, end) == {1: 1}
    assert after_plies(rules, start, plies, end) == ()


def captured(fake: FakeTable) -> list[str]:
    """The kinds of the captured pieces that *fake* shows, also after a restart."""
    found = fake.session.view().captured
    assert fake.restored().view().captured == found
    return [piece.kind for piece in found]


def test_a_table_shows_captures_and_forgets_those_that_are_taken_back() -> None:
    chess = table("chess")
    perform(chess, "e2- e4+e2 1500 d7- d5+d7 1500 d5- e4- d5+e4 1500 d8- d5- d5+d8 1500 b1- c3+b1 1500")
    assert captured(chess) == ["pawn", "pawn"]
    assert [piece.side for piece in chess.session.view().captured] == [1, 0]
    perform(chess, "d5- a5+d5 3000")
    chess.ask(TakeBack())
    chess.ask(TakeBack())
    chess.ask(TakeBack())
    assert captured(chess) == ["pawn"]


def test_what_is_let_stand_lies_beside_the_board_or_returns_to_it() -> None:
    chess = table("chess", kind=SensorKind.IDENTITY)
    perform(chess, "a1- 1500")
    chess.ask(LetStand(0))
    assert captured(chess) == ["rook"]
    perform(chess, "e2- e4+e2 1500 d7- d5+d7 1500 d5- e4- d5+e4 1500 g8- f6+g8 3000")
    assert captured(chess) == ["rook", "pawn"]
    perform(chess, "(a1+0=rook) gap 3000")
    chess.ask(LetStand(0))
    assert captured(chess) == ["pawn"]
    perform(chess, "f1- e2+f1 1500")
    assert captured(chess) == ["pawn"]


def test_a_review_has_the_captured_pieces_of_every_position() -> None:
    rules = games.find("chess").rules()
    adopted = "rnbqkbnr/ppp1pppp/8/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2"
    record = GameRecord("chess", dict(rules.options), "", ("e4", "d5", "exd5", "Nf6"), {3: adopted})
    words = load("en", "chess", rules.sides)
    shown = [picture["view"]["captured"] for picture in replay_json(record, words)["pictures"]]
    assert [[piece["side"] for piece in each] for each in shown] == [[], [], [], [1], [1, 0], [1, 0]]
