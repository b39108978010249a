# SPDX-License-Identifier: Apache-2.0
"""Virtual hands complete their motions although switches flicker and pieces fall."""

from __future__ import annotations

from random import Random

from companion.games import find
from companion.model.pieces import Piece
from tests.virtual.hands import Habits, Motion, motions


def made(habits: Habits, seed: int) -> list[Motion]:
    """The motions of a pawn's double step in chess."""
    rules = find("chess").rules()
    position = rules.initial()
    steps = tuple(rules.steps(position, rules.read_move(position, "e4")))
    return motions(rules.grid, rules.placement(position).by_cell(), steps, habits, Random(seed))


def test_a_flickering_switch_closes_again_at_once_and_changes_nothing() -> None:
    flickered = 0
    for seed in range(40):
        calm, restless = made(Habits(), seed), made(Habits(flickers=0.5), seed)
        assert sum(each.wait_ms for each in restless) == sum(each.wait_ms for each in calm)
        left = list[Motion]()
        for motion in restless:
            if left and left[-1].cell == motion.cell:  # closed again
                assert (left.pop().piece, motion.wait_ms < 12) == (None, True)
                flickered += 1
            else:
                left.append(motion)
        assert [(each.cell, each.piece) for each in left] == [(each.cell, each.piece) for each in calm]
    assert flickered > 10


def test_a_neighbour_that_is_knocked_over_is_put_back() -> None:
    rules = find("chess").rules()
    before = rules.initial()
    after = rules.placement(rules.apply(before, rules.read_move(before, "e4"))).by_cell()
    knocked = 0
    for seed in range(200):
        found = made(Habits(bumps=1.0, knocks=1.0), seed)
        standing = dict[int, Piece | None](rules.placement(before).by_cell())
        standing |= {motion.cell: motion.piece for motion in found}
        assert {cell: piece for cell, piece in standing.items() if piece} == after
        knocked += len(found) == 6
    assert knocked > 10
