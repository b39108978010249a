# SPDX-License-Identifier: Apache-2.0
"""An illegal drop, and what every claim of a reason against it has in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from companion.model.game import AnyRules, Argument, Violation
from companion.model.grid import Cell
from companion.model.pieces import Piece, Side

Place: TypeAlias = tuple[int, int]
"""File and rank of a cell, from 0."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A piece that a hand puts on cells where no legal move brings it."""

    rules: AnyRules
    position: Any
    piece: Piece
    """As it is in the hand."""
    source: tuple[Cell, ...]
    """The cells that it covered; () if it comes from beside the board."""
    landing: tuple[Cell, ...]
    pieces: Mapping[Cell, Piece]
    """All pieces of the position, by cell."""

    @property
    def turn(self) -> Side:
        """The side to move."""
        return int(self.position.turn)

    @property
    def origin(self) -> str:
        """The name of the first cell that it covered; empty for none."""
        return self.name(self.source[0]) if self.source else ""

    @property
    def target(self) -> str:
        """The name of the first cell of the landing."""
        return self.name(self.landing[0])

    @property
    def entered(self) -> set[str]:
        """The names of the cells that it did not cover before."""
        return {self.name(cell) for cell in self.landing if cell not in self.source}

    def name(self, cell: Cell) -> str:
        return self.rules.grid.name(cell)

    def on(self, name: Argument | None) -> Piece | None:
        """The piece on the cell called *name*, the held one excepted."""
        if not isinstance(name, str) or name not in self.rules.grid.names:
            return None
        cell = self.rules.grid.cell(name)
        return None if cell in self.source else self.pieces.get(cell)

    def option(self, name: str) -> str:
        return self.rules.options[name]

    def others(self) -> dict[Place, Piece]:
        """The pieces that are not in the hand, by place on a rectangle."""
        return {
            place(self.name(cell)): piece for cell, piece in self.pieces.items() if cell not in self.source
        }

    def way(self) -> tuple[int, int]:
        """By how many files and ranks a piece of one cell was carried."""
        (file, rank), (to_file, to_rank) = place(self.origin), place(self.target)
        return to_file - file, to_rank - rank


Claim: TypeAlias = Callable[[Drop, dict[str, Argument]], bool]
"""True if the sentence with these arguments is true of the drop."""


def place(name: str) -> Place:
    """File and rank of the cell called *name*.

    >>> place("b3")
    (1, 2)
    """
    return ord(name[0].lower()) - ord("a"), int(name[1:]) - 1


def between(start: Place, end: Place) -> list[Place]:
    """The places strictly between two on one line; [] off a line."""
    files, ranks = end[0] - start[0], end[1] - start[1]
    length = max(abs(files), abs(ranks))
    if not length or files % length or ranks % length:
        return []
    return [(start[0] + files // length * n, start[1] + ranks // length * n) for n in range(1, length)]


def is_straight(way: tuple[int, int]) -> bool:
    return 0 in way and way != (0, 0)


def is_diagonal(way: tuple[int, int]) -> bool:
    return abs(way[0]) == abs(way[1]) != 0


def stands(drop: Drop, shown: Argument | None, cell: Argument | None) -> bool:
    """True if the piece *shown* in a sentence is the one on *cell*."""
    return isinstance(shown, Piece) and drop.on(cell) == shown


def never(_drop: Drop, _said: dict[str, Argument]) -> bool:
    """A claim that is not true of one piece which is carried by a hand."""
    return False


def of_another_side(drop: Drop, said: dict[str, Argument]) -> bool:
    """It is the other side's turn."""
    is_named = said["cell"] in {drop.name(cell) for cell in drop.source}
    return drop.piece.side not in (None, drop.turn) and is_named


COMMON: Final[dict[str, Claim]] = {
    "wrong-side": of_another_side,
    **dict.fromkeys(
        (
            *("unknown", "several-moved", "piece-added", "piece-exchanged", "piece-left", "touch-move"),
            *("press-without-move", "clock-without-move", "decided-elsewhere"),
        ),
        never,
    ),
}
"""The rules of all games.

At most one of them is a reason against a drop."""


def is_said_of(drop: Drop, found: Violation) -> bool:
    """True if the piece and the cell it comes from are those of the drop."""
    said = dict(found.arguments)
    sources = {drop.name(cell) for cell in drop.source}
    return said.get("piece", drop.piece) == drop.piece and said.get("source", drop.origin) in (
        sources or {""}
    )
