# SPDX-License-Identifier: Apache-2.0
"""Eboards that are plugged in become boards of the hall."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from companion.host.clock import monotonic
from companion.host.hall.hotplug.devices import Devices
from companion.host.hall.run import HallOptions, plugged_stations
from companion.host.journal.setup import GameSetup
from companion.host.play.eboard_search import EboardsAround
from companion.host.play.start import PlayOptions
from companion.host.records.database import connect
from tests.eboards.rig import chess_pieces
from tests.hid_library import HidLibrary
from tests.host.hall.halls import BRISK, QUICK, hall_at, until
from tests.packets import PacketEboard
from tests.simulated_libraries import bleak, hid
from tests.virtual.eboards.chessnut import VirtualChessnutEboard

CLOCK = monotonic(10_000)


class OnUsb:
    """A Chessnut eboard with a cable."""

    port = "chessnut:X7"

    def __init__(self, monkeypatch: pytest.MonkeyPatch, _folder: Path) -> None:
        self.eboard = VirtualChessnutEboard(chess_pieces(), CLOCK())
        self._library = HidLibrary(CLOCK)
        monkeypatch.setitem(sys.modules, "hid", self._library)
        monkeypatch.setitem(sys.modules, "bleak", None)

    def plug(self) -> None:
        self._library.plug(b"1", self.eboard, "X7")

    def unplug(self) -> None:
        self._library.unplug(b"1")


class InReach:
    """A Chessnut eboard over Bluetooth LE."""

    port = "chessnut-le:C0:01"

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.eboard = VirtualChessnutEboard(chess_pieces(), CLOCK())
        self._path = folder / "Chessnut Air@C0-01"
        for name, library in (("hid", hid), ("bleak", bleak), ("bleak.exc", bleak.exc)):
            monkeypatch.setitem(sys.modules, name, library)
        monkeypatch.setenv("COMPANION_SIMULATED_EBOARDS", str(folder))
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:abstract=simulated")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        self.plug()

    def plug(self) -> None:
        if not self._path.exists():
            self._plugged = PacketEboard(self.eboard, CLOCK, self._path)
            self._plugged.__enter__()

    def unplug(self) -> None:
        self._plugged.__exit__()


@pytest.mark.parametrize("way", [OnUsb, pytest.param(InReach, marks=pytest.mark.long)])
def test_an_eboard_plays_the_largest_fitting_game_and_comes_back(
    way: type[OnUsb] | type[InReach], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = way(monkeypatch, tmp_path)
    eboard = there.eboard
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    store = f"sqlite:///{tmp_path}/hall.sqlite"
    said: list[str] = []

    async def running() -> None:
        async with AsyncExitStack() as stack:
            hall = await stack.enter_async_context(hall_at(tmp_path, store))
            db = connect(store)
            stack.callback(db.close)
            usual = PlayOptions(
                GameSetup(""), folder=tmp_path / "journals", browser=False, store=store, timing=BRISK
            )
            hall_options = HallOptions(
                panel_games=("close-quarters", "tank-chess", "chess"),
                usual=usual,
                intervals=replace(QUICK, poll_s=0.05),
            )
            tasks = await stack.enter_async_context(
                plugged_stations(
                    hall, hall_options, Devices(db), said.append, list, names=EboardsAround(CLOCK)
                )
            )

            def seen(moves: int) -> bool:
                state = hall.hub.station_states.known.get("board-1")
                if state is None or state.glance is None or state.glance.phase != "waiting":
                    return False
                return state.glance.ply == moves

            try:
                there.plug()
                await until(lambda: seen(0), "it appears")
                assert hall.hub.station_states.known["board-1"].hello.game == "chess"
                there.unplug()
                eboard.take("e2", CLOCK())
                eboard.put("e4", "P", CLOCK())
                there.plug()
                await until(lambda: seen(1), "its move is found")
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                there.unplug()

    asyncio.run(running())
    assert said[0] == f"board-1: board {there.port} is plugged in, chess is played at it"
