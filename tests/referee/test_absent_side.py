# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one rule of the referee, with every way in which hands carry a move out.
"""A side that is not played at the table: clocks, take-backs, results, rests, restarts."""

from __future__ import annotations

import pytest

from companion import games
from companion.model.absent import PlayedBy
from companion.model.errors import OrderRefused
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.state.replay_events import replayed
from companion.referee.values.commands import (
    Adjourn,
    Correct,
    LetStand,
    NewGame,
    OfferDraw,
    Pause,
    Play,
    Resign,
    Resume,
    TakeBack,
)
from companion.referee.values.controls import read_control
from companion.referee.values.gestures import Gestures
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief, running, seconds_left

BLACK, WHITE = 1, 0


def table(
    *,
    absent: int = BLACK,
    clock: str = "none",
    slug: str = "chess",
    gestures: Gestures = Gestures.OFF,
    position: str = "",
    **options: str,
) -> FakeTable:
    """A table with a side played by the computer, set up and begun."""
    rules = games.find(slug).rules(options)
    by = [PlayedBy.TABLE] * len(rules.sides)
    by[absent] = PlayedBy.COMPUTER
    session = Session(
        rules,
        SensorKind.OCCUPANCY,
        start=rules.read_position(position) if position else None,
        control=read_control(clock, len(rules.sides)),
        gestures=gestures,
        played_by=by,
    )
    fake = FakeTable(rules, SensorKind.OCCUPANCY, session=session)
    fake.set_up()
    fake.take_events()
    return fake


def move(fake: FakeTable, source: str, target: str) -> None:
    """Carry a piece, and wait until the move is announced."""
    fake.carry(source, target, 200)
    fake.wait(1000)


def decide(fake: FakeTable, text: str) -> None:
    """Let the absent side decide on *text*."""
    view = fake.session.view()
    assert view.decider is not None
    fake.ask(Play(view.ply, text, view.position))


def restarted(fake: FakeTable) -> FakeTable:
    """The table after a restart of the program: the pieces still stand as they did."""
    session = Session.restore(
        fake.rules,
        fake.history,
        fake.kind,
        control=fake.session.control,
        played_by=fake.session.played_by,
    )
    again = FakeTable(fake.rules, fake.kind, session=session)
    again.now_ms = again.rest_since_ms = fake.now_ms + 60_000
    again.on = dict(fake.on)
    again.observe()
    again.wait(200)
    return again


def test_a_game_goes_on_in_turns() -> None:
    fake = table()
    for person, computer in (("e2 e4", "e7 e5"), ("g1 f3", "b8 c6"), ("f3 e5", "c6 e5")):
        move(fake, *person.split())
        assert fake.session.view().decider == BLACK
        decide(fake, "".join(computer.split()) if "x" in computer else _san(fake, computer))
        assert fake.session.view().phase is Phase.CARRYING_OUT
        source, target = computer.split()
        if fake.rules.grid.cell(target) in fake.on:
            fake.lift(target)
            fake.wait(200)
        fake.carry(source, target, 200)
        fake.wait(200)
        assert fake.session.view().phase is Phase.WAITING
        assert fake.session.view().decider is None
    assert fake.record == ["e4", "e5", "Nf3", "Nc6", "Nxe5", "Nxe5"]
    assert not [each for each in brief(fake.history) if "hint" in each or "completed" in each]


def _san(fake: FakeTable, cells: str) -> str:
    """The notation of the move between two cells."""
    rules, position = fake.rules, fake.session.position
    source, target = (rules.grid.cell(name) for name in cells.split())
    for each in rules.legal_moves(position):
        step = rules.steps(position, each)[0]
        if (step.source, step.target) == ((source,), (target,)):
            return rules.write_move(position, each)
    raise AssertionError(cells)


