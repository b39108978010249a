# SPDX-License-Identifier: Apache-2.0
"""`companion records`: stored games; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from companion.cli.program import FAILED, Commands
from companion.cli.shared import JsonOutput, LanguageCode, Misused, complain, message_language

if TYPE_CHECKING:
    from rich.console import Console

    from companion.feedback.words import Words
    from companion.host.records.records import KeptGame
    from companion.host.records.store import Store
    from companion.model.notation import GameRecord

app: Final = Commands(
    help="Stored games: list, show, replay, export, import, statistics.",
    epilog="Begin with: companion records list · companion records show 1",
    no_args_is_help=True,
)

Number = Annotated[int, typer.Argument(min=1, help="Number of a game in `companion records list`.")]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="URL of the store, such as sqlite:///club.sqlite (default: the one in the settings).",
    ),
]
OnlyGame = Annotated[str | None, typer.Option("--game", help="Only games of this kind, such as chess.")]


PaperName = Annotated[Literal["a4", "letter"], typer.Option("--paper", help="Paper size of a score sheet.")]


class Format(StrEnum):
    """Export formats."""

    TEXT = "text"
    JSON = "json"
    PGN = "pgn"
    SVG = "svg"
    GIF = "gif"
    PDF = "pdf"


def open_store(url: str | None, *, may_make: bool = False) -> Store:
    """Open the store at *url*, or the default one.

    A store named by *url* has to exist, unless *may_make*.
    """
    from companion.host import settings
    from companion.host.records.store import Store

    named = url or settings.read(settings.path()).store
    return Store.open(named) if may_make else Store.find(named)


def _words(language: str | None, record: GameRecord) -> Words:
    """Return the words for *record* in *language*, or in that of the settings."""
    from companion.feedback.words import load
    from companion.host import settings
    from companion.host.records.records import named_sides, rules_of, spoken_names

    usual = settings.read(settings.path()).language
    words = load(language or usual, record.game, rules_of(record).sides)
    return words.of_players(spoken_names(named_sides(record).values(), words))


@app.command("list", epilog="Examples: companion records list · companion records list --game chess")
def list_games(game: OnlyGame = None, store: StoreUrl = None, as_json: JsonOutput = False) -> None:
    """List the games, latest last."""
    from companion.host.text.listing import Listing, print_json, show

    with open_store(store) as opened:
        rows = opened.rows(game)
    _check_name(game, is_known=bool(rows))
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    if not rows:
        typer.echo("No game is kept yet: play one, or `companion records import FILE`.")
        return
    columns = ("number", "game", "players", "began", "result", "plies", "thinking time")
    lines = [
        (
            str(row.number),
            row.game,
            " – ".join(name or "?" for name in row.players) if any(row.players) else "",
            row.began,
            row.result,
            str(row.plies),
            _duration(row.thought_ms),
        )
        for row in rows
    ]
    show(Listing(columns, lines))


@app.command(epilog="Example: companion records show 3")
def show(number: Number, language: LanguageCode = None, store: StoreUrl = None) -> None:
    """Show the record and the last position of a game."""
    from rich.console import Console

    from companion.host.records.export import to_text
    from companion.host.watch.terminal import GameReplay

    with open_store(store) as opened:
        game = opened.game(number)
    console = Console()
    replay = GameReplay.of(game.record, _words(language, game.record))
    lines = (line.plain.rstrip() for line in replay.picture(len(replay.scenes) - 1, console.width))
    console.print("\n".join([to_text(game.record), *lines]), soft_wrap=True, markup=False, highlight=False)


@app.command(
    epilog="Examples: companion records replay 3 · companion records replay 3 --seconds 0.5 · "
    "companion records replay 3 --page · companion records replay my-game.jsonl"
)
def replay(
    source: Annotated[
        str,
        typer.Argument(
            metavar="NUMBER|JOURNAL", help="Number of a game in `companion records list`, or a journal."
        ),
    ],
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0, max=60, help="Seconds per move (default: 1.5).")
    ] = None,
    page: Annotated[
        bool,
        typer.Option(
            "--page",
            help="Show the game on a page with a slider instead; arrow keys and space bar work, too.",
        ),
    ] = False,
    http_port: Annotated[
        int, typer.Option("--http-port", min=0, max=65535, help="Port of the page; 0 for any free one.")
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    language: LanguageCode = None,
    store: StoreUrl = None,
) -> None:
    """Replay a game in the terminal, or verify that a journal gives the same events.

    Typed lines pause, step, jump and change the speed.
    """
    from rich.console import Console

    from companion.host.watch.terminal import watch

    console = Console(highlight=False)
    if not source.isdecimal():
        if page or seconds is not None:
            raise Misused(
                "a journal is verified, not shown: `companion records import` stores its game",
                option="--page" if page else "--seconds",
            )
        _verify(Path(source), console)
        return
    with open_store(store) as opened:
        game = opened.game(int(source))
    words = _words(language, game.record)
    if page:
        _show_page(game, words.language, http_port, store, browser=browser)
        return
    watch(game.record, words, console, 1.5 if seconds is None else seconds)


def _verify(path: Path, console: Console) -> None:
    """Replay the journal at *path*; exit with 1 where it departs."""
    from companion.host.journal import journal
    from companion.host.records.replay import replay as again

    found = journal.read(path)
    departure = again(found)
    if found.note:
        console.print(f"{path}: {found.note}", soft_wrap=True, markup=False)
    if departure is not None:
        console.print(f"{path}, {departure}", soft_wrap=True, markup=False)
        raise typer.Exit(FAILED)
    console.print(f"{path}: {len(found.events)} events, the same again", soft_wrap=True, markup=False)


def _show_page(game: KeptGame, language: str, port: int, store: str | None, *, browser: bool) -> None:
    """Serve the page of *game* until Ctrl-C."""
    import webbrowser

    from companion.host.desktop import has_screen
    from companion.host.journal import files
    from companion.host.watch.review import kept_game
    from companion.host.watch.review_page import show
    from companion.host.web.server import listen

    def opened(address: str) -> None:
        typer.echo(f"The game is at {address}  (Ctrl-C ends)")
        if browser and has_screen():
            webbrowser.open(address)

    with listen("127.0.0.1", port) as listener:
        show(kept_game(game, files.folder()), language, listener, opened, store)


@app.command(
    epilog="Examples: companion records export 3 · companion records export 3 --as svg -f game.svg · "
    "companion records export 4 --as pgn -f game.pgn · companion records export 3 --as pdf"
)
def export(
    number: Number,
    form: Annotated[Format, typer.Option("--as", help="Output format.")] = Format.TEXT,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", dir_okay=False, help="Output file (default: the terminal for texts)."),
    ] = None,
    paper: PaperName = "a4",
    language: LanguageCode = None,
    store: StoreUrl = None,
) -> None:
    """Write a game as text, JSON, PGN (chess), animation (SVG, GIF) or score sheet (PDF)."""
    from companion.host.records import export as exporting

    with open_store(store) as opened:
        game = opened.game(number)
    written = _written(game, form, language, paper)
    if file is None and isinstance(written, str):
        typer.echo(written, nl=False)
        return
    file = file or Path(f"{game.record.game}-{number}.{form.value}")
    exporting.save(file, written)
    typer.echo(f"Game {number} is in {file}.", err=True)


def _written(game: KeptGame, form: Format, language: str | None, paper: str) -> str | bytes:
    """Return *game* as *form*: a text, or the bytes of a file."""
    from companion.host.records import export as exporting

    match form:
        case Format.TEXT:
            return exporting.to_text(game.record)
        case Format.JSON:
            return exporting.to_json(game)
        case Format.PGN:
            return exporting.to_pgn(game)
        case Format.SVG:
            from companion.host.watch.svg import animated_svg

            return animated_svg(game.record, _words(language, game.record))
        case Format.GIF:
            from companion.host.watch.gif import animated_gif

            return animated_gif(game.record, _words(language, game.record))
        case Format.PDF:
            from companion.host.records.score_sheet import score_sheet
            from companion.sheets.page import PAPERS

            return score_sheet(game.record, PAPERS[paper])


@app.command(
    "import",
    epilog="Examples: companion records import · companion records import club.pgn evening.jsonl game.txt",
)
def import_games(
    context: typer.Context,
    file: Annotated[
        list[Path] | None,
        typer.Argument(help="Journals, record texts or PGN files (default: the journals of this machine)."),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """Store the games of files; known ones are recognised.

    What a file has wrong is left out, and named with its line.
    """
    from rich.console import Console
    from rich.progress import track

    from companion.host.journal import files, journal
    from companion.host.records.records import read_games
    from companion.host.records.store import Added, Imported

    imported = Imported()
    errors = Console(stderr=True, highlight=False)
    paths = file or sorted(files.folder().glob(f"*{journal.SUFFIX}"))
    with open_store(store, may_make=True) as opened:
        for path in paths:
            found = track(
                read_games(path), path.name, console=errors, transient=True, disable=not errors.is_terminal
            )
            imported.take(opened, found, str(path))
    counts, faults = imported.counts, imported.faults
    _print_notes(imported.notes, errors, context)
    for each in faults:
        complain(each, context)
    typer.echo(
        f"{counts[Added.NEW]} new, {counts[Added.GROWN]} brought up to date, "
        f"{counts[Added.KNOWN]} known already, {len(faults)} not understood"
    )
    if faults:
        raise typer.Exit(FAILED)


def _print_notes(notes: Iterable[str], console: Console, context: typer.Context) -> None:
    """Print what was left out or guessed, in the language of the command."""
    from companion.host.text.error_translation import translate

    for note in notes:
        said = translate(note, message_language(context))
        console.print(f"  {said}", soft_wrap=True, markup=False)


@app.command(epilog="Examples: companion records stats · companion records stats --game close-quarters")
def stats(game: OnlyGame = None, store: StoreUrl = None) -> None:
    """Show statistics of the games: results, average lengths, the longest think."""
    from companion.host.text.listing import Listing, show

    with open_store(store) as opened:
        found = opened.statistics(game)
    _check_name(game, is_known=bool(found))
    rows = []
    for each in found:
        longest = ""
        if each.longest is not None:
            number, ply, move, thought_ms = each.longest
            longest = f"{_duration(thought_ms)} for {move} (game {number}, ply {ply + 1})"
        results = ", ".join(f"{_winner(winner)} {times}" for winner, times in each.results)
        count = str(sum(times for _, times in each.results))
        rows.append(
            (each.game, results, count, f"{each.average_plies:.1f}", _duration(each.average_ms), longest)
        )
    if not rows:
        typer.echo("No game is kept yet.")
        return
    columns = ("game", "results", "games", "average plies", "average thinking", "longest think")
    show(Listing(columns, rows))


def _check_name(game: str | None, *, is_known: bool) -> None:
    """Check the name of a *game* of which the store has none. Raises `UnknownName`."""
    if game is not None and not is_known:
        from companion.games import find

        find(game)


def _winner(winner: str) -> str:
    """Return the winner for people."""
    return "unfinished" if winner == "*" else winner


def _duration(ms: float | None) -> str:
    """Format a time:

    0:07.3, 12:05, 1:02:05; "" if unknown.

        >>> _duration(7_320), _duration(725_000), _duration(3_725_000), _duration(None)
        ('0:07.3', '12:05', '1:02:05', '')
    """
    if ms is None:
        return ""
    if ms < 60_000:
        return f"0:{int(ms) // 100 / 10:04.1f}"
    minutes, seconds = divmod(int(ms) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
