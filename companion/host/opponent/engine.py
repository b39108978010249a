# SPDX-License-Identifier: Apache-2.0
"""A chess engine that speaks UCI.

Its rule: an engine that hangs, dies or plays an illegal move is killed, and `OpponentError` says
so; a game goes on with our own search.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.host.clock import monotonic
from companion.host.opponent.line_process import LineProcess
from companion.host.opponent.thinker import SearchInput, Thought
from companion.model.errors import NotationError, OpponentError
from companion.opponent.uci import (
    BestMove,
    EngineName,
    EngineOption,
    EngineValue,
    Ready,
    can_play,
    go,
    read_move,
    read_reply,
    setup,
)

_HANDSHAKE_MS: Final = 15_000
"""Longest time to start; some engines load large files."""
_GRACE_MS: Final = 1500
"""How much later than it should an engine may answer."""


async def check_engine(path: str) -> None:
    """Raise `OpponentError` if *path* is no UCI engine."""
    await (await Engine.start(path)).close()


class Engine:
    """A running engine; `start` makes it, `close` ends it."""

    def __init__(self, process: LineProcess, handshake_ms: int, grace_ms: int) -> None:
        self.name = process.name
        self.options: list[EngineOption] = []
        self._process = process
        self._handshake_ms = handshake_ms
        self._grace_ms = grace_ms

    @classmethod
    async def start(
        cls, path: str, *, handshake_ms: int = _HANDSHAKE_MS, grace_ms: int = _GRACE_MS
    ) -> Engine:
        """Start the engine at *path* and greet it. Raises `OpponentError` with what it said."""
        process = await LineProcess.start(Path(path).name, [path], is_foreign=True)
        engine = cls(process, handshake_ms, grace_ms)
        try:
            engine._process.send(["uci"])
            await engine._until(Ready("uciok"))
        except OpponentError as fault:
            await engine.kill()
            raise OpponentError(
                "{path} is no UCI engine: {reason}. It said: {said!r}. Name another with --engine",
                path=path,
                reason=fault.message,
                said=process.last_words,
            ) from fault
        return engine

    def can_play(self, elo: int) -> bool:
        """True if the engine can limit its strength to *elo*."""
        return can_play(self.options, elo)

    async def prepare(self, elo: int | None, *, is_chess960: bool = False) -> None:
        """Begin a game with a limited or, without *elo*, with full strength."""
        self._process.send([*setup(self.options, elo, is_chess960=is_chess960), "isready"])
        try:
            await self._until(Ready("readyok"))
        except OpponentError:
            await self.kill()
            raise

    async def choose(self, at: SearchInput) -> Thought:
        """Return the engine's move. Raises `OpponentError`; then the engine has been killed."""
        clock = monotonic()
        self._process.send(go(at.rules, at.position, at.most_ms))
        try:
            best, value = await self._best(at.most_ms + self._grace_ms)
            return Thought(read_move(at.rules, at.position, best.text), value, 0, 0, clock())
        except NotationError as fault:
            await self.kill()
            raise OpponentError(
                "{name} plays an illegal move and is stopped: {reason}", name=self.name, reason=fault
            ) from fault
        except OpponentError:
            await self.kill()
            raise

    def stop(self) -> None:
        """Ask for the move at once."""
        self._process.send(["stop"])

    async def close(self) -> None:
        """End the engine."""
        await self._process.close("quit")

    async def kill(self) -> None:
        """End the engine without asking."""
        await self._process.kill()

    async def _best(self, most_ms: int) -> tuple[BestMove, int]:
        """Return the answer to `go`, and the last value before it; 0 without one."""
        clock, value = monotonic(), 0
        while True:
            reply = read_reply(await self._process.line(clock, most_ms))
            if isinstance(reply, EngineValue):
                value = reply.value
            elif isinstance(reply, BestMove):
                return reply, value

    async def _until(self, wanted: Ready) -> None:
        """Read until *wanted*, and note name and options on the way."""
        clock = monotonic()
        while (reply := read_reply(await self._process.line(clock, self._handshake_ms))) != wanted:
            if isinstance(reply, EngineName):
                self.name = reply.name or self.name
            elif isinstance(reply, EngineOption):
                self.options.append(reply)
