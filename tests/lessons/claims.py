# SPDX-License-Identifier: Apache-2.0
"""What lessons claim about moves, found out from the rules alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.lessons.course import Lesson, Task
from companion.model.game import AnyRules, CallOut
from companion.model.notation import is_legal
from companion.model.occupancy import cells_of


def line(lesson: Lesson, game: str) -> Iterator[tuple[Task, AnyRules, list[Any]]]:
    """Each task with the positions in which it is open, by the answers before."""
    rules = lesson.rules(game)
    open_in = [lesson.start(rules)]
    for task in lesson.task:
        yield task, rules, open_in
        open_in = [
            after(rules, each, answer, task.reply)
            for each in open_in
            for answer in accepted(task, rules, each)
        ]


def after(rules: AnyRules, position: Any, *moves: str) -> Any:
    """The position after those of *moves* that are not empty."""
    for text in filter(None, moves):
        position = rules.apply(position, rules.read_move(position, text))
    return position


def accepted(task: Task, rules: AnyRules, position: Any) -> list[str]:
    """The accepted moves that are legal in *position*."""
    return [text for text in task.accepts if is_legal(rules, position, text)]


def doing(claim: str, rules: AnyRules, position: Any) -> set[str]:
    """The legal moves that do what *claim* says, as written."""
    return {
        rules.write_move(position, move)
        for move in rules.legal_moves(position)
        if _does(claim, rules, position, rules.apply(position, move))
    }


def _does(claim: str, rules: AnyRules, before: Any, after: Any) -> bool:
    match claim:
        case "captures":
            return _standing(rules, after) < _standing(rules, before)
        case "wins":
            return _wins(rules, before.turn, after)
        case "saves":
            replies = rules.legal_moves(after)
            return not any(_wins(rules, after.turn, rules.apply(after, reply)) for reply in replies)
    called = {each.cry for each in rules.announcements(after) if each.side == before.turn}
    return {"checks": CallOut.CHECK, "escapes": CallOut.ESCAPE}[claim] in called


def _wins(rules: AnyRules, side: int, position: Any) -> bool:
    outcome = rules.status(position)
    return outcome is not None and side in outcome.winners


def reached(cell: str, rules: AnyRules, position: Any) -> set[str]:
    """The cells that the piece on *cell* may come to cover with one move."""
    source = rules.grid.cell(cell)
    entered = 0
    for move in rules.legal_moves(position):
        for step in rules.steps(position, move):
            if source in step.source:
                entered |= sum(1 << each for each in step.target if each not in step.source)
    return {rules.grid.name(each) for each in cells_of(entered)}


def _standing(rules: AnyRules, position: Any) -> int:
    """The number of pieces on the board, without wrecks."""
    return sum(piece.pose != "wreck" for piece, _ in rules.placement(position).entries)
