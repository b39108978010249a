# SPDX-License-Identifier: Apache-2.0
"""While a question is open, only the players' answer decides the ply."""

from __future__ import annotations

import pytest

from companion.feedback.prompts import prompt
from companion.feedback.words import load
from companion.model.errors import OrderRefused
from companion.model.game import Outcome
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.values.commands import (
    Answer,
    Correct,
    LetStand,
    Pause,
    Resign,
    Restore,
    Resume,
    TakeBack,
)
from companion.referee.values.events import IllegalSeen, MoveMade, Stage
from companion.referee.values.questions import Aspect
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief, only, perform, table

PROMOTION = "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1"
MATE = "7k/P7/6K1/8/8/8/8/8 w - - 0 1"
"""Rook and queen give mate, knight and bishop cannot win."""
AGAINST_A_QUEEN = "8/P7/8/2k5/8/1q6/8/7K w - - 0 1"
"""A lone knight cannot mate by any series of moves."""
KINDS = ["a8=N", "a8=B", "a8=R", "a8=Q"]


def promoted(position: str = PROMOTION, reply: str = "", clock: str = "none") -> FakeTable:
    """A pawn on the last rank, with an open question about its kind.

    The king may have replied by going to *reply*.
    """
    fake = table("chess", position, clock=clock)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1000)
    if reply:
        fake.carry("e8", reply, after_ms=200)
        fake.wait(1000)
    assert asked(fake) == KINDS
    fake.take_events()
    return fake


def asked(fake: FakeTable) -> list[str]:
    """The moves among the choices."""
    question = fake.session.view().question
    return [choice.moves[0].rstrip("+#") for choice in question.choices] if question else []


def announced(fake: FakeTable) -> list[str]:
    """The final moves in the journal."""
    made = (event for event in fake.history if isinstance(event, MoveMade))
    return [event.move for event in made if event.stage is Stage.ANNOUNCED]


@pytest.mark.parametrize(("choice", "move"), [(0, "a8=N"), (3, "a8=Q+")])
def test_taking_the_reply_back_repeats_the_question(choice: int, move: str) -> None:
    fake = promoted(reply="e7", clock="60s")
    fake.ask(TakeBack(1))
    assert brief(fake.take_events()) == ["retracted Ke7"]
    assert (len(fake.record), fake.session.ply) == (1, 1)
    shown = fake.session.view().clocks
    assert shown[0].left_ms == 60_000 - 240
    fake.wait(10_000)
    fake.carry("e7", "e8")
    fake.wait(1000)
    assert brief(fake.take_events()) == ["resumed", "asked kind"]
    assert asked(fake) == KINDS
    fake.ask(Answer(0, choice))
    assert announced(fake) == fake.record == [move]
    fake.carry("e8", "d7", after_ms=200)
    fake.wait(1000)
    assert fake.record == [move, "Kd7"]
    again = fake.restored()
    assert again.position == fake.session.position
    assert [line.spent_ms for line in again.view().record] == [
        line.spent_ms for line in fake.session.view().record
    ]


def test_taking_the_move_itself_back_closes_the_question() -> None:
    fake = promoted(reply="e7")
    fake.ask(TakeBack(2))
    assert brief(fake.take_events()) == ["retracted Ke7", "retracted a8=N"]
    fake.carry("e7", "e8")
    fake.carry("a8", "a7")
    fake.wait(3000)
    assert brief(fake.take_events()) == ["resumed"]


def test_the_record_of_a_game_that_was_resigned_is_completed_by_a_late_answer() -> None:
    fake = promoted(clock="60s")
    fake.ask(Resign(1))
    assert brief(fake.take_events()) == ["ended resignation"]
    view = fake.session.view()
    assert view.question is not None
    assert prompt(view, load("en", "chess", view.sides)).endswith("What has the piece on a8 become?")
    fake.on.clear()  # the pieces are put away
    fake.rest_since_ms = fake.now_ms
    fake.observe()
    fake.wait(20_000)
    for pause_ms in (900, 900, 900, 900, 200):  # steps to the last choice, and a first quick press
        fake.press(0)
        fake.wait(pause_ms)
    fake.press(0)
    assert brief(fake.take_events()) == ["retracted a8=N", "provisional a8=Q+", "announced a8=Q+", "closed"]
    after = fake.session.view()
    assert (after.clocks[0].left_ms, after.outcome, after.question) == (60_000 - 240, view.outcome, None)
    assert [(line.move, line.spent_ms) for line in after.record] == [("a8=Q+", 240)]


@pytest.mark.parametrize(
    ("position", "choice", "outcome"),
    [
        (MATE, 0, Outcome((), "insufficient-material")),
        (MATE, 3, Outcome((0,), "checkmate")),
        (MATE.replace("6K1/8/8/8/8/8", "6K1/8/8/8/7P/8"), 3, Outcome((0,), "checkmate")),
        (AGAINST_A_QUEEN, 0, Outcome((), "time-without-mate")),
        (AGAINST_A_QUEEN, 3, Outcome((0,), "time")),
    ],
)
def test_a_flag_waits_for_an_answer_that_decides_the_result(
    position: str, choice: int, outcome: Outcome
) -> None:
    fake = promoted(position, clock="5s")
    fake.wait(20_000)
    view = fake.session.view()
    assert (view.clocks[1].left_ms, view.outcome, fake.session.next_deadline_ms()) == (0, None, None)
    fake.ask(Answer(0, choice))
    fake.wait(10)
    view = fake.session.view()
    assert view.outcome == outcome
    assert not any(clock.is_running for clock in view.clocks)


