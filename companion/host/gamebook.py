# SPDX-License-Identifier: Apache-2.0
"""What can be looked up about a game: its rules in brief, positions under chosen options, and how time is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.feedback.words import load
from companion.games import find
from companion.model.errors import OptionError
from companion.model.game import AnyRules
from companion.referee.clocks import Control
from companion.referee.controls import NONE, read_control


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


def position_of(rules: AnyRules, text: str | None) -> Any:
    """The position that *text* writes, else the start. Raises `NotationError`."""
    return rules.read_position(text) if text else rules.initial()


def brief_rules(slug: str, language: str) -> tuple[str, tuple[str, ...]]:
    """The title of a game and its rules in brief, a sentence each. Raises `SettingsError`."""
    words = load(language, slug, find(slug).rules().sides).game
    return words.title, words.rules


def control_of(rules: AnyRules, said: str | None = None, usual: str = NONE) -> Control | None:
    """How time is kept in a game of *rules*: as *said*, else as their option `clock` wants, else as *usual*.

    Raises `OptionError`.
    """
    wanted = rules.options.get("clock", NONE)
    return read_control(said or (wanted if wanted != NONE else usual), len(rules.sides))
