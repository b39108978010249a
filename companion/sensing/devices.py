# SPDX-License-Identifier: Apache-2.0
"""Cameras of this machine: names, identities, and causes why one cannot be opened.

A camera that is plugged in again may have another number.
It is recognised by its serial number on the bus, or without one by its socket.
Where the system does not provide either, a similar camera is used.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.model.errors import CameraUnavailable, Outage
from companion.model.installation import install_command
from companion.model.phrase import Phrase

_NODE: Final = re.compile(r"video(\d+)")
_TRIED: Final = range(6)
"""Numbers that are tried where the system does not list cameras."""
_ROOT: Final = Path("/")
PHONE: Final = "phone"
"""The source of images that a phone sends from its page."""
USB: Final = "usb:"
"""Prefix of a permanent source, independent of the number: `usb:046d:0825:1A2B3C`."""
_BY_NAME: Final = (USB, "/dev/v4l/")
"""Prefixes of sources that are not numbers."""
_MEDIA_FOUNDATION: Final = 1400
_AV_FOUNDATION: Final = 1200
"""OpenCV's offsets for the camera interfaces of Windows and macOS."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a local camera."""

    number: int
    """Its former number."""
    size_px: tuple[int, int]
    """Size of its images."""
    name: str = ""
    """The system's name of its model, or empty."""
    serial: str = ""
    """Its serial number in the system, or empty."""

    @property
    def is_identified(self) -> bool:
        """True if the system identifies cameras."""
        return bool(self.name or self.serial)


@dataclass(frozen=True, slots=True)
class Spotted:
    """A camera that is plugged in."""

    key: str
    """Its unique key, also a source; equal for two cameras with equal descriptions."""
    number: int
    name: str
    """The system's name of its model."""


def is_camera(source: str) -> bool:
    """True if *source* is a local camera.

    A number, a key such as `usb:046d:0825:1A2B3C`, or a device such as /dev/v4l/by-id/…
    """
    return source.isdecimal() or source.startswith(("/dev/", USB))


def is_recorded(source: str) -> bool:
    """True if *source* is a file or folder, neither camera nor stream."""
    return source != PHONE and not is_camera(source) and "://" not in source


def is_lasting(source: str) -> bool:
    """True if *source* permanently denotes the same camera, under any number."""
    return source.startswith(_BY_NAME)


def number_of(source: str, root: Path = _ROOT) -> int | None:
    """The number of the camera *source*; None if it is absent or ambiguous."""
    if source.isdecimal():
        return int(source)
    if source.startswith(USB):
        same = [each.number for each in spotted(root) if each.key == source]
        return same[0] if len(same) == 1 else None
    match = _NODE.fullmatch(Path(source).resolve().name)
    return int(match[1]) if match else None


def cameras(root: Path = _ROOT) -> tuple[int, ...]:
    """The numbers of the local cameras in the system's list; () without a list."""
    found = (_NODE.fullmatch(path.name) for path in (root / "dev").glob("video*"))
    return tuple(sorted(int(match[1]) for match in found if match))


def camera_name(number: int, root: Path = _ROOT) -> str:
    """The system's name of a local camera, or empty."""
    return _text_of(_node(number, root) / "name")


def gives_pictures(number: int, root: Path = _ROOT) -> bool:
    """False for further numbers of a camera, which deliver metadata, not images."""
    return _text_of(_node(number, root) / "index") in ("", "0")


def spotted(root: Path = _ROOT) -> tuple[Spotted, ...]:
    """The cameras at USB, by their numbers.

    Raises `CameraUnavailable` if the library that identifies them is missing; Linux needs none.
    """
    if not sys.platform.startswith("linux"):
        return _listed()
    keys = ((number, _key(number, root)) for number in cameras(root) if gives_pictures(number, root))
    return tuple(Spotted(key, number, camera_name(number, root)) for number, key in keys if key)


def key_of(number: int, root: Path = _ROOT) -> str:
    """The key of the camera *number*, or empty."""
    try:
        found = spotted(root)
    except CameraUnavailable:
        return ""
    return next((each.key for each in found if number in (each.number, each.number - _through())), "")


def _key(number: int, root: Path) -> str:
    """The same on Linux; empty for cameras not at USB."""
    node = (_node(number, root) / "device").resolve()
    usb = next((each for each in (node, *node.parents) if (each / "idVendor").exists()), None)
    if usb is None:
        return ""
    kind, serial = (
        f"{USB}{_text_of(usb / 'idVendor')}:{_text_of(usb / 'idProduct')}",
        _text_of(usb / "serial"),
    )
    if serial:
        return f"{kind}:{serial}"
    links = sorted((root / "dev/v4l/by-path").glob("*"))
    socket = next((link.name for link in links if link.resolve().name == f"video{number}"), usb.name)
    return f"{kind}@{socket.removesuffix('-video-index0')}"


