# SPDX-License-Identifier: Apache-2.0
"""The account of a decision: two stories, each with all causes of its cost."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import resources

import pytest

from companion import games
from companion.host.journal import journal
from companion.host.records.replay import after, opened
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.inference.tracker.account import Account, account, open_charges
from companion.referee.inference.tracker.face import sensed_by
from companion.referee.inference.tracker.outlook import score
from companion.referee.session.session import Session
from companion.referee.values.events import Event
from tests.fakes import FakeTable
from tests.recordings import recordings

CHESS = games.find("chess").rules()


def table() -> FakeTable:
    made = FakeTable(CHESS, session=Session(CHESS))
    made.set_up()
    return made


def causes(found: Account) -> list[dict[str, float]]:
    """The nats of each cause of both stories."""
    return [
        {charge.cause: charge.nats for charge in story.charges}
        for story in (found.best, found.rival)
        if story is not None
    ]


def test_every_cause_in_the_source_is_the_row_of_the_table_with_its_price() -> None:
    folder = resources.files("companion.referee.inference.tracker")
    source = "".join(
        (folder / f"{name}.py").read_text("utf-8")
        for name in ("segment", "explain", "outlook", "step", "press", "unfollowed", "face")
    )
    calls = re.findall(r'(?:Charge|_charge|_add)\("([a-z_.]+)", (?:.*?\bcosts\.(\w+))?', source)
    named = {row for row, _ in calls}
    assert len(named) > 35
    assert {row.replace(".", "_") for row in named} <= {field.name for field in fields(Costs)}
    assert [call for call in calls if call[1] not in {"", call[0].replace(".", "_")}] == []


@pytest.mark.parametrize("name", ["martian-chess-illegal-by-magnets", "close-quarters-whole-game"])
def test_the_charges_of_the_open_segment_are_what_it_costs(name: str) -> None:
    read = journal.read(next(path for path in recordings() if path.stem == name))
    session, told, begun = opened(read), list[Event](), 0
    for entry in read.entries:
        if isinstance(entry, Event):
            continue
        session, events = after(session, entry, told, read)
        told += events
        board = sensed_by(session.belief)
        for node in session.belief.live:
            charges, moves = open_charges(node, board)
            added = sum(charge.nats for charge in charges)
            assert score(node, board, DEFAULT) == pytest.approx(node.cost + added)
            begun += bool(moves)
    assert begun > 10


def test_a_slide_is_compared_with_the_move_to_the_cell_where_it_rested() -> None:
    made = table()
    pawn = made.lift("e2")
    made.wait(200)
    made.put("e3", pawn)
    made.wait(300)
    made.lift("e3")
    made.wait(200)
    made.put("e4", pawn)
    found = account(made.session.belief, 0)
    assert found.best.moves == (("e4",),)
    assert "piece.stop" in causes(found)[0]
    assert found.rival is not None
    assert found.best.nats < found.rival.nats


def test_a_put_back_piece_is_the_cause_of_a_story_without_a_move() -> None:
    made = table()
    rook = made.lift("a1")
    made.wait(300)
    made.put("a1", rook)
    made.wait(600)
    found = account(made.session.belief, 0)
    assert found.best.moves == ()
    assert causes(found)[0] == {"piece.adjust": DEFAULT.piece_adjust}


def test_a_move_of_the_same_trace_is_named_beside_the_move() -> None:
    rules = games.find("chess").rules()
    start = rules.read_position("4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    made = FakeTable(rules, session=Session(rules, start=start))
    made.set_up()
    made.carry("a7", "a8", after_ms=300)
    made.wait(1000)
    found = account(made.session.belief, 0)
    assert set(found.best.moves[0]) == {"a8=Q+", "a8=R+", "a8=B", "a8=N"}


def test_a_rival_is_the_story_with_the_move_that_was_asked_for() -> None:
    made = table()
    made.carry("e2", "e4", after_ms=300)
    made.wait(100)
    every = {node.line()[0].imprints[0].move for node in made.session.belief.live if node.line()}
    assert every
    found = account(made.session.belief, 0, "e4")
    assert found.best.moves == (("e4",),)


def test_the_least_cost_may_be_older_than_the_share_of_presses() -> None:
    made = table()
    made.carry("e2", "e4", after_ms=300)
    made.wait(400)
    made.lift("e7")
    board = sensed_by(made.session.belief)
    node = made.session.belief.live[0]
    assert node.imprints
    assert open_charges(node, board)[1], "a move has begun"
    charges, moves = open_charges(node, board._replace(pressed_share=0.99))
    assert moves == ()
    assert [charge.cause for charge in charges] == ["piece.adjust"]
