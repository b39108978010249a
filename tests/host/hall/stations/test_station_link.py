# SPDX-License-Identifier: Apache-2.0
"""Reports of a table to its hall, and messages about the hall to its players."""

from __future__ import annotations

import asyncio
import errno
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from companion import games
from companion.feedback.words import load
from companion.host.devices.camera_status import CameraState, CameraStatus
from companion.host.hall.core.wire import Down, Refused, Up, Welcome
from companion.host.hall.stations.station_link import HallChannel, Identity, StationLink, trouble
from companion.host.journal.journal import JournalWriter
from companion.host.play.new_table import make_table
from companion.host.table.link_status import LinkState, LinkStatus
from companion.model.errors import HallUnreachable, Outage
from companion.model.os_errors import REASONS
from companion.model.phrase import Phrase
from companion.referee.session.session import Session
from companion.sensing.problems import CameraProblem
from tests.host.hall.halls import QUICK
from tests.host.tables import GAME, HEADER, Kept, pipeline_for


def test_faults_of_panel_camera_and_disk_are_reported_in_the_tables_language() -> None:
    pipeline = pipeline_for(Kept())
    pipeline.panel.status = LinkStatus(LinkState.CONNECTED, "8x8")
    assert trouble(pipeline) == ""
    pipeline.panel.status = LinkStatus(LinkState.CONNECTED, "8x8", ("chatter",))
    assert trouble(pipeline) == "A switch flickers"
    assert trouble(pipeline, load("de", "close-quarters", pipeline.words.sides)) == "Ein Schalter flackert"
    pipeline.is_kept = False
    german = trouble(pipeline, load("de", "close-quarters", pipeline.words.sides))
    assert german.startswith("Die Festplatte nimmt die Partie nicht an: "), (
        "a full disk must be reported, too"
    )
    assert trouble(pipeline).startswith("The game cannot be written to the disk")
    pipeline.is_kept = True
    pipeline.panel.status = LinkStatus(LinkState.LOST, "ttyUSB0: unplugged")
    assert trouble(pipeline) == "ttyUSB0: unplugged"
    pipeline.panel.status = LinkStatus(LinkState.ABSENT)
    pipeline.camera = CameraStatus(CameraState.WATCHING)
    assert trouble(pipeline) == ""
    pipeline.camera = CameraStatus(CameraState.WATCHING, troubles=frozenset({CameraProblem.NOT_LOCKED}))
    assert trouble(pipeline) == "", "many cameras never accept this setting"
    pipeline.camera = CameraStatus(CameraState.WATCHING, troubles=frozenset({CameraProblem.CAMERA_MOVED}))
    assert trouble(pipeline) == pipeline.words.common.camera["camera-moved"]
    pipeline.camera = CameraStatus(CameraState.LOST, Outage.UNPLUGGED)
    assert trouble(pipeline) == pipeline.words.common.camera["unplugged"]


class SilentChannel:
    """A channel on which the hall sends *said* and then nothing."""

    def __init__(self, *said: Down) -> None:
        self.said = list(said)

    async def send(self, message: Up) -> None:
        """Discard the message."""

    async def receive(self) -> Down:
        return self.said.pop(0) if self.said else await asyncio.Future()


def test_players_read_in_the_tables_language_why_there_is_no_hall(tmp_path: Path) -> None:
    key = Phrase(
        "this hall needs a key: ask the arbiter for a code for the board {board}, and start again with --join CODE",
        board="red",
    )
    way = SilentChannel(Down("red", "i", Refused(key)), Down("red", "i", Welcome("h", 1)))
    ways = iter([None, way])
    told: list[str] = []
    later = itertools.count(step=5000)

    @asynccontextmanager
    async def open_channel(_goodbye: Up) -> AsyncIterator[HallChannel]:
        if (way := next(ways)) is None:
            broker = Phrase("the broker at {host}:{port}", host="hall", port=1883)
            raise HallUnreachable(
                "{where} cannot be reached: {reason}", where=broker, reason=REASONS[errno.ECONNREFUSED]
            )
        yield way

    async def reporting() -> None:
        rules = games.find(GAME).rules()
        with JournalWriter.create(tmp_path / "game.jsonl", HEADER) as writer:
            croatian = load("hr", GAME, rules.sides)
            table = make_table(None, games.find(GAME), Session(rules), croatian, writer, lambda: 0)
            branch = StationLink(
                table,
                Identity("red", "i", "Red"),
                open_channel,
                lambda: next(later) if told[2:] else 0,
                inform=told.append,
                intervals=QUICK,
            )
            running = asyncio.create_task(branch.run())
            async with asyncio.timeout(60):
                while len(told) < 4:  # noqa: ASYNC110  the station link notifies only its players
                    await asyncio.sleep(0.01)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    asyncio.run(reporting())
    broken, locked, there, silent = told
    assert broken == (
        "Broker na hall:1883 nije dostupno: veza odbijena: ondje ništa ne radi; igra se dalje bez dvorane"
    )
    assert locked.startswith("Ova dvorana traži ključ: zatražite od suca kôd za ploču red")
    assert there == "Dvorana je tu"
    assert silent.startswith("Dvorana ne odgovara: ne radi, ili ključ")
    assert silent.endswith("; igra se dalje bez dvorane")
