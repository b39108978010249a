# SPDX-License-Identifier: Apache-2.0
"""The judge detects wrong records, false alarms and silence, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from companion import games
from companion.model.observation import EMPTY, OCCUPIED, Change, Observation, SensorKind, Sightings
from companion.referee.session.session import Session
from companion.referee.values.events import Event, IllegalSeen, Stage
from companion.referee.values.view import MoveView, TableView
from tests.bench.players.__main__ import bounds
from tests.bench.players.judge import Judge
from tests.bench.players.physics import Item
from tests.bench.players.play import Play, Setting, draw_setting
from tests.bench.players.summary import Summary, wilson
from tests.bench.players.trace import load, replay, save

SETTING = Setting(
    "close-quarters",
    {"take_back": "yes"},
    "occupancy",
    "careful",
    "none",
    "none",
    "buttons",
    "test",
    delivery_ms=0,
)
RULES = games.find("close-quarters").rules()


class Faulty:
    """A session that errs: views and events are changed on their way to the judge."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def observe(self, observation: Observation) -> tuple[Event, ...]:
        return self.tell(self._session.observe(observation))

    def tick(self, now_ms: int) -> tuple[Event, ...]:
        return self.tell(self._session.tick(now_ms))

    def tell(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return events


class Mute(Faulty):
    """It reports no illegal position."""

    def tell(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(event for event in events if not isinstance(event, IllegalSeen))


class Hesitant(Faulty):
    """It announces no move."""

    def view(self) -> TableView:
        view = self._session.view()
        record = tuple(line._replace(stage=Stage.PROVISIONAL) for line in view.record)
        return replace(view, record=record)


class Stubborn(Faulty):
    """It never removes a line from its record."""

    longest: tuple[MoveView, ...] = ()

    def view(self) -> TableView:
        view = self._session.view()
        if len(view.record) >= len(self.longest):
            self.longest = view.record
        return replace(view, record=self.longest)


class PlayedBack(Faulty):
    """It records plies that were taken back as plies played back."""

    def view(self) -> TableView:
        view = self._session.view()
        if not any(line.move == "a1-a2" for line in view.record):
            return view
        line, texts = view.record[0], ("a1-a3", "d8-c8", "a3-a1", "c8-d8", "a1-a2")
        return replace(view, record=tuple(line._replace(move=text) for text in texts))


class Story:
    """A game, built move by move."""

    def __init__(self, **options: str) -> None:
        self.setting = replace(SETTING, options=SETTING.options | options)
        self.start = Sightings(RULES.placement(RULES.initial()).occupancy)
        self.items: list[Item] = []
        self.now = 5000
        self.ply = 0

    def note(self, name: str, **more: Any) -> None:
        self.items.append((self.now, {"note": name, **more}))

    def carry(self, source: str, target: str, after_ms: int = 800) -> None:
        for name, seen in ((source, EMPTY), (target, OCCUPIED)):
            self.items.append((self.now, (Change(self.now, RULES.grid.cell(name), seen),)))
            self.now += after_ms

    def move(self, source: str, target: str, text: str = "", *, is_seen: bool = True) -> None:
        text = text or f"{source}-{target}"
        self.note("busy")
        self.note("begins", ply=self.ply, side=self.ply % 2, move=text, kinds=[])
        if is_seen:
            self.carry(source, target)
        self.note("stands", ply=self.ply)
        self.now += 100
        self.note("idle")
        self.now += 6000
        self.ply += 1

    def attempt(self, source: str, target: str, rest_ms: int) -> None:
        self.note("busy")
        self.carry(source, target, 400)
        self.note("attempt", cells=[], pressed=False)
        self.now += rest_ms
        self.note("attempt_over")
        self.carry(target, source, 400)
        self.note("idle")
        self.now += 6000

    def take_back(self, source: str, target: str) -> None:
        """The last ply, from *source* to *target*, is taken back by hand."""
        self.note("busy")
        self.carry(target, source)
        self.note("taken_back", plies=1)
        self.ply -= 1
        self.now += 100
        self.note("idle")
        self.now += 6000

    def judged(self, faulty: Callable[[Session], Faulty] | None = None, **session_options: str) -> Judge:
        """The judge of the game.

        With *session_options*, the session has other rules, so that it errs in a known way;
        *faulty* makes it err.
        """
        judge = Judge(self.setting, self.start)
        if faulty is not None:
            judge.session = cast(Session, faulty(judge.session))
        if session_options:
            rules = games.find("close-quarters").rules(self.setting.options | session_options)
            judge.session = Session(rules, SensorKind.OCCUPANCY)
            judge.feed(1000, ())
            judge.call(lambda: judge.session.observe(judge.observation(())))
        for at_ms, what in self.items:
            judge.feed(at_ms, what)
        judge.finish()
        return judge


def plain() -> Story:
    story = Story()
    for source, target in (("a1", "a3"), ("d8", "c8"), ("a3", "b3"), ("c8", "c5")):
        story.move(source, target)
    return story


def test_a_plain_game_has_no_findings() -> None:
    judge = plain().judged()
    assert [ply.text for ply in judge.truth] == ["a1-a3", "d8-c8", "a3-b3", "c8-c5"]
    assert judge.findings == []


def test_a_sabotaged_record_is_misread() -> None:
    story = plain()
    story.items = [
        (at, {**what, "move": "c8-c4"} if isinstance(what, dict) and what.get("move") == "c8-c5" else what)
        for at, what in story.items
    ]
    judge = story.judged()
    assert judge.failure is not None
    assert judge.failure.kind == "misread"
    assert "ply 3 was c8-c4, the record has c8-c5" in judge.failure.about


def test_a_missing_move_is_stuck() -> None:
    story = plain()
    story.move("b3", "b4", is_seen=False)
    judge = story.judged()
    assert judge.failure is not None
    assert judge.failure.kind == "stuck"
    assert "lacks 1, first b3-b4" in judge.failure.about


def test_a_false_alarm_is_found() -> None:
    """The session's rules forbid the move of two cells."""
    story = Story()
    story.move("a1", "a3")
    judge = story.judged(sword="king")
    assert "false alarm" in judge.counts
    assert judge.failure is not None
    assert judge.failure.kind == "stuck"


def test_silence_about_an_illegal_position_at_rest_is_found() -> None:
    """The session's rules allow the forbidden move."""
    for rest_ms, kinds in ((300, []), (2000, ["silent"])):
        story = Story(sword="king")
        story.attempt("a1", "a3", rest_ms)
        judge = story.judged(sword="one-or-two")
        assert [each.kind for each in judge.findings if each.kind == "silent"] == kinds


def test_a_reported_illegal_attempt_is_counted_as_raised() -> None:
    story = Story()
    story.attempt("a1", "c4", 3000)
    story.move("a1", "a3")
    judge = story.judged()
    assert judge.counts == {"raised": 1}


def test_silence_about_a_second_move_is_found() -> None:
    story = Story()
    story.move("a1", "a3")
    story.attempt("a3", "b3", 3000)
    assert story.judged().counts == {"raised": 1}
    assert story.judged(Mute).counts == {"silent": 1}


def test_a_ply_that_is_never_announced_is_undecided() -> None:
    assert [each.kind for each in plain().judged(Hesitant).findings] == ["undecided"] * 4


def test_a_ply_that_was_not_pressed_for_may_be_undecided() -> None:
    for presses, kinds in ((False, []), (True, ["undecided"])):
        story = Story()
        story.setting = replace(story.setting, clock="press", control="900@press")
        story.move("a1", "a3")
        if presses:
            story.now -= 5000
            story.note("press", side=0, ply=0)
            story.now += 8000
        found = [each.kind for each in story.judged(Hesitant).findings]
        assert [kind for kind in found if kind == "undecided"] == kinds


def test_a_ply_that_is_taken_back_must_leave_the_record() -> None:
    story = plain()
    story.take_back("c8", "c5")
    assert story.judged().findings == []
    judge = story.judged(Stubborn)
    assert judge.failure is not None
    assert judge.failure.kind == "misread"
    assert "c8-c5, which was not played" in judge.failure.about


def test_a_wrong_record_with_the_edges_of_the_truth_is_undecidable() -> None:
    for bumps, kind in ((0, "undecidable"), (1, "misread")):
        story = Story()
        story.move("a1", "a3")
        story.move("d8", "c8")
        story.note("busy")
        story.carry("a3", "a1")
        story.carry("c8", "d8")
        for _ in range(bumps):
            story.carry("d8", "d8")
        story.note("taken_back", plies=2)
        story.note("idle")
        story.now, story.ply = story.now + 6000, 0
        story.move("a1", "a2")
        judge = story.judged(PlayedBack)
        assert judge.failure is not None
        assert judge.failure.kind == kind
        line = "the truth was a1-a2, the same edges are also a1-a3 d8-c8 a3-a1 c8-d8 a1-a2"
        assert (judge.failure.about == line) == (kind == "undecidable")


def test_silence_about_a_forbidden_taking_back_is_found() -> None:
    """The session's rules allow what the game forbids."""
    story = Story(take_back="no")
    story.move("a1", "a3")
    story.attempt("a3", "a1", 3000)
    assert story.judged().counts == {"raised": 1}
    assert "silent" in story.judged(take_back="yes").counts


def test_a_cell_that_was_tried_is_not_the_move() -> None:
    """A session that keeps the first cell has the wrong record."""
    story = Story()
    story.note("busy")
    story.carry("a1", "a2", 1500)
    story.note("begins", ply=0, side=0, move="a1-a3", kinds=["try_cells"])
    story.carry("a2", "a3")
    story.note("stands", ply=0)
    story.note("idle")
    story.now += 6000
    assert story.judged().findings == []
    judge = story.judged(sword="king")
    assert judge.failure is not None
    assert judge.failure.gestures == ["try_cells"]


def test_a_late_press_belongs_to_the_ply_that_it_names() -> None:
    story = plain()
    story.setting = replace(story.setting, clock="press", control="900@press")
    story.note("press", side=0, ply=2)
    judge = story.judged()
    assert [ply.is_pressed for ply in judge.truth] == [False, False, True, False]


def test_findings_are_counted_by_gesture_and_by_game() -> None:
    summary = Summary()
    play = Play(draw_setting("close-quarters", "occupancy", "test"))
    play.used.update(try_cells=2)
    story = plain()
    story.move("b3", "b4", is_seen=False)
    judge = story.judged()
    assert judge.failure is not None
    judge.failure.gestures = ["try_cells"]
    summary.add(play, judge)
    (row,) = summary.by_gesture()
    assert (row["gesture"], row["games"], row["made"], row["stuck"]) == ("try_cells", 1, 2, 1)
    total = next(row for row in summary.by_game() if row["game"] == "close-quarters")
    assert (total["group"], total["games"], total["with"]) == ("failures", 1, 1)
    assert any("try_cells" in line for line in summary.lines())


def test_the_interval_of_wilson_is_right() -> None:
    assert [round(each, 1) for each in wilson(0, 10)] == [0.0, 27.8]
    assert [round(each, 1) for each in wilson(5, 10)] == [23.7, 76.3]


def test_a_saved_game_is_judged_again_with_the_same_findings(tmp_path: Path) -> None:
    story = plain()
    story.move("b3", "b4", is_seen=False)
    judge = story.judged()
    save(tmp_path / "game.jsonl", judge, story.start, story.items)
    setting, start, items, findings = load(tmp_path / "game.jsonl")
    assert (setting, start, items) == (story.setting, story.start, story.items)
    assert [found["kind"] for found in findings] == ["stuck"]
    told: list[str] = []
    again = replay(tmp_path / "game.jsonl", told.append)
    assert again.findings == judge.findings
    assert any("a3" in line for line in told)


def test_the_bounds_enclose_the_rate() -> None:
    assert bounds(0, 1000)[:2] == (0.0, 0.0)
    rate, low, high = bounds(10, 100_000)
    assert (rate, round(low, 1), round(high, 1)) == (10.0, 4.8, 18.4)
