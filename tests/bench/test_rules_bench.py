# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the rules prints one object with the promised keys."""

from __future__ import annotations

import json

import pytest

from tests.bench import rules as bench
from tests.bench.report import deliver, percentiles


def test_a_games_keys_are_measured() -> None:
    result = bench.measure("close-quarters", {}, 1, quick=True)
    assert set(result) == {"nodes_per_s", "all_moves_ms", "position_bytes"}
    assert result["nodes_per_s"] > 0
    assert 0 < result["all_moves_ms"]["p50"] <= result["all_moves_ms"]["p99"]
    assert 0 < result["position_bytes"] <= 4096


def test_one_json_object_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    deliver({"answer": 42}, 7, as_json=True)
    report = json.loads(capsys.readouterr().out)
    assert {"machine", "python", "date", "seed", "answer"} == set(report)


def test_percentiles_are_samples_and_none_without_any() -> None:
    assert percentiles([3.0, 1.0, 2.0]) == {"p50": 2.0, "p99": 3.0}
    assert percentiles([]) == {"p50": None, "p99": None}


def test_the_oracle_reproduces_published_perft_counts() -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert [bench.oracle_perft(start, depth) for depth in (1, 2, 3)] == [20, 400, 8902]
