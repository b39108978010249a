# SPDX-License-Identifier: Apache-2.0
"""Chessnut: packed pieces, lamps, tones and the pace of messages."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from companion import games
from companion.eboards.chessnut import ChessnutCodec
from companion.eboards.codec import Battery, Garbled, Whole
from companion.eboards.connection import EboardConnection
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.new_table import make_table
from companion.host.table.link_status import LinkState
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.view import Phase
from tests.eboards.rig import EboardRig, chess_pieces
from tests.hid_library import HidLibrary
from tests.host.hall.halls import BRISK
from tests.host.tables import HEADER
from tests.virtual.eboards.chessnut import VirtualChessnutEboard

SOCKET = b"/dev/hidraw7"


def test_two_squares_are_packed_in_a_byte_from_h8() -> None:
    packed = bytearray(32)
    packed[0] = 0x28  # h8 a black rook, g8 a black king
    packed[31] = 0x60  # a1 a white rook, b1 empty
    (whole,) = ChessnutCodec().feed(b"\x01\x24" + bytes(packed) + bytes(4))
    assert isinstance(whole, Whole)
    seen = {cell: (piece.kind, piece.side) for cell, piece in enumerate(whole.pieces) if piece.occupied}
    assert seen == {63: ("rook", 1), 62: ("king", 1), 0: ("rook", 0)}


def test_damaged_reports_are_dropped_and_unknown_ones_skipped() -> None:
    codec = ChessnutCodec()
    assert codec.feed(b"\x01\x24" + bytes(31)) == [Garbled()]
    assert codec.feed(b"\x01\x24" + b"\xff" * 36) == [Garbled()]
    assert codec.feed(b"\x37\x01\x00") == []
    assert codec.feed(b"") == []


def test_the_battery_is_read() -> None:
    assert ChessnutCodec().feed(b"\x2a\x02\x50\x00") == [Battery(80, is_charging=False)]
    assert ChessnutCodec().feed(b"\x2a\x02\xe4\x00") == [Battery(100, is_charging=True)]


def test_lamps_tones_and_battery_keep_the_pace_of_the_eboard() -> None:
    eboard = VirtualChessnutEboard(chess_pieces(), 0)
    rig = EboardRig("chessnut", eboard, chess_pieces())
    rig.lift("b1")
    rig.advance(800)
    assert eboard.lit == {"a3", "b1", "c3"}
    rig.put("c3", "N")
    rig.advance(2500)
    assert eboard.lit == {"c3"}
    rig.play("f7f6 e2e4 g7g5 d1h5")
    assert rig.pipeline.view.outcome is not None
    assert eboard.beeps
    assert eboard.ignored == 0
    connection = rig.pipeline.connection
    assert isinstance(connection, EboardConnection)
    assert connection.battery == Battery(77, is_charging=False)


def test_an_eboard_on_usb_is_played_at_unplugged_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = monotonic(10_000)
    library = HidLibrary(clock)
    monkeypatch.setitem(sys.modules, "hid", library)
    eboard = VirtualChessnutEboard(chess_pieces(), clock())
    rules = games.find("chess").rules()
    header = replace(HEADER, setup=GameSetup("chess"), sensor=SensorKind.IDENTITY)

    def carry(source: str, target: str, letter: str) -> None:
        library.act(SOCKET, lambda eboard, now_ms: eboard.take(source, now_ms))
        library.act(SOCKET, lambda eboard, now_ms: eboard.put(target, letter, now_ms))

    async def play(writer: JournalWriter) -> None:
        session = Session(rules, SensorKind.IDENTITY, BRISK)
        words = load("en", "chess", rules.sides)
        table = make_table("chessnut:auto", games.find("chess"), session, words, writer, clock)

        async def until(is_so: Callable[[], bool]) -> None:
            with table.watch() as has_changed:
                while not is_so():
                    await asyncio.wait_for(has_changed.wait(), 60)
                    has_changed.clear()

        def moves() -> list[str]:
            return [each.move for each in table.pipeline.view.record]

        running = asyncio.create_task(table.run())
        await until(lambda: table.pipeline.view.phase is Phase.WAITING)
        carry("e2", "e4", "P")
        await until(lambda: moves() == ["e4"])
        library.unplug(SOCKET)
        await until(lambda: table.pipeline.status.state is LinkState.LOST)
        eboard.take("e7", clock())
        eboard.put("e5", "p", clock())
        library.plug(SOCKET, eboard, "A1")
        await until(lambda: moves() == ["e4", "e5"])
        running.cancel()
        await asyncio.wait({running})

    library.plug(SOCKET, eboard, "A1")
    with JournalWriter.create(tmp_path / "game.jsonl", header) as writer:
        asyncio.run(play(writer))
