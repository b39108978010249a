# SPDX-License-Identifier: Apache-2.0
"""Actions on an illegal board are judged by landings, presses by their context."""

from __future__ import annotations

import pytest

from companion.games import find
from tests.fakes import FakeTable
from tests.referee.support import brief


@pytest.fixture
def table() -> FakeTable:
    """A table of Close Quarters in the start position."""
    fake = FakeTable(find("close-quarters").rules())
    fake.set_up()
    fake.take_events()
    return fake


def test_lifting_a_piece_to_correct_an_illegal_move_is_no_other_fault(table: FakeTable) -> None:
    table.carry("a1", "b4", after_ms=300)
    table.carry("d1", "d5", after_ms=300)
    table.wait(800)
    assert brief(table.take_events()) == ["hint several-moved", "completed several-moved"]
    mace = table.lift("d5")
    table.wait(5000)
    assert table.take_events() == []
    table.put("d1", mace)
    table.wait(800)
    assert brief(table.take_events()) == ["hint sword-shape", "completed sword-shape"]


@pytest.mark.parametrize("after_ms", [1, 15, 59])
def test_a_press_by_one_hand_during_the_landing_by_the_other_is_legal(
    table: FakeTable, after_ms: int
) -> None:
    sword = table.lift("a1")
    table.wait(300)
    table.turn_lever(0)
    table.wait(after_ms)
    table.put("a3", sword)
    table.wait(1000)
    assert brief(table.take_events()) == ["provisional a1-a3", "announced a1-a3"]


def test_a_press_with_the_piece_in_the_hand_does_not_complete_the_move(table: FakeTable) -> None:
    sword = table.lift("a1")
    table.wait(300)
    table.turn_lever(0)
    table.wait(60)
    assert brief(table.take_events()) == ["completed piece-left"]
    table.put("a1", sword)
    assert brief(table.take_events()) == ["mended"]


def test_a_press_with_the_piece_in_the_hand_and_its_return_is_no_move(table: FakeTable) -> None:
    sword = table.lift("a1")
    table.wait(300)
    table.turn_lever(0)
    table.wait(20)
    table.put("a1", sword)
    table.wait(5000)
    table.lift("a1")
    table.wait(2000)
    assert brief(table.take_events()) == ["completed press-without-move"]


def test_a_lift_by_the_opponent_completes_an_illegal_move_and_is_no_other_fault(
    table: FakeTable,
) -> None:
    table.carry("a1", "b4", after_ms=300)
    table.wait(500)
    assert brief(table.take_events()) == ["hint sword-shape"]
    table.lift("d1")
    table.wait(5000)
    assert brief(table.take_events()) == ["completed sword-shape"]
