# SPDX-License-Identifier: Apache-2.0
"""What the sides of a browser's seats may do."""

from __future__ import annotations

import pytest

from companion.host.virtual_table.hands import (
    Drop,
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
from companion.host.web.permission import is_for, may_move, owner_of_command, owner_of_motion
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.commands import (
    Answer,
    DeclineDraw,
    OfferDraw,
    Pause,
    PlayersCommand,
    Resign,
    TakeBack,
)
from companion.referee.values.questions import Aspect, Choice, Question
from companion.virtual.pieces import PieceSet, UnplacedPiece

WHITE, BLACK, NOBODY = frozenset({0}), frozenset({1}), frozenset[int]()
STANDING = Placement(((Piece("king", 0), (0,)), (Piece("king", 1), (8,)), (Piece("pyramid", None), (5,))))
PIECES = PieceSet(STANDING, box=(UnplacedPiece(Piece("queen", 1)),))
HELD = PIECES.lift(0)


@pytest.mark.parametrize(
    ("hand", "pieces", "white", "black"),
    [
        (Lift(0), PIECES, True, False),
        (Touch(8), PIECES, False, True),
        (Touch(3), PIECES, True, True),  # an empty cell: no effect
        (Touch(5), PIECES, True, False),  # without an owner: White is to move
        (Drop(8), HELD, True, False),  # a capture by the piece in the hand
        (Touch(8), HELD, True, False),
        (PutBack(), HELD, True, False),
        (Turn(), HELD, True, False),
        (Take(0), PIECES, False, True),
        (PutAway(8), PIECES, True, True),  # White takes a captured piece off
        (PressClock(1), PIECES, False, True),
        (SetRight(), PIECES, True, True),
    ],
)
def test_a_piece_is_moved_by_its_side(hand: Hand, pieces: PieceSet, white: bool, black: bool) -> None:
    assert may_move(hand, WHITE, 0, pieces) == white
    assert may_move(hand, BLACK, 0, pieces) == black
    assert not may_move(hand, NOBODY, 0, pieces)
    assert may_move(hand, WHITE | BLACK, 0, pieces)


def test_the_owner_of_a_motion_is_known() -> None:
    motions = (Touch(8), Touch(5), Touch(3), SetRight(), PressClock(1))
    assert [owner_of_motion(motion, 0, PIECES) for motion in motions] == [1, 0, None, None, 1]
    assert owner_of_motion(Drop(8), 1, HELD) == 0


@pytest.mark.parametrize(
    ("command", "white", "black"),
    [
        (Resign(0), True, False),
        (OfferDraw(1), False, True),
        (DeclineDraw(1), False, True),
        (Pause(), True, True),
        (TakeBack(), True, True),
    ],
)
def test_a_command_of_one_side_is_for_that_side(command: PlayersCommand, white: bool, black: bool) -> None:
    owner = owner_of_command(command, None)
    assert is_for(owner, WHITE) == white
    assert is_for(owner, BLACK) == black
    assert not is_for(owner, NOBODY)


def test_an_answer_belongs_to_the_side_that_is_asked() -> None:
    asked = Question(3, 1, Aspect.FACING, (5,), (Choice((5,)), Choice((5,))))
    assert owner_of_command(Answer(3, 0), asked) == 1
    assert owner_of_command(Answer(3, 0), None) is None
