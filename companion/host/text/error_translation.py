# SPDX-License-Identifier: Apache-2.0
"""The translation of errors and other phrases into the reader's language.

A phrase is translated where it is shown, together with the phrases in its gaps. Text that is no
phrase, such as a message of the system or of an old journal, is shown as it is.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from companion.feedback.wordfiles import languages
from companion.model.errors import CompanionError, SettingsError
from companion.model.phrase import Phrase, Value, fill, gaps
from companion.model.toml import parse

_GAP: Final = re.compile(r"\{(\d)\}")


@cache
def catalogue(language: str) -> dict[str, str]:
    """The templates in *language* by the English ones; empty for English."""
    path = Path(str(resources.files("companion.host.text") / "errors" / f"{language}.toml"))
    if language not in languages() or not path.exists():
        return {}
    found = parse(path.read_text(encoding="utf-8"), str(path))
    for template, said in found.items():
        if not isinstance(said, str) or gaps(said) != gaps(template):
            raise SettingsError(
                "{path}: {template!r} needs a translation with the same gaps", path=path, template=template
            )
    return found


def translate(message: str | CompanionError, language: str) -> str:
    """*message* in *language*, or in English if its template has no translation."""
    text = message.message if isinstance(message, CompanionError) else message
    if not isinstance(text, Phrase):
        return translated(text, language)
    values = {name: _translated(each, language) for name, each in text.values.items()}
    return fill(catalogue(language).get(text.template, text.template), values)


def _translated(value: Value, language: str) -> Value:
    """*value* with its phrases translated."""
    if isinstance(value, tuple):
        return tuple(_translated(each, language) for each in value)
    return translate(value, language) if isinstance(value, Phrase) else value


def everywhere(message: str) -> dict[str, str]:
    """*message* by language, for all languages in which it differs from English."""
    told = {language: translate(message, language) for language in languages()}
    return {language: text for language, text in told.items() if text != message}


# the sentences that are known only when they are finished


@cache
def shapes(language: str) -> dict[str, str]:
    """The sentences that are known in *language*, by what they are in English; none in English."""
    path = Path(str(resources.files("companion.host.text") / "faults" / f"{language}.toml"))
    if language not in languages() or not path.exists():
        return {}
    return parse(path.read_text(encoding="utf-8"), str(path))


def translated(fault: str, language: str) -> str:
    """*fault*, a finished English sentence, in *language*, as far as it is known there."""
    if isinstance(fault, Phrase):
        return translate(fault, language)
    for pattern, said in _patterns(language):
        if found := pattern.fullmatch(fault):
            return said.format(*(translated(gap, language) for gap in found.groups()))
    return fault


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the pattern of each template and its translation, most specific first."""
    known = sorted(shapes(language).items(), key=lambda each: -len(_GAP.sub("", each[0])))
    return tuple((_pattern(shape), said) for shape, said in known)


def _pattern(shape: str) -> re.Pattern[str]:
    """Compile *shape*; its gaps are numbered in order."""
    return re.compile("(.+?)".join(re.escape(part) for part in _GAP.split(shape)[::2]), re.DOTALL)
