# SPDX-License-Identifier: Apache-2.0
"""A chess position, the effect of moves, and the occupants of squares.

Moves are not checked.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from companion.games.chess.tables import (
    BIT,
    CASTLE,
    CASTLINGS,
    EN_PASSANT,
    EVERYTHING,
    FALLING_ATTACKS,
    FALLING_INNER,
    FILE_ATTACKS,
    FILE_INNER,
    HOME_RANK,
    KING,
    KNIGHT,
    PAWN,
    PLAIN,
    RANK_ATTACKS,
    RANK_INNER,
    RISING_ATTACKS,
    RISING_INNER,
    TO_BISHOP,
    TO_KNIGHT,
    TO_QUEEN,
    TO_ROOK,
    Move,
)
from companion.model.grid import OFF
from companion.model.occupancy import Occupancy, cells_of

WHITE, BLACK = 0, 1


class Position(NamedTuple):
    """Pieces by kind and side, side to move, and rights that cannot be seen."""

    turn: int
    pawns: Occupancy
    knights: Occupancy
    diagonals: Occupancy
    """Diagonal sliders: bishops and queens."""
    lines: Occupancy
    """Straight sliders: rooks and queens."""
    kings: Occupancy
    white: Occupancy
    black: Occupancy
    rights: Occupancy
    """Rooks with which their king may still castle."""
    passed: int
    """The en-passant square, or OFF if no such capture is legal."""
    quiet_plies: int
    """Plies since the last capture or pawn move."""
    number: int
    """Full-move number, from 1."""


EMPTY: Final = Position(WHITE, 0, 0, 0, 0, 0, 0, 0, 0, OFF, 0, 1)

KINDS: Final = ("pawn", "knight", "bishop", "rook", "queen", "king")
PROMOTED: Final = {TO_KNIGHT: "knight", TO_BISHOP: "bishop", TO_ROOK: "rook", TO_QUEEN: "queen"}


def kind_at(position: Position, square: int) -> str:
    """The kind of the piece on *square*, which must be occupied."""
    bit = BIT[square]
    if position.pawns & bit:
        return "pawn"
    if position.knights & bit:
        return "knight"
    if position.kings & bit:
        return "king"
    if position.diagonals & bit:
        return "queen" if position.lines & bit else "bishop"
    return "rook"


def of_kind(position: Position, kind: str) -> Occupancy:
    """The squares of all pieces of *kind*, of both sides."""
    return {
        "pawn": position.pawns,
        "knight": position.knights,
        "bishop": position.diagonals & ~position.lines,
        "rook": position.lines & ~position.diagonals,
        "queen": position.lines & position.diagonals,
        "king": position.kings,
    }[kind]


def side_at(position: Position, square: int) -> int | None:
    """The side of the piece on *square*, or None."""
    bit = BIT[square]
    if position.white & bit:
        return WHITE
    return BLACK if position.black & bit else None


def put(position: Position, square: int, kind: str, side: int) -> Position:
    """*position* with an added piece on *square*, which must be empty."""
    bit = BIT[square]
    return position._replace(
        pawns=position.pawns | bit * (kind == "pawn"),
        knights=position.knights | bit * (kind == "knight"),
        diagonals=position.diagonals | bit * (kind in ("bishop", "queen")),
        lines=position.lines | bit * (kind in ("rook", "queen")),
        kings=position.kings | bit * (kind == "king"),
        white=position.white | bit * (side == WHITE),
        black=position.black | bit * (side == BLACK),
    )


def attackers(position: Position, square: int, side: int, occupied: Occupancy) -> Occupancy:
    """The pieces of *side* that attack *square*, given *occupied*."""
    straight = (
        RANK_ATTACKS[square][occupied & RANK_INNER[square]]
        | FILE_ATTACKS[square][occupied & FILE_INNER[square]]
    )
    diagonal = (
        RISING_ATTACKS[square][occupied & RISING_INNER[square]]
        | FALLING_ATTACKS[square][occupied & FALLING_INNER[square]]
    )
    return (
        straight & position.lines
        | diagonal & position.diagonals
        | KNIGHT[square] & position.knights
        | KING[square] & position.kings
        | PAWN[1 - side][square] & position.pawns
    ) & (position.black if side else position.white)


def checkers(position: Position) -> Occupancy:
    """The pieces that give check to the side to move."""
    own = position.black if position.turn else position.white
    king = (position.kings & own).bit_length() - 1
    return attackers(position, king, 1 - position.turn, position.white | position.black)


def en_passant_pawns(position: Position, passed: int) -> Occupancy:
    """The pawns with a legal en-passant capture on *passed*."""
    turn, occupied = position.turn, position.white | position.black
    own = position.black if turn else position.white
    king = (position.kings & own).bit_length() - 1
    victim = BIT[passed + (8 if turn else -8)]
    legal = 0
    for pawn in cells_of(PAWN[1 - turn][passed] & position.pawns & own):
        after = occupied ^ BIT[pawn] ^ victim | BIT[passed]
        if not attackers(position, king, 1 - turn, after) & ~victim:
            legal |= BIT[pawn]
    return legal


def apply(position: Position, move: Move) -> Position:
    """The position after *move*, which must be legal."""
    code = move & 7
    if code == CASTLE:
        return _castle(position, move)
    turn, pawns, knights, diagonals, lines, kings, white, black, rights, _, quiet, number = position
    source, target = BIT[move >> 9], BIT[move >> 3 & 63]
    keep = EVERYTHING ^ (source | target)
    by_pawn = pawns & source
    is_noisy = by_pawn or (white | black) & target
    if code == EN_PASSANT:
        keep ^= target >> 8 if turn == WHITE else target << 8
    pawns = pawns & keep | (target if by_pawn and code in (PLAIN, EN_PASSANT) else 0)
    knights = knights & keep | (target if knights & source or code == TO_KNIGHT else 0)
    diagonals = diagonals & keep | (target if diagonals & source or code in (TO_BISHOP, TO_QUEEN) else 0)
    lines = lines & keep | (target if lines & source or code in (TO_ROOK, TO_QUEEN) else 0)
    if kings & source:
        rights &= ~HOME_RANK[turn]
    kings = kings & keep | (target if kings & source else 0)
    white = white & keep | (0 if turn else target)
    black = black & keep | (target if turn else 0)
    rights, quiet = rights & keep, 0 if is_noisy else quiet + 1
    after = Position(
        1 - turn, pawns, knights, diagonals, lines, kings, white, black, rights, OFF, quiet, number + turn
    )
    if by_pawn and (source << 16 == target or source >> 16 == target):
        return _with_passed(after, (move >> 9) + (move >> 3 & 63) >> 1)
    return after


def _with_passed(position: Position, passed: int) -> Position:
    """*position* with en passant on *passed*, if such a capture is legal."""
    is_near = PAWN[1 - position.turn][passed] & position.pawns
    return position._replace(passed=passed) if is_near and en_passant_pawns(position, passed) else position


def _castle(position: Position, move: Move) -> Position:
    """The position after castling."""
    king, rook = move >> 9, move >> 3 & 63
    castling = CASTLINGS[king, rook]
    king_target, rook_target = BIT[castling.king_target], BIT[castling.rook_target]
    keep = EVERYTHING ^ (BIT[king] | BIT[rook])
    own = king_target | rook_target
    return position._replace(
        turn=1 - position.turn,
        lines=position.lines & keep | rook_target,
        kings=position.kings & keep | king_target,
        white=position.white & keep | (0 if position.turn else own),
        black=position.black & keep | (own if position.turn else 0),
        rights=position.rights & ~HOME_RANK[position.turn],
        passed=OFF,
        quiet_plies=position.quiet_plies + 1,
        number=position.number + position.turn,
    )
