# SPDX-License-Identifier: Apache-2.0
"""Commands that play and show games; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from companion.cli.online import Against, Colour, Days, GameId, OnlinePlace, Rated, Via
from companion.cli.program import Commands, LongCommand
from companion.cli.shared import (
    BOARD,
    PAGE,
    BoardService,
    CameraSource,
    CertificateFile,
    CostsFile,
    GameArgument,
    Https,
    KeyFile,
    LanguageCode,
    Misused,
    OptionWords,
    PositionText,
    ProfileName,
    Tagless,
    certificate_of,
    say,
    service_of,
)
from companion.cli.table_options import (
    BoardWords,
    HttpAddress,
    HttpPort,
    InTerminal,
    Lamps,
    OpenBrowser,
    PageWords,
    PanelPort,
    VirtualSensor,
    first,
    table_options,
)

app: Final = Commands()


class _Play(LongCommand):
    usual = frozenset(
        {
            "option",
            "player",
            "computer",
            "level",
            "warn",
            "clock",
            "resume",
            "language",
            "port",
            "camera",
            "profile",
            "lamps",
            "online",
            "against",
            "http_address",
            "http_port",
            "position",
            "browser",
            "terminal",
        }
    )
    """What players at home need."""


@app.command(
    cls=_Play,
    epilog="Examples: companion play close-quarters · companion play close-quarters --port auto · "
    "companion play chess --camera 0 --profile kitchen · "
    "companion play close-quarters -o turn_limit=20 · companion play chess --clock 5+3 · "
    "companion play close-quarters --resume · companion play chess --terminal · "
    "companion play chess --computer black --level 4",
)
def play(
    game: GameArgument,
    port: PanelPort = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            rich_help_panel=BOARD,
            metavar="CELL",
            help="Cell of a larger panel on which the game's first cell lies (default: in the middle, or where it is set up).",
        ),
    ] = None,
    camera: CameraSource = None,
    profile: ProfileName = None,
    tagless: Tagless = False,
    option: OptionWords = None,
    position: PositionText = None,
    player: Annotated[
        list[str] | None,
        typer.Option("--player", metavar="NAME", help="Name of a player, in turn order; repeatable."),
    ] = None,
    computer: Annotated[
        list[str] | None,
        typer.Option(
            "--computer",
            metavar="SIDE",
            help="Side that the computer plays, by name or number; repeatable. Its moves are shown, and you make them.",
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            "--level",
            help="Level of the computer (default: the last one of the lowest third): a number from 1, the weakest, or a name: newcomer, beginner, learner, "
            "amateur, player, adept, expert, strongest, perfect. `companion games GAME` lists those of a game.",
        ),
    ] = None,
    warn: Annotated[
        list[str] | None,
        typer.Option(
            "--warn",
            metavar="SIDE",
            help="Side that is warned, before its move is announced, if the move loses at once; repeatable.",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="PATH",
            help="UCI engine that plays chess for the computer, by path or name, as 'gnuchess --uci' (default: Stockfish, if installed).",
        ),
    ] = None,
    online: OnlinePlace = None,
    via: Via = "",
    against: Against = "anyone",
    days: Days = None,
    colour: Colour = "random",
    rated: Rated = False,
    game_id: GameId = "",
    resume: Annotated[bool, typer.Option("--resume", help="Resume the newest unfinished game.")] = False,
    record: Annotated[
        int | None,
        typer.Option(
            "--record",
            metavar="NUMBER",
            help="With --resume: number of the game in `companion records list`.",
        ),
    ] = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", dir_okay=False, help="File of the journal.")
    ] = None,
    language: LanguageCode = None,
    http_address: HttpAddress = None,
    http_port: HttpPort = None,
    certificate: CertificateFile = None,
    key: KeyFile = None,
    https: Https = False,
    browser: OpenBrowser = None,
    clock: Annotated[
        str | None,
        typer.Option(
            "--clock",
            metavar="TIME",
            help="Time control: 5+3 is 5 minutes plus 3 seconds per move; see above.",
        ),
    ] = None,
    terminal: InTerminal = False,
    analysis: Annotated[
        bool,
        typer.Option(
            "--analysis",
            rich_help_panel=PAGE,
            help="Show all on the page who wins with best play, and in how many plies (Close Quarters).",
        ),
    ] = False,
    broken: Annotated[
        list[str] | None,
        typer.Option(
            "--broken",
            rich_help_panel=BOARD,
            metavar="CELL",
            help="Cell with a stuck or dead switch, about which the players are asked; repeatable.",
        ),
    ] = None,
    gestures: Annotated[
        Literal["off", "leaders", "presses"] | None,
        typer.Option(
            "--gestures",
            rich_help_panel=BOARD,
            help="Gestures that end a game at the board: leaders (kings) in the centre, or presses of the button.",
        ),
    ] = None,
    lamps: Lamps = None,
    board_service: BoardService = None,
    costs: CostsFile = None,
    sensor: VirtualSensor = None,
) -> None:
    """Play a game with a panel, a camera or a virtual table.

    \b
    Time controls:
      5                     five minutes each, sudden death
      5+3                   3 seconds increment per move (Fischer)
      5+3b, 5+3d            up to 3 seconds back (Bronstein); 3 seconds delay
      30+3x30               30 minutes, then 3 times 30 seconds (byo-yomi)
      5hourglass            the time that one side uses is added to the other's
      90/40+30:30+30        90 minutes for 40 moves, then 30 minutes, 30 seconds increment
      5+3,3+2               5+3 for the first side, 3+2 for the second (time odds)
      5+3@press             players press a button or lever; otherwise moves switch the clocks
      blitz, rapid          3+2, 15+10
      classical, none       90/40+30:30+30, no clock
    """  # noqa: D301  # \b keeps the lines as they are
    from companion.host import settings
    from companion.host.game_info import parse_options
    from companion.host.journal.setup import GameSetup
    from companion.host.play.start import OnlineOptions
    from companion.host.start_page.run import play as run
    from companion.referee.values.gestures import Gestures

    if resume:
        from companion.host.online.join import is_with_table

        chosen = {"--option": option, "--clock": clock, "--player": player, "--position": position}
        elsewhere = online if online is None or not is_with_table(online) else None
        _check_resumed(chosen | {"--computer": computer, "--level": level, "--online": elsewhere}, costs)
    if record is not None and (journal or not resume):
        raise Misused("it needs --resume, and excludes --journal", option="--record")
    _check_helpers(game, level, engine, is_analysed=analysis)
    usual = settings.read(settings.path())
    board = BoardWords(port, camera, profile, tagless, lamps, sensor)
    page = PageWords(http_address, http_port, browser, terminal)
    plain = table_options(usual, game, board, page, language=language, costs=costs)
    options = tuple(parse_options(option or []).items())
    setup = GameSetup(game, options, tuple(player or ()), clock or "", position or "")
    play_options = replace(
        plain,
        setup=setup,
        at=at or "",
        journal=journal,
        resume=resume,
        record=record,
        certificate=certificate_of(certificate, key, plain.http_address, https=https),
        broken=tuple(first(broken, list(plain.broken))),
        gestures=Gestures.OFF if online else Gestures(gestures) if gestures else plain.gestures,
        computer=tuple(computer or ()),
        level=first(level, plain.level),
        warned=tuple(warn or ()),
        online=OnlineOptions(online, via, against, days, colour, rated, game_id) if online else None,
        engine=first(engine, plain.engine),
        analysis=analysis,
        board_service=service_of(usual, board_service),
    )
    run(play_options, say)


def _check_resumed(chosen: Mapping[str, object], costs: Path | None) -> None:
    """Raise `Misused` if something is *chosen* that a resumed game has."""
    said = next((name for name, value in chosen.items() if value), None)
    if said is not None:
        raise Misused(
            "a resumed game keeps the options, the clock and the players with which it began", option=said
        )
    if costs:
        raise Misused("a resumed game keeps the table of costs with which it began", option="--costs")


def _check_helpers(game: str, level: str | None, engine: str | None, *, is_analysed: bool) -> None:
    """Raise `UnknownName` if *game* does not have the *level*, or cannot be analysed.

    Raises `Misused` if it is not played by an *engine*.
    """
    if engine and game != "chess":
        raise Misused("an engine plays chess only: leave it out", option="--engine")
    if is_analysed:
        from companion.host.analysis.evaluation import check_game

        check_game(game)
    if level is not None:
        from companion.opponent.levels import find_level

        find_level(game, level)


@app.command(
    "film",
    epilog="Examples: companion tools film 0 what-happened · companion tools film 0 what-happened.avi --seconds 60",
)
def record(
    source: Annotated[str, typer.Argument(help="Number of a camera, or URL of a stream.")],
    target: Annotated[
        Path, typer.Argument(metavar="FOLDER|FILE.avi", help="Folder or video file for the images.")
    ],
    seconds: Annotated[
        int, typer.Option("--seconds", min=0, help="Duration; 0 until Ctrl-C or the end of a video.")
    ] = 0,
    lossless: Annotated[
        bool, typer.Option("--lossless", help="Use PNG instead of JPEG: ten times the size.")
    ] = False,
) -> None:
    """Record a camera for a bug report; `companion play GAME --camera FOLDER` plays it back."""
    from rich.console import Console

    from companion.host.devices.record_camera import record as keep

    keep(source, target, seconds, Console(highlight=False), is_lossless=lossless)


@app.command(epilog="Examples: companion tools demo · companion tools demo --speed 3")
def demo(
    speed: Annotated[
        float, typer.Option("--speed", min=0.1, max=100, help="Multiple of the normal speed.")
    ] = 1.0,
) -> None:
    """Show a short scripted game in the terminal: moves, an illegal one, CHECK!, the end."""
    from rich.console import Console

    from companion.host.play.demo import run

    run(Console(), speed)
