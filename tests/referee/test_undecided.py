# SPDX-License-Identifier: Apache-2.0
"""A ply that stays undecided on a board at rest is written down."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from companion import games
from companion.host.codec import decode, encode
from companion.host.table.announcements import Reasons
from companion.referee.inference.costs import DEFAULT
from companion.referee.inference.tracker import decisions
from companion.referee.session.session import Session
from companion.referee.values.events import Event, PlyUndecided
from tests.fakes import FakeTable
from tests.referee.support import perform

HESITANT = replace(DEFAULT, decision_end=1000.0)
"""A referee that never believes a last move."""
FOOLS_MATE = "f2- 200 f3+f2 3000 e7- 200 e5+e7 3000 g2- 200 g4+g2 3000 d8- 200 h4+d8"


def played(words: str) -> list[PlyUndecided]:
    """What is written down when hands do *words* at a chessboard."""
    rules = games.find("chess").rules()
    table = FakeTable(rules, session=Session(rules, costs=HESITANT))
    table.set_up()
    perform(table, words)
    return [event for event in table.history if isinstance(event, PlyUndecided)]


@pytest.fixture
def endless_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """At rest, an illegal move may always have been left."""
    monkeypatch.setattr(decisions, "is_left", lambda *_: False)


def test_a_last_move_is_believed_once_an_illegal_one_would_have_been_left() -> None:
    assert played(f"{FOOLS_MATE} 60000") == []


@pytest.mark.usefixtures("endless_doubt")
def test_a_ply_that_stays_undecided_is_written_down_once() -> None:
    (event,) = played(f"{FOOLS_MATE} 4900 300 60000")
    assert (event.ply, event.move, event.rivals) == (3, "Qh4#", ("",))


@pytest.mark.usefixtures("endless_doubt")
def test_a_ply_that_a_hand_goes_on_with_is_not_written_down() -> None:
    assert played(f"{FOOLS_MATE} 4900 h4- 200 d8+h4 60000") == []


def test_the_log_says_what_it_is_not_told_from(caplog: pytest.LogCaptureFixture) -> None:
    event: Event = PlyUndecided(1, 4, "Bg5", ("Bh6", ""))
    with caplog.at_level(logging.WARNING):
        Reasons().note([event], Session(games.find("chess").rules()))
    assert caplog.messages == ["ply 5, Bg5, stays undecided: not told from Bh6, no move"]
    assert decode(Event, encode(Event, event)) == event
