# SPDX-License-Identifier: Apache-2.0
"""Orders from the hall are executed once despite crashes, or refused with a reason."""

from __future__ import annotations

import asyncio
import gc
from contextlib import AsyncExitStack
from pathlib import Path

from companion.host.hall.core.hall import Hall
from companion.host.hall.core.wire import Order
from companion.host.hall.stations.mqtt import channel_opener, read_url
from companion.host.journal import journal as journals
from companion.host.journal.journal import CommandEntry
from companion.host.text.error_translation import translate
from companion.referee.values.commands import AdjustClock, Pause, Resign
from companion.referee.values.events import ClockAdjusted
from companion.tournament.acts import Obeyed
from tests.brokers import mosquitto
from tests.host.hall.halls import (
    Station,
    hall_at,
    until,
)


def test_an_order_is_executed_once_although_the_station_dies_before_its_answer(
    tmp_path: Path, store: str
) -> None:
    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            async with red.at(hall):
                await red.play("a1-b2")
                name = await hall.order("Arbiter", "red", Pause(), "lights out")
                await until(lambda: not hall.keeper.book.orders, "the answer is in the book")
                assert red.table.pipeline.view.phase == "paused"
            hall.hub.order("red", Order(name, Pause(), "Arbiter"))  # as if the answer were lost
            async with red.at(hall):
                await until(
                    lambda: not hall.hub.is_open("red", name), "the order is answered from the journal"
                )
                assert red.table.pipeline.view.phase != "paused"
            orders = [
                entry.order
                for path in red.folder.glob("*.jsonl")
                for entry in journals.read(path).entries
                if isinstance(entry, CommandEntry)
            ]
            assert orders == [name]

    asyncio.run(scenario())


def test_orders_through_a_broker_are_executed_once_despite_crashes(tmp_path: Path, store: str) -> None:
    """The broker is killed with orders in transit, then the hall, then the station.

    The station dies before its answer is in the book.
    """

    async def scenario() -> None:
        red = Station(tmp_path, "red", "10")
        async with AsyncExitStack() as stack:
            broker = await stack.enter_async_context(mosquitto(tmp_path))
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            open_channel = channel_opener(read_url(url), is_open=True)
            async with red.playing(open_channel):
                async with hall_at(tmp_path, store, url) as hall:
                    await until(lambda: "red" in hall.hub.station_states.known, "the board is connected")
                    await until(lambda: red.table.pipeline.view.phase == "waiting", "the game has begun")
                    await hall.order("Arbiter", "red", AdjustClock(0, 1_000))
                    broker.kill()
                    await hall.order("Arbiter", "red", AdjustClock(0, 20_000))
                await broker.start()
                async with hall_at(tmp_path, store, url) as hall:
                    await until(lambda: not hall.keeper.book.orders, "both orders are answered")
                    await hall.order("Arbiter", "red", AdjustClock(0, 300_000))
                    await until(lambda: _given(red) >= {300_000}, "the third order is executed")
            async with red.playing(open_channel), hall_at(tmp_path, store, url) as hall:
                await until(lambda: not hall.keeper.book.orders, "the third order is answered")
        assert sorted(_adjustments(red)) == [1_000, 20_000, 300_000]

    asyncio.run(scenario())
    gc.collect()  # sockets that the client leaked warn here


def _adjustments(station: Station) -> list[int]:
    """The adjustments of the clocks in the journals."""
    return [
        entry.by_ms
        for path in station.folder.glob("*.jsonl")
        for entry in journals.read(path).entries
        if isinstance(entry, ClockAdjusted)
    ]


def _faults(hall: Hall) -> list[str]:
    return [entry.act.fault for entry in hall.keeper.entries if isinstance(entry.act, Obeyed)]


def _given(station: Station) -> set[int]:
    return set(_adjustments(station))


def test_an_impossible_order_is_answered_with_the_reason_even_if_the_answer_was_lost(
    tmp_path: Path, store: str
) -> None:
    reason = "no time is kept at this table"

    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            async with red.at(hall):
                name = await hall.order("Arbiter", "red", AdjustClock(0, 60_000), "the clock was off")
                await until(lambda: _faults(hall) == [reason], "the answer is in the book")
            hall.hub.order("red", Order(name, AdjustClock(0, 60_000), "Arbiter"))
            async with red.at(hall):
                await until(
                    lambda: not hall.hub.is_open("red", name), "the order is answered from the journal"
                )
                assert set(_faults(hall)) == {reason}
        async with hall_at(tmp_path, store) as hall:
            assert {translate(fault, "de") for fault in _faults(hall)} == {"An diesem Tisch läuft keine Uhr"}

    asyncio.run(scenario())


def test_an_order_holds_only_for_the_game_in_progress_when_it_was_given(tmp_path: Path, store: str) -> None:
    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            async with red.at(hall):
                await until(lambda: bool(hall.hub.moment_of("red")[0]), "the board is connected")
            await hall.order("Arbiter", "red", Resign(0))
        async with hall_at(tmp_path, store) as hall, red.at(hall):  # another game, in another journal
            await until(lambda: not hall.keeper.book.orders, "the order is answered")
            assert _faults(hall) == ["the game that was meant is played no more"]
            await hall.order("Arbiter", "red", Resign(0))
            await until(lambda: not hall.keeper.book.orders, "this order is answered, too")
            assert _faults(hall)[1:] == [""]

    asyncio.run(scenario())


def test_an_order_waits_for_an_absent_station_even_through_a_restart_of_the_hall(
    tmp_path: Path, store: str
) -> None:
    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            await hall.order("Arbiter", "red", Resign(0))
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await until(lambda: not hall.keeper.book.orders, "the order is answered")

    asyncio.run(scenario())
