# SPDX-License-Identifier: Apache-2.0
"""Among three or more players, a resigned one is skipped; the others play on."""

from __future__ import annotations

import pytest

from companion.feedback.page import commands
from companion.model.game import Outcome
from companion.referee.values.commands import (
    Adjourn,
    Correct,
    Hold,
    NewGame,
    OfferDraw,
    Pause,
    Release,
    Resign,
    Resume,
)
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief, running, table


@pytest.fixture(name="table")
def martian_chess() -> FakeTable:
    """A table of Martian Chess for three in the start position."""
    return table("martian-chess", players="3")


def test_a_resigned_player_has_no_more_turns_and_the_others_play_on(table: FakeTable) -> None:
    start = table.session.position
    table.ask(Resign(1))
    assert brief(table.take_events()) == [f"adopted {table.rules.write_position(start._replace(out=2))}"]
    table.carry("A21", "A10")
    table.wait(2000)
    assert table.session.position.turn == 2
    table.carry("C21", "C10")
    table.wait(2000)
    assert table.session.position.turn == 0


def test_resigning_on_turn_passes_the_turn_on_even_from_a_pause(table: FakeTable) -> None:
    table.ask(Pause())
    table.ask(Resign(0))
    assert table.session.position.turn == 1
    assert table.session.view().phase is Phase.WAITING


def test_resigning_twice_changes_nothing(table: FakeTable) -> None:
    table.ask(Resign(1))
    table.take_events()
    table.ask(Resign(1))
    assert table.take_events() == []


def test_the_last_remaining_player_wins(table: FakeTable) -> None:
    table.ask(Resign(1))
    table.ask(Resign(0))
    assert table.session.view().outcome == Outcome((2,), "last-player", (0, 0, 0))
    table.take_events()
    table.ask(Resign(2))
    assert table.take_events() == []


def test_a_journal_restores_resigned_players(table: FakeTable) -> None:
    table.ask(Resign(0))
    assert table.restored().position == table.session.position


def test_an_open_question_survives_a_resignation() -> None:
    fake = table("martian-chess", "2pp3qp1d1pdqq/1p1d4ppdq1dqq/p5pddd1q1dqq 1 0,0,0 - - -", players="3")
    fake.lift("A20")  # and pushed one of two off its cell
    fake.wait(3000)
    question = fake.asked()
    fake.ask(Resign(1))
    fake.wait(3000)
    assert fake.session.view().question == question
    assert not any(line.stage is not Stage.PROVISIONAL for line in fake.session.view().record)


def played_on() -> FakeTable:
    """Each of three players has made a move, with clocks."""
    fake = table("martian-chess", clock="60s", players="3")
    for source, target in (("A21", "A10"), ("B21", "B10"), ("C21", "C10")):
        fake.carry(source, target, after_ms=200)
        fake.wait(2_000)
    fake.take_events()
    return fake


@pytest.mark.parametrize("is_resumed", [False, True])
@pytest.mark.parametrize(("side", "turn"), [(0, 1), (2, 0)])
def test_a_player_who_resigns_during_an_adjournment_is_skipped_afterwards(
    side: int, turn: int, is_resumed: bool
) -> None:
    fake = played_on()
    fake.ask(Adjourn())
    home, fake.on = fake.on, {}
    fake.observe()
    if is_resumed:
        fake.ask(Resume())
    fake.wait(10_000)
    fake.take_events()
    before = [clock.left_ms for clock in fake.session.view().clocks]
    assert "resign" in commands(fake.session.view())
    fake.ask(Resign(side))
    position = fake.session.position
    assert brief(fake.take_events()) == [f"adopted {fake.rules.write_position(position)}"]
    assert (position.turn, position.out) == (turn, 1 << side)
    assert fake.session.view().phase is (Phase.SETTING_UP if is_resumed else Phase.PAUSED)
    assert fake.session.view().is_adjourned is not is_resumed
    fake.wait(10_000)
    assert running(fake) == []
    assert [clock.left_ms for clock in fake.session.view().clocks] == before
    again = fake.restored()
    assert (again.position, [clock.left_ms for clock in again.view().clocks]) == (position, before)
    if not is_resumed:
        fake.ask(Resume())
    fake.on = home
    fake.observe()
    fake.wait(100)
    assert brief(fake.take_events()) == ["resumed"]
    assert running(fake) == [turn]


def test_a_player_who_resigns_during_a_correction_is_skipped_too() -> None:
    fake = played_on()
    fake.ask(Correct(2))
    fake.ask(Resign(2))
    assert fake.session.position.turn == 0
    assert fake.session.view().phase is Phase.SETTING_UP
    fake.carry("C10", "C21")
    fake.wait(100)
    assert fake.session.view().phase is Phase.WAITING
    fake.carry("A10", "A21", after_ms=200)
    fake.wait(2_000)
    assert fake.session.position.turn == 1


def test_the_last_remaining_player_wins_in_any_phase() -> None:
    fake = played_on()
    fake.ask(Adjourn())
    fake.on.clear()
    fake.observe()
    fake.ask(Resume())
    fake.ask(Resign(0))
    fake.ask(Resign(1))
    assert fake.session.view().outcome == Outcome((2,), "last-player", (0, 0, 0))


def test_no_player_can_resign_before_the_game() -> None:
    fake = table("martian-chess", players="3")
    fake.lift("A21")
    fake.ask(NewGame())
    fake.take_events()
    fake.ask(Resign(0))
    assert fake.take_events() == []
    assert "resign" not in commands(fake.session.view())


def test_a_resignation_does_not_release_a_held_game() -> None:
    fake = played_on()
    fake.ask(Hold())
    fake.ask(Resign(0))
    assert (fake.session.view().phase, fake.session.view().is_held) == (Phase.PAUSED, True)
    assert running(fake) == []
    fake.ask(Release())
    assert fake.session.view().phase is Phase.WAITING
    assert running(fake) == [1]


@pytest.mark.parametrize("is_put_away", [False, True])
def test_a_draw_needs_the_agreement_of_all_remaining_players(is_put_away: bool) -> None:
    fake = played_on()
    if is_put_away:
        fake.ask(Adjourn())
        fake.on.clear()
        fake.observe()
        fake.ask(Resume())
        assert "draw" in commands(fake.session.view())
    fake.take_events()
    for side in (2, 2, 0):
        fake.ask(OfferDraw(side))
    assert brief(fake.take_events()) == ["draw offered by 2", "draw offered by 0"]
    fake.ask(OfferDraw(1))
    assert fake.session.view().outcome == Outcome((), "agreement")


def test_a_resigned_player_is_not_asked_for_a_draw() -> None:
    fake = played_on()
    fake.ask(Resign(1))
    fake.take_events()
    for side in (1, 0, 1):
        fake.ask(OfferDraw(side))
    assert brief(fake.take_events()) == ["draw offered by 0"]
    fake.ask(OfferDraw(2))
    assert fake.session.view().outcome == Outcome((), "agreement")
