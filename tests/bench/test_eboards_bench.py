# SPDX-License-Identifier: Apache-2.0
"""The benchmark of makers' eboards measures what it promises, with a few samples."""

from __future__ import annotations

import pytest

from companion.eboards.chessnut import ChessnutCodec
from companion.eboards.codec import Report
from tests.bench import eboards
from tests.bench.gestures import promotion, quiet
from tests.bench.maker_table import GAMES, PEOPLE, examine_eboard
from tests.eboards.rig import MAKERS


def is_plain(row: dict[str, int]) -> bool:
    return row["wrong"] == row["stuck"] == 0 and row["right"] + row["asked"] > 0


def nothing(_self: ChessnutCodec, _data: bytes) -> list[Report]:
    return []


def test_an_eboard_is_measured_with_every_promised_key() -> None:
    found = eboards.measure("chessnut", 1, 1, 2)
    assert is_plain(found["gestures"])
    assert len(found["gestures_by_kind"]) >= 10
    assert found["two_moves_280_ms"] == {"seen": 1, "of": 1}
    assert found["edges_lost"] == 0 < found["edges"]
    assert found["settled_to_lamps_ms"]["p50"] > 0
    assert found["settled_to_illegal_ms"]["p50"] > found["settled_to_shown_ms"]["p50"] > 0
    assert found["recovery_ms"]["p50"] > 0
    assert found["examination"]["plies"] == found["examination"]["right"] == 25


def test_an_eboard_without_lamps_says_so() -> None:
    found = eboards.measured_moves("dgt", 1, 1)
    assert found["settled_to_lamps_ms"] is None
    assert found["settled_to_lamps_ms_why"]
    assert found["settled_to_shown_ms"]["p50"] > 0


def test_the_lever_of_a_clock_is_measured_where_there_is_one() -> None:
    found = eboards.measured_presses("dgt", 1, 2)
    assert found["presses"] == {"seen": 2, "of": 2}
    assert 0 < found["press_to_clock_ms"]["p50"] < 1000
    assert eboards.measured_presses("pegasus", 1, 2)["presses"] is None


def test_an_eboard_that_reports_nothing_any_more_is_measured_as_stuck(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = next(eboards.quiet_moves(1))
    assert quiet(made)
    assert not promotion(made)
    rig = eboards.table("chessnut", made.position)
    monkeypatch.setattr(ChessnutCodec, "feed", nothing)
    eboards.perform(rig, made, quiet(made) or [])
    assert eboards.judge(rig, "a3") == "stuck"


def test_times_of_few_samples_are_not_called_a_percentile() -> None:
    assert eboards.times([3.0, 1.0, 2.0]) == {"p50": 2.0, "slowest": 3.0}
    assert eboards.times([float(number) for number in range(200)]) == {"p50": 100.0, "p99": 198.0}


@pytest.mark.parametrize("name", ["dgt", "pegasus"])
def test_the_referee_is_examined_at_an_eboard(name: str) -> None:
    score = examine_eboard(name, 1, 1, ("clumsy", "illegal"))
    assert score.failures == []
    assert score.right == score.plies == 2 * len(GAMES)


@pytest.mark.long
@pytest.mark.parametrize("name", MAKERS)
def test_the_examination_of_every_eboard_finds_no_fault(name: str) -> None:
    unhurried = [person for person in PEOPLE if person != "blitz"]
    score = examine_eboard(name, 4, 3, unhurried)
    assert score.failures == []
    assert score.right == score.plies
    if name != "certabo":  # three of its frames take longer than three plies
        assert examine_eboard(name, 4, 3, ("blitz",)).wrong == 0


def test_an_eboard_that_reports_nothing_fails_the_examination(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChessnutCodec, "feed", nothing)
    score = examine_eboard("chessnut", 1, 1, ("careful",))
    assert score.right == 0
    assert score.missed == len(GAMES)


@pytest.mark.long
@pytest.mark.parametrize("name", MAKERS)
def test_no_gesture_is_read_as_another_move(name: str) -> None:
    found = eboards.measured_gestures(name, 2, 4)
    assert found["gestures"]["wrong"] == 0, found
