# SPDX-License-Identifier: Apache-2.0
"""Martian Chess as text: `c3-d4`, `c3xd5`, `c3+b4=Q`, and one line per position."""

from __future__ import annotations

import re
from typing import Final

from companion.games.martian_chess.rules import CALL, NOBODY, Code, GameState, MartianMoves, Move
from companion.model.errors import NotationError
from companion.model.notation import not_legal

LETTERS: Final = {1: "p", 2: "d", 3: "q", 6: "D", 11: "Q", 7: "P"}
"""`D`: Drone of two Pawns; `Q`: Queen under a Drone; `P`: Queen under a Pawn."""
_CODES: Final = {letter: code for code, letter in LETTERS.items()}
_MOVE: Final = re.compile(r"(\w\d+)\s*[-x+]?\s*(\w\d+)(?:=[QqDd])?#?")
_CALL: Final = "clock"


class MartianText(MartianMoves):
    """Texts, on top of the moves."""

    def write_move(self, position: GameState, move: Move) -> str:
        """`c3-d4`; `x` is a capture, `+` with the result a merger, `clock` the call.

        `#` marks the end of the game.
        """
        if move == CALL:
            return _CALL
        source, target = move >> 7, move & 127
        other, become = position.board[target], ""
        sign = "x" if other else "-"
        if other and self.layout.zone_of[target] == position.turn:
            sign, become = "+", f"={' PDQ'[self.merged(position.board[source], other) & 3]}"
        end = "#" if self.is_over(self.apply(position, move)) else ""
        return f"{self.grid.name(source)}{sign}{self.grid.name(target)}{become}{end}"

    def read_move(self, position: GameState, text: str) -> Move:
        """The legal move that *text* denotes; signs and marks are optional.

        Of moves with the same result, any text denotes the one that is kept.
        Raises `NotationError`.
        """
        parts = _MOVE.fullmatch(text.strip())
        if text.strip().lower() == _CALL:
            move = CALL
        elif parts:
            move = self.grid.cell(parts[1]) << 7 | self.grid.cell(parts[2])
        else:
            raise NotationError(
                "{text!r} is not a move: expected two cells, as in {example}",
                example=self._example(),
                text=text,
            )
        legal = self.legal_moves(position)
        if move not in legal and move in self._moves(position.turn, position.board) and move != position.undo:
            after = self.apply(position, move)
            move = next((other for other in legal if self.apply(position, other) == after), move)
        if move not in legal:
            raise not_legal(self.write_position(position), text)
        return move

    def _example(self) -> str:
        """A move on this board."""
        return f"{self.grid.names[0]}-{self.grid.names[1]}"

    def write_position(self, position: GameState) -> str:
        """One line: cells, side to move, scores, forbidden move, quiet moves, sides out.

        The forbidden move is the one that would undo the last;
        quiet moves are those since a capture.
        Cells: ranks from the far one down, or wedge by wedge from x0y0 to x3y3;
        digits count empty cells.
        """
        rows = ["".join(LETTERS.get(code, ".") for code in row) for row in self._rows(position.board)]
        cells = "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in rows)
        undo = "-"
        if position.undo != NOBODY:
            undo = f"{self.grid.name(position.undo >> 7)}-{self.grid.name(position.undo & 127)}"
        quiet = "-" if position.quiet == NOBODY else str(position.quiet)
        out = "".join(str(side + 1) for side in range(self.players) if position.out >> side & 1) or "-"
        scores = ",".join(map(str, position.scores))
        return f"{cells} {position.turn + 1} {scores} {undo} {quiet} {out}"

    def _rows(self, board: bytes) -> list[bytes]:
        """*board* in the order of its text."""
        length = self.grid.files or 16
        rows = [board[at : at + length] for at in range(0, len(board), length)]
        return rows[::-1] if self.grid.files else rows

    def read_position(self, text: str) -> GameState:
        """The position that *text* denotes. Raises `NotationError`."""
        fields = text.split()
        if len(fields) != 6:
            raise NotationError("{text!r} is not a position: expected six fields", text=text)
        cells, turn, scores, undo, quiet, out = fields
        board = self._read_board(cells, text)
        numbers = scores.split(",")
        digits = "123456"[: self.players]
        if turn not in digits or len(numbers) != self.players or not all(map(str.isdecimal, numbers)):
            raise NotationError(
                "{text!r} is not a position: {count} sides have turns and scores",
                count=self.players,
                text=text,
            )
        if (
            (quiet != "-" and not quiet.isdecimal())
            or (out != "-" and not set(out) < set(digits))
            or turn in out
        ):
            raise NotationError("{text!r} is not a position: the last two fields do not fit", text=text)
        back = undo.split("-") if undo != "-" else []
        if len(back) not in (0, 2):
            raise NotationError("{text!r} is not a position: {move!r} is not a move", move=undo, text=text)
        return GameState(
            int(turn) - 1,
            board,
            sum(1 << cell for cell, code in enumerate(board) if code),
            tuple(map(int, numbers)),
            self.grid.cell(back[0]) << 7 | self.grid.cell(back[1]) if back else NOBODY,
            NOBODY if quiet == "-" else int(quiet),
            sum(1 << digits.index(digit) for digit in set(out.replace("-", ""))),
        )

    def _read_board(self, cells: str, text: str) -> bytes:
        """The codes of the cells that the first field denotes."""
        rows = [re.sub(r"\d+", lambda gap: "." * min(int(gap[0]), 99), row) for row in cells.split("/")]
        if [len(row) for row in rows] != [len(row) for row in self._rows(self.layout.start)]:
            raise NotationError("{text!r} is not a position: it has not the cells of this board", text=text)
        signs = "".join(reversed(rows) if self.grid.files else rows)
        strange = set(signs) - {".", *_CODES}
        if strange:
            raise NotationError(
                "{text!r} is not a position: {sign!r} is not a piece", sign=min(strange), text=text
            )
        return bytes(_CODES.get(sign, 0) for sign in signs)


def shown(code: Code) -> int:
    """The visible kind: the upper piece of a stack."""
    return code >> 2 or code & 3
