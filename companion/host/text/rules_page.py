# SPDX-License-Identifier: Apache-2.0
"""The rules of a game, printed; paragraphs are wrapped on a terminal only."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from companion.feedback import rulebook
from companion.feedback.rulebook import Heading, Picture
from companion.feedback.words import Words
from companion.model.game import AnyRules, Game

_WIDE: Final = 100
"""Longer lines are hard to read."""


def show_rules(game: Game, rules: AnyRules, words: Words, console: Console) -> None:
    """Print the rules of *game* under the options of *rules*.

    Where the whole text is not in the language of *words*, the rules in brief come first.
    """
    _print(console, Text(words.game.title, style="bold"))
    book = rulebook.load(words.language, game.slug)
    if book is None or not rulebook.has_rulebook(words.language, game.slug):
        for sentence in words.game.rules:
            _print(console, Text(f"• {sentence}"))
    if book is None:
        return
    for part in rulebook.explained(book, rules, game.options, words):
        match part:
            case Heading(text):
                _print(console, Text(f"\n{text}", style="bold"))
            case Picture(lines):
                for line in lines:
                    _print(console, line, is_wrapped=False)
            case text:
                _print(console, Text(text))
    _print(console, Text())


def _print(console: Console, text: Text, *, is_wrapped: bool = True) -> None:
    """Print *text*; it is wrapped on a terminal only."""
    if is_wrapped and console.is_terminal:
        console.print(text, width=min(console.width, _WIDE), highlight=False)
    else:
        console.print(text, soft_wrap=True, highlight=False)
