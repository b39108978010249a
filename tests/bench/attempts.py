# SPDX-License-Identifier: Apache-2.0
"""Illegal attempts: what hands put on a board by mistake, or to cheat.

No legal move can lead to the board after an attempt. Whether a sensor can tell that is for the
examiner to find out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from companion.model.game import AnyRules, HasBox
from companion.model.moves import Step
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from tests.bench import oracle
from tests.bench.oracle import Board

Edits: TypeAlias = tuple[tuple[int, Piece | None], ...]
"""Changes in order: a cell, and the piece on it from then on, or None."""

_TRIES: Final = 50
"""Number of drawn attempts; most are illegal."""


class Attempt(NamedTuple):
    """An illegal attempt."""

    method: str
    edits: Edits

    @property
    def cells(self) -> list[int]:
        """The cells that it changes, in the order of the hands."""
        return list(dict.fromkeys(cell for cell, _ in self.edits))


class Attempts:
    """Draws illegal attempts in a game with a sensor."""

    def __init__(self, rules: AnyRules, kind: SensorKind, chance: Random) -> None:
        self.rules = rules
        self.kind = kind
        self.chance = chance
        figures = rules.box() if isinstance(rules, HasBox) else ()
        standing = rules.placement(rules.initial()).by_cell().values()
        self.faces = sorted({face for figure in figures for face in figure.faces} or {*standing}, key=repr)
        """Pieces that may lie in the box."""

    def propose(self, positions: Sequence[Any], board: Board) -> Attempt | None:
        """An attempt on *board* that no legal move in any of *positions* explains, or None.

        *positions* are the present one, and those to which a hand may go back.
        """
        methods: list[Callable[[Board], Edits]] = [self._added, self._exchanged, self._turned, self._swapped]
        method = self.chance.choice([*[self._carried] * 4, *[self._moved_both] * 2, *methods])
        for _ in range(_TRIES if board else 0):
            edits = method(board)
            if edits and self._is_illegal(method, positions, board, edits):
                return Attempt(method.__name__.strip("_").replace("_", " "), edits)
        return None

    def continuation(self, position: Any, board: Board, attempt: Attempt) -> tuple[Any, Step] | None:
        """A legal move that continues *attempt*, with its only step.

        In *position*, it takes the piece of *attempt* from its cell on *board* to another free
        cell, and changes nothing else. None if no such move exists.
        """
        if attempt.method != "carried":
            return None
        rules, source = self.rules, attempt.cells[:1]
        moves = ((move, rules.steps(position, move)) for move in rules.legal_moves(position))
        plain = [(move, *steps) for move, steps in moves if len(steps) == 1]
        found = [
            (move, step)
            for move, step in plain
            if [*step.source] == source != [*step.target] and not {*step.target} & {*board}
        ]
        return self.chance.choice(found) if found else None

    def _is_illegal(
        self, method: Callable[[Board], Edits], positions: Sequence[Any], board: Board, edits: Edits
    ) -> bool:
        """True if no legal move can lead to the board after *edits*.

        The same holds after the first piece is put down, and on the way back. Otherwise, the first
        of two moves would be legal, or a swap a capture. With pieces from the box, or with two
        pieces, not even a board that only looks legal is allowed.
        """
        everything = SensorKind.IDENTITY_FACING
        first = next(number for number, (_, piece) in enumerate(edits, start=1) if piece)
        for each in {edits[:first], edits}:
            after = _after(board, each)
            if any(oracle.is_lawful(self.rules, position, after, everything) for position in positions):
                return False
        back, kind = (
            correction(board, Attempt("", edits)),
            self.kind if method == self._swapped else everything,
        )
        on_the_way = [_after(_after(board, edits), back[:number]) for number in range(1, len(back))]
        if any(oracle.consistent(self.rules, each, part, kind) for each in positions for part in on_the_way):
            return False
        return method not in (self._added, self._moved_both) or self._is_plain(positions, board, edits)

    def _is_plain(self, positions: Sequence[Any], board: Board, edits: Edits) -> bool:
        """True if the sensor shows that no legal move explains any part of *edits*."""
        rules, kind, after = self.rules, self.kind, _after(board, edits)
        lifts, puts = ([edit for edit in edits if bool(edit[1]) is is_put] for is_put in (False, True))
        some = ((*gone, put) for gone in ((), *zip(lifts), lifts) for put in puts)
        parts = [_after(board, part) for part in some]
        return not any(
            oracle.is_lawful(rules, position, after, kind)
            or any(oracle.consistent(rules, position, part, kind) for part in parts)
            or oracle.may_be_played(rules, position, after, kind)
            for position in positions
        )

    def _carried(self, board: Board) -> Edits:
        """Carry a piece to any cell; a piece there is taken off."""
        source, target = self.chance.choice(sorted(board)), self.chance.choice(range(len(self.rules.grid)))
        if source == target:
            return ()
        taken = ((target, None),) if target in board else ()
        return ((source, None), *taken, (target, board[source]))

    def _moved_both(self, board: Board) -> Edits:
        """Carry two pieces, one after the other, to free cells.

        Only with sensors that identify pieces; for others it may be several plies.
        """
        is_recognised = self.kind in (SensorKind.IDENTITY, SensorKind.IDENTITY_FACING)
        first = self._carried(board) if is_recognised else ()
        after = _after(board, first)
        free = [cell for cell in range(len(self.rules.grid)) if cell not in board and cell not in after]
        others = sorted(cell for cell in after if cell in board and after[cell] == board[cell])
        if len(first) != 2 or not free or not others:
            return ()
        source, target = self.chance.choice(others), self.chance.choice(free)
        return (*first, (source, None), (target, board[source]))

    def _added(self, board: Board) -> Edits:
        """Put a piece from the box on a free cell."""
        free = [cell for cell in range(len(self.rules.grid)) if cell not in board]
        return ((self.chance.choice(free), self.chance.choice(self.faces)),) if free else ()

    def _exchanged(self, board: Board) -> Edits:
        """Exchange a piece for another one from the box."""
        cell, other = self.chance.choice(sorted(board)), self.chance.choice(self.faces)
        return ((cell, None), (cell, other)) if board[cell] != other else ()

    def _turned(self, board: Board) -> Edits:
        """Turn a piece that has a facing, on its cell or lifted."""
        cell = self.chance.choice(sorted(board))
        facing = self.chance.randrange(len(self.rules.grid.steps))
        if board[cell].facing in (None, facing):
            return ()
        lifted = ((cell, None),) if self.chance.random() < 0.5 else ()
        return (*lifted, (cell, replace(board[cell], facing=facing)))

    def _swapped(self, board: Board) -> Edits:
        """Swap two pieces."""
        one, other = self.chance.choice(sorted(board)), self.chance.choice(sorted(board))
        if board[one] == board[other]:
            return ()
        return ((one, None), (other, None), (other, board[one]), (one, board[other]))


def _after(board: Board, edits: Sequence[tuple[int, Piece | None]]) -> dict[int, Piece]:
    """*board* after *edits*."""
    standing: dict[int, Piece | None] = {**board, **dict(edits)}
    return {cell: piece for cell, piece in standing.items() if piece}


def correction(board: Board, attempt: Attempt) -> Edits:
    """How hands correct *attempt*: pieces are lifted first, and then put as on *board*."""
    after = _after(board, attempt.edits)
    wrong = [cell for cell in attempt.cells if after.get(cell) != board.get(cell)]
    lifts = [(cell, None) for cell in reversed(wrong) if cell in after]
    return (*lifts, *[(cell, board[cell]) for cell in wrong if cell in board])
