# SPDX-License-Identifier: Apache-2.0
"""What can be looked up about a game: its rules in brief, and positions under chosen options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.feedback.words import load
from companion.games import find
from companion.model.errors import OptionError
from companion.model.game import AnyRules


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
