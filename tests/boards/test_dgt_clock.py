# SPDX-License-Identifier: Apache-2.0
"""Clocks at a DGT board: texts in parts, the lever, and times of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion import games
from companion.boards.codec import ClockAnswered, ClockRead, Garbled
from companion.boards.dgt_clock import encoded, report_of
from companion.host import settings
from companion.host.journal.journal import CommandEntry
from companion.model.observation import LeverTurned, Observation, SensorKind
from companion.referee.clocks import Control, Period
from companion.referee.session import Session
from companion.virtual.boards.dgt import VirtualDgtBoard
from tests.boards.rig import BoardRig, chess_pieces


def rig_with(board: VirtualDgtBoard) -> BoardRig:
    return BoardRig("dgt", board, chess_pieces())


def presses(rig: BoardRig) -> list[int]:
    """The sides that have pressed the lever."""
    seen = (entry for entry in rig.kept.entries if isinstance(entry, Observation))
    return [each.side for entry in seen for each in entry.inputs if isinstance(each, LeverTurned)]


@pytest.fixture
def wants_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[boards]\nclock_times = true\n", encoding="utf-8")
    monkeypatch.setattr(settings, "path", lambda: file)


def test_times_have_decimal_digits_and_the_right_player_comes_first() -> None:
    assert report_of(b"\x01\x23\x45\x00\x09\x58\x13") == ClockRead((598, 5025), 0, 0)
    assert report_of(b"\x00\x00\x01\x00\x00\x02\x08") == ClockRead((2, 1), None, 1)
    assert report_of(b"\x00\x00\x01\x00\x00\x02\x20") == ClockRead(None)
    assert report_of(b"\x00\x0b\x01\x00\x00\x02\x08") == Garbled()
    assert report_of(b"\x0a\x10\x0c\x00\x00\x00\x00") == ClockAnswered(is_good=True)
    assert report_of(b"\x0a\x40\x0c\x00\x00\x00\x00") == ClockAnswered(is_good=False)


def test_a_text_has_eight_letters() -> None:
    assert encoded("e4") == b"\x2b\x0c\x03\x0ce4      \x00\x00"


def test_the_clock_shows_what_a_display_shows_in_parts() -> None:
    board = VirtualDgtBoard(chess_pieces(), 0, clock_s=(300, 300))
    rig = rig_with(board)
    rig.advance(10_000)
    whole = " ".join(line for line in rig.pipeline.lines if line)
    assert " ".join(board.shown[:-1]).split() == whole.split()
    assert board.shown[-1] == board.shown[0]
    before = len(board.shown)
    rig.advance(10_000)
    assert len(board.shown) == before
    rig.play("e2e4")
    rig.advance(10_000)
    assert "e4" in " ".join(board.shown[before:]).split()


def test_a_clock_that_acknowledges_nothing_gets_the_next_part_later() -> None:
    board = VirtualDgtBoard(chess_pieces(), 0, clock_s=(300, 300))
    board.is_clock_deaf = True
    rig = rig_with(board)
    rig.advance(3000)
    board.is_clock_deaf = False
    rig.play("e2e4")
    rig.advance(10_000)
    assert "e4" in " ".join(board.shown)
    assert rig.moves == ["e4"]


def test_without_a_clock_no_text_is_sent() -> None:
    board = VirtualDgtBoard(chess_pieces(), 0)
    rig = rig_with(board)
    rig.play("e2e4")
    assert board.shown == []
    assert presses(rig) == []


def test_the_lever_is_a_press_and_its_first_position_none() -> None:
    board = VirtualDgtBoard(chess_pieces(), 0, clock_s=(300, 300))
    board.press(1, 0)
    rig = rig_with(board)
    rig.play("e2e4")
    board.press(0, rig.now_ms)
    rig.advance(500)
    rig.play("e7e5")
    board.press(1, rig.now_ms)
    rig.advance(500)
    assert presses(rig) == [0, 1]
    assert rig.moves == ["e4", "e5"]


def test_the_lever_switches_the_clocks_of_the_game() -> None:
    board = VirtualDgtBoard(chess_pieces(), 0, clock_s=(300, 300))
    rules = games.find("chess").rules()
    control = Control.same(2, Period(300_000), by_moves=False)
    session = Session(rules, SensorKind.IDENTITY, control=control)
    rig = BoardRig("dgt", board, chess_pieces(), session=session)
    rig.play("e2e4")
    board.press(0, rig.now_ms)
    rig.advance(3000)
    assert [clock.is_running for clock in rig.pipeline.view.clocks] == [False, True]


def test_the_times_of_the_clock_are_shown_if_that_is_wanted(wants_times: None) -> None:
    board = VirtualDgtBoard(chess_pieces(), 0, clock_s=(300, 200))
    rig = rig_with(board)
    assert [clock.left_ms for clock in rig.pipeline.view.clocks] == [300_000, 200_000]
    board.press(0, rig.now_ms)
    rig.advance(20_500)
    shown = rig.pipeline.view.clocks
    assert [clock.is_running for clock in shown] == [False, True]
    orders = [entry for entry in rig.kept.entries if isinstance(entry, CommandEntry)]
    assert len(orders) == 2, "seconds that pass are no news"
    board.press(1, rig.now_ms)
    rig.advance(500)
    left = [clock.left_ms for clock in rig.pipeline.view.clocks]
    assert left[0] == 300_000
    assert abs(left[1] - 180_000) <= 1000


def test_the_times_of_the_clock_are_left_to_it_otherwise() -> None:
    board = VirtualDgtBoard(chess_pieces(), 0, clock_s=(300, 200))
    assert rig_with(board).pipeline.view.clocks == ()
