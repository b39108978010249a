# SPDX-License-Identifier: Apache-2.0
"""A map as lookup tables for moves and shots: everything constant in a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.games.tank_chess.pieces import KINDS, MORTAR_RANGE, Kind, State
from companion.model.grid import OFF, Cell, Grid
from companion.model.occupancy import Occupancy

Lines: TypeAlias = tuple[tuple[tuple[Cell, ...], ...], ...]
"""Cells in a line by direction and by cell, nearest first."""

AHEAD: Final = (0, 4)
"""The direction in which each side leaves the board."""


@dataclass(frozen=True, slots=True)
class Terrain:
    """Moves and lines of fire with obstacles and edges, without pieces."""

    grid: Grid
    obstacles: Occupancy
    steps: tuple[tuple[State, ...], ...]
    """By state: the states one step away: both turns, and one space ahead."""
    backs: tuple[State, ...]
    """By state: the state after reversing, or OFF."""
    lanes: Lines
    """Cells on a direct shot's path: to the edge or short of an obstacle."""
    lobs: Lines
    """Cells in range of a mortar."""
    sights: tuple[tuple[Occupancy, ...], ...]
    """By kind and state: the cells that could be hit without pieces in between."""
    exits: tuple[frozenset[State], ...]
    """By side: the states from which a step ahead exits on the opponent's side."""
    corners: tuple[frozenset[State], ...]
    """By side: the states that face out there through a corner point of the board."""
    ways_out: tuple[tuple[int, ...], ...]
    """By side and rank: how many ranks away the nearest of those states is."""

    @classmethod
    def of(cls, grid: Grid, obstacles: Occupancy, border: Occupancy = 0) -> Terrain:
        """The tables of *grid* with *obstacles*; cells of *border* do not belong to the board."""
        obstacles |= border
        lanes, lobs = _lanes(grid, obstacles), _lobs(grid)
        ahead = _ahead(grid, obstacles)
        fronts = [_front(grid, direction, border) for direction in AHEAD]
        exits = tuple(_exits(grid, *each) for each in zip(AHEAD, fronts, strict=True))
        return cls(
            grid=grid,
            obstacles=obstacles,
            steps=tuple(
                (state & ~7 | state + 1 & 7, state & ~7 | state - 1 & 7)
                + ((ahead[state],) if ahead[state] != OFF else ())
                for state in range(len(ahead))
            ),
            backs=tuple(_reversed(ahead[state ^ 4]) for state in range(len(ahead))),
            lanes=lanes,
            lobs=lobs,
            sights=tuple(_sights(kind, lobs if kind.is_mortar else lanes, len(grid)) for kind in KINDS),
            exits=exits,
            corners=tuple(_corners(grid, border, *each) for each in zip(AHEAD, fronts, strict=True)),
            ways_out=tuple(_ways_out(grid, states) for states in exits),
        )

    def lines(self, kind: Kind) -> Lines:
        """The paths of shots of *kind*."""
        return self.lobs if kind.is_mortar else self.lanes


def _reversed(state: State) -> State:
    """*state* facing the other way; OFF remains OFF."""
    return state if state == OFF else state ^ 4


def _ahead(grid: Grid, obstacles: Occupancy) -> Sequence[State]:
    """By state: the state one space ahead, or OFF."""
    ahead = []
    for state in range(len(grid) * 8):
        cell = grid.steps[state & 7][state >> 3]
        is_open = cell != OFF and not obstacles >> cell & 1
        ahead.append(cell << 3 | state & 7 if is_open else OFF)
    return ahead


def _lanes(grid: Grid, obstacles: Occupancy) -> Lines:
    """The cells from each cell to the edge or short of an obstacle."""

    def lane(direction: int, cell: Cell) -> tuple[Cell, ...]:
        found = []
        at = grid.steps[direction][cell]
        while at != OFF and not obstacles >> at & 1:
            found.append(at)
            at = grid.steps[direction][at]
        return tuple(found)

    return tuple(tuple(lane(direction, cell) for cell in range(len(grid))) for direction in range(8))


def _lobs(grid: Grid) -> Lines:
    """The cells in a mortar's range."""
    free = _lanes(grid, 0)
    near, far = MORTAR_RANGE[0] - 1, MORTAR_RANGE[-1]
    return tuple(tuple(lane[near:far] for lane in lanes) for lanes in free)


def _sights(kind: Kind, lines: Lines, cells: int) -> tuple[Occupancy, ...]:
    """By state: cells that a tank of *kind* could hit; adjacent pieces cannot be shot."""
    masks = [
        [sum(1 << hit for hit in (line if kind.is_mortar else line[1:])) for line in by_cell]
        for by_cell in lines
    ]
    sights = []
    for state in range(cells * 8):
        mask = 0
        for turn in kind.arc:
            mask |= masks[state + turn & 7][state >> 3]
        sights.append(mask)
    return tuple(sights)


def _front(grid: Grid, ahead: int, border: Occupancy) -> frozenset[Cell]:
    """The cells behind which the board ends in direction *ahead*."""
    front = set()
    for edge in (cell for cell in range(len(grid)) if grid.steps[ahead][cell] == OFF):
        cell = edge
        while cell != OFF and border >> cell & 1:
            cell = grid.steps[ahead ^ 4][cell]
        front.add(cell)
    return frozenset(front - {OFF})


def _exits(grid: Grid, ahead: int, front: frozenset[Cell]) -> frozenset[State]:
    """States on the far edge that face across it.

    Straight, or diagonally but not through a corner point of the board.
    """
    return frozenset(
        cell << 3 | ahead + turn & 7
        for cell in front
        for turn in (-1, 0, 1)
        if not turn or grid.steps[ahead + 2 * turn & 7][cell] in front
    )


def _corners(grid: Grid, border: Occupancy, ahead: int, front: frozenset[Cell]) -> frozenset[State]:
    """States on the far edge that face out through a corner point of the board."""
    return frozenset(
        cell << 3 | ahead + turn & 7
        for cell in front
        for turn in (-1, 1)
        if all(
            (beyond := grid.steps[ahead + way * turn & 7][cell]) == OFF or border >> beyond & 1
            for way in (1, 2)
        )
    )


def _ways_out(grid: Grid, exits: frozenset[State]) -> tuple[int, ...]:
    """By rank: how many ranks away the nearest of *exits* is."""
    ranks = {(state >> 3) // grid.files for state in exits}
    return tuple(min((abs(rank - each) for each in ranks), default=grid.ranks) for rank in range(grid.ranks))
