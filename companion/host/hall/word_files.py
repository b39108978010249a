# SPDX-License-Identifier: Apache-2.0
"""Words of the hall's pages and printouts, with the same keys in every language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from companion.feedback import word_reader
from companion.feedback.language import Language
from companion.feedback.template import Filling, fill
from companion.feedback.wordfiles import grammar


@dataclass(frozen=True, slots=True)
class HallWords:
    """The content of one file."""

    words: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the hall in one language."""

    code: str
    language: Language
    texts: Mapping[str, str]

    def text(self, key: str, **gaps: Filling) -> str:
        """The text *key* with its gaps filled."""
        return fill(self.texts[key], gaps, self.language)


def folder() -> Path:
    """The folder of the word files."""
    return Path(str(resources.files("companion.host.hall") / "words"))


@cache
def load(code: str) -> Words:
    """The words of the language *code*. Raises `SettingsError`."""
    language = grammar(code)
    return Words(code, language, word_reader.read(HallWords, folder() / f"{code}.toml", language).words)
