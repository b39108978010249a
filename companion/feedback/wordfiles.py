# SPDX-License-Identifier: Apache-2.0
"""The files of words in `words/<language>/`, and the choice of a language.

`common.toml` holds what all games share, `<game>.toml` the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from companion.feedback.language import Language
from companion.feedback.template import Noun
from companion.feedback.word_reader import read
from companion.model.errors import UnknownName

ENGLISH: Final = "en"
"""The language that has all words, and the last resort of every choice."""
SHORT_COLUMNS: Final = 16
"""Width of the narrowest display: what `short` must fit."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is forbidden or a game has ended, or what is asked."""

    sentence: str
    short: str
    """For a display line: no gaps, at most `SHORT_COLUMNS` letters."""


@dataclass(frozen=True, slots=True)
class OptionWords:
    """A game's option and its values."""

    label: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GameWords:
    """What `<game>.toml` holds, by slug."""

    title: str
    rules: tuple[str, ...]
    """The rules in brief, a sentence each."""
    sides: Mapping[str, Noun] = field(default_factory=dict)
    kinds: Mapping[str, Noun] = field(default_factory=dict)
    nouns: Mapping[str, Noun] = field(default_factory=dict)
    """Whatever else violations speak of."""
    violations: Mapping[str, Reason] = field(default_factory=dict)
    terminations: Mapping[str, Reason] = field(default_factory=dict)
    """Reasons in the middle of a sentence, without a capital or full stop."""
    announcements: Mapping[str, str] = field(default_factory=dict)
    """Where the common ones do not fit this game."""
    options: Mapping[str, OptionWords] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompts:
    """What the players are told to do next."""

    set_up: str
    set_up_again: str
    turn: str
    lifted: str
    choose: str
    astray: str
    paused: str
    held: str
    adjourned: str
    draw_offered: str


@dataclass(frozen=True, slots=True)
class Notices:
    """What the players should know of the table besides the game."""

    drawn: str
    """Who begins, if chance has decided it."""
    claim: str
    """How the side to move claims a draw."""
    claim_by: str
    """How it claims one with the move that it is about to make."""
    turned: str
    turn_unclear: str
    blind: str
    leaders: str
    """By which gesture the game may be ended."""
    presses: str
    not_captured: str
    """Why a piece of a virtual table cannot be put down on others."""
    clock_move: str
    """What starts the first clock."""
    clock_press: str


@dataclass(frozen=True, slots=True)
class Guides:
    """One thing to put right; those with `owned` also say whose piece it is."""

    put: str
    put_owned: str
    carry: str
    carry_owned: str
    take_off: str
    take_off_owned: str
    faces: str
    """Said after putting or carrying a piece whose facing matters."""


@dataclass(frozen=True, slots=True)
class OutcomeWords:
    """How results are told."""

    win: str
    draw: str
    scores: str


@dataclass(frozen=True, slots=True)
class Display:
    """Lines for the two-line display: short, cut where a name is long, and best written in ASCII."""

    turn: str
    last: str
    put: str
    put_owned: str
    """For a piece that both sides have; the cell first, since a long name is cut."""
    carry: str
    take_off: str
    more: str
    lifted: str
    astray: str
    paused: str
    adjourned: str
    draw_offered: str
    claim: str
    """In the place of the last move, if the side to move may claim a draw."""
    begun: str
    drawn: str
    """In its place, if who begins was drawn."""
    turned: str
    """In its place, if the board lies turned."""
    leaders: str
    """In its place, if the game may be ended by leading pieces in the middle."""
    presses: str
    """In its place, if the game may be ended by presses of a button."""
    check: str
    escape: str
    win: str
    draw: str


@dataclass(frozen=True, slots=True)
class Typed:
    """What is said about what was typed at a terminal."""

    hint: str
    unknown: str
    no_answer: str
    no_side: str
    real_board: str
    not_now: str
    record_usage: str
    """How the record is put right."""
    position_usage: str
    """How a position is set up."""
    film: str
    """What may be typed while a kept game is watched; the letters are the same in all languages."""
    commands: Mapping[str, str]
    """What is typed for each command: a single word; the English ones are understood in every language."""


@dataclass(frozen=True, slots=True)
class Common:
    """What `common.toml` holds."""

    language: Language
    directions: tuple[str, str, str, str, str, str, str, str]
    """Clockwise from the first player's forward."""
    compass: tuple[str, str, str, str, str, str, str, str]
    """The same in letters, for display lines."""
    cries: Mapping[str, str]
    announcements: Mapping[str, str]
    prompts: Prompts
    notices: Notices
    guides: Guides
    outcome: OutcomeWords
    questions: Mapping[str, Reason]
    """What is asked, by aspect."""
    display: Display
    typed: Typed
    told: Mapping[str, str]
    """What the terminal from which a game was begun is told besides."""
    sides: Mapping[str, Noun]
    """Sides that many games have."""
    kinds: Mapping[str, Noun]
    """Kinds that no game has: what is only known to be there."""
    options: Mapping[str, OptionWords]
    """Options that many games have."""
    violations: Mapping[str, Reason]
    terminations: Mapping[str, Reason]
    health: Mapping[str, str]
    """What a panel may complain of."""
    camera: Mapping[str, str]
    """How it stands with a camera, and what keeps it from seeing well."""
    labels: Mapping[str, str]
    """Buttons and headings of the page."""


@cache
def languages() -> tuple[str, ...]:
    """Codes of the languages there are words for, sorted."""
    return tuple(
        sorted(folder.name for folder in _folder().iterdir() if folder.joinpath("common.toml").is_file())
    )


def has_game(language: str, game: str) -> bool:
    """Whether *language* has a file for *game* (a slug)."""
    return _file(language, game).is_file()


@cache
def read_common(language: str) -> Common:
    """What all games share in *language*. Raises `UnknownName`, `SettingsError`."""
    if language not in languages():
        raise UnknownName(
            f"there are no words in {language!r}; languages are {', '.join(languages())}",
            name=language,
            known=languages(),
        )
    return read(Common, _file(language, "common"))


def grammar(language: str) -> Language:
    """The grammar of *language*, a code. Raises `UnknownName`, `SettingsError`."""
    return read_common(language).language


def read_game(language: str, game: str, common: Common) -> GameWords:
    """What *game* says in the language of *common*. Raises `SettingsError`."""
    return read(GameWords, _file(language, game), common.language)


def choose(*wishes: str | None) -> str:
    """The code of the first language in *wishes* that there are words for; English if there is none.

    A wish is a code (`de`, `de-AT`), a header `Accept-Language`, or empty.

    >>> choose("", "nl, fr;q=0.5, de-AT;q=0.8", "es")
    'de'
    """
    named = (code for wish in wishes for code in _codes(wish or ""))
    return next((code for code in named if code in languages()), ENGLISH)


def _codes(wish: str) -> Iterator[str]:
    """The languages of an `Accept-Language` header, the most wanted first, without their regions."""
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
    """Where the languages live."""
    return resources.files("companion.feedback") / "words"


def _file(language: str, name: str) -> Traversable:
    """The file *name* of *language*, which need not exist."""
    return _folder() / language / f"{name}.toml"
