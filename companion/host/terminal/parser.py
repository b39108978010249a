# SPDX-License-Identifier: Apache-2.0
"""Parser for input at a table's terminal: commands, answers, moves, pairs of cells.

Pure. Its rule: invalid input is answered with a sentence, never an exception. A move becomes its
steps, since a virtual table executes those. Two cells carry a piece whether or not that is legal,
so that illegal moves can be tried, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from companion import games
from companion.feedback import rulebook
from companion.feedback.page import commands
from companion.feedback.prompts import choice_label
from companion.feedback.unlawful import reason
from companion.feedback.wordfiles import read_common
from companion.feedback.words import Words
from companion.host.terminal.level import level_command, side_called
from companion.host.virtual_table.hands import Drop, Hand, Lift, SetRight
from companion.model.errors import NotationError
from companion.model.game import AnyRules
from companion.model.moves import Step
from companion.model.pieces import Side
from companion.referee.values.commands import (
    Adjourn,
    Answer,
    Command,
    Correct,
    LetStand,
    NewGame,
    OfferDraw,
    Pause,
    Resign,
    Restore,
    Resume,
    StartClock,
    TakeBack,
)
from companion.referee.values.questions import Question
from companion.referee.values.view import TableView

_SPLIT: Final = re.compile(r"[\s–-]+")


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave the terminal."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A sentence in reply to the input."""

    text: str


@dataclass(frozen=True, slots=True)
class Hands:
    """Motions of a hand, in order."""

    motions: tuple[Hand, ...]


@dataclass(frozen=True, slots=True)
class Perform:
    """A move of the game, as steps."""

    move: str
    """In the game's notation."""
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Confirm:
    """A command that is carried out after a yes."""

    command: Command
    question: str


@dataclass(frozen=True, slots=True)
class Page:
    """A text to read."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HintKey:
    """Press the hint key."""


@dataclass(frozen=True, slots=True)
class Flip:
    """Turn the picture of the board."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """Press the clock for *side*."""

    side: Side


@dataclass(frozen=True, slots=True)
class Next:
    """Begin the next lesson."""


Parsed: TypeAlias = (
    Command | Confirm | Perform | Hands | Page | Flip | HintKey | Pressed | Next | Reply | Quit
)


@dataclass(frozen=True, slots=True)
class Context:
    """Context that decides the meaning of an input."""

    rules: AnyRules
    position: Any
    view: TableView
    words: Words
    is_virtual: bool
    takes_presses: bool = False


_DRAW, _RESIGN = "draw", "resign"
_SIDED: Final[Mapping[str, Callable[[Side], Command]]] = {
    _RESIGN: Resign,
    _DRAW: OfferDraw,
    "stand": LetStand,
}
_BACK: Final = "back"
_PLAIN: Final[Mapping[str, Command]] = {
    _BACK: TakeBack(),
    "pause": Pause(),
    "adjourn": Adjourn(),
    "go": Resume(),
    "start": StartClock(),
    "new": NewGame(),
}
_RECORD, _POSITION = "record", "position"
_RIGHT: Final = "right"
_DONE: Final = "done"
_QUIT: Final = "quit"
_HELP, _RULES, _FLIP = "help", "rules", "flip"
_HINT: Final = "hint"
_NEXT: Final = "next"
_LEVEL: Final = "level"
_QUESTION_MARK: Final = "?"
"""Another word for help."""
_ON_THE_PAGE: Final = {
    _BACK: "take-back",
    "go": "resume",
    "new": "new-game",
    "stand": "let-stand",
    _RECORD: "correct-record",
    _POSITION: "set-up-position",
    "start": "start-clock",
    _NEXT: "next-lesson",
}
"""Names of commands on the page, where they differ."""


def available(
    view: TableView, words: Words, *, is_virtual: bool, takes_presses: bool = False
) -> Mapping[str, str]:
    """Return the commands that can be typed now, with their words."""
    possible = {*commands(view), _HELP, _RULES, _FLIP, _QUIT, *((_RIGHT,) if is_virtual else ())}
    possible |= {_DONE} if takes_presses and view.pressers else set()
    typed = words.common.typed.commands
    return {slug: word for slug, word in typed.items() if _ON_THE_PAGE.get(slug, slug) in possible}


def hint(view: TableView, words: Words, *, is_virtual: bool, takes_presses: bool = False) -> str:
    """Return a line that lists what can be typed now."""
    typed = available(view, words, is_virtual=is_virtual, takes_presses=takes_presses)
    listed = " · ".join(typed.values())
    return words.fill(words.common.typed.hint, commands=listed) if view.outcome is None else listed


def yes_or_no(text: str, words: Words) -> bool | None:
    """Return what *text* answers, in the table's language or in English; None for neither."""
    for answer, label in ((True, "yes"), (False, "no")):
        if text.strip().casefold() in (words.common.labels[label].casefold(), label, label[0]):
            return answer
    return None


