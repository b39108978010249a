# SPDX-License-Identifier: Apache-2.0
"""Chess: material, places, pawns, and two endings that shift the weights.

Sources: T. Michniewski, *Simplified Evaluation Function*, 1995 (the tables of squares and the
values of pieces, on chessprogramming.org); the taper between middlegame and ending is that of
Fruit (F. Letouzey, 2005). Captures are searched by victim, then attacker (MVV/LVA).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from companion.games.chess.generation import captures
from companion.games.chess.position import Position, attackers, checkers
from companion.games.chess.tables import (
    A_FILE,
    BIT,
    EN_PASSANT,
    FALLING_ATTACKS,
    FALLING_INNER,
    FILE_ATTACKS,
    FILE_INNER,
    KNIGHT,
    PAWN,
    RANK_ATTACKS,
    RANK_INNER,
    RISING_ATTACKS,
    RISING_INNER,
    TO_KNIGHT,
    TO_QUEEN,
    Move,
)
from companion.model.game import Rules
from companion.model.grid import OFF, Cell
from companion.model.occupancy import Occupancy, cells_of
from companion.model.pieces import Side
from companion.opponent.knowledge import Knowledge

_PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING = range(6)
_PLIES_TO_CLAIM: Final = 100
_FULL: Final = 24
"""The phase at the start: minor pieces count 1, rooks 2, queens 4."""
_SHIFT: Final = 20
"""Bits of the middlegame's part of a packed value; the ending's part is above."""
_HALF: Final = 1 << _SHIFT - 1
_CHECK: Final = 5
"""Rank of a quiet move that gives check."""
_EXCHANGE: Final = 50
"""Difference of two pieces that are exchanged as equals."""
_MOST_SUMS: Final = 100_000

_SQUARES: Final = (
    # pawn
    "0 0 0 0 0 0 0 0  5 10 10 -20 -20 10 10 5  5 -5 -10 0 0 -10 -5 5  0 0 0 20 20 0 0 0 "
    "5 5 10 25 25 10 5 5  10 10 20 30 30 20 10 10  50 50 50 50 50 50 50 50  0 0 0 0 0 0 0 0",
    # knight
    "-50 -40 -30 -30 -30 -30 -40 -50  -40 -20 0 5 5 0 -20 -40  -30 5 10 15 15 10 5 -30 "
    "-30 0 15 20 20 15 0 -30  -30 5 15 20 20 15 5 -30  -30 0 10 15 15 10 0 -30 "
    "-40 -20 0 0 0 0 -20 -40  -50 -40 -30 -30 -30 -30 -40 -50",
    # bishop
    "-20 -10 -10 -10 -10 -10 -10 -20  -10 5 0 0 0 0 5 -10  -10 10 10 10 10 10 10 -10 "
    "-10 0 10 10 10 10 0 -10  -10 5 5 10 10 5 5 -10  -10 0 5 10 10 5 0 -10 "
    "-10 0 0 0 0 0 0 -10  -20 -10 -10 -10 -10 -10 -10 -20",
    # rook
    "0 0 0 5 5 0 0 0  -5 0 0 0 0 0 0 -5  -5 0 0 0 0 0 0 -5  -5 0 0 0 0 0 0 -5 "
    "-5 0 0 0 0 0 0 -5  -5 0 0 0 0 0 0 -5  5 10 10 10 10 10 10 5  0 0 0 0 0 0 0 0",
    # queen
    "-20 -10 -10 -5 -5 -10 -10 -20  -10 0 5 0 0 0 0 -10  -10 5 5 5 5 5 0 -10  0 0 5 5 5 5 0 -5 "
    "-5 0 5 5 5 5 0 -5  -10 0 5 5 5 5 0 -10  -10 0 0 0 0 0 0 -10  -20 -10 -10 -5 -5 -10 -10 -20",
    # king
    "20 30 10 0 0 10 30 20  20 20 0 0 0 0 20 20  -10 -20 -20 -20 -20 -20 -20 -10 "
    "-20 -30 -30 -40 -40 -30 -30 -20  -30 -40 -40 -50 -50 -40 -40 -30  -30 -40 -40 -50 -50 -40 -40 -30 "
    "-30 -40 -40 -50 -50 -40 -40 -30  -30 -40 -40 -50 -50 -40 -40 -30",
)
"""For each kind the value of each square for White, a1 first."""
_KING_AT_THE_END: Final = (
    "-50 -30 -30 -30 -30 -30 -30 -50  -30 -30 0 0 0 0 -30 -30  -30 -10 20 30 30 20 -10 -30 "
    "-30 -10 30 40 40 30 -10 -30  -30 -10 30 40 40 30 -10 -30  -30 -10 20 30 30 20 -10 -30 "
    "-30 -20 -10 0 0 -10 -20 -30  -50 -40 -30 -20 -20 -30 -40 -50"
)
_VALUES: Final = ("pawn", "knight", "bishop", "rook", "queen", "")
_FILES: Final = tuple(A_FILE << file for file in range(8))
_BESIDE: Final = tuple(
    (_FILES[file - 1] if file else 0) | (_FILES[file + 1] if file < 7 else 0) for file in range(8)
)


class ChessKnowledge(Knowledge[Position, Move]):
    """Values and order of chess moves."""

    weights = MappingProxyType(
        {
            "pawn": 100,
            "knight": 320,
            "bishop": 330,
            "rook": 500,
            "queen": 900,
            "bishop_pair": 30,
            "doubled": -12,
            "isolated": -12,
            "passed": 8,
            "open_file": 20,
            "turn": 10,
        }
    )
    margin = 150

    def __init__(self, rules: Rules[Position, Move], weights: Mapping[str, int] | None = None) -> None:
        super().__init__(rules, weights)
        self._tables = tuple(_table(kind, self.weight) for kind in range(6))
        self._worth = (*(self.weight[name] for name in _VALUES[:-1]), 0)  # nobody takes a king back
        self._at_most = tuple(worth + self.margin for worth in self._worth)
        """For each kind the rise of the value by its capture that is not exceeded."""
        self._sums: tuple[dict[tuple[Occupancy, Occupancy], int], ...] = tuple({} for _ in self._tables)
        self._structures: dict[tuple[Occupancy, Occupancy, Occupancy, Occupancy], int] = {}
        self._draws = self.repeats = rules.options["draw_rules"] == "fide"

    # moves

    def noisy(self, position: Position, least: int = 0) -> Sequence[Move]:
        """Promotions to a queen, and captures that do not lose at once.

        A capture loses if the captured piece is worth much less, and another one takes back.
        """
        turn, occupied = position.turn, position.white | position.black
        kept = []
        for move in captures(position, self._targets(position, least)):
            source, target = move >> 9, move >> 3 & 63
            excess = self._worth[_kind(position, source)] - self._worth[_kind(position, target)]
            is_loss = excess > _EXCHANGE and move & 7 < TO_QUEEN and BIT[target] & occupied
            if not (is_loss and attackers(position, target, 1 - turn, occupied ^ BIT[source])):
                kept.append(move)
        return kept

    def _targets(self, position: Position, least: int) -> Occupancy:
        """The enemy pieces whose capture may raise the value by *least*."""
        targets = position.white if position.turn else position.black
        if least > self._at_most[_PAWN]:
            targets &= ~position.pawns
        if least > self._at_most[_BISHOP]:
            targets &= position.lines
        if least > self._at_most[_ROOK]:
            targets &= position.diagonals
        return targets

    def is_threatened(self, position: Position) -> bool:
        """True in check."""
        return bool(checkers(position))

    def capturing(self, position: Position) -> Sequence[Move]:
        """All captures, and promotions to a queen."""
        return captures(position, position.white if position.turn else position.black)

    def null_move(self, position: Position) -> Position | None:
        """None in check, and without pieces, where having to move may be the trouble."""
        own = position.black if position.turn else position.white
        if not own & ~(position.pawns | position.kings):
            return None
        return position._replace(turn=1 - position.turn, passed=OFF)

    def ranks(self, position: Position, moves: Sequence[Move]) -> list[int]:
        """Promotions, captures of the most valuable by the least valuable piece, checks."""
        enemy = position.white if position.turn else position.black
        ranks, source, checked = [], -1, 0
        for move in moves:
            code, target = move & 7, BIT[move >> 3 & 63]
            if target & enemy:
                victim, attacker = _kind(position, move >> 3 & 63), _kind(position, move >> 9)
                ranks.append(20 + 10 * victim - attacker + 40 * (code == TO_QUEEN))
            elif code:
                ranks.append(60 if code == TO_QUEEN else 15 if code == EN_PASSANT else 0)
            else:
                if move >> 9 != source:
                    source = move >> 9
                    checked = _checked_from(position, source)
                ranks.append(_CHECK if target & checked else 0)
        return ranks

    def most_quiet(self, depth: int) -> int | None:
        """Few near the leaves."""
        return {1: 12, 2: 20}.get(depth)

    # material

    def reached(self, position: Position, move: Move) -> tuple[Cell, ...]:
        """The square of a promotion."""
        del position
        return (move >> 3 & 63,) if TO_KNIGHT <= move & 7 <= TO_QUEEN else ()

    # values

    def key(self, position: Position) -> Hashable:
        """Everything but the counters."""
        return position[:10]

    def decided(self, position: Position) -> tuple[Side, ...] | None:
        """A draw by quiet moves or for lack of material."""
        if not self._draws:
            return None
        if position.quiet_plies >= _PLIES_TO_CLAIM and not checkers(position):
            return ()
        if not position.pawns | position.lines and self.rules.status(position) is not None:
            return self.winners(position)
        return None

    def value(self, position: Position, side: Side) -> int:
        """Material, squares and structure, weighed by the phase of the game."""
        turn, pawns, knights, diagonals, lines, kings, white, black, *_ = position
        queens = diagonals & lines
        bishops, rooks = diagonals ^ queens, lines ^ queens
        packed = 0
        for sums, squares in zip(self._sums, (pawns, knights, bishops, rooks, queens, kings), strict=True):
            found = sums.get((squares & white, squares & black))
            packed += self._sum(sums, squares & white, squares & black) if found is None else found
        phase = (knights | bishops).bit_count() + 2 * rooks.bit_count() + 4 * queens.bit_count()
        middle = (packed + _HALF & (1 << _SHIFT) - 1) - _HALF
        ending = packed - middle >> _SHIFT
        phase = min(phase, _FULL)
        value = (middle * phase + ending * (_FULL - phase)) // _FULL
        value += self._structure(pawns & white, pawns & black, rooks & white, rooks & black)
        if (bishops & white).bit_count() > 1:
            value += self.weight["bishop_pair"]
        if (bishops & black).bit_count() > 1:
            value -= self.weight["bishop_pair"]
        value += -self.weight["turn"] if turn else self.weight["turn"]
        return -value if side else value

    def _sum(self, sums: dict[tuple[Occupancy, Occupancy], int], white: Occupancy, black: Occupancy) -> int:
        """The packed value for White of all pieces of a kind, kept in *sums*."""
        if len(sums) >= _MOST_SUMS:
            sums.clear()
        table = self._tables[next(kind for kind, each in enumerate(self._sums) if each is sums)]
        found = sums[white, black] = sum(table[square] for square in cells_of(white)) - sum(
            table[square ^ 56] for square in cells_of(black)
        )
        return found

    def _structure(self, white: Occupancy, black: Occupancy, rooks: Occupancy, enemies: Occupancy) -> int:
        """The value of the pawns' structure and of rooks on open files, for White."""
        key = (white, black, rooks, enemies)
        found = self._structures.get(key)
        if found is None:
            if len(self._structures) >= _MOST_SUMS:
                self._structures.clear()
            found = self._files(white, black, rooks, 0) - self._files(black, white, enemies, 1)
            self._structures[key] = found
        return found

    def _files(self, own: Occupancy, enemy: Occupancy, rooks: Occupancy, side: Side) -> int:
        """The value of a side's pawns and rooks, file by file."""
        value, weight = 0, self.weight
        for file, beside in zip(_FILES, _BESIDE, strict=True):
            pawns = own & file
            if pawns:
                value += weight["doubled"] * (pawns.bit_count() - 1)
                value += 0 if own & beside else weight["isolated"]
            elif rooks & file:
                value += weight["open_file"] if not enemy & file else weight["open_file"] // 2
        for square in cells_of(own):
            file = square & 7
            rank = square >> 3
            ahead = (-1 << 8 * rank + 8) if side == 0 else (1 << 8 * rank) - 1
            if not enemy & ahead & (_FILES[file] | _BESIDE[file]):
                gone = rank if side == 0 else 7 - rank
                value += weight["passed"] * gone * gone // 4
        return value


