# SPDX-License-Identifier: Apache-2.0
"""Questions that are not about a move, and the offer of a new game."""

from __future__ import annotations

import pytest

from companion.games import find
from companion.model.errors import OrderRefused
from companion.model.observation import EMPTY, OCCUPIED, SensorKind
from companion.model.pieces import Piece
from companion.referee.values.commands import Adjourn, Answer, LetStand, Pause, Resume
from companion.referee.values.events import QuestionAsked, QuestionClosed, Stage
from companion.referee.values.questions import Aspect
from companion.referee.values.timing import DEFAULT_TIMING
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief, table

REST_MS = DEFAULT_TIMING.longest_ms + 100


def mixed_up() -> FakeTable:
    """Two white pieces have left their cells; their destinations are unknown."""
    fake = table("chess")
    knight, rook = fake.lift("b1"), fake.lift("h1")
    fake.wait(200)
    fake.put("a4", knight)
    fake.put("h4", rook)
    fake.wait(REST_MS)
    return fake


def asked_about(fake: FakeTable) -> list[str]:
    """The cells that the open question is about."""
    return [fake.rules.grid.name(cell) for cell in fake.asked().cells]


def test_which_piece_stands_where_is_asked_with_the_missing_pieces_first() -> None:
    fake = mixed_up()
    fake.take_events()
    fake.ask(LetStand(1))
    assert brief(fake.take_events()) == ["asked stands"]
    assert asked_about(fake) == ["a4"]
    kinds = [choice.piece.kind for choice in fake.asked().choices if choice.piece]
    assert sorted(kinds[:2]) == ["knight", "rook"]
    assert fake.session.view().fault is None
    assert fake.session.view().guides == ()


def test_one_answer_implies_the_rest() -> None:
    fake = mixed_up()
    fake.ask(LetStand(1))
    choices = fake.asked().choices
    knight = next(n for n, each in enumerate(choices) if each.piece and each.piece.kind == "knight")
    fake.ask(Answer(fake.asked().ply, knight))
    assert fake.session.view().phase is Phase.WAITING
    assert fake.rules.placement(fake.session.position).by_cell() == fake.on


def test_a_touch_of_the_cell_where_a_piece_stood_answers() -> None:
    fake = mixed_up()
    fake.ask(LetStand(1))
    for sighting in (OCCUPIED, EMPTY):
        fake.wait(300)
        fake.change(fake.rules.grid.cell("b1"), sighting)
    fake.wait(DEFAULT_TIMING.rest_ms)
    assert fake.session.view().phase is Phase.WAITING
    assert fake.rules.placement(fake.session.position).by_cell() == fake.on


def test_presses_of_a_button_answer() -> None:
    fake = mixed_up()
    fake.ask(LetStand(1))
    fake.press(0)
    fake.wait(1_000)
    shown = fake.session.view()
    assert (shown.pointed, shown.is_suspended) == (0, True)
    first = fake.asked().choices[0].piece
    fake.press(0)
    fake.wait(100)
    fake.press(0)
    assert not fake.session.view().is_suspended or asked_about(fake) != ["a4"]
    assert first is not None


def test_pieces_that_are_put_back_close_the_question() -> None:
    fake = mixed_up()
    fake.ask(LetStand(1))
    fake.carry("a4", "b1", after_ms=200)
    fake.carry("h4", "h1", after_ms=200)
    fake.take_events()
    fake.wait(REST_MS)
    assert "closed" in brief(fake.take_events())
    view = fake.session.view()
    assert (view.question, view.is_suspended, view.phase) == (None, False, Phase.WAITING)
    fake.carry("e2", "e4", after_ms=200)
    fake.wait(REST_MS)
    assert fake.record == ["e4"]


def test_another_command_closes_the_question() -> None:
    fake = mixed_up()
    fake.ask(LetStand(1))
    fake.take_events()
    fake.ask(Pause())
    assert brief(fake.take_events()) == ["closed", "paused"]
    assert fake.session.view().question is None


def test_the_answer_that_it_is_another_piece_leads_to_an_instruction() -> None:
    fake = mixed_up()
    fake.ask(LetStand(1))
    with pytest.raises(OrderRefused, match="put it back, or set up a position"):
        fake.ask(Answer(fake.asked().ply, len(fake.asked().choices) - 1))
    fake.wait(REST_MS)
    assert (fake.session.view().question, fake.session.phase) == (None, Phase.ILLEGAL)


