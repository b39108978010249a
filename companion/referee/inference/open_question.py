# SPDX-License-Identifier: Apache-2.0
"""Questions about facts that sensors cannot detect.

They split the candidate moves by the steps in which these differ.
Independent of the game; games provide words for kinds, poses and facings only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, NamedTuple

from companion.model.game import PickRules
from companion.model.grid import OFF, Cell, distances
from companion.model.moves import Step
from companion.referee.inference.belief import Belief
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.questions import Aspect, Choice, Question


class _Candidate(NamedTuple):
    imprint: Imprint
    steps: tuple[Step, ...]


_Answer = tuple[Hashable, ...]


def _piece(candidate: _Candidate) -> _Answer:
    return tuple(cell for step in candidate.steps[:1] for cell in step.source)


def _cell(candidate: _Candidate) -> _Answer:
    return tuple(cell for step in candidate.steps[:1] for cell in step.target)


def _kind(candidate: _Candidate) -> _Answer:
    return tuple(step.becomes.kind for step in candidate.steps[:1])


def _facing(candidate: _Candidate) -> _Answer:
    return tuple(step.becomes.facing for step in candidate.steps[:1])


def _pose(candidate: _Candidate) -> _Answer:
    return tuple(step.becomes.pose for step in candidate.steps[:1])


def _victim(candidate: _Candidate) -> _Answer:
    return tuple(cell for step in candidate.steps[1:] for cell in step.source)


def _move(candidate: _Candidate) -> _Answer:
    return (candidate.imprint.move,)


_SPLITS: Final[tuple[tuple[Aspect, Callable[[_Candidate], _Answer]], ...]] = (
    (Aspect.PIECE, _piece),
    (Aspect.CELL, _cell),
    (Aspect.KIND, _kind),
    (Aspect.POSE, _pose),
    (Aspect.FACING, _facing),
    (Aspect.VICTIM, _victim),
    (Aspect.MOVE, _move),
)


def is_due(belief: Belief) -> bool:
    """True if the question about the first open ply is due.

    Its hand has finished and is empty. Facts that are about to be seen, or depend on a held piece,
    need not be asked.
    """
    depth = belief.open_depth
    if depth == len(belief.line):
        return False
    ply, timing = belief.line[depth], belief.table.timing
    if _is_about_to_be_seen(belief) and belief.rest_ms < timing.longest_ms:
        return False
    if depth < len(belief.line) - 1 or ply.is_pressed:
        return True
    if belief.tip.differing(belief.seen) & ~belief.seen.occupied:
        return False
    if belief.rest_ms >= timing.dwell_ms:
        return True
    is_ended = not _is_extendable(belief.before(depth), ply.candidates)
    return is_ended and belief.rest_ms >= timing.rest_ms


def _is_extendable(before: Prospect, made: Sequence[Imprint]) -> bool:
    """True if the hand that made one of *made* may go on to another move.

    These look alike. A piece slides over cells: a move is extended by one that passes its target,
    and by one that does the same and more, such as castling or a shot.
    """
    imprint = made[0]
    alike = {other.move for other in made}
    others = [other for other in _sharing(before, imprint) if other.move not in alike]
    if not others:
        return False
    if any(imprint.changed & ~other.changed == 0 for other in others):
        return True
    if not (imprint.source and imprint.target):
        return False
    grid = before.rules.grid
    start, stop = imprint.source[0], imprint.target[0]
    from_start, from_stop = distances(grid, start), distances(grid, stop)
    return any(
        from_start[stop] + from_stop[other.target[0]] == from_start[other.target[0]]
        for other in others
        if other.target and other.source == imprint.source
    )


def _sharing(before: Prospect, imprint: Imprint) -> list[Imprint]:
    """The imprints that share a changed cell with *imprint*, with itself."""
    found = {}
    for cell in range(imprint.changed.bit_length()):
        if imprint.changed >> cell & 1:
            for other in before.touching(cell):
                found[other.move] = other
    return list(found.values())


def _is_about_to_be_seen(belief: Belief) -> bool:
    """True if the sensor will show more about the first open ply's pieces.

    They were sensed by switches, and a hand covers the camera's view.
    """
    seen = belief.seen
    return any(
        (expected.kind is not None and seen.look(cell).kind is None)
        or (expected.facing is not None and seen.look(cell).facing is None)
        for candidate in belief.line[belief.open_depth].candidates
        for cell, expected in candidate.looks
        if seen.occupied & ~seen.hidden & 1 << cell
    )


def question(belief: Belief) -> Question | None:
    """The question about the first open ply of the line; None without one."""
    depth = belief.open_depth
    if depth == len(belief.line):
        return None
    ply = belief.line[depth]
    asked, _ = question_between(belief.before(depth), ply.candidates, belief.root_ply + depth)
    return replace(asked, choices=(*asked.choices, Choice())) if ply.is_doubted else asked


def question_between(
    before: Prospect, imprints: Sequence[Imprint], ply: int
) -> tuple[Question, tuple[tuple[Imprint, ...], ...]]:
    """The question about *ply* that tells *imprints* apart, with those that each choice leaves."""
    aspect, groups = _split(before, imprints)
    about = imprints[0].target or imprints[0].source
    shared = set[Step].intersection(*(set(group[0].steps) for group in groups))
    choices = tuple(_choice(before, aspect, group, shared) for group in groups)
    if aspect is Aspect.MOVE and all(choice.piece is not None for choice in choices):
        aspect = Aspect.PICKED
    cells = about if aspect is not Aspect.PIECE else ()
    left = tuple(tuple(candidate.imprint for candidate in group) for group in groups)
    return Question(ply, before.position.turn, aspect, cells, choices), left


def choice_of(before: Prospect, imprint: Imprint) -> Choice:
    """The answer that names *imprint*: the face that it turns up, or what it moves."""
    steps = tuple(before.rules.steps(before.position, imprint.move))
    aspect = Aspect.POSE if imprint.source == imprint.target else Aspect.MOVE
    return _choice(before, aspect, [_Candidate(imprint, steps)], frozenset())


def left_by(belief: Belief, choice: int) -> list[Imprint]:
    """The moves left for the first open ply after *choice*; [] for none."""
    depth = belief.open_depth
    _, groups = _split(belief.before(depth), belief.line[depth].candidates)
    return [] if choice == len(groups) else [candidate.imprint for candidate in groups[choice]]


def resolved(belief: Belief, depth: int, imprints: Sequence[Imprint]) -> Belief:
    """*belief* with the ply at *depth* reduced to *imprints*, or removed.

    Later plies stay as far as they are legal.
    Observations are not interpreted again: for finished games, and for effects of possible answers.
    """
    line = belief.line[:depth]
    allowed = {imprint.move for imprint in imprints}
    for ply in belief.line[depth:]:
        before = line[-1].after if line else belief.root
        wanted = allowed if len(line) == depth else {imprint.move for imprint in ply.candidates}
        found = [imprint for imprint in before.imprints() if imprint.move in wanted]
        if not found:
            break
        first = next((imprint for imprint in found if imprint.move == ply.imprint.move), found[0])
        others = tuple(imprint for imprint in found if imprint is not first)
        after = before.after(first.move)
        made = ply._replace(imprint=first, others=others, after=after)
        line = (*line, made._replace(is_doubted=ply.is_doubted and len(line) > depth))
    return belief._replace(line=line, live=())


def _split(before: Prospect, imprints: Sequence[Imprint]) -> tuple[Aspect, list[list[_Candidate]]]:
    """The first aspect in which *imprints* differ, and the rest with each answer."""
    rules, position = before.rules, before.position
    candidates = [_Candidate(imprint, tuple(rules.steps(position, imprint.move))) for imprint in imprints]
    for aspect, answer_of in _SPLITS:
        groups: dict[_Answer, list[_Candidate]] = {}
        for candidate in candidates:
            groups.setdefault(answer_of(candidate), []).append(candidate)
        if len(groups) > 1:
            return aspect, list(groups.values())
    return Aspect.MOVE, [candidates]


def _choice(
    before: Prospect, aspect: Aspect, group: Sequence[_Candidate], shared: AbstractSet[Step]
) -> Choice:
    """The answer that leaves *group*; all answers have the steps *shared*."""
    moves = tuple(before.written(candidate.imprint.move) for candidate in group)
    if not group[0].steps:
        rules, move = before.rules, group[0].imprint.move
        return Choice(piece=rules.picked(move) if isinstance(rules, PickRules) else None, moves=moves)
    first = group[0].steps[0]
    if aspect is Aspect.VICTIM:
        cells = tuple(cell for step in group[0].steps[1:] for cell in step.source)
        return Choice(cells, cells[0] if cells else None, None, moves)
    if aspect in (Aspect.PIECE, Aspect.CELL):
        cells = first.source if aspect is Aspect.PIECE else first.target
        return Choice(cells, cells[0] if cells else None, first.piece, moves)
    if aspect is Aspect.FACING:
        return Choice(first.target, _ahead(before, first), first.becomes, moves)
    if aspect is Aspect.MOVE:
        own = next((step for step in group[0].steps if step not in shared), None)
        return Choice(own.target or own.source if own else first.target, moves=moves, step=own)
    return Choice(first.target, None, first.becomes, moves)


def _ahead(before: Prospect, step: Step) -> Cell | None:
    """The cell that the piece of *step* faces afterwards, if any."""
    steps = before.rules.grid.steps
    if step.becomes.facing is None or not step.target or len(steps) < 2:
        return None
    ahead = steps[step.becomes.facing % len(steps)][step.target[-1]]
    return None if ahead == OFF else ahead
