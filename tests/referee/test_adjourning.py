# SPDX-License-Identifier: Apache-2.0
"""An adjourned game is put away and resumed with the same position and clocks."""

from __future__ import annotations

import pytest

from companion.games import find
from companion.model.game import Outcome
from companion.model.observation import SensorKind
from companion.referee.values.commands import Adjourn, NewGame, OfferDraw, Pause, Resign, Resume
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief, table


@pytest.fixture(name="table")
def begun() -> FakeTable:
    """A table of Close Quarters with clocks, after two plies."""
    fake = table("close-quarters", clock="60s")
    for source, target in (("a1", "a3"), ("d8", "d3")):
        fake.wait(2_000)
        fake.carry(source, target)
        fake.wait(1_000)
    fake.take_events()
    return fake


def clear(table: FakeTable) -> None:
    """Put all pieces into the box."""
    for name in [table.rules.grid.name(cell) for cell in list(table.on)]:
        table.lift(name)
        table.wait(100)


def test_the_pieces_are_put_away_and_set_up_again_and_the_game_goes_on(table: FakeTable) -> None:
    position = table.session.position
    table.ask(Adjourn())
    clocks = table.session.view().clocks
    assert brief(table.take_events())[-1] == "adjourned"
    clear(table)
    table.wait(1_000_000)
    assert brief(table.take_events()) == []
    assert table.session.view().is_adjourned
    table.ask(Resume())
    view = table.session.view()
    assert (view.phase, len(view.guides)) == (Phase.SETTING_UP, 4)
    table.set_up()
    assert brief(table.take_events()) == ["resumed"]
    assert table.session.position == position
    left = [clock.left_ms for clock in table.session.view().clocks]
    assert left == pytest.approx([clock.left_ms for clock in clocks], abs=100)
    assert not table.session.view().is_adjourned
    table.carry("a3", "b4")
    table.wait(1_000)
    assert brief(table.take_events())[-1] == "announced a3-b4"


def test_pieces_already_in_place_need_not_be_set_up_on_resuming(table: FakeTable) -> None:
    table.ask(Adjourn())
    table.take_events()
    table.ask(Resume())
    table.wait(100)
    assert brief(table.take_events()) == ["resumed"]


def test_an_incomplete_move_must_be_made_again(table: FakeTable) -> None:
    position = table.session.position
    table.carry("a3", "a4")
    assert brief(table.take_events()) == ["provisional a3-a4"]
    table.ask(Adjourn())
    assert brief(table.take_events())[0] == "retracted a3-a4"
    assert table.session.position == position
    table.ask(Resume())
    assert [guide.target for guide in table.session.view().guides] == [table.rules.grid.cell("a3")]


def test_an_illegal_move_and_a_pause_may_be_adjourned(table: FakeTable) -> None:
    table.carry("a3", "d5")
    table.wait(2_000)
    table.ask(Adjourn())
    assert brief(table.take_events())[-2:] == ["mended", "adjourned"]
    table.ask(Resume())
    table.carry("d5", "a3")
    table.wait(100)
    table.ask(Pause())
    table.ask(Adjourn())
    table.ask(Adjourn())
    assert brief(table.take_events()) == ["resumed", "paused", "adjourned"]


def test_an_open_question_is_closed_and_its_move_made_again() -> None:
    fake = table("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    start = fake.session.position
    fake.carry("a7", "a8")
    fake.wait(2_000)
    assert fake.session.view().question is not None
    fake.take_events()
    fake.ask(Adjourn())
    assert brief(fake.take_events()) == ["retracted a8=N", "closed", "adjourned"]
    assert fake.session.position == start


def test_a_journal_restores_the_adjourned_game(table: FakeTable) -> None:
    table.ask(Adjourn())
    clear(table)
    again = table.restored()
    assert again.position == table.session.position
    shown, expected = (each.view().clocks for each in (again, table.session))
    assert [clock.left_ms for clock in shown] == [clock.left_ms for clock in expected]
    later = FakeTable(table.rules, session=again)
    later.now_ms = table.now_ms
    later.set_up()
    assert brief(later.history) == ["resumed"]


def test_an_adjourned_game_may_be_resigned_in_any_phase(table: FakeTable) -> None:
    table.ask(Adjourn())
    clear(table)
    table.ask(Resign(0))
    view = table.session.view()
    assert (view.phase, view.outcome, view.is_adjourned) == (
        Phase.FINISHED,
        Outcome((1,), "resignation"),
        False,
    )


def test_a_draw_is_agreed_before_the_position_is_set_up_again(table: FakeTable) -> None:
    table.ask(Adjourn())
    again = table.restored()
    later = FakeTable(table.rules, session=again)
    later.now_ms = table.now_ms
    later.observe()
    for side in (0, 1):
        later.ask(OfferDraw(side))
    assert brief(later.history) == ["draw offered by 0", "ended agreement"]
    later.set_up()
    assert again.view().outcome == Outcome((), "agreement")
    assert not any(clock.is_running for clock in again.view().clocks)


def test_instead_of_resuming_a_new_game_may_begin(table: FakeTable) -> None:
    table.ask(Adjourn())
    table.ask(NewGame())
    assert not table.session.view().is_adjourned
    table.on.clear()
    table.set_up()
    assert brief(table.take_events())[-1] == "began"


def test_a_game_that_is_not_under_way_cannot_be_adjourned() -> None:
    fake = FakeTable(find("close-quarters").rules(), SensorKind.OCCUPANCY)
    fake.ask(Adjourn())
    assert fake.history == []
