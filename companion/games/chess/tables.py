# SPDX-License-Identifier: Apache-2.0
"""Constant tables of a chessboard: attacks, lines, and ready moves per set of targets.

Squares are the cells of the 8x8 grid, a1 = 0 to h8 = 63; a set of squares is an occupancy.
Generation never loops over targets:
the moves of a piece along one line are looked up as a ready tuple.
All values are made once, on import or at the first use, and are never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from companion.model.grid import OFF, rectangle
from companion.model.occupancy import BySet, Occupancy, cells_of, occupancy_of

Move: TypeAlias = int
"""Six bits source, six bits target, three bits code: moves sort by source."""

PLAIN, TO_KNIGHT, TO_BISHOP, TO_ROOK, TO_QUEEN, CASTLE, EN_PASSANT = range(7)
"""Codes of a move.

The target of castling is the rook's square, which is never empty.
"""

GRID: Final = rectangle(8, 8, cell_mm=57.0)
"""57 mm: the middle of the range in FIDE's equipment standards."""

EVERYTHING: Final = GRID.everything
SQUARES: Final = range(64)
BIT: Final = tuple(1 << square for square in SQUARES)
HOME_RANK: Final = (0xFF, 0xFF << 56)
"""First rank of each side."""
LAST_RANK: Final = (HOME_RANK[1], HOME_RANK[0])
A_FILE: Final = 0x0101010101010101
H_FILE: Final = A_FILE << 7
LIGHT: Final = 0x55AA55AA55AA55AA
"""The light squares."""

N, NE, E, SE, S, SW, W, NW = range(8)
_RANK, _FILE, _RISING, _FALLING = (E, W), (N, S), (NE, SW), (NW, SE)


def move_of(source: int, target: int, code: int = PLAIN) -> Move:
    """The move from *source* to *target*."""
    return source << 9 | target << 3 | code


def _ray(square: int, direction: int) -> Iterable[int]:
    """The squares from *square* in *direction*, nearest first."""
    square = GRID.steps[direction][square]
    while square != OFF:
        yield square
        square = GRID.steps[direction][square]


def _subsets(squares: Iterable[int]) -> list[Occupancy]:
    """All subsets of *squares*."""
    subsets = [0]
    for square in squares:
        subsets += [subset | BIT[square] for subset in subsets]
    return subsets


Attacks: TypeAlias = dict[Occupancy, Occupancy]


def _seen(ray: Sequence[int]) -> Attacks:
    """The attacked squares along *ray*, by the occupied ones before its end.

    Built from the far end: an occupied square hides all behind it.
    """
    seen = {0: BIT[ray[-1]] if ray else 0}
    for square in reversed(ray[:-1]):
        bit = BIT[square]
        open_here = {occupied: bit | behind for occupied, behind in seen.items()}
        seen = open_here | {occupied | bit: bit for occupied in seen}
    return seen


class Line(NamedTuple):
    """A line of the board through a square, for a sliding piece on that square."""

    inner: Occupancy
    """The squares on which a piece can block.

    That is the line without the square and its ends.
    """
    attacks: Attacks
    """The attacked squares along the line, by the occupied ones of `inner`."""


def _line(square: int, directions: tuple[int, int]) -> Line:
    """The line through *square* in both *directions*."""
    rays = [tuple(_ray(square, direction)) for direction in directions]
    one, other = map(_seen, rays)
    return Line(
        occupancy_of(target for ray in rays for target in ray[:-1]),
        {occupied | also: seen | there for occupied, seen in one.items() for also, there in other.items()},
    )


def _lines(directions: tuple[int, int]) -> tuple[tuple[Occupancy, ...], tuple[Attacks, ...]]:
    """Inner squares and attacks of the lines in *directions*, by square."""
    lines = [_line(square, directions) for square in SQUARES]
    return tuple(line.inner for line in lines), tuple(line.attacks for line in lines)


RANK_INNER, RANK_ATTACKS = _lines(_RANK)
FILE_INNER, FILE_ATTACKS = _lines(_FILE)
RISING_INNER, RISING_ATTACKS = _lines(_RISING)
FALLING_INNER, FALLING_ATTACKS = _lines(_FALLING)

STRAIGHT: Final = tuple(RANK_ATTACKS[square][0] | FILE_ATTACKS[square][0] for square in SQUARES)
"""Squares that a rook attacks on an empty board."""
DIAGONAL: Final = tuple(RISING_ATTACKS[square][0] | FALLING_ATTACKS[square][0] for square in SQUARES)
"""Squares that a bishop attacks on an empty board."""


