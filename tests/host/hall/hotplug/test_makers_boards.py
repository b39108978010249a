# SPDX-License-Identifier: Apache-2.0
"""Boards of other makers that are plugged in become boards of the hall."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from companion.host.clock import monotonic
from companion.host.hall.hotplug.devices import Devices
from companion.host.hall.run import HallOptions, plugged_boards
from companion.host.play import board_search
from companion.host.play.start import PlayOptions
from companion.host.records.database import connect
from companion.virtual.boards.chessnut import VirtualChessnutBoard
from tests.boards.rig import chess_pieces
from tests.hid_library import HidLibrary
from tests.host.hall.halls import BRISK, QUICK, hall_at, until

CLOCK = monotonic(10_000)


def test_a_board_on_usb_plays_the_largest_fitting_game_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = HidLibrary(CLOCK)
    monkeypatch.setitem(sys.modules, "hid", library)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    board = VirtualChessnutBoard(chess_pieces(), CLOCK())
    store = f"sqlite:///{tmp_path}/hall.sqlite"
    said: list[str] = []

    async def running() -> None:
        async with AsyncExitStack() as stack:
            hall = await stack.enter_async_context(hall_at(tmp_path, store))
            engine = connect(store)
            stack.callback(engine.dispose)
            usual = PlayOptions("", folder=tmp_path / "journals", browser=False, store=store, timing=BRISK)
            hall_options = HallOptions(
                panel_games=("close-quarters", "tank-chess", "chess"),
                usual=usual,
                intervals=replace(QUICK, poll_s=0.05),
            )
            tasks = await stack.enter_async_context(
                plugged_boards(
                    hall, hall_options, Devices(engine), said.append, list, names=board_search.plugged_boards
                )
            )

            def seen(moves: int) -> bool:
                state = hall.hub.board_states.known.get("board-1")
                if state is None or state.glance is None or state.glance.phase != "waiting":
                    return False
                return state.glance.ply == moves

            try:
                library.plug(b"1", board, "X7")
                await until(lambda: seen(0), "it appears")
                assert hall.hub.board_states.known["board-1"].hello.game == "chess"
                library.unplug(b"1")
                board.take("e2", CLOCK())
                board.put("e4", "P", CLOCK())
                library.plug(b"1", board, "X7")
                await until(lambda: seen(1), "its move is found")
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(running())
    assert said[0] == "board-1: board chessnut:X7 is plugged in, chess is played at it"
