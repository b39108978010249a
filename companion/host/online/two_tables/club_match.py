# SPDX-License-Identifier: Apache-2.0
"""A match between two halls: each board plays one game with that of its number.

One hall says a code, the other types it. Each board has a code of its own, derived from that of the
match, and its game is one of two tables.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import platformdirs

from companion.host.online.two_tables import kept_file
from companion.host.online.two_tables.carriers import WebSocketRooms, carrier_for, rooms_at
from companion.host.online.two_tables.code import Code, draw_code, read_code
from companion.host.online.two_tables.tables import EVERYWHERE, TwoTables, places, rejoin, visit, wait_for
from companion.host.play.start import PlayOptions
from companion.host.table.table import Interest, Table
from companion.host.tasks import running
from companion.model.errors import CompanionError, InvalidArgument, SettingsError
from companion.model.phrase import Phrase
from companion.model.pieces import Side

NEW: Final = "new"
"""Asks for a match to which another hall is invited."""
AGAIN: Final = "resume"
"""Asks for the last such match, after a restart."""

Inform = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a restart of a hall needs."""

    code: str
    halves: tuple[tuple[int, int], ...] = ()
    """Boards whose games have ended, each with this hall's half points."""


@dataclass
class ClubMatch:
    """The match of one hall; its stations are numbered from 1."""

    code: Code
    kept: _Kept
    file: Path
    """Where that is kept."""
    via: str
    invites: bool
    stations: Mapping[str, PlayOptions]
    """The options of each station, by name."""
    inform: Inform
    rooms: WebSocketRooms | None = None
    """Where the inviting hall waits, unless that is a broker."""

    @classmethod
    def of(
        cls, what: str, via: str, stations: Mapping[str, PlayOptions], inform: Inform, file: Path
    ) -> ClubMatch:
        """Return the match *what*: `NEW`, `AGAIN`, or the code of the other hall.

        Raises `InvalidArgument` and `SettingsError`.
        """
        invites = what in (NEW, AGAIN)
        if not stations:
            raise InvalidArgument("a match is played at the boards of this machine: name them with --board")
        if not invites and not via:
            raise InvalidArgument("name the place of the other hall with --via, as it says beside the code")
        via = via or EVERYWHERE
        kept = _chosen(what, file)
        code = read_code(kept.code)
        match = cls(code, kept, file, via, invites, stations, inform, rooms_at(via) if invites else None)
        for number in range(1, len(stations) + 1):
            if match.rooms is not None:  # known from the start: a board that comes early waits
                match.rooms.room(code.of_board(number).room)
        return match

    def announce(self) -> None:
        """Say how the other hall joins."""
        for place in places(self.via) if self.invites else ():
            self.inform(
                Phrase(
                    "At the other hall: companion hall --match {code} --via {via}, and its boards in the same "
                    "order",
                    code=self.code,
                    via=place,
                )
            )

    async def run(self) -> None:
        """Wait for the other hall until cancelled. Raises `SettingsError` if the port is taken."""
        if self.rooms is None:
            await asyncio.Event().wait()
        else:
            await self.rooms.run()

    async def play(self, name: str, table: Table) -> None:
        """Play the game of board *name* at *table*; a `StationTask` of the hall."""
        number = self._number(name)
        if number is None or number in dict(self.kept.halves):
            return

        def show(said: str) -> None:
            table.remark("elsewhere", said)
            self.inform(Phrase("{board}: {text}", board=name, text=said))

        said = ""
        while True:
            try:
                game = await self._game(name, number, table, show)
            except CompanionError as fault:
                if str(fault) != said:
                    show(said := str(fault))
                await asyncio.sleep(self.stations[name].intervals.retry_s)
                continue
            async with running(self._note_result(number, game.side, table), f"result of {name}"):
                await game.play(table, lambda _said: None)
            return

    async def _game(self, name: str, number: int, table: Table, show: Inform) -> TwoTables:
        """Return the game of board *name*, under way at *table*. Raises `CompanionError`."""
        code, options = self.code.of_board(number), self.stations[name]
        setup = replace(options.setup, players=options.setup.players[:1] or (name,))
        options = replace(options, setup=setup)
        room = None if self.rooms is None else self.rooms.room(code.room)
        if table.current.is_resumed:
            going_on = rejoin(table.current.journal.path, options, room)
            if going_on is not None:
                return going_on
        show(Phrase("waiting for board {number} of the other hall", number=number))
        if not self.invites:
            game = await visit(options, code, self.via)
        else:
            side: Side = (number - 1) % 2
            waiting = room or carrier_for(self.via, code.room, invites=True, intervals=options.intervals)
            game = await wait_for(options, code, self.via, side, show, waiting)
        with game.keeping.released_by_errors(), table.watch(Interest.PLAY) as has_changed:
            await table.request_game(game.request)
            while not table.current.setup.is_elsewhere:
                await has_changed.wait()
                has_changed.clear()
        table.remark("elsewhere", "")
        return game

    def _number(self, name: str) -> int | None:
        """Return the number of board *name*; None if it does not take part."""
        return next((number for number, each in enumerate(self.stations, 1) if each == name), None)

    async def _note_result(self, number: int, side: Side, table: Table) -> None:
        """Keep and say the score when the game of board *number* has ended."""
        with table.watch(Interest.PLAY) as has_changed:
            while (outcome := table.pipeline.view.outcome) is None:
                await has_changed.wait()
                has_changed.clear()
        halves = 1 if not outcome.winners else 2 * (side in outcome.winners)
        self.kept = replace(self.kept, halves=(*self.kept.halves, (number, halves)))
        try:
            kept_file.write(self.file, self.kept)
        except SettingsError as fault:
            self.inform(str(fault))
        ended, own = len(self.kept.halves), sum(halves for _, halves in self.kept.halves) / 2
        self.inform(
            Phrase(
                "the match after {ended} of {boards} boards: {own} to {other}",
                ended=ended,
                boards=len(self.stations),
                own=f"{own:g}",
                other=f"{ended - own:g}",
            )
        )


def match_file() -> Path:
    """Return the file of the last match of this machine."""
    return platformdirs.user_data_path("companion", appauthor=False) / "match.json"


def _chosen(what: str, path: Path) -> _Kept:
    """Return what is known of the match *what*, and keep it. Raises like `ClubMatch.of`."""
    kept = None if what == NEW else kept_file.read(path, _Kept)
    if what == AGAIN:
        if kept is None:
            raise InvalidArgument("there is no match to go on with: companion hall --match new")
        return kept
    code = draw_code() if what == NEW else read_code(what)
    if kept is None or kept.code != str(code):
        kept = _Kept(str(code))
        kept_file.write(path, kept)
    return kept
