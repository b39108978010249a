# SPDX-License-Identifier: Apache-2.0
"""Which actions of GOTTAZ are legal, found by the cells that they change.

The referee tries many positions and asks each about one or two cells,
so an action is judged by what it changes, without a position after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from companion.games.gottaz.pawns import Face
from companion.games.gottaz.state import (
    GRID,
    JUMP,
    LEAP,
    LIMIT,
    MOVE,
    PLACE,
    ROTATE,
    SLANT,
    SWAP,
    TERRITORIES,
    TSUNAMI,
    GameState,
    Move,
    ahead,
)
from companion.model.grid import OFF, Cell
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Side

_KIND_OF: Final = {
    "leap": LEAP,
    "slant": SLANT,
    "jump": JUMP,
    "swap": SWAP,
    "tsunami": TSUNAMI,
    "rotate": ROTATE,
}


def _neighbours(ways: range) -> tuple[tuple[Cell, ...], ...]:
    """The cells beside each cell in some of the eight directions."""
    return tuple(tuple(at for way in ways if (at := GRID.steps[way][cell]) != OFF) for cell in range(25))


_NEAR: Final = _neighbours(range(0, 8, 2))
_SLANTS: Final = _neighbours(range(1, 8, 2))
_LEAPS: Final = tuple(
    tuple(
        (GRID.steps[way][over], over)
        for way in range(0, 8, 2)
        if (over := GRID.steps[way][cell]) != OFF and GRID.steps[way][over] != OFF
    )
    for cell in range(25)
)
"""The cells exactly two away in a straight line, each with the cell between."""

Result: TypeAlias = tuple[int, ...]
"""What an action leaves on the cells that it changes: cell, code, and again.

