# SPDX-License-Identifier: Apache-2.0
"""A session of Close Quarters, from an empty board to the result."""

from __future__ import annotations

import pytest

from companion.games import find
from companion.model.game import Outcome
from companion.model.pieces import Piece
from companion.referee.values.commands import (
    DeclineDraw,
    LetStand,
    NewGame,
    OfferDraw,
    Pause,
    Resign,
    Resume,
    TakeBack,
)
from companion.referee.values.events import GameBegan, IllegalSeen
from companion.referee.values.timing import DEFAULT_TIMING
from companion.referee.values.view import Guide, Phase
from tests.fakes import FakeTable
from tests.referee.support import UNIDENTIFIED, brief, only, table

SWORD, MACE, SPEAR, AXE = Piece("sword", 0), Piece("mace", 1), Piece("spear", 1), Piece("axe", 1)


@pytest.fixture(name="table")
def close_quarters() -> FakeTable:
    """A table of Close Quarters in the start position."""
    return table("close-quarters")


def test_an_empty_board_is_guided_to_the_start_position_in_any_order() -> None:
    fake = FakeTable(find("close-quarters").rules())
    fake.observe()
    assert {guide.target for guide in fake.session.view().guides} == {0, 3, 28, 31}
    fake.put("d8", SPEAR)
    fake.put("a2", SWORD)
    guides = fake.session.view().guides
    assert {(guide.source, guide.target) for guide in guides if guide.source is not None} == {(4, 0)}
    assert fake.session.view().phase is Phase.SETTING_UP
    fake.carry("a2", "a1", after_ms=300)
    fake.put("d1", MACE)
    fake.put("a8", AXE)
    assert fake.take_events() == []
    fake.wait(100)
    assert brief(fake.take_events()) == ["began"]
    assert fake.session.view().guides == ()


def test_a_piece_in_the_hand_lights_its_targets(table: FakeTable) -> None:
    table.lift("d8")
    view = table.session.view()
    assert (view.phase, view.lifted) == (Phase.HANDLING, (31,))


def test_the_hint_time_is_awaited_only_if_more_than_a_lifted_piece_is_wrong(table: FakeTable) -> None:
    hint_ms = DEFAULT_TIMING.hint_ms

    def may_come() -> bool:
        table.wait(DEFAULT_TIMING.rest_ms)
        due_ms = table.session.next_deadline_ms()
        return due_ms is not None and due_ms - table.now_ms == hint_ms - DEFAULT_TIMING.rest_ms

    table.carry("a1", "a3", after_ms=250)
    table.wait(250)
    table.lift("d1")
    assert not may_come()
    table.put("c4", MACE)
    assert may_come()


def test_the_way_back_from_an_illegal_move_is_shown(table: FakeTable) -> None:
    table.carry("a1", "a3")
    table.wait(100)
    table.carry("d1", "c4", after_ms=300)
    table.wait(500)
    view = table.session.view()
    assert view.phase is Phase.ILLEGAL
    assert view.guides == (Guide(MACE, table.rules.grid.cell("c4"), table.rules.grid.cell("d1")),)


def play(table: FakeTable, *moves: str) -> None:
    """Play *moves* by hand; captured pieces are taken off first."""
    for move in moves:
        if move[2] == "x":
            table.lift(move[3:5])
            table.wait(200)
        table.carry(move[:2], move[3:5], after_ms=200)
        table.wait(800)


MOVES = ("a1-a3", "d8-d3", "a3-b4", "d3-d4", "b4xd4", "a8-b7", "d4-d5", "b7-a8", "d5-d6", "a8-b7", "d6-c6")


def test_setting_up_after_the_end_begins_a_new_game(table: FakeTable) -> None:
    play(table, *MOVES, "b7xc6")
    table.take_events()
    table.lift("c6")
    table.lift("d1")
    for cell, piece in (("d8", SPEAR), ("a1", SWORD), ("d1", MACE), ("a8", AXE)):
        table.wait(300)
        table.put(cell, piece)
    assert table.session.view().phase is Phase.FINISHED  # while the board is not at rest
    table.wait(100)
    assert brief(table.take_events()) == ["began"]
    assert table.session.view().record == ()


def test_resigning_ends_the_game(table: FakeTable) -> None:
    table.ask(Resign(0))
    assert brief(table.take_events()) == ["ended resignation"]
    assert table.session.view().outcome == Outcome((1,), "resignation")


def test_a_draw_is_offered_and_agreed(table: FakeTable) -> None:
    table.ask(OfferDraw(0))
    table.ask(OfferDraw(0))
    assert brief(table.take_events()) == ["draw offered by 0"]
    table.ask(OfferDraw(1))
    assert brief(table.take_events()) == ["ended agreement"]


