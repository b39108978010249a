# SPDX-License-Identifier: Apache-2.0
"""The files of words in `words/<language>/`, and the choice of a language.

`common.toml` holds what all games share, `<game>.toml` the rest. What their tables become is
imported when one is read: a message in English needs the codes of the languages alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.model.errors import UnknownName
from companion.model.toml import parse, text_of

if TYPE_CHECKING:
    from companion.feedback.language import Language
    from companion.feedback.word_tables import Common, GameWords

ENGLISH: Final = "en"
"""The language that has all words, and the last resort of every choice."""


@cache
def languages() -> tuple[str, ...]:
    """Codes of the available languages, sorted."""
    return tuple(
        sorted(folder.name for folder in _folder().iterdir() if folder.joinpath("common.toml").is_file())
    )


def own_name(language: str) -> str:
    """The name of *language*, a code, in itself; nothing else of its file is parsed."""
    path = str(_file(language, "common"))
    text = text_of(Path(path))
    table = text[text.index("\n[language]\n") :].split("\n[")[1]
    name = parse(f"[{table}", path)["language"]["name"]
    return str(name)


def has_game(language: str, game: str) -> bool:
    """Whether *language* has a file for *game* (a slug)."""
    return _file(language, game).is_file()


@cache
def read_common(language: str) -> Common:
    """What all games share in *language*. Raises `UnknownName`, `SettingsError`."""
    if language not in languages():
        raise UnknownName(
            "there are no words in {name!r}; languages are {known}",
            name=language,
            known=languages(),
        )
    from companion.feedback.word_reader import read
    from companion.feedback.word_tables import Common

    return read(Common, _file(language, "common"))


def grammar(language: str) -> Language:
    """The grammar of *language*, a code. Raises `UnknownName`, `SettingsError`."""
    return read_common(language).language


def read_game(language: str, game: str, common: Common) -> GameWords:
    """The words of *game* in the language of *common*. Raises `SettingsError`."""
    from companion.feedback.word_reader import read
    from companion.feedback.word_tables import GameWords

    return read(GameWords, _file(language, game), common.language)


def choose(*wishes: str | None) -> str:
    """The first available language of *wishes*, as a code; otherwise English.

    A wish is a code (`de`, `de-AT`), a header `Accept-Language`, or empty.

    >>> choose("", "nl, fr;q=0.5, de-AT;q=0.8", "es")
    'de'
    """
    named = (code for wish in wishes for code in _codes(wish or ""))
    return next((code for code in named if code in languages()), ENGLISH)


def _codes(wish: str) -> Iterator[str]:
    """Language codes of an `Accept-Language` header, without regions, the preferred first."""
    ranked = []
    for part in wish.lower().split(","):
        tag, _, weight = part.partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            quality = 0.0
        ranked.append((quality, tag.partition("-")[0].strip()))
    ranked.sort(key=lambda each: -each[0])
    return (code for quality, code in ranked if quality > 0)


def _folder() -> Traversable:
    """The folder of the languages."""
    return resources.files("companion.feedback") / "words"


def _file(language: str, name: str) -> Traversable:
    """The file *name* of *language*, which may not exist."""
    return _folder() / language / f"{name}.toml"
