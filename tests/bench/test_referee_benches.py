# SPDX-License-Identifier: Apache-2.0
"""The referee's benchmarks measure what they promise, on a few samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.games import find, slugs
from companion.host.journal import journal
from companion.host.records.replay import replay
from companion.model.game import AnyRules, Violation
from companion.model.observation import Difference, SensorKind
from companion.model.pieces import Piece, Side
from companion.referee import clock_switching, session
from companion.referee.clocks import Clocks, Control, adjusted, fallen, falls_at_ms, switched
from companion.referee.events import Event, IllegalSeen, Level, MoveMade, MoveRetracted, QuestionAsked, Stage
from companion.referee.ledger import Ledger
from companion.referee.orders import lose_on_time
from companion.referee.questions import Aspect, Question
from companion.referee.timing import DEFAULT_TIMING
from companion.referee.view import TableView
from companion.virtual.hands import PROFILES, Motion
from tests.bench import examiner, gestures, oracle, recognition, reconcile, stopwatch, trespass, variants
from tests.bench.attempts import Attempts, put_right
from tests.bench.examiner import Examiner, examine
from tests.bench.score import Score
from tests.fakes import FakeTable
from tests.games.support import random_positions

ROWS = [
    "quiet",
    "slide",
    "capture-target-first",
    "capture-mover-first",
    "capture-push",
    "castle-king-first",
    "castle-rook-first",
    "castle-two-hands-rook-first",
    "castle-two-hands-king-first",
    "en-passant-victim-first",
    "en-passant-victim-last",
    "bump-mid-move",
    "promotion",
    "fast-reply-100ms",
]


def test_every_gesture_is_recognised_or_asked_about() -> None:
    rows = gestures.measure(1, most=3)
    assert [row["gesture"] for row in rows] == ROWS
    assert all(row["n"] == row["ok"] + row["asked"] for row in rows)
    assert all(row["n"] for row in rows if not row["gesture"].startswith("en-passant"))
    assert [row["asked"] for row in rows if row["gesture"] == "promotion"] == [3]


KEYS = {
    "game", "sensor", "profile", "plies", "plies_varied", "right", "asked", "asked_needlessly", "missed", "wrong",
    "illegal_tried", "illegal_flagged", "illegal_reason_right", "illegal_silent", "false_alarms",
    "plies_timed", "clock_wrong", "flags",
    "accept_ms", "final_ms", "flag_ms",
}  # fmt: skip


@pytest.mark.parametrize("profile", PROFILES)
def test_a_few_plies_of_each_profile_are_examined_without_a_failure(profile: str) -> None:
    score = examine(find("close-quarters"), SensorKind.OCCUPANCY, profile, 20, 1)
    assert score.failures == []
    assert score.plies >= 20
    assert (score.missed, score.wrong, score.false_alarms, score.illegal_silent) == (0, 0, 0, 0)


def test_the_oracle_knows_what_may_come_of_a_board() -> None:
    rules = find("close-quarters").rules()
    position = rules.initial()
    board = dict(rules.placement(position).by_cell())
    sword = board.pop(0)
    everything = SensorKind.IDENTITY_FACING
    assert oracle.is_lawful(rules, position, board, everything)
    assert oracle.is_lawful(rules, position, board | {8: sword}, everything)
    assert not oracle.is_lawful(rules, position, board | {12: sword}, everything)
    assert oracle.consistent(rules, position, board | {8: sword}, SensorKind.OCCUPANCY) == ["a1-a3"]


def test_attempts_of_every_kind_are_made_none_of_them_lawful_and_each_can_be_put_right() -> None:
    rules, chance = find("tank-chess").rules(), Random(2)
    attempts, position = Attempts(rules, SensorKind.IDENTITY, chance), rules.initial()
    board = dict(rules.placement(position).by_cell())
    made = [attempt for _ in range(25) if (attempt := attempts.proposed([position], board))]
    assert {attempt.way for attempt in made} == {
        "carried", "moved both", "added", "exchanged", "turned", "swapped"
    }  # fmt: skip
    for attempt in made:
        wrong = {cell: piece for cell, piece in (board | dict(attempt.edits)).items() if piece}
        assert not oracle.is_lawful(rules, position, wrong, SensorKind.IDENTITY_FACING)
        right = wrong | dict(put_right(board, attempt))
        assert {cell: piece for cell, piece in right.items() if piece} == board


def test_an_observation_is_measured_apart_from_the_index() -> None:
    rules = find("close-quarters").rules()
    result = reconcile.measure(rules, SensorKind.OCCUPANCY, list(random_positions(rules, 1, 5)), 1)
    assert set(result) == {"observation_us", "session_us", "index_ms", "legal_moves", "observations"}
    assert result["observations"] > 5


def test_every_failing_game_is_written_as_a_journal_that_replays(tmp_path: Path) -> None:
    rules = variants.rules_of(find("tank-chess"), "4")
    score = Score()
    game = Examiner(rules, SensorKind.OCCUPANCY, "noisy", score, 3)
    game.play(6)
    assert not game.is_failed
    game.fail("missed: nothing, but let it be kept")
    recognition.keep(tmp_path, recognition.Task("tank-chess", "occupancy", "noisy", 6, 3), score)
    (path,) = tmp_path.iterdir()
    assert path.name == "tank-chess-occupancy-noisy-3-1-missed.jsonl"
    kept = journal.read(path)
    assert dict(kept.header.options) == rules.options
    assert rules.options["map"].startswith("drawn")
    assert len(kept.events) > 5
    assert replay(kept) is None


@pytest.mark.parametrize("slug", slugs())
def test_every_third_game_is_played_with_drawn_options_and_the_others_are_what_they_were(slug: str) -> None:
    game = find(slug)
    assert [variants.is_varied(number) for number in range(4)] == [False, False, True, False]
    drawn = [variants.rules_of(game, str(seed)) for seed in range(12)]
    assert all(find(slug).rules(rules.options).initial() == rules.initial() for rules in drawn)
    assert all(rules.legal_moves(rules.initial()) for rules in drawn)
    for name in {option.name for option in game.options} - {"announce", "clock"}:
        assert len({rules.options[name] for rules in drawn}) > 1, name


@pytest.mark.parametrize("varied", [True, False])
def test_the_plies_of_games_with_drawn_options_are_counted(
    varied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variants, "is_varied", lambda number: varied)
    score = examine(find("martian-chess"), SensorKind.IDENTITY, "careful", 9, 1)
    assert score.plies_varied == score.plies * varied


def test_the_oracle_names_every_rule_that_an_attempt_breaks() -> None:
    rules = find("close-quarters").rules()
    position = rules.initial()
    board = dict(rules.placement(position).by_cell())
    board[31] = board.pop(0)  # the Sword on the Spear's cell
    seen = oracle.true_difference(rules, position, board, [0, 31], SensorKind.IDENTITY)
    assert [cell for cell, _ in seen.changed] == [31]
    assert rules.explain(position, seen).rule == "sword-shape"


class Sabotaged(FakeTable):
    """A table whose referee does not do what it should: the examination has to find it out."""

    way = ""

    def __init__(self, rules: AnyRules, kind: SensorKind, *, control: Control | None) -> None:
        never = replace(DEFAULT_TIMING, hint_ms=10**7, dwell_ms=10**7, dwell_emptied_ms=10**7)
        timing = never if self.way in ("silent", "missed") else DEFAULT_TIMING
        super().__init__(rules, kind, timing, control=control)
        if self.way == "wrong":
            seen = self.session.view
            self.session.view = lambda: _misread(seen())  # type: ignore[method-assign]

    def take_events(self) -> list[Event]:
        found = super().take_events()
        if self.way == "false alarm" and found:
            wolf = IllegalSeen(self.now_ms, 0, Level.HINT, Difference((), ()), Violation("no-reason"))
            return [*found, wolf]
        if self.way == "asked needlessly" and any(isinstance(event, MoveMade) for event in found):
            question = Question(self.session.ply - 1, 0, Aspect.PIECE, (), ())
            return [*found, QuestionAsked(self.now_ms, question)]
        return found


def _misread(view: TableView) -> TableView:
    return replace(view, record=view.record * 2)


@pytest.mark.parametrize(
    ("way", "profile", "count"),
    [
        ("wrong", "careful", "wrong"),
        ("missed", "careful", "missed"),
        ("silent", "illegal", "illegal_silent"),
        ("false alarm", "careful", "false_alarms"),
        ("asked needlessly", "careful", "asked_needlessly"),
    ],
)
def test_the_examination_finds_out_a_referee_that_fails(
    way: str, profile: str, count: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sabotaged, "way", way)
    monkeypatch.setattr(examiner, "FakeTable", Sabotaged)
    score = examine(find("close-quarters"), SensorKind.IDENTITY, profile, 12, 1)
    assert getattr(score, count) > 0
    assert any(failure.what.startswith(way) for failure in score.failures)


BY_MOVES, BY_PRESS = stopwatch.Allowance(7_200, "f", 5), stopwatch.Allowance(7_200, "b", 5, is_pressed=True)


def by_the_clock(
    given: stopwatch.Allowance, monkeypatch: pytest.MonkeyPatch, profile: str = "blitz"
) -> Score:
    """What is counted in games that are played under *given*."""
    monkeypatch.setattr(stopwatch, "drawn", lambda *_, may_fall: given)
    return examine(find("chess"), SensorKind.IDENTITY, profile, 70, 2)


@pytest.mark.parametrize("given", [BY_MOVES, BY_PRESS])
@pytest.mark.parametrize("late_ms", [0, 1, 300])
def test_a_clock_that_is_switched_late_is_found_out(
    given: stopwatch.Allowance, late_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = clock_switching.switch

    def late(ledger: Ledger, ply: int, side: int, following: int, at_ms: int) -> None:
        right(ledger, ply, side, following, at_ms + late_ms * (ply == 3))

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
def test_a_clock_that_grants_what_it_should_not_is_found_out(
    given: stopwatch.Allowance, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = switched

    def generous(clocks: Clocks, following: int, now_ms: int) -> Clocks:
        return adjusted(right(clocks, following, now_ms), 1, 1)

    monkeypatch.setattr(clock_switching, "switched", generous)
    assert by_the_clock(given, monkeypatch).clock_wrong > 0


def early(ledger: Ledger, at_ms: int) -> Side | None:
    """Whose flag will fall in 3 s."""
    return fallen(ledger.clocks, at_ms + 3_000) if ledger.clocks and ledger.outcome is None else None


FLAGS: dict[str, dict[str, Any]] = {
    "right": {},
    "never": {"lost_on_time": lambda ledger, at_ms: None, "falls_at_ms": lambda clocks: None},
    "early": {"lost_on_time": early, "falls_at_ms": lambda clocks: (falls_at_ms(clocks) or 10**9) - 3_000},
    "other": {"lose_on_time": lambda ledger, side, at_ms: lose_on_time(ledger, 1 - side, at_ms)},
}


@pytest.mark.parametrize("is_pressed", [False, True])
@pytest.mark.parametrize("way", FLAGS)
def test_a_flag_that_falls_early_or_never_or_for_another_is_found_out(
    way: str, is_pressed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, instead in FLAGS[way].items():
        monkeypatch.setattr(session, name, instead)
    score = by_the_clock(stopwatch.Allowance(30, is_pressed=is_pressed), monkeypatch, "careful")
    assert score.plies_timed > 0
    assert (score.clock_wrong > 0) == (way != "right")
    assert (score.flags > 0) == (way != "never")


@pytest.mark.parametrize(("way", "failures"), [("", []), ("silent", ["silent"]), ("false alarm", ["false"])])
def test_a_hand_that_rests_on_an_obstacle_is_to_be_told_so_but_not_before_it_does(
    way: str, failures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sabotaged, "way", way)
    monkeypatch.setattr(examiner, "FakeTable", Sabotaged)
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
def test_an_attempt_that_says_it_took_plies_back_is_not_silent_where_the_board_is_theirs(
    is_left: bool, stage: str, silent: int
) -> None:
    game = Examiner(find("gottaz").rules(), SensorKind.OCCUPANCY, "illegal", Score(), 1)
    game.past = [game.position]
    if is_left:
        game.table.on[7] = Piece("wall-3-swap-3", 0)
    trespass.judge(game, [MoveRetracted(9, 0, "a1-a2", Stage(stage))], 0, [0, 1], is_excused=False)
    assert game.score.illegal_silent == silent


def test_a_question_is_needless_only_by_what_was_heard_until_then() -> None:
    game = Examiner(find("chess").rules(), SensorKind.OCCUPANCY, "careful", Score(), 1)
    e2, e4 = game.rules.grid.cells("e2 e4")
    game.truth = ["e4"]
    game.perform([Motion(50, e2, None)])
    game.silent_until_ms = game.table.now_ms + 100
    game.perform([Motion(50, e4, Piece("pawn", 0))])
    game.note(0)
    assert not game.score.failures, "only the lifted pawn was heard of"
    game.wait(100)
    game.asked.clear()
    game.note(0)
    assert [failure.what.split()[0] for failure in game.score.failures] == ["asked"]


def test_two_plies_of_a_burst_that_look_like_a_piece_adjusted_are_pressed_for() -> None:
    game = Examiner(find("gottaz").rules(), SensorKind.OCCUPANCY, "blitz", Score(), 210003630011)
    game.play(45)
    captured = game.truth.index("c1-d1x")
    assert game.truth[captured + 1] == "U2L4@c1^", (
        "after a victim that was pushed away: only c1 was ever empty"
    )
    assert not game.has_clock
    assert not game.score.failures


def test_an_attempt_that_looks_like_the_ply_to_which_its_hand_goes_on_may_be_timed_as_that() -> None:
    game = Examiner(find("gottaz").rules(), SensorKind.SIDE, "illegal", Score(), 5000016)
    game.play(41)
    assert game.truth[39] == "a5-a4x^"
    assert game.watch is not None
    assert not game.score.failures
    assert game.watch.made[39][1] - game.watch.made[39][0] > 3_000


def test_an_attempt_that_begins_as_the_ply_to_which_its_hand_goes_on_may_be_timed_from_then_on() -> None:
    rules = variants.rules_of(find("fightopia"), "identity illegal 340002020011")
    game = Examiner(rules, SensorKind.IDENTITY, "illegal", Score(), 340002020011)
    game.play(60)
    assert game.truth[59] == "Ta5a6*a3", "a3 was lifted first, and put down on h7"
    assert game.watch is not None
    assert game.watch.made[59] == (479_085, 482_117)
    assert not game.score.failures


def test_a_reason_that_the_attempt_does_not_break_is_not_counted_as_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trespass, "broken", lambda *_: {"another"})
    score = examine(find("close-quarters"), SensorKind.IDENTITY, "illegal", 12, 1)
    assert score.illegal_flagged > 0 == score.illegal_reason_right


def test_a_row_has_every_key_that_is_promised_and_there_are_all_profiles() -> None:
    row = recognition.row(recognition.Task("chess", "side", "careful", 6, 3), Score())
    assert set(row) == KEYS
    assert set(PROFILES) == {"careful", "casual", "blitz", "clumsy", "noisy", "illegal"}


@pytest.mark.parametrize(("made", "result"), [("e2e4", "wrong"), ("", "stuck"), ("d2d4", "ok")])
def test_a_gesture_that_is_taken_for_something_else_is_wrong_and_one_that_is_nothing_stuck(
    made: str, result: str
) -> None:
    table = FakeTable(find("chess").rules())
    table.set_up()
    if made:
        table.carry(made[:2], made[2:], after_ms=250)
    assert gestures.judge(table, "d4") == result
