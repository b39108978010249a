# SPDX-License-Identifier: Apache-2.0
"""The start page from the command line; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console

from companion.cli.program import Commands
from companion.cli.shared import (
    BoardService,
    CertificateFile,
    Https,
    KeyFile,
    LanguageCode,
    certificate_of,
    service_of,
)

if TYPE_CHECKING:
    from companion.host.web.server import Certificate

app: Final = Commands()


@app.command(epilog="Examples: companion start · companion start --http-port 8080 --no-browser")
def start(
    language: LanguageCode = None,
    http_address: Annotated[
        str | None,
        typer.Option(
            "--http-address",
            help="Address of the page; 0.0.0.0 for all interfaces. Further host names follow: 0.0.0.0,pi.example.",
        ),
    ] = None,
    http_port: Annotated[
        int | None,
        typer.Option("--http-port", min=0, max=65535, help="Port of the page; 0 for any free one."),
    ] = None,
    certificate: CertificateFile = None,
    key: KeyFile = None,
    https: Https = False,
    browser: Annotated[bool | None, typer.Option("--browser/--no-browser", help="Open the page.")] = None,
    board_service: BoardService = None,
) -> None:
    """Serve the start page: games, boards and cameras, unfinished and kept games."""
    trusted = certificate_of(certificate, key, http_address, https=https)
    serve(language, http_address, http_port, browser, trusted, board_service=board_service)


def serve(
    language: str | None = None,
    http_address: str | None = None,
    http_port: int | None = None,
    browser: bool | None = None,
    certificate: Certificate | None = None,
    *,
    board_service: bool | None = None,
) -> None:
    """Serve the start page with the settings, except for what is not None."""
    from companion.cli.play import VIRTUAL
    from companion.feedback.lights import LampLevel
    from companion.feedback.wordfiles import read_common
    from companion.host import settings
    from companion.host.devices.camera import CameraOptions
    from companion.host.play.start import PlayOptions
    from companion.host.start_page.run import wait_for_games
    from companion.referee.gestures import Gestures

    usual = settings.read(settings.path())
    kind, _, virtual_panel = (usual.port or VIRTUAL).partition(":")
    play_options = PlayOptions(
        game="",
        port=None if kind == VIRTUAL else usual.port,
        virtual_panel=virtual_panel if kind == VIRTUAL else "",
        camera=CameraOptions(usual.camera, usual.profile) if usual.camera else None,
        language=language or usual.language,
        http_address=http_address or usual.page.address,
        http_port=usual.page.port if http_port is None else http_port,
        certificate=certificate,
        browser=usual.page.browser if browser is None else browser,
        store=usual.store,
        lamps=LampLevel(usual.lamps),
        usual_clock=usual.clock,
        broken=usual.broken,
        gestures=Gestures(usual.gestures),
        timing=usual.waits,
        costs=settings.costs_of(usual.costs),
        engine=usual.engine,
        board_service=service_of(usual, board_service),
    )
    read_common(play_options.language)
    wait_for_games(play_options, Console(highlight=False))
