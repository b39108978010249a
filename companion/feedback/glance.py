# SPDX-License-Identifier: Apache-2.0
"""A table at a glance: what a small board among many shows, and what those who look after many tables must know.

Rule: a small value that says enough to draw the board and to tell what is wrong; who wants more opens the table's own page.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.feedback.prompts import question_sentence
from companion.feedback.words import Words
from companion.model.game import Outcome
from companion.model.grid import Cell
from companion.model.pieces import Side
from companion.referee.events import Level, Stage
from companion.referee.view import TableView


@dataclass(frozen=True, slots=True)
class SmallPiece:
    """A piece where it is believed to stand."""

    kind: str
    side: Side | None
    cells: tuple[Cell, ...]
    facing: int | None = None
    pose: str = ""


@dataclass(frozen=True, slots=True)
class SmallClock:
    """One side's clock."""

    left_ms: int
    """At *at_ms*; a running clock has gone on since."""
    is_running: bool
    at_ms: int


@dataclass(frozen=True, slots=True)
class Glance:
    """A table as it was at one moment."""

    game: str
    """Slug."""
    phase: str
    turn: Side
    ply: int
    """Number of the ply to be played."""
    pieces: tuple[SmallPiece, ...]
    source: tuple[Cell, ...] = ()
    """Cells that the last mover left."""
    target: tuple[Cell, ...] = ()
    move: str = ""
    """The last move."""
    is_announced: bool = True
    """False while the last move is only provisional."""
    clocks: tuple[SmallClock, ...] = ()
    scores: tuple[int, ...] = ()
    fault: str = ""
    """Why the board is not lawful, as a sentence."""
    is_completed: bool = False
    """True if the mover has finished the illegal move: the arbiter is wanted."""
    cries: tuple[str, ...] = ()
    """CHECK! and ESCAPE!"""
    question: str = ""
    draw_offered_by: Side | None = None
    outcome: Outcome | None = None
    result: str = ""
    """The outcome as a sentence."""


def render(view: TableView, words: Words, offset_ms: int = 0) -> Glance:
    """*view* at a glance. Times are those of the view and *offset_ms*: equal as long as nothing happens."""
    last = view.record[-1] if view.record else None
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
        tuple(SmallClock(clock.left_ms, clock.is_running, clock.at_ms + offset_ms) for clock in view.clocks),
        view.scores,
        words.sentence(view.fault.violation) if view.fault else "",
        view.fault is not None and view.fault.level is Level.COMPLETED,
        tuple(words.cry(each.cry) for each in view.announcements),
        question_sentence(view.question, view, words) if view.question else "",
        view.draw_offered_by,
        view.outcome,
        words.outcome(view.outcome) if view.outcome else "",
    )
