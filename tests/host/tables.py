# SPDX-License-Identifier: Apache-2.0
"""Tables for tests: Close Quarters with a virtual panel.

They run in virtual time or on an event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from companion import games
from companion.feedback.words import load
from companion.host.journal import journal
from companion.host.journal.journal import Entry, Header, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.rig import Rig
from companion.host.table.pipeline import Pipeline
from companion.host.table.table import Table
from companion.link.connection import Connection
from companion.link.panel import panel_for
from companion.referee.session.session import Session
from companion.referee.values.timing import DEFAULT_TIMING
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet

GAME = "close-quarters"
HEADER = Header(journal.FORMAT, "0.1.0", "2026-05-01T20:15:00+02:00", GameSetup(GAME), DEFAULT_TIMING)


@dataclass
class Kept:
    """A journal in memory that records when it was synced."""

    entries: list[Entry] = field(default_factory=list)
    safe: int = 0
    """Synced entries."""

    def keep(self, entries: object) -> None:
        self.entries.extend(entries)  # type: ignore[arg-type]

    def sync(self) -> None:
        self.safe = len(self.entries)


def pipeline_for(
    kept: Kept | JournalWriter, session: Session | None = None, language: str = "en"
) -> Pipeline:
    rules = games.find(GAME).rules() if session is None else session.rules
    keep = kept.keep if isinstance(kept, Kept) else kept.write
    return Pipeline(session or Session(rules), load(language, GAME, rules.sides), Connection(1), keep)


def link_of(pipeline: Pipeline) -> Connection:
    """The connection of a table with a panel of ours."""
    assert isinstance(pipeline.connection, Connection)
    return pipeline.connection


def panel_under(pipeline: Pipeline, now_ms: int = 0) -> VirtualPanel:
    panel = panel_for(pipeline.session.rules.grid)
    return VirtualPanel(panel, unique_id=b"testtest", session=1, now_ms=now_ms)


def rig_for(kept: Kept | JournalWriter, session: Session | None = None, now_ms: int = 1000) -> Rig:
    """A running table in virtual time, with the pieces of the session's position."""
    pipeline = pipeline_for(kept, session)
    rig = Rig(pipeline, panel_under(pipeline, now_ms), PieceSet(pipeline.view.placement), now_ms, kept.sync)
    rig.advance(200)
    return rig


async def until(table: Table, holds: Callable[[], bool]) -> None:
    """Wait until *holds*, checked after each change."""
    async with asyncio.timeout(60):
        with table.watch() as has_changed:
            while not holds():
                await has_changed.wait()
                has_changed.clear()


def carry(rig: Rig, cells: str, *, hold_ms: int = 300, rest_ms: int = 1500) -> None:
    """Move a piece like a person; a piece on the target is taken off first."""
    source, target = rig.pipeline.session.rules.grid.cells(cells)
    rig.become(rig.pieces.lift(source))
    rig.advance(hold_ms)
    rig.become(rig.pieces.clear(target))
    rig.advance(150)
    rig.become(rig.pieces.drop(target))
    rig.advance(rest_ms)


def play(rig: Rig, moves: str) -> None:
    """Play all of *moves*, written `a1-b2` and separated by spaces."""
    for move in moves.split():
        carry(rig, move.replace("-", " "))


def written(path: Path, moves: str, header: Header = HEADER) -> Path:
    """A journal of a table where *moves* were made."""
    with JournalWriter.create(path, header) as writer:
        play(rig_for(writer), moves)
    return path


WHOLE_GAME = "a1-b2 d8-b8 b2-c3 b8-b2 c3-b2 d1-b2"
"""Two CHECK!s, a capture by the Sword, and the capture of the Sword."""
