# SPDX-License-Identifier: Apache-2.0
"""`companion review`; the rule of `companion.cli.main` applies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console

from companion.cli.program import Commands
from companion.cli.records import StoreUrl
from companion.cli.shared import JsonOutput, LanguageCode, Misused

if TYPE_CHECKING:
    from companion.host.records.records import KeptGame

app: Final = Commands()


@app.command(
    epilog="Examples: companion review 3 · companion review club.pgn --seconds 1 · companion review 3 --json"
)
def review(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NUMBER",
            help="Journal, record or PGN file (its last game), or the number of a stored game.",
        ),
    ],
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.02, max=60, help="Time for a position, and for a move.")
    ] = 0.3,
    as_json: JsonOutput = False,
    language: LanguageCode = None,
    store: StoreUrl = None,
) -> None:
    """Analyse a game: a value for each position, and the largest mistakes.

    The result is kept in the store, and shown when the game is reviewed on the page.
    """
    from companion.feedback.words import load
    from companion.host import settings
    from companion.host.records.records import rules_of
    from companion.host.watch.review_report import as_data, lines, reviewed

    usual = settings.read(settings.path())
    found = _game(source, store)
    errors = Console(stderr=True, highlight=False)
    analysis = reviewed(found, store or usual.store, round(1000 * seconds), errors)
    words = load(language or usual.language, found.record.game, rules_of(found.record).sides)
    if as_json:
        typer.echo(json.dumps(as_data(found.record, analysis, words), ensure_ascii=False, indent=1))
        return
    for line in lines(found.record, analysis, words):
        typer.echo(line)


def _game(text: str, store: str | None) -> KeptGame:
    """Return the game that *text* names. Raises `CompanionError`."""
    from companion.cli.records import open_store
    from companion.host.records.records import KeptGame, read_games

    if text.isdecimal():
        with open_store(store) as opened:
            return opened.game(int(text))
    games = [each for each in read_games(Path(text)) if isinstance(each, KeptGame)]
    if not games:
        raise Misused("{path} holds no game with a move", option="FILE|NUMBER", path=text)
    return games[-1]
