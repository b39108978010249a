# SPDX-License-Identifier: Apache-2.0
"""An evening: real tables with virtual wood, a real broker, and a hall; each of them dies and comes back."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host import journal as journals
from companion.host.clock import monotonic
from companion.host.database import connect
from companion.host.hall.attending import attend, local_ways
from companion.host.hall.books import BookKeeper
from companion.host.hall.branch import Branch, Identity, OpenWay, orders_in
from companion.host.hall.hall import Hall
from companion.host.hall.mqtt import board_ways, read_url
from companion.host.hall.wire import Down, Order, Up
from companion.host.hands import Drop, Lift, SetRight
from companion.host.journal import Asked, JournalWriter
from companion.host.play import make_table
from companion.host.table import Table
from companion.model.errors import HallUnreachable, StoreError
from companion.referee.commands import AdjustClock, Correct, NewGame, Pause, Resign
from companion.referee.controls import read_control
from companion.referee.events import ClockAdjusted, Stage
from companion.referee.session import Session
from companion.tournament.book import (
    Entered,
    Noted,
    Obeyed,
    Opened,
    PlayedOn,
    ResultDecided,
    RoundPaired,
    Running,
)
from companion.tournament.pairing import next_round
from companion.tournament.ties import standings
from companion.tournament.values import DRAW, LOSS, WIN, Format, Player
from tests.brokers import mosquitto
from tests.databases import Postgres
from tests.host.tables import GAME, HEADER, WHOLE_GAME

CLOCK = monotonic()
PATIENCE_S = 20


async def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for *holds*: several programs change it, none of which knows who waits."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - what it waits for happens in other programs, which tell nobody
            await asyncio.sleep(0.01)
    assert holds(), what


class Board:
    """A table at play, with its branch."""

    def __init__(self, folder: Path, name: str, control: str = "none") -> None:
        self.control = read_control(control, 2)
        self.folder = folder / name
        self.name = name
        self.starts = 0

    @asynccontextmanager
    async def playing(self, ways: OpenWay, *, is_near: bool = False) -> AsyncIterator[Board]:
        self.starts += 1
        game = games.find(GAME)
        rules = game.rules()
        path = self.folder / f"2026-11-21_20-00-{self.starts:02}_{GAME}.jsonl"
        done = orders_in(self.folder.glob("*.jsonl"))
        with JournalWriter.create(path, HEADER) as writer:
            words = load("en", GAME, rules.sides)
            self.table: Table = make_table(
                None, game, Session(rules, control=self.control), words, writer, CLOCK
            )
            identity = Identity(self.name, f"{self.name}-{self.starts}", self.name.title())
            self.branch = Branch(self.table, identity, ways, CLOCK, done, is_near=is_near)
            tasks = [asyncio.create_task(self.table.run()), asyncio.create_task(self.branch.run())]
            try:
                yield self
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    def at(self, hall: Hall) -> AbstractAsyncContextManager[Board]:
        """At play on the machine of *hall*."""
        return self.playing(local_ways(hall, self.folder), is_near=True)

    def announced(self) -> list[str]:
        return [move.move for move in self.table.chain.view.record if move.stage is not Stage.PROVISIONAL]

    async def play(self, moves: str) -> None:
        """Carry along *moves*, each when the last one is announced."""
        cells = self.table.chain.session.rules.grid.cells
        await until(lambda: self.table.chain.view.phase == "waiting", "the table is ready")
        for move in moves.split():
            before = len(self.announced())
            source, target = cells(move.replace("-", " "))
            self.table.do(Lift(source))
            self.table.do(Drop(target))
            await until(lambda before=before: len(self.announced()) > before, f"{move} is announced")  # type: ignore[misc]

    def journals(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.glob("*.jsonl")}


@asynccontextmanager
async def hall_at(folder: Path, url: str, broker: str | None = None) -> AsyncIterator[Hall]:
    """A hall that runs meanwhile, and dies without a word."""
    engine = connect(url)
    hall = Hall(BookKeeper(engine), folder / "copies", CLOCK, lambda: "2026-11-21T19:00:00Z")
    tasks = [asyncio.create_task(hall.run())]
    if broker is not None:
        tasks.append(asyncio.create_task(attend(hall, read_url(broker))))
    try:
        yield hall
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        engine.dispose()


def copies(folder: Path, board: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "copies" / board).glob("*.jsonl")}


def beginnings(folder: Path, board: Board) -> bool:
    """True if every copy is the beginning of its journal."""
    return all(board.journals()[name].startswith(copy) for name, copy in copies(folder, board.name).items())


async def two_players(hall: Hall) -> None:
    """Ana and Ben are paired at the board `red`."""
    await hall.act("Arbiter", Opened("club", "Club evening", Format.SWISS, GAME))
    for name in ("Ana", "Ben"):
        await hall.act("Arbiter", Entered("club", Player(0, name)))
    await hall.act("Arbiter", RoundPaired("club", next_round(hall.keeper.book.of("club").tournament)))
    await hall.give("Arbiter", "club", 1, 1, "red")


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/hall.sqlite"


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

                await until(lambda: (1, 1) in running("club").told, "the result is told")
                told = running("club").told[1, 1]
                assert (told.points, told.reason) == ((LOSS, WIN), "sword-eliminated")
                await hall.act("Arbiter", ResultDecided("club", 1, 1, told.points))
                first = running("club").tournament.round(1).pairings[0].players[1]
                assert standings(running("club").tournament)[0].player.number == first
                seat = hall.hub.seats.known["red"]
                assert seat.glance is not None
                assert seat.glance.result == "The weapons win: the Sword is eliminated."
                assert hall.feed.shown["red"] == seat.glance
            await until(lambda: hall.hub.seats.known["red"].is_gone, "it is missed")
            copied = hall.copy_of("red")
            assert copied is not None
            (journal,) = board.journals().items()
            assert (copied[0].name, copied[1]) == journal

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
                await stack.enter_async_context(board.playing(board_ways(read_url(url))))
            async with hall_at(tmp_path, store, url) as hall:
                await two_players(hall)
                await asyncio.gather(red.play(moves[0]), blue.play(moves[0]))
                await until(lambda: bool(copies(tmp_path, "red")), "the first move is copied")
                broker.kill()
                await asyncio.gather(red.play(moves[1]), blue.play(moves[1]))  # nobody waits for the hall
                await until(lambda: bool(red.branch.fault), "the board knows that it is alone")
                await broker.start()
                await until(
                    lambda: moves[1].encode() in b"".join(copies(tmp_path, "red").values()),
                    "what was played meanwhile is copied",
                )
            await asyncio.gather(red.play(" ".join(moves[2:])), blue.play(" ".join(moves[2:])))
            async with hall_at(tmp_path, store, url) as hall:
                await until(lambda: (1, 1) in hall.keeper.book.of("club").told, "the result is told")
                assert hall.keeper.book.of("club").told[1, 1].points == (LOSS, WIN)
                for board in (red, blue):
                    ended = board.table.sitting.journal.safe_bytes
                    name = board.table.sitting.journal.path.name
                    await until(
                        lambda board=board, name=name, ended=ended: (  # type: ignore[misc]
                            len(copies(tmp_path, board.name).get(name, b"")) >= ended
                        ),
                        "all is copied",
                    )
                    assert beginnings(tmp_path, board)
                    assert board.announced() == [move.move for move in board.table.chain.view.record]

    asyncio.run(evening())
    forgive_the_client(caplog)


def forgive_the_client(caplog: pytest.LogCaptureFixture) -> None:
    """The MQTT client looks at its line once more after that was cut, or forgets that it has told us so."""
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    known = ("EventLoop.add_", "MqttCodeError('Unexpected disconnection')")
    if all(
        record.name == "asyncio" and any(each in record.getMessage() for each in known) for record in errors
    ):
        caplog.clear()


def test_an_order_is_carried_out_once_although_the_board_dies_before_it_can_answer(
    tmp_path: Path, store: str
) -> None:
    async def evening() -> None:
        red = Board(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            async with red.at(hall):
                await red.play("a1-b2")
                name = await hall.order("Arbiter", "red", Pause(), "lights out")
                await until(lambda: not hall.keeper.book.orders, "it is answered and in the book")
                assert red.table.chain.view.phase == "paused"
            hall.hub.order("red", Order(name, Pause(), "Arbiter"))  # as if the answer had never come
            async with red.at(hall):
                await until(lambda: not hall.hub.is_open("red", name), "the journal remembers")
                assert red.table.chain.view.phase != "paused"
            orders = [
                entry.order
                for path in red.folder.glob("*.jsonl")
                for entry in journals.read(path).entries
                if isinstance(entry, Asked)
            ]
            assert orders == [name]

    asyncio.run(evening())


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
            await red.play(WHOLE_GAME)
            await until(lambda: bool(hall.keeper.book.of("cup").told), "the result is told")
            await hall.act("Arbiter", ResultDecided("cup", 1, 1, (DRAW, DRAW), note="both agreed"))
            await hall.play_on("Arbiter", PlayedOn("cup", 1, 1))
            assert not hall.keeper.book.of("cup").told
            await hall.order("Arbiter", "red", NewGame())
            await until(lambda: not hall.keeper.book.orders, "it is set up again")
            red.table.do(SetRight())
            await red.play(WHOLE_GAME)
            await until(lambda: bool(hall.keeper.book.of("cup").told), "the second result is told")
            assert hall.keeper.book.of("cup").told[1, 1].points == (
                WIN,
                LOSS,
            )  # who began lost, and that was the other

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
                found = hall.keeper.book.of("club").told.get((1, 1))
                return found.points if found else ()

            await until(lambda: told() == (LOSS, WIN), "the result is told")
            await hall.order("Arbiter", "red", Correct(1), "she never resigned")
            await until(lambda: red.table.chain.view.phase == "waiting", "the game goes on")
            await hall.order("Arbiter", "red", Resign(1))
            await until(lambda: told() == (WIN, LOSS), "the other result is told")

    asyncio.run(evening())


def test_orders_through_a_broker_are_carried_out_once_whoever_dies(
    tmp_path: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The broker is killed with orders on their way, then the hall, then the board before its answer is in the book."""

    async def evening() -> None:
        red = Board(tmp_path, "red", "10")
        async with AsyncExitStack() as stack:
            broker = await stack.enter_async_context(mosquitto(tmp_path))
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            ways = board_ways(read_url(url))
            async with red.playing(ways):
                async with hall_at(tmp_path, store, url) as hall:
                    await until(lambda: "red" in hall.hub.seats.known, "the board is there")
                    await until(lambda: red.table.chain.view.phase == "waiting", "the game is on")
                    await hall.order("Arbiter", "red", AdjustClock(0, 1_000))
                    broker.kill()
                    await hall.order("Arbiter", "red", AdjustClock(0, 20_000))
                await broker.start()
                async with hall_at(tmp_path, store, url) as hall:
                    await until(lambda: not hall.keeper.book.orders, "both are answered")
                    await hall.order("Arbiter", "red", AdjustClock(0, 300_000))
                    await until(lambda: _given(red) >= {300_000}, "the third is carried out")
            async with red.playing(ways), hall_at(tmp_path, store, url) as hall:
                await until(lambda: not hall.keeper.book.orders, "the third is answered")
        assert sorted(_adjustments(red)) == [1_000, 20_000, 300_000]

    asyncio.run(evening())
    gc.collect()  # what the client forgot is told when it is thrown away
    forgive_the_client(caplog)


