# SPDX-License-Identifier: Apache-2.0
"""Two lines of text for a small display.

Rule: the most important text comes first, and every line fits.
A character display shows ASCII; other letters are transliterated.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from companion.feedback.moves import short
from companion.feedback.prompts import choice_label, drawn_to_begin, first_cell, is_shared, shown_order
from companion.feedback.template import Filling
from companion.feedback.words import Words
from companion.model.advice import Advice, AdviceKind, HintStage
from companion.model.game import Announcement, CallOut, Outcome
from companion.model.grid import Cell
from companion.referee.values.gestures import Gestures
from companion.referee.values.questions import Question
from companion.referee.values.view import DecidedView, Guide, Phase, TableView

_SPELT: Final = str.maketrans(
    {
        "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "đ": "d", "Đ": "D",
        "æ": "ae", "œ": "oe", "Æ": "Ae", "Œ": "Oe", "ø": "o", "ł": "l", "¡": "", "¿": "",
        "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "→": ">", "×": "x", "…": "...", "½": "1/2",
    }
)  # fmt: skip


def render(view: TableView, words: Words, columns: int = 16, names: Sequence[str] = ()) -> tuple[str, str]:
    """The two lines for *view*, each at most *columns* letters of printable ASCII.

    Before play starts, the players read their *names*, so that they find their board.
    """
    if view.lesson is not None and view.lesson.is_done:
        first, second = _taught(view, words)
    elif names and _is_before_play(view):
        half = (len(names) + 1) // 2
        first, second = _beside(names[:half], columns), _beside(names[half:], columns)
    else:
        first, second = _lines(view, words)
    return fit(first, columns), fit(second, columns)


def _is_before_play(view: TableView) -> bool:
    """True if the start position stands, and no clock runs yet."""
    awaits_start = view.clock_start is not None or not view.clocks
    return awaits_start and view.phase is Phase.WAITING and not view.ply


def _beside(names: Sequence[str], columns: int) -> str:
    """*names* in one line, each cut to its share of the *columns*.

    >>> _beside(("Ana Sudac", "Ben"), 16)
    'Ana Sud/Ben'
    """
    share = (columns + 1) // max(1, len(names)) - 1
    return "/".join(spell(name)[:share] for name in names)


def spell(text: str) -> str:
    """*text* in printable ASCII.

    >>> spell("Schläger auf š5")
    'Schlaeger auf s5'
    """
    folded = unicodedata.normalize("NFKD", text.translate(_SPELT))
    return "".join(
        letter if letter.isascii() and letter.isprintable() else "?"
        for letter in folded
        if not unicodedata.combining(letter)
    )


def _lines(view: TableView, words: Words) -> tuple[str, str]:
    """The two lines before transliteration and cutting."""
    said = words.common.display
    is_answered = view.pointed is not None or view.is_suspended  # or play waits for it
    if view.question is not None and is_answered:
        return _question(view.question, view, words)
    if view.outcome is not None:
        return _result(view.outcome, words), words.short_termination(view.outcome)
    if view.phase is Phase.PAUSED:
        return said.adjourned if view.is_adjourned else said.paused, _turn(view, words)
    if view.fault is not None or view.phase is Phase.ILLEGAL:
        reason = words.short(view.fault.violation) if view.fault is not None else said.illegal
        way_back = _guide(view.errands[0], view, words) if view.guides else _turn(view, words)
        return reason, way_back
    if view.decided is not None:
        return _carrying_out(view.decided, view, words)
    if view.phase is Phase.SETTING_UP and view.guides:
        more = len(view.errands) - 1
        return _guide(view.errands[0], view, words), words.fill(said.more, count=more) if more else ""
    if view.question is not None and view.phase is not Phase.HANDLING:
        return _question(view.question, view, words)
    return _playing(view, words)


def _carrying_out(decided: DecidedView, view: TableView, words: Words) -> tuple[str, str]:
    """The next thing to do for a decided move, and the move."""
    said = words.common.display
    plays = words.fill(said.plays, side=words.side(decided.side), move=decided.move)
    if decided.needs_press:
        return said.press_when_done, plays
    return (_guide(view.errands[0], view, words), plays) if view.errands else (plays, "")


def _question(question: Question, view: TableView, words: Words) -> tuple[str, str]:
    """The question, and its choices."""
    nouns = [choice_label(choice, question.aspect, view, words) for choice in question.choices]
    labels = [label.short or label.name for label in nouns]
    shown = (
        "/".join(labels[number] for number in shown_order(question, words))
        if view.pointed is None
        else f"{view.pointed + 1}/{len(labels)} {labels[view.pointed]}"
    )
    return words.common.questions[question.aspect].short, shown


def _playing(view: TableView, words: Words) -> tuple[str, str]:
    """The lines of a running game: an announcement or offer displaces the last move."""
    said = words.common.display
    turn = _turn(view, words)
    if view.lesson is not None and view.phase is not Phase.HANDLING:
        return _taught(view, words)
    if view.advice is not None:
        return _advice(view.advice, words), turn
    if view.draw_offered_by is not None:
        return words.fill(said.draw_offered, side=words.side(view.draw_offered_by)), turn
    if view.announcements and view.phase is not Phase.HANDLING:
        first = view.announcements[0]
        cells = view.grid.spell((*_cause(first, view), *first.targets[:1])).replace(" ", "-")
        return words.fill(said.check if first.cry is CallOut.CHECK else said.escape, cells=cells), turn
    return turn, _lifted(view, words) or _waiting(view, words)


def _lifted(view: TableView, words: Words) -> str:
    """The piece in the hand, or what it lacks; "" without one."""
    if view.joint is not None:
        return _guide(view.joint.guides[0], view, words)
    piece = view.placement.at(view.lifted[-1]) if view.phase is Phase.HANDLING and view.lifted else None
    if piece is None:
        return ""
    if view.immobile is not None:
        return words.short(view.immobile)
    cell = view.grid.name(first_cell(view, view.lifted[-1]))
    return words.fill(words.common.display.lifted, piece=words.piece(piece), cell=cell)


def _advice(advice: Advice, words: Words) -> str:
    """The hint or the warning, as text."""
    said = words.common.display
    match advice.kind:
        case AdviceKind.WARNING:
            return said.warning
        case AdviceKind.MISSED:
            return said.missed
        case AdviceKind.TASK:
            return said.task
    if advice.move is None:
        return words.fill(said.hint, cells="..")
    shown = short(advice.move, words, is_whole=advice.stage is not HintStage.PIECE)
    return words.fill(said.hint, cells=shown)


def _taught(view: TableView, words: Words) -> tuple[str, str]:
    """The last answer in a lesson or the side to move, and its number."""
    lesson, said = view.lesson, words.common.lessons
    assert lesson is not None
    number = words.fill(said["short-title"], number=lesson.number + 1, count=lesson.count)
    answered = said["short-right"] if lesson.is_done else said["short-wrong"] if lesson.is_wrong else ""
    return answered or _turn(view, words), number


def _waiting(view: TableView, words: Words) -> str:
    """Secondary text while a move is awaited.

    A draw that can be claimed, the last move, or the start of the game.
    """
    said = words.common.display
    if view.may_claim or view.claiming:
        return said.claim
    if view.record and view.counts:
        left = min(count.left for count in view.counts)
        return words.fill(said.counted, move=view.record[-1].move or "-", count=left)
    if view.record:
        return words.fill(said.last, move=view.record[-1].move or "-")
    if drawn_to_begin(view) is not None:
        return said.drawn
    if view.turned:
        return words.fill(said.turned, count=view.turned)
    return {Gestures.LEADERS: said.leaders, Gestures.PRESSES: said.presses}.get(view.gestures, said.begun)


def _cause(announcement: Announcement, view: TableView) -> tuple[Cell, ...]:
    """The last mover's piece if it is a cause, else the first cause, if any."""
    moved = view.record[-1].target if view.record else ()
    return (*(cell for cell in announcement.causes if cell in moved), *announcement.causes)[:1]


