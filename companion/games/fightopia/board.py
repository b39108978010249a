# SPDX-License-Identifier: Apache-2.0
"""Constant tables of the Fightopia board, positions, and the effect of moves.

A tank's *stance* is its lower or left cell, plus 64 if it lies along a rank;
a giant is identified by its lower left cell.
All tables are made once, on import, and are never changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from companion.model.grid import OFF, Cell, rectangle
from companion.model.occupancy import BySet, Occupancy, cells_of, occupancy_of
from companion.model.pieces import Side

WHITE, BLACK = 0, 1

GRID: Final = rectangle(8, 8)
CELLS: Final = range(64)
BIT: Final = tuple(1 << cell for cell in CELLS)
LYING: Final = 64
GOALS: Final = (0xFF << 56, 0xFF)
"""The enemy's back rank, by side."""

Move: TypeAlias = int
"""An action, then a source and a target of seven bits each: cells or stances."""
Stance: TypeAlias = int

STEP, DRIVE, MARCH, SHOOT, KILL, PASS = range(6)
"""Actions: a pawn's, tank's or giant's move; a shot, a kill; none.

The target of a tank's shot is the pawn, of a giant's kill the tank.
"""

_N, _E, _S, _W = 0, 2, 4, 6


class Army(NamedTuple):
    """A side's pieces on the board."""

    pawns: Occupancy
    standing: Occupancy
    """Lower cells of the tanks along a file."""
    lying: Occupancy
    """Left cells of the tanks along a rank."""
    giant: Cell
    """Its lower left cell."""


class Battle(NamedTuple):
    """A position."""

    turn: Side
    white: Army
    black: Army


def move_of(deed: int, source: int, target: int) -> Move:
    """The move that performs *deed*."""
    return deed << 14 | source << 7 | target


def _at(cell: Cell, *directions: int) -> Cell:
    """The cell at the end of *directions*, or OFF."""
    for direction in directions:
        cell = OFF if cell == OFF else GRID.steps[direction][cell]
    return cell


def _block(corner: Cell) -> tuple[Cell, ...]:
    """The cells of a giant with lower left cell *corner*, or () off the board."""
    cells = (corner, _at(corner, _E), _at(corner, _N), _at(corner, _N, _E))
    return () if OFF in cells else cells


def _pair(stance: Stance) -> tuple[Cell, ...]:
    """The two cells of a tank in *stance*, or () off the board."""
    cell = stance & 63
    other = _at(cell, _E if stance & LYING else _N)
    return () if other == OFF else (cell, other)


BLOCK_CELLS: Final = tuple(_block(corner) for corner in CELLS)
BLOCK: Final = tuple(occupancy_of(cells) for cells in BLOCK_CELLS)
"""The cells of a giant, by its corner."""
PAIR_CELLS: Final = tuple(_pair(stance) for stance in range(128))
PAIR: Final = tuple(occupancy_of(cells) for cells in PAIR_CELLS)
"""The cells of a tank, by its stance."""
STANCE_OF: Final = {pair: stance for stance, pair in enumerate(PAIR) if pair}
CORNER_OF: Final = {block: corner for corner, block in enumerate(BLOCK) if block}


def _pawn_moves(cell: Cell) -> BySet[tuple[Move, ...]]:
    """A pawn's moves from *cell*, by the set of its free neighbours."""
    return BySet(lambda free: tuple(move_of(STEP, cell, target) for target in cells_of(free)))


NEIGHBOURS: Final = tuple(
    occupancy_of(steps[cell] for steps in GRID.steps if steps[cell] != OFF) for cell in CELLS
)
PAWN_MOVES: Final = tuple(map(_pawn_moves, CELLS))

Ways: TypeAlias = tuple[tuple[Occupancy, Move], ...]
"""Moves, each with the cells that must be empty for it."""


def _giant_ways(corner: Cell) -> Ways:
    """A giant's moves from *corner*."""
    targets = [steps[corner] for steps in GRID.steps] if BLOCK[corner] else []
    return tuple(
        (BLOCK[target] & ~BLOCK[corner], move_of(MARCH, corner, target))
        for target in targets
        if target != OFF and BLOCK[target]
    )


GIANT_WAYS: Final = tuple(_giant_ways(corner) for corner in CELLS)
EDGE: Final = tuple(
    occupancy_of(
        target
        for cell in BLOCK_CELLS[corner]
        for target in (_at(cell, direction) for direction in (_N, _E, _S, _W))
        if target not in (OFF, *BLOCK_CELLS[corner])
    )
    for corner in CELLS
)
"""Cells that share an edge with a giant, by its corner."""


class Turning(NamedTuple):
    """A tank's pivot by 90 degrees."""

    target: Stance
    landing: Cell
    """The one cell that it enters."""
    corner: Cell
    """The cell that its free end passes over."""