def _leaps(*paths: tuple[int, ...]) -> tuple[Occupancy, ...]:
    """The squares at the end of each of *paths*, by square.

    A path is a sequence of directions.
    """

    def end(square: int, path: tuple[int, ...]) -> int:
        for direction in path:
            square = OFF if square == OFF else GRID.steps[direction][square]
        return square

    return tuple(
        occupancy_of(end(square, path) for path in paths if end(square, path) != OFF) for square in SQUARES
    )


KING: Final = _leaps(*((direction,) for direction in range(8)))
KNIGHT: Final = _leaps((N, NE), (E, NE), (E, SE), (S, SE), (S, SW), (W, SW), (W, NW), (N, NW))
PAWN: Final = (_leaps((NE,), (NW,)), _leaps((SE,), (SW,)))
"""Squares that a pawn of each side attacks."""


def _pushes(side: int) -> list[Attacks]:
    """Push targets of a pawn, by square and occupancy of the two squares ahead."""
    ahead = (N, S)[side]
    pushes = []
    for square in SQUARES:
        ray = tuple(_ray(square, ahead))
        one, two = ray[:1], ray[:2] if len(ray) == 6 else ray[:1]
        pushes.append(
            {
                occupied: 0 if occupied & occupancy_of(one) else occupancy_of(two) & ~occupied
                for occupied in _subsets(ray[:2])
            }
        )
    return pushes


PUSH_INNER: Final = tuple(
    tuple(occupancy_of(tuple(_ray(square, ahead))[:2]) for square in SQUARES) for ahead in (N, S)
)
PUSHES: Final = tuple(tuple(_pushes(side)) for side in (0, 1))


Moves: TypeAlias = BySet[tuple[Move, ...]]
"""The moves from one square to each set of targets."""


def _moves(square: int, codes: tuple[int, ...] = (PLAIN,)) -> Moves:
    """The moves from *square*."""
    return BySet(
        lambda targets: tuple(move_of(square, target, code) for target in cells_of(targets) for code in codes)
    )


def _pawn_moves(square: int, side: int) -> Moves:
    """The moves of a pawn of *side* from *square*."""
    targets = PAWN[side][square] | PUSHES[side][square][0]
    is_promotion = bool(targets & LAST_RANK[side])
    return _moves(square, (TO_KNIGHT, TO_BISHOP, TO_ROOK, TO_QUEEN) if is_promotion else (PLAIN,))


PIECE_MOVES: Final = tuple(map(_moves, SQUARES))
"""Those of a king, a knight, and a sliding piece along one line, by square."""
PAWN_MOVES: Final = tuple(tuple(_pawn_moves(square, side) for square in SQUARES) for side in (0, 1))


def _between(square: int) -> dict[int, Occupancy]:
    """The squares between *square* and every square in line with it."""
    between: dict[int, Occupancy] = {}
    for direction in range(8):
        passed = 0
        for target in _ray(square, direction):
            between[target] = passed
            passed |= BIT[target]
    return between


def _through(square: int) -> dict[int, Occupancy]:
    """The whole line, without *square*, through *square* and each square in line with it."""
    through: dict[int, Occupancy] = {}
    for directions in (_RANK, _FILE, _RISING, _FALLING):
        line = occupancy_of(target for direction in directions for target in _ray(square, direction))
        through |= dict.fromkeys(cells_of(line), line)
    return through


BETWEEN: Final = tuple(_between(square) for square in SQUARES)
THROUGH: Final = tuple(_through(square) for square in SQUARES)


class Castling(NamedTuple):
    """Conditions and effect of castling with one rook."""

    move: Move
    king_target: int
    rook_target: int
    empty: Occupancy
    """Squares that must be empty of other pieces."""
    path: Occupancy
    """Squares that the king passes, its own and its target included."""


def _span(one: int, other: int) -> Occupancy:
    """The squares of a rank from *one* to *other*, both included."""
    return occupancy_of(range(min(one, other), max(one, other) + 1))


def _castling(king: int, rook: int) -> Castling:
    """Castling of a *king* with a *rook* on its rank.

    King and rook move to the g and f files, or to the c and d files.
    """
    first = king & 56
    king_target, rook_target = (first + 6, first + 5) if rook > king else (first + 2, first + 3)
    path = _span(king, king_target)
    return Castling(
        move_of(king, rook, CASTLE),
        king_target,
        rook_target,
        (path | _span(rook, rook_target)) & ~(BIT[king] | BIT[rook]),
        path,
    )


CASTLINGS: Final = {
    (king, rook): _castling(king, rook)
    for first in (0, 56)
    for king in range(first + 1, first + 7)
    for rook in range(first, first + 8)
    if king != rook
}
"""All castlings, by the squares of king and rook.

The king of Chess960 starts between its rooks.
"""
