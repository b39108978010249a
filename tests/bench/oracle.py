# SPDX-License-Identifier: Apache-2.0
"""A simple judge of the referee: it knows the true placement and shares no code.

A board is *lawful* in a position if a legal move can still come of it: every piece stands where it
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

Board = Mapping[int, Piece]


def shown(piece: Piece, kind: SensorKind) -> Hashable:
    """What a sensor of *kind* can tell of *piece*."""
    if kind == "occupancy":
        return ()
    if kind == "side":
        return (piece.side,)
    if kind == "identity":
        return (piece.shows or piece.kind, piece.side, piece.pose)
    return (piece.shows or piece.kind, piece.side, piece.pose, piece.facing)


def _sighted(piece: Piece, kind: SensorKind) -> Sighting:
    """*piece* as a sensor of *kind* reports it."""
    if kind == "side":
        return Sighting(occupied=True, side=piece.side)
    facing = piece.facing if kind == "identity-facing" else None
    return Sighting(True, piece.shows or piece.kind, piece.side, facing, piece.pose)


def is_lawful(rules: AnyRules, position: Any, board: Board, kind: SensorKind) -> bool:
    """True if *board*, as a sensor of *kind* shows it, may come of *position* by hands on their way to a legal move."""
    before = dict(rules.placement(position).by_cell())
    return any(
        _is_on_way(before, tuple(rules.steps(position, move)), board, kind)
        for move in rules.legal_moves(position)
    ) or _is_part(board, before, kind)


def _is_part(board: Board, before: Board, kind: SensorKind) -> bool:
    return all(
        cell in before and shown(piece, kind) == shown(before[cell], kind) for cell, piece in board.items()
    )


def _is_on_way(before: Board, steps: tuple[Step, ...], board: Board, kind: SensorKind) -> bool:
    for cell, piece in board.items():
        stood = cell in before and shown(before[cell], kind) == shown(piece, kind)
        if not stood and not any(_arrived(step, cell, piece, before, board, kind) for step in steps):
            return False
    return True


def _arrived(step: Step, cell: int, piece: Piece, before: Board, board: Board, kind: SensorKind) -> bool:
    looks = [step.becomes, *([step.piece] if step.piece.kind != step.becomes.kind else [])]
    if cell not in step.target or shown(piece, kind) not in [shown(each, kind) for each in looks]:
        return False
    return all(
        source in step.target
        or source not in board
        or shown(board[source], kind) != shown(before[source], kind)
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
    """Notation of legal moves in *position* after which a sensor of *kind* shows what it shows of *board*.

    It shows nothing of the cells *hidden*.
    With the *trace* of what was put down and lifted since, also of those after which a legal reply leads there,
    if all that both move was seen to be lifted, then put down, and the reply later: the opponent may have been quick.
    No more than two are looked for, since that takes long: two are more than one.
    """
    seen = {cell: shown(piece, kind) for cell, piece in board.items() if not hidden >> cell & 1}
    moves = rules.legal_moves(position)
    apart = _apart(_shows(rules, position, kind, hidden), seen)
    found = (
        move
        for move in moves
        if _changes(tuple(rules.steps(position, move)), apart)
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


def _shows(rules: AnyRules, position: Any, kind: SensorKind, hidden: int) -> dict[int, Hashable]:
    """What a sensor of *kind* shows of *position*."""
    standing = rules.placement(position).by_cell()
    return {cell: shown(piece, kind) for cell, piece in standing.items() if not hidden >> cell & 1}


def _is_answered(
    rules: AnyRules,
    position: Any,
    move: Hashable,
    seen: dict[int, Hashable],
    kind: SensorKind,
    hidden: int,
    trace: Sequence[tuple[int, Piece | None]],
) -> bool:
    """True if after *move* in *position* a reply leads to what is *seen*, by the *trace*."""
    made = _performed(tuple(rules.steps(position, move)), kind, hidden, trace, 0)
    if made is None:
        return False
    after = rules.apply(position, move)
    apart = _apart(_shows(rules, after, kind, hidden), seen)
    replies = ((reply, tuple(rules.steps(after, reply))) for reply in _moves(rules, after, apart))
    return any(
        _changes(steps, apart)
        and _performed(steps, kind, hidden, trace, made) is not None
        and _shows(rules, rules.apply(after, reply), kind, hidden) == seen
        for reply, steps in replies
    )


def _moves(rules: AnyRules, position: Any, changed: set[int]) -> Sequence[Hashable]:
    """The legal moves in *position*, at least those that change all of *changed*."""
    if changed and isinstance(rules, TouchRules):
        return rules.moves_touching(position, 1 << min(changed))
    return rules.legal_moves(position)


def _apart(one: dict[int, Hashable], other: dict[int, Hashable]) -> set[int]:
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
    """When, at the soonest, all that *steps* put down had been put down from *start* on; None if it was not.

    What they take away must have been lifted, but for a victim that may have been pushed:
    then nobody sees the mover come, either, if both look alike.
    """
    done = start
    stood = {cell: shown(step.piece, kind) for step in steps for cell in step.source}
    entered = {cell for step in steps for cell in step.target}
    for step in steps:
        if not all((cell, None) in trace or hidden >> cell & 1 for cell in {*step.source} - entered):
            return None
        for cell in step.target:
            if hidden >> cell & 1 or cell in step.source:
                continue
            wanted = shown(step.becomes, kind)
            if stood.get(cell) == wanted:
                continue
            puts = [
                number
                for number, (at, piece) in enumerate(trace)
                if number >= start and at == cell and piece is not None and shown(piece, kind) == wanted
            ]
            if not puts:
                return None
            done = max(done, puts[0] + 1)
    return done


def is_blink(trace: Sequence[tuple[int, Piece | None]]) -> bool:
    """True if in *trace*, of two plies, one cell was emptied and filled at once: if the board looks as before, nobody can tell that from a piece that is adjusted."""
    emptied = [cell for cell, piece in trace if piece is None]
    return len(emptied) == 1 and trace[-1][0] == emptied[0]


def looks_alike(rules: AnyRules, one: Any, other: Any, kind: SensorKind, hidden: int = 0) -> bool:
    """True if a sensor of *kind* that does not see the cells *hidden* cannot tell two positions."""
    return _shows(rules, one, kind, hidden) == _shows(rules, other, kind, hidden)


def looks_like(rules: AnyRules, position: Any, board: Board, kind: SensorKind, hidden: int = 0) -> bool:
    """True if a sensor of *kind* that does not see the cells *hidden* shows of *board* what it shows of *position*."""
    seen = {cell: shown(piece, kind) for cell, piece in board.items() if not hidden >> cell & 1}
    return _shows(rules, position, kind, hidden) == seen


def true_difference(
    rules: AnyRules, position: Any, board: Board, order: list[int], kind: SensorKind
) -> Difference:
    """How *board* truly differs from *position*, the cells in the *order* in which hands changed them.

    Where another piece stands than before, a sensor of *kind* tells which one, or only that the cell was touched.
    """
    before = rules.placement(position).by_cell()
    cells = sorted(set(before) | set(board), key=lambda cell: order.index(cell) if cell in order else -1)
    exchanged = [cell for cell in cells if cell in board and cell in before and board[cell] != before[cell]]
    return Difference(
        emptied=tuple(cell for cell in cells if cell in before and cell not in board),
        filled=tuple(cell for cell in cells if cell in board and cell not in before),
        changed=tuple((cell, _sighted(board[cell], kind)) for cell in exchanged if kind != "occupancy"),
        touched=tuple(cell for cell in exchanged if kind == "occupancy"),
    )


def may_be_played(rules: AnyRules, position: Any, board: Board, kind: SensorKind) -> bool:
    """True if a legal move in *position*, or one and a legal reply, lead to what a sensor of *kind* shows of *board*."""
    seen = {cell: shown(piece, kind) for cell, piece in board.items()}
    for move in rules.legal_moves(position):
        after = rules.apply(position, move)
        apart = _apart(_shows(rules, after, kind, 0), seen)
        if not apart:
            return True
        replies = ((reply, tuple(rules.steps(after, reply))) for reply in _moves(rules, after, apart))
        if any(
            _changes(steps, apart) and _shows(rules, rules.apply(after, reply), kind, 0) == seen
            for reply, steps in replies
        ):
            return True
    return False
