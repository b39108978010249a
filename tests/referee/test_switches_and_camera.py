# SPDX-License-Identifier: Apache-2.0
"""Pieces sensed by switches first and seen a little later cause no questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.model.observation import OCCUPIED, SensorKind
from companion.referee.values.events import MoveMade, QuestionAsked, Stage
from tests.referee.support import only, table

DUEL = "Duel; 8x8; B4 G5; CA1N LC2N MD2N ME3N cH8S lF7S mE7S mD6S"


@pytest.mark.parametrize("is_seen_in_time", [True, False])
def test_a_facing_seen_after_the_switch_closed_makes_a_question_unnecessary(
    is_seen_in_time: bool,
) -> None:
    fake = table("tank-chess", kind=SensorKind.IDENTITY_FACING, map=DUEL)
    tank = fake.lift("C2")
    fake.wait(300)
    fake.put_unheard("D4", replace(tank, facing=None))
    fake.change(fake.rules.grid.cell("D4"), OCCUPIED)
    fake.wait(200)
    if is_seen_in_time:
        fake.put_unheard("D4", replace(tank, facing=2))
        fake.observe()
    fake.wait(5000)
    events = fake.take_events()
    assert bool(only(QuestionAsked, events)) is not is_seen_in_time
    announced = [e.move for e in events if isinstance(e, MoveMade) and e.stage is Stage.ANNOUNCED]
    assert announced == (["C2-D4E!"] if is_seen_in_time else [])
