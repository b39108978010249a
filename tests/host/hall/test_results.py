# SPDX-License-Identifier: Apache-2.0
"""Results of games in the journals of stations, and points for tables of several players."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from companion.host.codec import encode
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_sync import Lacking
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Up
from companion.host.hall.stations.station_channels import local_channel_opener
from companion.host.journal.journal import JournalWriter
from companion.host.records.database import connect
from companion.model.game import Outcome
from companion.referee.values.commands import Hold
from companion.referee.values.events import GameEnded
from companion.tournament.acts import (
    Act,
    Entered,
    Entry,
    Obeyed,
    Opened,
    Ordered,
    ResultDecided,
    RoundPaired,
)
from companion.tournament.pairing import seated
from companion.tournament.values import Format, Player, Points
from tests.host.hall.chess_games import HEADER, NAME, content
from tests.host.hall.halls import Station, copies, hall_at, until
from tests.host.hall.spectators.test_broadcast_pgn import World


@pytest.fixture
def hall(tmp_path: Path, store: str) -> Iterator[Hall]:
    """A hall with a table of three players at the station `red`."""
    db = connect(store)
    made = Hall(BookKeeper(db), tmp_path / "copies", lambda: 0, lambda: "2026-11-21T19:00:00+00:00")

    async def begin() -> None:
        await made.act("Ana", Opened("mars", "Mars", Format.FREE, "martian-chess", seats=4))
        for name in ("Ana", "Ben", "Cleo"):
            await made.act("Ana", Entered("mars", Player(0, name)))
        of = made.keeper.book.of("mars").tournament
        await made.act("Ana", RoundPaired("mars", seated(of, [(1, 2, 3)])))
        await made.give("Ana", "mars", 1, 1, "red")

    asyncio.run(begin())
    yield made
    db.close()


def end(hall: Hall, outcome: Outcome) -> None:
    """The local journal contains the end of a game."""
    with JournalWriter.create(hall.folder("red") / NAME, HEADER) as writer:
        writer.write([GameEnded(1000, outcome)])
    hall.unsettled.add("red")


@pytest.mark.parametrize(
    ("outcome", "points"),
    [
        (Outcome((1,), "points", (3, 9, 4)), (0, 4, 2)),
        (Outcome((1, 2), "points", (3, 9, 9)), (0, 3, 3)),
        (Outcome((), "points", (3, 3, 3)), (2, 2, 2)),
        (Outcome((0,), "resigned", (3, 9, 4)), (4, 2, 0)),
        (Outcome((0,), "points", (5, 3)), None),
        (Outcome((3,), "points", (1, 2, 3, 4)), None),
        (Outcome((3,), "resigned"), None),
    ],
)
def test_a_table_of_several_gets_points_by_places_if_the_game_had_as_many_players(
    hall: Hall, outcome: Outcome, points: tuple[Points, ...] | None
) -> None:
    end(hall, outcome)
    asyncio.run(hall.settle_results())
    told = hall.keeper.book.of("mars").reported
    assert (told[1, 1].points if told else None) == points, encode(Outcome, outcome)
    assert not hall.unsettled


class EndsMeanwhile(Hall):
    """A hall that gets the end of a game while it reads what came before."""

    is_over = False

    def journals(self, station: str) -> list[str]:
        found = super().journals(station)
        if station in self.unsettled or self.is_over:
            return found
        self.is_over = True
        end(self, Outcome((1,), "points", (3, 9, 4)))
        return found


def test_an_end_that_arrives_while_the_journals_are_read_is_not_lost(hall: Hall, tmp_path: Path) -> None:
    made = EndsMeanwhile(hall.keeper, tmp_path / "copies", lambda: 0, hall.wall)
    made.unsettled.add("red")
    asyncio.run(made.settle_results())
    assert not hall.keeper.book.of("mars").reported
    asyncio.run(made.settle_results())
    assert hall.keeper.book.of("mars").reported[1, 1].points == (0, 4, 2)
    assert not made.unsettled


def test_the_result_at_a_station_of_this_machine_is_read_after_a_restart(hall: Hall, tmp_path: Path) -> None:
    """The hall looks for results before it knows where the journals of its stations are."""
    home = tmp_path / "journals" / "red"
    with JournalWriter.create(home / NAME, HEADER) as writer:
        writer.write([GameEnded(1000, Outcome((1,), "points", (3, 9, 4)))])
    asyncio.run(hall.settle_results())
    assert not hall.unsettled
    hall.house("red", home)
    asyncio.run(hall.settle_results())
    assert hall.keeper.book.of("mars").reported[1, 1].points == (0, 4, 2)


def test_an_unreadable_journal_is_named_and_read_later(hall: Hall) -> None:
    strange = hall.folder("red") / NAME.replace("20-00", "19-00")
    strange.mkdir(parents=True)
    end(hall, Outcome((1,), "points", (3, 9, 4)))
    asyncio.run(hall.settle_results())
    (fault,) = hall.faults["journals of red"]
    assert fault.startswith("the journals of red cannot be read: ")
    strange.rmdir()
    asyncio.run(hall.settle_results())
    assert hall.keeper.book.of("mars").reported
    assert not any(hall.faults.values())


def test_an_answer_is_written_once_by_concurrent_calls(hall: Hall) -> None:
    async def both() -> None:
        order = await hall.order("Ana", "red", Hold())
        hall.answered[order] = "red", ""
        await asyncio.gather(hall.settle_results(), hall.settle_results())

    asyncio.run(both())
    assert [each.act.board for each in hall.keeper.entries if isinstance(each.act, Obeyed)] == ["red"]


def test_a_result_altered_in_the_journal_is_refused(hall: Hall) -> None:
    end(hall, Outcome((1,), "points", (3, 9, 4)))
    path = hall.folder("red") / NAME
    path.write_bytes(path.read_bytes().replace(b'"winners":[1]', b'"winners":[2]'))
    asyncio.run(hall.settle_results())
    (fault,) = hall.faults["journals of red"]
    assert fault.startswith(f"{path}, line 2 is not as it was written")
    assert not hall.keeper.book.of("mars").reported
    assert not hall.unsettled, "a damaged journal must not be read again"


def test_a_journal_that_a_kill_left_with_its_header_only_is_copied(tmp_path: Path, store: str) -> None:
    """It may be that of the round, whose result is looked for from there."""

    async def scenario() -> None:
        red = Station(tmp_path, "red")
        with JournalWriter.create(red.folder / NAME, replace(HEADER, order="of the round")):
            pass
        async with (
            hall_at(tmp_path, store) as hall,
            red.playing(local_channel_opener(hall, red.folder)),
        ):
            await until(lambda: NAME in copies(tmp_path, "red"), "it is copied")
        assert copies(tmp_path, "red")[NAME] == red.journals()[NAME]

    asyncio.run(scenario())


class GreetsMeanwhile(Hall):
    """A hall to which a station returns while its last hello is looked at."""

    has_returned = False

    async def act(self, by: str, act: Act) -> Entry:
        found = await super().act(by, act)
        if isinstance(act, Ordered) and not self.has_returned:
            self.has_returned = True
            await self.act(by, Obeyed(act.board, act.order, "another game has begun"))
            self.take(Up(act.board, "i", replace(STRANGE, game="chess")), lambda _down: None)
        return found


STRANGE = Hello("red", "i", "Red", "close-quarters", journal=NAME)


def test_a_hello_that_comes_while_the_one_before_is_looked_at_is_not_lost(hall: Hall, tmp_path: Path) -> None:
    made = GreetsMeanwhile(hall.keeper, tmp_path / "copies", lambda: 0, hall.wall)
    made.take(Up("red", "i", STRANGE), lambda _down: None)
    asyncio.run(made.settle_results())
    assert not made.keeper.book.orders
    asyncio.run(made.settle_results())
    assert [each.board for each in made.keeper.book.orders.values()] == ["red"], "its game is set out"


def test_the_late_end_of_a_game_is_no_result_of_the_next_round(tmp_path: Path) -> None:
    """The table was killed before its journal was copied.

    When it returns, the arbiter has decided and paired again.
    """

    async def scenario(world: World) -> None:
        hall = world.hall
        await world.begin()
        world.play("e4")
        whole = content(world.folder, "e4 e5", GameEnded(9, Outcome((0,), "resignation")))
        lacking = (Lacking(NAME, len(whole), zlib.crc32(whole)),)
        back = Hello("red", "i", "Red", "chess", journal="2026-11-21_20-30-00_chess.jsonl", lacking=lacking)
        hall.take(Up("red", "i", back), lambda _down: None)
        await hall.act("Ana", ResultDecided("club", 1, 1, (1, 1)))
        await hall.act("Ana", RoundPaired("club", seated(hall.keeper.book.of("club").tournament, [(2, 1)])))
        await hall.give("Ana", "club", 2, 1, "red")
        world.play("e4 e5", GameEnded(9, Outcome((0,), "resignation")))
        await hall.settle_results()
        assert not hall.keeper.book.of("club").reported

    world = World(tmp_path)
    asyncio.run(scenario(world))
    world.db.close()
