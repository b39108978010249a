# SPDX-License-Identifier: Apache-2.0
"""The program plays at a simulated DGT board behind a pseudo-terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from companion.host.clock import monotonic
from companion.host.journal import journal
from companion.referee.events import GameEnded, IllegalSeen
from companion.virtual.boards.dgt import VirtualDgtBoard
from tests.boards.rig import chess_pieces
from tests.terminals import ScreenOf, TerminalPanel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are another thing there")

CLOCK = monotonic(10_000)


def carry(there: TerminalPanel, board: VirtualDgtBoard, path: str) -> None:
    """Carry a piece in one motion, which takes less than a scan of the board."""
    source, target, letter = path.split()
    there.act(lambda now_ms: board.take(source, now_ms))
    there.act(lambda now_ms: board.put(target, letter, now_ms))


def test_a_game_with_an_illegal_move_a_take_back_and_an_unplugging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    device = tmp_path / "board"
    board = VirtualDgtBoard(chess_pieces(), CLOCK())
    there = TerminalPanel(board, CLOCK, device)
    there.__enter__()
    words = ("play", "chess", "--port", f"dgt:{device}", "--terminal")
    with ScreenOf(*words, columns=120, rows=40) as seen:

        def until(said: str) -> None:
            seen.until(lambda: said in seen.text and "…" not in seen.text)

        try:
            until("Connected · DGT e-Board 12345")
            carry(there, board, "f2 f3 P")
            until("1. f3")
            carry(there, board, "e7 e4 p")
            until("not from e7 to e4")
            carry(there, board, "e4 e7 p")
            until("Black moves.")
            carry(there, board, "e7 e6 p")
            until("1. f3 e6")
            seen.type("back")
            carry(there, board, "e6 e7 p")
            seen.until(lambda: "1. f3 e6" not in seen.text and "Black moves." in seen.text)
            carry(there, board, "e7 e5 p")
            until("1. f3 e5")
        finally:
            there.__exit__()
        seen.until(lambda: "Connected" not in seen.text)
        board.take("g2", CLOCK())
        board.put("g4", "P", CLOCK())
        with TerminalPanel(board, CLOCK, device) as again:
            until("2. g4")
            carry(again, board, "d8 h4 q")
            until("2. g4 Qh4#")
            seen.type("quit")
            assert seen.wait() == 0
    (path,) = (tmp_path / "data").rglob("*.jsonl")
    events = journal.read(path).events
    assert [event for event in events if isinstance(event, IllegalSeen)]
    assert isinstance([event for event in events if isinstance(event, GameEnded)][-1], GameEnded)
