# SPDX-License-Identifier: Apache-2.0
"""The mistakes of a finished game as choices of the menu on a real board.

Its rule: the game is analysed in the background, and each mistake is offered once all are known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from companion.feedback.words import load
from companion.host.records.records import rules_of
from companion.host.table.layers.board_menu import MenuChoice
from companion.host.table.layers.board_review import MoveJudgement
from companion.host.table.table import Table
from companion.host.table.table_game import Begin, TableGame, play_on_request
from companion.host.tasks import Show, guarded
from companion.host.watch.judged import GameAnalysis, Mistake, judgements, mistakes
from companion.host.watch.review import game_on
from companion.host.watch.review_report import sentence
from companion.host.watch.reviewer import Reviewer
from companion.model.notation import GameRecord
from companion.model.phrase import Phrase
from companion.opponent.levels import usual_level

_PREFIX = "mistake-"
_MOST = 3
"""Mistakes that the menu offers, the largest."""


@dataclass(frozen=True, slots=True)
class FoundMistakes:
    """The largest mistakes of the game *record*."""

    record: GameRecord
    found: tuple[Mistake, ...] = ()
    judged: tuple[MoveJudgement, ...] = ()
    """The judgement of each move, in turn."""

    @classmethod
    def of(cls, record: GameRecord, analysis: GameAnalysis) -> FoundMistakes:
        """Return the mistakes that *analysis* found in *record*."""
        largest = sorted(mistakes(record, analysis), key=lambda each: -each.loss)[:_MOST]
        found = sorted(largest, key=lambda each: each.number)
        return cls(record, tuple(found), tuple(judgements(record, analysis)))

    def choices(self, language: str) -> tuple[MenuChoice, ...]:
        """Return a choice for each, in *language*."""
        words = load(language, self.record.game, rules_of(self.record).sides)
        return tuple(
            MenuChoice(
                f"{_PREFIX}{each.number}",
                sentence(each, words).strip().rstrip(".。"),
                f"{each.played.text}? {each.better.text}",
                f"{each.played.text} ?",
            )
            for each in self.found
        )

    def request(self, value: str, level: int) -> Begin | None:
        """Return the request to play on before the mistake *value* against *level*.

        None if *value* is no choice of these.
        """
        for each in self.found:
            if value == f"{_PREFIX}{each.number}":
                return play_on_request(rules_of(self.record), each.position, level)
        return None


def level_after(table_game: TableGame) -> int:
    """Return the level of the computer in a game that goes on from *table_game*."""
    return max(table_game.setup.levels, default=0) or usual_level(table_game.setup.game)


class MistakeFinder:
    """Analyses each game that ends at a real board; `close` ends the work."""

    def __init__(self, table: Table, reviewer: Reviewer | None, wake: Callable[[], None], show: Show) -> None:
        """*wake* is called when mistakes are known; *show* gets failures.

        Without *reviewer*, none are found.
        """
        self._table, self._reviewer, self._wake, self._show = table, reviewer, wake, show
        self._task: asyncio.Task[None] | None = None
        self._found: FoundMistakes | None = None

    def look(self) -> FoundMistakes | None:
        """Return the mistakes of the game that is over.

        None in a game, and until they are known.
        """
        current, view = self._table.current, self._table.pipeline.view
        is_open = view.outcome is None or not view.record
        if is_open or current.virtual_table is not None or current.setup.is_exercise:
            self._forget()
        elif self._task is None and self._reviewer is not None:
            work = guarded(Phrase("the coach"), self._find(self._reviewer), self._show)
            self._task = asyncio.create_task(work, name="mistakes")
        return self._found

    async def _find(self, reviewer: Reviewer) -> None:
        """Find the mistakes of the game on the table. Raises `CompanionError`."""
        reviewed = await asyncio.to_thread(game_on, self._table)
        if reviewed is None:
            return
        begun = await reviewer.progress(reviewed.game)
        *_, analysis = (begun, *[each async for each in reviewer.finish(reviewed.game)])
        self._found = await asyncio.to_thread(FoundMistakes.of, reviewed.game.record, analysis)
        self._wake()

    def _forget(self) -> None:
        """Note that the game that was over is left."""
        if self._task is not None:
            self._task.cancel()
        self._task = self._found = None

    async def close(self) -> None:
        """End the work."""
        task = self._task
        self._forget()
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)
