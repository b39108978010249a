# SPDX-License-Identifier: Apache-2.0
"""Seating a round: each station begins a new game, whose clocks wait for the start.

A casual game in progress is asked about.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from companion.host.hall.core.finished_games import game_at
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import StationState
from companion.host.hall.core.wire import Down, Order, Up
from companion.host.hall.desk.tournament_setup import decide
from companion.host.hall.desk.tournament_setup import seat as seat_all
from companion.host.hall.run import HallOptions, own_stations
from companion.host.hall.stations.local_station import LocalStation
from companion.host.hall.stations.station_channels import local_channel_opener
from companion.host.hall.stations.station_link import ChannelOpener, HallChannel
from companion.host.hall.views import Pages
from companion.host.journal import journal as journals
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions
from companion.host.records.records import from_journal
from companion.host.table.table import Table
from companion.host.virtual_table.hands import Drop, Lift
from companion.model.errors import GameUnderWay
from companion.referee.values.commands import Release, Resign
from companion.referee.values.events import GameAdjourned
from companion.referee.values.view import ClockStart
from companion.tournament.acts import Entered, Obeyed, Opened, ResultDecided, RoundPaired
from companion.tournament.pairing import next_round
from companion.tournament.values import LOSS, WIN, Format, Player
from tests.host.hall.halls import QUICK, Station, hall_at, until
from tests.host.hall.hotplug.test_panels import is_at, is_ready, seat
from tests.host.hall.sites import site
from tests.host.tables import GAME

INCREMENT_MS = 10_000
FULL_MS = 15 * 60_000 + INCREMENT_MS


@asynccontextmanager
async def hall_with_stations(folder: Path, *names: str) -> AsyncIterator[tuple[Hall, dict[str, Table]]]:
    """A hall with virtual stations that keep time, and their tables."""
    store, tables = f"sqlite:///{folder}/hall.sqlite", dict[str, Table]()

    async def beside(name: str, table: Table) -> None:
        tables[name] = table
        await asyncio.Event().wait()

    stations = tuple(
        LocalStation(
            name,
            PlayOptions(
                GameSetup(GAME),
                folder=folder / name,
                browser=False,
                store=store,
                usual_clock="15+10",
                intervals=QUICK,
            ),
        )
        for name in names
    )
    async with (
        hall_at(folder, store) as hall,
        own_stations(hall, HallOptions(stations), lambda _text: None, beside) as tasks,
    ):
        try:
            for name in names:
                await until(seat(hall, name, is_ready), f"{name} is ready")
            yield hall, tables
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class SlowChannel:
    """A station's connection to its hall on which orders wait for *has_come*.

    Later messages wait behind them.
    """

    def __init__(self, channel: HallChannel, has_come: asyncio.Event) -> None:
        self._channel = channel
        self._has_come = has_come

    async def send(self, message: Up) -> None:
        await self._channel.send(message)

    async def receive(self) -> Down:
        said = await self._channel.receive()
        if isinstance(said.what, Order):
            await self._has_come.wait()
        return said


def orders_held(ways: ChannelOpener, has_come: asyncio.Event) -> ChannelOpener:
    """*ways* on which orders wait for *has_come*."""

    @asynccontextmanager
    async def open_channel(goodbye: Up) -> AsyncIterator[HallChannel]:
        async with ways(goodbye) as channel:
            yield SlowChannel(channel, has_come)

    return open_channel


async def paired(hall: Hall, players: int = 4) -> None:
    """A tournament whose first round is paired."""
    await hall.act("Ana", Opened("club", "Club", Format.SWISS, GAME))
    for number in range(players):
        await hall.act("Ana", Entered("club", Player(0, f"Player {number}")))
    await hall.act("Ana", RoundPaired("club", next_round(hall.keeper.book.of("club").tournament)))


async def move(hall: Hall, table: Table, station: str, text: str) -> None:
    """Make a move at *station* and wait until the hall shows it."""
    await until(lambda: table.pipeline.view.phase == "waiting", "the table is ready")
    ply = table.pipeline.view.ply
    source, target = table.pipeline.session.rules.grid.cells(text.replace("-", " "))
    table.do(Lift(source))
    table.do(Drop(target))
    await until(seat(hall, station, is_at(ply + 1)), f"{text} is shown")


def is_timed(state: StationState) -> bool:
    return bool(state.glance and any(clock.is_running for clock in state.glance.clocks))


async def answered(hall: Hall) -> None:
    await until(lambda: not hall.keeper.book.orders, "the boards have executed the orders")


def left(table: Table) -> list[int]:
    """The remaining times of the clocks of *table* in ms."""
    now_ms = table.current.clock()
    return [clock.at(now_ms).left_ms for clock in table.pipeline.view.clocks]


def kept(folder: Path, station: str) -> list[journals.Journal]:
    return [journals.read(path) for path in sorted((folder / station).glob("*.jsonl"))]


def test_seating_begins_new_games_whose_clocks_wait_for_the_arbiters_start(tmp_path: Path) -> None:
    async def running() -> None:
        async with hall_with_stations(tmp_path, "b1", "b2") as (hall, tables):
            before = {name: table.current for name, table in tables.items()}
            await paired(hall)
            assert await seat_all(hall, "Ana", "club", ["b1", "b2"]) == (2, [], [])
            await answered(hall)
            for name, table in tables.items():
                assert table.current is not before[name]
                assert left(table) == [FULL_MS, FULL_MS]
                assert table.pipeline.view.clock_start is ClockStart.MOVE
                await until(
                    seat(hall, name, lambda seat: bool(seat.glance and seat.glance.awaits_clock)),
                    "the desk shows that the clock waits",
                )
            await hall.order_all("Ana", ["b1", "b2"], Release(starts_clock=True), "")
            await answered(hall)
            for table in tables.values():
                running = [clock.is_running for clock in table.pipeline.view.clocks]
                assert running == [True, False], "the clock must run before the first move"
            await until(lambda: left(tables["b1"])[0] < FULL_MS, "it runs")
            await until(seat(hall, "b1", is_timed), "the hall knows that it runs")
            await decide(hall, "Ana", ResultDecided("club", 1, 1, (WIN, LOSS), is_forfeit=True))
            await answered(hall)
            assert [clock.is_running for clock in tables["b1"].pipeline.view.clocks] == [False, False]
            assert any(clock.is_running for clock in tables["b2"].pipeline.view.clocks)

    asyncio.run(running())


def test_a_move_starts_the_clock_of_its_station_and_costs_nothing(tmp_path: Path) -> None:
    async def running() -> None:
        async with hall_with_stations(tmp_path, "b1") as (hall, tables):
            await paired(hall, 2)
            assert await seat_all(hall, "Ana", "club", ["b1"]) == (1, [], [])
            await answered(hall)
            table = tables["b1"]
            await move(hall, table, "b1", "a1-b2")
            await until(lambda: any(clock.is_running for clock in table.pipeline.view.clocks), "a clock runs")
            assert [clock.is_running for clock in table.pipeline.view.clocks] == [False, True]
            assert left(table)[0] == FULL_MS + INCREMENT_MS
            assert table.pipeline.view.record[0].spent_ms == 0

    asyncio.run(running())


def test_a_casual_game_in_progress_is_asked_about_and_stays_a_casual_game(tmp_path: Path) -> None:
    async def running() -> None:
        async with hall_with_stations(tmp_path, "b1", "b2") as (hall, tables):
            await paired(hall)
            for text in ("a1-b2", "d8-d7"):
                await move(hall, tables["b1"], "b1", text)
            entries = len(hall.keeper.entries)
            with pytest.raises(GameUnderWay, match="at b1 a game is under way: confirm that it is left unf"):
                await hall.give("Ana", "club", 1, 1, "b1")
            assert len(hall.keeper.entries) == entries, "nothing has changed"
            assert await seat_all(hall, "Ana", "club", ["b1", "b2"]) == (1, ["b1"], [])
            await answered(hall)
            assert tables["b1"].pipeline.view.ply == 2
            assert await seat_all(hall, "Ana", "club", ["b1", "b2"], ["b1"]) == (2, [], [])
            await answered(hall)
            await until(seat(hall, "b1", is_at(0)), "the game of the round begins")
            assert left(tables["b1"]) == [FULL_MS, FULL_MS]
            seats = hall.keeper.book.of("club").tournament.pairing(1, 1).seated
            table = tables["b1"]
            await until(lambda: table.pipeline.view.phase == "waiting", "the pieces are set up")
            assert table.pipeline.lines == tuple(f"Player {number - 1}" for number in seats)
            await move(hall, tables["b1"], "b1", "a1-a3")
            assert not any(line.startswith("Player") for line in table.pipeline.lines)
            assert await seat_all(hall, "Ana", "club", ["b1", "b2"]) == (2, [], []), (
                "boards with these games must stay as they are"
            )
            assert tables["b1"].pipeline.view.ply == 1
            await hall.order("Ana", "b1", Resign(0))
            await until(lambda: bool(hall.keeper.book.of("club").reported), "the result is reported")
            assert hall.keeper.book.of("club").reported[1, 1].points == (LOSS, WIN)
            game = await asyncio.to_thread(game_at, hall, hall.keeper.book.of("club"), 1, 1)
            assert game is not None
            assert game.record.moves == ("a1-a3",)

    asyncio.run(running())
    casual, ours = kept(tmp_path, "b1")
    assert isinstance(casual.events[-1], GameAdjourned)
    (game,) = from_journal(casual)
    assert [move.rstrip("!") for move in game.record.moves] == ["a1-b2", "d8-d7"]
    assert game.record.result == "*"
    assert not casual.header.order
    assert ours.header.order


def test_a_casual_game_that_ends_before_the_seating_arrives_is_not_the_result(
    tmp_path: Path,
) -> None:
    async def running() -> None:
        station, has_come = Station(tmp_path, "b1"), asyncio.Event()
        async with hall_at(tmp_path, f"sqlite:///{tmp_path}/hall.sqlite") as hall:
            ways = orders_held(local_channel_opener(hall, station.folder), has_come)
            async with station.playing(ways, is_near=True):
                await until(seat(hall, "b1", is_ready), "b1 is ready")
                await paired(hall, 2)
                await move(hall, station.table, "b1", "a1-b2")
                await hall.give("Ana", "club", 1, 1, "b1", over_game=True)
                station.table.ask(Resign(1))
                await until(
                    seat(hall, "b1", lambda seat: bool(seat.glance and seat.glance.outcome)),
                    "the casual game ends",
                )
                await until(lambda: not hall.unsettled, "the hall has checked")
                assert not hall.keeper.book.of("club").reported
                has_come.set()
                await answered(hall)
                await until(seat(hall, "b1", is_at(0)), "the game of the round begins")
                await move(hall, station.table, "b1", "a1-b2")
                await hall.order("Ana", "b1", Resign(0))
                await until(lambda: bool(hall.keeper.book.of("club").reported), "the result is reported")
                assert hall.keeper.book.of("club").reported[1, 1].points == (LOSS, WIN)

    asyncio.run(running())


def test_a_restarted_hall_continues_with_the_seated_game_and_not_the_casual_one(
    tmp_path: Path,
) -> None:
    async def running() -> None:
        async with hall_with_stations(tmp_path, "b1") as (hall, tables):
            await paired(hall, 2)
            await move(hall, tables["b1"], "b1", "a1-b2")
            await hall.give("Ana", "club", 1, 1, "b1", over_game=True)
            await answered(hall)
        order = kept(tmp_path, "b1")[1].header.order
        unbegun = kept(tmp_path, "b1")[1].path
        lines = unbegun.read_bytes().split(b"\n")
        unbegun.write_bytes(lines[0] + b"\n")  # killed before the station was set up
        async with hall_with_stations(tmp_path, "b1") as (hall, tables):
            await until(seat(hall, "b1", is_at(0)), "the new game is shown")
            assert tables["b1"].current.order == order
            await move(hall, tables["b1"], "b1", "a1-a3")
            await hall.order("Ana", "b1", Resign(0))
            await until(lambda: bool(hall.keeper.book.of("club").reported), "the result is reported")
            assert hall.keeper.book.of("club").reported[1, 1].points == (LOSS, WIN)

    asyncio.run(running())


def test_a_start_names_its_stations_and_a_game_that_could_not_begin_is_known(tmp_path: Path) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            for station in ("red", "blue"):
                at.station(station)
            await paired(at.hall)
            assert (await at.ask("api/tournaments/club/seats", {"boards": ["red", "blue"]}))[0] == 200
            await (
                at.hall.settle_results()
            )  # the stations are compared with their tables: orders are under way

            def beginning() -> dict[str, bool]:
                shown = Pages(at.hall).arbiters()
                return {station: shown[f"board/{station}"]["is_beginning"] for station in ("red", "blue")}

            orders = {each.board: name for name, each in at.hall.keeper.book.orders.items()}
            assert beginning() == {"red": True, "blue": True}
            await at.hall.act("red", Obeyed("red", orders["red"]))
            assert beginning() == {"red": False, "blue": True}
            await at.hall.act("blue", Obeyed("blue", orders["blue"], "its panel is too small"))
            assert beginning() == {"red": False, "blue": True}

            start = {"command": {"is": "Release", "starts_clock": True}, "boards": ["red"]}
            assert await at.ask("api/orders/all", start) == (200, {"boards": 1})
            assert [each.board for each in at.hall.keeper.book.orders.values()] == ["red"]

    asyncio.run(running())


def test_the_start_of_all_clocks_starts_those_of_the_round_and_lets_the_others_go_on(tmp_path: Path) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            for station in ("red", "blue"):
                at.station(station)
            await paired(at.hall, 2)
            seating = {"round": 1, "table": 1, "board": "red"}
            assert (await at.ask("api/tournaments/club/boards", seating))[0] == 200
            before = set(at.hall.keeper.book.orders)
            start = {"command": {"is": "Release", "starts_clock": True}}
            assert await at.ask("api/orders/all", start) == (200, {"boards": 2})
            fresh = [each for name, each in at.hall.keeper.book.orders.items() if name not in before]
            assert {each.board: json.loads(each.command) for each in fresh} == {
                "red": {"is": "Release", "starts_clock": True},
                "blue": {"is": "Release"},
            }

    asyncio.run(running())
