# SPDX-License-Identifier: Apache-2.0
"""A disk that is really full.

The journal of a station, the hall's copy and the book are on it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from companion.host.hall.core.hall import Hall
from companion.host.hall.core.wire import Up
from companion.host.hall.stations.station_channels import LocalChannel
from companion.host.hall.stations.station_link import HallChannel
from companion.host.hall.views import Pages
from companion.model.errors import StoreError
from companion.tournament.acts import Noted
from companion.tournament.values import LOSS, WIN
from tests.host.hall.halls import CLOCK, Station, beginnings, copies, hall_at, two_players, until
from tests.host.tables import WHOLE_GAME


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A small file system."""
    if not shutil.which("mount") or os.geteuid() != 0:
        pytest.skip("a file system needs mount, and root")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no file systems can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """A file that takes all free space."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 512):
                pass
        except OSError:
            return ballast
    raise AssertionError("the file system did not fill up")


async def write_until_full(hall: Hall) -> None:
    for number in range(200):
        await hall.act("Arbiter", Noted(f"remark {number}"))


def test_a_full_disk_is_reported_while_the_game_continues_and_nothing_is_lost(
    small: Path, caplog: pytest.LogCaptureFixture
) -> None:
    moves = WHOLE_GAME.split()

    async def scenario() -> None:
        red = Station(small, "red")
        async with hall_at(small, f"sqlite:///{small}/hall.sqlite") as hall:

            @asynccontextmanager
            async def from_afar(goodbye: Up) -> AsyncIterator[HallChannel]:
                yield LocalChannel(hall)
                hall.take(goodbye, lambda _down: None)

            async with red.playing(from_afar):
                await two_players(hall)
                journal = red.table.current.journal
                await red.play(moves[0])
                await until(lambda: bool(copies(small, "red")), "the first move is copied")
                ballast = fill(small)
                with pytest.raises(StoreError, match="disk is full"):
                    await write_until_full(hall)
                before = list(hall.keeper.entries)
                await red.play(" ".join(moves[1:]))
                assert red.table.pipeline.view.outcome is not None, "the game has ended"
                await until(lambda: "sensor" in _alarms(hall), "the desk shows the board's full disk")
                assert journal.fault.endswith("No space left on device")
                assert beginnings(small, red)
                ballast.unlink()
                await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is reported")
                await until(
                    lambda: not journal.fault and "sensor" not in _alarms(hall),
                    "the board's disk works again",
                )
                await until(lambda: not Pages(hall).arbiters()["faults"], "no fault is left")
                assert hall.keeper.book.of("club").reported[1, 1].points == (LOSS, WIN)
                assert hall.keeper.entries[: len(before)] == before
                name, size = journal.path.name, journal.safe_bytes
                await until(lambda: len(copies(small, "red")[name]) == size, "the whole journal is copied")
                assert beginnings(small, red)
                assert red.announced() == [move.move for move in red.table.pipeline.view.record]

    asyncio.run(scenario())
    caplog.clear()


def _alarms(hall: Hall) -> set[str]:
    return {alarm.kind for alarm in hall.hub.station_states.alarms(CLOCK())}