def knowledge(
    rules: Rules[Position, Move], weights: Mapping[str, int] | None = None
) -> Knowledge[Position, Move]:
    """The knowledge of chess under *rules*."""
    return ChessKnowledge(rules, weights)


def _table(kind: int, weight: Mapping[str, int]) -> tuple[int, ...]:
    """The packed value of each square for a White piece of *kind*."""
    material = weight[_VALUES[kind]] if _VALUES[kind] else 0
    squares = [int(value) for value in _SQUARES[kind].split()]
    ending = [int(value) for value in _KING_AT_THE_END.split()] if kind == _KING else squares
    return tuple(
        material + one + (material + other << _SHIFT) for one, other in zip(squares, ending, strict=True)
    )


def _checked_from(position: Position, square: int) -> Occupancy:
    """The squares from which the piece on *square* attacks the other side's king."""
    bit, enemy = BIT[square], position.white if position.turn else position.black
    king = (position.kings & enemy).bit_length() - 1
    if position.pawns & bit:
        return PAWN[1 - position.turn][king]
    if position.knights & bit:
        return KNIGHT[king]
    occupied = (position.white | position.black) ^ bit
    found = 0
    if position.lines & bit:
        found = (
            RANK_ATTACKS[king][occupied & RANK_INNER[king]] | FILE_ATTACKS[king][occupied & FILE_INNER[king]]
        )
    if position.diagonals & bit:
        found |= RISING_ATTACKS[king][occupied & RISING_INNER[king]]
        found |= FALLING_ATTACKS[king][occupied & FALLING_INNER[king]]
    return found


def _kind(position: Position, square: int) -> int:
    """The kind of the piece on *square*; also of an empty one, a rook."""
    bit = BIT[square]
    if position.pawns & bit:
        return _PAWN
    if position.knights & bit:
        return _KNIGHT
    if position.kings & bit:
        return _KING
    if position.diagonals & bit:
        return _QUEEN if position.lines & bit else _BISHOP
    return _ROOK
