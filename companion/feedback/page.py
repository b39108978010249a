# SPDX-License-Identifier: Apache-2.0
"""The content of the page as JSON values.

Rule: the browser has no rules and no words; all content comes from here, complete, every time.
Constants of a game (cells, names, labels) are separate: see `table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

from companion.feedback import shown as over
from companion.feedback.lesson_words import heading, lesson_words
from companion.feedback.page_types import (
    ClockState,
    FaultState,
    GuideState,
    LessonState,
    MoveState,
    OutcomeState,
    PieceState,
    QuestionState,
    RegionState,
    StandingState,
    StandinsState,
    ViewState,
)
from companion.feedback.prompts import (
    announcement_sentence,
    choice_label,
    guide_sentence,
    question_sentence,
    shown_order,
    written,
)
from companion.feedback.shown import Shown
from companion.feedback.standins import ChessPiece, Standins, lacking_notice, standin_name, standin_notice
from companion.feedback.words import Words
from companion.model.absent import PlayedBy
from companion.model.game import Option, Region
from companion.model.grid import Cell, Grid
from companion.model.lots import RANDOM, is_random
from companion.model.occupancy import cells_of
from companion.model.pieces import STANDING, Piece
from companion.referee.values.questions import Aspect, Choice, Question
from companion.referee.values.view import ClockView, Guide, LessonView, MoveView, Phase, TableView

Json: TypeAlias = dict[str, Any]
"""Nested dicts with str keys, lists, str, int, float, bool and None."""
_KEPT: Final = 2048
"""Pieces and moves whose JSON is kept, and never changed: those of some games."""


def render(shown: Shown, words: Words) -> ViewState:
    """All of *shown* that changes during a game. Cells and sides are indices."""
    view = shown.view
    return {
        "game": view.game,
        "language": words.language,
        "options": {name: RANDOM if is_random(value) else value for name, value in view.options},
        "phase": view.phase.value,
        "turn": view.turn,
        "ply": view.ply,
        "position": view.position,
        "prompt": over.prompt(shown, words),
        "notices": list(over.notices(shown, words)),
        "pieces": [standing_json(piece, cells, words) for piece, cells in view.placement.entries],
        "occupied": list(cells_of(view.occupied)),
        "lifted": list(view.lifted),
        "targets": [*view.targets, *shown.places],
        "guides": [_guide(each, view, words) for each in over.guides(shown)],
        "fault": _fault(view, words),
        "announcements": [
            {
                "cry": each.cry.value,
                "word": words.cry(each.cry),
                "side": each.side,
                "causes": list(each.causes),
                "targets": list(each.targets),
                "sentence": announcement_sentence(each, view, words),
            }
            for each in view.announcements
        ],
        "question": _question(shown, words),
        "outcome": _outcome(view, words),
        "draw_offered_by": view.draw_offered_by,
        "draw_declined_by": view.draw_declined_by,
        "offer": _offer(view, words),
        "record": [_move(move, words) for move in view.record],
        "start": words.common.labels["stood"] if view.is_start_amended else "",
        "regions": regions_json(view.regions),
        "hands": [[piece_json(piece, words) for piece in hand] for hand in view.hands],
        "captured": [piece_json(piece, words) for piece in view.captured],
        "scores": list(view.scores),
        "pressers": list(view.pressers),
        "seated": list(view.seated),
        "clock_start": view.clock_start,
        "clocks": [_clock(clock) for clock in view.clocks],
        "spoken": [{"key": said.key, "text": said.text} for said in over.spoken(shown, words)],
        "gives_hints": view.gives_hints,
        "commands": [each for each in commands(view) if not (shown.has_arbiter and each in _ARBITERS)],
        "lesson": _lesson(view, words),
        "standins": None if shown.standins is None else _standins(shown.standins, words),
    }


def _standins(standins: Standins, words: Words) -> StandinsState:
    """What stands in for the pieces, with the pieces to be drawn."""
    return {
        "sentence": standin_notice(standins, words),
        "lead": words.common.notices.standins_lead,
        "pairs": [
            {
                "name": standin_name(each, words),
                "piece": piece_json(each.piece, words),
                "chess": [_chess(chess) for chess in each.chess],
            }
            for each in standins.pairs
        ],
        "lacking": lacking_notice(standins, words),
    }


def _chess(piece: ChessPiece) -> PieceState:
    """A chess piece as the page draws it."""
    return {
        "kind": piece.kind,
        "side": piece.side,
        "facing": None,
        "pose": STANDING,
        "face": "",
        "name": piece.letter,
    }


def table(grid: Grid, options: tuple[Option, ...], words: Words) -> Json:
    """Constants during a game: the cells, all names, the page's own words."""
    return {
        "title": words.game.title,
        "language": words.language,
        "grid": grid_json(grid),
        "sides": [{"slug": slug, "name": words.side(side).name} for side, slug in enumerate(words.sides)],
        "kinds": {slug: noun.name for slug, noun in words.game.kinds.items()},
        "options": [option_json(option, words) for option in options],
        "labels": dict(words.common.labels),
        "cries": dict(words.common.cries),
    }


