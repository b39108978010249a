# SPDX-License-Identifier: Apache-2.0
"""`companion hall announce`, `enter` and `pair`; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import typer

from companion.cli.program import Commands
from companion.cli.shared import Misused, look_for_hall, message_language, say
from companion.model.errors import HallUnreachable, SettingsError

if TYPE_CHECKING:
    from companion.host.hall.desk.tournament_setup import TournamentDesk

app: Final = Commands()

_HALL: Final = "The hall"
_HOUR: Final = 60

Key: TypeAlias = Annotated[str, typer.Argument(help="Key of the tournament.")]
Address: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--at",
        rich_help_panel=_HALL,
        metavar="URL",
        help="URL of the running hall (default http://127.0.0.1:8700/).",
    ),
]
Store: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store",
        rich_help_panel=_HALL,
        metavar="URL",
        help="Database of the book to write to while no hall runs (default: the one in the settings).",
    ),
]
By: TypeAlias = Annotated[
    str, typer.Option("--by", rich_help_panel=_HALL, metavar="NAME", help="Name of the arbiter.")
]
Password: TypeAlias = Annotated[
    str,
    typer.Option(
        "--password",
        metavar="PASSWORD",
        rich_help_panel=_HALL,
        envvar="COMPANION_ARBITER_PASSWORD",
        prompt=True,
        hide_input=True,
        help="Password of the arbiter (default: prompt).",
    ),
]
USUAL_ADDRESS: Final = "http://127.0.0.1:8700/"


@app.command(
    epilog="Examples: companion hall announce club chess --by Ana --rounds 5 --players players.csv --delay 15 · "
    "companion hall announce cup tank-chess,map=companion-20 --by Ana --format knockout · "
    "companion hall announce league chess --by Ana --match-boards 4 --players teams.trf"
)
def announce(
    key: Key,
    by: By,
    password: Password,
    game: Annotated[str, typer.Argument(help="Game, with options after commas (default: any game).")] = "",
    name: Annotated[str, typer.Option("--name", help="Name of the tournament (default: its key).")] = "",
    format: Annotated[
        Literal["swiss", "round-robin", "double-round-robin", "knockout", "free"],
        typer.Option("--format", help="Pairing system."),
    ] = "swiss",
    rounds: Annotated[
        int, typer.Option("--rounds", min=0, max=60, help="Number of planned rounds; 0 if undecided.")
    ] = 0,
    seats: Annotated[int, typer.Option("--seats", min=2, max=6, help="Players per table.")] = 2,
    match_boards: Annotated[
        int,
        typer.Option(
            "--match-boards",
            min=0,
            help="Boards per team match; 0 for individual tournaments. A Swiss pairs teams as players, on match "
            "points: by FIDE's Dutch system (C.04.3), not by its system for teams (C.04.6).",
        ),
    ] = 0,
    tie_break: Annotated[
        list[str] | None,
        typer.Option(
            "--tie-break",
            metavar="NAME",
            help="buchholz, sonneborn-berger, direct-encounter …; repeatable (default: the usual ones of the format).",
        ),
    ] = None,
    acceleration: Annotated[
        Literal["", "baku"],
        typer.Option("--acceleration", help="Virtual points in the first rounds of a Swiss: baku."),
    ] = "",
    delay: Annotated[
        int, typer.Option("--delay", min=0, max=_HOUR, help="Delay for spectators, in minutes.")
    ] = 0,
    players: Annotated[
        Path | None,
        typer.Option("--players", dir_okay=False, help="File with the players, as for `enter`."),
    ] = None,
    at: Address = None,
    store: Store = None,
) -> None:
    """Announce a tournament in the running hall, or in the book while no hall runs."""
    from companion.host.game_info import parse_game
    from companion.tournament.acts import Opened
    from companion.tournament.ties import usual_ties
    from companion.tournament.values import Acceleration, Format

    slug, options = parse_game(game) if game else ("", {})
    text = _text(players) if players else ""
    format_ = Format(format)
    ties = tuple(tie_break or usual_ties(format_, teams=bool(match_boards)))
    opened = Opened(
        key,
        name or key,
        format_,
        slug,
        tuple(options.items()),
        rounds,
        seats,
        ties,
        match_boards,
        Acceleration(acceleration),
    )
    with _desk(at, store, by, password) as desk:
        desk.announce(opened, 60 * delay)
        say(f"{key} is announced")
        if match_boards and format_ is Format.SWISS:
            say(
                "teams are paired as players, on match points: by FIDE's Dutch system (C.04.3), not by its system for "
                "teams (C.04.6)"
            )
        if text:
            _enter(desk, key, text)


@app.command(
    epilog="Examples: companion hall enter club players.csv --by Ana · companion hall enter club report.trf --by Ana · "
    "companion hall enter club players.csv --rating-list standard_rating_list.txt --by Ana"
)
def enter(
    key: Key,
    players: Annotated[
        Path,
        typer.Argument(
            dir_okay=False,
            help="CSV file with column names (name, rating, team …) in the first line, or federation report (TRF).",
        ),
    ],
    by: By,
    password: Password,
    rating_list: Annotated[
        Path | None,
        typer.Option(
            "--rating-list",
            dir_okay=False,
            help="Rating list that completes the players by id or name: FIDE's text file, or a CSV file.",
        ),
    ] = None,
    at: Address = None,
    store: Store = None,
) -> None:
    """Enter players into a tournament, also late ones."""
    text = _text(players)
    if rating_list is not None:
        text = _completed(text, rating_list)
    with _desk(at, store, by, password) as desk:
        _enter(desk, key, text)


@app.command(
    epilog="Examples: companion hall pair club red blue green --by Ana · "
    "companion hall pair club --by Ana --program 'bbpPairings --dutch {report} -p'"
)
def pair(
    key: Key,
    by: By,
    password: Password,
    boards: Annotated[
        list[str] | None,
        typer.Argument(help="Boards for the tables, in order; their games start there."),
    ] = None,
    over_games: Annotated[
        bool,
        typer.Option("--over-games", help="Leave games in progress at these boards unfinished."),
    ] = False,
    program: Annotated[
        str,
        typer.Option(
            "--program",
            metavar="COMMAND",
            help="Program that pairs instead, as bbpPairings or JaVaFo: it reads {report}, and prints the pairs or writes {pairs}.",
        ),
    ] = "",
    at: Address = None,
    store: Store = None,
) -> None:
    """Pair the next round of a tournament and, in a running hall, assign its boards."""
    with _desk(at, store, by, password) as desk:
        answer = _asked(program, desk.request(key)) if program else ""
        number, seated, under_way = desk.pair(key, boards or [], over_games=over_games, answer=answer)
    say(f"{key}: round {number} is paired" + (f", {seated} of its tables have a board" if boards else ""))
    if under_way:
        say(
            f"not seated, because a game is under way: {', '.join(under_way)}; let it end, or leave it unfinished: "
            "seat there at the desk, which asks"
        )


def _completed(text: str, rating_list: Path) -> str:
    """Return the list *text* completed from *rating_list*; report what is missing."""
    from companion.model.reading import lines_of
    from companion.tournament.rating_list import read_players
    from companion.tournament.roster import write_roster
    from companion.tournament.trf_reader import is_trf

    if is_trf(text):
        raise Misused("a report has its own ratings: give a list of players", option="--rating-list")
    found, notes = read_players(text, lines_of(_text(rating_list)))
    _print_notes(notes)
    return write_roster(found)


def _asked(program: str, request: str) -> str:
    """Return the pairs that *program* answers. Raises `TournamentError`."""
    from companion.host.hall.desk.round_pairing import ask_program

    return ask_program(program, request) or "0"


@contextmanager
def _desk(at: str | None, store: str | None, by: str, password: str) -> Iterator[TournamentDesk]:
    """Open a desk in the hall *at* a URL, or at the book in *store*."""
    if at and store:
        raise Misused("a running hall has a book of its own: leave one of them out", option="--at, --store")
    look_for_hall()
    from companion.host import settings
    from companion.host.hall.desk.tournament_setup import at_book

    with ExitStack() as stack:
        running = None if store else _in_hall(stack, at, by, password)
        if running is not None:
            yield running
            return
        desk = stack.enter_context(at_book(store or settings.read(settings.path()).store, by, password))
        say(f"no hall runs: this goes into the book at {desk.place}")
        yield desk


def _in_hall(stack: ExitStack, at: str | None, by: str, password: str) -> TournamentDesk | None:
    """Open a desk in the hall *at* a URL until *stack* closes;

    None without a hall.

    Raises `CompanionError`.
    """
    from companion.host.hall.desk.client import at_desk

    try:
        return stack.enter_context(at_desk(at or USUAL_ADDRESS, by, password, message_language()))
    except HallUnreachable:
        if at:
            raise
        return None


def _enter(desk: TournamentDesk, key: str, text: str) -> None:
    """Enter the players of *text* and report the counts."""
    answer = desk.enter(key, text)
    rounds = (
        f", {answer['rounds']} rounds taken over, {answer['left_out']} left out" if "rounds" in answer else ""
    )
    known = f", {answer['known']} had entered before" if "known" in answer else ""
    say(f"{key}: {answer['entered']} player{'' if answer['entered'] == 1 else 's'} entered{known}{rounds}")
    _print_notes(answer.get("notes", ()))


def _print_notes(notes: Iterable[str]) -> None:
    """Print what was left out or guessed, in the language of the command."""
    from companion.host.text.error_translation import translate

    for note in notes:
        say(f"  {translate(note, message_language())}")


def _text(path: Path) -> str:
    """Return the text in *path*; say what was guessed about it. Raises `SettingsError`."""
    from companion.host.text.encodings import legacy_encoding
    from companion.host.text.os_errors import reporting
    from companion.model.reading import decoded

    with reporting("{path} cannot be read: {reason}", SettingsError, path=path):
        content = path.read_bytes()
    found = decoded(content, legacy_encoding())
    for note in found.sentences():
        say(f"  {path}: {note}")
    return found.value
