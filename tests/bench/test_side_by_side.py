# SPDX-License-Identifier: Apache-2.0
"""The comparison of the two inferences plays real games, counts them and resumes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from companion import games
from companion.model.observation import SensorKind
from companion.referee.session import Session
from tests.bench.core import INFERENCES, measured
from tests.bench.paired_games import Outcome, Unit, hands, quantile_ms
from tests.bench.side_by_side import (
    Store,
    bound,
    differences,
    journal_rows,
    journal_table,
    rows,
    table,
    verdict,
)
from tests.fakes import FakeTable
from tests.recordings import recordings

UNIT = Unit("chess", "occupancy", "players", 1, 0, 60)
RIGHT, WRONG = Outcome(60), Outcome(20, Counter(wrong=1), about="misread")


def run(*given: str) -> dict[str, Any]:
    command = [sys.executable, "tests/bench/side_by_side.py", "--json", *given]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_few_plies_are_played_with_both_and_kept(tmp_path: Path) -> None:
    keep = tmp_path / "games.jsonl"
    given = ("--plies", "4", "--games", "close-quarters", "--sensors", "occupancy,identity", "--keep")
    first = run(*given, str(keep))
    found = {(row["game"], row["sensor"], row["inference"]): row for row in first["rows"]}
    assert len(found) == 6
    for row in found.values():
        assert row["plies"] >= 4
        assert 0 < row["p50_ms"] <= row["p99_ms"] * 1.01 <= row["longest_ms"] * 1.1
    kept = keep.read_text()
    keep.write_text(kept[:-20])  # a run that was stopped while it wrote
    again = run(*given, str(keep))
    assert [row["plies"] for row in again["rows"]] == [row["plies"] for row in first["rows"]]
    assert len(keep.read_text().splitlines()) == len(kept.splitlines()) + 1


@pytest.mark.parametrize("name", INFERENCES)
def test_the_inference_is_used_and_measured(name: str) -> None:
    took_ms: list[float] = []
    rules = games.find("close-quarters").rules()
    session = Session(rules, SensorKind.OCCUPANCY, inference=measured(INFERENCES[name], took_ms))
    fake = FakeTable(rules, session=session)
    fake.set_up()
    fake.carry("a1", "a3", 200)
    fake.wait(3000)
    assert fake.record == ["a1-a3"]
    assert len(took_ms) >= 3
    assert all(each >= 0 for each in took_ms)


@pytest.mark.parametrize(
    ("failures", "plies", "low", "high"),
    [(3, 100, 0.006230, 0.085176), (1, 10, 0.002529, 0.445016), (10, 10, 0.691503, 1.0), (0, 300, 0.0, 0.01)],
)
def test_bounds_match_published_ones(failures: int, plies: int, low: float, high: float) -> None:
    """Source: tables of Clopper and Pearson; the last one is the rule of three."""
    assert bound(failures, plies) == pytest.approx((low, high), abs=2e-6)


def test_the_rows_say_who_is_right() -> None:
    other = UNIT._replace(number=1)
    pairs = {
        UNIT: {"former": RIGHT, "tracker": WRONG},
        other: {"former": WRONG, "tracker": WRONG},
        UNIT._replace(number=2): {"former": RIGHT, "tracker": RIGHT},
    }
    assert [*map(verdict, pairs.values())] == ["former", "neither", "both"]
    present, tracker, *_ = rows(pairs)
    assert (present["alone_right"], tracker["alone_right"]) == (1, 0)
    assert (present["wrong"], tracker["wrong"], present["plies"], tracker["plies"]) == (1, 2, 140, 100)
    assert tracker["per_100000"] == 2000
    assert [each["right"] for each in differences(pairs)] == ["former"]
    assert "2000.0 (" in table([present, tracker])


def test_outcomes_are_kept_as_they_are(tmp_path: Path) -> None:
    outcome = Outcome(7, Counter(stuck=1), Counter({-8: 3, 0: 1}), 1.0, "stuck: nothing follows")
    Store(tmp_path / "kept").add(UNIT, {"former": outcome, "tracker": RIGHT})
    assert Store(tmp_path / "kept").known[UNIT.name] == {"former": outcome, "tracker": RIGHT}
    assert quantile_ms(outcome.times, 0.5) == 0.5
    assert quantile_ms(outcome.times, 0.99) == 1.0


def test_all_hands_take_turns() -> None:
    assert {hands(number) for number in range(12)} >= {"players", "blitz", "careful", "illegal", "noisy"}


def test_journals_are_replayed_with_both(tmp_path: Path) -> None:
    for path in recordings():
        if path.stem in ("close-quarters-whole-game", "gottaz-questions-on-switches"):
            shutil.copy(path, tmp_path)
    (tmp_path / "broken.jsonl").write_text("nothing")
    broken, *others = journal_rows(tmp_path)
    assert broken["error"]
    assert [row["plies"] for row in others] == [6, 10]
    text = journal_table([broken, *others, {**others[0], "differs_at": 5, "tracker": ""}])
    assert "close-quarters-whole-game.jsonl: from ply 5 on" in text
    assert text.endswith("tracker ends")
