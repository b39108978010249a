# SPDX-License-Identifier: Apache-2.0
"""The program plays a whole game at each kind of simulated eboard."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.host.clock import monotonic
from companion.host.devices.eboards import EBOARDS
from companion.host.journal import journal
from companion.referee.values.events import GameEnded, IllegalSeen, MoveRetracted
from tests.eboards.rig import MAKERS, VirtualEboard, chess_pieces
from tests.packets import LIBRARIES, PacketEboard
from tests.terminals import ScreenOf, TerminalPanel
from tests.virtual.eboards.pegasus import VirtualPegasusEboard

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="pseudo-terminals and packets over sockets are other things elsewhere"
)

CLOCK = monotonic(10_000)
PIECE = 20
"""Most bytes of a notification where the eboard's messages are a stream."""


@dataclass(frozen=True)
class Socket:
    """Where a kind of eboard is plugged in."""

    name: str = ""
    """Of its socket; "" for a pseudo-terminal."""
    device: str = "auto"
    longest: int = 4096


SOCKETS = {
    "dgt": Socket(),
    "millennium": Socket(),
    "certabo": Socket(),
    "sentio": Socket(),
    "chessnut": Socket("Chessnut Air#A1"),
    "chessnut-move": Socket("Chessnut Move#M1", "M1"),
    "chessnut-move-le": Socket("Chessnut Move@C0-01", "C0:01"),
    "chessnut-le": Socket("Chessnut Pro@C0-02"),
    "millennium-le": Socket("MILLENNIUM CHESS@C0-03", longest=PIECE),
    "pegasus": Socket("DGT_PEGASUS_1@C0-04", longest=PIECE),
    "ichessone": Socket("iChessOne@C0-05", longest=PIECE),
    "squareoff": Socket("Squareoff Pro@C0-06", longest=PIECE),
}
QUICK = ("pegasus",)
"""The kinds that are always walked."""
KINDS = [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in SOCKETS]


def test_every_eboard_is_walked() -> None:
    assert SOCKETS.keys() == EBOARDS.keys()


class Walk:
    """An eboard that is switched on and off, and a hand for its pieces."""

    def __init__(self, kind: str, eboard: VirtualEboard, folder: Path) -> None:
        self.eboard = eboard
        self._socket = SOCKETS[kind]
        self._path = folder / (self._socket.name or "board")
        self.port = f"{kind}:{self._socket.device if self._socket.name else self._path}"
        self._plugged: TerminalPanel | PacketEboard | None = None

    def plug(self) -> AbstractContextManager[TerminalPanel | PacketEboard]:
        """The eboard, switched on within the context."""
        if self._socket.name:
            self._plugged = PacketEboard(self.eboard, CLOCK, self._path, self._socket.longest)
        else:
            self._plugged = TerminalPanel(self.eboard, CLOCK, self._path)
        return self._plugged

    def carry(self, path: str) -> None:
        """Carry a piece in one motion, which takes less than a scan of most eboards."""
        source, target, letter = path.split()
        assert self._plugged is not None
        self._plugged.act(lambda now_ms: self.eboard.take(source, now_ms))
        self._plugged.act(lambda now_ms: self.eboard.put(target, letter, now_ms))

    def play(self, *words: str) -> None:
        """Play a game with an illegal move, a take-back and an unplugging."""
        libraries = LIBRARIES if self._socket.name else None
        with ScreenOf(*words, "--terminal", columns=120, rows=40, libraries=libraries) as seen:

            def until(said: str) -> None:
                seen.until(lambda: said in seen.text and "…" not in seen.text)

            with self.plug():
                until("Connected")
                until("White moves.")
                self.carry("f2 f3 P")
                until("1. f3")
                self.carry("e7 e4 p")
                until("not from e7 to e4")
                self.carry("e4 e7 p")
                until("Black moves.")
                self.carry("e7 e6 p")
                until("1. f3 e6")
                seen.type("back")
                until("Set up the position as shown.")  # the eboard may be faster than the keyboard
                self.carry("e6 e7 p")
                seen.until(lambda: "1. f3 e6" not in seen.text and "Black moves." in seen.text)
                self.carry("e7 e5 p")
                until("1. f3 e5")
            seen.until(lambda: "Connected" not in seen.text)
            self.eboard.take("g2", CLOCK())
            self.eboard.put("g4", "P", CLOCK())
            with self.plug():
                until("2. g4")
                self.carry("d8 h4 q")
                until("2. g4 Qh4#")
                seen.type("quit")
                assert seen.wait() == 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of sockets, known to the simulated libraries."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    sockets = tmp_path / "sockets"
    sockets.mkdir()
    monkeypatch.setenv("COMPANION_SIMULATED_EBOARDS", str(sockets))
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:abstract=simulated")
    return sockets


def events_in(folder: Path) -> list[object]:
    """What the program has kept of its one game."""
    (path,) = (folder.parent / "data").rglob("*.jsonl")
    return list(journal.read(path).events)


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_with_an_illegal_move_a_take_back_and_an_unplugging(kind: str, folder: Path) -> None:
    walk = Walk(kind, MAKERS[kind](chess_pieces(), bytes), folder)
    walk.play("play", "chess", "--port", walk.port)
    events = events_in(folder)
    for kept in (IllegalSeen, MoveRetracted, GameEnded):
        assert [event for event in events if isinstance(event, kept)], kept


@pytest.mark.long
def test_an_eboard_in_reach_is_found_by_itself_and_gets_its_owners_key(folder: Path) -> None:
    settings = folder.parent / "config/companion/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('port = "auto"\n[boards]\npegasus_key = "0102a9"\n', encoding="utf-8")
    walk = Walk("pegasus", VirtualPegasusEboard(chess_pieces(), 0, key=b"\x01\x02\xa9"), folder)
    with PacketEboard(VirtualPegasusEboard({}, 0, key=b"\x07"), CLOCK, folder / "Fridge@C0-99"):
        walk.play("play", "chess")
    assert [event for event in events_in(folder) if isinstance(event, GameEnded)]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["dgt", "chessnut-le"])
def test_of_two_eboards_of_a_kind_the_named_one_is_played_at(kind: str, folder: Path) -> None:
    named = Walk(kind, MAKERS[kind](chess_pieces(), bytes), folder)
    other = MAKERS[kind](chess_pieces("8/8/8/8/8/8/8/8"), bytes)
    if kind == "dgt":
        beside: TerminalPanel | PacketEboard = TerminalPanel(other, CLOCK, folder / "another")
    else:
        beside = PacketEboard(other, CLOCK, folder / "Chessnut Pro@C0-01")
        named.port = "chessnut-le:C0:02"
    with beside:
        named.play("play", "chess", "--port", named.port)
    assert [event for event in events_in(folder) if isinstance(event, GameEnded)]


@pytest.mark.long
def test_an_eboard_in_reach_is_listed_and_examined(folder: Path) -> None:
    walk = Walk("chessnut-le", MAKERS["chessnut-le"](chess_pieces(), bytes), folder)
    with walk.plug():
        for words in (("tools", "panels"), ("doctor", "--port", walk.port)):
            with ScreenOf(*words, columns=160, rows=60, libraries=LIBRARIES) as seen:
                assert seen.wait() == 0
                assert "Chessnut" in seen.text
                assert "77" in seen.text, "the battery's level"
                assert ("chessnut-le:C0:02" in seen.text) == (words == ("tools", "panels"))
