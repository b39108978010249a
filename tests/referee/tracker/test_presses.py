# SPDX-License-Identifier: Apache-2.0
"""The tracker and the clock."""

from __future__ import annotations

from companion import games
from companion.model.observation import SensorKind
from companion.referee.controls import read_control
from companion.referee.events import IllegalSeen
from companion.referee.inference import TRACKER
from companion.referee.session import Session
from tests.fakes import FakeTable


def table(slug: str) -> FakeTable:
    """A table of the tracker at which White begins, and presses switch the clock."""
    rules = games.find(slug).rules()
    control = read_control("600s@press", len(rules.sides))
    session = Session(rules, SensorKind.SIDE, control=control, inference=TRACKER)
    fake = FakeTable(rules, SensorKind.SIDE, session=session)
    fake.set_up()
    fake.turn_lever(1)
    fake.wait(5000)
    fake.take_events()
    return fake


def test_presses_for_two_plies_after_the_second_are_no_presses_without_moves() -> None:
    fake = table("chess")
    for side, (source, target) in enumerate((("e2", "e4"), ("e7", "e5"))):
        fake.carry(source, target, after_ms=300)
        fake.wait(300)
        fake.turn_lever(side)
        fake.wait(2000)
    fake.carry("b1", "c3", after_ms=6000)
    fake.wait(900)
    fake.carry("b8", "c6", after_ms=360)
    fake.wait(160)
    fake.turn_lever(0)
    fake.wait(100)
    fake.turn_lever(1)
    fake.wait(3000)
    assert fake.record == ["e4", "e5", "Nc3", "Nc6"]
    assert not [event for event in fake.take_events() if isinstance(event, IllegalSeen)]


def test_a_press_over_an_illegal_move_that_is_pressed_back_is_for_no_later_ply() -> None:
    fake = table("chess")
    fake.carry("b1", "b3", after_ms=300)
    fake.wait(1500)
    fake.turn_lever(0)
    fake.wait(1000)
    fake.turn_lever(1)
    fake.wait(500)
    fake.carry("b3", "b1", after_ms=300)
    fake.wait(1500)
    fake.carry("e2", "e3", after_ms=300)
    fake.wait(2000)  # a rest on the way: a ply that was pressed for could not be revised
    fake.carry("e3", "e4", after_ms=300)
    fake.wait(3000)
    assert fake.record == ["e4"]


def test_a_press_after_an_early_one_may_be_for_a_turn_in_place() -> None:
    fake = table("tank-chess")
    fake.turn_lever(0)  # a tank was turned in place
    fake.wait(4000)
    piece = fake.lift("C3")  # White looks at a tank
    fake.wait(400)
    fake.turn_lever(1)  # and Black presses too early
    fake.wait(400)
    fake.put("C3", piece)
    fake.wait(4000)
    assert len(fake.record) == 1
    piece = fake.lift("C3")
    fake.wait(300)
    fake.put("C3", piece)
    fake.wait(500)
    fake.turn_lever(1)
    fake.wait(3000)
    assert len(fake.record) == 2
