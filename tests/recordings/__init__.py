# SPDX-License-Identifier: Apache-2.0
"""Journals of games; `tests/test_recordings.py` replays every file of this folder."""

from __future__ import annotations

from pathlib import Path

from companion.host.journal import journal
from companion.host.journal.journal import Entry, JournalWriter
from companion.host.records.replay import after, opened
from companion.referee.values.events import Event

FOLDER = Path(__file__).parent


def recordings() -> list[Path]:
    """Every recording, by name."""
    return sorted(FOLDER.glob(f"*{journal.SUFFIX}"))


def again(path: Path) -> None:
    """Rewrite the recording in *path* with the events that its inputs cause now."""
    read = journal.read(path)
    session, entries = opened(read), list[Entry]()
    for entry in read.entries:
        if not isinstance(entry, Event):
            told = [each for each in entries if isinstance(each, Event)]
            session, events = after(session, entry, told, read)
            entries += [entry, *events]
    path.unlink()
    with JournalWriter.create(path, read.header) as writer:
        writer.write(entries)
