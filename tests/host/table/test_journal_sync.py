# SPDX-License-Identifier: Apache-2.0
"""A table's journal on a disk that is full for a while."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

import pytest

from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.table.journal_sync import JournalSaver, Room, Saved, sync_in_thread
from companion.host.table.table_game import TableGame
from companion.referee.values.commands import Pause
from tests.host.tables import GAME, HEADER, rig_for


def test_everything_is_kept_once_the_disk_has_room_again_even_without_announcements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def evening() -> None:
        told: asyncio.Queue[Saved | Room] = asyncio.Queue()
        saver = JournalSaver(sync_in_thread, told.put_nowait)
        with JournalWriter.create(tmp_path / "game.jsonl", HEADER) as journal:
            rig = rig_for(journal)
            pipeline = rig.pipeline
            table_game = TableGame(GameSetup(GAME), pipeline, journal, monotonic(), None)
            pipeline.command(Pause(), rig.now_ms)
            with monkeypatch.context() as disk:
                disk.setattr(os, "fsync", full)
                saver.save(table_game)
                saver.take(await told.get(), table_game)
            assert (pipeline.is_unsafe, pipeline.is_kept, pipeline.view.phase) == (False, False, "paused")
            saver.take(Room(), table_game)
            assert not pipeline.is_unsafe, "nothing waits for the disk"
            saver.take(await told.get(), table_game)
            assert (pipeline.is_kept, journal.fault) == (True, "")
        saver.forget()

    asyncio.run(asyncio.wait_for(evening(), 60))
    assert "No space left on device" in caplog.text
    caplog.clear()


def test_a_bug_in_a_sync_does_not_pass_for_a_success(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def evening() -> None:
        told: asyncio.Queue[Saved | Room] = asyncio.Queue()
        synced: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        saver = JournalSaver(lambda _journal: synced, told.put_nowait)
        with JournalWriter.create(tmp_path / "game.jsonl", HEADER) as journal:
            rig = rig_for(journal)
            rig.pipeline.command(Pause(), rig.now_ms)
            saver.save(TableGame(GameSetup(GAME), rig.pipeline, journal, monotonic(), None))
            synced.set_exception(ZeroDivisionError("a bug"))
            await asyncio.wait({synced})
            await asyncio.sleep(0)
        assert told.empty()

    asyncio.run(asyncio.wait_for(evening(), 60))
    assert "ZeroDivisionError: a bug" in caplog.text
    caplog.clear()
