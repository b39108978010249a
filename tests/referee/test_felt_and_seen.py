# SPDX-License-Identifier: Apache-2.0
"""Wood that is felt first and seen a little later: what was doubtful until then is asked of nobody."""

from __future__ import annotations

import pytest

from companion.games import find
from companion.model.observation import EMPTY, OCCUPIED, SensorKind
from companion.model.pieces import Piece
from companion.referee.events import MoveMade, QuestionAsked, Stage
from tests.fakes import FakeTable

DUEL = {"map": "Duel; 8x8; B4 G5; CA1N LC2N MD2N ME3N cH8S lF7S mE7S mD6S"}


@pytest.mark.parametrize("is_seen_in_time", [True, False])
def test_a_facing_that_is_seen_after_its_tank_was_felt_answers_what_would_be_asked(
    is_seen_in_time: bool,
) -> None:
    table = FakeTable(find("tank-chess").rules(DUEL), SensorKind.IDENTITY_FACING)
    table.set_up()
    grid = table.rules.grid
    tank = table.on.pop(grid.cell("C2"))
    table.change(grid.cell("C2"), EMPTY)
    table.wait(300)
    table.on[grid.cell("D4")] = Piece(tank.kind, tank.side, None, tank.pose)
    table.change(grid.cell("D4"), OCCUPIED)
    table.wait(200)
    if is_seen_in_time:
        table.on[grid.cell("D4")] = Piece(tank.kind, tank.side, 2, tank.pose)
        table.observe()
    table.wait(5000)
    events = table.take_events()
    assert bool([event for event in events if isinstance(event, QuestionAsked)]) is not is_seen_in_time
    announced = [e.move for e in events if isinstance(e, MoveMade) and e.stage is Stage.ANNOUNCED]
    assert announced == (["C2-D4E!"] if is_seen_in_time else [])