def understand(text: str, context: Context) -> Parsed:
    """Parse *text* in the context *context*."""
    said = context.words.common.typed
    text = text.strip()
    first, *others = text.split() or [""]
    slug = _command(first, context.words)
    if slug is not None:
        return _execute(slug, " ".join(others), context)
    if context.view.question is not None:
        answer = _answer(text, context.view.question, context)
        if answer is not None:
            return answer
    moved = _move(text, context)
    if moved is None:
        why = reason(text, context.rules, context.position, context.words)
        return Reply(why or context.words.fill(said.unknown, text=text))
    return moved if context.is_virtual else Reply(said.real_board)


def _command(word: str, words: Words) -> str | None:
    """Return the slug of command *word*, in the table's language or in English."""
    if word == _QUESTION_MARK:
        return _HELP
    for commands_of in (words.common.typed.commands, _english()):
        for slug, known in commands_of.items():
            if word.casefold() == known.casefold():
                return slug
    return None


@cache
def _english() -> Mapping[str, str]:
    """Return the English commands, which are understood in every language."""
    return read_common("en").typed.commands


def _execute(slug: str, more: str, context: Context) -> Parsed:
    """Parse command *slug* with its argument *more*.

    The argument is a side, a number of plies to take back, or the move of a draw claim.
    """
    own = _of_the_terminal(slug, context)
    if own is not None:
        return own
    if _ON_THE_PAGE.get(slug, slug) not in commands(context.view):
        return Reply(context.words.common.typed.not_now)
    if slug == _HINT:
        return HintKey()
    if slug == _NEXT:
        return Next()
    if slug == _LEVEL:
        found = level_command(more, context.rules.slug, context.words)
        return Reply(found) if isinstance(found, str) else found
    if slug in (_RECORD, _POSITION):
        return _put_right(slug, more, context)
    if slug in _PLAIN:
        return _take_back(int(more), context) if slug == _BACK and more.isdecimal() else _PLAIN[slug]
    return _of_a_side(slug, more, context)


def _of_a_side(slug: str, more: str, context: Context) -> Parsed:
    """Parse a command of a side; absent sides do not resign here."""
    view, words = context.view, context.words
    is_claim = slug == _DRAW and view.turn in view.seated
    if is_claim and (move := _move(more, context)) is not None and isinstance(move, Perform):
        return OfferDraw(view.turn, move.move)
    side = side_called(more, words) if more else _usual_side(slug, view)
    if side is None:
        names = words.comma(words.side(each).name for each in range(len(view.sides)))
        return Reply(words.fill(words.common.typed.no_side, text=more, sides=names))
    if slug in (_RESIGN, _DRAW) and side not in view.seated:
        return Reply(words.common.typed.not_now)
    return _sure(side, context) if slug == _RESIGN else _SIDED[slug](side)


def _sure(side: Side, context: Context) -> Confirm:
    """Return the question whether *side* resigns."""
    labels = context.words.common.labels
    name = context.words.side(side).name
    answers = f"{labels['yes']} / {labels['no']}"
    return Confirm(Resign(side), f"{labels['resign']}: {name}. {labels['confirm']} ({answers})")


def _explained(context: Context) -> Iterator[str]:
    """Yield what can be typed now, with explanations."""
    typed, words = context.words.common.typed, context.words
    yield words.fill(typed.hint, commands="…")
    yield ""
    virtual, pressed = context.is_virtual, context.takes_presses
    for slug, word in available(context.view, words, is_virtual=virtual, takes_presses=pressed).items():
        yield f"{word}: {typed.about[slug]}"


