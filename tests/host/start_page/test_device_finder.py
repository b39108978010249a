# SPDX-License-Identifier: Apache-2.0
"""The panels, eboards and cameras of a machine as they come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from companion.host.clock import monotonic
from companion.host.devices.panels import AUTO, Device
from companion.host.devices.ports import OnChunk, OnEnd, OpenPort, Port, VirtualPort
from companion.host.devices.profiles import Camera
from companion.host.retry import USUAL
from companion.host.start_page.device_finder import DeviceFinder, FoundCamera, FoundPanel, Presence, fitting
from companion.link.panel import load_panel
from companion.model.errors import PortUnavailable
from companion.model.grid import rectangle
from companion.virtual.panel import VirtualPanel

CLOCK = monotonic(10_000)
BRISK = replace(USUAL, poll_s=0.01, boot_ms=0)


class Machine:
    """Serial ports with panels, and cameras; counts how often a port is opened."""

    def __init__(self) -> None:
        self.panels: dict[str, VirtualPanel | None] = {}
        self.cameras: tuple[Camera, ...] = ()
        self.opened: dict[str, int] = {}
        self.changes = 0
        self.eboards: tuple[str, ...] = ()
        self.is_searched = asyncio.Event()
        """Clear while the search for eboards lasts."""
        self.is_searched.set()
        self.finder = DeviceFinder(
            self.ports, lambda: (self.cameras, ()), CLOCK, self._changed, BRISK, self._search
        )
        self._news = asyncio.Event()

    def plug(self, port: str, name: str, number: int) -> None:
        panel = load_panel(name)
        self.panels[port] = VirtualPanel(panel, unique_id=bytes((number,) * 8), session=1, now_ms=CLOCK())

    def ports(self) -> list[tuple[str, OpenPort]]:
        return [(name, self._opener(name)) for name in self.panels]

    async def _search(self) -> tuple[str, ...]:
        await self.is_searched.wait()
        return self.eboards

    def _opener(self, name: str) -> OpenPort:
        async def opening(on_chunk: OnChunk, _on_end: OnEnd) -> Port:
            self.opened[name] = self.opened.get(name, 0) + 1
            panel = self.panels.get(name)
            if panel is None:
                raise PortUnavailable("nothing there", port=name)
            port = VirtualPort(panel, CLOCK, on_chunk)
            port.fetch()
            return port

        return opening

    def _changed(self) -> None:
        self.changes += 1
        self._news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), 60)

    def presences(self) -> list[tuple[str, Presence]]:
        return [(found.name, found.presence) for found in self.finder.found]


def looked(play: Callable[[Machine], object]) -> None:
    """Run *play* with a machine whose devices are looked for."""

    async def run() -> None:
        machine = Machine()
        machine.finder.wanted.set()
        looking = asyncio.create_task(machine.finder.run())
        try:
            await play(machine)  # type: ignore[misc]
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    asyncio.run(run())


def test_a_panel_appears_with_the_boards_that_it_fits_and_says_when_it_is_gone() -> None:
    async def play(machine: Machine) -> None:
        machine.plug("ttyACM0", "4x8", 1)
        await machine.until(lambda: machine.presences() == [("4x8", Presence.READY)])
        assert len(fitting(machine.finder.found, rectangle(4, 8))) == 1
        assert fitting(machine.finder.found, rectangle(8, 8)) == ()
        (found,) = machine.finder.found
        assert found.device_for(rectangle(4, 8)) == Device(AUTO, bytes((1,) * 8))
        del machine.panels["ttyACM0"]
        await machine.until(lambda: machine.presences() == [("4x8", Presence.GONE)])
        assert fitting(machine.finder.found, rectangle(4, 8)) == ()
        machine.plug("ttyACM7", "4x8", 1)
        await machine.until(lambda: machine.presences() == [("4x8", Presence.READY)])
        assert isinstance(machine.finder.found[0], FoundPanel)
        assert machine.finder.found[0].port == "ttyACM7"

    looked(play)


def test_nothing_is_looked_for_before_somebody_looks() -> None:
    async def play(machine: Machine) -> None:
        machine.finder.wanted.clear()
        machine.plug("ttyACM0", "4x8", 1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(machine.until(lambda: bool(machine.opened)), 20 * BRISK.poll_s)
        machine.finder.wanted.set()
        await machine.until(lambda: machine.presences() == [("4x8", Presence.READY)])

    looked(play)


def test_a_port_is_greeted_once_and_left_alone_while_the_table_uses_it() -> None:
    async def play(machine: Machine) -> None:
        machine.plug("ttyACM0", "4x8", 1)
        await machine.until(lambda: len(machine.finder.found) == 1)
        machine.finder.use(Device(AUTO, bytes((1,) * 8)))
        assert machine.presences() == [("4x8", Presence.USED)]
        machine.plug("ttyACM1", "8x8", 2)
        await machine.until(lambda: len(machine.finder.found) == 2)
        assert machine.presences() == [("4x8", Presence.USED), ("8x8", Presence.READY)]
        assert machine.opened == {"ttyACM0": 1, "ttyACM1": 1}
        machine.finder.use(None)
        assert machine.presences() == [("4x8", Presence.READY), ("8x8", Presence.READY)]

    looked(play)


def test_an_address_in_the_network_is_asked_again_since_no_list_tells_of_it() -> None:
    async def play(machine: Machine) -> None:
        machine.panels["socket://panel:7000"] = None
        machine.plug("ttyACM0", "8x8", 2)
        await machine.until(lambda: len(machine.finder.found) == 1)
        machine.plug("socket://panel:7000", "4x8", 1)
        await machine.until(lambda: len(machine.finder.found) == 2)
        machine.panels["socket://panel:7000"] = None
        await machine.until(lambda: ("4x8", Presence.GONE) in machine.presences())
        assert machine.opened["ttyACM0"] == 1

    looked(play)


def test_an_eboard_is_listed_by_its_name_and_not_opened() -> None:
    async def play(machine: Machine) -> None:
        machine.eboards = ("chessnut:X7", "dgt:/dev/ttyUSB0")
        await machine.until(lambda: len(machine.finder.found) == 2)
        assert machine.presences() == [
            ("Chessnut (USB, X7)", Presence.READY),
            ("DGT e-Board (/dev/ttyUSB0)", Presence.READY),
        ]
        found = machine.finder.found[0]
        assert found.device_for(rectangle(16, 16)) is None
        device = found.device_for(rectangle(4, 8))
        assert device == Device("chessnut:X7")
        machine.finder.use(device)
        assert machine.presences() == [
            ("Chessnut (USB, X7)", Presence.USED),
            ("DGT e-Board (/dev/ttyUSB0)", Presence.READY),
        ]
        machine.eboards = machine.eboards[1:]
        await machine.until(lambda: ("Chessnut (USB, X7)", Presence.GONE) in machine.presences())
        machine.eboards = ("chessnut:X7", *machine.eboards)
        await machine.until(lambda: ("Chessnut (USB, X7)", Presence.USED) in machine.presences())
        assert machine.opened == {}

    looked(play)


def test_two_boards_of_a_kind_are_told_apart_by_their_connections() -> None:
    async def play(machine: Machine) -> None:
        ports = ("dgt:/dev/ttyUSB0", "dgt:/dev/ttyUSB1", "chessnut-le:C0:01", "chessnut-le:C0:02")
        machine.eboards = (*ports, "chessnut:auto")
        await machine.until(lambda: len(machine.presences()) == 5)
        assert [name for name, _ in machine.presences()] == [
            "DGT e-Board (/dev/ttyUSB0)",
            "DGT e-Board (/dev/ttyUSB1)",
            "Chessnut (Bluetooth LE, C0:01)",
            "Chessnut (Bluetooth LE, C0:02)",
            "Chessnut (USB)",
        ]
        assert [found.device_for(rectangle(8, 8)) for found in machine.finder.found[:4]] == [
            Device(port) for port in ports
        ]
        machine.finder.use(Device("chessnut-le:C0:02"))
        used = [name for name, presence in machine.presences() if presence is Presence.USED]
        assert used == ["Chessnut (Bluetooth LE, C0:02)"]

    looked(play)


def test_panels_do_not_wait_for_the_search_for_boards() -> None:
    async def play(machine: Machine) -> None:
        machine.eboards = ("chessnut:X7",)
        machine.is_searched.clear()
        machine.plug("ttyACM0", "4x8", 1)
        await machine.until(lambda: machine.presences() == [("4x8", Presence.READY)])
        machine.is_searched.set()
        await machine.until(lambda: ("Chessnut (USB, X7)", Presence.READY) in machine.presences())

    looked(play)


def test_a_camera_is_a_device_for_every_game_with_its_profile_where_there_is_one() -> None:
    async def play(machine: Machine) -> None:
        machine.cameras = (Camera("usb:1", 0, "C270", (("kitchen", "8x8"),)),)
        await machine.until(lambda: machine.presences() == [("C270", Presence.READY)])
        (found,) = machine.finder.found
        assert isinstance(found, FoundCamera)
        chess, other = found.device_for(rectangle(8, 8)), found.device_for(rectangle(4, 8))
        assert chess is not None
        assert chess.camera is not None
        assert other is not None
        assert other.camera is not None
        assert (chess.camera.profile, other.camera.profile) == ("kitchen", None)
        machine.finder.use(chess)
        assert machine.presences() == [("C270", Presence.USED)]
        machine.cameras = ()
        await machine.until(lambda: machine.presences() == [("C270", Presence.GONE)])

    looked(play)


@pytest.mark.parametrize("slug", ["8x8", "4x8"])
def test_grids_of_profiles_are_named_as_those_of_games(slug: str) -> None:
    files, ranks = map(int, slug.split("x"))
    assert rectangle(files, ranks).slug == slug
