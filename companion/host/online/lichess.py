# SPDX-License-Identifier: Apache-2.0
"""A game on lichess, found and followed.

Its rule: the stream is opened again whenever it ends before the game does, or falls silent, and its
first message then replaces all that was known.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Final

from companion.host.journal.setup import GameSetup
from companion.host.online.following import follow
from companion.host.online.game_elsewhere import GameElsewhere
from companion.host.online.lichess_api import Json, Lichess
from companion.host.online.lichess_states import GameStart, LichessGame, start_of
from companion.host.online.lichess_wish import ANYONE, Wish
from companion.host.retry import USUAL, Intervals
from companion.host.table.table import Table
from companion.host.table.table_game import Begin
from companion.host.tasks import leaf
from companion.model.absent import PlayedBy
from companion.model.errors import OnlineRefused, OnlineUnreachable
from companion.model.phrase import Phrase
from companion.referee.values.controls import NONE

CHESS: Final = "chess"
_PLAYED: Final = ("standard", "fromPosition")
_LONGEST_WAIT: Final = 30
"""Longest interval between two attempts, in multiples of the first."""

Inform = Callable[[str], None]


@dataclass
class LichessServer:
    """A `GameServer`: one game on lichess."""

    api: Lichess
    start: GameStart
    game: LichessGame
    intervals: Intervals
    state: GameElsewhere | None = None
    connections: int = 0
    _path: str = field(init=False)

    def __post_init__(self) -> None:
        self._path = f"/api/board/game/{self.start.number}"

    async def run(self, changed: Callable[[], None], remark: Callable[[str, str], None]) -> None:
        """Read the stream, again and again, until cancelled."""
        waits_s = self.intervals.retry_s
        while True:
            before = self.connections
            try:
                async for line in self.api.lines("GET", f"/api/board/game/stream/{self.start.number}"):
                    if line is not None and self._take(line, remark):
                        changed()
            except OnlineUnreachable as fault:
                remark(
                    "elsewhere", Phrase("{reason}. The game goes on there; this is tried again", reason=fault)
                )
            if self.state is not None and self.state.is_over:
                remark("elsewhere", "")
                await asyncio.Event().wait()  # there is nothing more to hear
            has_connected = self.connections > before
            waits_s = self.intervals.retry_s if has_connected else min(2 * waits_s, self._longest_s)
            await asyncio.sleep(waits_s)

    @property
    def _longest_s(self) -> float:
        return _LONGEST_WAIT * self.intervals.retry_s

    def _take(self, line: Json, remark: Callable[[str, str], None]) -> bool:
        """Take a line of the stream; true if the state is another one."""
        match line.get("type"):
            case "gameFull":
                self.state = self.game.take_full(line)
                self.connections += 1
                remark("elsewhere", "")
                remark("gone", "")
                return True
            case "gameState":
                state = self.game.take(line)
                if state is None or state == self.state:
                    return False
                self.state = state
                remark("gone", "")  # who moves, or has ended the game, is there again
                return True
            case "chatLine" if line.get("room") == "player" and line.get("username") not in self._own_names:
                remark("chat", Phrase("{name}: {text}", name=line.get("username"), text=line.get("text")))
            case "opponentGone":
                seconds = line.get("claimWinInSeconds")
                said = Phrase(
                    "your opponent has left; lichess gives you the game in {seconds} s if you claim it there",
                    seconds=seconds,
                )
                remark("gone", said if line.get("gone") and seconds is not None else "")
        return False

    @property
    def _own_names(self) -> tuple[str, ...]:
        return (self.start.names[self.start.side], "lichess")

    async def make(self, ply: int, move: str, spent_ms: int) -> None:
        """Send the move; lichess measures the time itself."""
        del spent_ms
        await self.api.post(f"{self._path}/move/{self.game.code_of(ply, move)}")

    async def offer_draw(self) -> None:
        await self.api.post(f"{self._path}/draw/yes")

    async def decline_draw(self) -> None:
        await self.api.post(f"{self._path}/draw/no")

    async def resign(self) -> None:
        """Resign; before the second move lichess only aborts a game."""
        action = "resign" if self.game.plies > 1 else "abort"
        await self.api.post(f"{self._path}/{action}")

    async def flag(self) -> None:
        """Do nothing: lichess measures the time itself."""

    async def take_back(self, ply: int) -> None:
        """Propose to take back; lichess decides how far."""
        del ply
        self.game.proposed()
        await self.api.post(f"{self._path}/takeback/yes")


@dataclass
class LichessTable:
    """A `Joined` game on lichess."""

    url: str
    token: str
    start: GameStart
    skipped: int
    """Moves that were made before the table took the game over."""
    position: str
    """The position then."""
    intervals: Intervals = USUAL

    @property
    def request(self) -> Begin:
        """The game at the table: without clocks of its own, since lichess keeps the time."""
        by = (PlayedBy.TABLE, PlayedBy.ELSEWHERE)
        setup = GameSetup(
            CHESS,
            players=self.start.names,
            control=NONE,
            position=self.position if self.skipped or self.start.fen else "",
            played_by=by if self.start.side == 0 else by[::-1],
        )
        return Begin(setup)

    async def play(self, table: Table, inform: Inform) -> None:
        """Play it at *table*."""
        game = LichessGame(self.start.fen, self.skipped)
        async with Lichess(self.url, self.token, self.intervals) as api:
            server = LichessServer(api, self.start, game, self.intervals)
            await follow(table, server, frozenset({self.start.side}), inform, self.intervals)


async def find_game(
    url: str, token: str, wish: Wish, number: str, inform: Inform, intervals: Intervals = USUAL
) -> LichessTable:
    """Return the game *number*, one that is on, or a new one as *wish* says.

    Waits for an opponent. Raises `OnlineRefused`, and `InvalidArgument` for a wish that lichess
    does not fulfil.
    """
    fields = wish.form()
    known: set[str] | None = None
    async with Lichess(url, token, intervals) as api:
        while True:
            try:
                own = str((await api.get("/api/account")).get("id", ""))
                if not number:
                    search = _Search(api, wish, fields, inform, known)
                    number = await search.result()
                    known = search.known
                full = await _full(api, number)
                break
            except OnlineUnreachable as fault:
                inform(Phrase("{reason}; this is tried again", reason=fault))
                await asyncio.sleep(intervals.retry_s)
    start = start_of(full, own)
    if start.variant not in _PLAYED:
        raise OnlineRefused(
            "game {number} is {variant}: only standard chess is played from the table",
            number=number,
            variant=start.variant,
        )
    game = LichessGame(start.fen)
    game.take_full(full)
    return LichessTable(url, token, start, game.plies, game.position, intervals)


async def _full(api: Lichess, number: str) -> Json:
    """Return the first message of the stream of game *number*."""
    async with contextlib.aclosing(_objects(api, f"/api/board/game/stream/{number}")) as lines:
        async for line in lines:
            return line
    raise OnlineRefused("there is no game {number} on {server}", number=number, server=api.name)


async def _objects(api: Lichess, path: str) -> AsyncGenerator[Json]:
    """Yield the objects of the stream at *path*."""
    async for line in api.lines("GET", path):
        if line is not None:
            yield line


@dataclass
class _Search:
    """A search: events are read before anything is asked for."""

    api: Lichess
    wish: Wish
    fields: dict[str, str]
    inform: Inform
    known: set[str] | None
    """The games that were on before; None if that is not known yet."""

    async def result(self) -> str:
        """Return the id of the game. Raises like `Lichess.get`."""
        asking: asyncio.Task[None] | None = None
        try:
            async with asyncio.TaskGroup() as group:
                async with contextlib.aclosing(self.api.lines("GET", "/api/stream/event")) as events:
                    on: list[Json] = []
                    async for event in events:
                        if event is None and asking is None:  # all games that are on have been listed
                            if found := self._going_on(on):
                                return found
                            asking = group.create_task(self._ask(), name="seek")
                        elif event is not None and event.get("type") == "gameStart":
                            game = event.get("game", {})
                            on.append(game)
                            if asking is not None and game.get("gameId") not in (self.known or ()):
                                asking.cancel()
                                return str(game["gameId"])
                if asking is not None:
                    asking.cancel()
        except BaseExceptionGroup as failures:
            raise leaf(failures) from None
        raise OnlineUnreachable("{server} has closed the connection", server=self.api.name)

    def _going_on(self, on: list[Json]) -> str:
        """Return the id of the game among *on* to go on with; "" without one."""
        first, self.known = self.known is None, self.known or {str(game.get("gameId")) for game in on}
        fresh = [game for game in on if str(game.get("gameId")) not in self.known]
        with_clock = [game for game in on if game.get("speed") != "correspondence" and _is_playable(game)]
        for game in with_clock if first else fresh:
            self.inform(Phrase("going on with game {number}", number=game.get("gameId")))
            return str(game["gameId"])
        return ""

    async def _ask(self) -> None:
        """Ask for a game, and wait. Raises `OnlineRefused` if it is declined."""
        if self.wish.level is not None:
            await self.api.post("/api/challenge/ai", self.fields)
            return
        if self.wish.opponent == ANYONE:
            self.inform(Phrase("waiting for an opponent on {server}", server=self.api.name))
            while True:  # a seek that has expired is made again
                async for _ in self.api.lines("POST", "/api/board/seek", self.fields):
                    pass
                if "days" in self.fields:
                    return
                await asyncio.sleep(USUAL.retry_s)
        self.inform(Phrase("waiting for {name} to accept the challenge", name=self.wish.opponent))
        fields = {**self.fields, "keepAliveStream": "true"}
        async for line in self.api.lines("POST", f"/api/challenge/{self.wish.opponent}", fields):
            if line is not None and line.get("done") in ("declined", "canceled"):
                raise OnlineRefused("{name} has declined the challenge", name=self.wish.opponent)


def _is_playable(game: Json) -> bool:
    """True if *game* can be played with the Board API."""
    return bool(game.get("compat", {}).get("board", True))