def _rules(context: Context) -> Iterator[str]:
    """Yield the rules of the game; in brief if there is no rulebook."""
    words, rules = context.words, context.rules
    yield words.game.title
    book = rulebook.load(words.language, rules.slug)
    if book is None:
        yield from (f"• {sentence}" for sentence in words.game.rules)
        return
    for part in rulebook.explained(book, rules, games.find(rules.slug).options, words):
        match part:
            case rulebook.Heading(text):
                yield from ("", text.upper())
            case rulebook.Picture(lines):
                yield from (line.plain for line in lines)
            case text:
                yield text


def _of_the_terminal(slug: str, context: Context) -> Parsed | None:
    """Return what command *slug* means if the referee does not carry it out."""
    typed = context.words.common.typed
    match slug:
        case "right":
            return Hands((SetRight(),)) if context.is_virtual else Reply(typed.real_board)
        case "done":
            pressers = context.view.pressers if context.takes_presses else ()
            return Pressed(pressers[0]) if pressers else Reply(typed.not_now)
        case "quit":
            return Quit()
        case "flip":
            return Flip()
        case "help":
            return Page(tuple(_explained(context)))
        case "rules":
            return Page(tuple(_rules(context)))
    return None


def _take_back(plies: int, context: Context) -> Parsed:
    """Take back the last *plies*, if there are as many."""
    is_made = 0 < plies <= len(context.view.record)
    return TakeBack(plies) if is_made else Reply(context.words.common.typed.not_now)


def _put_right(slug: str, more: str, context: Context) -> Parsed:
    """Parse a correction or a position; explain the syntax if it is invalid.

    A correction starts with the number of its first move.
    """
    words, view = context.words, context.view
    said, command = words.common.typed, words.common.typed.commands[slug]
    if slug == _POSITION:
        return (
            Restore(more)
            if more
            else Reply(words.fill(said.position_usage, command=command, position=view.position))
        )
    number, *moves = more.split() or [""]
    if not number.isdecimal() or int(number) < 1:
        return Reply(words.fill(said.record_usage, command=command, count=len(view.record)))
    return Correct(int(number) - 1, tuple(moves))


def _usual_side(slug: str, view: TableView) -> Side:
    """Return the side that command *slug* concerns if none is given."""
    sides = len(view.sides)
    if slug == "stand":
        return (view.turn + 1) % sides
    is_offered = slug == _DRAW and view.draw_offered_by is not None
    first = (view.draw_offered_by or 0) + 1 if is_offered else view.turn
    in_order = ((first + number) % sides for number in range(sides))
    return next((side for side in in_order if side in view.seated), view.turn)


def typed_answer(question: Question, meant: Mapping[int, str]) -> Answer | None:
    """Return the answer to *question* that the typed move of its ply gives.

    *meant* holds the typed moves by ply.
    """
    move = meant.get(question.ply)
    fitting = [number for number, choice in enumerate(question.choices) if move in choice.moves]
    return Answer(question.ply, fitting[0]) if len(fitting) == 1 else None


def _answer(text: str, question: Question, context: Context) -> Parsed | None:
    """Parse *text* as a number, label or move that answers *question*."""
    if text.isdecimal():
        if 1 <= int(text) <= len(question.choices):
            return Answer(question.ply, int(text) - 1)
        return Reply(context.words.fill(context.words.common.typed.no_answer, number=int(text)))
    for number, choice in enumerate(question.choices):
        label = choice_label(choice, question.aspect, context.view, context.words)
        is_its_only_move = choice.moves == (text,)
        if is_its_only_move or text.casefold() in (label.name.casefold(), label.short.casefold()):
            return Answer(question.ply, number)
    return None


def _move(text: str, context: Context) -> Perform | Hands | None:
    """Parse *text* as a move, or as two cells; None if it is neither."""
    try:
        move = context.rules.read_move(context.position, text)
        return Perform(
            context.rules.write_move(context.position, move), context.rules.steps(context.position, move)
        )
    except NotationError:
        pass
    try:
        source, target = map(context.rules.grid.cell, _SPLIT.split(text))
    except ValueError:  # not two words, or not cells
        return None
    return Hands((Lift(source), Drop(target)))
