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

from companion.host.hall.boards.mqtt import channel_opener, read_url
from companion.host.hall.book_lock import BookLock, held
from companion.host.hall.core.board_states import Urgency
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.lock_check import stay_alone
from companion.host.hall.core.wire import Down, Up
from companion.host.hall.views import Pages
from companion.host.journal.journal import JournalWriter
from companion.host.records.database import connect
from companion.host.retry import Intervals
from companion.host.virtual_table.hands import SetRight
from companion.model.errors import HallUnreachable, StoreError
from companion.referee.commands import Correct, NewGame, Resign
from companion.tournament.acts import Entered, Noted, Opened, PlayedOn, ResultDecided, RoundPaired
from companion.tournament.book import Running
from companion.tournament.pairing import next_round
from companion.tournament.ties import standings
from companion.tournament.values import DRAW, LOSS, WIN, Format, Player
from tests.brokers import mosquitto
from tests.databases import Postgres, disk
from tests.host.hall.evenings import (
    CLOCK,
    PATIENCE_S,
    Board,
    beginnings,
    copies,
    copy_of,
    forgive_the_client,
    hall_at,
    two_players,
    until,
)
from tests.host.tables import GAME, WHOLE_GAME


def all_told(hall: Hall, board: Board) -> bool:
    """True if the hall knows the whole journal of *board*, of which nothing is still to be written."""
    copied, (journal,) = copy_of(hall, board.name), board.journals().items()
    return copied is not None and (copied[0].name, copied[1]) == journal


