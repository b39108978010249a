# SPDX-License-Identifier: Apache-2.0
"""Moves as clauses of a sentence, in the words of their game.

Rule: a clause says the steps of a move, with pieces and cells; notation is only said where players
speak it.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.feedback.template import Filling, Noun
from companion.feedback.words import Words
from companion.model.pieces import STANDING, Piece
from companion.model.written_move import WrittenMove, WrittenStep


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
        return _said("stands", words, piece=words.standing(step.piece), source=words.cells(step.source))
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
    fillings: dict[str, Filling] = {"piece": words.standing(piece) if step.source else words.piece(piece)}
    if step.source:
        fillings["source"] = words.cells(step.source)
    if step.target:
        fillings["target"] = words.cells(step.target)
    face = _face(step.becomes, words)
    if face is not None:
        fillings["face"] = face
    if _is_pivot(step):
        (fillings["cell"],) = {*step.source} & {*step.target}
    is_own = piece.side in (None, move.side)
    yield _said(_way(step, words, is_own=is_own, has_face=face is not None), words, **fillings)
    if step.becomes.kind != piece.kind and _merged(move) is None:
        yield _said("becomes", words, piece=words.piece(step.becomes))
    if step.heading is not None:
        key = "faces-still" if step.source and piece.facing == step.becomes.facing else "faces"
        yield _said(key, words, direction=words.common.directions[step.heading])
    if face is not None and step.source and step.target and piece.pose != step.becomes.pose:
        yield _said("shows", words, face=face)


def _way(step: WrittenStep, words: Words, *, is_own: bool, has_face: bool) -> str:
    """The key of the clause for a moving piece; some abilities have their own."""
    if not step.source:
        return "picks" if not step.target else "comes-face" if has_face else "comes"
    if not step.target:
        return "leaves" if is_own else _falls(step.piece, words)
    if step.source == step.target:
        return "turns"
    if _is_pivot(step):
        return "pivots"
    own = f"goes-{step.piece.pose.partition('-')[0]}"
    far = sum(abs(ord(one) - ord(other)) for one, other in zip(step.source[0], step.target[0], strict=False))
    return own if own in words.game.moves and far > 1 else "goes"


def _is_pivot(step: WrittenStep) -> bool:
    """True for a piece on two cells that turns on one of them."""
    cells = {*step.source} | {*step.target}
    is_bent = all(len({name[at] for name in cells}) > 1 for at in (0, 1))
    return len(step.source) == len(step.target) == 2 and len(cells) == 3 and is_bent


def _other(step: WrittenStep, first: WrittenStep, move: WrittenMove, words: Words) -> str:
    """What happens to another piece by the way."""
    fillings: dict[str, Filling] = {
        "other": words.standing(step.piece),
        "piece": words.standing(step.piece),
        "source": words.cells(step.source),
        "target": words.cells(step.target),
    }
    if step is _merged(move):
        return _said("merges", words, **{**fillings, "piece": words.piece(first.becomes)})
    if step.becomes.pose != step.piece.pose:
        return _said("destroys", words, **fillings)
    if step.target:
        return _said("goes", words, **fillings)
    if step.piece.side == move.side:
        return _said("falls", words, **fillings)
    is_there = {*step.source} & {*first.target}
    return _said("captures" if is_there else "captures-on", words, **fillings)


def _of_two(key: str, first: WrittenStep, second: WrittenStep, words: Words) -> str:
    """A part about two pieces."""
    return _said(
        key,
        words,
        piece=words.standing(first.piece),
        other=words.standing(second.piece),
        cell=words.cells(first.source),
        source=words.cells(second.source),
        target=words.cells(second.target),
    )


def _falls(piece: Piece, words: Words) -> str:
    """The key of the clause for a piece that is removed by one that stays."""
    own = f"falls-{piece.kind}"
    return own if own in words.game.moves else "falls"


def _face(piece: Piece, words: Words) -> Noun | None:
    """The face of *piece* that is up; None if it has none to name."""
    return words.pose(piece.pose) if words.game.composed and piece.pose != STANDING else None


def _said(key: str, words: Words, **fillings: Filling) -> str:
    """The clause called *key*, that of the game if it has its own."""
    template = words.game.moves.get(key) or words.common.moves[key]
    return words.clause(template, **fillings)