def _listed() -> tuple[Spotted, ...]:
    """The same on Windows and macOS, by a library.

    *key* is their name of the device.
    """
    try:
        from cv2_enumerate_cameras import enumerate_cameras
    except ImportError as fault:
        raise CameraUnavailable(
            "cameras are told apart with cv2-enumerate-cameras, which is not installed: {install}",
            install=install_command("camera"),
            outage=Outage.NOT_INSTALLED,
        ) from fault
    there = enumerate_cameras(_through())
    at_usb = (each for each in there if each.path and each.vid is not None)
    return tuple(Spotted(f"{USB}{each.path}", _through() + each.index, each.name) for each in at_usb)


def _through() -> int:
    """OpenCV's offset to a camera's number here, which selects the interface."""
    return {"win32": _MEDIA_FOUNDATION, "darwin": _AV_FOUNDATION}.get(sys.platform, 0)


def _node(number: int, root: Path) -> Path:
    """Linux's folder about the camera *number*."""
    return root / f"sys/class/video4linux/video{number}"


def _text_of(path: Path) -> str:
    """The content of a system file; empty if it does not exist."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def identity(number: int, size_px: tuple[int, int], root: Path = _ROOT) -> Identity:
    """The identity by which the camera *number* is recognised later.

    Its images have *size_px*.
    """
    links = sorted((root / "dev/v4l/by-id").glob("*"))
    serial = next((link.name for link in links if link.resolve().name == f"video{number}"), "")
    return Identity(number, size_px, camera_name(number, root), serial)


def places_of(known: Identity, root: Path = _ROOT) -> tuple[int, ...]:
    """Possible present numbers of the camera *known*, its old one first; () if absent."""
    if not known.is_identified:
        onward = ((known.number + number) % len(_TRIED) for number in _TRIED)
        return tuple(dict.fromkeys((known.number, *onward)))
    here = [identity(number, known.size_px, root) for number in cameras(root)]
    same = [
        each.number
        for each in here
        if (each.serial == known.serial if known.serial else each.name == known.name)
    ]
    return tuple(sorted(same, key=lambda number: number != known.number))


def closed_door(source: str) -> CameraUnavailable:
    """The reason why *source* cannot be opened, as far as the system provides it."""
    if not is_camera(source):
        return CameraUnavailable(
            "{source} cannot be opened as a source of images: is the path or the address right?",
            source=source,
            outage=Outage.UNREACHABLE,
        )
    if not sys.platform.startswith("linux"):
        return CameraUnavailable(
            "camera {source} cannot be opened: is it plugged in, used by another program, or "
            "forbidden to programs?",
            source=source,
            outage=Outage.MISSING,
        )
    number = number_of(source) if source.startswith(USB) else source
    if number is None and any(each.key == source for each in spotted()):
        return CameraUnavailable(
            "two cameras say that they are {source}: unplug one of them", source=source, outage=Outage.MISSING
        )
    device = Path(source if source.startswith("/dev/") else f"/dev/video{number}")
    if not device.exists():
        return CameraUnavailable(
            "there is no camera {source}: plug it in. Present: {present}",
            source=source,
            present=present(),
            outage=Outage.MISSING,
        )
    if not os.access(device, os.R_OK | os.W_OK):
        return CameraUnavailable(
            "camera {source} may not be used by you: sudo usermod -aG video $USER, then log in again",
            source=source,
            outage=Outage.FORBIDDEN,
        )
    return CameraUnavailable(
        "camera {source} is used by another program, or gives no pictures: close that program, "
        "or name another camera",
        source=source,
        outage=Outage.BUSY,
    )


def gone(known: Identity) -> CameraUnavailable:
    """The reason why the camera *known*, which was there, cannot be opened."""
    called = known.name or known.serial or f"camera {known.number}"
    return CameraUnavailable(
        "{called} is not there: plug it in again. Present: {present}",
        called=called,
        present=present(),
        outage=Outage.MISSING,
    )


def present() -> tuple[str, ...] | Phrase:
    """The present cameras, as part of a sentence."""
    return tuple(f"{number} ({camera_name(number) or '?'})" for number in cameras()) or Phrase("none")
