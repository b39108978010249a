# SPDX-License-Identifier: Apache-2.0
"""`companion hall`: many boards at an event; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer
from rich.console import Console

from companion.cli import tables as cli_tables
from companion.cli import tournament as cli_events
from companion.cli.program import Commands
from companion.cli.shared import (
    BrokerCertificate,
    ClockText,
    CostsFile,
    GameArgument,
    LanguageCode,
    Misused,
    look_for_hall,
)
from companion.model.errors import SettingsError
from companion.model.phrase import Phrase

if TYPE_CHECKING:
    from companion.host.hall.desk.access import Arbiters
    from companion.host.hall.hotplug.devices import Devices
    from companion.host.hall.stations.local_station import LocalStation
    from companion.host.online.two_tables.club_match import ClubMatch

app: Final = Commands(
    help="Run a hall: boards, tournaments, arbiter's desk and spectators' page, on one or more machines.\n\n"
    "Results are entered at the desk, /arbiter of its page; `companion help hall` leads through an evening.",
    epilog="Examples: companion hall admit Ana · companion hall --panels chess · "
    "companion hall --cameras chess --cameras gottaz · companion hall --board red=chess@/dev/ttyUSB0 --board blue=chess · "
    "companion hall --broker mqtt://localhost/club --http-address 0.0.0.0",
)
app.add_typer(cli_events.app)
app.add_typer(cli_tables.app)

StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Database of the book: sqlite:///club.sqlite or postgresql://HOST/NAME.",
    ),
]
BrokerUrl = Annotated[
    str | None,
    typer.Option(
        "--broker",
        metavar="URL",
        help="MQTT broker for boards on other machines: mqtt://USER@HOST/HALL, or mqtts:// for TLS. "
        "The password comes from COMPANION_MQTT_PASSWORD.",
    ),
]


@app.callback(invoke_without_command=True)
def hall(
    context: typer.Context,
    board: Annotated[
        list[str] | None,
        typer.Option(
            "--board",
            metavar="NAME=GAME[@PORT]",
            help="Board of this machine, at a port, at a camera (@camera:SOURCE,PROFILE) or virtual; repeatable. "
            "Options follow the game: red=tank-chess,map=companion-20. At the end, ,at=CELL is the panel's cell under "
            "the game's first cell.",
        ),
    ] = None,
    panels: Annotated[
        list[str] | None,
        typer.Option(
            "--panels",
            metavar="GAME",
            help="Use sensor boards as they are plugged in, for this game; repeatable. Each new one "
            "gets the first game that fits, and keeps it.",
        ),
    ] = None,
    cameras: Annotated[
        list[str] | None,
        typer.Option(
            "--cameras",
            metavar="GAME",
            help="The same for USB cameras; each needs a profile (`python -m calibration`).",
        ),
    ] = None,
    match: Annotated[
        str,
        typer.Option(
            "--match",
            metavar="WHAT",
            help="Play a match with another hall, board by board in the order of --board: new to invite it by a "
            "code, that code at the other hall, or resume after a restart of the inviting one.",
        ),
    ] = "",
    via: Annotated[
        str,
        typer.Option(
            "--via",
            metavar="URL",
            help="How the halls of a match meet: ws://HOST:PORT of the inviting one (default: it waits at port 7810), "
            "or a broker as mqtt://HOST.",
        ),
    ] = "",
    broker: BrokerUrl = None,
    ca: BrokerCertificate = None,
    is_open: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Accept tables on other machines without keys: anybody at the broker can then act for any table.",
        ),
    ] = False,
    store: StoreUrl = None,
    pgn: Annotated[
        Path | None,
        typer.Option("--pgn", file_okay=False, help="Folder for a PGN file per round of chess."),
    ] = None,
    push: Annotated[
        list[str] | None,
        typer.Option(
            "--push",
            metavar="[ROUND=]URL",
            help="Broadcast that gets the current round, or ROUND, by POST, with the token in "
            "COMPANION_PUSH_TOKEN; repeatable: each takes 64 games.",
        ),
    ] = None,
    federation_ids: Annotated[
        bool,
        typer.Option("--federation-ids", help="Include the players' federation ids in --pgn and --push."),
    ] = False,
    http_address: Annotated[
        str,
        typer.Option(
            "--http-address",
            help="Address of the pages; 0.0.0.0 for all interfaces. Further host names follow: 0.0.0.0,hall.example.",
        ),
    ] = "127.0.0.1",
    http_port: Annotated[
        int, typer.Option("--http-port", min=0, max=65535, help="Port of the pages; 0 for any free one.")
    ] = 8700,
    per_address: Annotated[
        int, typer.Option("--per-address", min=1, help="Limit of connected spectators per address.")
    ] = 200,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", dir_okay=False, help="PEM file of a certificate for HTTPS, with --key."
        ),
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", dir_okay=False, help="PEM file of the certificate's key.")
    ] = None,
    costs: CostsFile = None,
    clock: ClockText = None,
    language: LanguageCode = None,
) -> None:
    """Run a hall until Ctrl-C."""
    if context.invoked_subcommand is not None:
        return
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.run import HallOptions, run_hall
    from companion.host.hall.spectators.broadcast_pgn import relay_to
    from companion.host.hall.stations.local_station import read_station
    from companion.host.journal.setup import GameSetup
    from companion.host.play.start import PlayOptions
    from companion.host.web.server import Certificate

    if bool(certificate) != bool(key):
        raise Misused("a certificate and its key belong together: name both", option="--certificate, --key")
    usual = settings.read(settings.path())
    plain = PlayOptions(
        GameSetup("", control=clock or ""),
        language=language or usual.language,
        browser=False,
        store=store or usual.store,
        usual_clock=clock or usual.clock,
        timing=usual.waits,
        costs=settings.costs_of(costs or usual.costs),
    )
    stations = tuple(read_station(text, plain) for text in board or ())
    hall_options = HallOptions(
        stations,
        broker,
        str(ca) if ca else None,
        is_open,
        store or usual.store,
        http_address=http_address,
        http_port=http_port,
        per_address=per_address,
        certificate=Certificate(str(certificate), str(key)) if certificate else None,
        relay=relay_to(pgn, push or (), with_ids=federation_ids),
        panel_games=tuple(panels or ()),
        camera_games=tuple(cameras or ()),
        usual=plain,
        match=_match_of(match, via, stations) if match else None,
    )
    run_hall(hall_options, _print)


def _match_of(what: str, via: str, stations: Sequence[LocalStation]) -> ClubMatch:
    """Return the match *what* of *stations*. Raises `CompanionError`."""
    from companion.host.online.two_tables.club_match import ClubMatch, match_file
    from companion.host.text.error_translation import translate

    def inform(said: str) -> None:
        _print(translate(said, stations[0].play_options.language))

    return ClubMatch.of(
        what, via, {station.name: station.play_options for station in stations}, inform, match_file()
    )


@app.command(epilog="Example: companion hall admit Ana")
def admit(
    name: Annotated[str, typer.Argument(help="Name of the arbiter.")],
    password: Annotated[
        str,
        typer.Option(
            "--password",
            metavar="PASSWORD",
            prompt=True,
            hide_input=True,
            confirmation_prompt=True,
            help="Password (default: prompt).",
        ),
    ],
    store: StoreUrl = None,
) -> None:
    """Create an arbiter's account, or change its password."""
    with _access(store, may_make=True) as access:
        access.admit(name, password)
    _print(f"{name} may act as arbiter")


