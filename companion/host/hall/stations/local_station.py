# SPDX-License-Identifier: Apache-2.0
"""A station of this machine, and its notation on the command line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from companion.host.devices.camera import CameraOptions
from companion.host.devices.ports import OpenPort
from companion.host.game_info import parse_timed_game
from companion.host.hall.core.station_states import is_name
from companion.host.journal import files
from companion.host.play.start import PlayOptions
from companion.model.errors import InvalidArgument

_CAMERA: Final = "camera:"
_AT: Final = ",at="


@dataclass(frozen=True, slots=True)
class LocalStation:
    """A station of this machine."""

    name: str
    play_options: PlayOptions
    open_port: OpenPort | None = None
    """Opens its panel if that was found; otherwise the options name it."""

    @property
    def folder(self) -> Path:
        """Return the folder of its journals."""
        return self.play_options.folder or files.folder()


def read_station(text: str, usual: PlayOptions) -> LocalStation:
    """Parse `NAME=GAME`, `NAME=GAME@PORT` or `NAME=GAME@camera:SOURCE,PROFILE`.

    `,at=CELL` at the end names the panel's cell under the game's first cell. The game is in the
    notation of `parse_game`. Raises `InvalidArgument` and `OptionError`.
    """
    name, _, rest = text.partition("=")
    rest, _, at = rest.partition(_AT)
    game, _, port = rest.partition("@")
    camera = None
    if port.startswith(_CAMERA):
        source, _, profile = port.removeprefix(_CAMERA).partition(",")
        camera, port = CameraOptions(source, profile or None), ""
    if not game or not is_name(name):
        raise InvalidArgument(
            "{text!r} is not a board: expected NAME=GAME, NAME=GAME@PORT, such as "
            "red=chess@/dev/ttyUSB0, or NAME=GAME@camera:SOURCE,PROFILE",
            text=text,
        )
    slug, options = parse_timed_game(game, usual.setup.control)
    folder = files.folder() / name
    play_options = replace(
        usual,
        setup=replace(usual.setup, game=slug, options=tuple(options.items())),
        port=port or None,
        at=at,
        camera=camera,
        folder=folder,
    )
    return LocalStation(name, play_options)
