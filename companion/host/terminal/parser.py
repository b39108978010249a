# SPDX-License-Identifier: Apache-2.0
"""What somebody typed at a table's terminal: a command, an answer, a move, or two cells.

Pure. Its rule: what cannot be meant is answered with a sentence, never an exception.
A move is handed on as what it does to the wood, for at a virtual table that is how moves are made;
two cells carry a piece whether or not that is lawful, so that illegal moves can be tried, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from companion.feedback.page import commands
from companion.feedback.prompts import choice_label
from companion.feedback.wordfiles import read_common
from companion.feedback.words import Words
from companion.host.virtual_table.hands import Drop, Hand, Lift, SetRight
from companion.model.errors import NotationError
from companion.model.game import AnyRules
from companion.model.moves import Step
from companion.model.pieces import Side
from companion.referee.commands import (
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
from companion.referee.questions import Question
from companion.referee.view import TableView

_SPLIT: Final = re.compile(r"[\s–-]+")


@dataclass(frozen=True, slots=True)
class Quit:
    """Nobody wants to sit here any longer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A sentence for whoever typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Hands:
    """What hands do, one thing after another."""

    motions: tuple[Hand, ...]


@dataclass(frozen=True, slots=True)
class Perform:
    """A move of the game, as what it does to the wood."""

    move: str
    """Its notation as the game writes it."""
    steps: tuple[Step, ...]


Meant: TypeAlias = Command | Perform | Hands | Reply | Quit


@dataclass(frozen=True, slots=True)
class Seat:
    """Where the typist sits: all that decides what a text means."""

    rules: AnyRules
    position: Any
    view: TableView
    words: Words
    is_virtual: bool


_DRAW: Final = "draw"
_SIDED: Final[Mapping[str, Callable[[Side], Command]]] = {
    "resign": Resign,
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
_QUIT: Final = "quit"
_ON_THE_PAGE: Final = {
    _BACK: "take-back",
    "go": "resume",
    "new": "new-game",
    "stand": "let-stand",
    _RECORD: "correct-record",
    _POSITION: "set-up-position",
    "start": "start-clock",
}
"""What the page calls a command, where that is another word."""


def hint(words: Words, *, is_virtual: bool) -> str:
    """What may be typed, in a line."""
    typed = [word for slug, word in words.common.typed.commands.items() if is_virtual or slug != _RIGHT]
    return words.fill(words.common.typed.hint, commands=" · ".join(typed))


def understand(text: str, seat: Seat) -> Meant:
    """What *text* means at *seat*."""
    said = seat.words.common.typed
    text = text.strip()
    first, *others = text.split() or [""]
    slug = _command(first, seat.words)
    if slug is not None:
        return _obey(slug, " ".join(others), seat)
    if seat.view.question is not None:
        answer = _answer(text, seat.view.question, seat)
        if answer is not None:
            return answer
    moved = _move(text, seat)
    if moved is None:
        return Reply(seat.words.fill(said.unknown, text=text))
    return moved if seat.is_virtual else Reply(said.real_board)


def _command(word: str, words: Words) -> str | None:
    """The slug of the command that *word* calls, in the table's language or in English."""
    for commands_of in (words.common.typed.commands, _english()):
        for slug, known in commands_of.items():
            if word.casefold() == known.casefold():
                return slug
    return None


@cache
def _english() -> Mapping[str, str]:
    """What is understood whatever the table's language."""
    return read_common("en").typed.commands


def _obey(slug: str, more: str, seat: Seat) -> Meant:
    """The command *slug* with what *more* says: a side if it wants one, how many plies are taken back, or with which move a draw is claimed."""
    if slug == _RIGHT:
        return Hands((SetRight(),)) if seat.is_virtual else Reply(seat.words.common.typed.real_board)
    if slug == _QUIT:
        return Quit()
    if _ON_THE_PAGE.get(slug, slug) not in commands(seat.view):
        return Reply(seat.words.common.typed.not_now)
    if slug in (_RECORD, _POSITION):
        return _put_right(slug, more, seat)
    if slug in _PLAIN:
        return _take_back(int(more), seat) if slug == _BACK and more.isdecimal() else _PLAIN[slug]
    if slug == _DRAW and (move := _move(more, seat)) is not None and isinstance(move, Perform):
        return OfferDraw(seat.view.turn, move.move)
    side = _side(more, seat.words) if more else _usual_side(slug, seat.view)
    if side is None:
        names = seat.words.comma(seat.words.side(each).name for each in range(len(seat.view.sides)))
        return Reply(seat.words.fill(seat.words.common.typed.no_side, text=more, sides=names))
    return _SIDED[slug](side)


def _take_back(plies: int, seat: Seat) -> Meant:
    """The last *plies* taken back, if so many were made."""
    is_made = 0 < plies <= len(seat.view.record)
    return TakeBack(plies) if is_made else Reply(seat.words.common.typed.not_now)


def _put_right(slug: str, more: str, seat: Seat) -> Meant:
    """The record from the move on whose number *more* begins with, or the position that it writes; how to type it if it is neither."""
    words, view = seat.words, seat.view
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
    """Whom the command *slug* concerns if nobody is named."""
    sides = len(view.sides)
    if slug == _DRAW and view.draw_offered_by is not None:
        return (view.draw_offered_by + 1) % sides
    return (view.turn + 1) % sides if slug == "stand" else view.turn


def _side(name: str, words: Words) -> Side | None:
    """The side called *name*."""
    for side, slug in enumerate(words.sides):
        noun = words.side(side)
        if name.casefold() in {each.casefold() for each in (slug, noun.name, noun.own, noun.short)}:
            return side
    return None


def told_already(question: Question, meant: Mapping[int, str]) -> Answer | None:
    """The answer to *question* that the move which was typed for its ply gives; *meant* is what was typed, by ply."""
    move = meant.get(question.ply)
    fitting = [number for number, choice in enumerate(question.choices) if move in choice.moves]
    return Answer(question.ply, fitting[0]) if len(fitting) == 1 else None


def _answer(text: str, question: Question, seat: Seat) -> Meant | None:
    """The answer that *text* gives to *question*: its number, its words, or a move; None if it is none."""
    if text.isdecimal():
        if 1 <= int(text) <= len(question.choices):
            return Answer(question.ply, int(text) - 1)
        return Reply(seat.words.fill(seat.words.common.typed.no_answer, number=int(text)))
    for number, choice in enumerate(question.choices):
        label = choice_label(choice, question.aspect, seat.view, seat.words)
        is_its_only_move = choice.moves == (text,)
        if is_its_only_move or text.casefold() in (label.name.casefold(), label.short.casefold()):
            return Answer(question.ply, number)
    return None


def _move(text: str, seat: Seat) -> Perform | Hands | None:
    """The move of the game, or the way of a hand, that *text* writes; None if it writes neither."""
    try:
        move = seat.rules.read_move(seat.position, text)
        return Perform(seat.rules.write_move(seat.position, move), seat.rules.steps(seat.position, move))
    except NotationError:
        pass
    try:
        source, target = map(seat.rules.grid.cell, _SPLIT.split(text))
    except ValueError:  # not two words, or no cells
        return None
    return Hands((Lift(source), Drop(target)))