def test_a_draw_is_declined_by_another_side_until_somebody_moves(table: FakeTable) -> None:
    table.ask(DeclineDraw(1))  # nothing was offered
    table.ask(OfferDraw(0))
    table.ask(DeclineDraw(0))
    assert brief(table.take_events()) == ["draw offered by 0"]
    table.ask(DeclineDraw(1))
    assert brief(table.take_events()) == ["draw declined by 1"]
    view = table.session.view()
    assert (view.draw_offered_by, view.draw_declined_by) == (None, 1)
    table.ask(OfferDraw(0))
    assert brief(table.take_events()) == ["draw offered by 0"]
    assert table.session.view().draw_declined_by is None
    table.ask(DeclineDraw(1))
    play(table, "a1-a3")
    assert table.session.view().draw_declined_by is None


def test_an_offer_is_gone_when_the_opponent_moves(table: FakeTable) -> None:
    table.ask(OfferDraw(0))
    play(table, "a1-a3")
    assert table.session.view().draw_offered_by == 0
    play(table, "d8-d3")
    assert table.session.view().draw_offered_by is None


def test_nothing_is_judged_during_a_pause(table: FakeTable) -> None:
    table.ask(Pause())
    table.carry("a1", "d5")
    table.wait(5000)
    table.carry("d5", "a1")
    table.ask(Resume())
    assert brief(table.take_events()) == ["paused", "resumed"]


def test_several_plies_are_taken_back_if_the_game_allows_it() -> None:
    fake = table("close-quarters", take_back="yes")
    play(fake, "a1-a3", "d1-c3", "a3-b4")
    fake.take_events()
    fake.ask(TakeBack(4))
    fake.ask(TakeBack(1))
    fake.ask(TakeBack(1))  # the first one need not be put back for that
    assert brief(fake.take_events()) == ["retracted a3-b4", "retracted d1-c3"]
    assert {(g.source, g.target) for g in fake.session.view().guides} == {(10, 3), (13, 8)}
    fake.carry("b4", "a3", after_ms=100)
    fake.carry("c3", "d1", after_ms=100)
    fake.wait(100)
    assert brief(fake.take_events()) == ["resumed"]
    play(fake, "d1-b2")
    assert brief(fake.take_events())[-1] == "announced d1-b2"


def test_no_take_back_under_touch_move(table: FakeTable) -> None:
    play(table, "a1-a3")
    table.take_events()
    table.ask(TakeBack(1))
    assert table.take_events() == []


def test_a_new_game_is_guided_from_the_current_placement(table: FakeTable) -> None:
    play(table, "a1-a3")
    table.ask(NewGame())
    assert table.session.view().guides == (Guide(SWORD, 8, 0),)


def test_a_restored_game_guides_the_board_to_its_position(table: FakeTable) -> None:
    play(table, *MOVES)
    position = table.session.position
    session = table.restored()
    assert session.position == position
    again = FakeTable(table.rules, session=session)
    again.on = dict(table.on)
    knight = again.lift_unheard("d1")
    again.observe()
    again.wait(500)
    assert [guide.target for guide in session.view().guides] == [3]
    again.put("d1", knight)
    again.wait(100)
    assert brief(again.take_events()) == ["resumed"]
    assert again.record == table.record


def test_the_same_inputs_give_the_same_events_again(table: FakeTable) -> None:
    other = FakeTable(table.rules)
    other.set_up()
    other.take_events()
    for fake in (table, other):
        play(fake, *MOVES)
    assert table.history == other.history


def test_an_arbiter_lets_an_illegal_position_stand(table: FakeTable) -> None:
    play(table, "a1-a3")
    table.carry("d1", "c4", after_ms=200)
    table.wait(1000)
    table.take_events()
    table.ask(LetStand(0))
    assert brief(table.take_events()) == ["settled a1-a3", "adopted A2P/4/4/4/2M1/S3/4/4 s 0"]
    assert table.session.view().fault is None
    play(table, "a3-a4")
    assert brief(table.take_events())[-1] == "announced a3-a4"
    assert table.record == ["a1-a3", "", "a3-a4"]
    assert table.restored().position == table.session.position


def test_a_game_on_an_empty_board_begins_once_the_board_is_seen_to_be_empty() -> None:
    fake = FakeTable(find("gottaz").rules())
    fake.put_unheard("a1", UNIDENTIFIED)
    fake.wait(2_000)
    assert not only(GameBegan, fake.history), "nothing was sensed yet"
    fake.observe()
    fake.wait(2_000)
    assert fake.session.view().phase is Phase.SETTING_UP
    assert [guide.source for guide in fake.session.view().guides] == [0]
    fake.lift("a1")
    fake.wait(2_000)
    assert len(only(GameBegan, fake.history)) == 1
    assert not only(IllegalSeen, fake.history)
