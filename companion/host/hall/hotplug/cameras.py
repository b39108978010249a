# SPDX-License-Identifier: Apache-2.0
"""The cameras of a hall's machine: which are plugged in, and which profiles were made with each.

Its rule: a camera is what it says of itself, whatever number it has. Two that say the same are named to the arbiter and not
looked through; one that was alone and is in use stays so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from companion.host.devices import profiles
from companion.model.errors import CameraUnavailable, SettingsError
from companion.model.grid import Grid
from companion.model.phrase import Phrase
from companion.sensing.devices import Spotted, spotted

_LOOK_S: Final = 1.0
"""Between two looks at which cameras there are."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera that is plugged in, with what was found out about it."""

    key: str
    number: int
    name: str
    profiles: tuple[tuple[str, str], ...] = ()
    """Of each that was made with it the name, and the grid of the board; the newest first."""

    def profile_of(self, grid: Grid) -> str | None:
        """The name of the newest profile of it before a board of *grid*; None if there is none."""
        return next((name for name, of in self.profiles if of == grid.slug), None)


Look: TypeAlias = Callable[[], tuple[Sequence[Camera], Sequence[str]]]
"""Gives the cameras that there are now, and which profiles cannot be read, as sentences; takes its time.

Raises `CameraUnavailable`."""
Found: TypeAlias = Callable[[Camera], str]
"""Is told of a camera that is there; says why it is not wanted, nothing if it is."""


def plugged_cameras(spot: Callable[[], Sequence[Spotted]] = spotted) -> tuple[list[Camera], list[str]]:
    """The cameras that are plugged in, with their profiles; and which profiles cannot be read. Raises `CameraUnavailable`."""
    there = spot()
    made_with: dict[str, list[tuple[str, str]]] = {each.key: [] for each in there}
    faults = []
    for name in profiles.names() if there else ():
        try:
            profile = profiles.load(profiles.path_of(name))
        except SettingsError as fault:
            faults.append(str(fault))
        else:
            made_with.get(profile.camera.key, []).append((name, profile.board.grid))
    return [Camera(each.key, each.number, each.name, tuple(made_with[each.key])) for each in there], faults


@dataclass(slots=True)
class Cameras:
    """The cameras that are plugged in."""

    look: Look
    found: Found
    complaints: dict[str, str] = field(default_factory=dict)
    """By camera or profile: what is wrong with it, as a sentence."""

    async def run(self) -> None:
        """Look what is plugged in, until cancelled."""
        while True:
            try:
                there, faults = await asyncio.to_thread(self.look)
            except CameraUnavailable as fault:
                there, faults = (), (str(fault),)
            self.complaints = {fault: fault for fault in faults} | self._judged(there)
            await asyncio.sleep(_LOOK_S)

    def _judged(self, there: Sequence[Camera]) -> dict[str, str]:
        """What is wrong with the cameras that are *there*, by key; tells of the others."""
        wrong: dict[str, str] = {}
        for camera in there:
            numbers = [str(each.number) for each in there if each.key == camera.key]
            complaint = _claimed(camera.key, numbers) if len(numbers) > 1 else self.found(camera)
            if complaint:
                wrong[camera.key] = complaint
        return wrong


def _claimed(key: str, numbers: Sequence[str]) -> str:
    """Why none of the cameras with these *numbers* is wanted, all of which say that they are *key*."""
    return Phrase(
        "the cameras {cameras} all say that they are {key}: unplug all but one, or name each by "
        "its socket: --board NAME=GAME@camera:/dev/v4l/by-path/…,PROFILE",
        cameras=tuple(numbers),
        key=key,
    )
