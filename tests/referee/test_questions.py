# SPDX-License-Identifier: Apache-2.0
"""What the board cannot tell is asked, and only that; answers come from the page or from the board."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.commands import Answer
from companion.referee.events import IllegalSeen, QuestionAsked
from companion.referee.questions import Aspect
from tests.fakes import FakeTable
from tests.referee.support import brief, only, table

PROMOTION = "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1"


def test_a_promotion_asks_for_the_kind_as_soon_as_the_board_rests() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(59)
    assert fake.session.view().question is None
    fake.wait(1)
    question = fake.asked()
    assert question.aspect is Aspect.KIND
    assert kinds_asked(fake) == {"queen", "rook", "bishop", "knight"}
    assert brief(fake.take_events())[-1] == "asked kind"


def test_the_answer_makes_the_move_certain() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(100)
    question = fake.asked()
    number = next(n for n, c in enumerate(question.choices) if c.piece and c.piece.kind == "knight")
    fake.ask(Answer(0, number))
    fake.wait(1000)
    assert fake.session.view().question is None
    assert fake.record == ["a8=N"]
    assert brief(fake.take_events())[-1] == "announced a8=N" or "announced a8=N" in brief(fake.history)


def test_a_sensor_that_knows_kinds_is_not_asked() -> None:
    fake = table("chess", PROMOTION, SensorKind.IDENTITY)
    piece = fake.lift("a7")
    fake.put("a8", type(piece)("rook", 0))
    fake.wait(1000)
    assert not only(QuestionAsked, fake.history)
    assert fake.record == ["a8=R+"]


def test_an_open_question_does_not_hold_up_the_opponent_and_may_be_answered_late() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    fake.carry("e8", "e7", after_ms=200)
    fake.wait(1000)
    question = fake.asked()
    assert question.ply == 0
    assert len(fake.session.view().record) == 2
    knight = next(n for n, c in enumerate(question.choices) if c.piece and c.piece.kind == "knight")
    fake.ask(Answer(0, knight))
    fake.wait(1000)
    assert fake.record == ["a8=N", "Ke7"]


def test_a_late_answer_under_which_the_reply_was_illegal_leaves_the_board_astray() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    fake.carry("e8", "f8", after_ms=200)
    fake.wait(300)
    question = fake.asked()
    queen = next(n for n, c in enumerate(question.choices) if c.piece and c.piece.kind == "queen")
    fake.ask(Answer(0, queen))
    fake.wait(1500)
    assert fake.session.view().fault is not None


def kinds_asked(fake: FakeTable) -> set[str]:
    """The kinds between which *fake* lets choose."""
    return {choice.piece.kind for choice in fake.asked().choices if choice.piece}


def test_what_the_reply_excludes_is_offered_only_if_that_is_taken_back() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    fake.carry("e8", "f8", after_ms=200)
    fake.wait(1000)
    assert kinds_asked(fake) == {"knight", "bishop"}
    fake.carry("f8", "e8", after_ms=200)
    fake.wait(1000)
    assert kinds_asked(fake) == {"knight", "bishop", "rook", "queen"}


def test_a_question_to_which_the_reply_leaves_one_answer_vanishes() -> None:
    """A queen would take the king on b7, and after a knight or a bishop the game would be a draw."""
    fake = table("chess", "8/P1k5/8/8/8/8/8/4K3 w - - 0 1")
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    assert len(kinds_asked(fake)) == 4
    fake.carry("c7", "b7", after_ms=200)
    fake.wait(1000)
    assert fake.session.view().question is None
    assert fake.record == ["a8=R", "Kb7"]


TWO_CAPTURES = "4k3/8/8/1p1p4/2B5/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(("victim", "move"), [("b5", "Bxb5+"), ("d5", "Bxd5")])
def test_a_capture_by_pushing_with_two_victims_is_answered_by_touching_one(victim: str, move: str) -> None:
    fake = table("chess", TWO_CAPTURES)
    fake.lift("c4")
    fake.wait(2500)
    assert {choice.touch for choice in fake.asked().choices} == set(fake.rules.grid.cells("b5 d5"))
    fake.carry(victim, victim, after_ms=200)
    fake.wait(1000)
    assert fake.record == [move]
    assert fake.session.view().question is None


def test_a_magnet_over_a_lit_empty_cell_says_where_a_tank_faces() -> None:
    fake = table("tank-chess")
    fake.carry("C3", "C5", after_ms=300)
    fake.wait(1000)
    question = fake.asked()
    assert question.aspect is Aspect.FACING
    ahead = fake.rules.grid.cell("C6")
    (chosen,) = (choice for choice in question.choices if choice.touch == ahead)
    fake.put("C6", Piece("magnet"))
    fake.wait(300)
    fake.lift("C6")
    fake.wait(1000)
    assert fake.session.view().question is None
    assert fake.record == list(chosen.moves)


def test_a_tank_turned_in_place_is_asked_about_once_its_side_says_that_it_is_done() -> None:
    fake = table("tank-chess")
    fake.wait(3000)
    assert fake.take_events() == []
    fake.turn_lever(0)
    fake.wait(100)
    question = fake.asked()
    assert question.aspect is Aspect.PIECE
    assert len(question.choices) == 10
    while fake.session.view().question is not None:
        fake.ask(Answer(0, 0))
        fake.wait(100)
    assert len(fake.session.view().record) == 1
    assert fake.session.ply == 1


def out_of_turn() -> FakeTable:
    """Tank Chess, where a tank may have turned in place unseen: the second side seems to begin."""
    fake = table("tank-chess")
    fake.carry("D14", "D13", after_ms=300)
    fake.wait(600)
    return fake


def test_a_move_out_of_turn_makes_the_companion_ask_what_was_moved_unseen() -> None:
    fake = out_of_turn()
    question = fake.asked()
    assert question.ply == 0
    assert question.choices[-1].moves == ()
    assert brief(fake.take_events())[-1].startswith("asked")


def test_who_denies_an_unseen_move_is_told_what_is_illegal() -> None:
    fake = out_of_turn()
    question = fake.asked()
    fake.ask(Answer(0, len(question.choices) - 1))
    fake.wait(800)
    assert fake.session.view().fault is not None
    assert fake.session.view().fault.violation.rule == "wrong-side"  # type: ignore[union-attr]


def test_who_uses_a_clock_is_not_suspected_of_unseen_moves() -> None:
    fake = table("tank-chess")
    fake.turn_lever(1)
    fake.carry("D14", "D13", after_ms=300)
    fake.wait(600)
    assert fake.session.view().question is None
    assert fake.session.view().fault is not None


def test_nobody_is_suspected_of_having_exchanged_wood_without_a_trace() -> None:
    fake = table(
        "gottaz",
        ".,.,.,.,./u2l4,.,.,.,./.,.,.,.,./.,.,.,.,./W5U1,S1L5,.,.,. f "
        "1S1L5+1U1W5+2U2L4+2W2S4+1L3U3+1W3S3 2S1L5+2U1W5+1U2L4+2W2S4+1L3U3+1W3S3 -",
    )
    fake.carry("a4", "a3", after_ms=300)
    fake.wait(600)
    assert fake.session.view().question is None
    assert fake.session.view().fault is not None


def test_answers_to_questions_that_are_not_open_change_nothing() -> None:
    fake = table("chess", PROMOTION)
    fake.ask(Answer(0, 0))
    fake.ask(Answer(7, 99))
    assert fake.take_events() == []


def test_a_reply_that_only_some_answers_allow_leaves_only_those() -> None:
    """King and knight against king is a draw at once: whoever answers has seen a rook or a queen."""
    fake = table("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    fake.carry("e8", "e7", after_ms=200)
    fake.wait(1000)
    assert kinds_asked(fake) == {"rook", "queen"}


def promoting(fake: FakeTable, wait_ms: int) -> FakeTable:
    """*fake*, before a camera, *wait_ms* after the pawn was put on the last rank."""
    pawn = fake.lift("a7")
    fake.wait(200)
    fake.put("a8", pawn)
    fake.wait(wait_ms)
    return fake


def calls_of_a_ply(fake: FakeTable, source: str, target: str) -> int:
    """How many functions are called while a piece goes from *source* to *target*, and in the time after that."""
    called = 0

    def count(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal called
        called += event == "call"

    sys.setprofile(count)
    try:
        fake.carry(source, target, after_ms=300)
        fake.wait(3000)
    finally:
        sys.setprofile(None)
    return called


def test_a_question_that_stays_open_makes_the_plies_after_it_hardly_dearer() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(3000)
    fake.carry("e8", "f8", after_ms=200)  # excludes two of the four kinds
    fake.wait(3000)
    walk = ("e1 d1", "f8 g8", "d1 c1", "g8 h8", "c1 d1", "h8 g8", "d1 e1", "g8 f8") * 3
    called = [calls_of_a_ply(fake, *step.split()) for step in walk]
    assert len(fake.session.belief.line) == 26, "nothing is settled as long as the question is open"
    assert called[-1] < 2 * called[0]


def test_a_pawn_on_the_last_rank_waits_for_the_piece_it_becomes() -> None:
    fake = promoting(table("chess", PROMOTION, SensorKind.IDENTITY), 2000)
    fake.lift("a8")
    fake.wait(700)
    fake.put("a8", Piece("rook", 0))
    fake.wait(3000)
    assert fake.record == ["a8=R+"]
    assert not only(IllegalSeen, fake.history)


def test_a_pawn_that_stays_on_the_last_rank_is_told_what_is_missing() -> None:
    fake = promoting(table("chess", PROMOTION, SensorKind.IDENTITY), 4000)
    fault = fake.session.view().fault
    assert fault is not None
    assert fault.violation.rule == "promotion-missing"


def test_who_presses_the_clock_over_a_pawn_on_the_last_rank_has_not_completed_the_move() -> None:
    fake = promoting(table("chess", PROMOTION, SensorKind.IDENTITY), 300)
    fake.turn_lever(0)
    assert [word for word in brief(fake.history) if word.startswith("completed")] == [
        "completed promotion-missing"
    ]


def pointed(fake: FakeTable) -> str | None:
    """The kind that presses have led to."""
    view = fake.session.view()
    if view.question is None or view.pointed is None:
        return None
    piece = view.question.choices[view.pointed].piece
    return piece.kind if piece else None


def test_who_is_asked_steps_through_the_answers_with_the_button_and_takes_one_by_two_quick_presses() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(100)
    kinds = [choice.piece.kind for choice in fake.asked().choices if choice.piece]
    shown = []
    for _ in range(len(kinds) + 2):
        fake.press(0)
        shown.append(pointed(fake))
        fake.wait(1000)
    assert shown == [*kinds, *kinds[:2]]
    fake.press(0)
    fake.wait(200)
    fake.press(0)
    fake.wait(1000)
    assert fake.session.view().question is None
    letters = {"queen": "a8=Q+", "rook": "a8=R+", "bishop": "a8=B", "knight": "a8=N"}
    assert fake.record == [letters[kinds[1]]]


def test_a_button_that_was_pressed_twice_by_mistake_answers_nothing_nor_does_the_opponents() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(100)
    for button in (0, 0, 1, 1, 1):
        fake.press(button)
        fake.wait(100)
    fake.wait(3000)
    assert fake.session.view().question is not None
    assert pointed(fake) is not None


def test_where_buttons_switch_the_clocks_the_first_press_does_and_the_next_ones_answer() -> None:
    fake = table("chess", PROMOTION, clock="5@press")
    fake.press(1)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    fake.press(0)
    assert pointed(fake) is None
    assert fake.session.view().clocks[1].is_running
    for wait_ms in (1000, 100, 0):
        fake.press(0)
        fake.wait(wait_ms)
    assert fake.session.view().question is None
    assert fake.session.view().clocks[1].is_running