@app.command(epilog="Example: companion hall dismiss Ana")
def dismiss(
    name: Annotated[str, typer.Argument(help="Name of the arbiter.")], store: StoreUrl = None
) -> None:
    """Delete an arbiter's account."""
    with _access(store) as access:
        if not access.dismiss(name):
            raise SettingsError(
                "{name} is not an arbiter; there are: {known}. Is this the right --store?",
                name=name,
                known=tuple(access.names()) or Phrase("none"),
            )
    _print(f"{name} may not act any more")


@app.command(epilog="Example: companion hall arbiters")
def arbiters(store: StoreUrl = None) -> None:
    """List the arbiters."""
    with _access(store) as access:
        for name in access.names() or ("nobody yet: companion hall admit NAME",):
            _print(name)


@app.command(
    "print",
    epilog="Examples: companion hall print pairings club · companion hall print standings club --language hr · "
    "companion hall print scoresheets club --round 2",
)
def print_(
    kind: Annotated[str, typer.Argument(help="pairings, standings, crosstable, teams or scoresheets.")],
    key: Annotated[str, typer.Argument(help="Key of the tournament.")],
    round: Annotated[
        int, typer.Option("--round", min=0, help="Number of the round (default: the last).")
    ] = 0,
    paper: Annotated[Literal["a4", "letter"], typer.Option("--paper", help="Paper size.")] = "a4",
    out: Annotated[
        Path | None,
        typer.Option("--out", dir_okay=False, help="PDF file (default: named after its contents)."),
    ] = None,
    store: StoreUrl = None,
    language: LanguageCode = None,
) -> None:
    """Print a list of a tournament, or score sheets of a round, as PDF."""
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.desk.print_stored import print_from
    from companion.host.records.export import save

    usual = settings.read(settings.path())
    made = print_from(store or usual.store, (kind, key, round), language or usual.language, paper)
    path = out or Path(f"{key}-{kind}.pdf")
    save(path, made)
    _print(f"{path}: print it at 100 % and check the ruler")


