# SPDX-License-Identifier: Apache-2.0
"""A scripted absent player in every game, with every sensor.

It moves, is taken back, offers a draw, goes on after a pause, an adjournment and a restart, and
resigns.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion import games
from companion.model.absent import PlayedBy
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.board.looks import look
from companion.referee.values.commands import (
    Adjourn,
    Answer,
    DeclineDraw,
    OfferDraw,
    Pause,
    Play,
    Resign,
    Resume,
    TakeBack,
)
from companion.referee.values.events import IllegalSeen
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import only
from tests.referee.test_carrying_out import finish, obey, show

PERSON, ABSENT = 0, 1
MOST_ANSWERS = 6
USUAL = {
    *((slug, SensorKind.OCCUPANCY) for slug in ("chess", "close-quarters", "fightopia")),
    *((slug, SensorKind.IDENTITY_FACING) for slug in ("martian-chess", "tank-chess")),
    ("gottaz", SensorKind.IDENTITY),
}
"""One sensor for each game; the others are long."""


def begun(slug: str, kind: SensorKind) -> FakeTable:
    """A table at which the second side is played elsewhere."""
    rules = games.find(slug).rules()
    by = [PlayedBy.TABLE] * len(rules.sides)
    by[ABSENT] = PlayedBy.ELSEWHERE
    fake = FakeTable(rules, kind, session=Session(rules, kind, played_by=by))
    fake.set_up()
    return fake


def drawn(fake: FakeTable, chance: Random) -> Any:
    """A random move after which the game goes on."""
    rules, position = fake.rules, fake.session.position
    moves = list(rules.legal_moves(position))
    going_on = [move for move in moves if rules.status(rules.apply(position, move)) is None]
    return chance.choice(going_on or moves)


def make(fake: FakeTable, chance: Random) -> str:
    """Make a random move for the person; returns its notation."""
    rules, position, before = fake.rules, fake.session.position, len(fake.record)
    move = drawn(fake, chance)
    text = rules.write_move(position, move)
    steps = rules.steps(position, move)
    for step in sorted(steps, key=lambda each: len(each.target)):
        for cell in step.source:
            show(fake, cell, None)
        for cell in step.target:
            show(fake, cell, None)
            show(fake, cell, step.becomes)
    for _ in range(MOST_ANSWERS):
        fake.wait(3000)
        view = fake.session.view()
        if view.question is not None:
            chosen = next(
                number for number, choice in enumerate(view.question.choices) if text in choice.moves
            )
            fake.ask(Answer(view.question.ply, chosen))
        elif len(fake.record) == before:
            fake.press(PERSON)
        else:
            assert fake.record[-1] == text
            return text
    raise AssertionError(f"{text} is not understood")


def decide(fake: FakeTable, chance: Random) -> None:
    """Let the absent player decide on a random move."""
    rules, position, view = fake.rules, fake.session.position, fake.session.view()
    assert view.decider == ABSENT
    text = rules.write_move(position, drawn(fake, chance))
    fake.ask(Play(view.ply, text, view.position))
    decided = fake.session.view().decided
    assert decided is not None
    assert decided.move == text


def carry_out(fake: FakeTable) -> None:
    """Do what the guides say; the move is on the board then."""
    obey(fake)
    finish(fake)
    assert fake.session.view().decided is None
    assert_stands(fake)


def assert_stands(fake: FakeTable) -> None:
    """The board is as the record says, as far as the sensor sees."""
    wanted = fake.rules.placement(fake.session.position).by_cell()
    assert {cell: look(piece, fake.kind) for cell, piece in fake.on.items()} == {
        cell: look(piece, fake.kind) for cell, piece in wanted.items()
    }


def restarted(fake: FakeTable) -> FakeTable:
    """The table after a restart of the program."""
    session = Session.restore(fake.rules, fake.history, fake.kind, played_by=fake.session.played_by)
    again = FakeTable(fake.rules, fake.kind, session=session)
    again.now_ms = again.rest_since_ms = fake.now_ms + 60_000
    again.on = dict(fake.on)
    again.observe()
    again.wait(200)
    return again


@pytest.mark.parametrize(
    ("slug", "kind"),
    [
        pytest.param(slug, kind, marks=() if (slug, kind) in USUAL else pytest.mark.long)
        for slug in games.slugs()
        for kind in SensorKind
    ],
)
def test_a_scripted_absent_player_plays_on_through_everything(slug: str, kind: SensorKind) -> None:
    fake, chance = begun(slug, kind), Random(11)
    for _ in range(2):
        make(fake, chance)
        decide(fake, chance)
        carry_out(fake)
    assert len(fake.record) == 4

    make(fake, chance)
    decide(fake, chance)
    fake.ask(Pause())
    assert fake.session.view().phase is Phase.PAUSED
    fake.ask(Resume())
    carry_out(fake)

    kept = fake.record
    fake.ask(TakeBack())
    if fake.rules.allows_take_back:
        kept = kept[:-2]
    assert fake.record == kept
    obey(fake)
    fake.wait(3000)
    assert_stands(fake)

    make(fake, chance)
    fake.ask(OfferDraw(ABSENT))
    assert fake.session.view().draw_offered_by == ABSENT
    fake.ask(DeclineDraw(PERSON))
    assert fake.session.view().draw_offered_by is None
    decide(fake, chance)
    fake.ask(Adjourn())
    fake = restarted(fake)
    fake.ask(Resume())
    assert fake.session.view().phase is Phase.CARRYING_OUT
    carry_out(fake)
    assert len(fake.record) == len(kept) + 2
    assert not only(IllegalSeen, fake.history)

    make(fake, chance)
    fake.ask(Resign(ABSENT))
    outcome = fake.session.view().outcome
    assert outcome is not None
    assert PERSON in outcome.winners