def pivots(stance: Stance) -> Iterable[Turning]:
    """The pivots of a tank in *stance* around either end that stay on the board."""
    first, last = PAIR_CELLS[stance]
    for pivot, end in ((first, last), (last, first)):
        for direction in (_E, _W) if stance < LYING else (_N, _S):
            landing = _at(pivot, direction)
            if landing != OFF:
                yield Turning(STANCE_OF[BIT[pivot] | BIT[landing]], landing, _at(end, direction))


def slides(stance: Stance) -> Iterable[tuple[Stance, Occupancy]]:
    """Targets of a tank along its axis, with the cells that must be empty."""
    first, last = PAIR_CELLS[stance]
    for end, direction in ((first, _S if stance < LYING else _W), (last, _N if stance < LYING else _E)):
        entered = 0
        for distance in (1, 2):
            cell = _at(end, *[direction] * distance)
            if cell == OFF:
                break
            entered |= BIT[cell]
            moved = occupancy_of(_at(part, *[direction] * distance) for part in (first, last))
            yield STANCE_OF[moved], entered


def tank_ways(*, swept: bool) -> tuple[Ways, ...]:
    """A tank's drives and pivots, by stance.

    With *swept*, the corner cell of a pivot must be empty as well.
    """
    ways = []
    for stance in range(128):
        found = []
        if PAIR[stance]:
            found = [(entered, move_of(DRIVE, stance, target)) for target, entered in slides(stance)]
            for target, landing, corner in pivots(stance):
                clear = BIT[landing] | (BIT[corner] if swept else 0)
                found.append((clear, move_of(DRIVE, stance, target)))
        ways.append(tuple(found))
    return tuple(ways)


def barrels(stance: Stance) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """The cells in front of each end of a tank in *stance*, nearest first."""
    first, last = PAIR_CELLS[stance]
    back, ahead = (_S, _N) if stance < LYING else (_W, _E)
    return _ray(first, back), _ray(last, ahead)


def _ray(cell: Cell, direction: int) -> tuple[Cell, ...]:
    """The cells from *cell* to the edge of the board."""
    ray = []
    while (cell := GRID.steps[direction][cell]) != OFF:
        ray.append(cell)
    return tuple(ray)


class Aim(NamedTuple):
    """Lines of fire of a tank."""

    line: Occupancy
    """The cells in front of both its ends."""
    met: dict[Occupancy, Occupancy]
    """The first occupied cell in front of each end, by the occupied cells of `line`."""


def _first_met(ray: tuple[Cell, ...]) -> dict[Occupancy, Occupancy]:
    """The first occupied cell of *ray*, by its occupied cells."""
    met = {0: 0}
    for cell in reversed(ray):
        met |= {occupied | BIT[cell]: BIT[cell] for occupied in met}
    return met


def _aim(stance: Stance) -> Aim:
    """The lines of fire of a tank in *stance*."""
    if not PAIR[stance]:
        return Aim(0, {0: 0})
    back, ahead = barrels(stance)
    behind, before = _first_met(back), _first_met(ahead)
    met = {one | other: behind[one] | before[other] for one in behind for other in before}
    return Aim(occupancy_of((*back, *ahead)), met)


AIMS: Final = tuple(_aim(stance) for stance in range(128))


def stances(army: Army) -> list[Stance]:
    """The stances of the tanks of *army*, those along a file first."""
    return [*cells_of(army.standing), *(LYING + cell for cell in cells_of(army.lying))]


def covered(army: Army) -> Occupancy:
    """The cells of all pieces of *army*."""
    pawns, standing, lying, giant = army
    return pawns | standing | standing << 8 | lying | lying << 1 | BLOCK[giant]


def flip_tank(army: Army, stance: Stance) -> Army:
    """*army* without its tank in *stance*, or with one there if it had none."""
    pawns, standing, lying, giant = army
    if stance < LYING:
        return Army(pawns, standing ^ BIT[stance], lying, giant)
    return Army(pawns, standing, lying ^ BIT[stance - LYING], giant)


def apply(position: Battle, move: Move) -> Battle:
    """The position after *move*, which must be legal."""
    turn, white, black = position
    own, enemy = (black, white) if turn else (white, black)
    deed, source, target = move >> 14, move >> 7 & 127, move & 127
    if deed == STEP:
        own = Army(own.pawns ^ (BIT[source] | BIT[target]), own.standing, own.lying, own.giant)
    elif deed == DRIVE:
        own = flip_tank(flip_tank(own, source), target)
    elif deed == MARCH:
        own = Army(own.pawns, own.standing, own.lying, target)
    elif deed == SHOOT:
        enemy = Army(enemy.pawns ^ BIT[target], enemy.standing, enemy.lying, enemy.giant)
    elif deed == KILL:
        enemy = flip_tank(enemy, target)
    return Battle(WHITE, enemy, own) if turn else Battle(BLACK, own, enemy)
