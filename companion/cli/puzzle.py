# SPDX-License-Identifier: Apache-2.0
"""`companion puzzle`; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console

from companion.cli.program import Commands
from companion.cli.shared import BOARD, PAGE, LanguageCode

if TYPE_CHECKING:
    from companion.opponent.puzzles import Puzzle

app: Final = Commands()


@app.command(
    epilog="Examples: companion puzzle · companion puzzle chess --moves 2 · companion puzzle gottaz --another · "
    "companion puzzle close-quarters --port auto · companion puzzle chess --list"
)
def puzzle(
    game: Annotated[
        str | None, typer.Argument(help="Name of a game (default: another one each day).")
    ] = None,
    moves: Annotated[
        int | None, typer.Option("--moves", min=1, help="Only puzzles that are won in so many moves.")
    ] = None,
    another: Annotated[
        bool, typer.Option("--another", help="Any puzzle instead of that of the day.")
    ] = False,
    number: Annotated[
        int | None, typer.Option("--number", min=1, help="Number of the puzzle in the list.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the puzzles.")] = False,
    port: Annotated[
        str | None,
        typer.Option("--port", rich_help_panel=BOARD, help="Port of the panel, as for `companion play`."),
    ] = None,
    language: LanguageCode = None,
    http_port: Annotated[
        int | None,
        typer.Option("--http-port", rich_help_panel=PAGE, min=0, max=65535, help="Port of the page."),
    ] = None,
    browser: Annotated[
        bool | None, typer.Option("--browser/--no-browser", rich_help_panel=PAGE, help="Open the page.")
    ] = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", rich_help_panel=PAGE, help="Play by typing in this terminal.")
    ] = False,
) -> None:
    """Solve a puzzle at the board: win by force, while the computer defends.

    A move that gives the win away blinks: take it back. Hints are as in a game.
    """
    from companion.games import find
    from companion.host import settings
    from companion.host.clock import local_time
    from companion.host.journal import files
    from companion.host.play.start import PlayOptions
    from companion.host.start_page.run import play
    from companion.opponent.levels import levels
    from companion.opponent.puzzles import numbered

    if listed:
        _list(game)
        return
    found = _chosen(game, moves, is_any=another)
    found = found if number is None else numbered(number, found.game)
    usual = settings.read(settings.path())
    rules = find(found.game).rules()
    own = rules.read_position(found.position).turn
    wished = usual.port if port is None else port
    is_virtual = (wished or "virtual").startswith("virtual")
    play_options = PlayOptions(
        game=found.game,
        position=found.position,
        puzzle=found.moves,
        level=str(len(levels(found.game))),
        computer=tuple(side for number, side in enumerate(rules.sides) if number != own),
        port=None if is_virtual else wished,
        language=language or usual.language,
        http_address=usual.page.address,
        http_port=usual.page.port if http_port is None else http_port,
        browser=usual.page.browser if browser is None else browser,
        store=usual.store,
        journal=files.fresh_path(found.game, local_time(), files.folder() / "puzzles"),
        broken=usual.broken,
        timing=usual.waits,
        costs=settings.costs_of(usual.costs),
        terminal=terminal,
        page=not terminal or browser is True or http_port is not None,
    )
    play(play_options, Console(highlight=False))


def _chosen(game: str | None, moves: int | None, *, is_any: bool) -> Puzzle:
    """Return the puzzle of the day, or any one. Raises `UnknownName`."""
    import secrets

    from companion.host.clock import local_time
    from companion.opponent.puzzles import of_the_day, puzzles

    found = of_the_day(local_time().toordinal(), game, moves)
    return secrets.choice(puzzles(found.game, moves)) if is_any else found


def _list(game: str | None) -> None:
    """Print the puzzles of *game*, or of all games."""
    from companion.host.text.listing import Listing, show
    from companion.opponent.puzzles import games, puzzles

    slugs = games() if game is None else (game,)
    rows = [
        (each.game, str(each.number), str(each.moves), each.position)
        for slug in slugs
        for each in puzzles(slug)
    ]
    show(Listing(("game", "number", "moves", "position"), rows), Console())
