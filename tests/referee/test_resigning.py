# SPDX-License-Identifier: Apache-2.0
"""With three or more players, one who resigns is skipped and the others play on."""

from __future__ import annotations

import pytest

from companion.model.game import Outcome
from companion.referee.commands import Pause, Resign
from companion.referee.events import Stage
from companion.referee.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief, table


@pytest.fixture(name="table")
def martian_chess() -> FakeTable:
    """A table of Martian Chess for three with the start position set up."""
    return table("martian-chess", players="3")


def test_who_resigns_has_no_more_turns_and_the_others_play_on(table: FakeTable) -> None:
    start = table.session.position
    table.ask(Resign(1))
    assert brief(table.take_events()) == [f"adopted {table.rules.write_position(start._replace(out=2))}"]
    table.carry("A21", "A10")
    table.wait(2000)
    assert table.session.position.turn == 2
    table.carry("C21", "C10")
    table.wait(2000)
    assert table.session.position.turn == 0


def test_who_resigns_on_turn_passes_the_turn_on_even_from_a_pause(table: FakeTable) -> None:
    table.ask(Pause())
    table.ask(Resign(0))
    assert table.session.position.turn == 1
    assert table.session.view().phase is Phase.WAITING


def test_resigning_twice_changes_nothing(table: FakeTable) -> None:
    table.ask(Resign(1))
    table.take_events()
    table.ask(Resign(1))
    assert table.take_events() == []


def test_the_last_who_is_left_wins(table: FakeTable) -> None:
    table.ask(Resign(1))
    table.ask(Resign(0))
    assert table.session.view().outcome == Outcome((2,), "last-player", (0, 0, 0))
    table.take_events()
    table.ask(Resign(2))
    assert table.take_events() == []


def test_a_journal_brings_back_who_has_resigned(table: FakeTable) -> None:
    table.ask(Resign(0))
    assert table.restored().position == table.session.position


def test_what_is_asked_when_another_resigns_is_asked_again() -> None:
    fake = table("martian-chess", "2pp3qp1d1pdqq/1p1d4ppdq1dqq/p5pddd1q1dqq 1 0,0,0 - - -", players="3")
    fake.lift("A20")  # and pushed one of two off its cell
    fake.wait(3000)
    question = fake.asked()
    fake.ask(Resign(1))
    fake.wait(3000)
    assert fake.session.view().question == question
    assert not any(line.stage is not Stage.PROVISIONAL for line in fake.session.view().record)
