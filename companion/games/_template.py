# SPDX-License-Identifier: Apache-2.0
"""A complete trivial game to copy: a race of two runners.

Each runs on its own file, one or two cells ahead per move; the first on the far rank wins.

    4  . r      R first side's runner, on file a      r second side's runner, on file b
    1  R .      the first side moves first

Source: none; made for this file.
To add a game, copy this file to `games/<name>.py`, and its words in
`feedback/words/*/_template.toml`.
CONTRIBUTING.md lists the commands; `tests/house/test_adding_a_game.py` names what is missing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from companion.games._shared.announce import announce, called_out
from companion.games._shared.attempts import read_attempt
from companion.model.errors import NotationError
from companion.model.game import (
    Announcement,
    CallOut,
    InvalidPosition,
    Option,
    Outcome,
    RetiredOption,
    Violation,
    choose,
)
from companion.model.grid import Cell, Grid, rectangle
from companion.model.moves import Step
from companion.model.notation import not_legal
from companion.model.observation import Difference, SensorKind
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement

_GRID: Final = rectangle(2, 4)
_LAST: Final = 3
_AHEAD: Final = (1, -1)

Move: TypeAlias = int
"""The number of cells ahead: a move is any small, cheap, hashable value."""


class GameState(NamedTuple):
    """A position: exactly the values that decide the future. Immutable, hashable, small."""

    turn: Side
    ranks: tuple[int, int]
    """The rank of each side's runner, 0 to 3 from the first side."""


class RunnersRules:
    """The game under chosen options. Immutable."""

    slug = "runners"
    grid: Grid = _GRID
    sides = ("first", "second")
    allows_take_back = True

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        self._reach = int(options["reach"])

    def initial(self) -> GameState:
        """Both runners on their first rank."""
        return GameState(0, (0, _LAST))

    def legal_moves(self, position: GameState) -> list[Move]:
        """One move per resulting position, in a fixed order; none when the game is over."""
        if self.status(position) is not None:
            return []
        return [count for count in range(1, self._reach + 1) if 0 <= self._after(position, count) <= _LAST]

    def _after(self, position: GameState, count: int) -> int:
        """The rank to which *count* takes the runner of the side to move."""
        return position.ranks[position.turn] + _AHEAD[position.turn] * count

    def apply(self, position: GameState, move: Move) -> GameState:
        """The position after *move*, which must be legal: this is not checked."""
        ranks = list(position.ranks)
        ranks[position.turn] = self._after(position, move)
        return GameState(1 - position.turn, (ranks[0], ranks[1]))

    def status(self, position: GameState) -> Outcome | None:
        """A win for the side that has reached the far rank."""
        if position.ranks[0] == _LAST:
            return Outcome((0,), "arrived")
        return Outcome((1,), "arrived") if position.ranks[1] == 0 else None

    def announcements(self, position: GameState) -> tuple[Announcement, ...]:
        """ESCAPE! if the side that has just moved could win on its next turn.

        The reply is skipped.
        """
        side = 1 - position.turn
        again = position._replace(turn=side)
        goal = (_LAST, 0)[side]
        can_arrive = any(self._after(again, move) == goal for move in self.legal_moves(again))
        found = [Announcement(CallOut.ESCAPE, side, (self._cell(position, side),), (goal * 2 + side,))]
        return called_out(self.options, found if can_arrive else [])

    @staticmethod
    def _cell(position: GameState, side: Side) -> Cell:
        """The cell of the runner of *side*: cells are counted rank by rank."""
        return position.ranks[side] * 2 + side

    def placement(self, position: GameState) -> Placement:
        """The pieces and their cells."""
        return Placement.of((self._cell(position, side), Piece("runner", side)) for side in (0, 1))

    def steps(self, position: GameState, move: Move) -> tuple[Step, ...]:
        """The physical steps, the mover's first."""
        side = position.turn
        return (
            Step.move(
                Piece("runner", side), self._cell(position, side), self._after(position, move) * 2 + side
            ),
        )

    def explain(self, position: GameState, difference: Difference) -> Violation:
        """The rule that *difference* breaks.

        `read_attempt` handles faults common to all games; the rest belongs to this game.
        """
        attempt = read_attempt(_GRID, self.placement(position), difference, position.turn)
        if isinstance(attempt, Violation):
            return attempt
        names = {"source": _GRID.name(attempt.source), "target": _GRID.name(attempt.target)}
        return Violation.of("runner-ahead", attempt.target, attempt.source, piece=attempt.piece, **names)

    def adopt(self, placement: Placement, turn: Side, before: GameState) -> GameState | InvalidPosition:
        """The position with *placement* and *turn* to move, or its faults."""
        cells = {piece.side: covered[0] for piece, covered in placement.entries if piece.kind == "runner"}
        if len(placement.entries) != 2 or cells.get(0, 1) % 2 != 0 or cells.get(1, 0) % 2 != 1:
            return InvalidPosition((Violation.of("runner-each"),))
        return GameState(turn, (cells[0] // 2, cells[1] // 2))

    def key(self, position: GameState) -> Hashable:
        """A value that is equal for repeated positions."""
        return position

    def write_move(self, position: GameState, move: Move) -> str:
        """`a1-a3`, with `#` for the win and `^` for ESCAPE."""
        source, target = self._cell(position, position.turn), self._after(position, move) * 2 + position.turn
        after = self.apply(position, move)
        mark = "#" if self.status(after) else "^" if self.announcements(after) else ""
        return f"{_GRID.name(source)}-{_GRID.name(target)}{mark}"

    def read_move(self, position: GameState, text: str) -> Move:
        """The inverse of `write_move`; marks may be left out. Raises `NotationError`."""
        for move in self.legal_moves(position):
            if self.write_move(position, move).rstrip("#^") == text.strip().rstrip("#^"):
                return move
        raise not_legal(self.write_position(position), text)

    def write_position(self, position: GameState) -> str:
        """Both runners' cells and the side to move.

        >>> GAME.rules().write_position(GAME.rules().initial())
        'a1 b4 first'
        """
        cells = _GRID.spell([self._cell(position, side) for side in (0, 1)])
        return f"{cells} {self.sides[position.turn]}"

    def read_position(self, text: str) -> GameState:
        """The inverse of `write_position`. Raises `NotationError`."""
        words = text.split()
        if len(words) != 3 or words[2] not in self.sides:
            raise NotationError("{text!r} is not a position: expected two cells and a side", text=text)
        first, second = _GRID.cells(" ".join(words[:2]))
        if first % 2 != 0 or second % 2 != 1:
            raise NotationError("{text!r} is not a position: each runner has its own file", text=text)
        return GameState(self.sides.index(words[2]), (first // 2, second // 2))


class _Runners:
    """The game's description and its rules."""

    slug = "runners"
    title = "Runners"
    source = "made for this file"
    needs = SensorKind.OCCUPANCY
    options = (Option("reach", ("2", "1"), "how many cells a runner goes at most"), announce(CallOut.ESCAPE))
    retired: tuple[RetiredOption, ...] = ()

    def rules(self, options: Mapping[str, str] | None = None) -> RunnersRules:
        """The rules under *options*. Raises `OptionError`."""
        return RunnersRules(choose(self.options, options or {}, self.retired))


GAME: Final = _Runners()
