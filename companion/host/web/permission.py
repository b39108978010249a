# SPDX-License-Identifier: Apache-2.0
"""What a browser may do for the sides of its seats. Pure.

Its rule: a command that names a side belongs to that side; one that concerns all is for everybody
who is seated; a piece is moved by its side, and one without a side by the side to move.
"""

from __future__ import annotations

from companion.host.table.game_setup import Invitation, NewGameRequest
from companion.host.virtual_table.hands import (
    Clear,
    Drop,
    Flip,
    Hand,
    Lift,
    PressClock,
    PutAway,
    PutBack,
    SetRight,
    Take,
    Touch,
    Turn,
)
from companion.model.pieces import Piece, Side
from companion.referee.commands import Answer, DeclineDraw, OfferDraw, PlayersCommand, Resign
from companion.referee.view import TableView
from companion.virtual.pieces import PieceSet


def is_for(owner: Side | None, sides: frozenset[Side]) -> bool:
    """True if *sides* may do what *owner* may do; None: everybody who is seated."""
    return bool(sides) if owner is None else owner in sides


def owner_of_command(command: PlayersCommand | NewGameRequest | Invitation, view: TableView) -> Side | None:
    """Return the side that may give *command* at a table with *view*; None for any."""
    match command:
        case Resign(side) | OfferDraw(side) | DeclineDraw(side):
            return side
        case Answer() if view.question is not None:
            return view.question.side
    return None


def owner_of_motion(hand: Hand, turn: Side, pieces: PieceSet) -> Side | None:
    """Return the side that may make *hand*, with *turn* to move; None for any."""
    match hand:
        case PressClock(side):
            return side
        case SetRight() | Clear():
            return None
    piece = _concerned(hand, pieces)
    if piece is None:
        return None
    return turn if piece.side is None else piece.side


def may_move(hand: Hand, sides: frozenset[Side], turn: Side, pieces: PieceSet) -> bool:
    """True if *sides* may make the motion *hand*, with *turn* to move."""
    takes_captured = isinstance(hand, PutAway) and turn in sides
    return takes_captured or is_for(owner_of_motion(hand, turn, pieces), sides)


def _concerned(hand: Hand, pieces: PieceSet) -> Piece | None:
    """Return the piece that *hand* moves; None if it finds none."""
    if pieces.hand is not None:
        return pieces.hand.piece
    match hand:
        case Take(index):
            return pieces.box[index].piece if 0 <= index < len(pieces.box) else None
        case Lift(cell) | Touch(cell) | Drop(cell):
            entry = pieces.standing.entry_at(cell)
        case Turn(cell) | Flip(cell) | PutAway(cell):
            entry = None if cell is None else pieces.standing.entry_at(cell)
        case PutBack() | _:
            entry = None
    return None if entry is None else entry[0]
