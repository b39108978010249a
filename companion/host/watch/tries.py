# SPDX-License-Identifier: Apache-2.0
"""What can be tried in a review: moves of a position, and lines from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import islice
from typing import Final

from companion.feedback import hints
from companion.feedback.page import Json
from companion.feedback.words import Words
from companion.host.records.records import rules_of
from companion.host.table.layers.board_review import Grade
from companion.host.watch.judged import GameAnalysis, JudgedPosition, grade, move_numbers
from companion.host.watch.page import picture, views
from companion.model.claims import ClaimKind
from companion.model.moves import lit_cells
from companion.model.notation import GameRecord, describe_outcome, replay
from companion.model.written_move import WrittenMove, written_move

_MOST_PLIES: Final = 10
"""Of a line."""


def moves_json(record: GameRecord, number: int) -> Json | None:
    """Return the legal moves of position *number*, with the cells of their pieces.

    None if there is no such position.
    """
    rules = rules_of(record)
    found = [*replay(rules, record)]
    if not 0 <= number < len(found):
        return None
    position, _ = found[number]
    moves = []
    for move in rules.legal_moves(position):
        source, target = lit_cells(rules.steps(position, move))
        moves.append({"text": rules.write_move(position, move), "source": source, "target": target})
    return {"moves": moves}


def tried_json(record: GameRecord, number: int, move: str, judged: JudgedPosition, words: Words) -> Json:
    """Return what is said of *move*, tried in position *number*, and what follows.

    *judged* is the position as if *move* had been made.
    """
    rules = rules_of(record)
    position, _ = next(islice(replay(rules, record), number, None))
    played, better = (
        written_move(rules, position, rules.read_move(position, each)) for each in (move, judged.line[0])
    )
    graded = grade(judged, move)
    is_right = graded is None or not graded.is_bad
    return {
        "is_right": is_right,
        "sentence": _sentence(played, better, graded, judged, words),
        "pictures": _after(record, number, (move,), words),
    }


def _sentence(
    played: WrittenMove, better: WrittenMove, graded: Grade | None, judged: JudgedPosition, words: Words
) -> str:
    """What is said of the move *played*; the better one only beside a good one."""
    said = words.common.hints
    if graded is not None and graded.is_bad:
        why = hints.refutation(played, judged.played_claims, words)
        return " ".join(filter(None, (why, said["try-wrong"])))
    if graded is None:
        return " ".join((said["try-good"], hints.best(better, judged.claims, words)))
    return " ".join((said["try-best"], *hints.merits(judged.claims, words, is_told=False)))


def line_json(record: GameRecord, analysis: GameAnalysis, number: int, words: Words, *, best: bool) -> Json:
    """Return the positions of the *best* line from position *number*, that one included.

    Otherwise the move that was made there, and what refutes it.
    """
    judged = analysis.positions[number]
    line = judged.line if best else _refuting(record, analysis, number)
    return {"pictures": _after(record, number, line[:_MOST_PLIES], words)}


def _refuting(record: GameRecord, analysis: GameAnalysis, number: int) -> tuple[str, ...]:
    """The move after position *number* with its proven refutation, or with best play."""
    for each in analysis.positions[number].played_claims:
        if each.kind is ClaimKind.REFUTED:
            return tuple(move.text for move in each.line)
    _, move = next(islice(replay(rules_of(record), record), number + 1, None))
    following = analysis.positions[number + 1 : number + 2]
    return (move, *(following[0].line if following else ()))


def _after(record: GameRecord, number: int, line: Sequence[str], words: Words) -> list[Json]:
    """The positions from position *number* on, along *line*, as the page shows them."""
    rules, moves = rules_of(record), list[str]()
    adopted: dict[int, str] = {}
    for at, (_, text) in enumerate(islice(replay(rules, record), number + 1)):
        if text:
            moves.append(text)
        elif at:
            adopted[len(moves)] = record.adopted[len(moves)]
    cut = dataclasses.replace(record, moves=(*moves, *line), adopted=adopted)
    *_, (last, _) = replay(rules, cut)
    outcome = rules.status(last)
    scores = () if outcome is None else outcome.scores
    cut = dataclasses.replace(cut, result=describe_outcome(outcome, rules.sides), scores=scores)
    counted = move_numbers(cut)
    return [
        {
            **picture(view, words),
            "remarks": [],
            "caption": f"{counted[at]} {view.record[-1].move}" if at > number else "",
        }
        for at, view in islice(enumerate(views(cut)), number, None)
    ]
