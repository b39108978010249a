# SPDX-License-Identifier: Apache-2.0
"""Tasks beside a table: report its link, store its games, lead through its lessons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from companion.host.journal import journal as journals
from companion.host.journal.lessons import note_done
from companion.host.journal.setup import GameSetup
from companion.host.records.records import from_journal
from companion.host.table.link_status import link_lines
from companion.host.table.table import Table
from companion.host.table.table_game import Begin, TableGame
from companion.host.text.error_translation import translate
from companion.model.errors import CompanionError
from companion.model.game import Outcome

_READING_S: Final = 10.0
"""Time at a real board between a lesson and the set-up of the next."""


async def report_link(table: Table, inform: Callable[[str], None]) -> None:
    """Say the status of panel and camera whenever it changes."""
    reported = ("", "")
    with table.watch() as has_changed:
        while True:
            now = link_lines(table.pipeline)
            for line, before in zip(now, reported, strict=True):
                if line not in ("", before):
                    inform(line)
            reported = now
            await has_changed.wait()
            has_changed.clear()


async def keep_ended(table: Table, store: str | None, inform: Callable[[str], None]) -> None:
    """Store the games of the table's journal whenever one ends."""
    ended: Outcome | None = None
    with table.watch() as has_changed:
        while True:
            outcome = table.pipeline.view.outcome
            if outcome is not None and outcome != ended:
                await asyncio.to_thread(keep_games, table.current, store, inform)
            ended = outcome
            await has_changed.wait()
            has_changed.clear()


def keep_games(table_game: TableGame, store: str | None, inform: Callable[[str], None]) -> None:
    """Store the games of *table_game*'s journal; a failure is only reported.

    The journal keeps the games in any case. A lesson or a puzzle is no game.
    """
    if table_game.setup.is_exercise:
        return
    path, words = table_game.journal.path, table_game.pipeline.words
    try:
        kept = list(from_journal(journals.read(path)))
        if kept:
            from companion.host.records.store import keep

            keep(store, kept)
    except CompanionError as fault:
        reason = translate(fault, words.language)
        inform(words.fill(words.common.status["not-stored"], reason=reason, path=str(path)))


async def lead(table: Table, inform: Callable[[str], None]) -> None:
    """Keep what is done at *table*, and begin the next lesson when it is wanted.

    At a real board that is some time after a lesson, as there may be neither button nor page.
    """
    clock = asyncio.get_running_loop().time
    noted: object = None
    due: float | None = None
    with table.watch() as has_changed:
        while True:
            game, view = table.current, table.pipeline.view
            is_done = view.lesson is not None and view.lesson.is_done
            if not is_done:
                due = None
            elif noted is not game:
                noted = game
                due = clock() + _READING_S if game.virtual_table is None else None
                await _note(table, inform)
            if game.pipeline.teacher is not None and due is not None and clock() >= due:
                game.pipeline.teacher.go_on()
                due = None
            await _go_on(table, inform)
            try:
                async with asyncio.timeout_at(due):
                    await has_changed.wait()
            except TimeoutError:
                continue
            has_changed.clear()


async def _note(table: Table, inform: Callable[[str], None]) -> None:
    """Keep that the lesson at *table* is done; a failure is only reported."""
    setup = table.current.setup
    try:
        await asyncio.to_thread(note_done, setup.game, setup.lesson)
    except CompanionError as fault:
        inform(translate(fault, table.pipeline.words.language))


async def _go_on(table: Table, inform: Callable[[str], None]) -> None:
    """Begin the next lesson, if it is wanted."""
    teacher = table.pipeline.teacher
    following = teacher.take_next() if teacher is not None else ""
    if not following:
        return
    try:
        await table.request_game(Begin(GameSetup(table.current.setup.game, lesson=following)))
    except CompanionError as fault:
        inform(translate(fault, table.pipeline.words.language))
