# SPDX-License-Identifier: Apache-2.0
"""A server that speaks lichess' Board API as its public OpenAPI description has it.

python-chess says which moves are legal. Streams have empty lines in between; a test can cut them,
answer 429, and send states twice or late.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import chess
import uvicorn
from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

TOKEN = "lip_secret"
OWN = {"id": "ana", "name": "Ana", "title": None, "rating": 1500}
OTHER = {"id": "bo", "name": "Bo", "title": "FM", "rating": 2300}
_KEEP_ALIVE_S = 0.1
_CUT = object()


@dataclass
class FakeGame:
    """One game on the server."""

    number: str
    colour: str = "white"
    clock: tuple[int, int] | None = (900_000, 10_000)
    board: chess.Board = field(default_factory=chess.Board)
    left: dict[str, int] = field(default_factory=lambda: {"w": 900_000, "b": 900_000})
    status: str = "started"
    winner: str | None = None
    draws: set[str] = field(default_factory=set)
    take_backs: set[str] = field(default_factory=set)
    lines: list[asyncio.Queue[Any]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    """What was asked of it."""

    @property
    def mine(self) -> str:
        return self.colour[0]

    @property
    def theirs(self) -> str:
        return "b" if self.mine == "w" else "w"

    def state(self) -> dict[str, Any]:
        said: dict[str, Any] = {
            "type": "gameState",
            "moves": " ".join(move.uci() for move in self.board.move_stack),
            "wtime": self.left["w"] if self.clock else 2**31 - 1,
            "btime": self.left["b"] if self.clock else 2**31 - 1,
            "winc": 10_000,
            "binc": 10_000,
            "status": self.status,
        }
        said |= {f"{side}draw": True for side in self.draws}
        said |= {f"{side}takeback": True for side in self.take_backs}
        return said | ({"winner": self.winner} if self.winner else {})

    def full(self) -> dict[str, Any]:
        return {
            "type": "gameFull",
            "id": self.number,
            "variant": {"key": "standard", "name": "Standard", "short": "Std"},
            "speed": "rapid" if self.clock else "correspondence",
            "perf": {"name": "Rapid"},
            "rated": False,
            "createdAt": 1_745_112_707_998,
            "white": OWN if self.colour == "white" else OTHER,
            "black": OTHER if self.colour == "white" else OWN,
            "initialFen": "startpos",
            "state": self.state(),
        } | ({"clock": {"initial": self.clock[0], "increment": self.clock[1]}} if self.clock else {})

    def say(self, said: object = None) -> None:
        """Send *said*, or the present state, to all who read the stream."""
        for line in self.lines:
            line.put_nowait(said or self.state())

    def make(self, code: str) -> None:
        """Make the move *code* for the side to move."""
        self.board.push_uci(code)
        self.draws.clear()
        self.take_backs.clear()
        self.left["b" if self.board.turn else "w"] -= 7_000
        if self.board.is_checkmate():
            self.end("mate", "black" if self.board.turn else "white")
        else:
            self.say()

    def end(self, status: str, winner: str | None = None) -> None:
        self.status, self.winner = status, winner
        self.say()
        self.cut()

    def take_back(self, plies: int) -> None:
        for _ in range(plies):
            self.board.pop()
        self.take_backs.clear()
        self.say()

    def cut(self) -> None:
        """Close all streams."""
        for line in self.lines:
            line.put_nowait(_CUT)


@dataclass
class FakeLichess:
    """The server; `url` is where it listens."""

    games: dict[str, FakeGame] = field(default_factory=dict)
    url: str = ""
    seeks: list[dict[str, str]] = field(default_factory=list)
    declines: bool = False
    too_many: int = 0
    """How many of the next requests are answered 429."""
    asked: list[str] = field(default_factory=list)
    has_game: asyncio.Event = field(default_factory=asyncio.Event)
    has_seek: asyncio.Event = field(default_factory=asyncio.Event)
    events: list[asyncio.Queue[Any]] = field(default_factory=list)

    def begin(self, game: FakeGame) -> FakeGame:
        """Begin *game*, and tell the player."""
        self.games[game.number] = game
        for line in self.events:
            line.put_nowait(_started(game))
        self.has_game.set()
        return game

    def app(self) -> FastAPI:
        app = FastAPI(dependencies=[Depends(self._admit)])
        app.exception_handler(_DeniedError)(_denied)
        app.get("/api/account")(self._account)
        app.delete("/api/token")(self._revoke)
        app.get("/api/stream/event")(self._stream_events)
        app.post("/api/board/seek")(self._seek)
        app.post("/api/challenge/{name}")(self._challenge)
        app.get("/api/board/game/stream/{number}")(self._stream)
        app.post("/api/board/game/{number}/{action:path}")(self._act)
        return app

    async def _admit(self, request: Request) -> None:
        self.asked.append(f"{request.method} {request.url.path}")
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            raise _DeniedError(401, "No such token")
        if self.too_many:
            self.too_many -= 1
            raise _DeniedError(429, "Too many requests. Try again later.")

    async def _account(self) -> Any:
        return {"id": "ana", "username": "Ana"}

    async def _revoke(self) -> Response:
        return Response(status_code=204)

    async def _stream_events(self) -> Response:
        line: asyncio.Queue[Any] = asyncio.Queue()
        for game in self.games.values():
            if game.status == "started":
                line.put_nowait(_started(game))
        self.events.append(line)
        return _streamed(line, self.events)

    async def _seek(self, request: Request) -> Response:
        form = await _form(request)
        self.seeks.append(form)
        self.has_seek.set()
        if "days" in form:
            return JSONResponse({"id": "seek1"})

        async def until_accepted() -> AsyncIterator[str]:
            while not self.games:
                yield "\n"
                await asyncio.sleep(_KEEP_ALIVE_S)

        return StreamingResponse(until_accepted(), media_type="application/x-ndjson")

    async def _challenge(self, name: str, request: Request) -> Response:
        form = await _form(request)
        self.seeks.append(form)
        self.has_seek.set()
        if name == "ai":
            self.begin(FakeGame("ai000001"))
            return JSONResponse({"id": "ai000001"}, 201)
        done = "declined" if self.declines else "accepted"

        async def until_answered() -> AsyncIterator[str]:
            yield json.dumps({"id": "chal0001", "status": "created"}) + "\n"
            if not self.declines:
                self.begin(FakeGame("chal0001"))
            yield json.dumps({"done": done}) + "\n"

        return StreamingResponse(until_answered(), media_type="application/x-ndjson")

    async def _stream(self, number: str) -> Response:
        game = self.games.get(number)
        if game is None:
            return JSONResponse({"error": "No such game"}, 404)
        line: asyncio.Queue[Any] = asyncio.Queue()
        line.put_nowait(game.full())
        if game.status != "started":
            line.put_nowait(_CUT)
        game.lines.append(line)
        return _streamed(line, game.lines)

    async def _act(self, number: str, action: str) -> Response:
        game = self.games[number]
        game.sent.append(action)
        if game.status != "started":
            return JSONResponse({"error": "This game is over"}, 400)
        match action.split("/"):
            case ["move", code]:
                if ("w" if game.board.turn else "b") != game.mine:
                    return JSONResponse({"error": "Not your turn, or game already over"}, 400)
                try:
                    game.board.parse_uci(code)
                except ValueError:
                    return JSONResponse({"error": f"{code} is not legal"}, 400)
                game.make(code)
            case ["draw", "yes"]:
                if game.theirs in game.draws:
                    game.end("draw")
                else:
                    game.draws.add(game.mine)
                    game.say()
            case ["draw", "no"]:
                game.draws.clear()
                game.say()
            case ["takeback", "yes"]:
                if game.theirs in game.take_backs:
                    game.take_back(1 if ("w" if game.board.turn else "b") == game.mine else 2)
                else:
                    game.take_backs.add(game.mine)
                    game.say()
            case ["resign"]:
                game.end("resign", "black" if game.mine == "w" else "white")
            case ["abort"]:
                game.end("aborted")
        return JSONResponse({"ok": True})


class _DeniedError(Exception):
    """Status and reason."""


async def _denied(_request: Request, fault: Exception) -> Response:
    status, reason = fault.args
    return JSONResponse({"error": reason}, status)


async def _form(request: Request) -> dict[str, str]:
    return dict(parse_qsl((await request.body()).decode()))


def _started(game: FakeGame) -> dict[str, Any]:
    about = {"gameId": game.number, "id": game.number, "color": game.colour, "compat": {"board": True}}
    return {"type": "gameStart", "game": about | {"speed": "rapid" if game.clock else "correspondence"}}


def _streamed(line: asyncio.Queue[Any], lines: list[asyncio.Queue[Any]]) -> Response:
    """A stream of what is put into *line*, with empty lines in between."""

    async def said() -> AsyncIterator[str]:
        try:
            while True:
                try:
                    async with asyncio.timeout(_KEEP_ALIVE_S):
                        item = await line.get()
                except TimeoutError:
                    yield "\n"
                    continue
                if item is _CUT:
                    return
                yield item if isinstance(item, str) else json.dumps(item) + "\n"
        finally:
            lines.remove(line)

    return StreamingResponse(said(), media_type="application/x-ndjson")


@asynccontextmanager
async def lichess() -> AsyncIterator[FakeLichess]:
    """The server inside the block."""
    fake = FakeLichess()
    config = uvicorn.Config(fake.app(), log_level="critical", timeout_graceful_shutdown=1, lifespan="off")
    server = uvicorn.Server(config)
    server.capture_signals = _no_signals  # type: ignore[method-assign]
    listener = socket.create_server(("127.0.0.1", 0))
    fake.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    serving = asyncio.create_task(server.serve([listener]))
    try:
        yield fake
    finally:
        for game in fake.games.values():
            game.cut()
        for line in fake.events:
            line.put_nowait(_CUT)
        server.should_exit = True
        await serving


@contextmanager
def _no_signals() -> Iterator[None]:
    yield