def test_hands_do_not_move_for_a_side_that_has_not_decided() -> None:
    fake = table()
    move(fake, "e2", "e4")
    fake.take_events()
    fake.carry("e7", "e5", 200)
    fake.wait(5000)
    assert fake.record == ["e4"]
    view = fake.session.view()
    assert view.fault is not None
    assert view.fault.violation.rule == "decided-elsewhere"
    assert view.decider == BLACK
    assert [(guide.source, guide.target) for guide in view.guides] == [
        (fake.rules.grid.cell("e5"), fake.rules.grid.cell("e7"))
    ]
    fake.carry("e5", "e7", 200)
    fake.wait(1000)
    assert fake.session.view().fault is None
    decide(fake, "e5")
    fake.carry("e7", "e5", 200)
    fake.wait(200)
    assert fake.record == ["e4", "e5"]


def test_a_person_may_still_change_the_own_move_while_the_other_side_thinks() -> None:
    fake = table()
    move(fake, "e2", "e3")
    before = fake.session.view()
    assert before.decider == BLACK
    fake.carry("e3", "e4", 200)
    fake.wait(3000)
    view = fake.session.view()
    assert fake.record == ["e4"]
    assert (view.ply, view.decider) == (before.ply, BLACK)
    with pytest.raises(OrderRefused, match="another position"):
        fake.ask(Play(before.ply, "e5", before.position))
    assert view == fake.session.view()
    decide(fake, "e5")


def test_a_wrong_move_is_put_right_and_not_called_illegal() -> None:
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    fake.carry("g8", "f6", 200)
    fake.wait(5000)
    view = fake.session.view()
    assert view.phase is Phase.CARRYING_OUT
    assert view.decided is not None
    assert view.decided.is_amiss
    assert view.fault is None
    cell = fake.rules.grid.cell
    assert [(guide.source, guide.target, guide.is_later) for guide in view.guides] == [
        (cell("f6"), cell("g8"), False),
        (cell("e7"), cell("e5"), True),
    ]
    fake.carry("f6", "g8", 200)
    fake.wait(200)
    view = fake.session.view()
    assert view.decided is not None
    assert not view.decided.is_amiss
    move(fake, "e7", "e5")
    assert fake.record == ["e4", "e5"]
    assert not [each for each in brief(fake.history) if "hint" in each or "completed" in each]


def test_the_opponent_may_reply_as_soon_as_the_piece_stands() -> None:
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    fake.carry("e7", "e5", 200)
    fake.wait(65)
    fake.carry("g1", "f3", 100)
    fake.wait(1000)
    assert fake.record == ["e4", "e5", "Nf3"]


def test_the_absent_clock_stops_when_its_move_arrives_and_the_other_starts_when_it_stands() -> None:
    fake = table(clock="5")
    move(fake, "e2", "e4")
    assert running(fake) == [BLACK]
    fake.wait(9000)
    before = seconds_left(fake)
    decide(fake, "e5")
    assert running(fake) == []
    fake.wait(20_000)
    assert seconds_left(fake) == pytest.approx(before, abs=0.001)
    fake.carry("e7", "e5", 1000)
    fake.wait(1060)
    assert running(fake) == [WHITE]
    white, black = seconds_left(fake)
    assert (white, black) == pytest.approx((300 - 1.06, before[1]), abs=0.05)
    made = fake.session.view().record[1]
    assert made.spent_ms == pytest.approx(1000 * (300 - black), abs=1)


def test_a_restored_session_has_the_same_clocks() -> None:
    fake = table(clock="5+3")
    move(fake, "e2", "e4")
    fake.wait(4000)
    decide(fake, "e5")
    fake.wait(7000)
    assert seconds_left(restarted(fake)) == seconds_left(fake)
    move(fake, "e7", "e5")
    fake.wait(2000)
    fake.ask(Pause())
    assert restored_seconds(fake) == seconds_left(fake)


def restored_seconds(fake: FakeTable) -> list[float]:
    """The clocks of a session restored from the events."""
    session = Session.restore(
        fake.rules, fake.history, control=fake.session.control, played_by=fake.session.played_by
    )
    return [clock.left_ms / 1000 for clock in session.view().clocks]


def test_a_flag_that_fell_before_the_move_arrived_ends_the_game() -> None:
    fake = table(clock="1")
    move(fake, "e2", "e4")
    fake.now_ms += 61_000
    decide(fake, "e5")
    assert brief(fake.take_events())[-1] == "ended time"