def grid_json(grid: Grid) -> Json:
    """The cells with names and outlines, and the rectangle around them.

    In mm, y away from the first player.
    """
    xs = [x for outline in grid.outlines for x, _ in outline]
    ys = [y for outline in grid.outlines for _, y in outline]
    return {
        "slug": grid.slug,
        "files": grid.files,
        "ranks": grid.ranks,
        "directions": len(grid.steps),
        "obstacles": [cell for cell in grid.obstacles if cell not in grid.border],
        "border": list(grid.border),
        "bounds_mm": [min(xs), min(ys), max(xs), max(ys)],
        "cells": [
            {"name": name, "outline": [list(corner) for corner in outline]}
            for name, outline in zip(grid.names, grid.outlines, strict=True)
        ],
    }


def regions_json(regions: Iterable[Region]) -> list[RegionState]:
    """The regions of a board."""
    return [
        {"cells": list(region.cells), "shaded": region.is_shaded, "side": region.side} for region in regions
    ]


@lru_cache(_KEPT)
def piece_json(piece: Piece, words: Words) -> PieceState:
    """A piece with its name; the same object again for the same piece."""
    return {
        "kind": piece.kind,
        "side": piece.side,
        "facing": piece.facing,
        "pose": piece.pose,
        "face": words.pose(piece.pose).name,
        "name": words.piece(piece).name,
    }


@lru_cache(_KEPT)
def standing_json(piece: Piece, cells: tuple[Cell, ...], words: Words) -> StandingState:
    """A piece on its *cells*; the same object again for the same piece there."""
    return {**piece_json(piece, words), "cells": list(cells)}


def _guide(guide: Guide, view: TableView, words: Words) -> GuideState:
    """A correction of the board."""
    return {
        **piece_json(guide.piece, words),
        "source": guide.source,
        "target": guide.target,
        "is_part": guide.is_part,
        "sentence": guide_sentence(guide, view, words),
    }


def _fault(view: TableView, words: Words) -> FaultState | None:
    """The fault of the board, with its reason."""
    if view.fault is None:
        return None
    return {
        "level": view.fault.level.value,
        "rule": view.fault.violation.rule,
        "sentence": words.sentence(view.fault.violation),
        "short": words.short(view.fault.violation),
        "cells": list(view.fault.cells),
        "concerned": list(view.fault.violation.cells),
    }


def _question(shown: Shown, words: Words) -> QuestionState | None:
    """The pending question, with its numbered choices."""
    view, asked = shown.view, shown.question
    if asked is None:
        return None
    return {
        "ply": asked.ply,
        "side": asked.side,
        "aspect": asked.aspect.value,
        "sentence": question_sentence(asked, view, words),
        "cells": list(asked.cells),
        "pointed": view.pointed,
        "order": shown_order(asked, words),
        "choices": [
            {
                "label": choice_label(choice, asked.aspect, view, words).name,
                "cells": list(choice.cells),
                "touch": choice.touch,
                "arrow": _arrow(choice, asked, view),
                "piece": None if choice.piece is None else piece_json(choice.piece, words),
                "moves": list(choice.moves),
            }
            for choice in asked.choices
        ],
    }


