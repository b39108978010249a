# SPDX-License-Identifier: Apache-2.0
"""The command line of the workshop: `python -m calibration …`.

Also called `companion-calibrate`.
"""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import typer
from rich.console import Console

from calibration.wording import Words
from companion.cli.program import Commands, Program
from companion.cli.shared import LanguageCode, note_language

app: Final = Commands(
    name="calibration",
    cls=Program,
    help="Fit a table's sensors to its grid. Without a command: the camera workshop, in the browser.",
    epilog="Begin with: python -m calibration · python -m calibration camera IMAGES --game chess"
    " · python -m calibration reeds --port /dev/ttyUSB0",
    pretty_exceptions_enable=False,
)

GameName: TypeAlias = Annotated[str, typer.Option("--game", help="A game, as `companion games` lists them.")]
OptionWords: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the game; may be given again."),
]
CellSize: TypeAlias = Annotated[
    float | None,
    typer.Option("--cell-mm", min=5, max=500, help="Measured edge of a cell; else what is printed."),
]


@app.callback(invoke_without_command=True)
def _common(context: typer.Context) -> None:  # its help is that of the app
    if context.invoked_subcommand is None:
        workshop()


@app.command(
    epilog="Example: python -m calibration workshop --source 0 --game tank-chess -o map=companion-20"
)
def workshop(
    source: Annotated[
        str | None, typer.Option(help="The camera at first: a number, a video, a folder, or an address.")
    ] = None,
    game: Annotated[str, typer.Option("--game", help="The game at first.")] = "chess",
    option: OptionWords = None,
    http_port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            callback=note_language,
            help="The language of the page, such as en or de (default: the browser's).",
        ),
    ] = None,
) -> None:
    """Calibrate a camera in the browser: the same as no command at all."""
    from companion.host.devices.camera import check_libraries
    from companion.host.game_info import parse_options

    check_libraries()
    from calibration.table import Table
    from calibration.web import Reading, serve

    table = Table(game, parse_options(option or []))
    reading = Reading(_words(language).code if language else "", _words(None).code)
    console = Console(highlight=False)
    asyncio.run(serve(source, table, http_port, reading, console, opens_browser=browser))


@app.command(
    epilog="Example: python -m calibration camera photos --game chess --cell-mm 50 --shows empty --name kitchen"
)
def camera(
    folder: Annotated[
        Path, typer.Argument(help="Images of the board from one place; those of the lens chart among them.")
    ],
    game: GameName,
    option: OptionWords = None,
    cell_mm: CellSize = None,
    tags: Annotated[bool, typer.Option("--tags/--no-tags", help="Pieces carry printed tags.")] = True,
    corners: Annotated[
        str | None,
        typer.Option(
            help="The board's corners in px, for a board without tags: 'x,y x,y x,y x,y', near left first."
        ),
    ] = None,
    height_mm: Annotated[float, typer.Option(min=0, max=300, help="Of the tops of pieces.")] = 0.0,
    height: Annotated[
        list[str] | None, typer.Option(metavar="KIND=MM", help="Of pieces of one kind; may be given again.")
    ] = None,
    shows: Annotated[
        Literal["nothing", "empty", "start"],
        typer.Option(help="Keep the images as reference of the empty board, or of the start position."),
    ] = "nothing",
    name: Annotated[
        str | None, typer.Option(help="Of the profile, or its .toml file; else the game's.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write the profile even if something is bad.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Tell it to another program.")] = False,
    language: LanguageCode = None,
) -> None:
    """Calibrate a camera from a folder of images, without a browser.

    Ends with 3 if the result is unusable.
    """
    from companion.host.devices.camera import check_libraries
    from companion.host.game_info import parse_options

    check_libraries()
    from calibration.headless import Request, parse_corners, parse_heights, run
    from calibration.table import Table, kinds_of, outfit_of
    from companion.sensing.profile import Heights

    bare = Table(game, parse_options(option or []), cell_mm, tags)
    kinds = parse_heights(height or [], kinds_of(outfit_of(bare)))
    table = Table(game, bare.options, cell_mm, tags, Heights(height_mm, kinds))
    corners_px = None if corners is None else parse_corners(corners)
    request = Request(folder, table, name or game, corners_px, shows, force)
    raise typer.Exit(run(request, Console(highlight=False), _words(language), as_json=as_json))


@app.command(epilog="Example: python -m calibration reeds --port /dev/ttyUSB0")
def reeds(
    port: Annotated[
        str, typer.Option(help="Where the panel is: a device, or a URL such as socket://host:7000.")
    ],
    out: Annotated[Path | None, typer.Option(help="Where the corrected panel file goes.")] = None,
    language: LanguageCode = None,
) -> None:
    """Test a board with a magnet; find switches and lamps wired to the wrong cell."""
    from calibration.reeds import Result, describe, walk_board
    from companion.host.clock import monotonic
    from companion.host.devices.panel_session import open_session
    from companion.host.devices.ports import serial_line

    console, words = Console(highlight=False), _words(language)
    keys: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read_keys() -> None:
        for text in sys.stdin:
            keys.put(text.strip().lower())

    def next_key() -> str | None:
        return None if keys.empty() else keys.get()

    async def run() -> Result:
        clock = monotonic()
        async with open_session(serial_line(port), clock) as session:
            result = await walk_board(session, clock, console.print, next_key, words)
            assert session.connection.hello is not None
            for finding in result.findings:
                console.print(words.text(describe(finding, session.connection.hello)))
            return result

    threading.Thread(target=read_keys, name="keys", daemon=True).start()
    result = asyncio.run(run())
    if not result.findings:
        console.print(words.sentence("reeds.good"))
        return
    path = out or Path(f"{result.panel}.toml")
    path.write_text(result.text, encoding="utf-8")
    file = f"companion/panels/{result.panel}.toml"
    console.print(words.sentence("reeds.fixed", path=str(path), file=file))


@app.command(epilog="Example: python -m calibration tagfamily > companion/model/tags.toml")
def tagfamily() -> None:
    """Generate the printed family of tags and print its file; for changes of the family."""
    from calibration.tagfamily import generate, to_toml

    sys.stdout.write(to_toml(generate()))


def _words(language: str | None) -> Words:
    """The words in *language*, by default in that of the settings.

    Raises `UnknownName`, `SettingsError`.
    """
    from calibration.wording import load
    from companion.host import settings

    return load(language or settings.read(settings.path()).language)


def main() -> int:
    """Run the command line; returns the exit code."""
    try:
        app(prog_name="python -m calibration")
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
