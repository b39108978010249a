# SPDX-License-Identifier: Apache-2.0
"""Look-ups about a game: options, positions, time control, and levels of the computer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from companion.feedback.template import fill
from companion.feedback.wordfiles import read_common
from companion.feedback.words import Words, load
from companion.games import find, kept_options
from companion.model.errors import NotationError, OptionError
from companion.model.game import AnyRules, Game, Option
from companion.model.grid import Grid
from companion.model.observation import SensorKind
from companion.opponent.levels import Level, least_elo, levels, names
from companion.referee.values.asks import asked
from companion.referee.values.clocks import Control
from companion.referee.values.controls import NONE, read_control

_TO: Final = 50
"""Elo to which strengths are rounded for people."""
_OFTEN: Final = 30
"""From this percentage on, a level overlooks replies often."""
_REPLY: Final = 2
"""Plies to the reply of the other side."""
Fits: TypeAlias = Callable[[Grid], bool]
"""Returns true if a given grid can be played on."""


def parse_options(words: Sequence[str]) -> dict[str, str]:
    """Parse options in the form `name=value`. Raises `OptionError`."""
    options = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise OptionError(
                "{word!r} is not an option: write NAME=VALUE",
                word=word,
                option=name,
                value=value,
                allowed=("NAME=VALUE",),
            )
        options[name.replace("-", "_")] = value
    return options


def parse_game(text: str) -> tuple[str, dict[str, str]]:
    """Parse a game with options, such as `tank-chess,map=companion-20`.

    Raises `SettingsError` for an unknown game, `OptionError` for an unknown option.
    """
    slug, *words = text.split(",")
    options = parse_options(words)
    find(slug).rules(options)
    return slug, options


def parse_timed_game(text: str, clock: str | None) -> tuple[str, dict[str, str]]:
    """Parse *text* like `parse_game`, and check that the time control *clock* suits the game.

    Raises `SettingsError` and `OptionError`.
    """
    slug, options = parse_game(text)
    control_of(find(slug).rules(options), clock)
    return slug, options


def kept_game(text: str) -> str:
    """Return *text*, in the notation of `parse_game`, without options that no longer exist."""
    slug, *words = text.split(",")
    return ",".join(
        [slug, *(f"{name}={value}" for name, value in kept_options(slug, parse_options(words)).items())]
    )


def position_of(rules: AnyRules, text: str | None) -> Any:
    """Parse the position *text*, or return the initial one. Raises `OptionError`."""
    try:
        return rules.read_position(text) if text else rules.initial()
    except NotationError as fault:
        raise OptionError(fault.message, option="position", value=fault.text, allowed=()) from fault


def words_of(slug: str, language: str) -> Words:
    """Return the words of a game with default options. Raises `SettingsError`."""
    return load(language, slug, find(slug).rules().sides)


def control_of(rules: AnyRules, said: str | None = None, usual: str = NONE) -> Control | None:
    """Return the time control:

    *said*, otherwise the option `clock`, otherwise *usual*.

    Raises `OptionError`.
    """
    wanted = rules.options.get("clock", NONE)
    return read_control(said or (wanted if wanted != NONE else usual), len(rules.sides))


def is_offered(option: Option, value: str) -> bool:
    """True if a browser may choose *value* for *option*.

    It cannot name files of this machine.
    """
    return option.is_number(value) or option.is_named(value) or option.is_spelled_out(value)


def fitting_options(game: Game, fits: Fits) -> dict[str, str] | None:
    """Return the defaults of *game*, changed as little as needed to fit.

    None if no value of any single option fits.
    """
    changes = (
        {option.name: value}
        for option in game.options
        for value in option.values
        if is_offered(option, value)
    )
    return next((chosen for chosen in ({}, *changes) if fits(game.rules(chosen).grid)), None)


def strength(level: Level, language: str) -> str:
    """Return about how strong *level* is, to 50 Elo; empty if that is unknown."""
    if level.elo is None:
        return ""
    common, elo = read_common(language), _TO * round(level.elo / _TO) or least_elo()
    return fill(common.labels["about-elo" if level.elo else "below-elo"], {"elo": elo}, common.language)


@dataclass(frozen=True, slots=True)
class NamedLevel:
    """A level of the computer as people read it."""

    name: str
    label: str
    """With number and strength: where levels are listed."""
    play: str
    """How it plays, and how strong it is."""


def named_levels(slug: str, language: str) -> list[NamedLevel]:
    """Return the levels of the game *slug* in *language*, the weakest first."""
    found = []
    for level, name in zip(levels(slug), names(slug, language), strict=True):
        strong = strength(level, language)
        label, play = (
            " · ".join(filter(None, (said, strong)))
            for said in (f"{level.number} {name}", manner(level, language))
        )
        found.append(NamedLevel(name, label, play))
    return found


def manner(level: Level, language: str) -> str:
    """Return how *level* plays: what it overlooks, or how far it looks ahead."""
    common = read_common(language)
    if level.is_exact:
        key = "plays-perfectly"
    elif level.overlooked:
        key = "plays-blindly" if level.overlooked >= _OFTEN else "plays-carelessly"
    elif level.depth:
        key = "plays-ahead" if level.depth > _REPLY else "plays-replies"
    else:
        key = "plays-deeply"
    return fill(common.labels[key], {"count": level.depth}, common.language)


def as_data(game: Game) -> dict[str, Any]:
    """Return what there is to know of *game*, as JSON values."""
    rules = game.rules()
    return {
        "slug": game.slug,
        "title": game.title,
        "source": game.source,
        "sides": list(rules.sides),
        "board": rules.grid.slug,
        "options": [
            {
                "name": option.name,
                "values": list(option.values),
                "default": option.default,
                "about": option.about,
            }
            for option in game.options
        ],
        "levels": [{"name": level.slug, "elo": level.elo} for level in levels(game.slug)],
        "questions": {kind.value: [each.value for each in asked(game.slug, kind)] for kind in SensorKind},
    }