def test_where_presses_switch_the_clocks_the_person_is_not_asked_to_press_for_the_computer() -> None:
    fake = table(clock="5@press")
    fake.turn_lever(BLACK)
    fake.carry("e2", "e4", 200)
    fake.wait(1000)
    assert fake.session.view().decider is None  # the own clock still runs
    fake.turn_lever(WHITE)
    assert fake.session.view().decider == BLACK
    assert fake.session.view().pressers == ()
    decide(fake, "e5")
    fake.turn_lever(BLACK)
    assert running(fake) == []
    move(fake, "e7", "e5")
    assert running(fake) == [WHITE]
    fake.turn_lever(BLACK)
    assert running(fake) == [WHITE]
    assert fake.record == ["e4", "e5"]


def test_a_take_back_leads_to_a_move_of_the_person() -> None:
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    fake.ask(TakeBack())
    assert fake.record == []
    assert fake.session.view().decided is None
    fake.carry("e4", "e2", 200)
    fake.wait(200)
    move(fake, "d2", "d4")
    decide(fake, "d5")
    move(fake, "d7", "d5")
    assert fake.record == ["d4", "d5"]
    fake.ask(TakeBack())
    assert fake.record == []


def test_hands_take_the_own_move_back_while_they_should_carry_out_the_other() -> None:
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    fake.carry("e4", "e2", 200)
    fake.wait(2000)
    assert fake.record == []
    assert fake.session.view().decided is None
    move(fake, "d2", "d4")
    assert fake.record == ["d4"]
    assert fake.session.view().decider == BLACK


def test_hands_take_both_moves_back_one_after_the_other() -> None:
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    move(fake, "e7", "e5")
    fake.carry("e5", "e7", 200)
    fake.wait(2000)
    assert fake.record == ["e4"]
    assert fake.session.view().decider == BLACK
    fake.carry("e4", "e2", 200)
    fake.wait(2000)
    assert fake.record == []


def test_the_absent_side_resigns_and_the_person_may_while_it_should_carry_out() -> None:
    fake = table()
    move(fake, "e2", "e4")
    fake.ask(Resign(BLACK))
    assert brief(fake.take_events())[-1] == "ended resignation"
    assert fake.session.view().decider is None
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    fake.ask(Resign(WHITE))
    assert fake.session.phase is Phase.FINISHED
    assert fake.session.view().decided is None
    assert fake.session.view().outcome is not None


def test_gestures_end_the_game_while_a_move_is_carried_out() -> None:
    fake = table(gestures=Gestures.PRESSES)
    move(fake, "e2", "e4")
    decide(fake, "e5")
    for _ in range(5):
        fake.press(WHITE)
        fake.wait(200)
    assert brief(fake.take_events())[-1] == "ended resignation"


def test_a_draw_is_offered_and_agreed_by_either() -> None:
    fake = table()
    move(fake, "e2", "e4")
    fake.ask(OfferDraw(WHITE))
    assert fake.session.view().draw_offered_by == WHITE
    decide(fake, "e5")
    assert fake.session.view().draw_offered_by == WHITE
    move(fake, "e7", "e5")
    assert fake.session.view().draw_offered_by is None  # declined by the move
    fake.ask(OfferDraw(BLACK))
    fake.ask(OfferDraw(WHITE))
    assert brief(fake.take_events())[-1] == "ended agreement"


def test_the_absent_side_claims_a_draw_with_its_move() -> None:
    fake = table(position="7k/8/8/8/8/8/6R1/K7 w - - 98 80")
    move(fake, "g2", "f2")
    fake.ask(OfferDraw(BLACK, "Kh7"))
    assert "ended" in brief(fake.take_events())[-1]


def test_a_move_that_ends_the_game_is_carried_out_before_the_result() -> None:
    fake = table()
    for source, target, reply in (("f2", "f3", "e5"), ("g2", "g4", "Qh4")):
        move(fake, source, target)
        decide(fake, reply)
        assert fake.session.view().outcome is None
        move(fake, *(("e7", "e5") if reply == "e5" else ("d8", "h4")))
    assert brief(fake.take_events())[-1] == "ended checkmate"
    assert fake.record == ["f3", "e5", "g4", "Qh4#"]


