# SPDX-License-Identifier: Apache-2.0
"""An error of this program ends no table.

It is logged, the players see a message, and the game continues.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.journal import journal
from companion.host.journal.journal import Continued, JournalWriter
from companion.host.play.new_table import make_table
from companion.host.records.records import from_journal
from companion.host.records.replay import replay
from companion.host.table.pipeline import Pipeline
from companion.link.panel import panel_for
from companion.model.game import AnyRules
from companion.referee.session.session import Session
from companion.virtual.panel import VirtualPanel
from tests.host.table.test_table import CLOCK, Hall
from tests.host.tables import GAME, HEADER
from tests.host.tcp import TcpPanel

pytestmark = pytest.mark.usefixtures("no_closing_pause")


class BrokenRules:
    """Rules with an error in the explanation of illegal moves."""

    def __init__(self, rules: AnyRules, errors: int) -> None:
        self._rules = rules
        self.errors = errors
        """The number of remaining errors."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def explain(self, *arguments: Any) -> Any:
        if self.errors:
            self.errors -= 1
            raise ZeroDivisionError("an error of ours")
        return self._rules.explain(*arguments)


@asynccontextmanager
async def broken_table(path: Path, errors: int) -> AsyncIterator[Hall]:
    """A running table whose rules raise in the given number of explanations."""
    game = games.find(GAME)
    rules: Any = BrokenRules(game.rules(), errors)
    virtual = VirtualPanel(panel_for(rules.grid), unique_id=b"testtest", session=1, now_ms=CLOCK())
    for cell in rules.grid.cells("a1 d1 a8 d8"):
        virtual.close(cell, CLOCK())
    async with TcpPanel(virtual, CLOCK).serving() as line:
        with JournalWriter.create(path, HEADER) as writer:
            words = load("en", GAME, rules.sides)
            table = make_table(line.url, game, Session(rules), words, writer, CLOCK)
            running = asyncio.create_task(table.run())
            try:
                yield Hall(table, line, path, running)
            finally:
                running.cancel()
                await asyncio.wait({running})
        if not running.cancelled():
            running.result()


def has_erred(pipeline: Pipeline) -> bool:
    """True if an error of the program is shown."""
    return pipeline.words.common.health["program-error"] in pipeline.warnings(pipeline.words)


def test_an_error_is_logged_and_shown_and_the_game_continues(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "game.jsonl"

    async def play() -> None:
        async with broken_table(path, errors=1) as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.move(0, 5)
            await at.until(lambda: at.moves() == ["a1-b2"])
            at.move(31, 2)  # an illegal move, whose explanation raises
            await at.until(lambda: has_erred(at.table.pipeline))
            assert load("en", GAME, at.table.pipeline.words.sides).common.health["program-error"] in str(
                at.table.page_state()
            )
            await at.until(lambda: at.table.pipeline.view.phase == "setting_up")
            at.move(2, 31)
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.move(31, 29)
            await at.until(lambda: at.moves() == ["a1-b2", "d8-b8!"])
            assert not has_erred(at.table.pipeline)

    with caplog.at_level(logging.ERROR):
        asyncio.run(play())
    (record,) = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert str(path) in record.getMessage()
    assert record.exc_info is not None
    caplog.clear()
    kept = journal.read(path)
    (continued,) = [entry for entry in kept.entries if isinstance(entry, Continued)]
    assert continued.error == "ZeroDivisionError: an error of ours"
    assert replay(kept) is None
    (game,) = from_journal(kept)
    assert game.record.moves == ("a1-b2", "d8-b8!")


def test_an_error_that_repeats_itself_ends_no_table(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        async with broken_table(tmp_path / "game.jsonl", errors=1000) as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.move(0, 5)
            await at.until(lambda: at.moves() == ["a1-b2"])
            for _ in range(8):
                at.move(31, 2)
                await at.until(lambda: at.table.pipeline.view.phase == "setting_up")
                at.move(2, 31)
                await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.move(31, 29)
            await at.until(lambda: at.moves() == ["a1-b2", "d8-b8!"])

    with caplog.at_level(logging.ERROR):
        asyncio.run(play())
    errors = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert len(errors) > 1, "it repeated itself"
    assert all(each.exc_info is not None for each in errors)
    caplog.clear()
