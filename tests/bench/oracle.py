# SPDX-License-Identifier: Apache-2.0
"""A simple judge, who knows the true placement and shares no code with the referee.

A board is *lawful* in a position if it can occur during a legal move: every piece stands where it
stood, or where that move puts it, and a new piece on a cell came from where the move takes it.
Pieces may be in hands, and one that becomes another kind may stand on its target until it is
exchanged.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import islice
from typing import Any

from companion.model.game import AnyRules, TouchRules
from companion.model.moves import Step
from companion.model.observation import Difference, SensorKind, Sighting
from companion.model.pieces import Piece
from tests.bench.players.physics import look

Board = Mapping[int, Piece]


def is_lawful(rules: AnyRules, position: Any, board: Board, kind: SensorKind) -> bool:
    """True if *board* may occur during a legal move in *position*.

    The board is as a sensor of *kind* shows it.
    """
    before = dict(rules.placement(position).by_cell())
    return any(
        _is_on_way(before, tuple(rules.steps(position, move)), board, kind)
        for move in rules.legal_moves(position)
    ) or _is_part(board, before, kind)


def _is_part(board: Board, before: Board, kind: SensorKind) -> bool:
    return all(
        cell in before and look(piece, kind) == look(before[cell], kind) for cell, piece in board.items()
    )


def _is_on_way(before: Board, steps: tuple[Step, ...], board: Board, kind: SensorKind) -> bool:
    for cell, piece in board.items():
        stood = cell in before and look(before[cell], kind) == look(piece, kind)
        if not stood and not any(_arrived(step, cell, piece, before, board, kind) for step in steps):
            return False
    return True


def _arrived(step: Step, cell: int, piece: Piece, before: Board, board: Board, kind: SensorKind) -> bool:
    looks = [step.becomes, *([step.piece] if step.piece.kind != step.becomes.kind else [])]
    if cell not in step.target or look(piece, kind) not in [look(each, kind) for each in looks]:
        return False
    return all(
        source in step.target
        or source not in board
        or look(board[source], kind) != look(before[source], kind)
        for source in step.source
    )


def consistent(
    rules: AnyRules,
    position: Any,
    board: Board,
    kind: SensorKind,
    hidden: int = 0,
    trace: Sequence[tuple[int, Piece | None]] | None = None,
) -> list[str]:
    """Legal moves in *position* that a sensor of *kind* sees as *board*.

    The cells *hidden* are ignored. With *trace*, the record of pieces put down and lifted since, a
    move also counts if a legal reply after it leads to *board*: the opponent may have been quick.
    All pieces of both must have been seen lifted, then put down, and the reply later. The search
    stops after two moves, since it takes long, and two already prove ambiguity.
    """
    seen = {cell: look(piece, kind) for cell, piece in board.items() if not hidden >> cell & 1}
    moves = rules.legal_moves(position)
    differing = _differing_cells(_shows(rules, position, kind, hidden), seen)
    found = (
        move
        for move in moves
        if _changes(tuple(rules.steps(position, move)), differing)
        and _shows(rules, rules.apply(position, move), kind, hidden) == seen
    )
    made = [*islice(found, 2)]
    answered = (
        move
        for move in moves
        if trace is not None
        and move not in made
        and _is_answered(rules, position, move, seen, kind, hidden, trace)
    )
    made += islice(answered, 2 - len(made))
    return [rules.write_move(position, move) for move in made]


def _shows(rules: AnyRules, position: Any, kind: SensorKind, hidden: int) -> dict[int, Sighting]:
    """What a sensor of *kind* shows of *position*."""
    standing = rules.placement(position).by_cell()
    return {cell: look(piece, kind) for cell, piece in standing.items() if not hidden >> cell & 1}


def _is_answered(
    rules: AnyRules,
    position: Any,
    move: Hashable,
    seen: dict[int, Sighting],
    kind: SensorKind,
    hidden: int,
    trace: Sequence[tuple[int, Piece | None]],
) -> bool:
    """True if *trace* allows a reply to *move* that leads to *seen*."""
    made = _performed(tuple(rules.steps(position, move)), kind, hidden, trace, 0)
    if made is None:
        return False
    after = rules.apply(position, move)
    differing = _differing_cells(_shows(rules, after, kind, hidden), seen)
    replies = ((reply, tuple(rules.steps(after, reply))) for reply in _moves(rules, after, differing))
    return any(
        _changes(steps, differing)
        and _performed(steps, kind, hidden, trace, made) is not None
        and _shows(rules, rules.apply(after, reply), kind, hidden) == seen
        for reply, steps in replies
    )


def _moves(rules: AnyRules, position: Any, changed: set[int]) -> Sequence[Hashable]:
    """The legal moves in *position*, at least those that change all of *changed*."""
    if changed and isinstance(rules, TouchRules):
        return rules.moves_touching(position, 1 << min(changed))
    return rules.legal_moves(position)


def _differing_cells(one: dict[int, Sighting], other: dict[int, Sighting]) -> set[int]:
    """The cells on which two boards look different."""
    return {cell for cell in {*one, *other} if one.get(cell) != other.get(cell)}


def _changes(steps: tuple[Step, ...], cells: set[int]) -> bool:
    """True if *steps* take pieces from or to each of *cells*."""
    changed = {cell for step in steps for cell in (*step.source, *step.target)}
    return cells <= changed


def _performed(
    steps: tuple[Step, ...],
    kind: SensorKind,
    hidden: int,
    trace: Sequence[tuple[int, Piece | None]],
    start: int,
) -> int | None:
    """The earliest index in *trace* at which *steps* were complete since *start*, or None.

    Pieces that leave must have been lifted, except a victim that may have been pushed. In that
    case the arriving piece is invisible, too, if both look alike.
    """
    done = start
    stood = {cell: look(step.piece, kind) for step in steps for cell in step.source}
    entered = {cell for step in steps for cell in step.target}
    for step in steps:
        if not all((cell, None) in trace or hidden >> cell & 1 for cell in {*step.source} - entered):
            return None
        for cell in step.target:
            if hidden >> cell & 1 or cell in step.source:
                continue
            wanted = look(step.becomes, kind)
            if stood.get(cell) == wanted:
                continue
            puts = [
                number
                for number, (at, piece) in enumerate(trace)
                if number >= start and at == cell and piece is not None and look(piece, kind) == wanted
            ]
            if not puts:
                return None
            done = max(done, puts[0] + 1)
    return done


def changes_one_cell(trace: Sequence[tuple[int, Piece | None]]) -> bool:
    """True if the *trace* of two plies only empties and fills one cell.

    If the board then looks as before, the piece may as well have been adjusted.
    """
    emptied = [cell for cell, piece in trace if piece is None]
    return len(emptied) == 1 and trace[-1][0] == emptied[0]


def looks_alike(rules: AnyRules, one: Any, other: Any, kind: SensorKind, hidden: int = 0) -> bool:
    """True if a sensor of *kind* cannot distinguish two positions; *hidden* is ignored."""
    return _shows(rules, one, kind, hidden) == _shows(rules, other, kind, hidden)


def looks_like(rules: AnyRules, position: Any, board: Board, kind: SensorKind, hidden: int = 0) -> bool:
    """True if *board* looks like *position* to a sensor of *kind*; *hidden* is ignored."""
    seen = {cell: look(piece, kind) for cell, piece in board.items() if not hidden >> cell & 1}
    return _shows(rules, position, kind, hidden) == seen


def true_difference(
    rules: AnyRules, position: Any, board: Board, order: list[int], kind: SensorKind
) -> Difference:
    """The true difference between *board* and *position*; cells in the *order* of the hands.

    For an exchanged piece, a sensor of *kind* reports which one stands there now, or only that the
    cell was touched.
    """
    before = rules.placement(position).by_cell()
    cells = sorted(set(before) | set(board), key=lambda cell: order.index(cell) if cell in order else -1)
    exchanged = [cell for cell in cells if cell in board and cell in before and board[cell] != before[cell]]
    return Difference(
        emptied=tuple(cell for cell in cells if cell in before and cell not in board),
        filled=tuple(cell for cell in cells if cell in board and cell not in before),
        changed=tuple((cell, look(board[cell], kind)) for cell in exchanged if kind != "occupancy"),
        touched=tuple(cell for cell in exchanged if kind == "occupancy"),
    )


def may_be_played(rules: AnyRules, position: Any, board: Board, kind: SensorKind) -> bool:
    """True if a legal move in *position*, or two plies, look like *board*.

    The board is as a sensor of *kind* shows it.
    """
    seen = {cell: look(piece, kind) for cell, piece in board.items()}
    for move in rules.legal_moves(position):
        after = rules.apply(position, move)
        differing = _differing_cells(_shows(rules, after, kind, 0), seen)
        if not differing:
            return True
        replies = ((reply, tuple(rules.steps(after, reply))) for reply in _moves(rules, after, differing))
        if any(
            _changes(steps, differing) and _shows(rules, rules.apply(after, reply), kind, 0) == seen
            for reply, steps in replies
        ):
            return True
    return False
