# SPDX-License-Identifier: Apache-2.0
"""A film gives the same game at every speed of the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import cv2
import pytest

from companion.feedback.words import load
from companion.games import find
from companion.host.clock import RecordingClock
from companion.host.devices.camera import CameraOptions, set_up_camera
from companion.host.journal import journal
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.new_table import TableDevices, make_table
from companion.host.table.table import Table
from companion.host.table.table_game import TableGame
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.events import MoveMade, Stage
from companion.sensing.vision.codes import Grey
from tests.host.printed import PrintedTable
from tests.host.tables import GAME, HEADER, until

PERIOD_MS = 33
"""Between two images of a film."""


def film(folder: Path, images: Sequence[Grey]) -> str:
    """A folder with *images* and their times."""
    folder.mkdir()
    for number, image in enumerate(images):
        cv2.imwrite(str(folder / f"{number:03}@{number * PERIOD_MS:06}.jpg"), image)
    return str(folder)


def filmed_move() -> list[Grey]:
    """The start position for 400 ms, then `a1-b2`, then a second of rest."""
    table = PrintedTable()
    images = [table.see() for _ in range(12)]
    images += table.carry("a1-b2")
    rest = [table.see() for _ in range(3)]
    return images + rest * 10


def is_announced(table: Table) -> bool:
    """True if the last move is announced."""
    return any(move.stage is not Stage.PROVISIONAL for move in table.pipeline.view.record)


async def played(source: str, path: Path, *, is_late: bool) -> tuple[list[str], int]:
    """The announced moves of the film *source*, and the time at its end.

    *is_late*: the table begins only after the whole film was read.
    """
    game = find(GAME)
    rules, clock = game.rules(), RecordingClock()
    setup = set_up_camera(CameraOptions(source), game, {})
    with JournalWriter.create(path, HEADER) as writer:
        session, words = Session(rules, SensorKind.IDENTITY_FACING), load("en", GAME, rules.sides)
        table = make_table(None, game, session, words, writer, clock, TableDevices(camera_setup=setup))
        if is_late:
            late = table.current
            table = Table(TableGame(GameSetup(game.slug), late.pipeline, writer, clock, None))
            assert late.camera_task is not None
            await late.camera_task.run(table.inbox.put)
        running = asyncio.create_task(table.run())
        try:
            await until(table, lambda: is_announced(table))
        finally:
            running.cancel()
            await asyncio.wait({running})
    made = [each for each in journal.read(path).events if isinstance(each, MoveMade)]
    return [each.move for each in made if each.stage is Stage.ANNOUNCED], made[-1].at_ms


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The film of a move."""
    return film(tmp_path_factory.mktemp("films") / "move", filmed_move())


def test_a_move_is_seen_although_the_whole_film_was_read_before_the_table_began(
    source: str, tmp_path: Path
) -> None:
    late = asyncio.run(played(source, tmp_path / "late.jsonl", is_late=True))
    assert late[0] == ["a1-b2"]
    assert late == asyncio.run(played(source, tmp_path / "live.jsonl", is_late=False))


def test_the_time_of_a_film_stands_still_between_images_and_runs_on_after_the_last() -> None:
    clock = RecordingClock(500)
    clock.reach(533)
    assert (clock(), clock()) == (533, 533)
    clock.reach(520)
    assert clock() == 533
    clock.end()
    began = clock()
    while clock() == began:
        pass
    assert clock() > began >= 533
