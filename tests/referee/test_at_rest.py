# SPDX-License-Identifier: Apache-2.0
"""A board at rest that shows a legal move counts as that move.

The order of the changes does not matter.
"""

from __future__ import annotations

from random import Random

import pytest

from companion import games
from companion.model.observation import SensorKind
from companion.model.occupancy import occupancy_of
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.events import IllegalSeen, Level
from tests.fakes import FakeTable
from tests.referee.support import only, perform, table
from tests.referee.test_every_legal_move import random_position


@pytest.mark.parametrize("late_ms", [65, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", games.slugs())
def test_every_plain_move_is_recognised_although_its_target_fills_first(
    slug: str, kind: SensorKind, late_ms: int
) -> None:
    chance = Random(late_ms)
    rules = games.find(slug).rules()
    for _ in range(8):
        position = random_position(rules, chance)
        move = chance.choice(rules.legal_moves(position))
        before, after = (rules.placement(each).by_cell() for each in (position, rules.apply(position, move)))
        left, come = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
        stays = all(after[cell] == before[cell] for cell in before.keys() & after.keys())
        fake = table(slug, rules.write_position(position), kind)
        is_entry = any(each.occupied == occupancy_of([*before, *come]) for each in _results(fake))
        if not (left and come and stays) or is_entry:  # a piece that enters from the hand is a move by itself
            continue
        for cell in come:
            fake.put(rules.grid.name(cell), after[cell])
        fake.wait(late_ms)
        for cell in left:
            fake.lift(rules.grid.name(cell))
        fake.wait(3000)
        text = rules.write_move(position, move)
        question = fake.session.view().question
        assert fake.record == [text] or (question and text in fake.offered())
        assert not only(IllegalSeen, fake.history)


def _results(fake: FakeTable) -> list[Prospect]:
    """The results of all legal moves."""
    tip = fake.session.belief.tip
    return [tip.after(move) for move in fake.rules.legal_moves(tip.position)]


@pytest.mark.parametrize("kind", SensorKind)
def test_a_press_after_a_fault_about_plies_that_it_settles_does_not_raise(kind: SensorKind) -> None:
    fake = table("chess", kind=kind, clock="300")
    perform(fake, "e2- 400 e4+e2 1500 e7- 400 e5+e7 10 e6+e7 600 !1 2000")
    assert fake.record == ["e4", "e5"]
    faults = only(IllegalSeen, fake.history)
    assert faults[-1].level is Level.COMPLETED
    assert faults[-1].difference.filled == (games.find("chess").rules().grid.cell("e6"),)
