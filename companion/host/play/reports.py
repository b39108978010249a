# SPDX-License-Identifier: Apache-2.0
"""Tasks beside a table: report its link, and store its games when they end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from companion.host.journal import journal as journals
from companion.host.records.records import from_journal
from companion.host.records.store import keep
from companion.host.table.game_setup import TableGame
from companion.host.table.link_status import link_lines
from companion.host.table.table import Table
from companion.host.text.error_translation import translate
from companion.model.errors import CompanionError
from companion.model.game import Outcome


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

    The journal keeps the games in any case.
    """
    path, words = table_game.journal.path, table_game.pipeline.words
    try:
        kept = list(from_journal(journals.read(path)))
        if kept:
            keep(store, kept)
    except CompanionError as fault:
        reason = translate(fault, words.language)
        inform(words.fill(words.common.status["not-stored"], reason=reason, path=str(path)))
