# SPDX-License-Identifier: Apache-2.0
"""A renumbered camera is found by its system name, or else by its properties."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.model.errors import CameraUnavailable, Outage
from companion.model.installation import install_command
from companion.sensing import capture as door
from companion.sensing.capture import Capture
from companion.sensing.devices import (
    Identity,
    Spotted,
    camera_name,
    cameras,
    gives_pictures,
    identity,
    is_camera,
    key_of,
    number_of,
    places_of,
    spotted,
)
from tests.usb import Bus

SIZE = (64, 48)


def plug(root: Path, number: int, name: str, serial: str = "") -> None:
    """A camera as Linux shows it, with or without a serial number."""
    (root / "dev/v4l/by-id").mkdir(parents=True, exist_ok=True)
    (root / f"dev/video{number}").touch()
    (root / f"sys/class/video4linux/video{number}").mkdir(parents=True)
    (root / f"sys/class/video4linux/video{number}/name").write_text(f"{name}\n")
    if serial:
        (root / f"dev/v4l/by-id/{serial}").symlink_to(f"../../video{number}")


def unplug(root: Path, number: int) -> None:
    (root / f"dev/video{number}").unlink()
    for link in (root / "dev/v4l/by-id").glob("*"):
        if not link.exists():
            link.unlink()


def test_a_camera_is_recognised_among_equals_by_its_serial_number(tmp_path: Path) -> None:
    plug(tmp_path, 0, "C920", "usb-C920_1111-video-index0")
    plug(tmp_path, 1, "C920", "usb-C920_2222-video-index0")
    known = identity(0, SIZE, tmp_path)
    assert known == Identity(0, SIZE, "C920", "usb-C920_1111-video-index0")
    assert places_of(known, tmp_path) == (0,)
    unplug(tmp_path, 0)
    assert places_of(known, tmp_path) == ()
    plug(tmp_path, 2, "C920", "usb-C920_1111-video-index0")
    assert places_of(known, tmp_path) == (2,)


def test_a_camera_without_serial_number_is_recognised_by_name_preferring_its_socket(tmp_path: Path) -> None:
    for number, name in ((0, "built-in"), (2, "C270"), (3, "C270")):
        plug(tmp_path, number, name)
    known = identity(3, SIZE, tmp_path)
    assert places_of(known, tmp_path) == (3, 2)
    unplug(tmp_path, 3)
    assert places_of(known, tmp_path) == (2,)


def test_all_numbers_are_tried_if_the_system_names_no_camera() -> None:
    assert places_of(Identity(2, SIZE)) == (2, 3, 4, 5, 0, 1)
    assert places_of(Identity(7, SIZE))[0] == 7


def test_devices_have_the_numbers_and_names_of_the_system(tmp_path: Path) -> None:
    plug(tmp_path, 10, "far")
    plug(tmp_path, 2, "near", "usb-near-video-index0")
    assert cameras(tmp_path) == (2, 10)
    assert [camera_name(number, tmp_path) for number in (2, 3, 10)] == ["near", "", "far"]
    assert number_of("7") == 7
    assert number_of(str(tmp_path / "dev/v4l/by-id/usb-near-video-index0")) == 2
    assert number_of(str(tmp_path / "dev/v4l/by-id/none")) is None


def test_a_camera_has_a_stable_key_from_its_serial_number_or_else_its_socket(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.plug(0, "1111", "1")
    bus.plug(1, "1111", "1", index=1)
    bus.plug(2, socket="2")
    mine, other = "usb:046d:0825:1111", "usb:046d:0825@pci-0000:00:14.0-usb-0:2:1.0"
    assert spotted(tmp_path) == (Spotted(mine, 0, "C270"), Spotted(other, 2, "C270"))
    assert [gives_pictures(number, tmp_path) for number in (0, 1, 2, 7)] == [True, False, True, True]
    assert [key_of(number, tmp_path) for number in (0, 2, 7)] == [mine, other, ""]
    bus.unplug(0)
    bus.unplug(2)
    bus.plug(5, "1111", "2")
    bus.plug(6, socket="3")
    assert [number_of(key, tmp_path) for key in (mine, other)] == [5, None]
    bus.plug(8, "1111", "4")
    assert number_of(mine, tmp_path) is None
    assert is_camera(mine)


def test_only_usb_devices_count_as_pluggable_cameras(tmp_path: Path) -> None:
    plug(tmp_path, 10, "bcm2835-codec-decode")
    assert spotted(tmp_path) == ()


@pytest.mark.parametrize(("system", "first"), [("win32", 1400), ("darwin", 1200)])
def test_a_library_lists_the_cameras_on_other_systems(
    system: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def enumerate_cameras(through: int) -> list[SimpleNamespace]:
        asked.append(through)
        return [
            SimpleNamespace(index=0, name="FaceTime", path="7F2A", vid=None),
            SimpleNamespace(index=1, name="C270", path="0x14200000046d0825", vid=0x46D),
        ]

    library = SimpleNamespace(enumerate_cameras=enumerate_cameras)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setitem(sys.modules, "cv2_enumerate_cameras", library)
    key = "usb:0x14200000046d0825"
    assert spotted() == (Spotted(key, first + 1, "C270"),)
    assert number_of(key) == first + 1
    assert [key_of(number) for number in (0, 1, first + 1)] == ["", key, key]
    assert set(asked) == {first}
    monkeypatch.setitem(sys.modules, "cv2_enumerate_cameras", None)
    with pytest.raises(CameraUnavailable, match=re.escape(install_command("camera"))):
        spotted()
    assert key_of(0) == ""


class Machine:
    """Cameras by number, with the size of their images.

    Replaces OpenCV's.
    """

    def __init__(self) -> None:
        self.cameras: dict[int, tuple[int, int]] = {}
        self.opened: list[int] = []

    def open(self, number: int) -> Device:
        self.opened.append(number)
        return Device(self.cameras.get(number))


class Device:
    """The object that OpenCV returns for a number."""

    def __init__(self, size_px: tuple[int, int] | None) -> None:
        self._size_px = size_px

    def isOpened(self) -> bool:
        return self._size_px is not None

    def release(self) -> None:
        pass

    def set(self, _prop: int, _value: float) -> bool:
        return False

    def get(self, prop: int) -> float:
        width, height = self._size_px or (0, 0)
        return {cv2.CAP_PROP_FRAME_WIDTH: width, cv2.CAP_PROP_FRAME_HEIGHT: height}.get(prop, 0.0)

    def getBackendName(self) -> str:
        return "ANY"

    def read(self) -> tuple[bool, Any]:
        width, height = self._size_px or (1, 1)
        return True, np.zeros((height, width, 3), np.uint8)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(cv2, "VideoCapture", made.open)
    return made


def test_an_unnamed_camera_with_images_of_that_size_is_taken_with_a_warning(
    machine: Machine,
) -> None:
    machine.cameras = {0: SIZE}
    with Capture("0") as first:
        known = first.identity
        assert known == replace(Identity(0, SIZE), name=camera_name(0))
        assert not first.is_guess
    machine.cameras = {1: (128, 96), 3: SIZE}
    nameless = Identity(0, SIZE)
    with Capture("0", again=nameless) as again:
        assert again.identity == Identity(3, SIZE)
        assert again.is_guess
    assert machine.opened == [0, 0, 1, 2, 3]


def test_a_missing_camera_is_named_and_not_replaced_by_another(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.cameras = {0: SIZE}
    known = Identity(2, SIZE, "C920", "usb-C920_1111-video-index0")
    monkeypatch.setattr(door, "places_of", lambda _: ())
    with pytest.raises(CameraUnavailable, match="C920 is not there: plug it in again") as caught:  # noqa: SIM117
        with Capture("2", again=known):
            pass
    assert caught.value.outage is Outage.MISSING
    assert machine.opened == []


def test_a_renumbered_camera_is_opened_at_its_new_number(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.cameras = {0: SIZE, 2: (128, 96)}
    monkeypatch.setattr(door, "places_of", lambda _: (2,))
    with Capture("0", again=Identity(0, SIZE, "C920")) as again:
        shot = again.newest()
        assert shot is not None
        assert shot.image.shape == (96, 128)
        assert not again.is_guess
