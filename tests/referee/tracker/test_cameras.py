# SPDX-License-Identifier: Apache-2.0
"""The tracker and cameras: cells change between images, and hands hide them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion import games
from companion.model.observation import Change, SensorKind
from companion.referee.session.session import Session
from companion.referee.values.board.looks import look
from tests.fakes import FakeTable


@pytest.fixture
def fake() -> FakeTable:
    """Close Quarters before a camera: a sword on c3 attacks b2."""
    rules = games.find("close-quarters").rules()
    start = rules.read_position("A3/4/4/4/4/2S1/1P2/3M s 0")
    session = Session(rules, SensorKind.IDENTITY, start=start)
    made = FakeTable(rules, SensorKind.IDENTITY, session=session)
    made.set_up()
    return made


def test_a_piece_that_stands_in_for_another_between_two_images_was_captured(fake: FakeTable) -> None:
    sword = fake.on.pop(fake.rules.grid.cell("c3"))
    fake.put_unheard("b2", sword)
    changes = (("c3", None), ("b2", sword))
    seen = [
        Change(fake.now_ms, fake.rules.grid.cell(name), look(piece, fake.kind)) for name, piece in changes
    ]
    fake.rest_since_ms = fake.now_ms
    fake.observe(*seen)
    fake.wait(100)
    assert fake.record == ["c3xb2"]
    fake.hide("b2 c2 b1 c1")  # the next hand
    fake.wait(1500)
    assert fake.record == ["c3xb2"], "what was seen on b2 is not forgotten"


def test_a_hidden_cell_is_no_arrival_while_the_hand_may_hold_the_piece(fake: FakeTable) -> None:
    fake.hide("b2 b1")
    fake.lift("c3")
    fake.wait(700)
    assert fake.record == [], "the sword may be in the hand that hides b2"
    fake.wait(5000)
    assert fake.record == ["c3xb2"], "no other move is possible"


def test_a_tank_that_is_turned_in_steps_and_then_hit_faced_where_it_rested() -> None:
    rules = games.find("tank-chess").rules()
    start = rules.read_position(
        "b MF1NW CH1NE HN2S MH3NE MI3NW HC4N LG8SW lK10SW mD11SE mJ12SE lP14NE mI15W cN15W lA16SW hD16S lJ16E"
        " hN16S LP7x LA8x LF9x"
    )
    kind = SensorKind.IDENTITY_FACING
    fake = FakeTable(rules, kind, session=Session(rules, kind, start=start))
    fake.set_up()
    tank = fake.lift("K10")
    for facing in (5, 6, 7):
        fake.wait(800)
        fake.put("H10", replace(tank, facing=facing))
    fake.wait(7000)
    hunter = fake.lift("C4")
    fake.wait(700)
    fake.put("C5", replace(hunter, facing=2))
    fake.wait(400)
    hit = fake.lift("H10")
    fake.wait(500)
    after = rules.apply(start, rules.read_move(start, "K10-H10NW"))
    after = rules.apply(after, rules.read_move(after, "C4-C5ExH10"))
    shown = rules.placement(after).by_cell()[rules.grid.cell("H10")]
    assert hit != shown
    fake.put("H10", shown)
    fake.wait(3000)
    assert fake.record == ["K10-H10NW", "C4-C5ExH10"]
