# SPDX-License-Identifier: Apache-2.0
"""Cameras that come and go at a hall's machine, with real images.

Each camera is its own station, with any device number.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.host.devices import profiles
from companion.host.devices.profiles import Camera, plugged_cameras
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import StationState
from companion.host.hall.hotplug.cameras import Look
from companion.host.hall.hotplug.devices import Devices, KnownDevice
from companion.host.hall.run import HallOptions, plugged_stations
from companion.host.journal import journal as journals
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions
from companion.host.records.database import connect
from companion.model.errors import CameraUnavailable, Outage, StoreError
from companion.model.observation import SensorKind
from companion.referee.values.events import MoveMade, Stage
from companion.sensing import capture as door
from companion.sensing import devices
from companion.sensing.devices import spotted
from companion.sensing.profile import (
    BoardData,
    CameraData,
    CornerTag,
    Fit,
    Heights,
    Profile,
    board_corners_mm,
)
from companion.sensing.vision.codes import Grey
from tests.host.hall.halls import QUICK, Station, hall_at, until
from tests.host.hall.hotplug.test_panels import is_at, is_ready, seat
from tests.host.printed import ABOVE, HEIGHT_MM, PrintedTable
from tests.host.tables import GAME
from tests.phone import Phone
from tests.usb import Bus

KEY = "usb:046d:0825:1111"


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bus:
    """A machine whose cameras are phones; devices are found without delay."""
    made = Bus(tmp_path / "machine")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(door, "number_of", lambda source: devices.number_of(source, made.root))
    monkeypatch.setattr(cv2, "VideoCapture", made.device)
    return made


def profile_of(table: PrintedTable, name: str, key: str) -> Profile:
    """The profile of *table* that the workshop would write for a camera."""
    outfit = table.outfit
    corners = np.array([(*corner, 0.0) for corner in board_corners_mm(outfit.grid)])
    near_left, near_right, far_right, far_left = ((float(x), float(y)) for x, y in ABOVE.project(corners))
    tags = tuple(CornerTag(tag, at_mm) for tag, at_mm in outfit.corners.items())
    return Profile(
        name,
        "2026-11-22T20:15:00+01:00",
        CameraData("0", "FFMPEG", ABOVE.size_px, key=key),
        BoardData(outfit.grid.slug, 50.0, outfit.tag_mm, outfit.corner_mm, tags),
        Fit((near_left, near_right, far_right, far_left)),
        heights=Heights(HEIGHT_MM),
    )


@asynccontextmanager
async def hall_of(folder: Path, bus: Bus, said: list[str]) -> AsyncIterator[Hall]:
    """A hall in which all cameras of *bus* are stations."""
    async with hall_of_found(folder, partial(plugged_cameras, partial(spotted, bus.root)), said) as hall:
        yield hall


@asynccontextmanager
async def hall_of_found(folder: Path, look: Look, said: list[str]) -> AsyncIterator[Hall]:
    """A hall in which all cameras that *look* returns are stations."""
    store = f"sqlite:///{folder}/hall.sqlite"
    async with AsyncExitStack() as stack:
        hall = await stack.enter_async_context(hall_at(folder, store))
        usual = PlayOptions(GameSetup(""), folder=folder / "journals", browser=False, store=store)
        db = connect(store)
        stack.callback(db.close)
        play_options = HallOptions(
            camera_games=("chess", GAME), usual=usual, intervals=replace(QUICK, poll_s=0.05)
        )
        stations = plugged_stations(hall, play_options, Devices(db), said.append, look=look)
        async with stations as tasks:
            try:
                yield hall
            finally:
                for task in tasks:
                    task.cancel()
                ended = await asyncio.gather(*tasks, return_exceptions=True)
                assert not [fault for fault in ended if isinstance(fault, Exception)], ended


async def show(phone: Phone, images: Iterable[Grey]) -> None:
    """Show *images* to the camera, one after the other."""
    for image in images:
        await asyncio.to_thread(phone.show, image)


def is_missed(seat: StationState) -> bool:
    return "plug it in" in seat.hello.trouble


@pytest.mark.long
def test_a_camera_without_a_profile_is_named_with_the_remedy_and_is_a_station_once_it_has_one(
    tmp_path: Path, bus: Bus
) -> None:
    table, said = PrintedTable(), list[str]()

    async def running() -> None:
        async with AsyncExitStack() as later:
            first, back = later.enter_context(Phone()), later.enter_context(Phone())
            hall = await later.enter_async_context(hall_of(tmp_path, bus, said))
            bus.plug(0, "1111", phone=first)
            await until(lambda: bool(hall.faults.get("cameras")), "the camera is named")
            assert hall.faults["cameras"] == (
                f"the camera {KEY} (C270) has no profile for a board of chess, {GAME}:"
                f' python -m calibration workshop --source "{KEY}" --game chess',
            )
            assert (hall.hub.station_states.known, bus.opened) == ({}, [])
            profiles.folder().mkdir(parents=True)
            (profiles.folder() / "torn.toml").write_text("[")
            profiles.save(profile_of(table, "others", "usb:046d:0825:2222"), profiles.path_of("others"))
            await until(lambda: len(hall.faults["cameras"]) == 2, "the damaged profile is named, too")
            assert "torn.toml: this is not TOML" in hall.faults["cameras"][0]
            assert bus.opened == []
            (profiles.folder() / "torn.toml").unlink()
            profiles.save(profile_of(table, "mine", KEY), profiles.path_of("mine"))
            first.hold(table.see())
            await until(seat(hall, "board-1", is_ready), "the camera is a board")
            await until(lambda: not hall.faults["cameras"], "no fault is left")
            await show(first, table.carry("a1-b2"))
            await until(seat(hall, "board-1", is_at(1)), "it plays")
            bus.unplug(0)
            await until(seat(hall, "board-1", is_missed), "the camera is missing")
            for _ in table.carry("d8-b8"):
                pass  # no camera sees it
            back.hold(table.see())
            bus.plug(4, "1111", "3", phone=back)
            await until(seat(hall, "board-1", is_at(2)), "the camera is back with another number")
            bus.plug(6, "1111", "5")
            await until(lambda: bool(hall.faults["cameras"]), "the duplicate is reported")
            (fault,) = hall.faults["cameras"]
            assert f"the cameras 4, 6 all say that they are {KEY}: unplug all but one" in fault
            await show(back, table.carry("b2-c3"))
            await until(seat(hall, "board-1", is_at(3)), "the first plays on")
            bus.unplug(6)
            await until(lambda: not hall.faults["cameras"], "the duplicate is gone")
            bus.unplug(4)

    asyncio.run(running())
    assert set(bus.opened) == {0, 4}
    (path,) = (tmp_path / "journals" / "board-1").glob("*.jsonl")
    kept = journals.read(path)
    moves = [each for each in kept.events if isinstance(each, MoveMade) and each.stage is Stage.ANNOUNCED]
    assert [each.move.rstrip("!") for each in moves] == ["a1-b2", "d8-b8", "b2-c3"]
    assert kept.header.sensor is SensorKind.IDENTITY_FACING
    db = connect(f"sqlite:///{tmp_path}/hall.sqlite")
    assert Devices(db).all() == (KnownDevice(KEY, "board-1", GAME),)
    db.close()


def test_new_cameras_become_stations_with_distinct_names(
    tmp_path: Path, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names of known stations are not reused.

    The profiles are missing again, so no camera is opened.
    """
    made = ("draughts", "10x10"), ("club", "8x8")
    cameras = [Camera(key, number, "C270", made) for number, key in enumerate(("a", "b", "c", "c"))]
    there, said = list[Camera](), list[str]()
    give = Devices.give

    def look() -> tuple[list[Camera], list[str]]:
        if not there:
            raise CameraUnavailable("nobody can look", outage=Outage.NOT_INSTALLED)
        return there, ["a profile is damaged"]

    def give_unless_full(devices: Devices, owned: KnownDevice) -> None:
        if owned.device == "b":
            raise StoreError("the database is full")
        give(devices, owned)

    monkeypatch.setattr(Devices, "give", give_unless_full)

    async def running() -> None:
        async with hall_of_found(tmp_path, look, said) as hall, Station(tmp_path, "board-2").at(hall):
            await until(lambda: hall.faults.get("cameras") == ("nobody can look",), "the fault is named")
            await until(lambda: "board-2" in hall.hub.station_states.known, "the other board is known")
            there.extend(cameras)
            await until(lambda: len(hall.faults["cameras"]) == 2, "the faults are named")
            assert "the cameras 2, 3 all say that they are c" in hall.faults["cameras"][1]
            await until(
                lambda: len({text.partition(":")[0] for text in said if "trying again" in text}) == 2,
                "both boards fail without their profiles",
            )

    asyncio.run(running())
    assert {text.partition(" is plugged in")[0] for text in said if "plugged" in text} == {
        "board-1: camera a (C270)",
        "board-3: camera b (C270)",
    }
    assert "board-3: the database is full; it may have another name next time" in said
    tried = [text for text in said if "trying again" in text]
    assert all("club" in text for text in tried), "profiles of other boards must not be used"
    db = connect(f"sqlite:///{tmp_path}/hall.sqlite")
    assert Devices(db).all() == (KnownDevice("a", "board-1", "chess"),)
    db.close()
