# SPDX-License-Identifier: Apache-2.0
"""Catalogue of a table: games whose grid fits, options, time controls, languages.

Its rule: everything offered can be started. Where an option may name a file, a browser sends its
text, since it has no files here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from companion import games
from companion.feedback.page import Json, option_json
from companion.feedback.wordfiles import languages, own_name, read_common
from companion.feedback.words import Words, load
from companion.host.game_info import Fits, fitting_options, is_offered, named_levels
from companion.host.journal.setup import GameSetup
from companion.host.records.records import player_names, spoken_names
from companion.model.game import AnyRules, ComposesOptions, Game, Option
from companion.opponent.levels import usual_level
from companion.referee.values.controls import PRESETS

_NUMBER: Final = "number"
_FILE: Final = "file"
_PARTS: Final = "parts"
"""Key of the words for a value that is put together."""


def words_with_players(setup: GameSetup, sides: Sequence[str], language: str) -> Words:
    """Return the words of the game of *setup* with its *sides* and players.

    Raises `SettingsError`.
    """
    words = load(language, setup.game, sides)
    return words.of_players(spoken_names(player_names(setup), words))


def offer(language: str, fits: Fits) -> Json:
    """Return everything that can be chosen where *fits* holds, in *language*.

    Raises `SettingsError`.
    """
    labels = read_common(language).labels
    return {
        "games": list(_games(language, fits)),
        "controls": [
            {"value": written, "label": f"{labels[name]} · {written}"} for name, written in PRESETS.items()
        ],
    }


@functools.cache
def spoken() -> tuple[tuple[str, str], ...]:
    """Return the supported languages: code and native name."""
    return tuple((code, own_name(code)) for code in languages())


def _games(language: str, fits: Fits) -> Iterator[Json]:
    """Yield the games that fit, each with its options."""
    for slug in games.slugs():
        game = games.find(slug)
        base = fitting_options(game, fits)
        if base is None:
            continue
        rules = game.rules(base)
        words = load(language, slug, rules.sides)
        yield {
            "slug": slug,
            "title": words.game.title,
            "rules": list(words.game.rules),
            "sides": _names(words),
            "levels": [*map(asdict, named_levels(slug, language))],
            "usual_level": usual_level(slug),
            "options": [_option(game, option, base, words, fits) for option in game.options],
        }


def _option(game: Game, option: Option, base: dict[str, str], words: Words, fits: Fits) -> Json:
    """Return *option* with the values that fit.

    A value that changes the sides carries their names.
    """
    option_data = option_json(option, words)
    values = []
    for value in option_data["values"]:
        if not is_offered(option, value["value"]):
            continue
        rules = game.rules({**base, option.name: value["value"]})
        if fits(rules.grid):
            others = {} if rules.sides == words.sides else _sides(game, rules, words)
            values.append({**value, **others})
    usual = base.get(option.name, option.default)
    own = next((each["label"] for each in option_data["values"] if each["value"] == _FILE), "")
    return {
        **option_data,
        "default": usual,
        "values": values,
        "number": _NUMBER in option.values,
        "own": own,
        "is_line": bool(own) and not option.is_spelled_out("\n"),
        **_groups(game, option, words),
    }


def _groups(game: Game, option: Option, words: Words) -> Json:
    """Return the parts from which a value of *option* can be chosen, with their names."""
    groups = game.parts(option.name) if isinstance(game, ComposesOptions) else ()
    named = words.option(option.name)
    return {
        "composed": named.values.get(_PARTS, "") if groups and named else "",
        "groups": [
            {
                "title": group.title,
                "count": group.count,
                "parts": [{"value": text, "label": words.piece(piece).name} for text, piece in group.parts],
            }
            for group in groups
        ],
    }


def _sides(game: Game, rules: AnyRules, words: Words) -> Json:
    """Return the names of the sides by *rules*."""
    return {"sides": _names(load(words.language, game.slug, rules.sides))}


def _names(words: Words) -> list[str]:
    """Return the names of the sides."""
    return [words.side(side).name for side in range(len(words.sides))]
