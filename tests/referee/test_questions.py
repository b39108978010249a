# SPDX-License-Identifier: Apache-2.0
"""Questions: asked only if the board cannot decide; answered on page or board."""

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


def test_no_question_is_asked_if_the_sensor_knows_the_kind() -> None:
    fake = table("chess", PROMOTION, SensorKind.IDENTITY)
    piece = fake.lift("a7")
    fake.put("a8", type(piece)("rook", 0))
    fake.wait(1000)
    assert not only(QuestionAsked, fake.history)
    assert fake.record == ["a8=R+"]


def test_an_open_question_does_not_delay_the_opponent_and_may_be_answered_late() -> None:
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


def test_a_late_answer_that_makes_the_reply_illegal_leaves_an_illegal_board() -> None:
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
    """The kinds among the choices of *fake*."""
    return {choice.piece.kind for choice in fake.asked().choices if choice.piece}


def test_choices_excluded_by_the_reply_are_offered_only_after_its_take_back() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    fake.carry("e8", "f8", after_ms=200)
    fake.wait(1000)
    assert kinds_asked(fake) == {"knight", "bishop"}
    fake.carry("f8", "e8", after_ms=200)
    fake.wait(1000)
    assert kinds_asked(fake) == {"knight", "bishop", "rook", "queen"}


def test_a_question_closes_if_the_reply_leaves_one_answer() -> None:
    """A queen would take the king on b7.

    After a knight or a bishop the game would be drawn.
    """
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


def test_a_magnet_over_a_lit_empty_cell_selects_the_facing_of_a_tank() -> None:
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


def test_a_question_about_a_turn_in_place_is_asked_once_its_side_presses() -> None:
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
    """Tank Chess, where a tank may have turned in place unseen.

    The second side seems to begin.
    """
    fake = table("tank-chess")
    fake.carry("D14", "D13", after_ms=300)
    fake.wait(600)
    return fake


def test_a_move_out_of_turn_leads_to_a_question_about_an_unseen_move() -> None:
    fake = out_of_turn()
    question = fake.asked()
    assert question.ply == 0
    assert question.choices[-1].moves == ()
    assert brief(fake.take_events())[-1].startswith("asked")


def test_denying_an_unseen_move_reports_the_illegal_one() -> None:
    fake = out_of_turn()
    question = fake.asked()
    fake.ask(Answer(0, len(question.choices) - 1))
    fake.wait(800)
    assert fake.session.view().fault is not None
    assert fake.session.view().fault.violation.rule == "wrong-side"  # type: ignore[union-attr]


def test_no_unseen_move_is_assumed_if_presses_switch_the_clock() -> None:
    fake = table("tank-chess")
    fake.turn_lever(1)
    fake.carry("D14", "D13", after_ms=300)
    fake.wait(600)
    assert fake.session.view().question is None
    assert fake.session.view().fault is not None


def test_no_untraceable_exchange_of_pieces_is_assumed() -> None:
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
    """King and knight against king is drawn at once.

    A player who replies has seen a rook or a queen.
    """
    fake = table("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    fake.carry("e8", "e7", after_ms=200)
    fake.wait(1000)
    assert kinds_asked(fake) == {"rook", "queen"}


def promoting(fake: FakeTable, wait_ms: int) -> FakeTable:
    """*fake* with a camera, *wait_ms* after the pawn reached the last rank."""
    pawn = fake.lift("a7")
    fake.wait(200)
    fake.put("a8", pawn)
    fake.wait(wait_ms)
    return fake


def calls_of_a_ply(fake: FakeTable, source: str, target: str) -> int:
    """The number of function calls for a ply from *source* to *target*, and afterwards."""
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


def test_an_open_question_adds_little_cost_to_later_plies() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(3000)
    fake.carry("e8", "f8", after_ms=200)  # excludes two of the four kinds
    fake.wait(3000)
    walk = ("e1 d1", "f8 g8", "d1 c1", "g8 h8", "c1 d1", "h8 g8", "d1 e1", "g8 f8") * 3
    called = [calls_of_a_ply(fake, *step.split()) for step in walk]
    assert len(fake.session.belief.line) == 26, "nothing is settled as long as the question is open"
    assert called[-1] < 2 * called[0]


def test_a_pawn_on_the_last_rank_waits_for_the_promoted_piece() -> None:
    fake = promoting(table("chess", PROMOTION, SensorKind.IDENTITY), 2000)
    fake.lift("a8")
    fake.wait(700)
    fake.put("a8", Piece("rook", 0))
    fake.wait(3000)
    assert fake.record == ["a8=R+"]
    assert not only(IllegalSeen, fake.history)


def test_a_pawn_left_on_the_last_rank_is_reported_as_an_incomplete_promotion() -> None:
    fake = promoting(table("chess", PROMOTION, SensorKind.IDENTITY), 4000)
    fault = fake.session.view().fault
    assert fault is not None
    assert fault.violation.rule == "promotion-missing"


def test_a_press_with_a_pawn_on_the_last_rank_does_not_complete_the_move() -> None:
    fake = promoting(table("chess", PROMOTION, SensorKind.IDENTITY), 300)
    fake.turn_lever(0)
    assert [word for word in brief(fake.history) if word.startswith("completed")] == [
        "completed promotion-missing"
    ]


def pointed(fake: FakeTable) -> str | None:
    """The kind selected by presses."""
    view = fake.session.view()
    if view.question is None or view.pointed is None:
        return None
    piece = view.question.choices[view.pointed].piece
    return piece.kind if piece else None


def test_a_button_steps_through_the_answers_and_two_quick_presses_select_one() -> None:
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


def test_neither_an_accidental_double_press_nor_the_opponents_button_answers() -> None:
    fake = table("chess", PROMOTION)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(100)
    for button in (0, 0, 1, 1, 1):
        fake.press(button)
        fake.wait(100)
    fake.wait(3000)
    assert fake.session.view().question is not None
    assert pointed(fake) is not None


def test_the_first_press_switches_the_clocks_and_the_next_ones_answer() -> None:
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