def test_a_pause_and_an_adjournment_keep_the_decided_move() -> None:
    fake = table(clock="5")
    move(fake, "e2", "e4")
    decide(fake, "e5")
    before = seconds_left(fake)
    fake.ask(Pause())
    fake.wait(5000)
    fake.ask(Resume())
    assert fake.session.phase is Phase.CARRYING_OUT
    assert running(fake) == []
    fake.ask(Adjourn())
    fake.on.clear()
    fake.report_gap()
    fake.wait(100_000)
    fake.ask(Resume())
    fake.set_up()
    assert fake.session.phase is Phase.CARRYING_OUT
    assert seconds_left(fake) == before
    move(fake, "e7", "e5")
    assert fake.record == ["e4", "e5"]
    assert running(fake) == [WHITE]


def test_a_take_back_gives_the_person_the_time_back_also_after_a_restart() -> None:
    fake = table(clock="5+3")
    move(fake, "e2", "e4")
    decide(fake, "e5")
    move(fake, "e7", "e5")
    fake.wait(4000)
    move(fake, "d2", "d4")
    fake.wait(2000)
    decide(fake, "exd4")
    fake.wait(1000)
    fake.ask(TakeBack())
    assert seconds_left(fake) == pytest.approx([306 - 5.2, 306 - 0.8], abs=0.3)
    assert restored_seconds(fake) == seconds_left(fake)


def test_a_camera_waits_until_no_hand_covers_the_move() -> None:
    rules, by = games.find("chess").rules(), (PlayedBy.TABLE, PlayedBy.COMPUTER)
    kind = SensorKind.IDENTITY_FACING
    fake = FakeTable(rules, kind, session=Session(rules, kind, played_by=by))
    fake.set_up()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    fake.hide("e7 e5")
    fake.wait(5000)
    assert fake.session.view().phase is Phase.CARRYING_OUT
    fake.put_unheard("e5", fake.lift_unheard("e7"))
    fake.wait(1000)
    fake.hide("")
    fake.wait(1000)
    assert fake.record == ["e4", "e5"]


def test_a_restart_keeps_the_decided_move() -> None:
    fake = table(clock="5")
    move(fake, "e2", "e4")
    decide(fake, "e5")
    again = restarted(fake)
    view = again.session.view()
    assert view.decided is not None
    assert (view.decided.move, view.decided.side) == ("e5", BLACK)
    move(again, "e7", "e5")
    assert again.record == ["e4", "e5"]
    assert running(again) == [WHITE]


def test_a_restart_in_the_middle_of_carrying_out_sets_up_what_is_on_record_first() -> None:
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    pawn = fake.lift("e7")
    again = restarted(fake)
    assert again.session.view().phase is Phase.SETTING_UP
    again.put("e7", pawn)
    again.wait(200)
    assert again.session.view().phase is Phase.CARRYING_OUT


def test_a_successor_of_a_failed_session_still_knows_who_plays() -> None:
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    again = FakeTable(fake.rules, fake.kind, session=fake.session.successor())
    again.on = dict(fake.on)
    again.observe()
    again.wait(200)
    assert again.session.phase is Phase.CARRYING_OUT


def test_a_corrected_record_or_a_position_let_stand_drops_the_decided_move() -> None:
    fake = table(clock="5")
    move(fake, "e2", "e4")
    decide(fake, "e5")
    fake.carry("d7", "d5", 200)
    fake.wait(1000)
    fake.ask(LetStand(WHITE))
    assert fake.session.view().decided is None
    assert running(fake) == [WHITE]
    fake.wait(3000)
    fake.ask(Pause())
    assert restored_seconds(fake) == seconds_left(fake)
    fake = table()
    move(fake, "e2", "e4")
    decide(fake, "e5")
    fake.ask(Correct(1, ("d5",)))
    assert fake.session.view().decided is None
    assert fake.record == ["e4", "d5"]
    fake.ask(NewGame())
    assert fake.record == []


