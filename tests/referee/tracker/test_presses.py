# SPDX-License-Identifier: Apache-2.0
"""The tracker and the clock."""

from __future__ import annotations

from companion import games
from companion.model.observation import SensorKind
from companion.referee.inference.costs import DEFAULT
from companion.referee.session.session import Session
from companion.referee.values.controls import read_control
from companion.referee.values.events import IllegalMended, IllegalSeen
from tests.fakes import FakeTable


def table(slug: str) -> FakeTable:
    """A table of the tracker at which White begins, and presses switch the clock."""
    rules = games.find(slug).rules()
    control = read_control("600s@press", len(rules.sides))
    session = Session(rules, SensorKind.SIDE, control=control)
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


def test_a_press_over_an_illegal_move_that_is_put_right_is_for_the_turn_that_follows() -> None:
    fake = table("tank-chess")
    tank = fake.lift("C3")
    fake.wait(600)
    fake.put("C12", tank)
    fake.wait(100)
    fake.turn_lever(0)
    fake.wait(9000)
    fake.lift("C12")
    fake.wait(400)
    fake.put("C3", tank)
    fake.wait(700)
    tank = fake.lift("C1")
    fake.wait(900)
    fake.put("C1", tank)
    fake.wait(3000)
    moves = {move for choice in fake.asked().choices for move in choice.moves}
    assert {move.split("-")[0] for move in moves} == {"C1"}


def test_a_press_for_an_earlier_ply_is_late_if_the_answer_stands() -> None:
    fake = table("tank-chess")
    fake.carry("C3", "C5", after_ms=400)
    fake.wait(900)
    fake.carry("D14", "D13", after_ms=300)
    fake.wait(1500)
    fake.turn_lever(0)
    fake.wait(100)
    late = [
        charge for node in fake.session.belief.live for charge in node.charges if charge.cause == "belated"
    ]
    assert late


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


def test_edges_up_to_the_end_of_a_reported_fault_mean_nothing_else() -> None:
    fake = table("chess")
    fake.carry("b1", "b4", after_ms=300)
    fake.wait(3000)
    fake.carry("b4", "b1", after_ms=300)
    fake.wait(200)
    assert [event for event in fake.take_events() if isinstance(event, IllegalMended)]
    best = fake.session.belief.live[0]
    assert best.charges[-1].cause == "revision.put_right"
    assert best.since.edges == fake.session.belief.edge_count


def test_a_side_that_has_played_nothing_does_not_press_once_more() -> None:
    rules = games.find("martian-chess").rules({"deadlock": "call-the-clock-7"})
    fake = FakeTable(rules, SensorKind.IDENTITY)
    fake.set_up()
    fake.carry("c3", "d4")
    fake.wait(100)
    fake.press(1)
    charges = [charge for node in fake.session.belief.live for charge in node.charges]
    assert [charge.nats for charge in charges if charge.cause == "twice"] == [DEFAULT.twice.nats[-1]]
    fake.wait(250)
    fake.carry("b6", "c5", after_ms=100)
    fake.wait(3000)
    assert fake.record == ["c3-d4", "clock", "b6-c5"]
    assert fake.session.view().question is None
