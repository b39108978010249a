# SPDX-License-Identifier: Apache-2.0
"""The referee's benchmarks measure what they promise, on a few samples."""

from __future__ import annotations

from companion.games import find
from companion.model.observation import SensorKind
from tests.bench import gestures, reconcile
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


def test_an_observation_is_measured_apart_from_the_index() -> None:
    rules = find("close-quarters").rules()
    result = reconcile.measure(rules, SensorKind.OCCUPANCY, list(random_positions(rules, 1, 5)), 1)
    assert set(result) == {"observation_us", "session_us", "index_ms", "legal_moves", "observations"}
    assert result["observations"] > 5
