# SPDX-License-Identifier: Apache-2.0
"""Draws by the rules: automatic ones, and ones claimed by an offer."""

from __future__ import annotations

import pytest

from companion.games import find
from companion.referee.values.commands import OfferDraw
from tests.fakes import FakeTable
from tests.referee.support import brief

THERE_AND_BACK = ("g1f3", "g8f6", "f3g1", "f6g8")


def chess_table(**options: str) -> FakeTable:
    """A table of chess, set up."""
    table = FakeTable(find("chess").rules(options))
    table.set_up()
    return table


def play(table: FakeTable, *moves: str) -> None:
    """Make *moves* by hand."""
    for move in moves:
        table.carry(move[:2], move[2:], after_ms=200)
        table.wait(800)


def test_the_third_occurrence_is_a_draw_for_the_side_to_move_that_claims_it() -> None:
    table = chess_table()
    play(table, *THERE_AND_BACK, *THERE_AND_BACK)
    table.take_events()
    table.ask(OfferDraw(1))
    assert brief(table.take_events()) == ["draw offered by 1"], "only the side to move may claim"
    table.ask(OfferDraw(0))
    assert brief(table.take_events())[-1] == "ended threefold-repetition"


def test_the_second_occurrence_may_only_be_offered() -> None:
    table = chess_table()
    play(table, *THERE_AND_BACK)
    table.take_events()
    table.ask(OfferDraw(0))
    assert brief(table.take_events()) == ["draw offered by 0"]


def test_the_fifth_occurrence_ends_the_game() -> None:
    table = chess_table()
    play(table, *THERE_AND_BACK * 4)
    assert brief(table.take_events())[-1] == "ended fivefold-repetition"


def test_after_fifty_quiet_moves_a_draw_is_claimed() -> None:
    table = chess_table(start="4k3/8/8/8/8/8/8/R3K3 w - - 100 90")
    table.take_events()
    table.ask(OfferDraw(0))
    assert brief(table.take_events()) == ["ended fifty-moves"]


@pytest.mark.parametrize("claims", [0, 1])
def test_without_draw_rules_nothing_is_claimed(claims: int) -> None:
    table = chess_table(draw_rules="none")
    play(table, *THERE_AND_BACK * 4)
    table.take_events()
    table.ask(OfferDraw(claims))
    assert brief(table.take_events()) == [f"draw offered by {claims}"]
