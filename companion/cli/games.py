# SPDX-License-Identifier: Apache-2.0
"""Commands about games; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from companion import games as all_games
from companion.cli.program import Commands
from companion.cli.shared import (
    GameArgument,
    JsonOutput,
    LanguageCode,
    OptionWords,
    PositionText,
    message_language,
)

if TYPE_CHECKING:
    from companion.feedback.words import Words
    from companion.host.text.listing import Listing
    from companion.model.game import Game

app: Final = Commands()

_ASPECTS: Final = {
    "piece": "which piece moved",
    "cell": "where to",
    "kind": "which piece it is",
    "facing": "where it faces",
    "pose": "which face is up",
    "victim": "what was hit",
    "move": "which move",
}
"""Names of the aspects of questions."""


@app.command(epilog="Examples: companion games · companion games close-quarters")
def games(
    game: Annotated[
        str | None, typer.Argument(help="Show the options of this game, and the levels of the computer.")
    ] = None,
    as_json: JsonOutput = False,
) -> None:
    """List the games, or the options of one and the computer's levels."""
    from companion.host.text.listing import print_json, show

    if as_json:
        from companion.host.game_info import as_data

        found = [all_games.find(slug) for slug in (all_games.slugs() if game is None else (game,))]
        listed = [as_data(each) for each in found]
        print_json(listed if game is None else listed[0])
    elif game is None:
        show(_games_list())
    else:
        show(_options_list(all_games.find(game)))
        show(_levels_list(all_games.find(game)))


@app.command(
    epilog="Examples: companion rules gottaz · companion rules close-quarters -o sword=king · "
    "companion rules close-quarters --language de"
)
def rules(game: GameArgument, option: OptionWords = None, language: LanguageCode = None) -> None:
    """Teach the rules of a game, for the chosen options."""
    from rich.console import Console

    from companion.feedback.words import load
    from companion.host import settings
    from companion.host.game_info import parse_options
    from companion.host.text.listing import show
    from companion.host.text.rules_page import show_rules

    found = all_games.find(game)
    chosen = found.rules(parse_options(option or []))
    words = load(language or settings.read(settings.path()).language, game, chosen.sides)
    show_rules(found, chosen, words, Console())
    show(_choices_list(found, words))


@app.command(
    epilog="Examples: companion tools moves gottaz · companion tools moves close-quarters --position '4/4/4/4/4/S3/4/P1A1 s 0'"
)
def moves(game: GameArgument, option: OptionWords = None, position: PositionText = None) -> None:
    """List the legal moves of a position, one per line."""
    from companion.host.game_info import parse_options, position_of

    chosen = all_games.find(game).rules(parse_options(option or []))
    at = position_of(chosen, position)
    for move in chosen.legal_moves(at):
        print(chosen.write_move(at, move))


@app.command(
    epilog="Examples: companion tools perft martian-chess 4 · companion tools perft fightopia 2 --option pivot_clearance=swept"
)
def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Argument(min=1, help="Depth in plies.")],
    option: OptionWords = None,
    position: PositionText = None,
) -> None:
    """Count move sequences by first move; the last line is the total."""
    from companion.games._shared.perft import split
    from companion.host.game_info import parse_options, position_of

    chosen = all_games.find(game).rules(parse_options(option or []))
    total = 0
    for text, count in split(chosen, position_of(chosen, position), depth):
        print(f"{text}: {count}", flush=True)
        total += count
    print(total)


@app.command(
    epilog="Examples: companion tools analyse close-quarters · companion tools analyse close-quarters -o sword=king --json · "
    "companion tools analyse close-quarters --position '4/4/4/4/4/S3/4/P1A1 s 0' · companion tools analyse chess --seconds 10"
)
def analyse(
    context: typer.Context,
    game: GameArgument,
    option: OptionWords = None,
    position: PositionText = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0,
            help="Time of a search (default: 5); for a solved game the longest time of a computation (default: any).",
        ),
    ] = None,
    as_json: JsonOutput = False,
    language: LanguageCode = None,
) -> None:
    """Show the value of a position and its best moves."""
    from rich.console import Console

    from companion.host.analysis.commands import report
    from companion.host.game_info import parse_options, position_of
    from companion.host.text.error_translation import translate
    from companion.host.text.listing import print_json

    chosen = all_games.find(game).rules(parse_options(option or []))
    language = message_language(context)
    found = report(chosen, position_of(chosen, position), seconds, Console(stderr=True), language)
    if as_json:
        print_json(found._asdict())
        return
    for sentence in found.sentences():
        typer.echo(translate(sentence, language))


def _games_list() -> Listing:
    """Return all games with the questions for each kind of sensor."""
    from companion.host.text.listing import Listing
    from companion.model.observation import SensorKind
    from companion.referee.values.asks import asked

    sensors = {
        SensorKind.OCCUPANCY: "switches",
        SensorKind.SIDE: "sides known",
        SensorKind.IDENTITY: "pieces known",
        SensorKind.IDENTITY_FACING: "camera",
    }
    rows = []
    for slug in all_games.slugs():
        asks = (", ".join(_ASPECTS[aspect] for aspect in asked(slug, kind)) for kind in sensors)
        rows.append((slug, *(each or "plays by itself" for each in asks)))
    title = "Questions to the players, by kind of sensor"
    return Listing(("game", *sensors.values()), rows, title, has_lines=True)


def _choices_list(game: Game, words: Words) -> Listing:
    """Return *game*'s options in the players' language, with their values."""
    from companion.host.text.listing import Listing

    rows = []
    for option in game.options:
        named = words.option(option.name)
        meant = named.values if named else {}
        values = "\n".join(f"{value}: {meant[value]}" if value in meant else value for value in option.values)
        rows.append((f"{named.label if named else option.about}\n{option.name}", values))
    caption = f"companion play {game.slug} --option NAME=VALUE"
    return Listing(("", ""), rows, words.common.labels["options"], caption, has_lines=True)


def _options_list(game: Game) -> Listing:
    """Return *game*'s options."""
    from companion.host.text.listing import Listing

    rows = [(option.name, ", ".join(option.values), option.about) for option in game.options]
    return Listing(
        ("option", "values, the default first", "about"),
        rows,
        f"{game.title} ({game.source})",
        f"companion play {game.slug} --option NAME=VALUE",
    )


def _levels_list(game: Game) -> Listing:
    """Return the levels of the computer in *game*."""
    from companion.feedback.wordfiles import ENGLISH
    from companion.host.game_info import strength
    from companion.host.text.listing import Listing
    from companion.opponent.levels import levels

    return Listing(
        ("level", "name", "strength"),
        [(str(level.number), level.slug, strength(level, ENGLISH)) for level in levels(game.slug)],
        caption=f"companion play {game.slug} --computer SIDE --level LEVEL",
    )
