# SPDX-License-Identifier: Apache-2.0
"""Commands for sensor boards and this computer; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from companion.cli.program import FAILED, Commands
from companion.cli.shared import (
    GameArgument,
    JsonOutput,
    LanguageCode,
    Misused,
    OptionWords,
    message_language,
)

app: Final = Commands()


@app.command(
    epilog="Examples: companion tools panels · companion tools panels /dev/ttyUSB0 socket://localhost:7000"
)
def panels(
    context: typer.Context,
    port: Annotated[
        list[str] | None, typer.Argument(help="Ports or URLs to query (default: all serial ports).")
    ] = None,
    language: LanguageCode = None,
    as_json: JsonOutput = False,
) -> None:
    """List the connected sensor boards with their identification."""
    from companion.host.doctor.panel_lines import as_data, faults, table
    from companion.host.doctor.panel_list import NO_PORT, list_panels
    from companion.host.text.error_translation import translate
    from companion.host.text.listing import print_json, show

    found, code = list_panels(port or ()), message_language(context)
    answered = table(found, code)
    if as_json:
        print_json(as_data(found, code))
    elif not found:
        typer.echo(translate(NO_PORT, code))
    else:
        if answered.rows:
            show(answered)
        for fault in faults(found, code):
            typer.echo(typer.style(fault, dim=True))
    if not answered.rows:
        raise typer.Exit(FAILED)


@app.command(
    epilog="Examples: companion tools flash 8x8 --port /dev/ttyUSB0 · companion tools flash 20x20 --port COM3 · "
    "companion tools flash 8x8-pico --port /media/$USER/RPI-RP2"
)
def flash(
    context: typer.Context,
    board: Annotated[
        str,
        typer.Argument(
            metavar="BOARD",
            help="Panel whose program is written, such as 8x8 (a Nano), 20x20 (a Mega) or 8x8-pico.",
        ),
    ],
    port: Annotated[str, typer.Option("--port", help="Serial device of the board; the drive of a Pico.")],
    language: LanguageCode = None,
) -> None:
    """Write the program of a panel into its chip.

    Names what is on the board, refuses the program of another chip, and verifies what was written.
    Needs avrdude, except for a Pico: hold its button BOOTSEL while you plug it in, and name the
    drive that appears.
    """
    from rich.console import Console

    from companion.host.doctor import flash as flashing
    from companion.host.text.error_translation import translate

    console, code = Console(highlight=False), message_language(context)
    flashing.flash(
        board, port, lambda said: console.print(translate(said, code), markup=False, soft_wrap=True)
    )


@app.command(
    epilog="Examples: companion doctor · companion doctor --port /dev/ttyUSB0 · companion doctor --port COM3 --seconds 0 · "
    "companion doctor --camera 0 --game chess"
)
def doctor(
    context: typer.Context,
    port: Annotated[
        str | None,
        typer.Option(
            "--port", help="Examine the sensor board at this device or URL instead of this computer."
        ),
    ] = None,
    seconds: Annotated[
        int,
        typer.Option("--seconds", min=0, help="Time for moving a magnet over the cells; 0 skips this test."),
    ] = 60,
    camera: Annotated[
        str | None,
        typer.Option(
            "--camera", metavar="SOURCE", help="Examine this camera: a number, a URL or a video file."
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game", help="Also examine how well the camera sees this game's printed board and tags."
        ),
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="NAME", help="Profile of the camera, or its file.")
    ] = None,
    language: LanguageCode = None,
    as_json: JsonOutput = False,
) -> None:
    """Diagnose this computer, a sensor board or a camera, and name remedies.

    Exits with 1 if there is a fault; what only some people need is a note.
    """
    from rich.console import Console

    from companion.host.devices.camera import CameraOptions
    from companion.host.doctor.commands import examine_camera, examine_machine, examine_panel

    if profile and not game:
        raise Misused("a profile belongs to the board of a game: name it with --game", option="--profile")
    console, code = Console(highlight=False), message_language(context)
    is_well = True
    if as_json:
        from companion.host.doctor import as_data
        from companion.host.text.listing import print_json

        instructions = Console(stderr=True, highlight=False)
        found = [] if camera is None else as_data.camera(CameraOptions(camera, profile), game, code)
        found += [] if port is None else as_data.panel(port, seconds, instructions, code)
        found += as_data.machine(code) if camera is None and port is None else []
        print_json(found)
        if not as_data.is_well(found):
            raise typer.Exit(FAILED)
        return
    if camera is not None:
        is_well = examine_camera(CameraOptions(camera, profile), game, console, code)
    if port is not None:
        is_well = examine_panel(port, seconds, console, code) and is_well
    if camera is None and port is None:
        is_well = examine_machine(console, code)
    if not is_well:
        raise typer.Exit(FAILED)


@app.command(
    epilog="Examples: companion tools switches --port /dev/ttyUSB0 · companion tools switches --port COM3 --language de"
)
def switches(
    context: typer.Context,
    port: Annotated[str, typer.Option("--port", help="Device or URL of the sensor board.")],
    language: LanguageCode = None,
    as_json: JsonOutput = False,
) -> None:
    """Test every switch of a board: lamps and display lead a magnet.

    Weak, dead, doubled and swapped switches are reported at once. Exits with 1 if there is a fault.
    """
    from rich.console import Console

    from companion.host.doctor import as_data
    from companion.host.doctor.sensor_terminal import examine_switches
    from companion.host.text.listing import print_json

    console, code = Console(highlight=False, stderr=as_json), message_language(context)
    examined = examine_switches(port, console, code)
    if as_json:
        print_json(as_data.switches(port, examined, code))
    if not examined.is_well:
        raise typer.Exit(FAILED)


@app.command(
    epilog="Example: companion tools simulate close-quarters --listen 7000 · in another terminal: "
    "companion play close-quarters --port socket://127.0.0.1:7000",
)
def simulate(
    game: GameArgument,
    option: OptionWords = None,
    listen: Annotated[
        int, typer.Option("--listen", min=0, max=65535, help="TCP port; 0 for any free one.")
    ] = 7000,
    panel: Annotated[
        str,
        typer.Option("--panel", metavar="NAME", help="A larger panel, such as 8x8 (default: one that fits)."),
    ] = "",
    at: Annotated[
        str, typer.Option("--at", metavar="CELL", help="The panel's cell under the game's first cell.")
    ] = "",
) -> None:
    """Serve a virtual panel with a game's pieces over the real link."""
    from rich.console import Console

    from companion.host.doctor.commands import serve_panel
    from companion.host.game_info import parse_options

    serve_panel(game, parse_options(option or []), listen, Console(highlight=False), panel, at)
