# SPDX-License-Identifier: Apache-2.0
"""Sentences with named gaps, filled with numbers, names and nouns.

Rule: a template is data of one language and says itself how its gaps are inflected.

    {count}             a number, the name of a cell, or a noun's plain name
    {piece.the}         another form of a noun: `the`, `acc`, `gen`, `dat`, `short`, `own`, or `side` (its owner)
    {count?cell|cells}  one of the language's plural forms, chosen by a number or by whether a noun is plural
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

_GAP: Final = re.compile(r"\{([a-z_]+)(?:\.([a-z]+)|\?([^{}]*))?\}")

FORMS: Final = ("the", "acc", "gen", "dat", "short")
"""Forms of a noun beyond its plain name; a language's `forms` says which ones all its nouns must have."""

PLURALS: Final = {"other": 1, "one-other": 2, "upto-one-other": 2, "one-few-other": 3}
"""The ways of languages to count, with how many plural forms each has."""


@dataclass(frozen=True, slots=True)
class Noun:
    """A name that sentences can inflect; the form that is empty is spelt as the plain name."""

    name: str
    the: str = ""
    """With its article, as a subject."""
    acc: str = ""
    """With its article, as an object."""
    gen: str = ""
    """With its article, as an owner."""
    dat: str = ""
    """With its article, as a receiver."""
    short: str = ""
    """For display lines."""
    own: str = ""
    """How a side is named in the name of a piece."""
    side: str = ""
    """The owner's `own`: set for a piece, never in a file."""
    many: bool = False
    """True if the name is a plural."""


Filling: TypeAlias = int | str | Noun


def gaps(template: str) -> frozenset[str]:
    """The names of the gaps in *template*.

    >>> sorted(gaps("{count} {count?cell|cells} of {side.the}"))
    ['count', 'side']
    """
    return frozenset(match[1] for match in _GAP.finditer(template))


def check(template: str, plural: str) -> None:
    """Return if *template* is well formed for a language that counts by *plural*, else raise `ValueError`."""
    for _, form, choices in _GAP.findall(template):
        if form and form not in (*FORMS, "side"):
            raise ValueError(
                f"{template!r} asks for the form {form!r}; there are {', '.join(FORMS)} and side"
            )
        if choices and choices.count("|") + 1 != PLURALS[plural]:
            raise ValueError(f"{template!r}: {choices!r} needs {PLURALS[plural]} plural forms")
    if "{" in _GAP.sub("", template) or "}" in _GAP.sub("", template):
        raise ValueError(f"{template!r} has a brace that opens no gap")


def fill(template: str, fillings: Mapping[str, Filling], plural: str) -> str:
    """*template* with every gap filled; a gap without a filling shows its own name.

    >>> fill("{count} {count?cell|cells}", {"count": 2}, "one-other")
    '2 cells'
    """
    first, *rest = _parts(template)
    text = [first]
    for name, form, choices, after in zip(*[iter(rest)] * 4, strict=True):
        filling = fillings.get(name, name)
        if choices is not None:
            text.append(_choose(choices.split("|"), filling, plural))
        elif isinstance(filling, Noun):
            text.append(getattr(filling, form or "name") or filling.name)
        else:
            text.append(str(filling))
        text.append(after)
    return "".join(text)


@lru_cache(maxsize=4096)
def _parts(template: str) -> tuple[str, ...]:
    """What is before the first gap of *template*; then for each its name, its form, its choices and what follows it: each is filled again and again."""
    return tuple(_GAP.split(template))


def as_sentence(template: str, fillings: Mapping[str, Filling], plural: str) -> str:
    """*template* filled, with a capital letter where it begins with a noun."""
    text = fill(template, fillings, plural)
    parts = _parts(template)
    begins_with_noun = not parts[0] and len(parts) > 1 and isinstance(fillings.get(parts[1]), Noun)
    return text[:1].upper() + text[1:] if begins_with_noun else text


def _choose(choices: list[str], filling: Filling, plural: str) -> str:
    """The plural form that goes with *filling*."""
    if isinstance(filling, int):
        return choices[min(plural_form(filling, plural), len(choices) - 1)]
    return choices[-1 if isinstance(filling, Noun) and filling.many else 0]


def plural_form(count: int, plural: str) -> int:
    """Which of the plural forms goes with *count*, 0 for the first. Source: CLDR, cardinal plurals.

    >>> [plural_form(count, "one-few-other") for count in (1, 2, 5, 11, 21, 22)]
    [0, 1, 2, 2, 0, 1]
    """
    if plural == "other":
        return 0
    if plural == "upto-one-other":
        return 0 if count < 2 else 1
    if plural == "one-few-other":
        tens_apart = count % 100 not in (11, 12, 13, 14)
        return 0 if count % 10 == 1 and tens_apart else 1 if count % 10 in (2, 3, 4) and tens_apart else 2
    return 0 if count == 1 else 1
