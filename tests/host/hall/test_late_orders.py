# SPDX-License-Identifier: Apache-2.0
"""An order that arrives late undoes nothing that was played since it was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from re import fullmatch
from typing import Final

import pytest

from companion import games
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Up, Wanted
from companion.host.hall.desk.tournament_setup import seat
from companion.host.hall.stations.station_channels import local_channel_opener
from companion.host.hall.stations.station_link import ChannelOpener, HallChannel
from companion.host.hall.views import Pages
from companion.host.journal.setup import GameSetup
from companion.host.table.table_game import Begin, Moment
from companion.model.errors import HallUnreachable, StationSilent
from companion.referee.values.commands import Adjourn, Correct, LetStand, NewGame, Resign, TakeBack
from companion.tournament.acts import Entered, Obeyed, Opened, RoundPaired
from companion.tournament.pairing import next_round
from companion.tournament.values import Format, Player
from tests.host.hall.halls import Station, hall_at, two_players, until
from tests.host.hall.sites import site, tournament
from tests.host.tables import GAME

ORDERS: Final[tuple[Wanted, ...]] = (
    Begin(GameSetup(GAME)),
    TakeBack(),
    NewGame(),
    Adjourn(),
    LetStand(0),
    Resign(0),
    Correct(0, ("a1-a2",)),
)


class Line:
    """The line between a station and its hall, which a test cuts."""

    def __init__(self, open_channel: ChannelOpener) -> None:
        self._open = open_channel
        self.down = asyncio.Event()

    @asynccontextmanager
    async def open(self, goodbye: Up) -> AsyncIterator[HallChannel]:
        """Open the channel, if the line is up."""
        if self.down.is_set():
            raise HallUnreachable("the line is cut")
        async with self._open(goodbye) as channel:
            yield _Channel(channel, self.down)


class _Channel:
    def __init__(self, channel: HallChannel, down: asyncio.Event) -> None:
        self._channel, self._down = channel, down

    async def send(self, message: Up) -> None:
        if self._down.is_set():
            raise HallUnreachable("the line is cut")
        await self._channel.send(message)

    async def receive(self) -> Down:
        receiving = asyncio.ensure_future(self._channel.receive())
        cut = asyncio.ensure_future(self._down.wait())
        try:
            await asyncio.wait({receiving, cut}, return_when=asyncio.FIRST_COMPLETED)
            if cut.done():
                raise HallUnreachable("the line is cut")
            return receiving.result()
        finally:
            receiving.cancel()
            cut.cancel()


def quiet_moves(chance: Random, plies: int) -> list[str]:
    """Drawn moves of a game without captures and threats."""
    rules = games.find(GAME).rules()
    position, made = rules.initial(), list[str]()
    for _ in range(plies):
        texts = {rules.write_move(position, move): move for move in rules.legal_moves(position)}
        text = chance.choice(sorted(text for text in texts if fullmatch(r"\w\d-\w\d", text)))
        made.append(text)
        position = rules.apply(position, texts[text])
    return made


def answers(hall: Hall) -> list[str]:
    """The faults of the orders that were answered."""
    return [entry.act.fault for entry in hall.keeper.entries if isinstance(entry.act, Obeyed)]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
def test_no_announced_ply_is_lost_to_an_order_that_was_given_before_it(
    tmp_path: Path, store: str, order: Wanted
) -> None:
    chance = Random(f"{datetime.now(UTC):%Y-%m-%d} {order}")
    known = chance.randint(1, 3)
    since = known + chance.randint(1, 2)
    moves = quiet_moves(chance, since)

    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            line = Line(local_channel_opener(hall, red.folder))
            async with red.playing(line.open, is_near=True):
                await red.play(" ".join(moves[:known]))
                await until(lambda: hall.hub.moment_of("red")[1] == known, "the hall has seen it")
                line.down.set()
                await hall.order("Arbiter", "red", order)
                await red.play(" ".join(moves[known:since]))
                line.down.clear()
                await until(lambda: bool(answers(hall)), "the order is answered")
                assert moves[since - 1] in answers(hall)[0]
                assert red.announced() == moves[:since]
                assert red.table.pipeline.view.outcome is None

    asyncio.run(scenario())


def test_a_game_that_is_refused_at_the_last_moment_leaves_no_journal(tmp_path: Path, store: str) -> None:
    """A move is announced while the ordered game is made."""

    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall, red.at(hall):
            await red.play("a1-b2")
            of = red.table.current
            assert red.table.game_factory is not None
            made = await asyncio.to_thread(red.table.game_factory.create, Begin(GameSetup(GAME)), of, "late")
            assert len(red.journals()) == 2
            red.table.inbox.put(replace(made, over=Moment(of.journal.path.name, 0)))
            await until(lambda: len(red.journals()) == 1, "its journal is removed")
            assert red.announced() == ["a1-b2"]

    asyncio.run(scenario())


def test_an_order_is_for_the_moment_that_the_arbiter_has_seen(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            hello = Hello("red", "i", "Red", "chess", journal="2")
            at.hall.take(Up("red", "i", hello), lambda _down: None)
            assert Pages(at.hall).arbiters()["board/red"]["journal"] == "2"
            orders: dict[str, dict[str, object]] = {
                "seen": {"command": {"is": "NewGame"}, "journal": "1", "ply": 7},
                "not told": {"command": {"is": "NewGame"}},
                "of any ply": {"command": {"is": "Hold"}, "journal": "1", "ply": 7},
            }
            given = {
                name: (await at.ask("api/orders", {"board": "red", **body}))[1]["order"]
                for name, body in orders.items()
            }
            of = {name: at.hall.keeper.book.orders[order] for name, order in given.items()}
            moments = {name: (each.journal, each.ply) for name, each in of.items()}
            assert moments == {"seen": ("1", 7), "not told": ("2", None), "of any ply": ("2", None)}

    asyncio.run(scenario())


def test_an_order_of_this_moment_is_executed_however_late_it_arrives(tmp_path: Path, store: str) -> None:
    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            line = Line(local_channel_opener(hall, red.folder))
            async with red.playing(line.open, is_near=True):
                await red.play("a1-b2 d8-b8")
                await until(lambda: hall.hub.moment_of("red")[1] == 2, "the hall has seen it")
                line.down.set()
                await hall.order("Arbiter", "red", Begin(GameSetup(GAME)))
                line.down.clear()
                await until(lambda: bool(answers(hall)), "the order is answered")
                assert answers(hall) == [""]
                assert red.announced() == []

    asyncio.run(scenario())


def test_a_game_without_a_move_is_replaced_whenever_the_order_arrives(tmp_path: Path, store: str) -> None:
    """A station that was started again, as after a power cut, has another journal."""

    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            async with red.at(hall):
                await red.play("a1-b2")
                await until(lambda: hall.hub.moment_of("red")[1] == 1, "the hall has seen it")
            await hall.order("Arbiter", "red", Begin(GameSetup(GAME)))
            async with red.at(hall):
                await until(lambda: bool(answers(hall)), "the order is answered")
                assert answers(hall) == [""]

    asyncio.run(scenario())


def test_seating_a_silent_station_asks(tmp_path: Path, store: str) -> None:
    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with hall_at(tmp_path, store) as hall:
            async with red.at(hall):
                await two_players(hall, "red")
            before = len(hall.keeper.entries)
            await hall.act("Arbiter", Opened("next", "Next", Format.SWISS, GAME))
            for name in ("Cleo", "Dan"):
                await hall.act("Arbiter", Entered("next", Player(0, name)))
            await hall.act("Arbiter", RoundPaired("next", next_round(hall.keeper.book.of("next").tournament)))
            assert await seat(hall, "Arbiter", "next", ["red"]) == (0, [], ["red"])
            assert len(hall.keeper.entries) == before + 4
            with pytest.raises(StationSilent):
                await hall.give("Arbiter", "next", 1, 1, "red")
            assert await seat(hall, "Arbiter", "next", ["red"], ["red"]) == (1, [], [])

    asyncio.run(scenario())
