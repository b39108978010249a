# SPDX-License-Identifier: Apache-2.0
"""Moves and positions of GOTTAZ as text.

A pawn is written with its upper face first, `S1L5`: Supply 1 over Leap 5;
in small letters for the second side.
Moves: `S1L5@c1` places, `c1-c2` moves, `c1>c3` leaps, slants or jumps, `c2<>c3` swaps,
`c2~c5` pushes a pawn to c5 by Tsunami, `c2*` rotates, `pass`, `+S1L5` chooses a pawn.
The marks `x` (battle), `^` (ESCAPE) and `#` (win) are optional in input.
"""

from __future__ import annotations

import re
from typing import Final

from companion.games.gottaz.rules import GottazBoard
from companion.games.gottaz.state import (
    GRID,
    JUMP,
    LEAP,
    MOVE,
    PASS,
    PICK,
    PLACE,
    ROTATE,
    SLANT,
    SWAP,
    TEN,
    TSUNAMI,
    GameState,
    Move,
)
from companion.model.errors import NotationError
from companion.model.grid import OFF
from companion.model.notation import not_legal

_SIGNS: Final = {MOVE: "-", LEAP: ">", SLANT: ">", JUMP: ">", SWAP: "<>", TSUNAMI: "~"}
_PAWN: Final = re.compile(r"[LUSWDTJR][1-5][LUSWDTJR][1-5]", re.IGNORECASE)


class GottazText(GottazBoard):
    """Writer and reader."""

    def sign(self, face: int) -> str:
        """The pawn with *face* up."""
        return self.pawns[face // 2].sign(face % 2)

    def write_move(self, position: GameState, move: Move) -> str:
        """The notation of *move*."""
        after = self.apply(position, move)
        mark = "#" if after.winner != OFF else "^" if self.announcements(after) else ""
        kind, _, _ = move
        is_battle = kind not in (PASS, PICK) and self.battle(self.change(position, move)) is not None
        return f"{self._bare(move)}{'x' if is_battle else ''}{mark}"

    def _bare(self, move: Move) -> str:
        """The notation without marks."""
        kind, what, where = move
        if kind == PASS:
            return "pass"
        if kind == PICK:
            return f"+{self.sign(2 * what)}"
        if kind == PLACE:
            return f"{self.sign(what)}@{GRID.name(where)}"
        if kind == ROTATE:
            return f"{GRID.name(what)}*"
        return f"{GRID.name(what)}{_SIGNS[kind]}{GRID.name(where)}"

    def named_face(self, text: str) -> tuple[int, bool] | None:
        """The face that *text*, a move, places or chooses, and whether it places it."""
        sign = text.removeprefix("+").partition("@")[0]
        return (self._read_face(sign, text), "@" in text) if _PAWN.fullmatch(sign) else None

    def read_move(self, position: GameState, text: str) -> Move:
        """The legal move that *text* denotes; marks are optional. Raises `NotationError`."""
        bare = text.strip().rstrip("x^#").lower()
        for move in self.legal_moves(position):
            if self._bare(move).lower() == bare:
                return move
        raise not_legal(self.write_position(position), text)

    def write_position(self, position: GameState) -> str:
        """Ranks from the fifth down, the side to move, both hands, and the winner."""
        ranks = []
        for rank in reversed(range(5)):
            row = position.board[rank * 5 : rank * 5 + 5]
            ranks.append(",".join(self._write_piece(code) if code else "." for code in row))
        hands = [
            "+".join(f"{count}{pawn.sign(0)}" for count, pawn in zip(hand, self.pawns, strict=True) if count)
            or "-"
            for hand in position.hands
        ]
        winner = "-" if position.winner == OFF else "fs"[position.winner]
        return f"{'/'.join(ranks)} {'fs'[position.turn]} {hands[0]} {hands[1]} {winner}"

    def _write_piece(self, code: int) -> str:
        """The sign of a piece, in small letters for the second side."""
        sign = self.sign(self.face(code))
        return sign.lower() if self.owner(code) else sign

    def read_position(self, text: str) -> GameState:
        """The inverse of `write_position`. Raises `NotationError`."""
        fields = text.split()
        if len(fields) != 5 or fields[1] not in ("f", "s") or fields[4] not in ("-", "f", "s"):
            raise NotationError(
                "{text!r} is not a position: expected ranks, f or s, two hands and the winner", text=text
            )
        rows = [rank.split(",") for rank in reversed(fields[0].split("/"))]
        if len(rows) != 5 or any(len(row) != 5 for row in rows):
            raise NotationError("{text!r} is not a position: expected 5 ranks of 5 cells", text=text)
        board = bytes(self._read_piece(sign, text) for row in rows for sign in row)
        hands = (self._read_hand(fields[2], text), self._read_hand(fields[3], text))
        stand = GameState("fs".index(fields[1]), board, hands, "fs".find(fields[4]))
        for side, hand in enumerate(hands):
            count = sum(hand) + sum(1 for code in board if code and self.owner(code) == side)
            if count > TEN or (count < TEN and not self.is_chosen):
                raise NotationError(
                    "{text!r} is not a position: the {side} side has {count} pawns",
                    side=self.sides[side],
                    count=count,
                    text=text,
                )
        return stand

    def _read_piece(self, sign: str, text: str) -> int:
        """The code of a piece as it is written on the board."""
        return 0 if sign == "." else self.code(int(sign.islower()), self._read_face(sign, text))

    def _read_face(self, sign: str, text: str) -> int:
        """The face denoted by *sign*."""
        for face in range(len(self.faces)):
            if self.sign(face) == sign.upper():
                return face
        raise NotationError("{text!r}: {sign!r} is no pawn of this set", sign=sign, text=text)

    def _read_hand(self, field: str, text: str) -> bytes:
        """The number of each pawn that *field* names."""
        counts = bytearray(len(self.pawns))
        for part in field.split("+") if field != "-" else []:
            digits = part[: len(part) - 4]
            if not digits.isdecimal() or not 0 < int(digits) <= TEN or not _PAWN.fullmatch(part[-4:]):
                raise NotationError("{text!r}: {part!r} is not a pawn of a hand", part=part, text=text)
            counts[self._read_face(part[-4:], text) // 2] += int(digits)
        return bytes(counts)