def _arrow(choice: Choice, asked: Question, view: TableView) -> list[int] | None:
    """The way of the piece by *choice*, where a question is about that."""
    if choice.step is not None:
        way = (*choice.step.source[:1], *choice.step.target[:1])
        return list(way) if len(way) > 1 else None
    move = next((move for move in view.record if move.ply == asked.ply), None)
    if move is None or not choice.cells or not move.source or not move.target:
        return None
    match asked.aspect:
        case Aspect.CELL:
            return [move.source[0], choice.cells[0]]
        case Aspect.PIECE if move.source[0] != move.target[0]:
            return [choice.cells[0], move.target[0]]
    return None


@lru_cache(_KEPT)
def _move(move: MoveView, words: Words) -> MoveState:
    """A move of the record."""
    return {
        "ply": move.ply,
        "side": move.side,
        "move": move.move,
        "text": written(move, words),
        "stage": move.stage.value,
        "source": list(move.source),
        "target": list(move.target),
        "spent_ms": move.spent_ms,
    }


def _clock(clock: ClockView) -> ClockState:
    """The clock of a side."""
    return {
        "left_ms": clock.left_ms,
        "is_running": clock.is_running,
        "at_ms": clock.at_ms,
        "spans": clock.spans,
        "delay_ms": clock.delay_ms,
        "span_ms": clock.span_ms,
        "is_in_span": clock.is_in_span,
        "is_growing": clock.is_growing,
    }


def _outcome(view: TableView, words: Words) -> OutcomeState | None:
    """The result."""
    if view.outcome is None:
        return None
    return {
        "winners": list(view.outcome.winners),
        "termination": view.outcome.termination,
        "scores": list(view.outcome.scores),
        "sentence": words.outcome(view.outcome),
    }


def _offer(view: TableView, words: Words) -> str | None:
    """The draw offer, as a sentence."""
    if view.draw_offered_by is None:
        return None
    return words.fill(words.common.prompts.draw_offered, side=words.side(view.draw_offered_by))


def option_json(option: Option, words: Words) -> Json:
    """An option with its values and their names."""
    named = words.option(option.name)
    return {
        "name": option.name,
        "label": named.label if named else option.about,
        "default": option.default,
        "values": [
            {"value": value, "label": named.values.get(value, value) if named else value}
            for value in option.values
        ],
    }


def _lesson(view: TableView, words: Words) -> LessonState | None:
    """The lesson at the table."""
    lesson = view.lesson
    if lesson is None:
        return None
    return {
        "heading": heading(lesson, view, words),
        "says": lesson_words(lesson, view, words).says,
        "is_wrong": lesson.is_wrong,
        "is_done": lesson.is_done,
        "following": lesson.following,
    }


_ARBITERS: Final = ("correct-record", "set-up-position")
"""Commands reserved for an arbiter where there is one."""


def commands(view: TableView) -> Iterator[str]:
    """The commands available now."""
    if view.lesson is not None:
        yield from _in_a_lesson(view.lesson)
        return
    if view.outcome is None:
        yield from _in_a_game(view)
        if view.gives_hints and view.phase in (Phase.WAITING, Phase.HANDLING) and view.decider is None:
            yield "hint"
        if PlayedBy.COMPUTER in view.played_by:
            yield "level"
    if view.is_begun:
        yield from _ARBITERS
    if view.record and view.allows_take_back and view.phase is not Phase.PAUSED:
        yield "take-back"
    if view.outcome is not None:
        yield "rematch"
    yield "new-game"


def _in_a_lesson(lesson: LessonView) -> Iterator[str]:
    """The commands available in a lesson."""
    if lesson.is_done:
        yield "repeat-lesson"
        if lesson.following:
            yield "next-lesson"
    yield "new-game"


def _in_a_game(view: TableView) -> Iterator[str]:
    """The commands available while the game goes on."""
    match view.phase:
        case Phase.PAUSED:
            if not view.is_held:
                yield from ("resume", "resign", "draw")
            if not view.is_adjourned:
                yield from ("adjourn", "let-stand")
        case Phase.SETTING_UP:
            if view.record:
                yield from ("resign", "draw")
            if view.is_begun:
                yield "let-stand"
        case _:
            yield from ("resign", "draw", "pause", "adjourn", "let-stand")
            if view.clock_start is not None:
                yield "start-clock"
