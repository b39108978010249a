# SPDX-License-Identifier: Apache-2.0
"""The translation of errors and other phrases into the reader's language.

A phrase is translated where it is shown, together with the phrases in its gaps. Text that is no
phrase, such as a message of the system or of an old journal, is shown as it is.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from companion.feedback.wordfiles import languages
from companion.model.errors import CompanionError, SettingsError
from companion.model.phrase import Phrase, Value, fill, gaps
from companion.model.toml import parse


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
        return text
    values = {name: _translated(each, language) for name, each in text.values.items()}
    return fill(catalogue(language).get(text.template, text.template), values)


def _translated(value: Value, language: str) -> Value:
    """*value* with its phrases translated."""
    if isinstance(value, tuple):
        return tuple(_translated(each, language) for each in value)
    return translate(value, language) if isinstance(value, Phrase) else value


def everywhere(message: str) -> dict[str, str]:
    """*message* by language, for all languages in which it differs from English."""
    translations = {language: translate(message, language) for language in languages()}
    return {language: text for language, text in translations.items() if text != message}
