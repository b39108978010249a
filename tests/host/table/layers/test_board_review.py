# SPDX-License-Identifier: Apache-2.0
"""A finished game is shown by lamps and display, move by move."""

from __future__ import annotations

from dataclasses import replace

from companion.feedback.lights import Meaning
from companion.feedback.shown import Overlay, Shown
from companion.games import find
from companion.host.table.layers.board_review import MISTAKE_MS, STEP_MS, BoardReview, Grade, MoveJudgement
from companion.model.game import Outcome
from companion.model.grid import Cell
from companion.model.observation import Observation, Press, Sightings
from companion.referee.session.session import Session
from companion.referee.values.events import Stage
from companion.referee.values.view import MoveView, TableView

CHESS = find("chess").rules()
PRESS = Observation(0, (Press(0, 0),), Sightings(0), 0)
E2, E4, E7, E5 = map(CHESS.grid.cell, ("e2", "e4", "e7", "e5"))
OVER: TableView = replace(
    Session(CHESS).view(),
    outcome=Outcome((), "agreement"),
    record=(
        MoveView(0, 0, "e4", Stage.SETTLED, (E2,), (E4,)),
        MoveView(1, 1, "e5", Stage.SETTLED, (E7,), (E5,)),
        MoveView(2, 0, "", Stage.SETTLED, (), ()),
    ),
    occupied=0b1,
)


def overlay(review: BoardReview) -> Overlay | None:
    return next(iter(review.added_to(Shown(OVER)).overlays), None)


def shown(review: BoardReview) -> tuple[str, str]:
    over = overlay(review)
    return ("", "") if over is None else over.lines


def lit(review: BoardReview) -> dict[Cell, Meaning]:
    """What is lit by the review, and nothing else."""
    over = overlay(review)
    assert over is not None
    assert over.is_alone
    return dict(over.lit)


def test_each_move_is_shown_for_a_while_or_until_a_press() -> None:
    review = BoardReview()
    assert not review.tend(OVER, 0)
    assert review.next_deadline_ms() is None
    review.begin(OVER, 100)
    assert shown(review) == ("1/3", "e4")
    assert not review.tend(OVER, 99 + STEP_MS)
    assert review.next_deadline_ms() == 100 + STEP_MS
    assert review.tend(OVER, 100 + STEP_MS)
    assert shown(review) == ("2/3", "e5")
    assert review.withhold(PRESS) is PRESS
    assert review.tend(OVER, 101 + STEP_MS)
    assert shown(review) == ("3/3", "-")
    assert review.tend(OVER, 101 + 2 * STEP_MS)
    assert overlay(review) is None


def test_only_the_move_is_lit() -> None:
    review = BoardReview()
    review.begin(OVER, 0)
    assert lit(review) == {E2: Meaning.LAST_FROM, E4: Meaning.LAST_TO}
    assert shown(review) == ("1/3", "e4")


def test_values_best_moves_and_mistakes_are_shown_of_a_game_that_is_analysed() -> None:
    review, (d2, d4) = BoardReview(), map(CHESS.grid.cell, ("d2", "d4"))
    mistake = MoveJudgement("e4", "-1.3", "d4", Grade.MISTAKE, source=(d2,), target=(d4,))
    review.begin(OVER, 0, (mistake, MoveJudgement("e5", "+0.2", "d5"), MoveJudgement("", "")))
    assert shown(review) == ("1/3 -1.3", "e4? d4")
    better = {d2: Meaning.HINT_FROM, d4: Meaning.HINT_TO}
    assert lit(review) == {E2: Meaning.LAST_FROM, E4: Meaning.LAST_TO, **better}
    assert review.next_deadline_ms() == MISTAKE_MS > STEP_MS
    assert review.tend(OVER, MISTAKE_MS)
    assert shown(review) == ("2/3 +0.2", "e5 (d5)")
    assert d4 not in lit(review)
    assert review.next_deadline_ms() == MISTAKE_MS + STEP_MS
    assert review.tend(OVER, MISTAKE_MS + STEP_MS)
    assert shown(review) == ("3/3", "-")


def test_a_blunder_has_two_question_marks() -> None:
    review = BoardReview()
    review.begin(OVER, 0, (MoveJudgement("e4", "-1.3", "d4", Grade.BLUNDER),))
    assert shown(review) == ("1/3 -1.3", "e4?? d4")
    assert review.next_deadline_ms() == MISTAKE_MS


def test_a_judgement_of_another_move_is_not_shown() -> None:
    review = BoardReview()
    review.begin(OVER, 0, (MoveJudgement("d4", "-1.3", "e4", Grade.BLUNDER),))
    assert shown(review) == ("1/3", "e4")


def test_hands_and_another_game_end_it() -> None:
    for after in (replace(OVER, occupied=0), replace(OVER, outcome=None)):
        review = BoardReview()
        review.begin(OVER, 0)
        assert review.tend(after, 1)
        assert review.added_to(Shown(after)) == Shown(after)