def test_a_refusal_has_a_reason() -> None:
    fake = table("chess")
    with pytest.raises(OrderRefused, match="nothing on the board differs"):
        fake.ask(LetStand(0))
    fake.carry("e2", "e5", after_ms=200)
    with pytest.raises(OrderRefused, match="not at rest"):
        fake.ask(LetStand(1))
    fake.wait(REST_MS)
    fake.ask(Adjourn())
    with pytest.raises(OrderRefused, match="adjourned"):
        fake.ask(LetStand(1))
    with pytest.raises(OrderRefused, match="no game has begun"):
        FakeTable(find("chess").rules()).ask(LetStand(0))


def test_the_side_to_move_alone_may_be_corrected() -> None:
    fake = table("chess")
    fake.ask(LetStand(1))
    assert (fake.session.view().turn, fake.session.view().phase) == (1, Phase.WAITING)


@pytest.mark.parametrize("is_paused", [True, False])
@pytest.mark.parametrize("kind", SensorKind)
def test_the_start_position_in_the_middle_of_a_game_leads_to_the_offer_of_a_new_one(
    kind: SensorKind, is_paused: bool
) -> None:
    fake = table("chess", kind=kind)
    for source, target in (("e2", "e4"), ("g8", "f6"), ("d2", "d4"), ("d7", "d5")):
        fake.carry(source, target, after_ms=200)
        fake.wait(1_500)
    record = fake.record
    if is_paused:
        fake.ask(Pause())
    for source, target in (("e4", "e2"), ("f6", "g8"), ("d5", "d7"), ("d4", "d2")):
        fake.carry(source, target, after_ms=200)
        fake.wait(100)
    fake.wait(REST_MS)
    assert fake.asked().aspect is Aspect.NEW_GAME
    shown = fake.session.view().record
    assert [line.move for line in shown if line.stage is not Stage.PROVISIONAL] == record
    fake.ask(Answer(fake.asked().ply, 0))
    fake.wait(100)
    view = fake.session.view()
    assert (view.record, view.phase, view.turn, view.question) == ((), Phase.WAITING, 0, None)


def test_pieces_that_come_back_are_no_new_game_and_the_question_before_it_is_asked_again() -> None:
    fake = table("gottaz")
    for cell, side, choice in (("e1", 0, 0), ("d5", 1, 0), ("c1", 0, None)):
        fake.put(cell, Piece("unknown", side))
        fake.wait(1_500)
        before = fake.asked()
        while choice is not None and fake.session.view().question is not None:
            fake.ask(Answer(fake.asked().ply, choice))
            fake.wait(100)
    fake.take_events()
    pieces = {name: fake.lift(name) for name in ("d5", "e1", "c1")}  # knocked over: an empty board
    fake.wait(1_000)
    assert fake.asked().aspect is Aspect.NEW_GAME
    for name, piece in pieces.items():
        fake.put(name, piece)
        fake.wait(300)
    fake.wait(1_500)
    assert fake.asked() == before
    events = [event for event in fake.take_events() if isinstance(event, QuestionAsked | QuestionClosed)]
    assert [isinstance(event, QuestionAsked) for event in events] == [False, True, False, True]


def test_a_declined_new_game_is_not_offered_again() -> None:
    fake = table("chess")
    for source, target in (("e2", "e4"), ("g8", "f6"), ("d2", "d4"), ("d7", "d5")):
        fake.carry(source, target, after_ms=200)
        fake.wait(1_500)
    fake.ask(Pause())
    for source, target in (("e4", "e2"), ("f6", "g8"), ("d5", "d7"), ("d4", "d2")):
        fake.carry(source, target, after_ms=200)
    fake.wait(REST_MS)
    fake.ask(Answer(fake.asked().ply, 1))
    fake.wait(60_000)
    assert fake.session.view().question is None
    assert fake.record == ["e4", "Nf6", "d4", "d5"]
    for source, target in (("e2", "e4"), ("g8", "f6"), ("d2", "d4"), ("d7", "d5")):
        fake.carry(source, target, after_ms=200)
    fake.wait(REST_MS)
    fake.ask(Resume())
    assert fake.session.phase is Phase.WAITING


def test_the_start_position_reached_by_moves_leads_to_no_offer() -> None:
    fake = table("chess")
    for source, target in (("g1", "f3"), ("g8", "f6"), ("f3", "g1"), ("f6", "g8")):
        fake.carry(source, target, after_ms=200)
        fake.wait(REST_MS)
        assert fake.session.view().question is None
    assert fake.record == ["Nf3", "Nf6", "Ng1", "Ng8"]
