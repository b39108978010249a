# SPDX-License-Identifier: Apache-2.0
"""What can be looked up about a game: its rules in brief, positions under chosen options, and how time is kept, what has to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from companion.feedback.words import Words, load
from companion.games import find, kept_options
from companion.model.errors import NotationError, OptionError
from companion.model.game import AnyRules
from companion.model.observation import SensorKind
from companion.model.toml import build, parse
from companion.referee.clocks import Control
from companion.referee.controls import NONE, read_control
from companion.referee.questions import Aspect


def parse_options(words: Sequence[str]) -> dict[str, str]:
    """Options written as `name=value`. Raises `OptionError`."""
    options = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise OptionError(
                f"{word!r} is no option: write NAME=VALUE", option=name, value=value, allowed=("NAME=VALUE",)
            )
        options[name.replace("-", "_")] = value
    return options


def parse_game(text: str) -> tuple[str, dict[str, str]]:
    """The slug and the options of a game that is written as `tank-chess,map=companion-20`.

    Raises `SettingsError` if there is no such game, `OptionError` if it has no such options.
    """
    slug, *words = text.split(",")
    options = parse_options(words)
    find(slug).rules(options)
    return slug, options


def kept_game(text: str) -> str:
    """*text*, a game that was kept as `parse_game` reads it, without the options that it has no longer."""
    slug, *words = text.split(",")
    return ",".join(
        [slug, *(f"{name}={value}" for name, value in kept_options(slug, parse_options(words)).items())]
    )


def position_of(rules: AnyRules, text: str | None) -> Any:
    """The position that *text* writes, else the start. Raises `OptionError`."""
    try:
        return rules.read_position(text) if text else rules.initial()
    except NotationError as fault:
        raise OptionError(str(fault), option="position", value=fault.text, allowed=()) from fault


def words_of(slug: str, language: str) -> Words:
    """The words of a game under its usual options. Raises `SettingsError`."""
    return load(language, slug, find(slug).rules().sides)


def control_of(rules: AnyRules, said: str | None = None, usual: str = NONE) -> Control | None:
    """How time is kept in a game of *rules*: as *said*, else as their option `clock` wants, else as *usual*.

    Raises `OptionError`.
    """
    wanted = rules.options.get("clock", NONE)
    return read_control(said or (wanted if wanted != NONE else usual), len(rules.sides))


@dataclass(frozen=True, slots=True)
class _Asks:
    """A table of `asks.toml`."""

    occupancy: tuple[str, ...] = ()
    side: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()


def asked(slug: str, kind: SensorKind) -> tuple[Aspect, ...]:
    """What the companion has to ask in the game *slug* where a sensor tells *kind*; () if it plays by itself."""
    if kind is SensorKind.IDENTITY_FACING:
        return ()
    return tuple(map(Aspect, getattr(_asks().get(slug, _Asks()), kind.value)))


@cache
def _asks() -> dict[str, _Asks]:
    """`asks.toml`, read once. Raises `SettingsError`."""
    file = resources.files("companion.host") / "asks.toml"
    tables = parse(file.read_text(encoding="utf-8"), file.name)
    return {slug: build(_Asks, table, file.name, slug) for slug, table in tables.items()}