def test_a_flag_ends_the_game_at_once_if_every_answer_gives_the_same_result() -> None:
    fake = promoted(clock="5s")
    fake.wait(20_000)
    assert fake.session.view().outcome == Outcome((0,), "time")
    assert asked(fake) == KINDS


def test_letting_a_position_stand_includes_the_open_question() -> None:
    fake = promoted()
    fake.carry("e8", "c8", after_ms=200)
    fake.wait(1000)
    fake.take_events()
    fake.ask(LetStand(0))
    assert brief(fake.take_events()) == ["closed", "asked stands"]
    view = fake.session.view()
    assert (view.phase, view.is_suspended, view.fault) == (Phase.CHOOSING, True, None)
    knight = next(n for n, each in enumerate(fake.asked().choices) if each.piece == Piece("knight", 0))
    fake.ask(Answer(fake.asked().ply, knight))
    assert brief(fake.take_events())[-1].startswith("adopted N1k5/")
    assert fake.record == []
    assert fake.session.view().is_start_amended


def test_an_arbiter_corrects_the_ply_in_question_or_waits_for_the_answer() -> None:
    fake = promoted(reply="e7")
    with pytest.raises(OrderRefused, match="nobody has said yet what move 1 was"):
        fake.ask(Correct(1, ("Kd7",)))
    assert asked(fake) == KINDS
    fake.ask(Correct(0, ("a8=R", "Ke7")))
    assert fake.record == ["a8=R+", "Ke7"]


def test_an_unanswered_ply_is_not_recorded_when_a_position_is_restored() -> None:
    fake = promoted(reply="e7")
    fake.ask(Restore("8/Q4k2/8/8/8/8/7P/4K3 b - - 0 1"))
    assert announced(fake) == []
    assert fake.record == [""]


@pytest.mark.parametrize(("position", "end"), [(PROMOTION, []), (MATE, ["ended checkmate"])])
def test_an_answer_in_a_pause_is_announced_at_once(position: str, end: list[str]) -> None:
    fake = promoted(position, clock="60s")
    fake.ask(Pause())
    fake.wait(10_000)
    fake.take_events()
    fake.ask(Answer(0, 3))
    phrases = brief(fake.take_events())
    (move,) = fake.record
    assert phrases == [
        "retracted a8=N",
        f"provisional {move}",
        f"announced {move}",
        *end,
        "closed",
    ]
    assert fake.session.phase is (Phase.FINISHED if end else Phase.PAUSED)
    again = fake.restored()
    assert again.position == fake.session.position
    fake.ask(Resume())
    fake.wait(1000)
    assert brief(fake.take_events()) == ([] if end else ["resumed"])
    assert [clock.is_running for clock in fake.session.view().clocks] == [False, not end]


DUEL = "Duel; 8x8; B4 G5; CA1N LC2N MD2N ME3N cH8S lF7S mE7S mD6S"


@pytest.mark.parametrize(
    ("moved", "reply"),
    [("C4", "D5"), ("C5", "D6")],
    ids=["goes there", "is turned in place there, which switches cannot tell from a touch"],
)
def test_a_tank_of_the_opponent_on_a_lit_cell_answers_nothing(moved: str, reply: str) -> None:
    fake = table("tank-chess", map=DUEL)
    fake.carry("C2", moved, after_ms=300)
    fake.wait(1500)
    question = fake.asked()
    assert fake.rules.grid.cell(reply) in {choice.touch for choice in question.choices}
    fake.carry("D6", reply, after_ms=300)
    fake.wait(3000)
    assert fake.session.view().question == question


@pytest.mark.parametrize(
    ("kind", "shooter"),
    [
        (SensorKind.OCCUPANCY, "mD6S"),
        (SensorKind.IDENTITY, "mD6S"),
        (SensorKind.OCCUPANCY, "mC5E"),  # it need only be turned in place, which switches cannot detect
    ],
)
def test_a_tank_that_is_laid_down_on_a_lit_cell_answers_nothing(kind: SensorKind, shooter: str) -> None:
    fake = table("tank-chess", kind=kind, map=DUEL.replace("mD6S", shooter))
    fake.turn_lever(0)
    assert fake.rules.grid.cell("C2") in {choice.touch for choice in fake.asked().choices}
    if shooter == "mD6S":
        fake.carry("D6", "C5", after_ms=300)
        fake.wait(100)
    hit = fake.lift("C2")
    fake.wait(100)
    fake.put("C2", Piece(hit.kind, hit.side, None, "wreck"))
    fake.wait(3000)
    still = fake.asked()
    assert (still.ply, still.aspect) == (0, Aspect.PIECE)


def test_no_fault_is_reported_while_open_questions_may_explain_the_board() -> None:
    fake = table(
        "tank-chess",
        "w HD1E MF1N CI1S MJ1E HM1N LB2W MI3NE LI4NE LF5SW LK8W "
        "lN9N lE11SE lH13N lM13W mI14S hD16SW mG16S cH16S mK16S hN16S",
    )
    perform(
        fake,
        "F5- 117 E4+ 175 E11- 101 F9+ 544 K8- 52 I10+ 139 M13+ 62 !1 159 E4- 39 D4+ 181 H16- 46 J16+ 187 "
        "F2+ 32 D1- 214 N9- 53 M11+ 130 I10- 68 K7+ 138 F9- 121 F10+ 134 B2- 147 A2+ 126 M11- 41 N12+ 190 "
        "G3+ 33 F2- 201 N13+ 26 M13- 136 M1- 95 M2+ 160 F10- 72 E11+ 234 F1- 63 G1+ 206 N12- 44 M15+ 183 "
        "D4- 39 C2+ 265 N13- 33 M11+ 181 K7- 17 K7+ 62 !0 100",
    )
    assert not only(IllegalSeen, fake.history)
