# SPDX-License-Identifier: Apache-2.0
"""Summary of a table: for small boards in an overview and for arbiters.

Rule: a small value from which a board and its problems can be shown;
details are on the table's own page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from companion.feedback.prompts import question_sentence
from companion.feedback.words import Words
from companion.model.game import Outcome
from companion.model.grid import Cell
from companion.model.pieces import Side
from companion.referee.values.events import Level, Stage
from companion.referee.values.view import ClockView, TableView


@dataclass(frozen=True, slots=True)
class SmallPiece:
    """A piece on its presumed cell."""

    kind: str
    side: Side | None
    cells: tuple[Cell, ...]
    facing: int | None = None
    pose: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    """Sentences of a glance, in one language."""

    language: str
    fault: str = ""
    cries: tuple[str, ...] = ()
    question: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True)
class Glance:
    """The state of a table at one moment."""

    game: str
    """Slug."""
    phase: str
    turn: Side
    ply: int
    """Number of the next ply."""
    pieces: tuple[SmallPiece, ...]
    source: tuple[Cell, ...] = ()
    """Cells that the last mover left."""
    target: tuple[Cell, ...] = ()
    move: str = ""
    """The last move."""
    is_announced: bool = True
    """False while the last move is only provisional."""
    clocks: tuple[ClockView, ...] = ()
    awaits_clock: bool = False
    """True if the clocks wait for the first move, a press, or a start command."""
    scores: tuple[int, ...] = ()
    fault: str = ""
    """The reason why the board is illegal, as a sentence."""
    is_completed: bool = False
    """True if the mover has completed the illegal move: the arbiter is needed."""
    cries: tuple[str, ...] = ()
    """CHECK! and ESCAPE!"""
    question: str = ""
    draw_offered_by: Side | None = None
    outcome: Outcome | None = None
    result: str = ""
    """The outcome as a sentence."""
    said: tuple[Texts, ...] = ()
    """The same sentences in other languages, for arbiters with their own."""


def render(view: TableView, words: Words, offset_ms: int = 0, others: Iterable[Words] = ()) -> Glance:
    """The summary of *view*, in *words* and in the languages of *others*.

    Times are those of the view plus *offset_ms*: equal as long as nothing happens.
    """
    last = view.record[-1] if view.record else None
    said = _texts(view, words)
    return Glance(
        view.game,
        view.phase.value,
        view.turn,
        view.ply,
        tuple(
            SmallPiece(piece.kind, piece.side, cells, piece.facing, piece.pose or "")
            for piece, cells in view.placement.entries
        ),
        last.source if last else (),
        last.target if last else (),
        last.move if last else "",
        last is None or last.stage is not Stage.PROVISIONAL,
        tuple(replace(clock, at_ms=clock.at_ms + offset_ms) for clock in view.clocks),
        view.clock_start is not None,
        view.scores,
        said.fault,
        view.fault is not None and view.fault.level is Level.COMPLETED,
        said.cries,
        said.question,
        view.draw_offered_by,
        view.outcome,
        said.result,
        tuple(_texts(view, other) for other in others) if said != Texts(words.language) else (),
    )


def _texts(view: TableView, words: Words) -> Texts:
    """The sentences about *view*."""
    return Texts(
        words.language,
        words.sentence(view.fault.violation) if view.fault else "",
        tuple(words.cry(each.cry) for each in view.announcements),
        question_sentence(view.question, view, words) if view.question else "",
        words.outcome(view.outcome) if view.outcome else "",
    )
