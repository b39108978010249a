# SPDX-License-Identifier: Apache-2.0
"""How a virtual hand completes the move that it has begun."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from companion.model.game import Violation
from companion.model.grid import Cell
from companion.model.pieces import Piece
from companion.referee.values.questions import Question
from companion.virtual.pieces import PieceSet


class Rearrangement(NamedTuple):
    """What a move changes on the board, by the board's cells."""

    removed: tuple[Cell, ...]
    """A cell of each piece that leaves its place, besides the one in the hand."""
    put: tuple[tuple[Piece, tuple[Cell, ...]], ...]
    """What is put down, and where: first the held piece, unless it leaves."""
    is_held_put: bool = True
    """False if the piece in the hand leaves the board."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Several moves that the hand may complete."""

    question: Question
    answered: Callable[[int], DropResult]
    """What a choice, counted from 0, leads to."""
    over: Cell | None = None
    """The cell over which the piece is held; None before a drop."""
    as_it_is: Rearrangement | None = None
    """The move that another tap on that cell makes: the piece is just put there."""


DropResult: TypeAlias = "Rearrangement | Offer | Violation | None"
"""What a drop becomes: a move, a question, a refusal; None for just a drop."""


def completing(pieces: PieceSet, change: Rearrangement) -> Iterator[PieceSet]:
    """Yield the pieces after each step of *change*: captures, the held piece, then others."""
    filled = {cell for _, cells in change.put for cell in cells}
    carried = [(piece.kind, piece.side) for piece, _ in change.put[change.is_held_put :]]
    waiting = list[Cell]()
    for cell in change.removed:
        entry = pieces.standing.entry_at(cell)
        if entry and (entry[0].kind, entry[0].side) in carried and filled.isdisjoint(entry[1]):
            waiting.append(cell)
        elif entry:
            pieces = pieces.clear(cell)
            yield pieces
    for number, (piece, cells) in enumerate(change.put):
        if number or not change.is_held_put:
            likes = (cell for cell in waiting if _is_like(pieces, cell, piece))
            if (like := next(likes, None)) is not None:
                waiting.remove(like)
                pieces = pieces.clear(like)
                yield pieces
        pieces = pieces.put(piece, cells)
        yield pieces
    yield pieces.put_away()


def _is_like(pieces: PieceSet, cell: Cell, piece: Piece) -> bool:
    """True if a piece of the same kind and side as *piece* stands on *cell*."""
    standing = pieces.standing.at(cell)
    return standing is not None and (standing.kind, standing.side) == (piece.kind, piece.side)
