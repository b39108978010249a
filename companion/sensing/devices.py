# SPDX-License-Identifier: Apache-2.0
"""The cameras of this machine: what the system calls them, which of them is one that was there before, and why one will not open.

A camera that is plugged in again may have another number. What is told of it on the bus says which one it is: its serial number, or
where it has none, the socket it is at. Where the system tells nothing, one is taken that is like it.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.model.errors import CameraUnavailable, Outage

_NODE: Final = re.compile(r"video(\d+)")
_TRIED: Final = range(6)
"""Numbers that are tried where the system names no cameras."""
_ROOT: Final = Path("/")
USB: Final = "usb:"
"""Begins a source that is one camera for good, whatever number it has: `usb:046d:0825:1A2B3C`."""
_BY_NAME: Final = (USB, "/dev/v4l/")
"""How a source begins that is no number in disguise."""
_MEDIA_FOUNDATION: Final = 1400
_AV_FOUNDATION: Final = 1200
"""OpenCV's numbers for what reaches cameras on Windows and macOS."""


@dataclass(frozen=True, slots=True)
class Identity:
    """By what a local camera is known again."""

    number: int
    """What it had when it was there."""
    size_px: tuple[int, int]
    """Of its images."""
    name: str = ""
    """What the system calls its kind; empty if it does not say."""
    serial: str = ""
    """What the system calls this one of its kind; likewise."""

    @property
    def is_told(self) -> bool:
        """True if the system says which camera is which."""
        return bool(self.name or self.serial)


@dataclass(frozen=True, slots=True)
class Spotted:
    """A camera that is plugged in."""

    key: str
    """By what it is told from all others; a source as well. Two that say the same of themselves have one key."""
    number: int
    name: str
    """What the system calls its kind."""


def is_camera(source: str) -> bool:
    """True if *source* is a local camera: a number, a key such as `usb:046d:0825:1A2B3C`, or a device such as /dev/v4l/by-id/…"""
    return source.isdecimal() or source.startswith(("/dev/", USB))


def is_lasting(source: str) -> bool:
    """True if *source* is the same camera for good: who looks for it again looks where it is now."""
    return source.startswith(_BY_NAME)


def number_of(source: str, root: Path = _ROOT) -> int | None:
    """The number of the camera *source*; None if it is not there, or two say that they are it."""
    if source.isdecimal():
        return int(source)
    if source.startswith(USB):
        same = [each.number for each in spotted(root) if each.key == source]
        return same[0] if len(same) == 1 else None
    match = _NODE.fullmatch(Path(source).resolve().name)
    return int(match[1]) if match else None


def cameras(root: Path = _ROOT) -> tuple[int, ...]:
    """The numbers of the local cameras that the system names; none where it names none."""
    found = (_NODE.fullmatch(path.name) for path in (root / "dev").glob("video*"))
    return tuple(sorted(int(match[1]) for match in found if match))


def camera_name(number: int, root: Path = _ROOT) -> str:
    """What the system calls a local camera; empty if it does not say."""
    return _told(_node(number, root) / "name")


def gives_pictures(number: int, root: Path = _ROOT) -> bool:
    """False for the second and further numbers of one camera, of which come no pictures but data about them."""
    return _told(_node(number, root) / "index") in ("", "0")


def spotted(root: Path = _ROOT) -> tuple[Spotted, ...]:
    """The cameras that are plugged in at USB, by their numbers.

    Raises `CameraUnavailable` if what tells them apart is not installed: Linux needs nothing for it.
    """
    if not sys.platform.startswith("linux"):
        return _listed()
    keys = ((number, _key(number, root)) for number in cameras(root) if gives_pictures(number, root))
    return tuple(Spotted(key, number, camera_name(number, root)) for number, key in keys if key)


def key_of(number: int, root: Path = _ROOT) -> str:
    """The key of the camera *number*; empty if there is no telling."""
    try:
        found = spotted(root)
    except CameraUnavailable:
        return ""
    return next((each.key for each in found if number in (each.number, each.number - _through())), "")


def _key(number: int, root: Path) -> str:
    """The same on Linux; empty for what is not at USB."""
    node = (_node(number, root) / "device").resolve()
    usb = next((each for each in (node, *node.parents) if (each / "idVendor").exists()), None)
    if usb is None:
        return ""
    kind, serial = f"{USB}{_told(usb / 'idVendor')}:{_told(usb / 'idProduct')}", _told(usb / "serial")
    if serial:
        return f"{kind}:{serial}"
    links = sorted((root / "dev/v4l/by-path").glob("*"))
    socket = next((link.name for link in links if link.resolve().name == f"video{number}"), usb.name)
    return f"{kind}@{socket.removesuffix('-video-index0')}"


def _listed() -> tuple[Spotted, ...]:
    """The same where the system tells it to a library: Windows and macOS. *key* is what they call the device."""
    try:
        from cv2_enumerate_cameras import enumerate_cameras
    except ImportError as fault:
        raise CameraUnavailable(
            "cameras are told apart with cv2-enumerate-cameras, which is not installed:"
            " pip install 'companion-table[camera]'",
            outage=Outage.NOT_INSTALLED,
        ) from fault
    there = enumerate_cameras(_through())
    at_usb = (each for each in there if each.path and each.vid is not None)
    return tuple(Spotted(f"{USB}{each.path}", _through() + each.index, each.name) for each in at_usb)


def _through() -> int:
    """What OpenCV adds to a camera's number here, to say through which part of the system it is reached."""
    return {"win32": _MEDIA_FOUNDATION, "darwin": _AV_FOUNDATION}.get(sys.platform, 0)


def _node(number: int, root: Path) -> Path:
    """What Linux tells of the camera *number*."""
    return root / f"sys/class/video4linux/video{number}"


def _told(path: Path) -> str:
    """What a file of the system says; empty if it is not there."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def identity(number: int, size_px: tuple[int, int], root: Path = _ROOT) -> Identity:
    """By what the camera *number*, whose images have *size_px*, will be known again."""
    links = sorted((root / "dev/v4l/by-id").glob("*"))
    serial = next((link.name for link in links if link.resolve().name == f"video{number}"), "")
    return Identity(number, size_px, camera_name(number, root), serial)


def places_of(known: Identity, root: Path = _ROOT) -> tuple[int, ...]:
    """The numbers that the camera *known* may have now, its old one first; none if it is certainly not there."""
    if not known.is_told:
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
    """Why *source* cannot be opened, as far as the system tells."""
    if not is_camera(source):
        return CameraUnavailable(
            "{source} cannot be opened as a picture's source: is the path or the address right?",
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
    """Why the camera *known*, which was there, cannot be opened."""
    called = known.name or known.serial or f"camera {known.number}"
    return CameraUnavailable(
        "{called} is not there: plug it in again. Present: {present}",
        called=called,
        present=present(),
        outage=Outage.MISSING,
    )


def present() -> str:
    """The cameras that are there, for a sentence."""
    return ", ".join(f"{number} ({camera_name(number) or '?'})" for number in cameras()) or "none"
