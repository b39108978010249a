# SPDX-License-Identifier: Apache-2.0
"""A tournament's game is set up once at its station, and again if lost there.

It is never set up in the middle of a game.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from companion.host.hall.core.events import is_set_out, setup_for
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import Hello
from companion.host.hall.desk.tournament_setup import decide
from companion.host.hall.run import HallOptions, own_stations
from companion.host.hall.stations.local_station import LocalStation
from companion.host.hall.views import game_set
from companion.host.journal import journal as journals
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions
from companion.host.table.table import Table
from companion.host.table.table_game import Begin
from companion.host.virtual_table.hands import Drop, Lift
from companion.model.errors import TournamentError
from companion.tournament.acts import Obeyed, Opened, Ordered, ResultDecided, RoundPaired
from companion.tournament.pairing import seated
from companion.tournament.values import Format, Tournament
from tests.host.hall.halls import QUICK, hall_at, two_players, until
from tests.host.hall.hotplug.test_panels import is_at, is_ready, seat
from tests.host.tables import GAME

LONG = ("start", "long-side")


@asynccontextmanager
async def hall_with_station(folder: Path) -> AsyncIterator[tuple[Hall, dict[str, Table]]]:
    """A hall with the virtual station `red`, and its table."""
    store, tables = f"sqlite:///{folder}/hall.sqlite", dict[str, Table]()

    async def beside(name: str, table: Table) -> None:
        tables[name] = table
        await asyncio.Event().wait()

    station = LocalStation(
        "red",
        PlayOptions(GameSetup(GAME), folder=folder / "red", browser=False, store=store, intervals=QUICK),
    )
    async with (
        hall_at(folder, store) as hall,
        own_stations(hall, HallOptions((station,)), lambda _text: None, beside) as tasks,
    ):
        try:
            await until(seat(hall, "red", is_ready), "the board is connected")
            yield hall, tables
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def orders(hall: Hall) -> list[Ordered | Obeyed]:
    return [entry.act for entry in hall.keeper.entries if isinstance(entry.act, Ordered | Obeyed)]


def test_a_tournaments_options_are_set_at_its_station_once_and_survive_restarts(
    tmp_path: Path,
) -> None:
    async def running() -> None:
        async with hall_with_station(tmp_path) as (hall, tables):
            await two_players(hall, "red", Opened("club", "Club", Format.SWISS, GAME, (LONG,)))
            await until(
                seat(hall, "red", lambda seat: LONG in seat.hello.options and is_ready(seat)),
                "the game is set up",
            )
            await until(lambda: not hall.keeper.book.orders, "the order is answered")
            session = tables["red"].pipeline.session
            quiet = (
                session.rules.write_move(session.position, move)
                for move in session.rules.legal_moves(session.position)
            )
            source, target = session.rules.grid.cells(next(quiet).rstrip("!").replace("-", " "))
            tables["red"].do(Lift(source))
            tables["red"].do(Drop(target))
            await until(seat(hall, "red", is_at(1)), "the first move is shown")
            with pytest.raises(
                TournamentError, match="at red a game is under way: confirm that it is left unfinished"
            ):
                await two_players(hall, "red", Opened("cup", "Cup", Format.SWISS, "chess"))
            assert len(orders(hall)) == 2, "no order may be sent"
        async with hall_with_station(tmp_path) as (hall, _):
            await until(seat(hall, "red", is_at(1)), "the game goes on")
            assert [each.fault for each in orders(hall) if isinstance(each, Obeyed)] == [""]
            assert len(orders(hall)) == 2

    asyncio.run(running())
    kept = [journals.read(path) for path in sorted((tmp_path / "red").glob("*.jsonl"))]
    assert [LONG in each.header.setup.options for each in kept] == [False, True]
    assert [bool(each.header.order) for each in kept] == [False, True]


def test_a_round_begins_at_a_station_whose_previous_game_was_decided_but_not_ended(tmp_path: Path) -> None:
    """The next two players must not continue the previous game, nor get its result."""

    async def running() -> None:
        async with hall_with_station(tmp_path) as (hall, tables):
            await two_players(hall, "red")
            red, first = tables["red"], tables["red"].current.journal.path
            assert len(orders(hall)) == 2, "the game of the table has begun"
            await until(lambda: red.pipeline.view.phase == "waiting", "the table is ready")
            source, target = red.pipeline.session.rules.grid.cells("a1 b2")
            red.do(Lift(source))
            red.do(Drop(target))
            await until(seat(hall, "red", is_at(1)), "the first move is shown")
            await hall.give(
                "Ana", "club", 1, 1, "red"
            )  # repeated: the game of these players does not restart
            assert len(orders(hall)) == 2
            await decide(hall, "Ana", ResultDecided("club", 1, 1, (1, 1), note="both agreed"))
            await until(lambda: red.pipeline.view.is_held, "the table is held")
            await until(lambda: len(orders(hall)) == 4, "the order is answered")
            fresh = seated(hall.keeper.book.of("club").tournament, [(2, 1)])
            await hall.act("Ana", RoundPaired("club", fresh))
            await hall.give("Ana", "club", 2, 1, "red")
            await until(lambda: red.current.journal.path != first, "another game is set up")
            await until(
                seat(hall, "red", lambda seat: is_ready(seat) and is_at(0)(seat)), "the new game is shown"
            )
            await until(lambda: len(orders(hall)) == 6, "the order is answered")
            red.do(Lift(source))
            red.do(Drop(target))
            await until(seat(hall, "red", is_at(1)), "the first move is shown")
            await hall.give("Ana", "club", 2, 1, "red")
            assert len(orders(hall)) == 6, "players who are already there play on"
            await decide(hall, "Ana", ResultDecided("club", 1, 1, (0, 2), note="it was looked at once more"))
            await decide(hall, "Ana", ResultDecided("club", 2, 1, None))
            assert len(orders(hall)) == 6, "a decided game must not be set up"

    asyncio.run(running())


def test_a_station_that_lost_its_tables_game_gets_the_order_again(tmp_path: Path) -> None:
    async def running() -> None:
        async with hall_with_station(tmp_path) as (hall, tables):
            await two_players(hall, "red", Opened("club", "Club", Format.SWISS, GAME, (LONG,)))
            await until(seat(hall, "red", lambda seat: LONG in seat.hello.options), "the game is set up")
            await until(lambda: not hall.keeper.book.orders, "the order is answered")
            await tables["red"].request_game(Begin(GameSetup(GAME)))
            await until(lambda: len(orders(hall)) == 4, "the game is set up again")
            await until(
                seat(hall, "red", lambda seat: LONG in seat.hello.options), "the options are as before"
            )

    asyncio.run(running())


def test_a_game_has_as_many_players_as_its_table() -> None:
    martian = Tournament("Mars", Format.SWISS, "martian-chess", (("merge", "replace"),), seats=4)
    assert [dict(setup.options)["players"] for n in (2, 3, 4) if (setup := setup_for(martian, n))] == list(
        "234"
    )
    assert setup_for(Tournament("Mixed", Format.FREE, ""), 2) is None
    assert setup_for(Tournament("Old", Format.FREE, "ludo"), 2) is None
    for_two = setup_for(martian, 2)
    assert for_two is not None
    assert not is_set_out(Hello("red", "i", "Red", "martian-chess"), for_two)
    assert not is_set_out(Hello("red", "i", "Red", "martian-chess", (("colour", "red"),)), for_two)
    assert not is_set_out(Hello("red", "i", "Red", "chess"), for_two)
    assert is_set_out(Hello("red", "i", "Red", "martian-chess", (("merge", "replace"),)), for_two)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pawns_of_an_own_set_have_names_in_the_hall(language: str) -> None:
    pawns = "ours; " + "tsunami-1/leap-5 " * 4 + "swap-2/supply-4 " * 4 + "leap-3/support-3 " * 2
    kinds = game_set("gottaz", (("pawns", pawns.strip()),), language)["kinds"]
    assert kinds["tsunami-1-leap-5"] == "Tsunami 1/Leap 5"


def test_tournaments_and_stations_with_a_removed_option_still_play() -> None:
    removed = ("no_move", "end-and-score")
    martian = Tournament("Mars", Format.SWISS, "martian-chess", (("merge", "replace"), removed), seats=4)
    setup = setup_for(martian, 3)
    assert setup is not None
    assert setup.options == (("merge", "replace"), ("players", "3"))
    older = (*setup.options, removed)
    assert is_set_out(Hello("red", "i", "Red", "martian-chess", older), setup)
    assert game_set("martian-chess", older, "en")["game"] == "martian-chess"
