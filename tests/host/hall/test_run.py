# SPDX-License-Identifier: Apache-2.0
"""Real tables with virtual pieces, a real broker, and a hall.

Each of them is killed and returns.
"""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from companion.host.hall.book_lock import BookLock, held
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.lock_check import stay_alone
from companion.host.hall.core.station_states import Urgency
from companion.host.hall.core.wire import Down, Up
from companion.host.hall.stations.mqtt import channel_opener, read_url
from companion.host.hall.views import Pages
from companion.host.journal.journal import JournalWriter
from companion.host.records.database import connect
from companion.host.retry import Intervals
from companion.host.virtual_table.hands import SetRight
from companion.model.errors import HallUnreachable, StoreError
from companion.referee.values.commands import Correct, NewGame, Resign
from companion.tournament.acts import Entered, Noted, Opened, PlayedOn, ResultDecided, RoundPaired
from companion.tournament.book import Running
from companion.tournament.pairing import next_round
from companion.tournament.ties import standings
from companion.tournament.values import DRAW, LOSS, WIN, Format, Player
from tests.brokers import mosquitto
from tests.databases import Postgres, disk
from tests.host.hall.halls import (
    CLOCK,
    PATIENCE_S,
    Station,
    beginnings,
    copies,
    copy_of,
    hall_at,
    two_players,
    until,
)
from tests.host.tables import GAME, WHOLE_GAME


def has_whole_journal(hall: Hall, station: Station) -> bool:
    """True if the hall has the whole journal of *station* and nothing is unwritten."""
    copied, (journal,) = copy_of(hall, station.name), station.journals().items()
    return copied is not None and (copied[0].name, copied[1]) == journal


def test_a_game_at_a_local_station_becomes_a_result_that_the_arbiter_confirms(
    tmp_path: Path, store: str
) -> None:
    async def scenario() -> None:
        station = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            await two_players(hall)
            async with station.at(hall):
                await station.play(WHOLE_GAME)

                def running(key: str) -> Running:
                    return hall.keeper.book.of(key)

                await until(lambda: (1, 1) in running("club").reported, "the result is reported")
                told = running("club").reported[1, 1]
                assert (told.points, told.reason) == ((LOSS, WIN), "sword-eliminated")
                await until(lambda: bool(Pages(hall).arbiters()["alarms"]), "the board shows the result")
                (alarm,) = Pages(hall).arbiters()["alarms"]
                assert (alarm["board"], alarm["kind"]) == ("red", "result")
                await hall.act("Arbiter", ResultDecided("club", 1, 1, told.points))
                assert not Pages(hall).arbiters()["alarms"], "the alarm must be gone"
                await hall.act("Arbiter", ResultDecided("club", 1, 1, None))
                assert [each["kind"] for each in Pages(hall).arbiters()["alarms"]] == ["result"]
                await hall.act("Arbiter", ResultDecided("club", 1, 1, told.points))
                first = running("club").tournament.round(1).pairings[0].players[1]
                assert standings(running("club").tournament)[0].player.number == first
                seat = hall.hub.station_states.known["red"]
                assert seat.glance is not None
                assert seat.glance.result == "The weapons win: the Sword is eliminated."
                await until(
                    lambda: (
                        hall.spectators.glances.shown["red"] == hall.hub.station_states.known["red"].glance
                    ),
                    "spectators see the result",
                )
                await until(lambda: has_whole_journal(hall, station), "the hall has the whole journal")
            await until(lambda: hall.hub.station_states.known["red"].is_gone, "the board is missing")
            assert has_whole_journal(hall, station)

    asyncio.run(scenario())
    assert not copies(tmp_path, "red"), "a local journal must not be copied"


