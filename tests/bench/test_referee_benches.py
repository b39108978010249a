# SPDX-License-Identifier: Apache-2.0
"""The referee's benchmarks measure what they promise, on a few samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.games import find
from companion.host import journal
from companion.host.replay import replay
from companion.model.observation import SensorKind
from companion.virtual.hands import PROFILES
from tests.bench import gestures, oracle, recognition, reconcile
from tests.bench.examiner import Examiner, Failure, Score, examine
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


@pytest.mark.parametrize("profile", PROFILES)
def test_a_few_plies_of_each_profile_are_examined_without_a_failure(profile: str) -> None:
    score = examine(find("close-quarters").rules(), SensorKind.OCCUPANCY, profile, 20, 1)
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


def test_an_observation_is_measured_apart_from_the_index() -> None:
    rules = find("close-quarters").rules()
    result = reconcile.measure(rules, SensorKind.OCCUPANCY, list(random_positions(rules, 1, 5)), 1)
    assert set(result) == {"observation_us", "session_us", "index_ms", "legal_moves", "observations"}
    assert result["observations"] > 5


def test_every_failing_game_is_written_as_a_journal_that_replays(tmp_path: Path) -> None:
    rules = find("close-quarters").rules()
    score = Score()
    game = Examiner(rules, SensorKind.OCCUPANCY, "noisy", score, 3)
    game.play(6)
    score.failures.append(Failure(3, "missed: nothing, but let it be kept", "", tuple(game.table.entries)))
    recognition.keep(tmp_path, recognition.Task("close-quarters", "occupancy", "noisy", 6, 3), score)
    (path,) = tmp_path.iterdir()
    assert path.name == "close-quarters-occupancy-noisy-3-1-missed.jsonl"
    kept = journal.read(path)
    assert len(kept.events) > 5
    assert replay(kept) is None


def test_the_oracle_names_every_rule_that_an_attempt_breaks() -> None:
    rules = find("close-quarters").rules()
    position = rules.initial()
    board = dict(rules.placement(position).by_cell())
    board[31] = board.pop(0)  # the Sword on the Spear's cell
    seen = oracle.true_difference(rules, position, board, [0, 31], SensorKind.IDENTITY)
    assert [cell for cell, _ in seen.changed] == [31]
    assert rules.explain(position, seen).rule == "sword-shape"
