# SPDX-License-Identifier: Apache-2.0
"""The rules of a game for people who have never seen it, under chosen options.

The texts are in `rulebooks/<language>/<game>.toml`: sections with lines, some of which belong to
the values of options, and examples, whose moves are checked by the rules themselves. A language
without a file for a game uses the English one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final, TypeAlias

from rich.text import Text

from companion.feedback import letters
from companion.feedback.letters import Letters
from companion.feedback.template import fill
from companion.feedback.unlawful import reason
from companion.feedback.wordfiles import ENGLISH, grammar
from companion.feedback.words import Words
from companion.model.errors import NotationError
from companion.model.game import AnyRules, HasBox, HasHands, Option
from companion.model.lots import RANDOM, is_random
from companion.model.notation import is_legal
from companion.model.toml import build, parse

_CONDITION: Final = re.compile(r"\[(?P<when>\w+=[^\]]+)\] ")
"""A condition before a line: `[sword=king]`, `[teams=no, players=4|6]`."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with lines; those whose condition does not hold are left out."""

    title: str
    lines: tuple[str, ...] = ()
    picture: bool = False
    """True if the start position is drawn after the lines."""


@dataclass(frozen=True, slots=True)
class Example:
    """A position with moves that are legal there, and moves that are not."""

    legal: tuple[str, ...]
    illegal: tuple[str, ...] = ()
    options: str = ""
    """The condition under which it holds, as before a line."""
    about: str = ""
    position: str = ""
    """In the notation of the game; empty for the start position."""
    moves: str = ""
    """Moves from that position to the one that is shown, with blanks between them."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Content of a file."""

    examples_title: str
    legal: str
    """Before a legal move, with the gap `move`."""
    illegal: str
    """Before an illegal move, with the gaps `move` and `reason`."""
    in_hand: str
    """Before the pieces that are not on the board, with the gaps `side` and `pieces`."""
    section: tuple[Section, ...]
    example: tuple[Example, ...]
    in_pool: str = ""
    """Before the pieces from which hands are chosen, with the gap `pieces`."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A board, drawn in lines that are not wrapped."""

    lines: tuple[Text, ...]
    position: str
    """What stands on it, in the notation of the game."""


Part: TypeAlias = Heading | Picture | str
"""A part of the rules as shown; a text is one sentence or a few."""


def has_rulebook(language: str, game: str) -> bool:
    """Whether *language* has a file for *game*, a slug."""
    return _file(language, game).is_file()


@cache
def load(language: str, game: str) -> Rulebook | None:
    """The rulebook of *game* in *language*, else in English; None if there is neither.

    Raises `SettingsError`.
    """
    spoken = next((code for code in (language, ENGLISH) if has_rulebook(code, game)), None)
    if spoken is None:
        return None
    file = _file(spoken, game)
    return build(Rulebook, parse(file.read_text(encoding="utf-8"), file.name), f"{spoken}/{file.name}")


def _file(language: str, game: str) -> Traversable:
    """The file of *game* in *language*, which may not exist."""
    return resources.files("companion.feedback") / "rulebooks" / language / f"{game}.toml"


def explained(book: Rulebook, rules: AnyRules, options: Sequence[Option], words: Words) -> Iterator[Part]:
    """All parts of *book* that hold under the options of *rules*."""
    chosen = {option.name: rules.options[option.name] for option in options}
    written = Letters.of(rules, words, 2)
    for section in book.section:
        lines = [text for text in (line_for(line, chosen, options) for line in section.lines) if text]
        if lines or section.picture:
            yield Heading(section.title)
        yield from lines
        if section.picture:
            yield from _start(rules, words, written)
            yield from _in_hands(book, rules, words)
    fitting = [each for each in book.example if is_true(each, rules, options)]
    if fitting:
        yield Heading(book.examples_title)
    for example in fitting:
        yield from _shown(book, example, rules, words, written)


def line_for(line: str, chosen: Mapping[str, str], options: Sequence[Option]) -> str:
    """*line* with the values of options; empty if its condition does not hold."""
    found = _CONDITION.match(line)
    if found is None:
        return line
    if not holds(found["when"], chosen, options):
        return ""
    text = line[found.end() :]
    for name, value in chosen.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def conditions(line: str) -> dict[str, tuple[str, ...]]:
    """The options that *line* depends on, with the values for which it is shown."""
    found = _CONDITION.match(line)
    return {} if found is None else _parsed(found["when"])


