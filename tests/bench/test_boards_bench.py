# SPDX-License-Identifier: Apache-2.0
"""The benchmark of makers' boards measures what it promises, with a few samples."""

from __future__ import annotations

import pytest

from companion.boards.chessnut import ChessnutCodec
from companion.boards.codec import Report
from tests.bench import boards
from tests.bench.gestures import promotion, quiet
from tests.boards.rig import MAKERS


def is_plain(row: dict[str, int]) -> bool:
    return row["wrong"] == row["stuck"] == 0 and row["right"] + row["asked"] > 0


def test_a_board_is_measured_with_every_promised_key() -> None:
    found = boards.measure("chessnut", 1, 1)
    assert is_plain(found["gestures"])
    assert len(found["gestures_by_kind"]) >= 10
    assert found["two_moves_280_ms"] == {"seen": 1, "of": 1}
    assert found["edges_lost"] == 0 < found["edges"]
    assert found["settled_to_lamps_ms"]["p50"] > 0
    assert found["settled_to_illegal_ms"]["p50"] > found["settled_to_shown_ms"]["p50"] > 0
    assert found["recovery_ms"]["p50"] > 0


def test_a_board_without_lamps_says_so() -> None:
    found = boards.measured_moves("dgt", 1, 1)
    assert found["settled_to_lamps_ms"] is None
    assert found["settled_to_lamps_ms_why"]
    assert found["settled_to_shown_ms"]["p50"] > 0


def test_a_board_that_reports_nothing_any_more_is_measured_as_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    made = next(boards.quiet_moves(1))
    assert quiet(made)
    assert not promotion(made)
    rig = boards.table("chessnut", made.position)

    def nothing(_self: ChessnutCodec, _data: bytes) -> list[Report]:
        return []

    monkeypatch.setattr(ChessnutCodec, "feed", nothing)
    boards.perform(rig, made, quiet(made) or [])
    assert boards.judge(rig, "a3") == "stuck"


@pytest.mark.long
@pytest.mark.parametrize("name", MAKERS)
def test_no_gesture_is_read_as_another_move(name: str) -> None:
    found = boards.measure(name, 2, 4)
    assert found["gestures"]["wrong"] == 0, found
