# SPDX-License-Identifier: Apache-2.0
"""A draw claimed with the intended move (FIDE 9.2.1, 9.3.1).

Players see a message where a draw can be claimed.
"""

from __future__ import annotations

import chess
import pytest

from companion.feedback import text
from companion.feedback.notices import notices
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.host.codec import decode, encode
from companion.referee.values.commands import Command, OfferDraw, TakeBack
from tests.fakes import FakeTable
from tests.referee.support import brief
from tests.referee.test_draws import THERE_AND_BACK, chess_table, play

QUIET = "4k3/8/8/8/8/8/8/R3K3 w - - 99 90"
"""One more quiet ply completes fifty moves; a1 and e1 can make it."""


def messages(fake: FakeTable, language: str = "en") -> list[str]:
    view = fake.session.view()
    return list(notices(view, load(language, view.game, view.sides)))


def repeated_but_for_one_ply() -> FakeTable:
    """A table where Ng8 repeats the start position for the third time."""
    table = chess_table()
    play(table, *THERE_AND_BACK, *THERE_AND_BACK[:3])
    table.take_events()
    return table


def test_an_offer_followed_by_the_repeating_move_is_a_claim() -> None:
    table = repeated_but_for_one_ply()
    table.ask(OfferDraw(1))
    assert brief(table.take_events()) == ["draw offered by 1"]
    play(table, "f6g8")
    assert brief(table.take_events())[-1] == "ended threefold-repetition"
    assert table.record[-1] == "Ng8"


def test_the_move_may_be_named_and_need_not_be_made() -> None:
    table = repeated_but_for_one_ply()
    table.ask(OfferDraw(1, "Ng8"))
    assert brief(table.take_events()) == ["ended threefold-repetition"]


@pytest.mark.parametrize("move", ["Nd5", "Ng1", "nonsense", ""])
def test_a_claim_with_a_move_that_does_not_repeat_the_position_is_an_offer(move: str) -> None:
    table = repeated_but_for_one_ply()
    table.ask(OfferDraw(1, move))
    assert brief(table.take_events()) == ["draw offered by 1"]
    play(table, "f6d5")
    assert not [event for event in brief(table.take_events()) if event.startswith("ended")]


def test_only_the_side_to_move_claims() -> None:
    table = repeated_but_for_one_ply()
    table.ask(OfferDraw(0, "Ng8"))
    assert brief(table.take_events()) == ["draw offered by 0"]
    play(table, "f6g8")
    assert not [event for event in brief(table.take_events()) if event.startswith("ended")]


def test_an_offer_after_the_own_move_claims_nothing_with_the_next() -> None:
    table = chess_table()
    play(table, *THERE_AND_BACK, *THERE_AND_BACK[:2])
    table.ask(OfferDraw(1))  # White to move
    play(table, "f3g1", "f6g8")
    assert not [event for event in brief(table.take_events()) if event.startswith("ended")]


def test_a_claim_ends_when_the_move_before_it_is_taken_back() -> None:
    table = repeated_but_for_one_ply()
    table.ask(OfferDraw(1))
    table.ask(TakeBack())
    table.carry("g1", "f3")
    table.wait(2000)
    play(table, "f3g1", "f6g8")
    assert not [event for event in brief(table.take_events()) if event.startswith("ended")]


@pytest.mark.parametrize("move", ["Ra2", "Kd2"])
def test_fifty_moves_are_claimed_with_the_last_of_them(move: str) -> None:
    table = chess_table(start=QUIET)
    table.take_events()
    table.ask(OfferDraw(0, move))
    assert brief(table.take_events()) == ["ended fifty-moves"]


def test_a_move_that_mates_is_no_claim() -> None:
    table = chess_table(start="4k3/R7/4K3/8/8/8/8/8 w - - 99 90")
    table.take_events()
    table.ask(OfferDraw(0))
    play(table, "a7a8")
    assert brief(table.take_events())[-1] == "ended checkmate"


def test_older_journals_hold_offers_without_a_move() -> None:
    messages = {"is": "OfferDraw", "side": 1}
    assert encode(Command, OfferDraw(1)) == messages
    assert decode(Command, messages) == OfferDraw(1)
    assert decode(Command, {**messages, "move": "Ng8"}) == OfferDraw(1, "Ng8")


# messages about possible claims


def test_a_message_says_that_a_draw_can_be_claimed_now() -> None:
    table = chess_table()
    play(table, *THERE_AND_BACK)
    assert messages(table) == []
    play(table, *THERE_AND_BACK[:3])
    assert messages(table) == ["A draw can be claimed with Ng8: offer a draw, then make that move."]
    play(table, "f6g8")
    assert messages(table) == ["A draw can be claimed now: offer a draw."]
    view = table.session.view()
    assert text.render(view, load("en", view.game, view.sides)) == ("White to move", "Draw claimable")
    play(table, "e2e4")
    assert messages(table) == []


def test_no_more_than_three_moves_are_named() -> None:
    [sentence] = messages(chess_table(start=QUIET))  # without the number of quiet moves
    assert sentence.startswith("A draw can be claimed with Rb1, Rc1, Rd1, …: offer a draw")


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("start", [QUIET, "4k3/8/8/8/8/8/8/R3K3 w - - 100 90"])
def test_every_language_has_the_message(language: str, start: str) -> None:
    table = chess_table(start=start)
    [sentence] = messages(table, language)
    assert ("Rb1" in sentence) == (start == QUIET)
    view = table.session.view()
    words = load(language, view.game, view.sides)
    assert text.render(view, words)[1] == words.common.display.claim


def test_no_message_is_shown_without_draw_rules_or_after_the_end() -> None:
    assert messages(chess_table(start=QUIET, draw_rules="none")) == []
    table = chess_table(start=QUIET)
    table.ask(OfferDraw(0, "Ra2"))
    assert messages(table) == []


@pytest.mark.parametrize("start", [QUIET, "8/8/4k3/8/8/3QK3/8/8 w - - 99 90", chess.STARTING_FEN])
def test_the_moves_are_those_of_python_chess(start: str) -> None:
    table = chess_table(start=start)
    board = chess.Board(start)
    back_and_forth = [] if start != chess.STARTING_FEN else [*THERE_AND_BACK, *THERE_AND_BACK[:3]]
    for squares in back_and_forth:
        board.push_uci(squares)
        play(table, squares)
    wanted = set()
    for move in board.legal_moves:
        san = board.san(move)
        board.push(move)
        if not board.is_game_over() and (board.is_repetition(3) or board.halfmove_clock >= 100):
            wanted.add(san)
        board.pop()
    view = table.session.view()
    assert wanted
    assert set(view.claiming) == wanted
    assert not view.may_claim
