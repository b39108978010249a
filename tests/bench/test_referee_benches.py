# SPDX-License-Identifier: Apache-2.0
"""The referee's benchmarks measure what they promise, with a few samples."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest

from companion.games import find, slugs
from companion.model.game import AnyRules, Violation
from companion.model.observation import Difference, SensorKind
from companion.model.pieces import Piece, Side
from companion.referee.acts import at_rest, deadlines
from companion.referee.acts.orders import lose_on_time
from companion.referee.state import clock_switching
from companion.referee.state.session_state import SessionState
from companion.referee.values.clocks import Clocks, Control, adjusted, fallen, falls_at_ms, switched
from companion.referee.values.events import (
    Event,
    IllegalSeen,
    Level,
    MoveMade,
    MoveRetracted,
    QuestionAsked,
    Stage,
)
from companion.referee.values.questions import Aspect, Question
from companion.referee.values.timing import DEFAULT_TIMING
from companion.referee.values.view import TableView
from tests.bench import attempt_judge, examiner, oracle, recognition, stopwatch, variants
from tests.bench.attempts import Attempts, correction
from tests.bench.examiner import Examiner, examine
from tests.bench.score import Score
from tests.fakes import FakeTable
from tests.virtual.hands import PROFILES, Motion


@pytest.mark.parametrize("profile", PROFILES)
def test_a_few_plies_of_each_profile_pass_the_examination(profile: str) -> None:
    score = examine(find("close-quarters"), SensorKind.OCCUPANCY, profile, 20, 1)
    assert score.failures == []
    assert score.plies >= 20
    assert (score.missed, score.wrong, score.false_alarms, score.illegal_silent) == (0, 0, 0, 0)


def test_the_counts_of_each_sensor_and_profile_are_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["recognition", "--games", "martian-chess", "--plies", "6", "--json"])
    recognition.main()
    rows = json.loads(capsys.readouterr().out)["results"]
    assert [(row["sensor"], row["profile"]) for row in rows] == [*product(SensorKind, PROFILES)]
    assert all((row["plies"], row["wrong"]) == (1, 0) for row in rows)


def test_the_oracle_knows_the_boards_of_legal_moves() -> None:
    rules = find("close-quarters").rules()
    position = rules.initial()
    board = dict(rules.placement(position).by_cell())
    sword = board.pop(0)
    everything = SensorKind.IDENTITY_FACING
    assert oracle.is_lawful(rules, position, board, everything)
    assert oracle.is_lawful(rules, position, board | {8: sword}, everything)
    assert not oracle.is_lawful(rules, position, board | {12: sword}, everything)
    assert oracle.consistent(rules, position, board | {8: sword}, SensorKind.OCCUPANCY) == ["a1-a3"]


def test_all_kinds_of_attempts_are_illegal_and_can_be_corrected() -> None:
    rules, chance = find("tank-chess").rules(), Random(2)
    attempts, position = Attempts(rules, SensorKind.IDENTITY, chance), rules.initial()
    board = dict(rules.placement(position).by_cell())
    made = [attempt for _ in range(25) if (attempt := attempts.propose([position], board))]
    assert {attempt.method for attempt in made} == {
        "carried", "moved both", "added", "exchanged", "turned", "swapped"
    }  # fmt: skip
    for attempt in made:
        wrong = {cell: piece for cell, piece in (board | dict(attempt.edits)).items() if piece}
        assert not oracle.is_lawful(rules, position, wrong, SensorKind.IDENTITY_FACING)
        right = wrong | dict(correction(board, attempt))
        assert {cell: piece for cell, piece in right.items() if piece} == board


@pytest.mark.parametrize("slug", slugs())
def test_every_third_game_has_drawn_options_without_affecting_the_others(slug: str) -> None:
    game = find(slug)
    assert [variants.is_varied(number) for number in range(4)] == [False, False, True, False]
    drawn = [variants.rules_of(game, str(seed)) for seed in range(12)]
    assert all(find(slug).rules(rules.options).initial() == rules.initial() for rules in drawn)
    assert all(rules.legal_moves(rules.initial()) for rules in drawn)
    of_choice = [option for option in game.options if sum(map(option.is_named, option.values)) > 1]
    for name in {option.name for option in of_choice} - {"announce", "clock"}:
        assert len({rules.options[name] for rules in drawn}) > 1, name


def test_the_oracle_names_every_rule_that_an_attempt_breaks() -> None:
    rules = find("close-quarters").rules()
    position = rules.initial()
    board = dict(rules.placement(position).by_cell())
    board[31] = board.pop(0)  # the Sword on the Spear's cell
    seen = oracle.true_difference(rules, position, board, [0, 31], SensorKind.IDENTITY)
    assert [cell for cell, _ in seen.changed] == [31]
    assert rules.explain(position, seen).rule == "sword-shape"


class FaultyTable(FakeTable):
    """A table with a faulty referee, which the examination must detect."""

    failure_kind = ""

    def __init__(self, rules: AnyRules, kind: SensorKind, *, control: Control | None) -> None:
        never = replace(DEFAULT_TIMING, hint_ms=10**7, dwell_ms=10**7, dwell_emptied_ms=10**7)
        timing = never if self.failure_kind in ("silent", "missed") else DEFAULT_TIMING
        super().__init__(rules, kind, timing, control=control)
        if self.failure_kind == "wrong":
            seen = self.session.view
            self.session.view = lambda: _misread(seen())  # type: ignore[method-assign]

    def take_events(self) -> list[Event]:
        found = super().take_events()
        if self.failure_kind == "false alarm" and found:
            false_alarm = IllegalSeen(self.now_ms, 0, Level.HINT, Difference((), ()), Violation("no-reason"))
            return [*found, false_alarm]
        if self.failure_kind == "asked needlessly" and any(isinstance(event, MoveMade) for event in found):
            question = Question(self.session.ply - 1, 0, Aspect.PIECE, (), ())
            return [*found, QuestionAsked(self.now_ms, question)]
        return found


def _misread(view: TableView) -> TableView:
    return replace(view, record=view.record * 2)


@pytest.mark.parametrize(
    ("failure_kind", "profile", "count"),
    [
        ("wrong", "careful", "wrong"),
        ("missed", "careful", "missed"),
        ("silent", "illegal", "illegal_silent"),
        ("false alarm", "careful", "false_alarms"),
        ("asked needlessly", "careful", "asked_needlessly"),
    ],
)
def test_the_examination_detects_a_faulty_referee(
    failure_kind: str, profile: str, count: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FaultyTable, "failure_kind", failure_kind)
    monkeypatch.setattr(examiner, "FakeTable", FaultyTable)
    score = examine(find("close-quarters"), SensorKind.IDENTITY, profile, 12, 1)
    assert getattr(score, count) > 0
    assert any(failure.what.startswith(failure_kind) for failure in score.failures)


BY_MOVES, BY_PRESS = stopwatch.Allowance(7_200, "f", 5), stopwatch.Allowance(7_200, "b", 5, is_pressed=True)


def by_the_clock(
    given: stopwatch.Allowance, monkeypatch: pytest.MonkeyPatch, profile: str = "blitz"
) -> Score:
    """The score of games with the time *given*."""
    monkeypatch.setattr(stopwatch, "draw_allowance", lambda *_, may_fall: given)
    return examine(find("chess"), SensorKind.IDENTITY, profile, 70, 2)


@pytest.mark.parametrize("given", [BY_MOVES, BY_PRESS])
@pytest.mark.parametrize("late_ms", [0, 1, 300])
def test_a_clock_that_is_switched_late_is_detected(
    given: stopwatch.Allowance, late_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = clock_switching.switch

    def late(state: SessionState, ply: int, side: int, following: int, at_ms: int) -> None:
        right(state, ply, side, following, at_ms + late_ms * (ply == 3))

    monkeypatch.setattr(clock_switching, "switch", late)
    score = by_the_clock(given, monkeypatch)
    assert score.plies_timed > 0
    assert (score.clock_wrong > 0) == (late_ms > 0)
    assert all(failure.what.startswith("clock") for failure in score.failures)


@pytest.mark.parametrize(
    "given",
    [
        BY_MOVES,
        BY_PRESS,
        stopwatch.Allowance(20, "x", 900, 2),
        stopwatch.Allowance(7_200, "d", 3, is_pressed=True),
    ],
)
def test_a_clock_that_grants_too_much_is_detected(
    given: stopwatch.Allowance, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = switched

    def generous(clocks: Clocks, following: int, now_ms: int) -> Clocks:
        return adjusted(right(clocks, following, now_ms), 1, 1)

    monkeypatch.setattr(clock_switching, "switched", generous)
    assert by_the_clock(given, monkeypatch).clock_wrong > 0


def early(state: SessionState, at_ms: int) -> Side | None:
    """The side whose flag will fall within 3 s."""
    return fallen(state.clocks, at_ms + 3_000) if state.clocks and state.outcome is None else None


FLAGS: dict[str, dict[str, Any]] = {
    "right": {},
    "never": {"lost_on_time": lambda state, at_ms: None, "falls_at_ms": lambda clocks: None},
    "early": {"lost_on_time": early, "falls_at_ms": lambda clocks: (falls_at_ms(clocks) or 10**9) - 3_000},
    "other": {"lose_on_time": lambda state, side, at_ms: lose_on_time(state, 1 - side, at_ms)},
}


@pytest.mark.parametrize("is_pressed", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("failure_kind", FLAGS)
def test_a_flag_that_falls_early_never_or_for_the_other_side_is_detected(
    failure_kind: str, is_pressed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, instead in FLAGS[failure_kind].items():
        monkeypatch.setattr(deadlines if name == "falls_at_ms" else at_rest, name, instead)
    score = by_the_clock(stopwatch.Allowance(30, is_pressed=is_pressed), monkeypatch, "careful")
    assert score.plies_timed > 0
    assert (score.clock_wrong > 0) == (failure_kind != "right")
    assert (score.flags > 0) == (failure_kind != "never")


@pytest.mark.parametrize(
    ("failure_kind", "failures"), [("", []), ("silent", ["silent"]), ("false alarm", ["false"])]
)
def test_an_alarm_is_required_once_a_hand_rests_on_an_obstacle_and_not_before(
    failure_kind: str, failures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FaultyTable, "failure_kind", failure_kind)
    monkeypatch.setattr(examiner, "FakeTable", FaultyTable)
    rules = find("tank-chess").rules()
    game = Examiner(rules, SensorKind.IDENTITY, "casual", Score(), 1)
    tank = game.table.on[rules.grid.cell("C3")]
    on_the_way = ((9, "C3", None), (90, "D3", tank), (900, "D3", None), (90, "E4", tank))
    game.perform([Motion(wait_ms, rules.grid.cell(name), piece) for wait_ms, name, piece in on_the_way])
    assert [failure.what.split()[0] for failure in game.score.failures][:1] == failures


@pytest.mark.parametrize(
    ("is_left", "stage", "silent"),
    [(False, "announced", 0), (False, "provisional", 1), (True, "announced", 1)],
)
def test_a_take_back_counts_as_a_reaction_to_an_attempt_if_the_board_agrees(
    is_left: bool, stage: str, silent: int
) -> None:
    game = Examiner(find("gottaz").rules(), SensorKind.OCCUPANCY, "illegal", Score(), 1)
    game.past = [game.position]
    if is_left:
        game.table.on[7] = Piece("wall-3-swap-3", 0)
    attempt_judge.judge(game, [MoveRetracted(9, 0, "a1-a2", Stage(stage))], 0, [0, 1], is_excused=False)
    assert game.score.illegal_silent == silent


def test_only_reported_changes_make_a_question_needless() -> None:
    game = Examiner(find("chess").rules(), SensorKind.OCCUPANCY, "careful", Score(), 1)
    e2, e4 = game.rules.grid.cells("e2 e4")
    game.truth = ["e4"]
    game.perform([Motion(50, e2, None)])
    game.silent_until_ms = game.table.now_ms + 100
    game.perform([Motion(50, e4, Piece("pawn", 0))])
    game.note(0)
    assert not game.score.failures, "only the lifted pawn was reported"
    game.wait(100)
    game.asked.clear()
    game.note(0)
    assert [failure.what.split()[0] for failure in game.score.failures] == ["asked"]


def test_a_burst_that_looks_like_an_adjusted_piece_ends_with_a_press() -> None:
    game = Examiner(find("gottaz").rules(), SensorKind.OCCUPANCY, "blitz", Score(), 210003630011)
    game.play(45)
    captured = game.truth.index("c1-d1x")
    assert game.truth[captured + 1] == "U2L4@c1^", "the victim was pushed away, so only c1 was ever empty"
    assert not game.has_clock
    assert not game.score.failures


def test_a_ply_may_be_timed_from_the_attempt_that_looked_like_it() -> None:
    game = Examiner(find("gottaz").rules(), SensorKind.SIDE, "illegal", Score(), 5000016)
    game.play(41)
    assert game.truth[39] == "a5-a4x^"
    assert game.watch is not None
    assert not game.score.failures
    assert game.watch.made[39][1] - game.watch.made[39][0] > 3_000


def test_a_ply_may_be_timed_from_the_attempt_that_began_like_it() -> None:
    rules = variants.rules_of(find("fightopia"), "identity illegal 340002020011")
    game = Examiner(rules, SensorKind.IDENTITY, "illegal", Score(), 340002020011)
    game.play(60)
    assert game.truth[59] == "Ta5a6*a3", "the hand must have lifted a3 first, and put it on h7"
    assert game.watch is not None
    assert game.watch.made[59] == (479_085, 482_117)
    assert not game.score.failures


def test_a_wrong_reason_is_not_counted_as_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attempt_judge, "broken", lambda *_: {"another"})
    score = examine(find("close-quarters"), SensorKind.IDENTITY, "illegal", 12, 1)
    assert score.illegal_flagged > 0 == score.illegal_reason_right
