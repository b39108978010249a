# SPDX-License-Identifier: Apache-2.0
"""Every hypothesis keeps the causes of its cost, and every table of costs is used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion import games
from companion.host.journal import journal
from companion.host.records.replay import after, opened
from companion.model.pieces import Piece
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.inference.tracker.hypothesis import Hypothesis
from companion.referee.inference.tracker.segment import Charge
from companion.referee.session.session import Session
from companion.referee.values.events import Event, MoveMade, Stage
from companion.referee.values.timing import DEFAULT_TIMING
from tests.fakes import FakeTable
from tests.recordings import recordings
from tests.referee.support import perform

CHESS = games.find("chess").rules()


def table_of(costs: Costs) -> FakeTable:
    """A chess board at which the tracker counts with *costs*."""
    table = FakeTable(CHESS, session=Session(CHESS, costs=costs))
    table.set_up()
    return table


def kept(session: Session) -> set[Hypothesis]:
    """The hypotheses of *session* with their ancestors."""
    found = set[Hypothesis]()
    waiting = list(session.belief.live)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [node.parent] if node.parent else []
    return found


@pytest.mark.parametrize(
    "name", ["chess-blitz-on-switches", "martian-chess-illegal-by-magnets", "gottaz-questions-on-switches"]
)
def test_the_charges_of_a_hypothesis_add_up_to_its_cost(name: str) -> None:
    read = journal.read(next(path for path in recordings() if path.stem == name))
    session, told, checked = opened(read), list[Event](), 0
    for entry in read.entries:
        if isinstance(entry, Event):
            continue
        session, events = after(session, entry, told, read)
        told += events
        for node in kept(session):
            if node.parent is not None and node.parent.parent is not None:
                added = sum(charge.nats for charge in node.charges)
                assert node.cost == pytest.approx(node.parent.cost + added)
                checked += 1
    assert checked > 100


def test_a_ply_taken_back_keeps_the_charges_of_what_was_taken_back() -> None:
    start = CHESS.read_position("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    table = FakeTable(CHESS, session=Session(CHESS, start=start))
    table.set_up()
    perform(table, "d5- e4- 300 d5+ 2000 d5- 300 e4+ 2500 d5+ 1000")
    backs = [
        node
        for node in table.session.belief.live
        if any(charge.cause == "revision.take_back" for charge in node.charges)
    ]
    assert backs
    for node in backs:
        assert node.cost == pytest.approx(sum(charge.nats for charge in node.charges))
        assert Charge("ply.base", DEFAULT.ply_base) in node.charges


def test_a_session_counts_with_the_table_of_costs_that_it_was_given() -> None:
    table = table_of(replace(DEFAULT, ply_base=7.5, piece_stop=2.25))
    pawn = table.lift("e2")
    table.wait(200)
    table.put("e3", pawn)
    table.wait(300)
    table.lift("e3")
    table.wait(200)
    table.put("e4", pawn)
    table.wait(1000)
    best = table.session.belief.live[0]
    assert Charge("ply.base", 7.5) in best.charges
    assert Charge("piece.stop", 2.25, CHESS.grid.cell("e3")) in best.charges


@pytest.mark.parametrize(("lead", "is_announced"), [(DEFAULT.decision_announce, True), (1000.0, False)])
def test_the_table_decides_by_how_much_a_ply_must_lead(lead: float, is_announced: bool) -> None:
    table = table_of(replace(DEFAULT, decision_announce=lead))
    table.carry("g1", "f3", after_ms=300)
    table.wait(DEFAULT_TIMING.dwell_ms - 100)  # later a ply is announced before what is illegal
    stages = {event.stage for event in table.history if isinstance(event, MoveMade)}
    assert (Stage.ANNOUNCED in stages) is is_announced


def test_a_press_for_nothing_is_charged() -> None:
    table = table_of(DEFAULT)
    pawn = table.lift("e2")
    table.wait(300)
    table.turn_lever(0)
    table.wait(200)
    table.put("e4", pawn)
    table.wait(1000)
    causes = {charge.cause for node in kept(table.session) for charge in node.charges}
    assert "press.early" in causes
    assert "press.ahead" not in causes


def test_a_move_that_began_only_after_an_early_press_costs_as_much_as_one_for_nothing() -> None:
    table = table_of(DEFAULT)
    pawn = table.lift("e2")
    table.wait(100)
    table.turn_lever(0)
    table.wait(100)
    other = table.lift("d2")
    table.wait(100)
    table.put("e2", pawn)
    table.wait(100)
    table.put("d4", other)
    table.wait(100)
    charges = [each for node in kept(table.session) for each in node.charges]
    assert Charge("press.ahead", DEFAULT.press_idle - DEFAULT.press_early) in charges


def test_a_successor_has_the_same_costs() -> None:
    table = table_of(replace(DEFAULT, ply_base=7.5))
    table.carry("g1", "f3", after_ms=300)
    table.wait(1500)
    again = table.session.successor()
    assert again.belief.table.costs.ply_base == 7.5
    assert CHESS.placement(again.position).by_cell()[CHESS.grid.cell("f3")] == Piece("knight", 0)
