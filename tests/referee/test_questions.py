# SPDX-License-Identifier: Apache-2.0
"""Questions: asked only if the board cannot decide; answered on page or board."""

from __future__ import annotations

import sys
from types import FrameType

from companion import games
from companion.feedback.prompts import choice_label
from companion.feedback.words import load
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer
from companion.referee.values.questions import Aspect
from tests.fakes import FakeTable
from tests.referee.support import brief, table

PROMOTION = "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1"


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


def test_a_question_about_a_turn_in_place_is_asked_once_its_side_presses() -> None:
    fake = table("tank-chess")
    fake.wait(3000)
    assert fake.take_events() == []
    fake.turn_lever(0)
    fake.wait(100)
    question = fake.asked()
    assert question.aspect is Aspect.PIECE
    assert len(question.choices) == 11, "ten tanks, or the press was a mistake"
    while fake.session.view().question is not None:
        fake.ask(Answer(0, 0))
        fake.wait(100)
    assert len(fake.session.view().record) == 1
    assert fake.session.ply == 1


def test_a_pawn_is_chosen_from_the_pool_by_its_name() -> None:
    fake = table("gottaz", pawns="common")
    fake.wait(1000)
    fake.press(0)
    fake.wait(2000)
    view, words = fake.session.view(), load("en", "gottaz", fake.rules.sides)
    labels = [choice_label(each, fake.asked().aspect, view, words).name for each in fake.asked().choices]
    assert "Supply 1/Leap 5" in labels
    assert not any(each.startswith("+") for each in labels)


def out_of_turn() -> FakeTable:
    """Tank Chess, where a tank may have turned in place unseen.

    The second side seems to begin.
    """
    fake = table("tank-chess")
    fake.wait(1000)
    fake.carry("D14", "D13", after_ms=300)
    fake.wait(2500)
    return fake


def test_a_move_out_of_turn_leads_to_a_question_about_an_unseen_move() -> None:
    fake = out_of_turn()
    question = fake.asked()
    assert question.ply == 0
    assert question.choices[-1].moves == ()
    assert brief(fake.take_events())[-1].startswith("asked")


def test_answers_to_questions_that_are_not_open_change_nothing() -> None:
    fake = table("chess", PROMOTION)
    fake.ask(Answer(0, 0))
    fake.ask(Answer(7, 99))
    assert fake.take_events() == []


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
    rules = games.find("chess").rules()
    fake = FakeTable(rules, session=Session(rules, start=rules.read_position(PROMOTION)))
    fake.set_up()
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(3000)
    fake.carry("e8", "f8", after_ms=200)  # excludes two of the four kinds
    fake.wait(3000)
    walk = ("e1 d1", "f8 g8", "d1 c1", "g8 h8", "c1 d1", "h8 g8", "d1 e1", "g8 f8") * 3
    called = [calls_of_a_ply(fake, *step.split()) for step in walk]
    assert len(fake.session.belief.line) == 26, "nothing is settled as long as the question is open"
    assert called[-1] < 2 * called[0]


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
