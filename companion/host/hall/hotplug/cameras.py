# SPDX-License-Identifier: Apache-2.0
"""Cameras of the hall's machine.

Its rule: a camera is identified by its key, not its number. Two with the same key are reported to
the arbiter and not opened; one that was alone and is in use continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from companion.host.devices.profiles import Camera
from companion.host.retry import USUAL, Intervals
from companion.model.errors import CameraUnavailable
from companion.model.phrase import Phrase

Look: TypeAlias = Callable[[], tuple[Sequence[Camera], Sequence[str]]]
"""Returns the connected cameras, and a sentence for each unreadable profile; slow.

Raises `CameraUnavailable`.
"""
Found: TypeAlias = Callable[[Camera], str]
"""Called for each connected camera; returns why it is not used, "" if it is."""


@dataclass(slots=True)
class Cameras:
    """Polls for connected cameras."""

    look: Look
    found: Found
    complaints: dict[str, str] = field(default_factory=dict)
    """Faults by camera or profile, as sentences."""
    intervals: Intervals = USUAL

    async def run(self) -> None:
        """Poll until cancelled."""
        while True:
            try:
                there, faults = await asyncio.to_thread(self.look)
            except CameraUnavailable as fault:
                there, faults = (), (str(fault),)
            self.complaints = {fault: fault for fault in faults} | self._judged(there)
            await asyncio.sleep(self.intervals.poll_s)

    def _judged(self, there: Sequence[Camera]) -> dict[str, str]:
        """Return the faults of the cameras *there*, by key; report the others."""
        wrong: dict[str, str] = {}
        for camera in there:
            numbers = [str(each.number) for each in there if each.key == camera.key]
            complaint = _claimed(camera.key, numbers) if len(numbers) > 1 else self.found(camera)
            if complaint:
                wrong[camera.key] = complaint
        return wrong


def _claimed(key: str, numbers: Sequence[str]) -> str:
    """Return the fault of cameras *numbers* with the same *key*."""
    return Phrase(
        "the cameras {cameras} all say that they are {key}: unplug all but one, or name each by "
        "its socket: --board NAME=GAME@camera:/dev/v4l/by-path/…,PROFILE",
        cameras=tuple(numbers),
        key=key,
    )
