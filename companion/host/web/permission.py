# SPDX-License-Identifier: Apache-2.0
"""What a browser may do, also for the sides of its seats. Pure.

Its rule: a command that names a side belongs to that side; one that concerns all is for everybody
who is seated; a piece is moved by its side, and one without a side by the side to move. `docs/
design.md` says the same of strangers; what has no row here does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

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
from companion.referee.values.commands import Answer, DeclineDraw, OfferDraw, PlayersCommand, Resign
from companion.referee.values.questions import Question
from companion.virtual.pieces import PieceSet


class Right(Enum):
    """What a browser needs to do something while others play."""

    NOTHING = "nothing"
    """It changes nothing in the game: everybody may watch, and ask for a seat."""
    SPARE = "something that no game uses"
    """Such as a board that is only tested."""
    KEEPER = "a seat, or this machine"
    """It changes what is kept of games that are over."""
    SEAT = "a seat"
    """While nobody is seated, everybody at the table's page counts as seated."""
    CONSENT = "a seat, or the consent of those who have one"
    """It puts another game in the place of the one under way."""


MESSAGES: Final[Mapping[str, Right]] = {
    **dict.fromkeys(("Sit", "StandUp"), Right.NOTHING),
    **dict.fromkeys(("GiveSeat", "LetBegin", "PressHint", "WantResult"), Right.SEAT),
    **dict.fromkeys(("Lift", "Drop", "Touch", "PutBack", "PutAway", "Take"), Right.SEAT),
    **dict.fromkeys(("Turn", "Flip", "PressClock", "SetRight", "Clear"), Right.SEAT),
    **dict.fromkeys(("Resign", "OfferDraw", "DeclineDraw", "TakeBack", "LetStand"), Right.SEAT),
    **dict.fromkeys(("Pause", "Adjourn", "Resume", "StartClock", "SetLevel"), Right.SEAT),
    **dict.fromkeys(("Correct", "Restore", "Answer"), Right.SEAT),
    **dict.fromkeys(("Begin", "Again", "Invitation", "NewGame"), Right.CONSENT),
}
"""The messages of a table's page, by the names of their classes."""
START_MESSAGES: Final[Mapping[str, Right]] = {
    **dict.fromkeys(("Play", "GoOn", "Exercise"), Right.CONSENT),
    **dict.fromkeys(("Delete", "Import"), Right.KEEPER),
}
"""Those of the start page."""
ROUTES: Final[Mapping[str, Right]] = {
    **dict.fromkeys(("/", "/start", "/worker.js", "/page/{name}"), Right.NOTHING),
    **dict.fromkeys(
        ("/table.json", "/all-games.json", "/games.json", "/rules.json", "/lessons.json"), Right.NOTHING
    ),
    **dict.fromkeys(("/boards/{slug}.svg", "/puzzle.json", "/puzzles/{game}/{number}.svg"), Right.NOTHING),
    **dict.fromkeys(("/join.json", "/join.svg", "/companion.crt", "/camera.jpg"), Right.NOTHING),
    **dict.fromkeys(("/why.json", "/review.json", "/analysis.json", "/results.json"), Right.NOTHING),
    **dict.fromkeys(
        ("/game.{form}", "/position.svg", "/sensors", "/camera", "/programs/{name}"), Right.NOTHING
    ),
    **dict.fromkeys(("/kept/{number}/", "/kept/{number:int}/page/{name}"), Right.NOTHING),
    **dict.fromkeys(("/kept/{number}/review.json", "/kept/{number}/analysis.json"), Right.NOTHING),
    **dict.fromkeys(("/kept/{number}/results.json", "/kept/{number}/game.{form}"), Right.NOTHING),
    **dict.fromkeys(("/line.json", "/try.json"), Right.NOTHING),  # a move that is tried is made nowhere
    **dict.fromkeys(("/kept/{number}/line.json", "/kept/{number}/try.json"), Right.NOTHING),
    **dict.fromkeys(("/kept/{number}/position.svg", "/kept/{number}/board.svg"), Right.NOTHING),
    "/unfinished/{journal}/board.svg": Right.NOTHING,
    "/ws": Right.NOTHING,  # its messages are above
    "/start/ws": Right.NOTHING,
    "/sensors/ws": Right.SPARE,
    "/camera/ws": Right.SPARE,
}
"""The addresses of the program; those without WebSockets are only read."""


def is_for(owner: Side | None, sides: frozenset[Side]) -> bool:
    """True if *sides* may do what *owner* may do; None: everybody who is seated."""
    return bool(sides) if owner is None else owner in sides


def owner_of_command(command: PlayersCommand, question: Question | None) -> Side | None:
    """Return the side that may give *command* while *question* is pending; None for any."""
    match command:
        case Resign(side) | OfferDraw(side) | DeclineDraw(side):
            return side
        case Answer() if question is not None:
            return question.side
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
