# SPDX-License-Identifier: Apache-2.0
"""Illegal attempts: what hands put on a board by mistake, or to cheat, and how.

Of none of them can a legal move come, by what truly stands there; whether a sensor can tell is for the examiner to find out.
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
"""Cells with what stands on them then, None for nothing; one after the other."""

_TRIES: Final = 50
"""Attempts that are thought of: most are illegal."""


class Attempt(NamedTuple):
    """An illegal attempt."""

    way: str
    edits: Edits

    @property
    def cells(self) -> list[int]:
        """The cells that it changes, in the order of the hands."""
        return list(dict.fromkeys(cell for cell, _ in self.edits))


class Attempts:
    """Thinks of illegal attempts in a game before a sensor."""

    def __init__(self, rules: AnyRules, kind: SensorKind, chance: Random) -> None:
        self.rules = rules
        self.kind = kind
        self.chance = chance
        figures = rules.box() if isinstance(rules, HasBox) else ()
        standing = rules.placement(rules.initial()).by_cell().values()
        self.faces = sorted({face for figure in figures for face in figure.faces} or {*standing}, key=repr)
        """What may lie in the box."""

    def proposed(self, positions: Sequence[Any], board: Board) -> Attempt | None:
        """An attempt on *board* that leads to nothing lawful in any of *positions*: the present one, and those to which a hand may go back.

        None if none was thought of.
        """
        ways: list[Callable[[Board], Edits]] = [self._added, self._exchanged, self._turned, self._swapped]
        way = self.chance.choice([*[self._carried] * 4, *[self._moved_both] * 2, *ways])
        for _ in range(_TRIES if board else 0):
            edits = way(board)
            if edits and self._is_illegal(way, positions, board, edits):
                return Attempt(way.__name__.strip("_").replace("_", " "), edits)
        return None

    def onward(self, position: Any, board: Board, attempt: Attempt) -> tuple[Any, Step] | None:
        """A legal move in *position* by which the piece of *attempt* comes from its cell on *board* to another that is free, and nothing else moves."""
        if attempt.way != "carried":
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
        self, way: Callable[[Board], Edits], positions: Sequence[Any], board: Board, edits: Edits
    ) -> bool:
        """True if no legal move can come of *edits*.

        Nor of those put down first, or present on the way back: otherwise the first of two moves
        would be a move, and a swap a capture. If pieces come from the box, or twice, nothing that
        only looks legal may come of them.
        """
        everything = SensorKind.IDENTITY_FACING
        first = next(number for number, (_, piece) in enumerate(edits, start=1) if piece)
        for each in {edits[:first], edits}:
            after = _after(board, each)
            if any(oracle.is_lawful(self.rules, position, after, everything) for position in positions):
                return False
        back, kind = put_right(board, Attempt("", edits)), self.kind if way == self._swapped else everything
        on_the_way = [_after(_after(board, edits), back[:number]) for number in range(1, len(back))]
        if any(oracle.consistent(self.rules, each, part, kind) for each in positions for part in on_the_way):
            return False
        return way not in (self._added, self._moved_both) or self._is_plain(positions, board, edits)

    def _is_plain(self, positions: Sequence[Any], board: Board, edits: Edits) -> bool:
        """True if the sensor shows that nothing lawful can come of *edits*, nor a legal move be made by some of them."""
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
        """A piece is carried to some cell, and one that stands there is taken off."""
        source, target = self.chance.choice(sorted(board)), self.chance.choice(range(len(self.rules.grid)))
        if source == target:
            return ()
        taken = ((target, None),) if target in board else ()
        return ((source, None), *taken, (target, board[source]))

    def _moved_both(self, board: Board) -> Edits:
        """Two pieces are carried, one after the other, to cells that are free; only where a sensor tells them: else it may be several plies."""
        is_told = self.kind in (SensorKind.IDENTITY, SensorKind.IDENTITY_FACING)
        first = self._carried(board) if is_told else ()
        after = _after(board, first)
        free = [cell for cell in range(len(self.rules.grid)) if cell not in board and cell not in after]
        others = sorted(cell for cell in after if cell in board and after[cell] == board[cell])
        if len(first) != 2 or not free or not others:
            return ()
        source, target = self.chance.choice(others), self.chance.choice(free)
        return (*first, (source, None), (target, board[source]))

    def _added(self, board: Board) -> Edits:
        """A piece out of the box is put on a free cell."""
        free = [cell for cell in range(len(self.rules.grid)) if cell not in board]
        return ((self.chance.choice(free), self.chance.choice(self.faces)),) if free else ()

    def _exchanged(self, board: Board) -> Edits:
        """A piece is exchanged for one out of the box."""
        cell, other = self.chance.choice(sorted(board)), self.chance.choice(self.faces)
        return ((cell, None), (cell, other)) if board[cell] != other else ()

    def _turned(self, board: Board) -> Edits:
        """A piece that faces somewhere is turned where it stands, or lifted and turned."""
        cell = self.chance.choice(sorted(board))
        facing = self.chance.randrange(len(self.rules.grid.steps))
        if board[cell].facing in (None, facing):
            return ()
        lifted = ((cell, None),) if self.chance.random() < 0.5 else ()
        return (*lifted, (cell, replace(board[cell], facing=facing)))

    def _swapped(self, board: Board) -> Edits:
        """Two pieces change places."""
        one, other = self.chance.choice(sorted(board)), self.chance.choice(sorted(board))
        if board[one] == board[other]:
            return ()
        return ((one, None), (other, None), (other, board[one]), (one, board[other]))


def _after(board: Board, edits: Sequence[tuple[int, Piece | None]]) -> dict[int, Piece]:
    """*board* after *edits*."""
    standing: dict[int, Piece | None] = {**board, **dict(edits)}
    return {cell: piece for cell, piece in standing.items() if piece}


def put_right(board: Board, attempt: Attempt) -> Edits:
    """How hands put *attempt* right, after which *board* stands as before: what was put down is lifted first."""
    after = _after(board, attempt.edits)
    wrong = [cell for cell in attempt.cells if after.get(cell) != board.get(cell)]
    lifts = [(cell, None) for cell in reversed(wrong) if cell in after]
    return (*lifts, *[(cell, board[cell]) for cell in wrong if cell in board])
