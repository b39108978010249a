# SPDX-License-Identifier: Apache-2.0
"""Moves of a chess engine that can play the level, else of our own search.

Its rule: an engine that fails costs no move. It is started again; if that fails, too, our own
search plays the move, and after several such moves the rest of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from companion.host.opponent.thinker import Ahead, MoveSource, SearchInput, Thought
from companion.model.errors import OpponentError
from companion.opponent.levels import find_level

if TYPE_CHECKING:
    from companion.host.opponent.engine import Engine

_MOST_MS: Final = 1000
"""Longest time of an engine for a move; more does not help a limited strength."""
_MOST_FAILURES: Final = 3
"""Unanswered moves in a row after which an engine is given up."""


class EnginePlayer:
    """A `MoveSource`: the engine at *path*, or *own*. The engine starts with the first question."""

    def __init__(
        self, path: str, own: MoveSource, inform: Callable[[str], None], grace_ms: int = 1500
    ) -> None:
        """*inform* gets what people should know of the engine, which may be late by *grace_ms*."""
        self._path = path
        self._own = own
        self._inform = inform
        self._grace_ms = grace_ms
        self._engine: Engine | None = None
        self._prepared: tuple[int, bool] | None = None
        """Strength and kind of chess for which the engine is prepared."""
        self._failures = 0
        self._value = 0
        """Of its last move."""

    async def choose(self, at: SearchInput, level: str, seed: int) -> Thought:
        """Return the move of an opponent of *level*. Raises `OpponentError`."""
        elo = find_level(at.rules.slug, level).elo
        if elo and self._failures < _MOST_FAILURES:
            moves = at.rules.legal_moves(at.position)
            if len(moves) == 1:
                return Thought(moves[0], self._value, 0, 0, 0)
            thought = await self._ask_engine(replace(at, most_ms=min(at.most_ms, _MOST_MS)), elo)
            if thought is not None:
                return thought
        return await self._own.choose(at, level, seed)

    async def _ask_engine(self, at: SearchInput, elo: int) -> Thought | None:
        """Return the engine's move at *elo*; None if it cannot play so, or fails."""
        for is_last in (False, True):
            try:
                engine = await self._prepared_engine(elo, is_chess960=at.rules.options["start"] != "standard")
                if engine is None:
                    return None
                thought = await engine.choose(at)
                self._value = thought.value
            except OpponentError as fault:
                await self._drop()
                if is_last:
                    self._failures += 1
                    self._inform(fault.message)
            else:
                self._failures = 0
                return thought
        return None

    async def _prepared_engine(self, elo: int, *, is_chess960: bool) -> Engine | None:
        """Return the engine, prepared for *elo*; None if it cannot play so, or without Chess960.

        Raises `OpponentError`.
        """
        from companion.host.opponent.engine import Engine

        if self._engine is None:
            self._engine = await Engine.start(self._path, grace_ms=self._grace_ms, say=self._inform)
        if not self._engine.can_play(elo) or (is_chess960 and not self._engine.can_play_960):
            return None
        if self._prepared != (elo, is_chess960):
            await self._engine.prepare(elo, is_chess960=is_chess960)
            self._prepared = elo, is_chess960
        return self._engine

    def think_ahead(self, ahead: Ahead) -> None:
        """Let what plays there think ahead: the engine, or our own search."""
        at, engine = ahead.search, self._engine
        asked = [find_level(at.rules.slug, str(level)).elo for level in ahead.levels if level]
        plays = [elo for elo in asked if elo and (engine is None or engine.can_play(elo))]
        if self._failures >= _MOST_FAILURES or not plays:
            self._own.think_ahead(ahead)
        elif engine is not None:
            engine.think_ahead(replace(at, most_ms=min(at.most_ms, _MOST_MS)))

    def rest(self) -> None:
        """Let nothing think ahead any more."""
        self._own.rest()
        if self._engine is not None:
            self._engine.rest()

    async def kill(self) -> None:
        """End the engine and our own process at once."""
        await self._drop()
        await self._own.kill()

    async def _drop(self) -> None:
        """End the engine."""
        engine, self._engine, self._prepared = self._engine, None, None
        if engine is not None:
            await engine.kill()