@app.command(
    "broker-config",
    epilog="Example: companion hall broker-config club red blue green > broker.sh, then: sudo sh broker.sh",
)
def broker_config(
    hall: Annotated[str, typer.Argument(help="Name of the hall, as in mqtt://HOST/HALL.")],
    boards: Annotated[list[str], typer.Argument(help="Boards of the tables on other machines.")],
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the broker.")] = 1883,
) -> None:
    """Print a script that opens a Mosquitto to a hall and its tables."""
    look_for_hall()
    from companion.host.hall.stations.broker_config import script

    typer.echo(script(hall, boards, port), nl=False)


@app.command(epilog="Example: companion hall devices")
def devices(store: StoreUrl = None) -> None:
    """List the known sensor boards and cameras with their boards."""
    with _devices(store) as known:
        for each in known.all():
            _print(f"{each.board}  {each.game}  {each.device}")
        if not known.all():
            _print("none yet: `companion hall --panels GAME` or --cameras GAME remembers what is plugged in")


@app.command(
    epilog="Examples: companion hall assign 5a31c0ffee000001 red chess · "
    "companion hall assign usb:046d:0825:1A2B3C blue chess"
)
def assign(
    device: Annotated[
        str,
        typer.Argument(
            help="Identity of a panel as in `companion tools panels`, or of a camera as reported by the hall."
        ),
    ],
    board: Annotated[str, typer.Argument(help="Name of its board.")],
    game: GameArgument,
    store: StoreUrl = None,
) -> None:
    """Assign a sensor board or camera, such as a replacement, to a hall's board."""
    look_for_hall()
    from companion.host.game_info import parse_game
    from companion.host.hall.core.station_states import is_name
    from companion.host.hall.hotplug.devices import KnownDevice

    if not device.strip():
        raise Misused("a device's identity must not be empty", option="DEVICE")
    if not is_name(board):
        raise Misused("a board's identity has letters, digits, - and _", option="BOARD")
    parse_game(game)
    with _devices(store, may_make=True) as known:
        known.give(KnownDevice(device, board, game))
    _print(f"{device} is {board}; a hall that runs notices when it is started again")


@app.command(epilog="Example: companion hall forget red")
def forget(
    board: Annotated[str, typer.Argument(help="Name of the board.")],
    store: StoreUrl = None,
) -> None:
    """Remove the sensor board or camera of a board."""
    with _devices(store) as known:
        if not known.forget(board):
            raise SettingsError(
                "no panel and no camera is remembered for {board}: `companion hall devices` lists which are",
                board=board,
            )
    _print(f"what {board} had is forgotten")


def _print(text: str) -> None:
    Console(highlight=False).print(text, soft_wrap=True, markup=False)


def _devices(store: str | None, *, may_make: bool = False) -> AbstractContextManager[Devices]:
    """Open the known devices in the store at *store*, or the default one."""
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.hotplug.devices import opened

    return opened(store or settings.read(settings.path()).store, may_make=may_make)


def _access(store: str | None, *, may_make: bool = False) -> AbstractContextManager[Arbiters]:
    """Open the arbiters' accounts in the store at *store*, or the default one."""
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.desk.access import opened

    return opened(store or settings.read(settings.path()).store, may_make=may_make)
