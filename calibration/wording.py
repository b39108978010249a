# SPDX-License-Identifier: Apache-2.0
"""The workshop's sentences, as values until they are displayed.

They are displayed in the reader's language.

Rule: what measures makes a `Sentence`; only what shows one knows a language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from companion.feedback import word_reader
from companion.feedback.language import Language
from companion.feedback.template import Filling, Noun, fill
from companion.feedback.wordfiles import grammar
from companion.feedback.words import load as load_game
from companion.model.pieces import Piece


@dataclass(frozen=True, slots=True)
class WordFile:
    """The content of `words/<language>.toml`: texts by table and key."""

    advice: Mapping[str, str]
    """Assessment of a camera before a board."""
    places: Mapping[str, str]
    """Parts of the board as the first player sees it."""
    lists: Mapping[str, str]
    rows: Mapping[str, str]
    """What of a profile is compared."""
    values: Mapping[str, str]
    """Numbers with their units."""
    console: Mapping[str, str]
    reeds: Mapping[str, str]
    """The walk over a board of switches."""
    display: Mapping[str, str]
    """Lines for the board's own display, 16 letters at most."""
    page: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PieceName:
    """The name of a kind of piece of a game."""

    game: str
    kind: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text of the word files with what fills its gaps."""

    key: str
    """Table and key, such as `advice.fits`."""
    gaps: Mapping[str, Gap] = field(default_factory=dict)


Gap: TypeAlias = int | float | str | PieceName | Sentence


@dataclass(frozen=True, slots=True)
class Words:
    """The workshop's words in one language."""

    code: str
    language: Language
    file: WordFile

    def text(self, gap: Gap) -> str:
        """*gap* in this language: a filled sentence, or a localised number."""
        return fill("{gap}", {"gap": self._filling(gap)}, self.language)

    def sentence(self, key: str, /, **gaps: Gap) -> str:
        """The text called *key* (`table.key`) with its gaps filled."""
        table, _, name = key.partition(".")
        texts: Mapping[str, str] = getattr(self.file, table)
        return fill(texts[name], {gap: self._filling(of) for gap, of in gaps.items()}, self.language)

    def _filling(self, gap: Gap) -> Filling:
        if isinstance(gap, Sentence):
            return self.sentence(gap.key, **gap.gaps)
        return self.noun(gap) if isinstance(gap, PieceName) else gap

    def noun(self, name: PieceName) -> Noun:
        """The name of a kind of piece in this language."""
        return load_game(self.code, name.game, ()).piece(Piece(name.kind))


def sentence(key: str, /, **gaps: Gap) -> Sentence:
    """The sentence called *key* (`table.key`)."""
    return Sentence(key, gaps)


def shortened(names: Sequence[str], most: int) -> Gap:
    """The first *most* of *names*, and how many more there are."""
    first = " ".join(names[:most])
    return sentence("lists.more", names=first, count=len(names) - most) if len(names) > most else first


def folder() -> Path:
    """The folder of the word files."""
    return Path(str(resources.files("calibration") / "words"))


@cache
def load(code: str) -> Words:
    """The words of the language *code*. Raises `UnknownName`, `SettingsError`."""
    language = grammar(code)
    return Words(code, language, word_reader.read(WordFile, folder() / f"{code}.toml", language))
