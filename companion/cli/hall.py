# SPDX-License-Identifier: Apache-2.0
"""`companion hall`: many boards on one evening. The rule of `companion.cli` holds here too."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer
from rich.console import Console

from companion.cli import tables as cli_tables
from companion.cli import tournament as cli_events
from companion.cli.shared import BrokerCertificate, ClockText, GameArgument, LanguageCode, look_for_hall
from companion.model.errors import SettingsError
from companion.model.phrase import Phrase

if TYPE_CHECKING:
    from companion.host.hall.desk.access import Arbiters
    from companion.host.hall.hotplug.devices import Devices

app: Final = typer.Typer(
    help="Run a hall: boards, tournaments, the arbiter's desk and the spectators' page, on one machine or many.",
    epilog="Examples: companion hall admit Ana · companion hall --panels chess · "
    "companion hall --cameras chess --cameras gottaz · companion hall --board red=chess@/dev/ttyUSB0 --board blue=chess · "
    "companion hall --broker mqtt://localhost/club --http-address 0.0.0.0",
)
app.add_typer(cli_events.app)
app.add_typer(cli_tables.app)

StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="URL", help="Where the book is: sqlite:///club.sqlite, postgresql://HOST/NAME."
    ),
]
BrokerUrl = Annotated[
    str | None,
    typer.Option(
        "--broker",
        metavar="URL",
        help="An MQTT broker for boards of other machines: mqtt://USER@HOST/HALL, or mqtts:// for TLS. "
        "Its password is taken from COMPANION_MQTT_PASSWORD.",
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
            help="A board of this machine, at a port, at a camera (@camera:SOURCE,PROFILE) or a virtual one; may be given again. "
            "Options follow the game: red=tank-chess,map=companion-20.",
        ),
    ] = None,
    panels: Annotated[
        list[str] | None,
        typer.Option(
            "--panels",
            metavar="GAME",
            help="Sensor boards that are plugged in become boards by themselves, for this game; may be given again: each new one "
            "gets the first game that fits, and is remembered.",
        ),
    ] = None,
    cameras: Annotated[
        list[str] | None,
        typer.Option(
            "--cameras",
            metavar="GAME",
            help="The same for cameras at USB: each needs a profile that was made with it (`python -m calibration`).",
        ),
    ] = None,
    broker: BrokerUrl = None,
    ca: BrokerCertificate = None,
    is_open: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Take tables of other machines without keys: anybody at the broker can then speak for any table.",
        ),
    ] = False,
    store: StoreUrl = None,
    pgn: Annotated[
        Path | None,
        typer.Option("--pgn", file_okay=False, help="A folder for the games of each round of chess."),
    ] = None,
    push: Annotated[
        str | None,
        typer.Option(
            "--push", metavar="URL", help="Who gets them by POST, with the token in COMPANION_PUSH_TOKEN."
        ),
    ] = None,
    federation_ids: Annotated[
        bool,
        typer.Option(
            "--federation-ids", help="Name the players' federation ids in the games of --pgn and --push."
        ),
    ] = False,
    http_address: Annotated[
        str,
        typer.Option(
            "--http-address",
            help="Where the pages are served; 0.0.0.0 lets other machines in. Names that lead there follow: 0.0.0.0,hall.example.",
        ),
    ] = "127.0.0.1",
    http_port: Annotated[
        int, typer.Option("--http-port", min=0, max=65535, help="Their port; 0 takes any.")
    ] = 8700,
    per_address: Annotated[
        int, typer.Option("--per-address", min=1, help="Spectators that one address may have at a time.")
    ] = 200,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", dir_okay=False, help="For https: a certificate, with --key; PEM files."
        ),
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", dir_okay=False, help="The certificate's key.")] = None,
    clock: ClockText = None,
    language: LanguageCode = None,
) -> None:
    """Run a hall until Ctrl-C."""
    if context.invoked_subcommand is not None:
        return
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.run import HallOptions, read_board, relay_to, run_hall
    from companion.host.play.start import PlayOptions
    from companion.host.web.server import Certificate

    if bool(certificate) != bool(key):
        raise typer.BadParameter(
            "a certificate and its key belong together", param_hint="--certificate, --key"
        )
    usual = settings.read(settings.path())
    plain = PlayOptions(
        "",
        language=language or usual.language,
        browser=False,
        store=store or usual.store,
        clock=clock,
        usual_clock=clock or usual.clock,
        timing=usual.waits,
    )
    hall_options = HallOptions(
        tuple(read_board(text, plain) for text in board or ()),
        broker,
        str(ca) if ca else None,
        is_open,
        store or usual.store,
        http_address=http_address,
        http_port=http_port,
        per_address=per_address,
        certificate=Certificate(str(certificate), str(key)) if certificate else None,
        relay=relay_to(pgn, push, with_ids=federation_ids),
        panel_games=tuple(panels or ()),
        camera_games=tuple(cameras or ()),
        usual=plain,
    )
    run_hall(hall_options, _say)


@app.command(epilog="Example: companion hall admit Ana")
def admit(
    name: Annotated[str, typer.Argument(help="Who may act as arbiter.")],
    password: Annotated[
        str,
        typer.Option(
            "--password",
            metavar="PASSWORD",
            prompt=True,
            hide_input=True,
            confirmation_prompt=True,
            help="Asked for if not given.",
        ),
    ],
    store: StoreUrl = None,
) -> None:
    """Let somebody act as arbiter, or give them another password."""
    with _access(store, may_make=True) as access:
        access.admit(name, password)
    _say(f"{name} may act as arbiter")


@app.command(epilog="Example: companion hall dismiss Ana")
def dismiss(
    name: Annotated[str, typer.Argument(help="Who may not act any more.")], store: StoreUrl = None
) -> None:
    """Let somebody act as arbiter no more."""
    with _access(store) as access:
        if not access.dismiss(name):
            raise SettingsError(
                "{name} is no arbiter; there are: {known}. Is this the right --store?",
                name=name,
                known=tuple(access.names()) or Phrase("none"),
            )
    _say(f"{name} may not act any more")


@app.command(epilog="Example: companion hall arbiters")
def arbiters(store: StoreUrl = None) -> None:
    """List who may act as arbiter."""
    with _access(store) as access:
        for name in access.names() or ("nobody yet: companion hall admit NAME",):
            _say(name)


@app.command(
    "print",
    epilog="Examples: companion hall print pairings club · companion hall print standings club --language hr · "
    "companion hall print scoresheets club --round 2",
)
def print_(
    kind: Annotated[str, typer.Argument(help="What: pairings, standings, crosstable, teams or scoresheets.")],
    key: Annotated[str, typer.Argument(help="The tournament's short name.")],
    round: Annotated[int, typer.Option("--round", min=0, help="Of which round; else the last.")] = 0,
    paper: Annotated[Literal["a4", "letter"], typer.Option("--paper", help="The paper.")] = "a4",
    out: Annotated[
        Path | None, typer.Option("--out", dir_okay=False, help="The PDF; else named after what it shows.")
    ] = None,
    store: StoreUrl = None,
    language: LanguageCode = None,
) -> None:
    """Print a list of a tournament, or score sheets of a round, as a PDF."""
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.run import print_from
    from companion.host.records.export import save

    usual = settings.read(settings.path())
    made = print_from(store or usual.store, (kind, key, round), language or usual.language, paper)
    path = out or Path(f"{key}-{kind}.pdf")
    save(path, made)
    _say(f"{path}: print it at 100 % and check the ruler")


@app.command(epilog="Example: companion hall devices")
def devices(store: StoreUrl = None) -> None:
    """List the sensor boards and cameras that are remembered, with the boards that they are."""
    with _devices(store) as known:
        for each in known.all():
            _say(f"{each.board}  {each.game}  {each.device}")
        if not known.all():
            _say("none yet: `companion hall --panels GAME` or --cameras GAME remembers what is plugged in")


@app.command(
    epilog="Examples: companion hall assign 5a31c0ffee000001 red chess · "
    "companion hall assign usb:046d:0825:1A2B3C blue chess"
)
def assign(
    device: Annotated[
        str,
        typer.Argument(
            help="The panel's identity, as `companion panels` lists it, or the camera's, as the hall says it."
        ),
    ],
    board: Annotated[str, typer.Argument(help="The board that it is from now on.")],
    game: GameArgument,
    store: StoreUrl = None,
) -> None:
    """Say which board a sensor board or a camera is, for instance one that takes the place of a broken one."""
    look_for_hall()
    from companion.host.game_info import parse_game
    from companion.host.hall.core.seats import is_name
    from companion.host.hall.hotplug.devices import KnownDevice

    if not device.strip():
        raise typer.BadParameter("a device's identity is not empty", param_hint="DEVICE")
    if not is_name(board):
        raise typer.BadParameter(
            Phrase("a board's identity has letters, digits, - and _"), param_hint="BOARD"
        )
    parse_game(game)
    with _devices(store, may_make=True) as known:
        known.give(KnownDevice(device, board, game))
    _say(f"{device} is {board}; a hall that runs notices when it is started again")


@app.command(epilog="Example: companion hall forget red")
def forget(
    board: Annotated[str, typer.Argument(help="The board whose panel or camera is forgotten.")],
    store: StoreUrl = None,
) -> None:
    """Forget which sensor board or camera a board had."""
    with _devices(store) as known:
        if not known.forget(board):
            raise SettingsError(
                "no panel and no camera is remembered for {board}: `companion hall devices` lists which are",
                board=board,
            )
    _say(f"what {board} had is forgotten")


def _say(text: str) -> None:
    Console(highlight=False).print(text, soft_wrap=True, markup=False)


def _devices(store: str | None, *, may_make: bool = False) -> AbstractContextManager[Devices]:
    """The sensor boards and cameras that are remembered in the store at *store* or the usual one, open meanwhile."""
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.hotplug.devices import opened

    return opened(store or settings.read(settings.path()).store, may_make=may_make)


def _access(store: str | None, *, may_make: bool = False) -> AbstractContextManager[Arbiters]:
    """Who may act, in the store at *store* or the usual one, open meanwhile."""
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.desk.access import opened

    return opened(store or settings.read(settings.path()).store, may_make=may_make)