def holds(condition: str, chosen: Mapping[str, str], options: Sequence[Option]) -> bool:
    """True if the options *chosen* fulfil every part of *condition*; an empty one always holds."""
    named = {option.name: option for option in options}
    return all(
        value_class(named[name], chosen[name]) in values for name, values in _parsed(condition).items()
    )


def value_class(option: Option, value: str) -> str:
    """*value*, or the listed value of *option* for it: `number`, `file`, `random`."""
    if option.is_named(value):
        return value
    if RANDOM in option.values and is_random(value):
        return RANDOM
    return "number" if option.is_number(value) else "file"


def _parsed(condition: str) -> dict[str, tuple[str, ...]]:
    """The values allowed by *condition*, by option."""
    parts = (part.strip().partition("=") for part in condition.split(",") if part.strip())
    return {name: tuple(values.split("|")) for name, _, values in parts}


def is_true(example: Example, rules: AnyRules, options: Sequence[Option]) -> bool:
    """True if *example* holds under *rules*: its moves are legal, the others are not."""
    if not holds(example.options, {option.name: rules.options[option.name] for option in options}, options):
        return False
    try:
        position = position_of(example, rules)
    except NotationError:  # of another board
        return False
    legal = (is_legal(rules, position, move) for move in example.legal)
    return all(legal) and not any(is_legal(rules, position, move) for move in example.illegal)


def position_of(example: Example, rules: AnyRules) -> Any:
    """The position of *example*. Raises `NotationError` if these rules do not have it."""
    position = rules.read_position(example.position) if example.position else rules.initial()
    for move in example.moves.split():
        position = rules.apply(position, rules.read_move(position, move))
    return position


def _shown(
    book: Rulebook, example: Example, rules: AnyRules, words: Words, written: Letters
) -> Iterator[Part]:
    """The board of *example* with its moves, and the reasons against the illegal ones."""
    position = position_of(example, rules)
    if example.about:
        yield example.about
    lines = letters.board(rules.grid, rules.placement(position), written)
    yield Picture(tuple(lines), rules.write_position(position))
    language = grammar(words.language)
    for move in example.legal:
        yield fill(book.legal, {"move": move}, language)
    for move in example.illegal:
        why = reason(move, rules, position, words) or ""
        yield fill(book.illegal, {"move": move, "reason": why}, language).rstrip()


def _start(rules: AnyRules, words: Words, written: Letters) -> Iterator[Part]:
    """The board of the start position, and what its letters mean."""
    placement = rules.placement(rules.initial())
    lines = letters.board(rules.grid, placement, written)
    yield Picture(tuple(lines), rules.write_position(rules.initial()))
    names = {written.name(piece): words.piece(piece).name for piece, _ in placement.entries}
    if names:
        yield " · ".join(f"{short} {name}" for short, name in names.items())


def _in_hands(book: Rulebook, rules: AnyRules, words: Words) -> Iterator[str]:
    """The pieces in hand at the start; once if all sides have the same."""
    if not isinstance(rules, HasHands):
        return
    hands = [Counter(words.piece(piece).name for piece in hand) for hand in rules.hands(rules.initial())]
    if book.in_pool and not any(hands) and isinstance(rules, HasBox):
        pool = Counter(words.piece(each.faces[0]).name for each in rules.box() if each.faces[0].side == 0)
        yield fill(book.in_pool, {"pieces": _counted(pool, words)}, grammar(words.language))
        return
    groups = (
        [tuple(range(len(hands)))]
        if len({tuple(each.items()) for each in hands}) == 1
        else [(side,) for side in range(len(hands))]
    )
    for sides in groups:
        pieces = _counted(hands[sides[0]], words)
        names = words.listed([words.side(side).name for side in sides])
        if pieces:
            yield fill(book.in_hand, {"side": names, "pieces": pieces}, grammar(words.language))


def _counted(pieces: Mapping[str, int], words: Words) -> str:
    """The names of *pieces*, each with its number."""
    return words.comma(f"{count} × {name}" for name, count in pieces.items())
