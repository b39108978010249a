# SPDX-License-Identifier: Apache-2.0
"""Analyses of games in the background, one at a time, kept in the store.

Its rule: it thinks in a process of its own with low priority, which ends with the program. An
analysis that was interrupted begins again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from companion.host.codec import decode, encode
from companion.host.opponent.thinker import Analysis, SearchInput, Thinker
from companion.host.records.records import KeptGame, rules_of
from companion.host.watch.judged import EDITION, GameAnalysis, JudgedPosition, foreseen
from companion.model.errors import CompanionError
from companion.model.game import AnyRules
from companion.model.notation import replay, write_line
from companion.opponent.knowledge import WIN

USUAL_MS: Final = 300
"""Time for a position, and for a move that was not the best."""
_MOST_GAMES: Final = 20
"""Analyses in memory."""


class Reviewer:
    """Analyses of games; `close` ends the work."""

    def __init__(
        self,
        store: str | None,
        ms: int = USUAL_MS,
        thinker: Thinker | None = None,
        most_nodes: int | None = None,
    ) -> None:
        """*store* is the URL of the store; None for the default.

        A search ends after *ms* or *most_nodes*, whichever comes first.
        """
        self._store = store
        self._ms = ms
        self._most_nodes = most_nodes
        self._thinker = thinker or Thinker()
        self._found: dict[str, GameAnalysis] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()
        self._asking = asyncio.Lock()
        """Held for one search; those who try a move wait for no whole game."""

    async def progress(self, game: KeptGame) -> GameAnalysis:
        """Return the analysis of *game* so far; the rest follows in the background.

        Raises `CompanionError` if it has failed; the next call begins again.
        """
        digest = game.digest
        if digest not in self._found:
            kept = await asyncio.to_thread(self._kept, digest)
            self._found[digest] = kept or GameAnalysis(
                len([*replay(rules_of(game.record), game.record)]), edition=EDITION
            )
            for old in [*self._found][:-_MOST_GAMES]:
                if old not in self._tasks:
                    del self._found[old]
        task = self._tasks.get(digest)
        if task is not None and task.done():
            del self._tasks[digest]
            task.result()
        elif task is None and not self._found[digest].is_complete:
            self._tasks[digest] = asyncio.create_task(self._analyse(game), name="review")
        return self._found[digest]

    async def finish(self, game: KeptGame) -> AsyncIterator[GameAnalysis]:
        """Yield the analysis of *game* after each position. Raises `CompanionError`."""
        found = await self.progress(game)
        while not found.is_complete:
            await asyncio.wait({self._tasks[game.digest]}, timeout=0.2)
            found = await self.progress(game)
            yield found

    async def tried(self, game: KeptGame, number: int, move: str) -> JudgedPosition | None:
        """Return position *number* of *game*, judged as if *move* had been made.

        None as long as the position is not judged. Raises `CompanionError`, also for an
        illegal *move*.
        """
        found = await self.progress(game)
        rules = rules_of(game.record)
        past = [position for position, _ in islice(replay(rules, game.record), number + 1)]
        if not 0 <= number < len(found.positions) or not found.positions[number].line:
            return None
        judged, position = found.positions[number], past.pop()
        after = rules.apply(position, rules.read_move(position, move))
        if move == judged.line[0]:
            return replace(judged, played=judged.value, played_claims=judged.claims)
        made = await self._analysis(SearchInput(rules, position, past, self._ms), move)
        value = max(judged.value, made.value)
        tried = replace(judged, value=value, played=made.value, played_claims=made.claims)
        if len(rules.sides) > 2:
            return tried
        following = await self._judge(rules, after, "", [*past, position])
        return foreseen(tried, following, flips=after.turn != position.turn)

    async def close(self) -> None:
        """End the work and its process."""
        for task in self._tasks.values():
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._thinker.kill()

    async def _analyse(self, game: KeptGame) -> None:
        """Analyse *game*, and keep the result. Raises `CompanionError`."""
        digest, rules = game.digest, rules_of(game.record)
        played = [*replay(rules, game.record)]
        async with self._turn:
            judged: list[JudgedPosition] = []
            past: list[Any] = []
            for number, (position, _) in enumerate(played):
                move = played[number + 1][1] if number + 1 < len(played) else ""
                judged.append(await self._judge(rules, position, move, past))
                if number and len(rules.sides) == 2 and played[number][1]:
                    flips = played[number - 1][0].turn != position.turn
                    judged[-2] = foreseen(judged[-2], judged[-1], flips=flips)
                past.append(position)
                self._found[digest] = GameAnalysis(len(played), tuple(judged), EDITION)
        await asyncio.to_thread(self._keep, digest, self._found[digest])

    async def _judge(self, rules: AnyRules, position: Any, move: str, past: list[Any]) -> JudgedPosition:
        """Judge *position*, in which *move* was made."""
        outcome = rules.status(position)
        if outcome is not None:
            won = position.turn in outcome.winners
            return JudgedPosition(WIN if won else -WIN if outcome.winners else 0)
        at = SearchInput(rules, position, past, self._ms)
        best = made = await self._analysis(at)
        line = write_line(rules, position, best.line)
        if move and move != line[0]:
            made = await self._analysis(at, move)
        return JudgedPosition(
            max(best.value, made.value),
            line,
            made.value if move else None,
            best.claims,
            made.claims if move else (),
        )

    async def _analysis(self, at: SearchInput, move: str = "") -> Analysis:
        """Analyse a position, or *move* in it. Raises `CompanionError`."""
        async with self._asking:
            return await self._thinker.analyse(at, most_nodes=self._most_nodes, move=move, with_claims=True)

    def _kept(self, digest: str) -> GameAnalysis | None:
        """Return the kept analysis of the game with *digest*, if there is one."""
        from companion.host.records.store import Store

        try:
            with Store.open(self._store) as store:
                text = store.analysis(digest)
            found: GameAnalysis = decode(GameAnalysis, json.loads(text or "{}"))
        except (CompanionError, ValueError):
            return None  # it can be made again
        return found if found.edition == EDITION else None

    def _keep(self, digest: str, found: GameAnalysis) -> None:
        """Keep the analysis of the game with *digest*, if the store can be used."""
        from companion.host.records.store import Store

        with contextlib.suppress(CompanionError), Store.open(self._store) as store:
            store.keep_analysis(digest, json.dumps(encode(GameAnalysis, found)))