Equal for two actions exactly if they lead to the same position.
"""


def _around(side: Side, kind: int, cell: Cell) -> Occupancy:
    """The cells that a pawn of *side* on *cell* may change, by its ability."""
    others: dict[int, Sequence[Cell]] = {
        LEAP: [target for target, _ in _LEAPS[cell]],
        SLANT: _SLANTS[cell],
        JUMP: TERRITORIES[side],
        SWAP: _SLANTS[cell],
        TSUNAMI: [at for at in (ahead(side, cell, 1), ahead(side, cell, 3)) if at != OFF],
    }
    return occupancy_of((cell, *_NEAR[cell], *others.get(kind, ())))


_AROUND: Final = tuple(
    {kind: tuple(_around(side, kind, cell) for cell in range(25)) for kind in (OFF, *_KIND_OF.values())}
    for side in range(2)
)


class Actions:
    """The actions of pawns with certain faces."""

    def __init__(self, faces: Sequence[Face], options: Mapping[str, str]) -> None:
        """Actions under the game's *options*; the tables are by the code of a piece."""
        self._beside = _neighbours(range(8)) if options["adjacency"] == "all-eight" else _NEAR
        self._has_defence = options["defender_support"] == "yes"
        self._leaps_over = options["leap_over"] == "yes"
        self._enters = options["enter_occupied_territory"] == "battle"
        both = (*faces, *faces)
        self._span = len(faces)
        self.owners = (OFF, *(side for side in range(2) for _ in faces))
        self.strength = (0, *(face.strength for face in both))
        self.supply = (0, *(int(face.ability == "supply") for face in both))
        self._support = (False, *(face.ability == "support" for face in both))
        self._kinds = (OFF, *(_KIND_OF.get(face.ability, OFF) for face in both))
        self._weights = tuple(n - more for n, more in zip(self.strength, self.supply, strict=True))
        """What each piece takes of the room in its row."""

    def turned(self, code: int) -> int:
        """The code of a piece that is turned over."""
        return ((code - 1) ^ 1) + 1  # each side has an even number of faces

    def strengths(self, board: bytes, cell: Cell, attacker: int, source: Cell = OFF) -> tuple[int, int]:
        """The strengths of *attacker*, which comes from *source*, and of the pawn on *cell*."""
        attack, defence = self.strength[attacker], self.strength[board[cell]]
        side = self.owners[attacker]
        for at in self._beside[cell]:
            code = board[at]
            if self._support[code] and at != source:
                if self.owners[code] == side:
                    attack += 1
                elif self._has_defence:
                    defence += 1
        return attack, defence

    # shapes

    def candidates(self, position: GameState) -> Iterator[Move]:
        """Actions of a valid shape; limits are not checked."""
        side, board, hands, _ = position
        entries = self._entries(board, side)
        for pawn, count in enumerate(hands[side]):
            if count:
                yield from ((PLACE, 2 * pawn + face, cell) for cell in entries for face in (0, 1))
        yield from self._journeys(board, side, -1)

    def _entries(self, board: bytes, side: Side) -> list[Cell]:
        """The cells of the own territory on which a pawn may be placed."""
        return [
            cell
            for cell in TERRITORIES[side]
            if not board[cell] or (self._enters and self.owners[board[cell]] != side)
        ]

    def _journeys(self, board: bytes, side: Side, cells: Occupancy) -> list[Move]:
        """Shapes of pawns on the board, of all that may change one of *cells*."""
        owners, kinds, around = self.owners, self._kinds, _AROUND[side]
        found = []
        for cell, code in enumerate(board):
            if owners[code] == side and around[kind := kinds[code]][cell] & cells:
                found += [(MOVE, cell, target) for target in _NEAR[cell] if owners[board[target]] != side]
                if kind != OFF:
                    found += [(kind, cell, target) for target in self._targets(board, side, cell, kind)]
        return found

    def _targets(self, board: bytes, side: Side, cell: Cell, kind: int) -> list[Cell]:
        """Targets of the action ability *kind* of the pawn on *cell*."""
        owners = self.owners
        if kind == ROTATE:
            return [cell]
        if kind == SWAP:
            return [at for at in self._beside[cell] if board[at]]
        if kind == TSUNAMI:
            pushed, target = ahead(side, cell, 1), ahead(side, cell, 3)
            is_pushable = target != OFF and board[pushed]
            return [target] if is_pushable and owners[board[target]] != owners[board[pushed]] else []
        if kind == LEAP:
            return [
                at
                for at, over in _LEAPS[cell]
                if owners[board[at]] != side and (self._leaps_over or not board[over])
            ]
        reach = _SLANTS[cell] if kind == SLANT else TERRITORIES[side]
        return [at for at in reach if owners[board[at]] != side]

    # legality

    def legal(self, position: GameState, cells: Occupancy) -> list[Move]:
        """The legal actions that change one of *cells*, in order, the first for each result."""
        side, board, _, _ = position
        room = self._room(board)
        moves = self._placings(position, cells, room[side * 5 + TERRITORIES[side][0] // 5])
        found: dict[Result, Move] = {}
        for move in sorted(self._journeys(board, side, cells)):
            result = self._result(board, side, move, room)
            if result and (cells >> result[0] & 1 or cells >> result[-2] & 1):
                found.setdefault(result, move)
        moves += found.values()
        return moves

    def _room(self, board: bytes) -> list[int]:
        """What each row of each side may gain in strength, Supply counted."""
        owners, weights = self.owners, self._weights
        room = [LIMIT] * 10
        for cell, code in enumerate(board):
            if code:
                room[owners[code] * 5 + cell // 5] -= weights[code]
        return room

    def _placings(self, position: GameState, cells: Occupancy, room: int) -> list[Move]:
        """The legal actions that place a pawn on one of *cells*, in order."""
        side, board, hands, _ = position
        entries = [cell for cell in self._entries(board, side) if cells >> cell & 1]
        if not entries:
            return []
        first = 1 + side * self._span
        faces = [
            face
            for pawn, count in enumerate(hands[side])
            if count
            for face in (2 * pawn, 2 * pawn + 1)
            if self._weights[first + face] <= room
        ]
        moves = [(PLACE, face, cell) for face in faces for cell in entries]
        return self._unlike(board, moves, first) if any(board[cell] for cell in entries) else moves

    def _unlike(self, board: bytes, moves: Sequence[Move], first: int) -> list[Move]:
        """Those of *moves*, which place a pawn, that lead to different positions."""
        found: dict[Result, Move] = {}
        for move in moves:
            _, face, cell = move
            left = code = first + face
            if board[cell]:
                attack, defence = self.strengths(board, cell, code)
                if attack < defence:
                    continue  # the board is as before
                left = code if attack > defence else 0
            found.setdefault((cell, left), move)
        return list(found.values())

    def _result(self, board: bytes, side: Side, move: Move, room: Sequence[int]) -> Result:
        """The result of *move* of a pawn; () if nothing changes or it is forbidden."""
        kind, what, where = move
        owners, weights = self.owners, self._weights
        code = board[what]
        if kind == ROTATE:
            turned = self.turned(code)
            is_legal = weights[turned] - weights[code] <= room[side * 5 + what // 5]
            return (what, turned) if is_legal else ()
        if kind == SWAP:
            return self._swapped(board, what, where, room)
        source = what
        if kind == TSUNAMI:
            source = ahead(side, what, 1)
            code = board[source]
        row = where // 5
        if source // 5 != row and weights[code] > room[owners[code] * 5 + row]:
            return ()
        left = code
        if board[where]:
            attack, defence = self.strengths(board, where, code, source)
            if attack < defence:
                return source, 0
            left = code if attack > defence else 0
        return (source, 0, where, left) if source < where else (where, left, source, 0)

    def _swapped(self, board: bytes, what: Cell, where: Cell, room: Sequence[int]) -> Result:
        """The result if two pawns change places; () if nothing changes or it is forbidden."""
        code, other = board[what], board[where]
        if code == other:
            return ()
        if what // 5 != where // 5:
            owner, owner2 = self.owners[code], self.owners[other]
            gain, gain2 = self._weights[code], self._weights[other]
            if owner == owner2:
                gain, gain2 = gain - gain2, gain2 - gain
            if gain > room[owner * 5 + where // 5] or gain2 > room[owner2 * 5 + what // 5]:
                return ()
        return (what, other, where, code) if what < where else (where, code, what, other)