def test_a_game_at_a_board_of_this_program_becomes_a_result_that_the_arbiter_confirms(
    tmp_path: Path, store: str
) -> None:
    async def evening() -> None:
        board = Board(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            await two_players(hall)
            async with board.at(hall):
                await board.play(WHOLE_GAME)

                def running(key: str) -> Running:
                    return hall.keeper.book.of(key)

                await until(lambda: (1, 1) in running("club").reported, "the result is told")
                told = running("club").reported[1, 1]
                assert (told.points, told.reason) == ((LOSS, WIN), "sword-eliminated")
                await until(lambda: bool(Pages(hall).arbiters()["alarms"]), "the board shows the result")
                (alarm,) = Pages(hall).arbiters()["alarms"]
                assert (alarm["board"], alarm["kind"]) == ("red", "result")
                await hall.act("Arbiter", ResultDecided("club", 1, 1, told.points))
                assert not Pages(hall).arbiters()["alarms"], "nobody need go there any more"
                await hall.act("Arbiter", ResultDecided("club", 1, 1, None))
                assert [each["kind"] for each in Pages(hall).arbiters()["alarms"]] == ["result"]
                await hall.act("Arbiter", ResultDecided("club", 1, 1, told.points))
                first = running("club").tournament.round(1).pairings[0].players[1]
                assert standings(running("club").tournament)[0].player.number == first
                seat = hall.hub.board_states.known["red"]
                assert seat.glance is not None
                assert seat.glance.result == "The weapons win: the Sword is eliminated."
                await until(
                    lambda: hall.spectators.glances.shown["red"] == hall.hub.board_states.known["red"].glance,
                    "spectators see it, too",
                )
                await until(lambda: all_told(hall, board), "the hall knows all of the journal")
            await until(lambda: hall.hub.board_states.known["red"].is_gone, "it is missed")
            assert all_told(hall, board)

    asyncio.run(evening())
    assert not copies(tmp_path, "red"), "the hall reads the journal where it is"


def test_broker_and_hall_die_in_mid_game_and_no_move_is_lost_or_doubled(
    tmp_path: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    moves = WHOLE_GAME.split()

    async def evening() -> None:
        red, blue = Board(tmp_path, "red"), Board(tmp_path, "blue")
        async with AsyncExitStack() as stack:
            broker = await stack.enter_async_context(mosquitto(tmp_path))
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            for board in (red, blue):
                await stack.enter_async_context(board.playing(channel_opener(read_url(url), is_open=True)))
            async with hall_at(tmp_path, store, url) as hall:
                await two_players(hall)
                await asyncio.gather(red.play(moves[0]), blue.play(moves[0]))
                await until(lambda: bool(copies(tmp_path, "red")), "the first move is copied")
                broker.kill()
                await asyncio.gather(red.play(moves[1]), blue.play(moves[1]))  # nobody waits for the hall
                await until(lambda: bool(red.branch.fault), "the board knows that it is alone")
                await until(lambda: bool(hall.faults["broker"]), "so does the hall")
                await broker.start()
                await until(lambda: not hall.faults["broker"], "it is not alone any more")
                await until(
                    lambda: moves[1].encode() in b"".join(copies(tmp_path, "red").values()),
                    "what was played meanwhile is copied",
                )
            await asyncio.gather(red.play(" ".join(moves[2:])), blue.play(" ".join(moves[2:])))
            async with hall_at(tmp_path, store, url) as hall:
                await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is told")
                assert hall.keeper.book.of("club").reported[1, 1].points == (LOSS, WIN)
                for board in (red, blue):
                    ended = board.table.current.journal.safe_bytes
                    name = board.table.current.journal.path.name
                    await until(
                        lambda board=board, name=name, ended=ended: (  # type: ignore[misc]
                            len(copies(tmp_path, board.name).get(name, b"")) >= ended
                        ),
                        "all is copied",
                    )
                    assert beginnings(tmp_path, board)
                    assert board.announced() == [move.move for move in board.table.pipeline.view.record]

    asyncio.run(evening())
    forgive_the_client(caplog)


def test_a_game_that_is_played_on_changes_the_sides_and_its_result_is_told_for_the_right_player(
    tmp_path: Path, store: str
) -> None:
    async def evening() -> None:
        red = Board(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await hall.act("Arbiter", Opened("cup", "Cup", Format.KNOCKOUT, GAME))
            for name in ("Ana", "Ben"):
                await hall.act("Arbiter", Entered("cup", Player(0, name)))
            await hall.act("Arbiter", RoundPaired("cup", next_round(hall.keeper.book.of("cup").tournament)))
            await hall.give("Arbiter", "cup", 1, 1, "red")
            await until(lambda: not hall.keeper.book.orders, "the game of the table is set out")
            await red.play(WHOLE_GAME)
            await until(lambda: bool(hall.keeper.book.of("cup").reported), "the result is told")
            await hall.act("Arbiter", ResultDecided("cup", 1, 1, (DRAW, DRAW), note="both agreed"))
            await hall.play_on("Arbiter", PlayedOn("cup", 1, 1))
            assert not hall.keeper.book.of("cup").reported
            await hall.order("Arbiter", "red", NewGame())
            await until(lambda: not hall.keeper.book.orders, "it is set up again")
            red.table.do(SetRight())
            await red.play("a1-b2")
            await hall.order("Arbiter", "red", Resign(1))
            await until(lambda: bool(hall.keeper.book.of("cup").reported), "the second result is told")
            told = hall.keeper.book.of("cup").reported[1, 1].points
            assert told == (LOSS, WIN), "who began has won now, and that was the other"

    asyncio.run(evening())


def test_a_result_that_an_arbiter_takes_off_the_record_is_told_anew_when_the_game_ends_again(
    tmp_path: Path, store: str
) -> None:
    async def evening() -> None:
        red = Board(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await two_players(hall)
            await red.play("a1-b2")
            await hall.order("Arbiter", "red", Resign(0))

            def told() -> tuple[int, ...]:
                found = hall.keeper.book.of("club").reported.get((1, 1))
                return found.points if found else ()

            await until(lambda: told() == (LOSS, WIN), "the result is told")
            await hall.order("Arbiter", "red", Correct(1), "she never resigned")
            await until(lambda: red.table.pipeline.view.phase == "waiting", "the game goes on")
            await hall.order("Arbiter", "red", Resign(1))
            await until(lambda: told() == (WIN, LOSS), "the other result is told")
            before = list(hall.keeper.entries)
        async with hall_at(tmp_path, store) as hall:
            hall.homes["red"] = red.folder
            await until(lambda: not hall.unsettled, "it has looked")
            assert hall.keeper.entries == before, "nothing is told twice, whoever is started again"

    asyncio.run(evening())


def test_a_board_that_is_put_away_ends_although_its_way_cannot_be_closed(tmp_path: Path) -> None:
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
            raise HallUnreachable("the broker did not say goodbye")

    async def evening() -> None:
        async with Board(tmp_path, "red").playing(open_channel):
            await opened.wait()

    asyncio.run(asyncio.wait_for(evening(), PATIENCE_S))


def test_a_game_that_ends_while_the_database_is_gone_is_in_the_book_when_it_is_back(
    tmp_path: Path, server: Postgres, *, is_long: bool
) -> None:
    url = server.fresh()

    async def evening(holding: BookLock) -> None:
        red = Board(tmp_path, "red")
        async with hall_at(tmp_path, url) as hall:
            await two_players(hall)
            keeping = asyncio.create_task(stay_alone(hall, holding, Intervals(book_lock_s=0.05)))
            async with red.at(hall):
                await gone(hall, red)
            await until(lambda: not hall.faults["book"], "the book is ours again")
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def gone(hall: Hall, red: Board) -> None:
        await asyncio.to_thread(server.stop)
        try:
            with pytest.raises(StoreError, match="cannot be used"):
                await hall.act("Arbiter", Noted("dark here"))
            await red.play(WHOLE_GAME)
            await until(lambda: "red" in hall.unsettled, "the hall has the end of the game")
            for fault in ("store", "book"):
                await until(lambda fault=fault: bool(hall.faults.get(fault)), "the desk is told")  # type: ignore[misc]
            assert not hall.keeper.book.of("club").reported
            await asyncio.sleep(60 if is_long else 0)
        finally:
            await asyncio.to_thread(server.start)
        await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is told")
        await until(lambda: not hall.faults["store"], "the desk is relieved")
        kinds = [type(entry.act).__name__ for entry in hall.keeper.entries]
        assert kinds.count("ResultTold") == 1
        assert "Noted" not in kinds

    engine = connect(url)
    with held(engine) as holding:
        asyncio.run(evening(holding))
    engine.dispose()


def test_on_a_full_disk_the_book_says_so_play_goes_on_and_it_catches_up_when_there_is_room(
    tmp_path: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def fill(hall: Hall) -> None:
        for number in range(200):
            await hall.act("Arbiter", Noted(f"remark {number}"))

    async def evening() -> None:
        red = Board(tmp_path, "red")
        with disk() as store_on:
            async with hall_at(tmp_path, store) as hall, red.at(hall):
                await two_players(hall)
                store_on.is_full = True
                with pytest.raises(StoreError, match="disk is full"):
                    await fill(hall)
                before = list(hall.keeper.entries)
                await red.play("a1-b2")
                red.table.ask(Resign(0))
                await until(lambda: bool(hall.faults.get("store")), "it is known")
                (said,) = Pages(hall).arbiters()["faults"]
                assert "disk is full" in said["text"]
                assert said["said"]["hr"].endswith("baza podataka ili disk je pun")
                assert red.table.pipeline.view.outcome is not None, "the players know"
                assert hall.keeper.entries == before
                store_on.is_full = False
                await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is told")
                await until(lambda: not Pages(hall).arbiters()["faults"], "nothing is missing any more")
                after = list(hall.keeper.entries)
        async with hall_at(tmp_path, store) as hall:
            assert hall.keeper.entries == after
            assert after[: len(before)] == before
            assert [entry.number for entry in after] == list(range(1, len(after) + 1))

    asyncio.run(evening())
    warned = [record.getMessage() for record in caplog.records if "disk is full" in record.getMessage()]
    assert len(warned) == 1, "said once, not at every look"


def test_a_board_whose_disk_is_full_says_so_in_every_language_and_answers_orders_when_there_is_room(
    tmp_path: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def evening() -> None:
        red = Board(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await until(lambda: red.table.pipeline.view.phase == "waiting", "the game is on")
            full = JournalWriter(Path("/dev/full"), open("/dev/full", "wb", buffering=0))  # noqa: SIM115, ASYNC230
            red.table.current = replace(red.table.current, journal=full)
            red.table.pipeline.keep = full.write
            await red.play("a1-b2")
            await until(lambda: bool(hall.hub.board_states.alarms(CLOCK())), "the desk is told")
            (alarm,) = hall.hub.board_states.alarms(CLOCK())
            assert (alarm.kind, alarm.urgency) == ("sensor", Urgency.GO)
            assert dict(alarm.said)["hr"] == "Disk ne prima partiju: ona se nastavlja, ali se ne čuva"
            order = await hall.order("Arbiter", "red", Resign(0))
            await until(
                lambda: bool(getattr(hall.spectators.glances.newest("red"), "outcome", None)),
                "all see what was done",
            )
            assert hall.hub.is_open("red", order), "lost with the memory, it would have to come again"
            with io.FileIO(tmp_path / "room.jsonl", "xb") as room:
                os.dup2(room.fileno(), full.fileno())
            await until(lambda: not hall.hub.is_open("red", order), "it is answered when it is safe")
            full.close()
            assert f'"order":"{order}"' in (tmp_path / "room.jsonl").read_text("utf-8")

    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    asyncio.run(evening())
    caplog.clear()
