# SPDX-License-Identifier: Apache-2.0
"""Stations in worker processes report like local ones and end with their hall.

They also survive the death of their process.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from companion.feedback.glance import Glance, SmallPiece
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_sync import Kept
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Goodbye, Shown, Up
from companion.host.hall.many_stations.worker_processes import Job, _packed, jobs, oversee
from companion.host.hall.stations.local_station import LocalStation
from companion.host.journal import journal as journals
from companion.host.journal.setup import GameSetup
from companion.host.play.start import LOOPBACK, PlayOptions
from companion.host.table.table import Table
from companion.host.virtual_table.hands import Drop, Lift
from companion.model.game import Outcome
from companion.referee.values.commands import Pause
from companion.referee.values.events import MoveMade, Stage
from companion.referee.values.view import ClockView
from tests.host.hall.halls import BRISK, QUICK, hall_at, two_players, until
from tests.host.tables import GAME, WHOLE_GAME

MOVES = WHOLE_GAME.split()


async def play_on(_name: str, table: Table) -> None:
    """Make the game's remaining moves, each after the last one was announced."""
    with table.watch() as has_changed:
        while True:
            view = table.pipeline.view
            is_told = all(move.stage is not Stage.PROVISIONAL for move in view.record)
            if view.phase == "waiting" and is_told and view.outcome is None:
                source, target = table.pipeline.session.rules.grid.cells(MOVES[view.ply].replace("-", " "))
                table.do(Lift(source))
                table.do(Drop(target))
                while table.pipeline.view.ply == view.ply:
                    has_changed.clear()
                    await has_changed.wait()
            has_changed.clear()
            await has_changed.wait()


async def sit(_name: str, _table: Table) -> None:
    """Do nothing."""
    await asyncio.Event().wait()


def station(folder: Path, name: str) -> LocalStation:
    store = f"sqlite:///{folder}/records.sqlite"
    return LocalStation(
        name,
        PlayOptions(
            GameSetup(GAME), folder=folder / name, browser=False, store=store, timing=BRISK, intervals=QUICK
        ),
    )


def shown(hall: Hall, name: str) -> Glance | None:
    seat = hall.hub.station_states.known.get(name)
    return seat.glance if seat else None


def test_values_are_passed_between_processes_unchanged() -> None:
    clock = ClockView(1000, is_running=True, at_ms=7)
    pieces = (SmallPiece("mace", 1, (3,)), SmallPiece("tank", None, (4, 5), 2, "wreck"))
    glance = Glance("chess", "waiting", 0, 3, pieces, clocks=(clock,), outcome=Outcome((1,), "time"))
    said = (Hello("red", "1", "Red", "chess"), Shown(2, 9, glance), Kept("game.jsonl", 77), Goodbye())
    messages: list[Up | Down | str] = ["text", *(Up("red", "1", what) for what in said)]
    assert pickle.loads(_packed(messages)) == messages


def test_a_process_killed_in_mid_game_loses_and_repeats_nothing(tmp_path: Path) -> None:
    said: list[str] = []

    async def scenario() -> None:
        async with hall_at(tmp_path, f"sqlite:///{tmp_path}/hall.sqlite") as hall:
            await two_players(hall)
            job = Job((station(tmp_path, "red"), station(tmp_path, "blue")), LOOPBACK, play_on)
            overseer = asyncio.create_task(oversee(job, hall, said.append, QUICK))
            await until(
                lambda: bool((glance := shown(hall, "red")) and glance.ply >= 2), "two moves are shown"
            )
            (process,) = multiprocessing.active_children()
            assert process.pid
            os.kill(process.pid, signal.SIGKILL)
            await until(
                lambda: hall.hub.station_states.known["red"].is_gone, "the boards are missing in the hall"
            )
            await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is reported")
            assert not hall.hub.station_states.known["red"].is_silent(hall.clock())
            overseer.cancel()
            with suppress(asyncio.CancelledError):
                await overseer
            (path,) = hall.homes["red"].glob("*.jsonl")
            found = journals.read(path)
            assert found.header.timing == BRISK
            events = found.events
            made = [
                event.ply
                for event in events
                if isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED
            ]
            assert made == list(range(len(MOVES)))

    asyncio.run(scenario())
    assert not multiprocessing.active_children()
    assert any("the process of 2 boards has ended (-9)" in text for text in said)
    assert any("red: Going on with" in text for text in said)


def test_orders_reach_stations_in_worker_processes_and_these_end_with_their_hall(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with hall_at(tmp_path, f"sqlite:///{tmp_path}/hall.sqlite") as hall:
            shares = jobs([station(tmp_path, name) for name in ("red", "blue", "green")], 2, LOOPBACK, sit)
            assert [[each.name for each in job.stations] for job in shares] == [["red", "green"], ["blue"]]
            overseer = asyncio.create_task(oversee(shares[1], hall, lambda _text: None))
            await until(
                lambda: bool((glance := shown(hall, "blue")) and glance.phase == "waiting"), "blue is ready"
            )
            await hall.order("Arbiter", "blue", Pause(), "")
            await until(lambda: not hall.keeper.book.orders, "the order is answered")
            await until(
                lambda: bool((glance := shown(hall, "blue")) and glance.phase == "paused"), "blue is paused"
            )
            (process,) = multiprocessing.active_children()
            overseer.cancel()
            with suppress(asyncio.CancelledError):
                await overseer
            assert process.exitcode == 0
            assert hall.hub.station_states.known["blue"].is_gone

    asyncio.run(scenario())


@pytest.mark.parametrize("number", [1, 3, 8])
def test_every_station_is_assigned_to_one_process(tmp_path: Path, number: int) -> None:
    stations = [station(tmp_path, f"b{each}") for each in range(5)]
    dealt = [each for job in jobs(stations, number, LOOPBACK) for each in job.stations]
    assert sorted(each.name for each in dealt) == [each.name for each in stations]