def _turn(view: TableView, words: Words) -> str:
    """The side to move, as text."""
    said = words.common.display
    return words.fill(said.turn if view.decider is None else said.decides, side=words.side(view.turn))


def _result(outcome: Outcome, words: Words) -> str:
    """The winner or the draw, as text."""
    if not outcome.winners:
        return words.common.display.draw
    return words.fill(words.common.display.win, winner=words.several(outcome.winners))


def _guide(guide: Guide, view: TableView, words: Words) -> str:
    """The correction: piece and cell, as text."""
    said, piece = words.common.display, guide.piece
    fillings: dict[str, Filling] = {"piece": words.piece(piece)}
    if guide.source is not None:
        fillings["source"] = view.grid.name(guide.source)
    if guide.target is not None:
        fillings["target"] = view.grid.name(guide.target)
    if guide.is_turn:
        return words.fill(said.turn_piece, **fillings)
    if guide.source is not None:
        return words.fill(said.take_off if guide.target is None else said.carry, **fillings)
    if piece.side is not None and is_shared(piece, view):
        return words.fill(said.put_owned, side=words.side(piece.side), **fillings)
    return words.fill(said.put, **fillings)


@lru_cache(maxsize=4096)
def fit(line: str, columns: int = 16) -> str:
    """*line* in ASCII, cut to *columns* without a trailing blank."""
    return spell(line)[:columns].rstrip()
