# SPDX-License-Identifier: Apache-2.0
"""Every puzzle is won by one first move, whatever is replied, and not sooner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from companion.games import find
from companion.model.errors import UnknownName
from companion.model.game import AnyRules
from companion.opponent.proof import wins
from companion.opponent.puzzles import Puzzle, every, games, lengths, numbered, of_the_day, puzzles
from tests.tools.puzzles import winning_moves

ALL = every()
QUICK = [each for each in ALL if each.number == 1 or (each.game == "close-quarters" and each.moves < 3)]
PLAIN_MOVES = 2
"""Moves of the longest win that is also proven without memory."""
LONG = [each for each in ALL if each not in QUICK]


def prove(puzzle: Puzzle) -> None:
    rules = find(puzzle.game).rules()
    position = rules.read_position(puzzle.position)
    assert rules.write_position(position) == puzzle.position
    assert len(winning_moves(rules, position, puzzle.moves)) == 1
    assert not any(winning_moves(rules, position, fewer) for fewer in range(1, puzzle.moves))
    if puzzle.moves <= PLAIN_MOVES:
        after = [rules.apply(position, move) for move in rules.legal_moves(position)]
        assert sum(wins_plainly(rules, each, position.turn, puzzle.moves - 1) for each in after) == 1


def wins_plainly(rules: AnyRules, position: Any, side: int, moves: int) -> bool:
    """True if *side* wins in *moves*, by the rules alone and without any memory."""
    outcome = rules.status(position)
    if outcome is not None:
        return outcome.winners == (side,)
    if moves <= 0:
        return False
    replies: Sequence[Any] = rules.legal_moves(position)
    is_own = position.turn == side
    after = (rules.apply(position, move) for move in replies)
    found = (wins_plainly(rules, each, side, moves - is_own) for each in after)
    return any(found) if is_own else all(found)


@pytest.mark.parametrize("puzzle", QUICK, ids=lambda each: f"{each.game}-{each.number}")
def test_a_puzzle_is_won_by_one_first_move(puzzle: Puzzle) -> None:
    prove(puzzle)


@pytest.mark.long
@pytest.mark.parametrize("puzzle", LONG, ids=lambda each: f"{each.game}-{each.number}")
def test_every_puzzle_is_won_by_one_first_move(puzzle: Puzzle) -> None:
    prove(puzzle)


@pytest.mark.parametrize("slug", games())
def test_every_game_has_puzzles_of_several_lengths(slug: str) -> None:
    assert {1, 2, 3} <= {*lengths(slug)}


def test_a_proof_tries_every_reply() -> None:
    rules = find("chess").rules()
    mate = rules.read_position("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    assert [rules.write_move(mate, move) for move in winning_moves(rules, mate, 1)] == ["Ra8#"]
    escape = rules.read_position("6k1/5pp1/8/8/8/8/8/R5K1 w - - 0 1")
    assert winning_moves(rules, escape, 1) == []
    stalemate = rules.read_position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert not wins(rules, stalemate, 0, 3)
    assert wins(rules, rules.apply(mate, rules.read_move(mate, "Ra8#")), 0, 0)


def test_each_day_has_another_puzzle_of_every_game() -> None:
    week = [of_the_day(day) for day in range(len(games()))]
    assert {each.game for each in week} == set(games())
    chess = [of_the_day(day, "chess") for day in range(5)]
    assert len(set(chess)) == 5
    assert {of_the_day(day, "chess", 2).moves for day in range(5)} == {2}
    assert numbered(3, "chess").number == 3
    assert lengths("chess") == (1, 2, 3)


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(UnknownName, match="there are no puzzles of 'checkers'"):
        puzzles("checkers")
    with pytest.raises(UnknownName, match="no puzzle of chess in 9 moves; there are some in 1, 2"):
        puzzles("chess", 9)
    with pytest.raises(UnknownName, match="there is no puzzle 99 of chess"):
        numbered(99, "chess")