def test_no_move_is_lost_or_repeated_when_broker_and_hall_die_in_mid_game(tmp_path: Path, store: str) -> None:
    moves = WHOLE_GAME.split()

    async def scenario() -> None:
        red, blue = Station(tmp_path, "red"), Station(tmp_path, "blue")
        async with AsyncExitStack() as stack:
            broker = await stack.enter_async_context(mosquitto(tmp_path))
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            for station in (red, blue):
                await stack.enter_async_context(station.playing(channel_opener(read_url(url), is_open=True)))
            async with hall_at(tmp_path, store, url) as hall:
                await two_players(hall)
                await asyncio.gather(red.play(moves[0]), blue.play(moves[0]))
                await until(lambda: bool(copies(tmp_path, "red")), "the first move is copied")
                broker.kill()
                await asyncio.gather(red.play(moves[1]), blue.play(moves[1]))  # play goes on without the hall
                await until(lambda: bool(red.branch.fault), "the board reports the fault")
                await until(lambda: bool(hall.faults["broker"]), "the hall reports the fault")
                await broker.start()
                await until(lambda: not hall.faults["broker"], "the hall is connected again")
                await until(
                    lambda: moves[1].encode() in b"".join(copies(tmp_path, "red").values()),
                    "the moves since then are copied",
                )
            await asyncio.gather(red.play(" ".join(moves[2:])), blue.play(" ".join(moves[2:])))
            async with hall_at(tmp_path, store, url) as hall:
                await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is reported")
                assert hall.keeper.book.of("club").reported[1, 1].points == (LOSS, WIN)
                for station in (red, blue):
                    ended = station.table.current.journal.safe_bytes
                    name = station.table.current.journal.path.name
                    await until(
                        lambda station=station, name=name, ended=ended: (  # type: ignore[misc]
                            len(copies(tmp_path, station.name).get(name, b"")) >= ended
                        ),
                        "the whole journal is copied",
                    )
                    assert beginnings(tmp_path, station)
                    assert station.announced() == [move.move for move in station.table.pipeline.view.record]

    asyncio.run(scenario())


@pytest.mark.long
def test_a_further_game_of_a_pairing_changes_sides_and_credits_the_right_player(
    tmp_path: Path, store: str
) -> None:
    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await hall.act("Arbiter", Opened("cup", "Cup", Format.KNOCKOUT, GAME))
            for name in ("Ana", "Ben"):
                await hall.act("Arbiter", Entered("cup", Player(0, name)))
            await hall.act("Arbiter", RoundPaired("cup", next_round(hall.keeper.book.of("cup").tournament)))
            await hall.give("Arbiter", "cup", 1, 1, "red")
            await until(lambda: not hall.keeper.book.orders, "the game of the table is set up")
            await red.play(WHOLE_GAME)
            await until(lambda: bool(hall.keeper.book.of("cup").reported), "the result is reported")
            await hall.act("Arbiter", ResultDecided("cup", 1, 1, (DRAW, DRAW), note="both agreed"))
            await hall.play_on("Arbiter", PlayedOn("cup", 1, 1))
            assert not hall.keeper.book.of("cup").reported
            await hall.order("Arbiter", "red", NewGame())
            await until(lambda: not hall.keeper.book.orders, "the game is set up again")
            red.table.do(SetRight())
            await red.play("a1-b2")
            await hall.order("Arbiter", "red", Resign(1))
            await until(lambda: bool(hall.keeper.book.of("cup").reported), "the second result is reported")
            told = hall.keeper.book.of("cup").reported[1, 1].points
            assert told == (LOSS, WIN), "the sides have changed, so the second player wins"

    asyncio.run(scenario())


def test_a_retracted_result_is_reported_again_when_the_game_ends_again(tmp_path: Path, store: str) -> None:
    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await two_players(hall)
            await red.play("a1-b2")
            await hall.order("Arbiter", "red", Resign(0))

            def told() -> tuple[int, ...]:
                found = hall.keeper.book.of("club").reported.get((1, 1))
                return found.points if found else ()

            await until(lambda: told() == (LOSS, WIN), "the result is reported")
            await hall.order("Arbiter", "red", Correct(1), "she never resigned")
            await until(lambda: red.table.pipeline.view.phase == "waiting", "the game goes on")
            await hall.order("Arbiter", "red", Resign(1))
            await until(lambda: told() == (WIN, LOSS), "the other result is reported")
            before = list(hall.keeper.entries)
        async with hall_at(tmp_path, store) as hall:
            hall.homes["red"] = red.folder
            await until(lambda: not hall.unsettled, "the hall has checked")
            assert hall.keeper.entries == before, "a restart must not report a result twice"

    asyncio.run(scenario())


def test_a_station_can_be_closed_although_its_connection_cannot(tmp_path: Path) -> None:
    opened = asyncio.Event()

    class Endless:
        async def send(self, _message: Up) -> None:
            opened.set()

        async def receive(self) -> Down:
            await asyncio.Event().wait()
            raise AssertionError

    @asynccontextmanager
    async def open_channel(_goodbye: Up) -> AsyncIterator[Endless]:
        try:
            yield Endless()
        finally:
            raise HallUnreachable("the broker did not answer the disconnect")

    async def scenario() -> None:
        async with Station(tmp_path, "red").playing(open_channel):
            await opened.wait()

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_S))


