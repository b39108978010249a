# SPDX-License-Identifier: Apache-2.0
"""A table that is closed while its absent player stops thinking ends all the same."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.absent_player import Decision, MoveRequest, play_absent
from companion.host.play.new_table import make_table
from companion.host.records.replay import session_of
from companion.model.absent import PlayedBy
from companion.referee.session.session import Session
from companion.referee.values.commands import Pause
from companion.referee.values.view import TableView
from tests.host.tables import HEADER


class SlowToStop:
    """A player that thinks until it is cancelled, and then takes its time."""

    def __init__(self) -> None:
        self.is_asked, self.is_stopping = asyncio.Event(), asyncio.Event()

    async def decide(self, request: MoveRequest, session: Session, view: TableView) -> Decision:
        """Never decide."""
        self.is_asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.is_stopping.set()
            await asyncio.Event().wait()
        raise AssertionError


def test_a_cancellation_while_the_thinking_stops_is_not_lost(tmp_path: Path) -> None:
    async def played() -> None:
        game = games.find("chess")
        rules, player = game.rules(), SlowToStop()
        header = replace(HEADER, setup=GameSetup("chess", played_by=(PlayedBy.COMPUTER, PlayedBy.TABLE)))
        with JournalWriter.create(tmp_path / "game.jsonl", header) as writer:
            session, words = session_of(header, rules), load("en", "chess", rules.sides)
            table = make_table(None, game, session, words, writer, monotonic())
            running = asyncio.create_task(table.run())
            playing = asyncio.create_task(play_absent(table, PlayedBy.COMPUTER, player, print))
            async with asyncio.timeout(30):
                await player.is_asked.wait()
                table.ask(Pause())
                await player.is_stopping.wait()
                playing.cancel()
                await asyncio.wait({playing})
            assert playing.cancelled()
            running.cancel()
            await asyncio.wait({running})

    asyncio.run(played())
