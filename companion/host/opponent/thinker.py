# SPDX-License-Identifier: Apache-2.0
"""Our own opponent in a process of its own: a table never waits for it.

Its rule: a process that dies or does not answer is replaced once; then `OpponentError` says so.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from companion.host.clock import monotonic
from companion.host.codec import decode
from companion.host.opponent.line_process import LineProcess
from companion.host.opponent.protocol import LEVELS, QUIT, REST, STOP
from companion.model.claims import WrittenClaim
from companion.model.errors import CompanionError, OpponentError
from companion.model.game import AnyRules
from companion.model.phrase import Phrase

T = TypeVar("T")

STRONGEST_MS: Final = 5000
USUAL_MS: Final = 2000
"""Longest times for a move: of the strongest level, and of the others."""
PROOF_MS: Final = 20_000
"""Longest time for the proof of a move in a puzzle."""
_GRACE_MS: Final = 30_000
"""How late the process may answer, with its start on a busy machine."""


@dataclass(frozen=True, slots=True)
class SearchInput:
    """A position to think about, and for how long."""

    rules: AnyRules
    position: Any
    past: Sequence[Any] = ()
    """The earlier positions of the game."""
    most_ms: int = USUAL_MS


@dataclass(frozen=True, slots=True)
class Thought:
    """A move and how it was found."""

    move: Any
    """A legal move of the rules."""
    value: int
    depth: int
    nodes: int
    ms: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """The best line of a position."""

    line: tuple[Any, ...]
    """Legal moves of the rules, at least one."""
    value: int
    """For the side to move."""
    depth: int
    nodes: int
    claims: tuple[WrittenClaim, ...] = ()
    """What is verified of the first move, if that was asked for."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """A position after which a side of the computer may be to move, or is."""

    search: SearchInput
    levels: tuple[int, ...]
    """Of each side, 0 for people."""
    seed: int
    """Of a move in this position; the next ply has the next number."""


class MoveSource(Protocol):
    """Decides moves outside the table's own process."""

    async def choose(self, at: SearchInput, level: str, seed: int) -> Thought:
        """Return the move of an opponent of *level*. Raises `OpponentError`."""
        ...

    def think_ahead(self, ahead: Ahead) -> None:
        """Think about the answers that may be wanted next, until `rest` or another question."""
        ...

    def rest(self) -> None:
        """Think ahead no more."""
        ...

    async def kill(self) -> None:
        """End all processes at once; the next question starts others."""
        ...


class Thinker:
    """One process, started with the first question; `close` ends it."""

    def __init__(self, command: Sequence[str] = (sys.executable, "-m", "companion.host.opponent.worker")):
        self._command = command
        self._process: LineProcess | None = None

    async def choose(self, at: SearchInput, level: str, seed: int) -> Thought:
        """Return the move of an opponent of *level*. Raises `OpponentError`."""
        return await self._ask_twice(
            {**_question(at), "level": level, "seed": seed},
            lambda found: Thought(at.rules.read_move(at.position, found.pop("move")), **found),
        )

    async def analyse(
        self, at: SearchInput, *, most_nodes: int | None = None, move: str = "", with_claims: bool = False
    ) -> Analysis:
        """Return the best line, or the best of those that begin with *move*.

        *with_claims* about its first move, for which a part of the time is kept.
        Raises `OpponentError`.
        """
        from companion.opponent.claims import checked

        def read(found: dict[str, Any]) -> Analysis:
            position, line = at.position, []
            for text in found.pop("line"):
                line.append(at.rules.read_move(position, text))
                position = at.rules.apply(position, line[-1])
            if not line:
                raise ValueError(line)
            said: tuple[WrittenClaim, ...] = decode(tuple[WrittenClaim, ...], found.pop("claims"))
            return Analysis(tuple(line), claims=checked(at.rules, at.position, line[0], said), **found)

        asked = {"move": move, "most_nodes": most_nodes, "claims": with_claims}
        return await self._ask_twice({**_question(at), **asked}, read)

    async def proves(self, at: SearchInput, side: int, moves: int) -> bool:
        """Return whether *side* wins in *moves* of its own by force. Raises `OpponentError`."""
        return await self._ask_twice(
            {**_question(at), "side": side, "moves": moves}, lambda found: bool(found["wins"])
        )

    def stop(self) -> None:
        """Ask for the move at once."""
        if self._process is not None:
            self._process.send([STOP])

    def think_ahead(self, ahead: Ahead) -> None:
        """Think about the answers that may be wanted next; no process is started for that."""
        if self._process is not None:
            question = {**_question(ahead.search), LEVELS: ahead.levels, "seed": ahead.seed}
            self._process.send([json.dumps(question)])

    def rest(self) -> None:
        """Think ahead no more."""
        if self._process is not None:
            self._process.send([REST])

    async def kill(self) -> None:
        """End the process at once, whatever it computes; the next question starts another."""
        await self._drop()

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            await process.close(QUIT)

    async def _ask_twice(self, question: dict[str, Any], read: Callable[[dict[str, Any]], T]) -> T:
        """Ask the process, and another one if it fails."""
        try:
            return await self._ask(question, read)
        except OpponentError:
            await self._drop()
        try:
            return await self._ask(question, read)
        except OpponentError:
            await self._drop()
            raise

    async def _ask(self, question: dict[str, Any], read: Callable[[dict[str, Any]], T]) -> T:
        """Ask the process, which is started if need be; *read* its answer."""
        if self._process is None:
            self._process = await LineProcess.start(Phrase("the opponent's process"), self._command)
        process = self._process
        process.send([json.dumps(question)])
        line = await process.line(monotonic(), question["most_ms"] + _GRACE_MS)
        try:
            return read(json.loads(line))
        except (ValueError, TypeError, LookupError, CompanionError) as fault:
            raise OpponentError(
                "{name} answers nonsense: {reason}", name=process.name, reason=fault
            ) from fault

    async def _drop(self) -> None:
        """End a process that has failed."""
        process, self._process = self._process, None
        if process is not None:
            await process.kill()


def _question(at: SearchInput) -> dict[str, Any]:
    """Return what every question says."""
    return {
        "game": at.rules.slug,
        "options": dict(at.rules.options),
        "position": at.rules.write_position(at.position),
        "past": [at.rules.write_position(each) for each in at.past],
        "most_ms": at.most_ms,
    }
