# SPDX-License-Identifier: Apache-2.0
"""Sides and levels of the computer as people type them. Pure."""

from __future__ import annotations

from companion.feedback.words import Words
from companion.host.text.error_translation import translate
from companion.model.errors import UnknownName
from companion.model.pieces import Side
from companion.opponent.levels import find_level, names
from companion.referee.values.commands import SetLevel


def level_command(text: str, game: str, words: Words) -> SetLevel | str:
    """Return the command that *text*, the number or name of a level of *game*, means.

    A side may follow. If there is no such level, a sentence says so.
    """
    first, _, last = text.rpartition(" ")
    side = side_called(last, words) if first else None
    called = (text if side is None else first).casefold()
    own = {name.casefold(): str(number) for number, name in enumerate(names(game, words.language), 1)}
    try:
        return SetLevel(find_level(game, own.get(called, called)).number, side)
    except UnknownName as fault:
        return translate(fault, words.language)


def side_called(name: str, words: Words) -> Side | None:
    """Return the side called *name*."""
    for side, slug in enumerate(words.sides):
        noun = words.side(side)
        if name.casefold() in {each.casefold() for each in (slug, noun.name, noun.own, noun.short)}:
            return side
    return None
