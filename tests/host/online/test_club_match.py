# SPDX-License-Identifier: Apache-2.0
"""Two halls play a match, station by station."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.host.hall.run import HallOptions, own_stations
from companion.host.hall.stations.local_station import LocalStation
from companion.host.journal.setup import GameSetup
from companion.host.online.two_tables.club_match import ClubMatch
from companion.host.play.start import PlayOptions
from companion.host.table.table import Table
from companion.model.errors import InvalidArgument
from companion.referee.values.commands import OfferDraw, Resign
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase
from tests.host.hall.halls import BRISK, QUICK, hall_at, until
from tests.ports import free_port


@dataclass
class Club:
    """One of the halls, with two stations in this process."""

    folder: Path
    names: tuple[str, ...]
    said: list[str] = field(default_factory=list)
    tables: dict[str, Table] = field(default_factory=dict)

    def stations(self) -> tuple[LocalStation, ...]:
        usual = PlayOptions(
            GameSetup("chess", control="15+10"),
            timing=BRISK,
            intervals=QUICK,
            browser=False,
            store=f"sqlite:///{self.folder}.sqlite",
        )
        return tuple(LocalStation(name, self._options(usual, name)) for name in self.names)

    def _options(self, usual: PlayOptions, name: str) -> PlayOptions:
        values = {key: getattr(usual, key) for key in usual.__slots__}
        return PlayOptions(**(values | {"folder": self.folder / name}))

    def match(self, what: str, via: str) -> ClubMatch:
        options = {station.name: station.play_options for station in self.stations()}
        return ClubMatch.of(what, via, options, self.said.append, self.folder / "match.json")

    @asynccontextmanager
    async def playing(self, match: ClubMatch) -> AsyncIterator[None]:
        """The hall runs, and its stations play *match*, in the context."""

        async def beside(name: str, table: Table) -> None:
            self.tables[name] = table
            await match.play(name, table)

        self.tables.clear()
        async with (
            hall_at(self.folder, f"sqlite:///{self.folder}-book.sqlite") as hall,
            own_stations(hall, HallOptions(self.stations()), self.said.append, beside) as tasks,
        ):
            waiting = asyncio.create_task(match.run())
            match.announce()
            try:
                yield
            finally:
                for task in (*tasks, waiting):
                    task.cancel()
                await asyncio.gather(*tasks, waiting, return_exceptions=True)

    def code(self) -> str:
        """The code that this hall has said."""
        return next(found[1] for line in self.said if (found := re.search(r"--match (\S+)", line)))

    def at(self, station: int) -> Table:
        return self.tables[self.names[station]]

    def made(self, station: int) -> list[str]:
        """The moves at *station*; none before the hall has it."""
        if self.names[station] not in self.tables:
            return []
        record = self.at(station).pipeline.view.record
        return [line.move for line in record if line.stage is not Stage.PROVISIONAL]

    def offered_by(self, station: int) -> int | None:
        """The side that offers a draw at *station*, if the hall has it."""
        return self.at(station).pipeline.view.draw_offered_by if self.names[station] in self.tables else None

    async def play(self, station: int, text: str) -> None:
        """Make the move *text* at *station* when the pieces stand there."""
        await until(lambda: self.names[station] in self.tables, f"board {station} is there")
        table = self.at(station)
        await until(lambda: bool(table.current.setup.played_by), f"the match has begun at board {station}")
        await until(lambda: table.pipeline.view.phase is Phase.WAITING, f"board {station} waits for {text}")
        rules, position = table.pipeline.session.rules, table.pipeline.session.position
        table.do(tuple(rules.steps(position, rules.read_move(position, text))))


@pytest.fixture
def clubs(tmp_path: Path) -> tuple[Club, Club]:
    return Club(tmp_path / "here", ("ana", "bo")), Club(tmp_path / "there", ("cleo", "dan"))


def test_each_station_plays_that_of_its_number_also_after_a_restart(clubs: tuple[Club, Club]) -> None:
    here, there = clubs

    async def scenario() -> None:
        via = f"ws://127.0.0.1:{free_port()}"
        first = here.match("new", via)
        async with there.playing(there.match(first_code := str(first.code), via)):  # they are early
            async with here.playing(first):
                assert here.code() == first_code
                await here.play(0, "e4")  # odd stations of the inviting hall have White
                await there.play(1, "d4")
                await until(lambda: there.made(0) == ["e4"], "the first board has the move")
                await until(lambda: here.made(1) == ["d4"], "the second board has the move")
                assert [here.at(0).current.setup.players, there.at(1).current.setup.players] == [
                    ("ana", "cleo"),
                    ("dan", "bo"),
                ]
                assert here.made(0) == ["e4"]
            await there.play(0, "e5")  # while the other hall is not there
            async with here.playing(here.match("resume", via)):
                await until(lambda: here.made(0) == ["e4", "e5"], "the game goes on")
                there.at(0).ask(Resign(1))
                await until(lambda: any("1 of 2 boards: 1 to 0" in line for line in here.said), "the score")
                await until(lambda: any("1 of 2 boards: 0 to 1" in line for line in there.said), "the score")
            async with here.playing(here.match("resume", via)):  # the first station plays no second game
                there.at(1).ask(OfferDraw(0))
                await until(lambda: here.offered_by(1) == 0, "the offer is there")
                here.at(1).ask(OfferDraw(1))
                await until(lambda: any("2 of 2 boards: 1.5 to 0.5" in each for each in here.said), "the end")
                assert not here.at(0).current.setup.played_by

    asyncio.run(scenario())


def test_a_match_needs_stations_and_the_place_of_the_other_hall(clubs: tuple[Club, Club]) -> None:
    here, _ = clubs
    with pytest.raises(InvalidArgument, match="name them with --board"):
        ClubMatch.of("new", "", {}, print, here.folder)
    with pytest.raises(InvalidArgument, match="no match to go on with"):
        here.match("resume", "")
    with pytest.raises(InvalidArgument, match="neither a place to play"):
        here.match("ABCD", "ws://127.0.0.1")
    code = str(here.match("new", "").code)
    with pytest.raises(InvalidArgument, match="with --via"):
        here.match(code, "")


def test_stations_of_a_match_have_different_codes_that_both_halls_know(clubs: tuple[Club, Club]) -> None:
    here, there = clubs
    code = here.match("new", "").code
    other = there.match(str(code).lower(), "mqtt://127.0.0.1").code
    rooms = [code.of_board(number).room for number in range(1, 60)]
    assert len({*rooms, code.room}) == 60
    assert rooms[6] == other.of_board(7).room