@pytest.mark.parametrize(
    ("ply", "text"), [(0, "e5"), (2, "e5"), (1, "e4"), (1, "Ke7x"), (1, "")], ids=lambda value: str(value)
)
def test_what_cannot_be_played_is_refused_and_changes_nothing(ply: int, text: str) -> None:
    fake = table()
    move(fake, "e2", "e4")
    before = fake.session.view()
    with pytest.raises(OrderRefused):
        fake.ask(Play(ply, text))
    assert fake.session.view() == before


def test_a_decision_answers_a_move_that_is_not_announced_yet() -> None:
    """The tracker replays journals in which moves were announced a little sooner."""
    fake = table()
    fake.carry("b1", "c3", 200)
    view = fake.session.view()
    assert view.record[-1].stage == "provisional"
    assert view.decider is None
    fake.take_events()
    fake.ask(Play(1, "e5", view.position))
    assert brief(fake.take_events()) == ["announced Nc3", "settled Nc3", "decided e5"]


def test_a_side_at_the_table_does_not_play_by_command() -> None:
    fake = table()
    with pytest.raises(OrderRefused, match="at the table"):
        fake.ask(Play(0, "e4"))


def test_the_absent_side_may_begin() -> None:
    fake = table(absent=WHITE)
    assert fake.session.view().decider == WHITE
    decide(fake, "e4")
    move(fake, "e2", "e4")
    assert fake.record == ["e4"]
    move(fake, "e7", "e5")
    assert fake.record == ["e4", "e5"]
    assert fake.session.view().decider == WHITE


def test_nobody_decides_while_play_rests() -> None:
    fake = table()
    move(fake, "e2", "e4")
    fake.ask(Pause())
    assert fake.session.view().decider is None
    fake.ask(Resume())
    assert fake.session.view().decider == BLACK


def test_several_sides_may_be_absent() -> None:
    rules = games.find("martian-chess").rules({"players": "3"})
    by = (PlayedBy.TABLE, PlayedBy.COMPUTER, PlayedBy.ELSEWHERE)
    fake = FakeTable(rules, session=Session(rules, played_by=by))
    fake.set_up()
    assert fake.session.view().decider is None
    position = rules.initial()
    for _ in range(4):
        view = fake.session.view()
        legal = rules.legal_moves(position)[0]
        if view.decider is not None:
            decide(fake, rules.write_move(position, legal))
        for step in rules.steps(position, legal):
            piece = fake.lift(rules.grid.name(step.source[0]))
            fake.wait(200)
            fake.put(rules.grid.name(step.target[0]), piece)
        fake.wait(1500)
        position = rules.apply(position, legal)
        assert fake.session.position == position
    assert len(fake.record) == 4


def test_the_record_has_the_time_until_the_decision_and_not_until_the_hands_were_done() -> None:
    fake = table()
    move(fake, "e2", "e4")
    fake.wait(3000)
    decide(fake, "e5")
    fake.wait(50_000)
    move(fake, "e7", "e5")
    entries = replayed(fake.rules, fake.history).entries
    assert entries[1].thought_ms == pytest.approx(4000, abs=100)


def test_a_resignation_of_another_side_asks_for_a_new_decision() -> None:
    rules = games.find("martian-chess").rules({"players": "3"})
    by = (PlayedBy.TABLE, PlayedBy.COMPUTER, PlayedBy.TABLE)
    control = read_control("5", 3)
    fake = FakeTable(rules, session=Session(rules, control=control, played_by=by))
    fake.set_up()
    position = rules.initial()
    first = rules.legal_moves(position)[0]
    (step,) = rules.steps(position, first)
    move(fake, rules.grid.name(step.source[0]), rules.grid.name(step.target[0]))
    fake.wait(2000)
    decide(fake, rules.write_move(fake.session.position, rules.legal_moves(fake.session.position)[0]))
    assert running(fake) == []
    fake.wait(5000)
    fake.ask(Resign(2))
    view = fake.session.view()
    assert (view.decided, view.decider) == (None, 1)
    assert running(fake) == [1]
    fake.wait(1000)
    fake.ask(Pause())
    assert restored_seconds(fake) == seconds_left(fake)
    assert seconds_left(fake)[1] == pytest.approx(300 - 3 - 1, abs=0.2)
