# SPDX-License-Identifier: Apache-2.0
"""After lost changes the sightings count, and no order of events is assumed."""

from __future__ import annotations

import pytest

from companion.model.observation import EMPTY, OCCUPIED, Change, SensorKind
from companion.referee.events import IllegalSeen
from tests.fakes import FakeTable
from tests.games.support import play as played
from tests.referee.support import brief, only, table

START = "4k3/8/8/8/3p1p2/4P3/8/4K3 w - - 0 1"
"""A pawn on e3 that can capture on both sides."""


@pytest.fixture(name="table")
def set_up() -> FakeTable:
    """A table of chess with the position `START`."""
    return table("chess", START)


def adjust(table: FakeTable, name: str) -> None:
    """Lift the piece on the cell *name* and put it back."""
    piece = table.lift(name)
    table.wait(150)
    table.put(name, piece)


def test_a_move_without_any_edge_is_recognised_from_the_sightings(table: FakeTable) -> None:
    table.put_unheard("e4", table.lift_unheard("e3"))
    table.report_gap()
    table.wait(1000)
    assert brief(table.take_events()) == ["provisional e4", "announced e4"]


def test_a_piece_touched_after_the_gap_does_not_exclude_a_capture_in_it(table: FakeTable) -> None:
    pawn = table.lift("e3")
    table.wait(100)
    table.put_unheard("d4", pawn)  # exd4, without any edge
    table.report_gap()
    adjust(table, "f4")
    table.wait(3000)
    assert table.offered() == {"exd4", "exf4"}


def test_without_a_gap_the_order_decides(table: FakeTable) -> None:
    pawn = table.lift("e3")
    table.wait(100)
    table.lift("f4")
    table.wait(100)
    table.put("f4", pawn)
    table.wait(3000)
    assert table.session.view().question is None
    assert brief(table.take_events())[-1] == "announced exf4"


def test_a_piece_that_left_after_the_gap_cannot_have_arrived_in_it(table: FakeTable) -> None:
    table.report_gap()
    pawn = table.lift("e3")
    table.wait(100)
    table.lift("f4")
    table.wait(100)
    table.put("f4", pawn)
    table.wait(3000)
    assert table.session.view().question is None
    assert brief(table.take_events())[-1] == "announced exf4"


def test_a_gap_before_a_finished_ply_does_not_affect_the_next(table: FakeTable) -> None:
    table.put_unheard("e4", table.lift_unheard("e3"))
    table.report_gap()
    table.wait(1000)
    expected = played(table.rules, table.rules.read_position(START), "e4")
    table.carry("e8", "e7")
    table.wait(1000)
    assert table.session.position == played(table.rules, expected, "Ke7")
    assert table.kind is SensorKind.OCCUPANCY


def test_a_lifted_piece_is_not_assumed_on_an_unseen_cell(table: FakeTable) -> None:
    table.hide("e4")
    table.take_events()
    pawn = table.lift("e3")
    assert brief(table.take_events()) == []
    table.wait(400)
    table.put("d4", pawn)
    table.wait(1000)
    assert table.session.view().fault is None


def test_a_move_to_an_unseen_cell_is_accepted_after_a_while_and_may_be_revised(
    table: FakeTable,
) -> None:
    table.hide("d2")
    king = table.lift("e1")
    table.wait(1500)
    assert brief(table.take_events())[-1] == "announced Kd2"
    table.put("e2", king)
    table.wait(1500)
    assert brief(table.take_events())[-1] == "announced Ke2"


def test_uncovered_cells_are_read_before_the_changes_of_the_same_observation() -> None:
    """A hand uncovers the cell where the last move began, and another piece moves.

    If the changes came first, the piece lifted from where that move ended might have been put back
    on the covered cell, although that cell is now seen to be empty: the move would leave the
    record.
    """
    fake = table("martian-chess", "qqd1/qdp1/dppd/4/4/1pp1/1pdq/1dqq 2 0,0 - - -")
    fake.carry("d6", "d4")
    fake.wait(2000)
    assert brief(fake.take_events())[-1] == "announced d6-d4"
    fake.hide("d6")
    fake.wait(1000)
    fake.put_unheard("c4", fake.lift_unheard("d4"))
    fake.hidden = 0
    fake.rest_since_ms = fake.now_ms
    left, entered = fake.rules.grid.cells("d4 c4")
    fake.observe(Change(fake.now_ms - 200, left, EMPTY), Change(fake.now_ms, entered, OCCUPIED))
    fake.wait(2000)
    assert brief(fake.take_events()) == ["provisional d4-c4", "settled d6-d4", "announced d4-c4"]


def test_a_bounced_contact_is_no_evidence_of_a_move() -> None:
    """The Sword may have gone to an unseen cell or taken the Spear.

    The Spear's contact bounced when it was put down.
    """
    fake = table("close-quarters", "4/3P/1S2/3A/4/4/4/3M w 0", hidden="b4")
    fake.carry("d7", "b7", after_ms=300)
    fake.wait(10)
    spear = fake.lift("b7")
    fake.wait(4)
    fake.put("b7", spear)
    fake.wait(5000)
    fake.lift("b6")
    fake.wait(4000)
    assert fake.offered() == {"b6-b4", "b6xb7"}


def test_a_briefly_misplaced_piece_does_not_revive_a_capture_that_a_gap_allowed() -> None:
    """The queen on a7 was adjusted.

    A capture by it would not explain the piece on c4.
    """
    fake = table("martian-chess", "q2p/qd2/1dp1/2p1/p2q/1d2/1dqq/1d1q 1 2,2 d4-d6 - -")
    fake.carry("d2", "d3", after_ms=404)
    fake.wait(60)
    fake.turn_lever(0)
    fake.wait(5000)
    queen = fake.lift_unheard("a7")
    fake.report_gap()
    fake.wait(617)
    fake.put("a7", queen)
    fake.wait(206)
    drone = fake.lift("b6")
    fake.wait(1681)
    fake.put("c4", drone)
    fake.wait(77)
    fake.lift("c4")
    fake.wait(1103)
    fake.put("b4", drone)
    fake.wait(3000)
    assert (fake.record, fake.session.view().fault) == (["d2-d3", "b6-b4"], None)
    assert not only(IllegalSeen, fake.history)


def test_a_different_piece_is_not_the_one_that_went_to_an_unseen_cell() -> None:
    fake = table("chess", kind=SensorKind.IDENTITY, hidden="e4")
    fake.put_unheard("e4", fake.lift("e2"))
    fake.wait(1200)
    fake.put("e5", fake.on[fake.rules.grid.cell("e7")])
    fake.wait(100)  # a hand is still over e7
    fake.lift("e7")
    fake.wait(2000)
    said = ["provisional e4", "announced e4", "provisional e5", "announced e5", "settled e4"]
    assert brief(fake.history) == ["began", *said]


def test_a_possible_push_is_preferred_to_a_move_to_an_unseen_cell() -> None:
    fake = table(
        "martian-chess", "3d/qd1q/1q1p/ppdq/4/ppp1/d3/2dq 2 5,0 - - -", SensorKind.IDENTITY, hidden="d2"
    )
    fake.carry("d5", "d1", after_ms=620)  # a queen that looks like the one that stood there
    fake.turn_lever(1)
    fake.wait(100)
    assert fake.offered() == {"d5-d2", "d5xd1"}
