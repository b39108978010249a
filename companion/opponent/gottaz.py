# SPDX-License-Identifier: Apache-2.0
"""GOTTAZ: pawns in the centre row and near it, strengths, and picks.

Source of the aim: GOTTAZ instructions, version 1.0, 2023: three own pawns in the centre row win.
The terms and weights are our own; `tests/tools/tune.py` can tune them.
A pawn that is placed rarely meets another: such moves are made here without the general code of
the rules, and the tests compare both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, cast

from companion.games.gottaz import GottazRules
from companion.games.gottaz.state import (
    CENTRE,
    PASS,
    PICK,
    PLACE,
    ROTATE,
    SWAP,
    TSUNAMI,
    GameState,
    Move,
)
from companion.model.game import Rules
from companion.model.grid import OFF, Cell
from companion.model.pieces import Piece, Side
from companion.opponent.knowledge import Knowledge

_WINNING: Final = 50
_BATTLE: Final = 10
_PAWN: Final = 100
_MOST_BOARDS: Final = 50_000


class GottazKnowledge(Knowledge[GameState, Move]):
    """Moves, values and order."""

    weights = MappingProxyType(
        {
            "one_in_centre": 60,
            "two_in_centre": 260,
            "beside_centre": 18,
            "strength": 5,
            "on_board": 15,
            "far_ahead": 10,
            "pick": 10,
            "turn": 15,
        }
    )
    margin = 250

    def __init__(self, rules: Rules[GameState, Move], weights: Mapping[str, int] | None = None) -> None:
        super().__init__(rules, weights)
        self._gottaz = cast(GottazRules, rules)
        faces = self._gottaz.faces
        self._span = len(faces)
        self._strength = (0, *(face.strength for _ in range(2) for face in faces))
        self._boards: dict[bytes, int] = {}

    # moves

    def after(self, position: GameState, move: Move) -> GameState:
        """The position after *move*."""
        kind, what, where = move
        if kind != PLACE or position.board[where]:
            return self.rules.apply(position, move)
        side = position.turn
        board = bytearray(position.board)
        board[where] = 1 + side * self._span + what
        hand = bytearray(position.hands[side])
        hand[what // 2] -= 1
        other = position.hands[1 - side]
        hands = (other, bytes(hand)) if side else (bytes(hand), other)
        return GameState(1 - side, bytes(board), hands)

    def noisy(self, position: GameState, least: int = 0) -> Sequence[Move]:
        """Battles that the attacker wins, and moves that put a third pawn into the centre."""
        rules = self._gottaz
        if rules.is_choosing(position):
            return ()
        without = position._replace(hands=_without(position.hands, position.turn))
        moves = list(rules.candidates(without))
        ranks = self.ranks(position, moves)
        return [
            move
            for move, rank in zip(moves, ranks, strict=True)
            if rank > 0 and rules.overfull(rules.change(position, move)) is None
        ]

    def null_move(self, position: GameState) -> GameState | None:
        """The other side to move, once the pawns are chosen."""
        return None if self._gottaz.is_choosing(position) else position._replace(turn=1 - position.turn)

    def ranks(self, position: GameState, moves: Sequence[Move]) -> list[int]:
        """Moves that may win, battles with the stronger pawn, moves into the centre, others."""
        side, board = position.turn, position.board
        own = sum(1 for cell in CENTRE if (code := board[cell]) and (code > self._span) == side)
        return [self._rank(board, side, own, move) for move in moves]

    def _rank(self, board: bytes, side: Side, own: int, move: Move) -> int:
        kind, what, where = move
        if kind in (PLACE, PASS, PICK, ROTATE):
            return -2 if kind == PLACE else -3
        enters = where in CENTRE and what not in CENTRE
        code = board[where]
        if kind == SWAP:
            return _WINNING if own == 2 and enters and code and (code > self._span) != side else -2
        if own == 2 and enters:
            return _WINNING
        if code and kind != TSUNAMI and (code > self._span) != side:
            lead = self._strength[board[what]] - self._strength[code]
            return _BATTLE + lead if lead > 0 else -1
        return 0 if enters else -2

    def capturing(self, position: GameState) -> Sequence[Move]:
        """All battles, and moves that put a third pawn into the centre."""
        board, moves = position.board, self.rules.legal_moves(position)
        return [
            move
            for move, rank in zip(moves, self.ranks(position, moves), strict=True)
            if rank == _WINNING or (board[move[2]] and move[0] not in (SWAP, ROTATE, PASS, PICK))
        ]

    def worth_of(self, piece: Piece) -> int:
        """Every pawn counts the same."""
        return 0 if piece.side is None else _PAWN

    def reached(self, position: GameState, move: Move) -> tuple[Cell, ...]:
        """The cell in the centre row that a second or third own pawn enters."""
        after, side = self.after(position, move).board, position.turn
        own = [cell for cell in CENTRE if (code := after[cell]) and (code > self._span) == side]
        entered = [cell for cell in own if not (code := position.board[cell]) or (code > self._span) != side]
        return tuple(entered) if len(own) >= 2 else ()

    def most_quiet(self, depth: int) -> int | None:
        """Few near the leaves."""
        return {1: 10, 2: 16, 3: 24}.get(depth)

    # values

    def decided(self, position: GameState) -> tuple[Side, ...] | None:
        """The side with three pawns in the centre."""
        return None if position.winner == OFF else (position.winner,)

    def value(self, position: GameState, side: Side) -> int:
        """What stands on the board; before that the strengths that were picked."""
        value = self._board(position.board)
        if self._gottaz.is_chosen:
            value += self.weight["pick"] * (self._hand(position.hands[0]) - self._hand(position.hands[1]))
        value += -self.weight["turn"] if position.turn else self.weight["turn"]
        return -value if side else value

    def _hand(self, hand: bytes) -> int:
        """The abilities of a hand: those that move a pawn count more."""
        return sum(
            count * (face.ability in ("leap", "slant", "jump", "tsunami"))
            for count, pawn in zip(hand, self._gottaz.pawns, strict=True)
            for face in pawn.faces
        )

    def _board(self, board: bytes) -> int:
        """The value of what stands on *board* for the first side."""
        found = self._boards.get(board)
        if found is None:
            if len(self._boards) >= _MOST_BOARDS:
                self._boards.clear()
            found = self._boards[board] = self._army(board, 0) - self._army(board, 1)
        return found

    def _army(self, board: bytes, side: Side) -> int:
        """The value of the pawns of *side*."""
        weight, centre, value = self.weight, 0, 0
        for cell, code in enumerate(board):
            if not code or (code > self._span) != side:
                continue
            value += weight["on_board"] + weight["strength"] * self._strength[code]
            gone = cell // 5 if side == 0 else 4 - cell // 5
            if gone == 2:
                centre += 1
            elif gone in (1, 3):
                value += weight["beside_centre"]
            elif gone == 4:
                value -= weight["far_ahead"]
        if centre >= 2:
            value += weight["two_in_centre"]
        elif centre:
            value += weight["one_in_centre"]
        return value


def knowledge(
    rules: Rules[GameState, Move], weights: Mapping[str, int] | None = None
) -> Knowledge[GameState, Move]:
    """The knowledge of GOTTAZ under *rules*."""
    return GottazKnowledge(rules, weights)


def _without(hands: tuple[bytes, bytes], side: Side) -> tuple[bytes, bytes]:
    """*hands*, of which that of *side* is empty."""
    empty = bytes(len(hands[side]))
    return (hands[0], empty) if side else (empty, hands[1])