def _adjustments(board: Board) -> list[int]:
    """By how much the journals tell that clocks were adjusted."""
    return [
        entry.by_ms
        for path in board.folder.glob("*.jsonl")
        for entry in journals.read(path).entries
        if isinstance(entry, ClockAdjusted)
    ]


def _given(board: Board) -> set[int]:
    return set(_adjustments(board))


def test_an_order_that_cannot_be_had_is_answered_with_the_reason_also_when_the_answer_was_lost(
    tmp_path: Path, store: str
) -> None:
    reason = "no time is kept at this table"

    def faults(hall: Hall) -> list[str]:
        return [entry.act.fault for entry in hall.keeper.entries if isinstance(entry.act, Obeyed)]

    async def evening() -> None:
        red = Board(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            async with red.at(hall):
                name = await hall.order("Arbiter", "red", AdjustClock(0, 60_000), "the clock was off")
                await until(lambda: faults(hall) == [reason], "it is answered and in the book")
            hall.hub.order("red", Order(name, AdjustClock(0, 60_000), "Arbiter"))
            async with red.at(hall):
                await until(lambda: not hall.hub.is_open("red", name), "the journal remembers")
                assert hall.hub.failure(name) == reason

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
    async def ways(_goodbye: Up) -> AsyncIterator[Endless]:
        try:
            yield Endless()
        finally:
            raise HallUnreachable("the broker did not say goodbye")

    async def evening() -> None:
        async with Board(tmp_path, "red").playing(ways):
            await opened.wait()

    asyncio.run(asyncio.wait_for(evening(), PATIENCE_S))


def test_an_order_for_a_board_that_is_away_waits_for_it_also_through_a_restart_of_the_hall(
    tmp_path: Path, store: str
) -> None:
    async def evening() -> None:
        red = Board(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            await hall.order("Arbiter", "red", Resign(0))
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await until(lambda: not hall.keeper.book.orders, "it is answered")

    asyncio.run(evening())


def test_a_game_that_ends_while_the_database_is_gone_is_in_the_book_when_it_is_back(
    tmp_path: Path, server: Postgres, *, is_long: bool
) -> None:
    async def evening() -> None:
        red = Board(tmp_path, "red")
        async with hall_at(tmp_path, server.fresh()) as hall:
            await two_players(hall)
            async with red.at(hall):
                await asyncio.to_thread(server.stop)
                try:
                    with pytest.raises(StoreError, match="cannot be used"):
                        await hall.act("Arbiter", Noted("dark here"))
                    await red.play(WHOLE_GAME)
                    await until(lambda: "red" in hall._ended, "the hall has the end of the game")
                    await until(lambda: bool(hall.faults.get("store")), "the desk is told")
                    assert not hall.keeper.book.of("club").told
                    await asyncio.sleep(60 if is_long else 0)
                finally:
                    await asyncio.to_thread(server.start)
                await until(lambda: (1, 1) in hall.keeper.book.of("club").told, "the result is told")
                await until(lambda: not hall.faults["store"], "the desk is relieved")
                kinds = [type(entry.act).__name__ for entry in hall.keeper.entries]
                assert kinds.count("ResultTold") == 1
                assert "Noted" not in kinds

    asyncio.run(evening())
