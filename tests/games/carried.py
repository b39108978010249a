# SPDX-License-Identifier: Apache-2.0
"""The pieces that a hand may carry to make a move, and where to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from companion.games.gottaz import GottazRules
from companion.games.gottaz.state import JUMP, LEAP, MOVE, PLACE, SLANT, TSUNAMI, ahead
from companion.games.martian_chess import MartianRules
from companion.model.errors import NotationError
from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.pieces import Piece


@dataclass(frozen=True, slots=True)
class Carry:
    """A piece, the cells that it covers, and those on which it is put."""

    piece: Piece
    source: tuple[Cell, ...]
    """() for a piece from beside the board."""
    target: tuple[Cell, ...]


def carries(rules: AnyRules, position: Any, move: Any) -> tuple[Carry, ...]:
    """Each piece with which a hand can make *move*; two if both change places.

    A piece that turns in place is carried to its own cells. A pawn that loses its battle is
    carried to where it falls.
    """
    if isinstance(rules, GottazRules):
        kind, what, where = move
        if kind == PLACE:
            return (Carry(rules.piece(rules.code(position.turn, what)), (), (where,)),)
        if kind in (MOVE, LEAP, SLANT, JUMP, TSUNAMI):
            source = ahead(position.turn, what, 1) if kind == TSUNAMI else what
            return (Carry(rules.piece(position.board[source]), (source,), (where,)),)
    found = [Carry(step.piece, step.source, step.target) for step in rules.steps(position, move)]
    going = [each for each in found if each.source and each.target]
    change_places = len(going) > 1 and going[0].target == going[1].source
    return tuple(going if change_places else going[:1])


def legal_carries(rules: AnyRules, position: Any) -> Iterator[tuple[Carry, Any]]:
    """Every legal way to carry a piece, each with its move.

    One move may have several readings, which lead to the same position: all are given.
    """
    moves = rules.legal_moves(position)
    for move in chain(moves, _readings(rules, position, moves)):
        for carry in carries(rules, position, move):
            yield carry, move


def _readings(rules: AnyRules, position: Any, moves: Sequence[Any]) -> Iterator[Any]:
    """Moves that are not among *moves*, but lead to the position of one of them."""
    if isinstance(rules, GottazRules):
        after = {rules.apply(position, move) for move in moves}
        for move in rules.candidates(position):
            is_within = rules.overfull(rules.change(position, move)) is None
            if move not in moves and is_within and rules.apply(position, move) in after:
                yield move
    if isinstance(rules, MartianRules):
        for move in moves:
            yield from _twins(rules, position, move, moves)


def _twins(rules: MartianRules, position: Any, move: int, moves: Sequence[Any]) -> Iterator[Any]:
    """Captures with the piece of *move* that are other readings of it."""
    source, after = move >> 7, rules.apply(position, move)
    for target in range(len(rules.grid)):
        twin = source << 7 | target
        is_equal = position.board[target] == position.board[source] and target != source
        if not is_equal or rules.layout.zone_of[target] == position.turn or twin in moves:
            continue
        try:
            read = rules.read_move(position, f"{rules.grid.name(source)}{rules.grid.name(target)}")
        except NotationError:
            continue
        if read == move and rules.apply(position, twin) == after:
            yield twin
