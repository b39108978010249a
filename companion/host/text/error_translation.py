# SPDX-License-Identifier: Apache-2.0
"""What went wrong, for those who read another language: our errors are English where they are raised and in the book.

Its rule: a fault is known by its shape, the sentence with gaps in it; what fills a gap may be a fault itself, and a
sentence of no known shape stays as it is.
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
    """Where the shapes are, each with what it is in another language."""
    return Path(str(resources.files("companion.host.text") / "faults"))


@cache
def shapes(language: str) -> dict[str, str]:
    """The sentences that are known in *language*, by what they are in English; none in English. Raises `SettingsError`."""
    path = folder() / f"{language}.toml"
    if language not in languages() or not path.exists():
        return {}
    found = parse(path.read_text(encoding="utf-8"), str(path))
    for shape, said in found.items():
        if not isinstance(said, str) or sorted(_GAP.findall(said)) != sorted(_GAP.findall(shape)):
            raise SettingsError(f"{path}: {shape!r} wants a sentence with the same gaps")
    return found


def translated(fault: str, language: str) -> str:
    """*fault*, which is English, in *language*, as far as it is known there."""
    for pattern, said in _patterns(language):
        if found := pattern.fullmatch(fault):
            return said.format(*(translated(gap, language) for gap in found.groups()))
    return fault


def everywhere(fault: str) -> dict[str, str]:
    """*fault* by language, as far as it is known in others."""
    told = {language: translated(fault, language) for language in languages()}
    return {language: text for language, text in told.items() if text != fault}


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What recognises each shape, with what it is in *language*; those that say most come first."""
    known = sorted(shapes(language).items(), key=lambda each: -len(_GAP.sub("", each[0])))
    return tuple((_pattern(shape), said) for shape, said in known)


def _pattern(shape: str) -> re.Pattern[str]:
    """Gaps stand in *shape* in the order of their numbers."""
    return re.compile("(.+?)".join(re.escape(part) for part in _GAP.split(shape)[::2]), re.DOTALL)
