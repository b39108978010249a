# SPDX-License-Identifier: Apache-2.0
"""The cameras of this machine: what the system calls them, which of them is one that was there before, and why one will not open.

A camera that is plugged in again may have another number. Linux tells which one it is; elsewhere one is taken that is like it.
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


def is_camera(source: str) -> bool:
    """True if *source* is a local camera: a number, or a device such as /dev/v4l/by-id/…"""
    return source.isdecimal() or source.startswith("/dev/")


def number_of(source: str) -> int | None:
    """The number of the camera *source*; None if it is not there."""
    if source.isdecimal():
        return int(source)
    match = _NODE.fullmatch(Path(source).resolve().name)
    return int(match[1]) if match else None


def cameras(root: Path = _ROOT) -> tuple[int, ...]:
    """The numbers of the local cameras that the system names; none where it names none."""
    found = (_NODE.fullmatch(path.name) for path in (root / "dev").glob("video*"))
    return tuple(sorted(int(match[1]) for match in found if match))


def camera_name(number: int, root: Path = _ROOT) -> str:
    """What the system calls a local camera; empty if it does not say."""
    try:
        return (root / f"sys/class/video4linux/video{number}/name").read_text(encoding="utf-8").strip()
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
            f"{source} cannot be opened as a picture's source: is the path or the address right?",
            outage=Outage.UNREACHABLE,
        )
    if not sys.platform.startswith("linux"):
        return CameraUnavailable(
            f"camera {source} cannot be opened: is it plugged in, used by another program, or forbidden to programs?",
            outage=Outage.MISSING,
        )
    device = Path(source if source.startswith("/dev/") else f"/dev/video{source}")
    if not device.exists():
        return CameraUnavailable(
            f"there is no camera {source}: plug it in. Present: {present()}", outage=Outage.MISSING
        )
    if not os.access(device, os.R_OK | os.W_OK):
        return CameraUnavailable(
            f"camera {source} may not be used by you: sudo usermod -aG video $USER, then log in again",
            outage=Outage.FORBIDDEN,
        )
    return CameraUnavailable(
        f"camera {source} is used by another program, or gives no pictures: close that program, or name another camera",
        outage=Outage.BUSY,
    )


def gone(known: Identity) -> CameraUnavailable:
    """Why the camera *known*, which was there, cannot be opened."""
    called = known.name or known.serial or f"camera {known.number}"
    return CameraUnavailable(
        f"{called} is not there: plug it in again. Present: {present()}", outage=Outage.MISSING
    )


def present() -> str:
    """The cameras that are there, for a sentence."""
    return ", ".join(f"{number} ({camera_name(number) or '?'})" for number in cameras()) or "none"
