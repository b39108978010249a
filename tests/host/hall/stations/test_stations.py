# SPDX-License-Identifier: Apache-2.0
"""Stations of one program: a failed one is tried again, and one server shows all."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest

from companion.host.devices.camera import CameraOptions
from companion.host.hall.stations.local_station import LocalStation, read_station
from companion.host.hall.stations.station_channels import local_channel_opener
from companion.host.hall.stations.stations import EVENING_S, Stations, _game_to_start
from companion.host.journal import journal as journals
from companion.host.journal.journal import Continued, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.start import LOOPBACK, PlayOptions
from companion.host.table.table import Table
from companion.referee.values.events import GameAdjourned
from tests.host.hall.halls import hall_at, until
from tests.host.hall.many_stations.test_worker_processes import play_on, shown, sit, station
from tests.host.tables import GAME, HEADER, written


async def played(
    folder: Path, stations: Stations, *names: LocalStation, until_said: list[str], what: str
) -> None:
    """Play at the stations *names* until *what* is printed."""
    async with hall_at(folder, f"sqlite:///{folder}/hall.sqlite") as hall, stations.serving(LOOPBACK):
        tasks = [
            asyncio.create_task(stations.run(each, local_channel_opener(hall, each.folder))) for each in names
        ]
        await until(lambda: any(what in text for text in until_said), what)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def test_a_failing_station_is_named_and_restarted_while_the_others_play_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    said: list[str] = []
    tries = 0

    async def beside(name: str, table: Table) -> None:
        nonlocal tries
        if name == "red":
            tries += 1
            if tries == 1:
                raise ZeroDivisionError("what nobody expects")
        await play_on(name, table)

    async def scenario() -> None:
        stations = Stations(said.append, beside)
        async with hall_at(tmp_path, f"sqlite:///{tmp_path}/hall.sqlite") as hall, stations.serving(LOOPBACK):
            both = [station(tmp_path, name) for name in ("red", "blue")]
            tasks = [
                asyncio.create_task(stations.run(each, local_channel_opener(hall, each.folder)))
                for each in both
            ]
            for name in ("blue", "red"):
                await until(lambda name=name: bool((glance := shown(hall, name)) and glance.outcome), name)  # type: ignore[misc]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(scenario())
    assert "red: error in this program, ZeroDivisionError('what nobody expects'); trying again" in said
    assert not any("blue" in text and "trying again" in text for text in said)
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.getMessage() for record in errors] == ["error in this program: the board red begins again"]
    caplog.clear()


def test_all_stations_have_their_pages_at_one_address_by_name(tmp_path: Path) -> None:
    said: list[str] = []

    async def scenario() -> None:
        stations = Stations(said.append, sit)
        async with hall_at(tmp_path, f"sqlite:///{tmp_path}/hall.sqlite") as hall, stations.serving(LOOPBACK):
            both = [station(tmp_path, name) for name in ("red", "blue")]
            tasks = [
                asyncio.create_task(stations.run(each, local_channel_opener(hall, each.folder)))
                for each in both
            ]
            await until(lambda: len(pages(said)) == 2, "both boards have a page")
            for name in ("red", "blue"):
                address = next(page for page in pages(said) if page.endswith(f"/{name}/"))
                for part in ("", "page/main.js", "games.json"):
                    with await asyncio.to_thread(urlopen, f"{address}{part}", timeout=60) as answer:
                        assert answer.status == 200
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(scenario())


def pages(said: list[str]) -> list[str]:
    return [text.rpartition(" ")[2] for text in said if "the table is at" in text]


@pytest.mark.parametrize("age_s", [60, EVENING_S + 60])
def test_an_interrupted_game_is_resumed_on_the_same_evening(tmp_path: Path, age_s: int) -> None:
    red = station(tmp_path, "red")
    said: list[str] = []

    async def once(what: str) -> None:
        said.clear()
        await played(tmp_path, Stations(said.append, sit), red, until_said=said, what=what)

    async def scenario() -> None:
        moves: list[str] = []

        async def one(name: str, table: Table) -> None:
            playing = asyncio.create_task(play_on(name, table))
            with table.watch() as has_changed:
                while len(table.pipeline.view.record) < 2:
                    await has_changed.wait()
                    has_changed.clear()
            playing.cancel()
            moves.extend(move.move for move in table.pipeline.view.record)
            said.append("two moves are made")
            await sit(name, table)

        await played(tmp_path, Stations(said.append, one), red, until_said=said, what="two moves are made")
        (path,) = red.folder.glob("*.jsonl")
        when = path.stat().st_mtime - age_s
        os.utime(path, (when, when))
        await once("the table is at")
        assert any("Going on with" in text for text in said) == (age_s < EVENING_S)
        assert len(moves) == 2

    asyncio.run(scenario())


def test_a_new_game_begins_if_the_journal_of_the_last_one_is_inconsistent(tmp_path: Path) -> None:
    red = station(tmp_path, "red")
    red.folder.mkdir(parents=True)
    old = replace(HEADER, format=1)
    path = written(red.folder / f"2026-11-22_20-00-00_{GAME}.jsonl", "a1-b2 d8-b8", old)
    path.write_text(path.read_text("utf-8").replace('"ply":1', '"ply":9'), "utf-8")
    said: list[str] = []
    assert _game_to_start(red, said.append).resumed is None
    (why,) = said
    assert why.startswith(f"{path}, line ")
    assert why.endswith("does not fit what is before it; a new game begins")


@pytest.mark.parametrize("was_obeyed", [True, False])
def test_an_order_that_was_not_obeyed_replaces_no_game_after_a_kill(tmp_path: Path, was_obeyed: bool) -> None:
    """Its journal has only a header; a game that it replaces is adjourned."""
    red = station(tmp_path, "red")
    red.folder.mkdir(parents=True)
    now = datetime.now(UTC)
    names = [f"{now - timedelta(minutes=ago):%Y-%m-%d_%H-%M-%S}_{GAME}.jsonl" for ago in (9, 2)]
    path = written(red.folder / names[0], "a1-b2 d8-b8", replace(HEADER, began=now.isoformat()))
    if was_obeyed:
        going_on = Continued(90_000, "0.1.0", now.isoformat())
        with JournalWriter.append(journals.read(path), going_on) as writer:
            writer.write([GameAdjourned(100_000)])
    with JournalWriter.create(red.folder / names[1], replace(HEADER, order="o", began=now.isoformat())):
        pass
    started = _game_to_start(red, lambda _said: None)
    assert (started.resumed is not None) == (not was_obeyed)
    assert started.header.order == ("o" if was_obeyed else "")
    assert (red.folder / names[1]).exists() == was_obeyed, "the hall repeats an order that was not answered"


@pytest.mark.parametrize(
    ("text", "port", "camera"),
    [
        ("red=chess", None, None),
        ("red=chess@/dev/ttyUSB0", "/dev/ttyUSB0", None),
        ("red=chess,draw_rules=none@/dev/ttyUSB0", "/dev/ttyUSB0", None),
        ("red=chess@camera:0", None, CameraOptions("0")),
        (
            "red=chess@camera:/dev/v4l/by-id/usb-7,kitchen",
            None,
            CameraOptions("/dev/v4l/by-id/usb-7", "kitchen"),
        ),
        (
            "red=chess@camera:http://phone:8080/video,hall",
            None,
            CameraOptions("http://phone:8080/video", "hall"),
        ),
    ],
)
def test_a_station_is_named_with_its_game_and_its_sensors(
    text: str, port: str | None, camera: CameraOptions | None
) -> None:
    found = read_station(text, PlayOptions(GameSetup("")))
    assert (
        found.name,
        found.play_options.setup.game,
        found.play_options.port,
        found.play_options.camera,
    ) == (
        "red",
        "chess",
        port,
        camera,
    )
    assert found.play_options.setup.options == ((("draw_rules", "none"),) if "draw_rules" in text else ())
    assert found.play_options.at == ""


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("red=gottaz,pawns=starter,at=b2", None),
        ("red=gottaz,pawns=starter@dgt:/dev/ttyUSB0,at=b2", "dgt:/dev/ttyUSB0"),
    ],
)
def test_a_station_of_a_hall_lies_at_a_given_place_of_its_panel(text: str, port: str | None) -> None:
    found = read_station(text, PlayOptions(GameSetup(""))).play_options
    assert (found.setup.game, found.port, found.at) == ("gottaz", port, "b2")
    assert found.setup.options == (("pawns", "starter"),)
