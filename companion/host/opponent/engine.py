# SPDX-License-Identifier: Apache-2.0
"""A chess engine that speaks UCI.

Its rule: an engine that hangs, dies or plays an illegal move is killed, and `OpponentError` says
so; a game goes on with our own search. An answer that nobody waits for is read and dropped before
the next question, so no answer is taken for that to another question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from companion.host.clock import monotonic
from companion.host.opponent.installed import command_of
from companion.host.opponent.line_process import LineProcess
from companion.host.opponent.thinker import SearchInput, Thought
from companion.model.errors import NotationError, OpponentError
from companion.model.phrase import Phrase
from companion.opponent.uci import (
    PONDERHIT,
    STOP,
    BestMove,
    EngineName,
    EngineOption,
    EngineValue,
    Ready,
    can_play,
    can_play_960,
    can_ponder,
    go,
    lacks,
    read_move,
    read_reply,
    setup,
)

_HANDSHAKE_MS: Final = 15_000
"""Longest time to start; some engines load large files."""
_FIRST_MS: Final = 15_000
"""The same for the first answer: many load what they need only then."""
_GRACE_MS: Final = 1500
"""How much later than it should an engine may answer."""


async def check_engine(path: str) -> Phrase | None:
    """Return what the engine at *path* cannot do; None if nothing matters here.

    Raises `OpponentError` if it is no UCI engine.
    """
    engine = await Engine.start(path)
    await engine.close()
    missing = lacks(engine.options)
    return Phrase("{name} lacks {what}", name=engine.name, what=missing) if missing else None


class Engine:
    """A running engine; `start` makes it, `close` ends it."""

    def __init__(
        self, process: LineProcess, first_ms: int, grace_ms: int, say: Callable[[Phrase], None]
    ) -> None:
        self.name = process.name
        self.options: list[EngineOption] = []
        self._process = process
        self._first_ms = first_ms
        self._grace_ms = grace_ms
        self._say = say
        self._has_answered = False
        """True once it has answered to `go`."""
        self._expected: tuple[str, str] | None = None
        """The position after its last move, and the reply that it expects."""
        self._ahead: str | None = None
        """The position that it thinks about ahead."""
        self._owes_move = False
        """True until its answer to `go` has been read."""

    @classmethod
    async def start(
        cls,
        path: str,
        *,
        handshake_ms: int = _HANDSHAKE_MS,
        first_ms: int = _FIRST_MS,
        grace_ms: int = _GRACE_MS,
        say: Callable[[Phrase], None] = lambda _said: None,
    ) -> Engine:
        """Start the engine that *path* names, also with arguments, and greet it.

        *say* tells people why they wait.

        Raises `OpponentError` with what it said.
        """
        command = command_of(path)
        process = await LineProcess.start(Path(command[0]).name, command, is_foreign=True)
        engine = cls(process, first_ms, grace_ms, say)
        try:
            engine._process.send(["uci"])
            await engine._until(Ready("uciok"), handshake_ms)
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

    @property
    def can_play_960(self) -> bool:
        """True if the engine knows Chess960."""
        return can_play_960(self.options)

    async def prepare(self, elo: int | None, *, is_chess960: bool = False) -> None:
        """Begin a game with a limited or, without *elo*, with full strength."""
        self._process.send([*setup(self.options, elo, is_chess960=is_chess960), "isready"])
        try:
            await self._until(Ready("readyok"), _HANDSHAKE_MS)
        except OpponentError:
            await self.kill()
            raise

    async def choose(self, at: SearchInput) -> Thought:
        """Return the engine's move. Raises `OpponentError`; then the engine has been killed."""
        clock, rules = monotonic(), at.rules
        try:
            if self._owes_move and self._ahead == rules.write_position(at.position):
                self._process.send([PONDERHIT])
            else:
                await self._settle()
                self._process.send(go(rules, at.position, at.most_ms))
                self._owes_move = True
            self._ahead = None
            best, value = await self._best(at.most_ms)
            move = read_move(rules, at.position, best.text)
        except NotationError as fault:
            await self.kill()
            raise OpponentError(
                "{name} plays an illegal move and is stopped: {reason}", name=self.name, reason=fault
            ) from fault
        except OpponentError:
            await self.kill()
            raise
        self._expected = rules.write_position(rules.apply(at.position, move)), best.reply
        return Thought(move, value, 0, 0, clock())

    def think_ahead(self, at: SearchInput) -> None:
        """Think about the position after the reply that the engine expects in that of *at*.

        It does so once after each of its moves, until it is asked or told to rest; an engine that
        cannot, or expects no legal reply there, does nothing.
        """
        rules, expected, self._expected = at.rules, self._expected, None
        if expected is None or not can_ponder(self.options):
            return
        position, reply = expected
        if self._owes_move or rules.write_position(at.position) != position:
            return
        try:
            after = rules.apply(at.position, read_move(rules, at.position, reply))
        except NotationError:
            return
        if rules.status(after) is None:
            self._ahead, self._owes_move = rules.write_position(after), True
            self._process.send(go(rules, after, at.most_ms, is_ahead=True))

    def rest(self) -> None:
        """Think ahead no more."""
        if self._ahead is not None:
            self._ahead = None
            self._stop()

    async def close(self) -> None:
        """End the engine."""
        await self._process.close("quit")

    async def kill(self) -> None:
        """End the engine without asking."""
        await self._process.kill()

    async def _settle(self) -> None:
        """Read and drop what nobody waits for any more."""
        if self._owes_move:
            self._stop()
            await self._best(0)
        self._process.send(["isready"])
        await self._until(Ready("readyok"), self._grace_ms)

    def _stop(self) -> None:
        """Ask for the move at once."""
        self._process.send([STOP])

    async def _best(self, most_ms: int) -> tuple[BestMove, int]:
        """Return the answer to `go`, and the last value before it; 0 without one.

        An engine that does not answer in time gets `stop` after half of its grace. The first answer
        may take longer, which people are told.
        """
        clock, value, loop = monotonic(), 0, asyncio.get_running_loop()
        grace_ms = self._grace_ms if self._has_answered else max(self._grace_ms, self._first_ms)
        alarms = [loop.call_later((most_ms + self._grace_ms / 2) / 1000, self._stop)]
        if not self._has_answered:
            waits = Phrase("{name} is still getting ready for its first move", name=self.name)
            alarms.append(loop.call_later((most_ms + self._grace_ms) / 1000, self._say, waits))
        try:
            while True:
                reply = read_reply(await self._process.line(clock, most_ms + grace_ms))
                if isinstance(reply, EngineValue):
                    value = reply.value
                elif isinstance(reply, BestMove):
                    self._owes_move, self._has_answered = False, True
                    return reply, value
        finally:
            for alarm in alarms:
                alarm.cancel()

    async def _until(self, wanted: Ready, most_ms: int) -> None:
        """Read until *wanted*, and note name and options on the way."""
        clock = monotonic()
        while (reply := read_reply(await self._process.line(clock, most_ms))) != wanted:
            if isinstance(reply, EngineName):
                self.name = reply.name or self.name
            elif isinstance(reply, EngineOption):
                self.options.append(reply)
