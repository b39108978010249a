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
from companion.referee.session.session import Session
from companion.referee.values.events import IllegalSeen
from tests.fakes import FakeTable
from tests.referee.support import only
from tests.virtual.hands import Habits, motions

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
