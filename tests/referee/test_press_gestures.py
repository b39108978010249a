# SPDX-License-Identifier: Apache-2.0
"""Presses that form a gesture do not switch the clock.

In every game a press without a move does not change the record.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games import find
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer
from companion.referee.values.controls import read_control
from companion.referee.values.events import IllegalSeen
from companion.referee.values.gestures import Gestures
from tests.fakes import FakeTable
from tests.referee.support import brief, only, running, seconds_left
from tests.virtual.hands import PROFILES, motions

CLOCKED = "completed clock-without-move"


def gestured(gestures: Gestures, clock: str = "60s@press") -> FakeTable:
    """The same table with gestures by presses."""
    rules = find("close-quarters").rules()
    session = Session(rules, control=read_control(clock, 2), gestures=gestures)
    fake = FakeTable(rules, session=session)
    fake.set_up()
    fake.press(1)
    fake.wait(3_000)
    fake.take_events()
    return fake


def test_presses_that_are_a_gesture_switch_no_clock_and_are_no_fault() -> None:
    fake = gestured(Gestures.PRESSES)
    before = seconds_left(fake)
    for _ in range(3):
        fake.wait(300)
        fake.press(0)
    fake.wait(600)
    assert brief(fake.take_events()) == ["pressed by 0", "draw offered by 0", "given back by 0"]
    assert running(fake) == [0]
    assert seconds_left(fake) == [before[0] - 0.9, before[1]]
    fake.wait(1_000)
    for _ in range(4):
        fake.press(0)
        fake.wait(200)
    assert running(fake) == [0]
    fake.press(0)
    assert brief(fake.take_events())[-1] == "ended resignation"
    assert not only(IllegalSeen, fake.history)


@pytest.mark.parametrize(("gestures", "after_ms"), [(Gestures.PRESSES, 660), (Gestures.OFF, 60)])
def test_a_press_is_reported_once_it_cannot_become_a_gesture(gestures: Gestures, after_ms: int) -> None:
    fake = gestured(gestures)
    fake.press(0)
    fake.take_events()
    fake.wait(after_ms - 1)
    assert fake.take_events() == []
    fake.wait(1)
    assert brief(fake.take_events()) == [CLOCKED]


def _try_without_move(fake: FakeTable, chance: Random) -> None:
    """The side to move presses without a move; the next side may press back."""
    view = fake.session.view()
    if view.pressers and fake.session.belief.tip.has_unseen():
        return
    side = view.turn
    fake.take_events()
    fake.turn_lever(side)
    fake.wait(1_000)
    assert len(only(IllegalSeen, fake.take_events())) == (view.question is None)
    if chance.random() < 0.5:
        fake.turn_lever((side + 1) % len(view.sides))
        fake.wait(chance.choice((10, 1_000)))


@pytest.mark.parametrize("slug", ["chess", "close-quarters", "fightopia", "gottaz", "martian-chess"])
@pytest.mark.parametrize("clock", ["60@press", "none"])
def test_a_press_without_a_move_is_reported_and_not_recorded_in_every_game(slug: str, clock: str) -> None:
    rules = find(slug).rules()

    @settings(max_examples=5)
    @given(st.integers(0, 2**32))
    def play(seed: int) -> None:
        chance = Random(seed)
        control = read_control(clock, len(rules.sides))
        fake = FakeTable(rules, session=Session(rules, control=control))
        fake.set_up()
        truth: list[str] = []
        for _ in range(8):
            position = fake.session.position
            if not rules.legal_moves(position):
                break
            if chance.random() < 0.5:
                _try_without_move(fake, chance)
            move = chance.choice(rules.legal_moves(position))
            truth.append(rules.write_move(position, move))
            fake.take_events()
            steps = tuple(rules.steps(position, move))
            fake.handle(motions(rules.grid, fake.on, steps, PROFILES["careful"], chance))
            fake.wait(300)
            fake.turn_lever(position.turn)
            fake.wait(3_000)
            _answer(fake, truth)
            assert not only(IllegalSeen, fake.take_events())
            if clock != "none" and fake.session.view().outcome is None:
                assert running(fake) == [rules.apply(position, move).turn]
        assert fake.record == truth

    play()


def _answer(fake: FakeTable, truth: list[str]) -> None:
    """Answer the open questions truthfully."""
    while (question := fake.session.view().question) is not None:
        wanted = [n for n, each in enumerate(question.choices) if truth[question.ply] in each.moves]
        fake.ask(Answer(question.ply, wanted[0]))
        fake.wait(100)
