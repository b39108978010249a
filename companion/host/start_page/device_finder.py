# SPDX-License-Identifier: Apache-2.0
"""Finds the panels, eboards and cameras of this machine while somebody looks at the list.

Its rule: a panel that the table uses is left alone; every other one is greeted and its port closed
again. A device that was unplugged stays in the list, marked as gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

from companion.host.clock import Clock
from companion.host.devices.camera import CameraOptions
from companion.host.devices.eboards import eboard_at
from companion.host.devices.panel_session import open_session
from companion.host.devices.panels import AUTO, Device
from companion.host.devices.ports import OpenPort, restarts_panel
from companion.host.retry import USUAL, Intervals
from companion.link.handshake import panel_name
from companion.link.panel import Shape, has_room, shape_of
from companion.model.errors import CameraUnavailable, LinkError, SettingsError
from companion.model.grid import Grid

if TYPE_CHECKING:  # needs the libraries of cameras
    from companion.host.devices.profiles import Camera

Ports: TypeAlias = Callable[[], Sequence[tuple[str, OpenPort]]]
"""Returns the present ports; may be slow."""
Eboards: TypeAlias = Callable[[], Awaitable[Sequence[str]]]
"""Returns the present eboards, as `--port` names them; may take seconds."""
_EBOARD: Final = "board:"
"""Begins the keys of eboards."""
Look: TypeAlias = "Callable[[], tuple[Sequence[Camera], Sequence[str]]]"
"""Returns the connected cameras, and a sentence for each unreadable profile; slow."""


class Presence(StrEnum):
    """Whether a device can be used."""

    READY = "ready"
    USED = "used"
    """The table plays on it."""
    GONE = "gone"
    """It was there since the program started."""


@dataclass(frozen=True, slots=True)
class FoundPanel:
    """A panel that has answered, or an eboard that is plugged in."""

    key: str
    port: str
    name: str
    """The name that it gives itself, or its identity."""
    shape: Shape
    identity: bytes = b""
    """That of a panel; empty for an eboard, which `port` names."""
    presence: Presence = Presence.READY

    def device_for(self, grid: Grid) -> Device | None:
        """Return it as device of a game on *grid*; None if it does not fit."""
        if not has_room(self.shape, grid):
            return None
        if self.identity and restarts_panel(
            self.port
        ):  # a serial port, which may have another name next time
            return Device(AUTO, self.identity)
        return Device(self.port)


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """A camera that is connected."""

    key: str
    camera: Camera
    presence: Presence = Presence.READY

    @property
    def name(self) -> str:
        """The system's name of it, or its key."""
        return self.camera.name or self.camera.key

    def device_for(self, grid: Grid) -> Device | None:
        """Return it as device of a game on *grid*, with its newest profile."""
        return Device(camera=CameraOptions(self.camera.key, self.camera.profile_of(grid)))


Found: TypeAlias = FoundPanel | FoundCamera


@dataclass(slots=True)
class _Port:
    """A port that is present."""

    asked_ms: int | None = None
    """Time of the last greeting; None before the first."""
    panel: str = ""
    """Key of the panel that answered; "" for none."""
    task: asyncio.Task[None] | None = None


