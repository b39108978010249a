# SPDX-License-Identifier: Apache-2.0
"""Occupied cells where a virtual hand may put its piece down: legal captures only.

Its rule: a real piece cannot stand on another, so putting one down never sweeps others off. Empty
cells always accept a piece, whether the move is legal or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from companion.model.game import AnyRules, Violation
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.illegal_position import violation_of
from companion.virtual.pieces import PieceSet, UnplacedPiece

if TYPE_CHECKING:
    from companion.host.table.table import Table
    from companion.referee.session import Session

_FELT_S: Final = 2.0
"""Longest wait for the referee to see earlier motions; broken switches never report them."""


async def in_the_way(table: Table, pieces: PieceSet, cell: Cell) -> Violation | None:
    """Return the rule against putting the held piece on *cell*, where another stands; None without.

    The reason is that of the referee about hands that take the other piece away first.
    """
    cells = pieces.reach(cell)
    if pieces.hand is None or not any(pieces.standing.at(each) for each in cells):
        return None
    await _until_felt(table, pieces)
    session = table.pipeline.session
    if may_land(session, pieces, cell):
        return None
    landing = [session.rotation.cells[each] for each in cells]
    return violation_of(session.belief, pieces.hand.piece, landing)


async def _until_felt(table: Table, pieces: PieceSet) -> None:
    """Wait until the referee knows which cells of *pieces* are covered, at most `_FELT_S`."""
    with table.watch() as has_changed:
        try:
            async with asyncio.timeout(_FELT_S):
                while not _is_felt(table.pipeline.session, pieces):
                    await has_changed.wait()
                    has_changed.clear()
        except TimeoutError:
            return


def _is_felt(session: Session, pieces: PieceSet) -> bool:
    """True if the referee's occupancy matches *pieces* on all cells with working switches."""
    view = session.view()
    covered = session.rotation.placement(pieces.standing).occupancy
    return not (covered ^ view.occupied) & ~occupancy_of(view.blind)


def may_land(session: Session, pieces: PieceSet, cell: Cell) -> bool:
    """True if the held piece of *pieces* may be put on the occupied *cell*.

    Either a legal move brings it there and captures or merges with what stands there, or it belongs
    there and the piece that stands there does not.
    """
    hand, cells = pieces.hand, set(pieces.reach(cell))
    assert hand is not None
    rotation = session.rotation
    landing = {rotation.cells[each] for each in cells}
    if _belongs(session, pieces, hand, landing):
        return True
    origin = None if hand.came_from is None else rotation.cells[hand.came_from]
    return any(landing == set(step.target) and _is_by(step, hand, origin) for step in _steps(session, origin))


def _belongs(session: Session, pieces: PieceSet, hand: UnplacedPiece, landing: set[Cell]) -> bool:
    """True if the record has the piece in *hand* on *landing*, where another stands."""
    first = min(landing)
    believed = session.view().placement.entry_at(first)
    standing = session.rotation.placement(pieces.standing).entry_at(first)
    if believed is None or set(believed[1]) != landing:
        return False
    wanted = (believed[0].kind, believed[0].side)
    is_right = standing is not None and (standing[0].kind, standing[0].side) == wanted
    return (hand.piece.kind, hand.piece.side) == wanted and not is_right


def _is_by(step: Step, hand: UnplacedPiece, origin: Cell | None) -> bool:
    """True if *step* can be made with the piece in *hand*.

    The piece came from *origin*, or from beside the board if that is None.
    """
    if origin is not None and origin in step.source:
        return True
    return origin is None and (hand.piece.kind, hand.piece.side) == (step.becomes.kind, step.becomes.side)


def places_for(session: Session, hand: UnplacedPiece) -> tuple[Cell, ...]:
    """Return the cells where the piece in *hand* may be placed from beside the board."""
    if hand.came_from is not None:
        return ()
    wanted = hand.piece.kind, hand.piece.side, hand.piece.pose
    found = {
        cell
        for step in _of(session.rules, session.belief.tip.position)
        if not step.source and (step.becomes.kind, step.becomes.side, step.becomes.pose) == wanted
        for cell in step.target
    }
    return tuple(sorted(found))


def _steps(session: Session, origin: Cell | None) -> Iterator[Step]:
    """Yield the steps of all legal moves.

    If the last mover is in the hand again, also those of the legal alternatives to its move.
    A move that is already revised begins with the piece that is missing.
    """
    rules, belief = session.rules, session.belief
    missing = set(session.view().lifted)
    for step in _of(rules, belief.tip.position):
        yield step
        if origin is not None and origin not in belief.tip.pieces and missing.issuperset(step.source):
            yield Step(step.piece, (origin,), step.target, step.becomes)
    depth = len(belief.line)
    if depth and origin is not None and origin in belief.line[-1].imprint.target:
        for step in _of(rules, belief.before(depth - 1).position):
            if set(step.source) == set(belief.line[-1].imprint.source):
                yield Step(step.piece, belief.line[-1].imprint.target, step.target, step.becomes)


def _of(rules: Any, position: Any) -> Iterator[Step]:
    """Yield the steps of the legal moves of *position* that change the covered cells."""
    for move in rules.legal_moves(position):
        yield from (step for step in rules.steps(position, move) if step.source != step.target)


def entered(rules: AnyRules, position: Any) -> Occupancy:
    """Return the cells on which a move in *position* puts a piece."""
    steps = (step for move in rules.legal_moves(position) for step in rules.steps(position, move))
    return occupancy_of(cell for step in steps for cell in step.target)
