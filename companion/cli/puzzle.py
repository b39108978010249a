# SPDX-License-Identifier: Apache-2.0
"""`companion puzzle`; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from companion.cli.program import Commands
from companion.cli.shared import CameraSource, LanguageCode, ProfileName, say
from companion.cli.table_options import (
    BoardWords,
    HttpAddress,
    HttpPort,
    InTerminal,
    OpenBrowser,
    PageWords,
    PanelPort,
    table_options,
)

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
    port: PanelPort = None,
    camera: CameraSource = None,
    profile: ProfileName = None,
    language: LanguageCode = None,
    http_address: HttpAddress = None,
    http_port: HttpPort = None,
    browser: OpenBrowser = None,
    terminal: InTerminal = False,
) -> None:
    """Solve a puzzle at the board: win by force, while the computer defends.

    A move that gives the win away blinks: take it back. Hints are as in a game.
    """
    from companion.host import settings
    from companion.host.start_page.run import play
    from companion.host.table.table_game import puzzle_request
    from companion.opponent.puzzles import numbered

    if listed:
        _list(game)
        return
    found = _chosen(game, moves, is_any=another)
    found = found if number is None else numbered(number, found.game)
    usual = settings.read(settings.path())
    board = BoardWords(port, camera, profile)
    page = PageWords(http_address, http_port, browser, terminal)
    plain = table_options(usual, found.game, board, page, language=language)
    play(replace(plain, setup=puzzle_request(found, plain.language).setup), say)


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
    show(Listing(("game", "number", "moves", "position"), rows))
