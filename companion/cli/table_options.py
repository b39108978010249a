# SPDX-License-Identifier: Apache-2.0
"""Options of commands that open a table; what they leave out comes from the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar

import typer

from companion.cli.shared import BOARD, PAGE, Misused
from companion.model.observation import SensorKind

if TYPE_CHECKING:
    from pathlib import Path

    from companion.host.devices.camera import CameraOptions
    from companion.host.play.start import PlayOptions
    from companion.host.settings import Settings

T = TypeVar("T")

VIRTUAL: Final = "virtual"
"""Port name that overrides the settings with a virtual table."""

PanelPort = Annotated[
    str | None,
    typer.Option(
        "--port",
        rich_help_panel=BOARD,
        help="Port of the panel: auto, a device such as /dev/ttyUSB0 or COM3, or a URL such as "
        "socket://localhost:7000; virtual for a virtual table (default: virtual), virtual:8x8 for one with that panel.",
    ),
]
HttpAddress = Annotated[
    str | None,
    typer.Option(
        "--http-address",
        rich_help_panel=PAGE,
        help="Address of the page (default: 0.0.0.0, all interfaces); 127.0.0.1 keeps it to this computer. "
        "Further host names follow: 0.0.0.0,pi.example.",
    ),
]
HttpPort = Annotated[
    int | None,
    typer.Option(
        "--http-port",
        rich_help_panel=PAGE,
        min=0,
        max=65535,
        help="Port of the page; 0 for any free one.",
    ),
]
OpenBrowser = Annotated[
    bool | None, typer.Option("--browser/--no-browser", rich_help_panel=PAGE, help="Open the page.")
]
InTerminal = Annotated[
    bool,
    typer.Option(
        "--terminal",
        rich_help_panel=PAGE,
        help="Play by typing in this terminal; the page is served only if one of its options is given.",
    ),
]

Lamps = Annotated[
    Literal["off", "quiet", "full"] | None,
    typer.Option(
        "--lamps",
        rich_help_panel=BOARD,
        help="How much the lamps show; quiet is dimmed and without hints.",
    ),
]
VirtualSensor = Annotated[
    SensorKind | None,
    typer.Option(
        "--sensor",
        rich_help_panel=BOARD,
        help="What a virtual table senses of its pieces; occupancy, like switches, asks the players more.",
    ),
]


def first(said: T | None, usual: T) -> T:
    """Return *said*, or *usual* if that is None."""
    return usual if said is None else said


@dataclass(frozen=True, slots=True)
class BoardWords:
    """What the command line says of the board; None for the settings."""

    port: str | None = None
    camera: str | None = None
    profile: str | None = None
    tagless: bool = False
    lamps: str | None = None
    sensor: SensorKind | None = None


@dataclass(frozen=True, slots=True)
class PageWords:
    """What the command line says of page and terminal; None for the settings."""

    address: str | None = None
    port: int | None = None
    browser: bool | None = None
    terminal: bool = False

    @property
    def is_served(self) -> bool:
        """True unless the terminal takes its place."""
        is_named = self.address is not None or self.port is not None
        return not self.terminal or self.browser is True or is_named


def table_options(
    usual: Settings,
    game: str,
    board: BoardWords,
    page: PageWords,
    *,
    language: str | None = None,
    costs: Path | None = None,
) -> PlayOptions:
    """Return the options of a table for *game*: what is named, else as in *usual*.

    Raises `Misused` and `SettingsError`.
    """
    from companion.feedback.lights import LampLevel
    from companion.host import settings
    from companion.host.journal.setup import GameSetup
    from companion.host.play.start import PlayOptions
    from companion.referee.values.gestures import Gestures

    wished = first(board.port, usual.port) or VIRTUAL
    kind, _, virtual_panel = wished.partition(":")
    is_virtual = kind == VIRTUAL
    camera = _camera(usual, board, None if board.port and is_virtual else usual.camera)
    if camera is not None and camera.sent is not None and not page.is_served:
        raise Misused("a phone as the camera needs the page: add --http-address 0.0.0.0", option="--camera")
    return PlayOptions(
        GameSetup(game),
        port=None if is_virtual else wished,
        virtual_panel=virtual_panel if is_virtual else "",
        camera=camera,
        language=first(language, usual.language),
        http_address=first(page.address, usual.page.address),
        http_port=first(page.port, usual.page.port),
        browser=first(page.browser, usual.page.browser),
        store=usual.store,
        lamps=LampLevel(first(board.lamps, usual.lamps)),
        usual_clock=usual.clock,
        broken=usual.broken,
        gestures=Gestures(usual.gestures),
        timing=usual.waits,
        costs=settings.costs_of(costs or usual.costs),
        sensor=board.sensor,
        engine=usual.engine,
        terminal=page.terminal,
        page=page.is_served,
        board_service=usual.board_service,
    )


def _camera(usual: Settings, board: BoardWords, otherwise: str | None) -> CameraOptions | None:
    """Return the camera that *board* names, or *otherwise*; None without one.

    Raises `Misused` for a profile without a camera.
    """
    from companion.host.devices.camera import CameraOptions
    from companion.sensing.devices import PHONE
    from companion.sensing.sent_images import SentImages

    source = first(board.camera, otherwise)
    if board.profile and not source:
        raise Misused("a profile belongs to a camera: name it with --camera", option="--profile")
    profile = first(board.profile, usual.profile if source == usual.camera else None)
    sent = SentImages() if source == PHONE else None
    return CameraOptions(source, profile, board.tagless, sent) if source else None
