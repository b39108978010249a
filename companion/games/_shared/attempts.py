# SPDX-License-Identifier: Apache-2.0
"""The player's most likely intention behind an illegal change, for one-cell pieces.

A difference carries no intention.
This module infers one, or names the rule that every possible intention breaks.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.model.game import Violation
from companion.model.grid import Cell, Grid
from companion.model.observation import Difference
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement


@dataclass(frozen=True, slots=True)
class Attempt:
    """One piece was carried from *source* to *target*."""

    piece: Piece
    source: Cell
    target: Cell


def read_attempt(
    grid: Grid, placement: Placement, difference: Difference, turn: Side | None
) -> Attempt | Violation:
    """The single piece's move behind *difference*, or the fault common to all readings.

    With a *turn*, moved pieces of other sides alone are `wrong-side`, before anything else;
    with None the game checks ownership.
    """
    pieces = placement.by_cell()
    sources = [cell for cell in difference.emptied if cell in pieces]
    targets = [*difference.filled, *(cell for cell, _ in difference.changed)]
    own = [cell for cell in sources if turn is None or pieces[cell].side == turn]
    if sources and not own and (targets or difference.touched):
        return out_of_turn(grid, placement, *sources, *targets)
    if len(targets) > 1 or (len(own) > 1 and targets):
        return Violation.of("several-moved", *sources, *targets)
    if not sources:
        return _without_source(grid, pieces, targets, difference)
    source = (own or sources)[0]
    others = [cell for cell in sources if cell != source]
    if not targets:
        targets = [cell for cell in reversed(difference.touched) if cell != source][:1]
    if not targets:
        return _left(grid, pieces, [source, *others])
    return _left(grid, pieces, others) if others else Attempt(pieces[source], source, targets[0])


def out_of_turn(grid: Grid, placement: Placement, *cells: Cell) -> Violation:
    """The violation when the piece of the first of *cells* moves out of turn."""
    return Violation.of("wrong-side", *cells, piece=placement.by_cell()[cells[0]], cell=grid.name(cells[0]))


def _without_source(
    grid: Grid, pieces: dict[Cell, Piece], targets: list[Cell], difference: Difference
) -> Violation:
    """The violation when nothing has left its cell, yet something is different."""
    added = [cell for cell in targets if cell not in pieces]
    if added:
        return Violation.of("piece-added", added[0], cell=grid.name(added[0]))
    changed = targets or list(difference.touched)
    return Violation.of("piece-exchanged", *changed, cell=grid.name(changed[0]) if changed else "")


def _left(grid: Grid, pieces: dict[Cell, Piece], cells: list[Cell]) -> Violation:
    """The violation when a piece has gone from the board and nothing took its place."""
    return Violation.of("piece-left", *cells, piece=pieces[cells[0]], cell=grid.name(cells[0]))
