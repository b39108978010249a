# SPDX-License-Identifier: Apache-2.0
"""Where a hand at a virtual table may put a piece down on others: only where a lawful move takes these away.

Its rule: a real hand cannot stand a piece on another, so the virtual one never sweeps pieces off by putting one down.
Anything may still be put on an empty cell, lawful or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.occupancy import occupancy_of
from companion.virtual.pieces import PieceSet, UnplacedPiece

if TYPE_CHECKING:
    from companion.host.table.table import Table
    from companion.referee.session import Session

_FELT_S: Final = 2.0
"""How long a drop waits until the referee has taken in what the hands did before it; broken switches never tell it."""


async def in_the_way(table: Table, pieces: PieceSet, cell: Cell) -> tuple[Cell, ...]:
    """The cells that keep the piece in the hand of *pieces* from being put on *cell*; () if it may be put there."""
    occupied = tuple(each for each in pieces.reach(cell) if pieces.standing.at(each))
    if pieces.hand is None or not occupied:
        return ()
    await _until_felt(table, pieces)
    return () if may_land(table.pipeline.session, pieces, cell) else occupied


async def _until_felt(table: Table, pieces: PieceSet) -> None:
    """Return when the referee knows which cells of *pieces* are covered, or after a while."""
    with table.watch() as has_changed:
        try:
            async with asyncio.timeout(_FELT_S):
                while not _is_felt(table.pipeline.session, pieces):
                    await has_changed.wait()
                    has_changed.clear()
        except TimeoutError:
            return


def _is_felt(session: Session, pieces: PieceSet) -> bool:
    """True if the referee believes those cells covered that are, but for those it knows to be broken."""
    view = session.view()
    covered = session.turn.placement(pieces.standing).occupancy
    return not (covered ^ view.occupied) & ~occupancy_of(view.blind)


def may_land(session: Session, pieces: PieceSet, cell: Cell) -> bool:
    """True if the piece in the hand of *pieces* may be put on *cell*, on which others stand.

    Either a lawful move brings it there, and takes away or merges with what stands there, or it belongs there and what
    stands there does not.
    """
    hand, cells = pieces.hand, set(pieces.reach(cell))
    assert hand is not None
    turn = session.turn
    landing = {turn.cells[each] for each in cells}
    if _belongs(session, pieces, hand, landing):
        return True
    origin = None if hand.came_from is None else turn.cells[hand.came_from]
    return any(landing == set(step.target) and _is_by(step, hand, origin) for step in _steps(session, origin))


def _belongs(session: Session, pieces: PieceSet, hand: UnplacedPiece, landing: set[Cell]) -> bool:
    """True if the piece in *hand* is believed to stand on *landing*, where another one stands."""
    first = min(landing)
    believed = session.view().placement.entry_at(first)
    standing = session.turn.placement(pieces.standing).entry_at(first)
    if believed is None or set(believed[1]) != landing:
        return False
    wanted = (believed[0].kind, believed[0].side)
    is_right = standing is not None and (standing[0].kind, standing[0].side) == wanted
    return (hand.piece.kind, hand.piece.side) == wanted and not is_right


def _is_by(step: Step, hand: UnplacedPiece, origin: Cell | None) -> bool:
    """True if *step* may be done with the piece in *hand*, which came from *origin*, or from beside the board."""
    if origin is not None and origin in step.source:
        return True
    return origin is None and (hand.piece.kind, hand.piece.side) == (step.becomes.kind, step.becomes.side)


def _steps(session: Session, origin: Cell | None) -> Iterator[Step]:
    """Every step of the moves that are lawful now, or in the place of the last one if its mover is in the hand again."""
    rules, belief = session.rules, session.belief
    yield from _of(rules, belief.tip.position)
    depth = len(belief.line)
    if depth and origin is not None and origin in belief.line[-1].imprint.target:
        for step in _of(rules, belief.before(depth - 1).position):
            if set(step.source) == set(belief.line[-1].imprint.source):
                yield Step(step.piece, belief.line[-1].imprint.target, step.target, step.becomes)


def _of(rules: Any, position: Any) -> Iterator[Step]:
    """Every step of the lawful moves of *position* that changes what covers cells."""
    for move in rules.legal_moves(position):
        yield from (step for step in rules.steps(position, move) if step.source != step.target)
