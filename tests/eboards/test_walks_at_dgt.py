# SPDX-License-Identifier: Apache-2.0
"""The program plays at a simulated DGT eboard: with its clock, and with stand-ins."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from companion.host.clock import monotonic
from companion.referee.values.events import GameEnded, IllegalSeen, MoveRetracted
from tests.eboards.rig import chess_pieces
from tests.eboards.test_walks import events_in
from tests.terminals import ScreenOf, TerminalPanel
from tests.virtual.eboards.dgt import VirtualDgtEboard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pseudo-terminals are other things elsewhere")

CLOCK = monotonic(10_000)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the eboard's device."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "devices").mkdir()
    return tmp_path / "devices"


class Hand:
    """A hand at *eboard*, which is plugged in within a context."""

    def __init__(self, eboard: VirtualDgtEboard, path: Path) -> None:
        self.eboard = eboard
        self.path = path
        self.plugged: TerminalPanel | None = None

    def plug(self) -> TerminalPanel:
        self.plugged = TerminalPanel(self.eboard, CLOCK, self.path)
        return self.plugged

    def carry(self, path: str) -> None:
        """Carry a piece, as `e2 e4 P`, in one motion."""
        source, target, letter = path.split()
        assert self.plugged is not None
        self.plugged.act(lambda now_ms: self.eboard.take(source, now_ms))
        self.plugged.act(lambda now_ms: self.eboard.put(target, letter, now_ms))

    def press(self, side: int) -> None:
        """Press the lever at the end of *side*."""
        assert self.plugged is not None
        self.plugged.act(lambda now_ms: self.eboard.press(side, now_ms))


def test_another_game_is_set_up_with_chess_pieces_and_played_to_its_end(folder: Path) -> None:
    hand = Hand(VirtualDgtEboard({}, 0), folder / "board")
    words = ("play", "close-quarters", "-o", "take_back=yes", "--port", f"dgt:{hand.path}", "--terminal")
    with ScreenOf(*words, columns=120, rows=40) as seen:

        def until(said: str) -> None:
            seen.until(lambda: said in seen.text and "…" not in seen.text)

        with hand.plug() as plugged:
            until("Set up with chess pieces: Sword ♔, Spear ♜, Mace ♞, Axe ♝.")
            for square, letter in {"c1": "K", "f1": "n", "c8": "b", "f8": "r"}.items():
                plugged.act(lambda now_ms, at=square, piece=letter: hand.eboard.put(at, piece, now_ms))  # type: ignore[misc]
            seen.until(lambda: "The Sword moves." in seen.text)
            hand.carry("c1 d2 K")
            until("a1-b2")
            hand.carry("f8 e6 r")
            until("not from d8 to c6")
            hand.carry("e6 f8 r")
            until("The weapons move.")
            hand.carry("f8 d8 r")
            until("d8-b8")
            seen.type("back")
            until("Set up the position as shown.")
            hand.carry("d8 f8 r")
            seen.until(lambda: "The weapons move." in seen.text)
            hand.carry("f8 d8 r")
            until("d8-b8")
        seen.until(lambda: "Connected" not in seen.text)
        hand.eboard.take("d2", CLOCK())
        hand.eboard.put("e3", "K", CLOCK())
        with hand.plug():
            until("b2-c3")
            for path, said in (("d8 d2 r", "b8-b2"), ("e3 d2 K", "c3xb2"), ("f1 d2 n", "d1xb2")):
                hand.carry(path)
                until(said)
            seen.type("quit")
            assert seen.wait() == 0
    kept = events_in(folder)
    for kind in (IllegalSeen, MoveRetracted, GameEnded):
        assert [event for event in kept if isinstance(event, kind)], kind


@pytest.mark.long
def test_a_game_with_the_eboards_own_clock_is_switched_by_its_lever(folder: Path) -> None:
    hand = Hand(VirtualDgtEboard(chess_pieces(), 0, clock_s=(0, 0)), folder / "board")
    words = ("play", "chess", "--clock", "5+3@press", "--port", f"dgt:{hand.path}", "--terminal")
    with ScreenOf(*words, columns=120, rows=40) as seen:

        def until(said: str) -> None:
            seen.until(lambda: said in seen.text and "…" not in seen.text)

        def runs(end: int) -> None:
            seen.until(lambda: hand.eboard.clock[1] == end)

        with hand.plug():
            until("White moves.")
            hand.carry("f2 f3 P")
            hand.press(0)
            runs(1)
            until("1. f3")
            hand.carry("e7 e4 p")
            until("not from e7 to e4")
            hand.carry("e4 e7 p")
            until("Black moves.")
            hand.carry("e7 e5 p")
            hand.press(1)
            runs(0)
            until("1. f3 e5")
            seen.type("back")
            until("Set up the position as shown.")
            hand.carry("e5 e7 p")
            until("Black moves.")
            hand.carry("e7 e6 p")
            hand.press(0)
            hand.press(1)
            runs(0)
            until("1. f3 e6")
        seen.until(lambda: "Connected" not in seen.text)
        hand.eboard.take("g2", CLOCK())
        hand.eboard.put("g4", "P", CLOCK())
        with hand.plug():
            until("2. g4")
            hand.press(0)
            runs(1)
            hand.carry("d8 h4 q")
            until("2. g4 Qh4#")
            seen.until(lambda: hand.eboard.clock[1] is None)
            assert all(280 <= left <= 310 for left in hand.eboard.clock[0])
            seen.type("quit")
            assert seen.wait() == 0
    kept = events_in(folder)
    for kind in (IllegalSeen, MoveRetracted, GameEnded):
        assert [event for event in kept if isinstance(event, kind)], kind
