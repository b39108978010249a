# SPDX-License-Identifier: Apache-2.0
"""Copies of many journals are synced together and acknowledged only then."""

from __future__ import annotations

import asyncio
import os
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion.host.hall.books import BookKeeper
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_sync import Have, Part
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Up
from companion.host.records.database import connect
from tests.host.hall.halls import copy_of, until

TEXT = '{"ply":1}\n'


@contextmanager
def hall_in(folder: Path) -> Iterator[Hall]:
    db = connect(f"sqlite:///{folder}/hall.sqlite")
    yield Hall(BookKeeper(db), folder / "copies", lambda: 0, lambda: "2026-11-21T19:00:00Z")
    db.close()


async def running(hall: Hall) -> asyncio.Task[None]:
    return asyncio.create_task(hall.run())


def acknowledged(answers: list[Down]) -> dict[str, int]:
    return {answer.board: answer.what.size for answer in answers if isinstance(answer.what, Have)}


def test_copies_are_acknowledged_once_on_disk_and_the_event_loop_does_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    synced: list[int] = []
    real = os.fsync

    def slow(file: int) -> None:
        assert threading.current_thread() is not threading.main_thread(), (
            "the hall's event loop must not wait for the disk"
        )
        may_go_on.wait()
        real(file)
        synced.append(file)

    async def scenario() -> None:
        with hall_in(tmp_path) as hall:
            task = await running(hall)
            answers: list[Down] = []
            monkeypatch.setattr(os, "fsync", slow)
            names = [f"b{number}" for number in range(30)]
            for name in names:
                hall.take(Up(name, "i", Hello(name, "i", name, "chess")), answers.append)
                hall.take(Up(name, "i", Part("game.jsonl", 0, 0, TEXT)), answers.append)
            assert not acknowledged(answers)
            assert copy_of(hall, "b7") is not None, "the copy must be readable"
            may_go_on.set()
            await until(lambda: len(acknowledged(answers)) == len(names), "all copies are acknowledged")
            assert set(acknowledged(answers).values()) == {len(TEXT)}
            assert len(synced) == len(names)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scenario())


def test_a_copy_that_the_disk_refuses_is_reported_and_acknowledged_only_when_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    async def scenario() -> None:
        with hall_in(tmp_path) as hall:
            task = await running(hall)
            answers: list[Down] = []
            hall.take(Up("red", "i", Hello("red", "i", "Red", "chess")), answers.append)
            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", full)
                hall.take(Up("red", "i", Part("game.jsonl", 0, 0, TEXT)), answers.append)
                await until(lambda: "No space left" in hall.hub.fault, "the fault is reported")
                assert not acknowledged(answers)
            again = Part("game.jsonl", 0, 0, TEXT)  # as the station sends it again after a while
            hall.take(Up("red", "i", again), answers.append)
            await until(lambda: acknowledged(answers) == {"red": len(TEXT)}, "the first part is acknowledged")
            more = Part("game.jsonl", len(TEXT), zlib.crc32(TEXT.encode()), TEXT)
            hall.take(Up("red", "i", more), answers.append)
            await until(
                lambda: acknowledged(answers) == {"red": 2 * len(TEXT)}, "the next part is acknowledged"
            )
            assert (tmp_path / "copies" / "red" / "game.jsonl").read_text() == 2 * TEXT
            assert not hall.hub.fault
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scenario())


@pytest.mark.parametrize("name", ["..", ".", "a/b", "a\\b", "", "a b", "../secret"])
def test_a_path_is_refused_as_the_name_of_a_station(tmp_path: Path, name: str) -> None:
    with hall_in(tmp_path) as hall:
        answers: list[Down] = []
        hall.take(Up(name, "i", Hello(name, "i", "Red", "chess")), answers.append)
        hall.take(Up(name, "i", Part("game.jsonl", 0, 0, TEXT)), answers.append)
        assert not answers
        assert not hall.hub.station_states.known
    assert not list(tmp_path.rglob("game.jsonl"))


def test_a_station_may_report_for_itself_only(tmp_path: Path) -> None:
    with hall_in(tmp_path) as hall:
        answers: list[Down] = []
        hall.take(Up("red", "i", Hello("blue", "i", "Blue", "chess")), answers.append)
        hall.take(Up("red", "i", Hello("red", "j", "Red", "chess")), answers.append)
        assert not answers
        assert not hall.hub.station_states.known
