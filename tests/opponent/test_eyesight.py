# SPDX-License-Identifier: Apache-2.0
"""A weak opponent overlooks what comes from far away, never what is adjacent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.games import find, slugs
from companion.model.grid import rectangle
from companion.opponent.eyesight import Eyesight
from companion.opponent.find import knowledge_of
from companion.opponent.levels import Level, levels
from companion.opponent.player import choose
from companion.opponent.ways import NO_WAY, Way, shortest
from tests.bench.threats import loses_by
from tests.opponent.samples import going_on

SEEDS = range(300)


def share_overlooked(way: Way, overlooked: int) -> float:
    """In how many of many positions *way* is overlooked."""
    return sum(Eyesight(seed, overlooked=overlooked).overlooks("position", way) for seed in SEEDS) / len(
        SEEDS
    )


def test_the_chance_to_lose_a_way_is_the_same_at_each_cell_beyond_the_first() -> None:
    for length in range(1, 8):
        expected = 1 - 0.7 ** (length - 1)
        assert abs(share_overlooked(Way(3, 40, length), 30) - expected) <= 0.08
    assert share_overlooked(Way(3, 40, 1), 100) == share_overlooked(NO_WAY, 100) == 0
    assert share_overlooked(Way(3, 40, 7), 0) == 0
    assert share_overlooked(Way(3, 40, 2), 100) == 1


def test_a_way_is_overlooked_or_seen_throughout_a_search_and_drawn_anew_for_another() -> None:
    """A longer way with the same ends is missed wherever a shorter one is."""
    draws = {Eyesight(7, overlooked=50).overlooks("here", Way(3, 40, 2)) for _ in range(20)}
    assert len(draws) == 1
    for seed in SEEDS:
        sees = Eyesight(seed, overlooked=50)
        assert sees.overlooks("here", Way(3, 40, 3)) >= sees.overlooks("here", Way(3, 40, 2))
    here = [Eyesight(seed, overlooked=50).overlooks("here", Way(3, 40, 2)) for seed in SEEDS]
    there = [Eyesight(seed, overlooked=50).overlooks("there", Way(3, 40, 2)) for seed in SEEDS]
    other = [Eyesight(seed, overlooked=50).overlooks("here", Way(3, 41, 2)) for seed in SEEDS]
    assert here != there
    assert here != other


def test_the_shortest_way_is_counted_in_steps_to_neighbours() -> None:
    board = rectangle(8, 8)
    assert shortest(board, (board.cell("a1"),), (board.cell("h8"),)).length == 7
    assert shortest(board, (board.cell("a1"),), (board.cell("b3"),)).length == 2
    assert shortest(board, (), (5,)) == shortest(board, (5,), ()) == NO_WAY
    wedges = find("martian-chess").rules({"players": "3"}).grid
    assert max(shortest(wedges, (0,), (cell,)).length for cell in range(len(wedges))) > 3


@pytest.mark.parametrize(
    ("slug", "text", "written", "source", "target"),
    [
        ("chess", "4k3/8/8/8/8/2n5/8/Q3K3 b - - 0 1", "Nd1", "c3", "d1"),
        ("chess", "4k3/8/8/8/8/2b5/7K/Q7 b - - 0 1", "Bxa1", "c3", "a1"),
        ("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5", "d5"),
    ],
)
def test_a_way_ends_at_what_is_captured(slug: str, text: str, written: str, source: str, target: str) -> None:
    rules = find(slug).rules()
    position = rules.read_position(text)
    way = knowledge_of(rules).way(position, rules.read_move(position, written))
    assert (way.source, way.target) == (rules.grid.cell(source), rules.grid.cell(target))


@pytest.mark.parametrize("slug", slugs())
def test_a_capture_goes_from_a_piece_of_the_mover_to_a_piece_that_is_changed(slug: str) -> None:
    rules = find(slug).rules()
    knowledge, found = knowledge_of(rules), 0
    for position in going_on(rules, seed=3, count=20, plies=80):
        before = pieces(rules, position)
        for move in knowledge.noisy(position):
            way = knowledge.way(position, move)
            if way == NO_WAY:
                continue  # it leaves the board
            after = pieces(rules, knowledge.after(position, move))
            assert way.length >= 1
            assert before[way.source].side in (position.turn, None)
            changed = [cell for cell in way[:2] if before.get(cell) != after.get(cell)]
            assert changed
            found += 1
    assert found > 5


def pieces(rules: Any, position: Any) -> dict[int, Any]:
    """The piece on each occupied cell."""
    return {cell: piece for piece, cells in rules.placement(position).entries for cell in cells}


def test_the_way_of_a_shot_of_fightopia_is_from_the_tank_that_fires() -> None:
    """A pawn nearer to the target fires nothing."""
    rules = find("fightopia").rules()
    knowledge, lengths = knowledge_of(rules), set()
    for position in going_on(rules, seed=5, count=40, plies=80):
        placed = pieces(rules, position)
        for move in knowledge.noisy(position):
            way = knowledge.way(position, move)
            is_shot = placed.get(way.target) is not None and placed[way.target].kind == "pawn"
            if is_shot:
                assert placed[way.source].kind == "tank"
                lengths.add(way.length)
    assert len(lengths) > 2


FAR = "8/7k/8/r2p4/8/8/8/3QK3 w - - 0 1"
"""The queen can take a pawn that a rook defends from three cells away."""
NEAR = "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1"
"""Another pawn beside it does."""


def taken(text: str, overlooked: int) -> int:
    """In how many of 100 games the queen takes."""
    rules = find("chess").rules()
    position = rules.read_position(text)
    takes = rules.read_move(position, "Qxd5")
    assert loses_by(rules, position, takes) > 500
    level = Level(1, "", nodes=1000, depth=1, overlooked=overlooked)
    return sum(choose(rules, position, level, seed).move == takes for seed in range(100))


def test_a_defender_is_overlooked_only_from_far_away() -> None:
    assert (taken(FAR, 0), taken(FAR, 100)) == (0, 100)
    assert 35 <= taken(FAR, 30) <= 65, "the share of a way of three cells is 51 %"
    assert taken(NEAR, 100) == 0


@pytest.mark.parametrize(
    "text",
    [
        "4k3/8/8/4p3/3Q4/8/8/4K3 w - - 0 1",
        "4k3/8/1pp5/3Qp3/8/3P4/8/4K3 w - - 0 1",
        "4k3/8/8/4b3/3Q4/8/3P4/4K3 w - - 0 1",
        "4k3/8/8/8/4r3/4Q3/5P2/3K4 w - - 0 1",
    ],
)
def test_the_weakest_level_never_hangs_a_queen_beside_the_attacker(text: str) -> None:
    rules = find("chess").rules()
    position, level = rules.read_position(text), levels("chess")[0]
    for seed in range(40):
        move = choose(rules, position, level, seed).move
        stays = rules.apply(position, move)
        way = [knowledge_of(rules).way(stays, reply) for reply in knowledge_of(rules).noisy(stays)]
        queens = {cell for cell, piece in pieces(rules, stays).items() if piece.kind == "queen"}
        assert not [each for each in way if each.target in queens and each.length == 1] or (
            loses_by(rules, position, move) < 500  # it is defended, or was traded
        )


def test_a_reply_is_overlooked_only_while_one_move_is_chosen() -> None:
    """The attacker itself sees far: only replies of the other side are lost."""
    rules = find("chess").rules()
    position = rules.read_position("b3k3/8/8/3Q4/8/8/8/4K3 b - - 0 1")
    blind = replace(levels("chess")[0], noise=0, overlooked=100)
    for seed in range(10):
        assert rules.write_move(position, choose(rules, position, blind, seed).move) == "Bxd5"