class DeviceFinder:
    """The devices of this machine."""

    def __init__(
        self,
        ports: Ports,
        look: Look,
        clock: Clock,
        changed: Callable[[], None],
        intervals: Intervals = USUAL,
        eboards: Eboards | None = None,
    ) -> None:
        """*changed* is called on news; *eboards* are not opened before a game."""
        self.wanted = asyncio.Event()
        """Set while somebody looks at the list: the search takes time from a game."""
        self._eboards = eboards
        self._ports = ports
        self._look = look
        self._clock = clock
        self._changed = changed
        self._intervals = intervals
        self._at: dict[str, _Port] = {}
        self._found: dict[str, Found] = {}
        self._used: Device | None = None
        self._reserved: set[str] = set()
        """Keys of panels that are being tested."""

    @property
    def found(self) -> tuple[Found, ...]:
        """The devices, in the order in which they were found."""
        return tuple(self._found.values())

    def use(self, device: Device | None) -> None:
        """Note that the table plays on *device*; None if on none."""
        self._used = device
        for key, found in self._found.items():
            if found.presence is not Presence.GONE:
                self._found[key] = replace(found, presence=self._presence(found))
        self._changed()

    @contextmanager
    def reserved(self, key: str) -> Iterator[str]:
        """Yield the port of the panel *key*, which is left alone inside the block.

        Raises `SettingsError`.
        """
        found = self._found.get(key)
        if not isinstance(found, FoundPanel) or not found.identity or found.presence is not Presence.READY:
            raise SettingsError(
                "the board {name} cannot be tested now: plug it in, and end the game that uses it",
                name=found.name if found is not None else key,
            )
        self._reserved.add(key)
        self._note(found)
        try:
            yield found.port
        finally:
            self._reserved.discard(key)
            if (now := self._found.get(key)) is not None and now.presence is Presence.USED:
                self._note(now)

    async def run(self) -> None:
        """Look for devices until cancelled, while they are wanted."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._look_for_cameras(), name="cameras")
            if self._eboards is not None:
                group.create_task(self._look_for_eboards(self._eboards), name="boards")
            while await self.wanted.wait():
                self._ask(await asyncio.to_thread(self._ports), group)
                await asyncio.sleep(self._intervals.poll_s)

    # --- panels ---

    def _ask(self, ports: Sequence[tuple[str, OpenPort]], group: asyncio.TaskGroup) -> None:
        """Greet the panels at the *ports* that are due; forget ports that are gone."""
        here = dict(ports)
        for name in self._at.keys() - here.keys():
            gone = self._at.pop(name)
            self._lose(gone.panel)
        for name, open_port in here.items():
            port = self._at.setdefault(name, _Port())
            if port.task is None and not self._is_taken(name, port) and self._is_due(name, port):
                port.asked_ms = self._clock()
                port.task = group.create_task(self._greet(name, port, open_port), name=f"asking {name}")

    def _is_due(self, name: str, port: _Port) -> bool:
        """True if the panel at port *name* is to be greeted now.

        A serial port with a panel is in the system's list for as long as it is there; an address
        of the network has to be asked.
        """
        if port.asked_ms is None or not restarts_panel(name):
            return True
        return not port.panel and self._clock() - port.asked_ms >= self._intervals.rejected_port_ms

    def _is_taken(self, name: str, port: _Port) -> bool:
        """True if the table has port *name* open, or wants it."""
        if port.panel in self._reserved:
            return True
        found = self._found.get(port.panel)
        is_named = self._used is not None and self._used.port == name
        return is_named or (found is not None and self.is_used(found))

    async def _greet(self, name: str, port: _Port, open_port: OpenPort) -> None:
        """Note the panel at port *name*, or its absence."""
        boot_ms = self._intervals.boot_ms if restarts_panel(name) else 0
        try:
            async with open_session(open_port, self._clock, boot_ms) as session:
                hello = await session.greet()
        except LinkError:
            before, port.panel = port.panel, ""
            self._lose(before)
        else:
            identity = hello.unique_id
            called = panel_name(hello) or identity.hex()
            found = FoundPanel(f"panel:{identity.hex()}", name, called, shape_of(hello), identity)
            port.panel = found.key
            self._note(found)
        finally:
            port.task = None

    # --- eboards ---

    async def _look_for_eboards(self, eboards: Eboards) -> None:
        """Look for eboards until cancelled; panels and cameras do not wait for it."""
        while await self.wanted.wait():
            self._compare_eboards(await eboards())
            await asyncio.sleep(self._intervals.poll_s)

    def _compare_eboards(self, names: Sequence[str]) -> None:
        """Note the eboards *names*, as `--port` names them, and those that are gone."""
        here = {f"{_EBOARD}{name}": name for name in names}
        for key in [key for key in self._found if key.startswith(_EBOARD) and key not in here]:
            self._lose(key)
        for key, name in here.items():
            eboard, device = eboard_at(name)
            if eboard is not None:
                self._note(FoundPanel(key, name, eboard.called(device), eboard.shape))

    # --- cameras ---

    async def _look_for_cameras(self) -> None:
        """Look for cameras until cancelled."""
        while await self.wanted.wait():
            try:
                there, _faults = await asyncio.to_thread(self._look)
            except CameraUnavailable:
                there = ()
            here = {f"camera:{camera.key}": camera for camera in there}
            for key in [key for key, found in self._found.items() if isinstance(found, FoundCamera)]:
                if key not in here:
                    self._lose(key)
            for key, camera in here.items():
                self._note(FoundCamera(key, camera))
            await asyncio.sleep(self._intervals.poll_s)

    # --- both ---

    def is_used(self, found: Found) -> bool:
        """True if *found* is the device of the table, connected or not."""
        used = self._used
        if used is None:
            return False
        if isinstance(found, FoundCamera):
            return used.camera is not None and used.camera.source == found.camera.key
        return used.identity == found.identity if used.identity else used.port in (found.port, AUTO)

    def _presence(self, found: Found) -> Presence:
        """Return whether the table uses *found*, which is connected."""
        is_taken = found.key in self._reserved or self.is_used(found)
        return Presence.USED if is_taken else Presence.READY

    def _note(self, found: Found) -> None:
        """Note that *found* is connected."""
        found = replace(found, presence=self._presence(found))
        if self._found.get(found.key) != found:
            self._found[found.key] = found
            self._changed()

    def _lose(self, key: str) -> None:
        """Note that the device *key* is not connected any more."""
        found = self._found.get(key)
        if found is not None and found.presence is not Presence.GONE:
            self._found[key] = replace(found, presence=Presence.GONE)
            self._changed()


def fitting(found: Iterable[Found], grid: Grid) -> tuple[str, ...]:
    """Return the keys of those of *found* that fit a game on *grid*."""
    return tuple(
        each.key for each in found if each.presence is not Presence.GONE and each.device_for(grid) is not None
    )