@pytest.mark.long
def test_a_game_that_ends_without_the_database_is_in_the_book_when_it_is_back(
    tmp_path: Path, server: Postgres, *, is_long: bool
) -> None:
    url = server.fresh()

    async def scenario(lock: BookLock) -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, url) as hall:
            await two_players(hall)
            keeping = asyncio.create_task(stay_alone(hall, lock, Intervals(book_lock_s=0.05)))
            async with red.at(hall):
                await gone(hall, red)
            await until(lambda: not hall.faults["book"], "the hall holds the book again")
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def gone(hall: Hall, red: Station) -> None:
        await asyncio.to_thread(server.stop)
        try:
            with pytest.raises(StoreError, match="cannot be used"):
                await hall.act("Arbiter", Noted("dark here"))
            await red.play(WHOLE_GAME)
            await until(lambda: "red" in hall.unsettled, "the hall has read the end of the game")
            for fault in ("store", "book"):
                await until(lambda fault=fault: bool(hall.faults.get(fault)), "the desk shows the fault")  # type: ignore[misc]
            assert not hall.keeper.book.of("club").reported
            await asyncio.sleep(60 if is_long else 0)
        finally:
            await asyncio.to_thread(server.start)
        await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is reported")
        await until(lambda: not hall.faults["store"], "the fault is gone")
        kinds = [type(entry.act).__name__ for entry in hall.keeper.entries]
        assert kinds.count("ResultReported") == 1
        assert "Noted" not in kinds

    db = connect(url)
    with held(db) as lock:
        asyncio.run(scenario(lock))
    db.close()


def test_a_book_on_a_full_disk_is_reported_and_catches_up_when_there_is_room(
    tmp_path: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def fill(hall: Hall) -> None:
        for number in range(200):
            await hall.act("Arbiter", Noted(f"remark {number}"))

    async def scenario() -> None:
        red = Station(tmp_path, "red")
        with disk() as store_on:
            async with hall_at(tmp_path, store) as hall, red.at(hall):
                await two_players(hall)
                store_on.is_full = True
                with pytest.raises(StoreError, match="disk is full"):
                    await fill(hall)
                before = list(hall.keeper.entries)
                await red.play("a1-b2")
                red.table.ask(Resign(0))
                await until(lambda: bool(hall.faults.get("store")), "the fault is reported")
                (said,) = Pages(hall).arbiters()["faults"]
                assert "disk is full" in said["text"]
                assert said["said"]["hr"].endswith("baza podataka ili disk je pun")
                assert red.table.pipeline.view.outcome is not None, "the game has ended"
                assert hall.keeper.entries == before
                store_on.is_full = False
                await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is reported")
                await until(lambda: not Pages(hall).arbiters()["faults"], "no fault is left")
                after = list(hall.keeper.entries)
        async with hall_at(tmp_path, store) as hall:
            assert hall.keeper.entries == after
            assert after[: len(before)] == before
            assert [entry.number for entry in after] == list(range(1, len(after) + 1))

    asyncio.run(scenario())
    warned = [record.getMessage() for record in caplog.records if "disk is full" in record.getMessage()]
    assert len(warned) == 1, "the fault must be logged once, not at every check"


def test_a_station_with_a_full_disk_reports_it_in_every_language_and_answers_orders_later(
    tmp_path: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await until(lambda: red.table.pipeline.view.phase == "waiting", "the game has begun")
            full = JournalWriter(Path("/dev/full"), open("/dev/full", "wb", buffering=0))  # noqa: SIM115, ASYNC230
            red.table.current = replace(red.table.current, journal=full)
            red.table.pipeline.keep = full.write
            await red.play("a1-b2")
            await until(lambda: bool(hall.hub.station_states.alarms(CLOCK())), "the desk shows the fault")
            (alarm,) = hall.hub.station_states.alarms(CLOCK())
            assert (alarm.kind, alarm.urgency) == ("sensor", Urgency.GO)
            assert dict(alarm.said)["hr"] == "Disk ne prima partiju: ona se nastavlja, ali se ne čuva"
            order = await hall.order("Arbiter", "red", Resign(0))
            await until(
                lambda: bool(getattr(hall.spectators.glances.newest("red"), "outcome", None)),
                "the order is executed",
            )
            assert hall.hub.is_open("red", order), "an unwritten answer must leave the order open"
            with io.FileIO(tmp_path / "room.jsonl", "xb") as room:
                os.dup2(room.fileno(), full.fileno())
            await until(
                lambda: not hall.hub.is_open("red", order), "the order is answered once it is on disk"
            )
            full.close()
            assert f'"order":"{order}"' in (tmp_path / "room.jsonl").read_text("utf-8")

    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    asyncio.run(scenario())
    caplog.clear()
