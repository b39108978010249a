# SPDX-License-Identifier: Apache-2.0
"""Every way to make a legal move is recognised or asked about, without false alarms."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import games
from companion.model.game import AnyRules
from companion.model.observation import SensorKind
from companion.referee.events import IllegalSeen
from companion.referee.session import Session
from companion.virtual.hands import Habits, motions
from tests.fakes import FakeTable
from tests.referee.support import brief, only, table

SHARES = st.sampled_from((0.0, 0.0, 0.3, 1.0))
HABITS = st.builds(
    Habits,
    victim_first=st.sampled_from((0.0, 1.0)),
    slides=SHARES,
    stops=SHARES,
    pushes=SHARES,
    tries=SHARES,
    turns_in_place=SHARES,
    early=SHARES,
    two_hands=SHARES,
    puts_back=SHARES,
    bumps=SHARES,
    adjusts=SHARES,
    bounces=SHARES,
    pause_ms=st.sampled_from((40, 100, 250)),
    longest_ms=st.just(450),
)
"""Pauses below the hint time, within which no comment is made."""


def random_position(rules: AnyRules, chance: Random) -> Any:
    """A position after random plies, with a legal move."""
    position = rules.initial()
    for _ in range(chance.randrange(60)):
        moves = rules.legal_moves(position)
        following = rules.apply(position, chance.choice(moves))
        if not rules.legal_moves(following):
            break
        position = following
    return position


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", games.slugs())
def test_every_way_to_make_a_legal_move_leads_to_it(slug: str, kind: SensorKind, is_long: bool) -> None:
    rules = games.find(slug).rules()

    @settings(max_examples=1000 if is_long else 15)
    @given(habits=HABITS, seed=st.integers(0, 2**32))
    def heart(habits: Habits, seed: int) -> None:
        chance = Random(seed)
        position = random_position(rules, chance)
        move = chance.choice(rules.legal_moves(position))
        fake = FakeTable(rules, kind, session=Session(rules, kind, start=position))
        fake.set_up()
        steps = rules.steps(position, move)
        fake.handle(motions(rules.grid, fake.on, steps, habits, chance))
        fake.wait(2000)
        fake.turn_lever(position.turn)
        assert not only(IllegalSeen, fake.history)
        text = rules.write_move(position, move)
        if fake.session.view().question:
            assert text in fake.offered()
        else:
            assert fake.record == [text]

    heart()


def test_a_piece_with_a_single_legal_move_is_not_awaited() -> None:
    """The king may only take the queen: his arrival need not be seen."""
    fake = table("chess", "4k3/8/8/8/8/8/q6P/K7 w - - 0 1")
    fake.lift("a1")
    fake.wait(699)
    assert fake.take_events() == []
    fake.wait(1)
    assert brief(fake.take_events()) == ["provisional Kxa2", "announced Kxa2"]


def test_a_fighter_that_may_be_swapped_is_awaited() -> None:
    """A swap leaves no trace and begins like a battle."""
    fake = table(
        "gottaz",
        "s4w2,u1w5,w3s3,u1w5,s1l5/.,L4U2,s1l5,u2l4,./l4u2,.,.,.,u3l3/U2L4,.,.,.,./S1L5,U3L3,S4W2,S1L5,S3W3 "
        "s 2U1W5+1W2S4 1W2S4 -",
    )
    fake.lift("b5")
    fake.wait(999)
    assert fake.take_events() == []
    fake.wait(1)
    assert brief(fake.take_events()) == ["provisional b5-b4x^", "announced b5-b4x^"]


def test_a_game_continues_while_a_hand_may_hold_the_piece_that_could_end_it() -> None:
    """A player who thinks with the Spear in the hand has not taken the Sword."""
    fake = table("close-quarters", "4/4/4/3P/4/4/3S/M3 w 0")
    spear = fake.lift("d5")
    fake.wait(2300)
    assert fake.take_events() == []
    fake.put("d7", spear)
    fake.wait(1000)
    assert brief(fake.take_events()) == ["provisional d5-d7!", "announced d5-d7!"]
