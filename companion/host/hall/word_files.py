# SPDX-License-Identifier: Apache-2.0
"""The words of the hall's pages, read strictly from `words/<language>.toml`: the same keys in every language."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from companion.model.errors import SettingsError
from companion.model.toml import parse

ENGLISH: Final = "en"


def folder() -> Path:
    """Where the words are."""
    return Path(str(resources.files("companion.host.hall") / "words"))


def load(language: str) -> tuple[str, dict[str, str]]:
    """The words of *language*, or of English where there are none, and which it is. Raises `SettingsError`."""
    return _load(language if language in _known() else ENGLISH)


@cache
def _known() -> frozenset[str]:
    return frozenset(path.stem for path in folder().glob("*.toml"))


@cache
def _load(language: str) -> tuple[str, dict[str, str]]:
    path = folder() / f"{language}.toml"
    words = {key: str(value) for key, value in parse(path.read_text(encoding="utf-8"), str(path)).items()}
    if language != ENGLISH and words.keys() != load(ENGLISH)[1].keys():
        strange = sorted(words.keys() ^ load(ENGLISH)[1].keys())
        raise SettingsError(f"{path}: {', '.join(strange)} should be the same as in English")
    return language, words
