# SPDX-License-Identifier: Apache-2.0
"""Creates stations for panels and cameras that are plugged in.

A known device gets its station again, a new one a new station. Its rule: stations stay; without
their device they report that and wait.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Protocol

from companion import games
from companion.eboards.codec import CHESS_SHAPE
from companion.host.clock import Clock
from companion.host.devices.camera import CameraOptions
from companion.host.devices.eboards import eboard_at
from companion.host.devices.panels import AUTO
from companion.host.devices.ports import OpenPort
from companion.host.game_info import parse_game
from companion.host.hall.core.hall import Hall
from companion.host.hall.hotplug.devices import Devices, KnownDevice
from companion.host.hall.hotplug.eboards import Names, PluggedEboards
from companion.host.hall.hotplug.panels import PanelHotplug, Ports
from companion.host.hall.stations.local_station import LocalStation
from companion.host.hall.stations.station_channels import local_channel_opener
from companion.host.hall.stations.stations import Stations
from companion.host.journal import files
from companion.host.play.start import PlayOptions
from companion.host.retry import USUAL, Intervals
from companion.link.panel import has_room, shape_of
from companion.link.protocol_gen import HelloReply
from companion.model.errors import StoreError
from companion.model.grid import Grid
from companion.model.phrase import Phrase

if TYPE_CHECKING:
    from companion.host.devices.profiles import Camera
    from companion.host.hall.hotplug.cameras import Look


class _Finder(Protocol):
    """Finds devices of one kind."""

    @property
    def complaints(self) -> Mapping[str, str]:
        """Return the faults of devices, as sentences."""
        ...

    async def run(self) -> None:
        """Poll until cancelled."""
        ...


class Hotplug:
    """The stations of devices that were plugged in."""

    def __init__(
        self,
        hall: Hall,
        stations: Stations,
        devices: Devices,
        usual: PlayOptions,
        inform: Callable[[str], None],
        intervals: Intervals = USUAL,
    ) -> None:
        """Read the known devices; nothing is polled yet. Raises `StoreError`."""
        self._hall = hall
        self._stations = stations
        self._devices = devices
        self._usual = replace(usual, intervals=intervals)
        self._intervals = intervals
        self._inform = inform
        self._known = {known.device: known for known in devices.all()}
        self._playing: set[str] = set()
        self._finders: dict[str, _Finder] = {}
        self._group = asyncio.TaskGroup()

    def look_for_panels(self, chosen: Sequence[str], ports: Ports, clock: Clock) -> None:
        """Give new panels the largest fitting game of *chosen*. Raises `SettingsError`."""
        grids = _grids(chosen)

        def found(hello: HelloReply) -> str:
            panel = hello.unique_id.hex()
            fitting = {game: grid for game, grid in grids.items() if has_room(shape_of(hello), grid)}
            known = self._known_device(panel, sorted(fitting, key=lambda game: -len(fitting[game])))
            if known is None:
                return Phrase(
                    "the panel {panel} has {cells} cells, for which none of these games is: {grids}",
                    panel=panel,
                    cells=hello.cells,
                    grids=tuple(grids),
                )
            self._appear(
                known,
                Phrase("panel {panel}", panel=panel),
                replace(self._usual, port=AUTO),
                plugs.opener(panel),
            )
            return ""

        plugs = self._finders["panels"] = PanelHotplug(ports, clock, found, self._intervals)

    def look_for_eboards(self, chosen: Sequence[str], names: Names) -> None:
        """Give new eboards the largest fitting game of *chosen*. Raises `SettingsError`."""
        grids = _grids(chosen)

        def found(name: str) -> str:
            eboard, _ = eboard_at(name)
            shape = CHESS_SHAPE if eboard is None else eboard.shape
            fitting = {game: grid for game, grid in grids.items() if has_room(shape, grid)}
            known = self._known_device(name, sorted(fitting, key=lambda game: -len(fitting[game])))
            if known is None:
                return Phrase(
                    "the panel {panel} has {cells} cells, for which none of these games is: {grids}",
                    panel=name,
                    cells=shape.cells,
                    grids=tuple(grids),
                )
            self._appear(known, Phrase("board {board}", board=name), replace(self._usual, port=name))
            return ""

        self._finders["boards"] = PluggedEboards(names, found, intervals=self._intervals)

    def look_for_cameras(self, chosen: Sequence[str], look: Look) -> None:
        """Give new cameras the first game of *chosen* with a profile. Raises `SettingsError`."""
        from companion.host.hall.hotplug.cameras import Cameras  # needs libraries for cameras

        grids = _grids(chosen)

        def found(camera: Camera) -> str:
            known = self._known_device(
                camera.key, [game for game, grid in grids.items() if camera.profile_of(grid) is not None]
            )
            profile = None if known is None else camera.profile_of(_grid(known.game))
            if known is None or profile is None:
                wanted = [known.game] if known else list(grids)
                which = wanted[0].replace(",", " -o ")
                return Phrase(
                    "the camera {camera} ({name}) has no profile for a board of {games}: python -m "
                    'calibration workshop --source "{camera}" --game {game}',
                    camera=camera.key,
                    name=camera.name or "?",
                    games=tuple(wanted),
                    game=which,
                )
            play_options = replace(self._usual, camera=CameraOptions(camera.key, profile))
            self._appear(
                known,
                Phrase("camera {camera} ({name})", camera=camera.key, name=camera.name or "?"),
                play_options,
            )
            return ""

        self._finders["cameras"] = Cameras(look, found, intervals=self._intervals)

    async def run(self) -> None:
        """Create stations until cancelled."""
        async with self._group:
            for source, finder in self._finders.items():
                self._group.create_task(finder.run(), name=source)
            while True:
                for source, finder in self._finders.items():
                    self._hall.complain(source, *finder.complaints.values())
                await asyncio.sleep(self._intervals.retry_s)

    def _known_device(self, device: str, fitting: Sequence[str]) -> KnownDevice | None:
        """Return the station of *device*, known or new with the first *fitting* game."""
        if device in self._known:
            return self._known[device]
        taken = {known.board for known in self._known.values()} | self._hall.hub.station_states.known.keys()
        name = next(each for number in itertools.count(1) if (each := f"board-{number}") not in taken)
        return KnownDevice(device, name, fitting[0]) if fitting else None

    def _appear(
        self, known: KnownDevice, what: str, play_options: PlayOptions, open_port: OpenPort | None = None
    ) -> None:
        """Start the station of *known* unless it runs."""
        if known.device not in self._playing:
            self._playing.add(known.device)
            is_new = known.device not in self._known
            self._known[known.device] = known  # first: another device needs another name
            playing = self._play(known, what, play_options, open_port, is_new=is_new)
            self._group.create_task(playing, name=f"board {known.board}")

    async def _play(
        self,
        known: KnownDevice,
        what: str,
        play_options: PlayOptions,
        open_port: OpenPort | None,
        *,
        is_new: bool,
    ) -> None:
        """Run the station of *known* forever."""
        self._inform(
            Phrase(
                "{board}: {device} is plugged in, {game} is played at it",
                board=known.board,
                device=what,
                game=known.game,
            )
        )
        if is_new:
            try:
                await asyncio.to_thread(self._devices.give, known)
            except StoreError as fault:
                self._inform(
                    Phrase(
                        "{board}: {reason}; it may have another name next time",
                        board=known.board,
                        reason=fault,
                    )
                )
        folder = (self._usual.folder or files.folder()) / known.board
        slug, options = parse_game(known.game)
        setup = replace(play_options.setup, game=slug, options=tuple(options.items()))
        station = LocalStation(known.board, replace(play_options, setup=setup, folder=folder), open_port)
        await self._stations.run(station, local_channel_opener(self._hall, station.folder))


def _grids(chosen: Sequence[str]) -> dict[str, Grid]:
    """Return the grids of the *chosen* games. Raises `SettingsError` and `OptionError`."""
    return {game: _grid(game) for game in chosen}


@cache
def _grid(game: str) -> Grid:
    """Return the grid of *game*."""
    slug, options = parse_game(game)
    return games.find(slug).rules(options).grid
