# SPDX-License-Identifier: Apache-2.0
"""Sentences with named gaps, filled with numbers, names and nouns.

Rule: a template is data of one language and specifies the inflection of its gaps.

    {count}             a number, the name of a cell, or a noun's plain name
    {piece.the}         another form of a noun:
                        `the`, `acc`, `gen`, `dat`, `short`, `own`, or `side` (its owner)
    {count?cell|cells}  one of the language's plural forms, chosen by a number
                        or by whether a noun is plural
    {width:1}           a number with one decimal, written with the language's decimal mark

`web/page/words.js` fills the same templates in the browser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from companion.feedback.language import PLURALS, Language, plural_form
from companion.model.phrase import Phrase

_GAP: Final = re.compile(r"\{([a-z_]+)(?:\.([a-z]+)|\?([^{}]*)|:(\d))?\}")

FORMS: Final = ("the", "acc", "gen", "dat", "short")
"""Forms of a noun beyond its plain name.

A language's `forms` lists those that all its nouns must have.
"""


@dataclass(frozen=True, slots=True)
class Noun:
    """A name with inflected forms; an empty form equals the plain name."""

    name: str
    the: str = ""
    """With its article, as a subject."""
    acc: str = ""
    """With its article, as an object."""
    gen: str = ""
    """With its article, as an owner."""
    dat: str = ""
    """With its article, as a recipient."""
    short: str = ""
    """For display lines."""
    own: str = ""
    """The side's form inside the name of a piece."""
    side: str = ""
    """The owner's `own`: set for a piece, never in a file."""
    many: bool = False
    """True if the name is a plural."""


Filling: TypeAlias = int | float | str | Noun


def gaps(template: str) -> frozenset[str]:
    """The names of the gaps in *template*.

    >>> sorted(gaps("{count} {count?cell|cells} of {side.the}"))
    ['count', 'side']
    """
    return frozenset(match[1] for match in _GAP.finditer(template))


def check(template: str, language: Language) -> None:
    """Return if *template* is well formed in *language*, else raise `ValueError`."""
    needed = PLURALS[language.plural]
    for _, form, choices, _digits in _GAP.findall(template):
        if form and form not in (*FORMS, "side"):
            raise ValueError(
                Phrase(
                    "{template!r} asks for the form {form!r}; there are {forms}",
                    template=template,
                    form=form,
                    forms=(*FORMS, "side"),
                )
            )
        if choices and choices.count("|") + 1 != needed:
            raise ValueError(
                Phrase(
                    "{template!r}: {choices!r} needs {count} plural forms",
                    template=template,
                    choices=choices,
                    count=needed,
                )
            )
    if "{" in _GAP.sub("", template) or "}" in _GAP.sub("", template):
        raise ValueError(Phrase("{template!r} has a brace that opens no gap", template=template))


def fill(template: str, fillings: Mapping[str, Filling], language: Language) -> str:
    """*template* with every gap filled; a gap without a filling shows its own name.

    >>> english = Language("English", "one-other", ("the",), ", ", " and ", ".")
    >>> fill("{count} {count?cell|cells} of {width:1} mm", {"count": 2, "width": 50}, english)
    '2 cells of 50.0 mm'
    """
    first, *rest = _parts(template)
    text = [first]
    for name, form, choices, digits, after in zip(*[iter(rest)] * 5, strict=True):
        filling = fillings.get(name, name)
        if choices is not None:
            text.append(_choose(choices.split("|"), filling, language))
        elif isinstance(filling, Noun):
            text.append(getattr(filling, form or "name") or filling.name)
        elif isinstance(filling, str):
            text.append(filling)
        else:
            text.append(language.number(filling, int(digits) if digits else None))
        text.append(after)
    return "".join(text)


@lru_cache(maxsize=4096)
def _parts(template: str) -> tuple[str, ...]:
    """The parts of *template*. Cached.

    The text before the first gap; then name, form, choices, digits and following text of each gap.
    """
    return tuple(_GAP.split(template))


def as_sentence(template: str, fillings: Mapping[str, Filling], language: Language) -> str:
    """*template* filled, with a capital letter if it begins with a noun."""
    text = fill(template, fillings, language)
    parts = _parts(template)
    begins_with_noun = not parts[0] and len(parts) > 1 and isinstance(fillings.get(parts[1]), Noun)
    return text[:1].upper() + text[1:] if begins_with_noun else text


def _choose(choices: list[str], filling: Filling, language: Language) -> str:
    """The plural form for *filling*."""
    if isinstance(filling, int | float):
        return choices[min(plural_form(filling, language.plural), len(choices) - 1)]
    return choices[-1 if isinstance(filling, Noun) and filling.many else 0]
