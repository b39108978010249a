# SPDX-License-Identifier: Apache-2.0
"""Group fsync: journals of many tables are synced together, each in time."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from pathlib import Path

import pytest

from companion.host.hall.many_stations.group_fsync import GroupFsync, sync_all
from companion.host.journal.journal import CommandEntry, JournalWriter
from companion.referee.values.commands import Pause
from tests.host.tables import HEADER


def journals(folder: Path, number: int) -> list[JournalWriter]:
    return [JournalWriter.create(folder / f"{each}.jsonl", HEADER) for each in range(number)]


def test_written_entries_are_synced_by_few_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_disk: set[int] = set()
    crowds: list[int] = []
    real = os.fsync

    def fsync(file: int) -> None:
        at_disk.add(threading.get_ident())
        crowds.append(len(at_disk))
        real(file)
        at_disk.discard(threading.get_ident())

    async def scenario() -> None:
        keeper = GroupFsync()
        tables = journals(tmp_path, 40)
        monkeypatch.setattr(os, "fsync", fsync)
        for number, journal in enumerate(tables):
            journal.write([CommandEntry(number, Pause())])
        before = [journal.safe_bytes for journal in tables]
        await asyncio.gather(*map(keeper.keep, tables))
        assert all(now > then for now, then in zip((each.safe_bytes for each in tables), before, strict=True))
        assert all(each.safe_bytes == each.path.stat().st_size for each in tables)
        for journal in tables:
            journal.close()

    asyncio.run(scenario())
    assert max(crowds) <= 4


def test_a_failing_journal_does_not_delay_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        keeper = GroupFsync()
        full, other = journals(tmp_path, 2)
        for journal in (full, other):
            journal.write([CommandEntry(1, Pause())])
        real = os.fsync

        def fsync(file: int) -> None:
            if file == full.fileno():
                raise OSError(errno.ENOSPC, "No space left on device")
            real(file)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fsync)
            await asyncio.gather(keeper.keep(full), keeper.keep(other))
        assert "No space left" in full.fault
        assert other.safe_bytes == other.path.stat().st_size
        await keeper.keep(full)
        assert not full.fault
        full.close()
        other.close()

    asyncio.run(scenario())


def test_a_table_that_stops_waiting_may_close_its_journal(tmp_path: Path) -> None:
    async def scenario() -> None:
        keeper = GroupFsync()
        left, other = journals(tmp_path, 2)
        for journal in (left, other):
            journal.write([CommandEntry(1, Pause())])
        waits = [keeper.keep(journal) for journal in (left, other)]
        await asyncio.sleep(0)
        waits[0].cancel()
        left.close()
        await waits[1]
        other.close()
        assert left.path.stat().st_size == other.path.stat().st_size

    asyncio.run(scenario())


def test_waiting_journals_are_synced_together_and_the_first_without_delay(tmp_path: Path) -> None:
    walks: list[list[JournalWriter]] = []

    def sync(taken: list[JournalWriter]) -> None:
        walks.append(taken)
        sync_all(taken)

    async def scenario() -> None:
        keeper = GroupFsync(sync, gather_s=0.5)
        first, second, third = tables = journals(tmp_path, 3)
        await keeper.keep(first)
        waiting = [keeper.keep(second)]
        for _ in range(5):
            await asyncio.sleep(0)
        waiting.append(keeper.keep(third))
        await asyncio.gather(*waiting)
        assert walks == [[first], [second, third]]
        for journal in tables:
            journal.close()

    asyncio.run(scenario())
