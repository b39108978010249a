# SPDX-License-Identifier: Apache-2.0
"""Moves as clauses of a sentence, in the words of their game.

Rule: a clause says the steps of a move, with pieces and cells; notation is only said where players
speak it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.feedback.template import Filling, Noun
from companion.feedback.words import Words
from companion.model.pieces import STANDING, Piece
from companion.model.written_move import WrittenMove, WrittenStep

_MOST_CELLS = 2
"""Of a piece, that are named; a larger one is named by its first cell."""


def named(move: WrittenMove, words: Words) -> str:
    """*move* inside a sentence: its notation where players speak it, else a clause."""
    return move.text if move.is_named else clause(move, words)


def clause(move: WrittenMove, words: Words) -> str:
    """What the pieces do: `the tank goes from C3 to D6 and faces north-east`."""
    if not move.steps:
        return _said("passes", words)
    *before, last = _clauses(move, words)
    return _said("and", words).join(filter(None, (words.comma(before), last)))


def mover(move: WrittenMove, words: Words) -> str:
    """The piece that *move* moves, and where it is."""
    step = _main(move)
    if step is None:
        return _said("passes", words)
    if not step.source and not step.target:
        return _said("picks", words, piece=words.piece(step.piece))
    if step.source:
        return _said("stands", words, piece=words.piece(step.piece), source=_cells(step.source, words))
    face = _face(step.becomes, words)
    if face is None:
        return _said("hand", words, piece=words.piece(step.piece))
    return _said("hand-face", words, piece=words.piece(step.piece), face=face)


def short(move: WrittenMove, words: Words, *, is_whole: bool) -> str:
    """Cells and facing for a display line; the goal only if it *is_whole*."""
    step = _main(move)
    if step is None:
        return _said("passes", words)
    held = words.piece(step.piece) if (face := _face(step.becomes, words)) is None else face
    start = step.source[0] if step.source else held.short or held.name
    if not is_whole or not step.target:
        return start
    end = () if step.target == step.source else step.target[:1]
    facing = "" if step.heading is None else words.common.compass[step.heading]
    return "-".join((start, *end)) + facing


def _main(move: WrittenMove) -> WrittenStep | None:
    """The step that lamps show: of the moved piece, else of the removed one."""
    changing = [step for step in move.steps if not _stays(step)]
    return next((step for step in changing if step.target), None) or next(iter(changing or move.steps), None)


def _stays(step: WrittenStep) -> bool:
    """True for a piece that acts, and stays as it is."""
    return step.source == step.target != () and step.piece == step.becomes


def _merged(move: WrittenMove) -> WrittenStep | None:
    """The step of a piece that becomes one with the moving one, if any."""
    first, *others = move.steps
    changes = first.becomes.kind != first.piece.kind
    return next((step for step in others if changes and step.piece.side in (None, move.side)), None)


def _clauses(move: WrittenMove, words: Words) -> Iterator[str]:
    """A part for each thing that happens; the first one has the subject."""
    first, others = move.steps[0], move.steps[1:]
    if others and _stays(first):
        yield _of_two("pushes" if others[0].target else "pushes-off", first, others[0], words)
        first, others = others[0], others[1:]
    elif others and others[0].source == first.target and others[0].target == first.source != ():
        yield _of_two("swaps", first, others[0], words)
        others = others[1:]
    else:
        yield from _moved(first, move, words)
    for step in others:
        yield _other(step, first, move, words)


def _moved(step: WrittenStep, move: WrittenMove, words: Words) -> Iterator[str]:
    """What the moving piece does."""
    piece = step.piece
    is_own = piece.side in (None, move.side)
    fillings: dict[str, Filling] = {"piece": words.piece(piece)}
    if step.source:
        fillings["source"] = _cells(step.source, words)
    if step.target:
        fillings["target"] = _cells(step.target, words)
    if not step.source:
        yield _said("comes" if step.target else "picks", words, **fillings)
    elif not step.target:
        yield _said("leaves" if is_own else _falls(piece, words), words, **fillings)
    else:
        yield _said("turns" if step.source == step.target else "goes", words, **fillings)
    if step.becomes.kind != piece.kind and _merged(move) is None:
        yield _said("becomes", words, piece=words.piece(step.becomes))
    face = _face(step.becomes, words)
    if step.heading is not None:
        yield _said("faces", words, direction=words.common.directions[step.heading])
    if face is not None and step.target and (not step.source or piece.pose != step.becomes.pose):
        yield _said("shows", words, face=face)


def _other(step: WrittenStep, first: WrittenStep, move: WrittenMove, words: Words) -> str:
    """What happens to another piece by the way."""
    fillings: dict[str, Filling] = {
        "other": words.piece(step.piece),
        "piece": words.piece(step.piece),
        "source": _cells(step.source, words),
        "target": _cells(step.target, words),
    }
    if step is _merged(move):
        return _said("merges", words, **{**fillings, "piece": words.piece(first.becomes)})
    if step.becomes.pose != step.piece.pose:
        return _said("destroys", words, **fillings)
    if step.target:
        return _said("goes", words, **fillings)
    is_there = {*step.source} & {*first.target}
    return _said("captures" if is_there else "captures-on", words, **fillings)


def _of_two(key: str, first: WrittenStep, second: WrittenStep, words: Words) -> str:
    """A part about two pieces."""
    return _said(
        key,
        words,
        piece=words.piece(first.piece),
        other=words.piece(second.piece),
        cell=_cells(first.source, words),
        source=_cells(second.source, words),
        target=_cells(second.target, words),
    )


def _falls(piece: Piece, words: Words) -> str:
    """The key of the clause for a piece that is removed by one that stays."""
    own = f"falls-{piece.kind}"
    return own if own in words.game.moves else "falls"


def _face(piece: Piece, words: Words) -> Noun | None:
    """The face of *piece* that is up; None if it has none to name."""
    return words.pose(piece.pose) if words.game.composed and piece.pose != STANDING else None


def _cells(names: Sequence[str], words: Words) -> str:
    """The cells of one piece."""
    return words.listed([*names]) if len(names) <= _MOST_CELLS else names[0]


def _said(key: str, words: Words, **fillings: Filling) -> str:
    """The clause called *key*, that of the game if it has its own."""
    template = words.game.moves.get(key) or words.common.moves[key]
    return words.clause(template, **fillings)
