# SPDX-License-Identifier: Apache-2.0
"""Translation of error messages, which are English where they are raised and in the book.

Its rule: a message is recognised by its template; its arguments may be messages themselves. A
message without a template stays English.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from companion.feedback.wordfiles import languages
from companion.model.errors import SettingsError
from companion.model.toml import parse

_GAP: Final = re.compile(r"\{(\d)\}")


def folder() -> Path:
    """Return the folder of the templates with their translations."""
    return Path(str(resources.files("companion.host.text") / "faults"))


@cache
def shapes(language: str) -> dict[str, str]:
    """Return the translations of *language* by English template. Raises `SettingsError`."""
    path = folder() / f"{language}.toml"
    if language not in languages() or not path.exists():
        return {}
    found = parse(path.read_text(encoding="utf-8"), str(path))
    for shape, said in found.items():
        if not isinstance(said, str) or sorted(_GAP.findall(said)) != sorted(_GAP.findall(shape)):
            raise SettingsError(f"{path}: {shape!r} wants a sentence with the same gaps")
    return found


def translated(fault: str, language: str) -> str:
    """Translate the English *fault* to *language* as far as possible."""
    for pattern, said in _patterns(language):
        if found := pattern.fullmatch(fault):
            return said.format(*(translated(gap, language) for gap in found.groups()))
    return fault


def everywhere(fault: str) -> dict[str, str]:
    """Return the translations of *fault* that differ from it, by language."""
    told = {language: translated(fault, language) for language in languages()}
    return {language: text for language, text in told.items() if text != fault}


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the pattern of each template and its translation, most specific first."""
    known = sorted(shapes(language).items(), key=lambda each: -len(_GAP.sub("", each[0])))
    return tuple((_pattern(shape), said) for shape, said in known)


def _pattern(shape: str) -> re.Pattern[str]:
    """Compile *shape*; its gaps are numbered in order."""
    return re.compile("(.+?)".join(re.escape(part) for part in _GAP.split(shape)[::2]), re.DOTALL)
