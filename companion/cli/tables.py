# SPDX-License-Identifier: Apache-2.0
"""`companion hall table`, and the keys of tables; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console

from companion.cli.program import Commands
from companion.cli.shared import (
    BOARD,
    BrokerCertificate,
    CameraSource,
    ClockText,
    CostsFile,
    GameArgument,
    LanguageCode,
    Misused,
    OptionWords,
    ProfileName,
    Tagless,
    look_for_hall,
    message_language,
)
from companion.cli.tournament import USUAL_ADDRESS, Address, By, Password

app: Final = Commands()

_HALL: Final = "The hall"

StationName = Annotated[str, typer.Argument(help="Identity of the board.")]


@app.command(epilog="Example: companion hall invite red --by Ana")
def invite(board: StationName, by: By, password: Password, at: Address = None) -> None:
    """Print a code with which a table joins the running hall: `--join CODE`.

    It is valid for one table, ten minutes, and five wrong attempts.
    """
    look_for_hall()
    from companion.host.hall.desk.client import at_desk

    with at_desk(at or USUAL_ADDRESS, by, password, message_language()) as desk:
        answer = desk.ask("api/tables/invite", {"board": board})
    _print(
        f"{answer['board']} can join for {round(answer['seconds'] / 60)} minutes with the code {answer['code']}"
    )


@app.command(epilog="Example: companion hall revoke red --by Ana")
def revoke(board: StationName, by: By, password: Password, at: Address = None) -> None:
    """Revoke a table's key in the running hall, until it joins again."""
    look_for_hall()
    from companion.host.hall.desk.client import at_desk

    with at_desk(at or USUAL_ADDRESS, by, password, message_language()) as desk:
        desk.ask("api/tables/revoke", {"board": board})
    _print(f"the key of {board} no longer works: companion hall invite {board} lets a table join again")


@app.command(epilog="Example: companion hall key red --hall club")
def key(
    name: StationName,
    hall: Annotated[
        str, typer.Option("--hall", metavar="NAME", help="Name of the hall, as in mqtt://HOST/NAME.")
    ] = "hall",
) -> None:
    """Print a table's key for COMPANION_TABLE_KEY, as an alternative to a code.

    It is derived from the hall's secret, which is made at the hall's first start or comes from
    COMPANION_HALL_SECRET, and changes when the table joins with a code.
    """
    look_for_hall()
    from companion.host.hall.keys.keyring import key_for

    _print(key_for(name, hall))


@app.command(
    epilog="Examples: companion hall table red chess --hall mqtt://hall.local/club --port auto --join 7K3M-Q2XW-9ATB-5HJDN · "
    "companion hall table blue gottaz --hall mqtts://blue@broker.example/club"
)
def table(
    name: Annotated[str, typer.Argument(help="Permanent identity of the board: letters, digits, - and _.")],
    game: GameArgument,
    hall: Annotated[
        str,
        typer.Option(
            "--hall",
            metavar="URL",
            rich_help_panel=_HALL,
            help="URL of broker and hall: mqtt://USER@HOST/HALL, or mqtts:// for TLS.",
        ),
    ],
    code: Annotated[
        str | None,
        typer.Option(
            "--join",
            metavar="CODE",
            rich_help_panel=_HALL,
            help="Code from the arbiter's desk or `companion hall invite`; needed once.",
        ),
    ] = None,
    is_open: Annotated[
        bool,
        typer.Option(
            "--open",
            rich_help_panel=_HALL,
            help="Accept commands of an open hall, without a key: anybody at the broker can then send them.",
        ),
    ] = False,
    port: Annotated[
        str | None,
        typer.Option(
            "--port",
            rich_help_panel=BOARD,
            help="Port of the panel, as for `companion play` (default: a virtual table, unless --camera is given).",
        ),
    ] = None,
    camera: CameraSource = None,
    profile: ProfileName = None,
    tagless: Tagless = False,
    option: OptionWords = None,
    ca: BrokerCertificate = None,
    costs: CostsFile = None,
    clock: ClockText = None,
    language: LanguageCode = None,
    http_address: Annotated[
        str, typer.Option("--http-address", help="Address of the table's page.")
    ] = "127.0.0.1",
    http_port: Annotated[
        int | None,
        typer.Option(
            "--http-port", min=0, max=65535, help="Port of the table's page (default: any free one)."
        ),
    ] = None,
) -> None:
    """Run a table of a hall; it plays even without connection."""
    look_for_hall()
    from companion.host import settings
    from companion.host.devices.camera import CameraOptions
    from companion.host.game_info import parse_options
    from companion.host.hall.core.station_states import is_name
    from companion.host.hall.run import run_station
    from companion.host.hall.stations.local_station import LocalStation
    from companion.host.hall.stations.membership import HallMembership
    from companion.host.journal import files
    from companion.host.journal.setup import GameSetup
    from companion.host.play.start import PlayOptions

    if not is_name(name):
        raise Misused("a board's identity has letters, digits, - and _", option="NAME")
    if profile and not camera:
        raise Misused("a profile belongs to a camera: name it with --camera", option="--profile")
    if code and is_open:
        raise Misused("an open hall issues no keys: leave one of them out", option="--join, --open")
    usual = settings.read(settings.path())
    play_options = PlayOptions(
        GameSetup(game, tuple(parse_options(option or []).items()), control=clock or ""),
        port=port,
        camera=CameraOptions(camera, profile, tagless) if camera else None,
        folder=files.folder() / name,
        usual_clock=clock or usual.clock,
        language=language or usual.language,
        http_address=http_address,
        http_port=http_port,
        browser=False,
        store=usual.store,
        timing=usual.waits,
        costs=settings.costs_of(costs or usual.costs),
    )
    run_station(
        LocalStation(name, play_options), HallMembership(hall, str(ca) if ca else None, code, is_open), _print
    )


def _print(text: str) -> None:
    Console(highlight=False).print(text, soft_wrap=True, markup=False)
