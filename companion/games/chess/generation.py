# SPDX-License-Identifier: Apache-2.0
"""Generation of legal moves.
Checks and pins are found first, so no move is tried out.

Pure functions of a position. Moves are ordered by their numbers.
"""

from __future__ import annotations

from typing import Final

from companion.games.chess.position import Position, attackers, en_passant_pawns
from companion.games.chess.tables import (
    A_FILE,
    BETWEEN,
    BIT,
    CASTLINGS,
    DIAGONAL,
    EN_PASSANT,
    FALLING_ATTACKS,
    FALLING_INNER,
    FILE_ATTACKS,
    FILE_INNER,
    H_FILE,
    KING,
    KNIGHT,
    PAWN,
    PAWN_MOVES,
    PIECE_MOVES,
    PUSH_INNER,
    PUSHES,
    RANK_ATTACKS,
    RANK_INNER,
    RISING_ATTACKS,
    RISING_INNER,
    STRAIGHT,
    THROUGH,
    TO_QUEEN,
    Move,
    move_of,
)
from companion.model.grid import OFF
from companion.model.occupancy import Occupancy, cells_of

_LAST: Final = (0xFF << 56, 0xFF)
"""For each side the row in which its pawns promote."""


def legal_moves(position: Position) -> list[Move]:
    """All legal moves of the side to move, in rising order."""
    own, enemy = (position.black, position.white) if position.turn else (position.white, position.black)
    king = (position.kings & own).bit_length() - 1
    checks, pinned = _checks_and_pins(position, king, own, enemy)
    moves = _king_moves(position, king, own, enemy)
    if not checks:
        _add_free(moves, position, own ^ pinned, enemy, ~own)
        if pinned:
            _add_pinned(moves, position, pinned, enemy, king)
        if position.rights & own:
            _add_castlings(moves, position, king, position.rights & own & ~pinned)
    elif not checks & checks - 1:
        _add_free(
            moves, position, own ^ pinned, enemy, checks | BETWEEN[king].get(checks.bit_length() - 1, 0)
        )
    passed = position.passed
    if passed != OFF:
        moves += [move_of(pawn, passed, EN_PASSANT) for pawn in cells_of(en_passant_pawns(position, passed))]
    moves.sort()
    return moves


def captures(position: Position, targets: Occupancy) -> list[Move]:
    """The legal captures of *targets*, and promotions to a queen, in rising order.

    *targets* are squares of enemy pieces.
    """
    own, enemy = (position.black, position.white) if position.turn else (position.white, position.black)
    king = (position.kings & own).bit_length() - 1
    checks, pinned = _checks_and_pins(position, king, own, enemy)
    moves = _king_moves(position, king, ~targets, enemy)
    if not checks & checks - 1:
        evading = checks | BETWEEN[king].get(checks.bit_length() - 1, 0) if checks else -1
        pawns, last = position.pawns & own, _LAST[position.turn]
        free = own ^ pinned
        _add_free(moves, position, free & ~pawns, enemy, targets & evading)
        _add_free(moves, position, free & pawns, enemy, (targets | last) & evading)
        if pinned and not checks:
            _add_pinned(moves, position, pinned, enemy, king)
    passed = position.passed
    if passed != OFF and targets & position.pawns:
        moves += [move_of(pawn, passed, EN_PASSANT) for pawn in cells_of(en_passant_pawns(position, passed))]
    moves = [move for move in moves if BIT[move >> 3 & 63] & targets or move & 7 in (TO_QUEEN, EN_PASSANT)]
    moves.sort()
    return moves


def _checks_and_pins(
    position: Position, king: int, own: Occupancy, enemy: Occupancy
) -> tuple[Occupancy, Occupancy]:
    """The enemy pieces that give check, and the own pinned pieces."""
    turn, pawns, knights, diagonals, lines, _, white, black, _, _, _, _ = position
    checks = (KNIGHT[king] & knights | PAWN[turn][king] & pawns) & enemy
    pinned = 0
    snipers = (STRAIGHT[king] & lines | DIAGONAL[king] & diagonals) & enemy
    while snipers:
        sniper = snipers.bit_length() - 1
        snipers ^= BIT[sniper]
        shield = BETWEEN[king][sniper] & (white | black)
        if not shield:
            checks |= BIT[sniper]
        elif not shield & shield - 1:
            pinned |= shield & own
    return checks, pinned


def _king_moves(position: Position, king: int, own: Occupancy, enemy: Occupancy) -> list[Move]:
    """The king's steps to squares that no enemy attacks."""
    turn, pawns, knights, diagonals, lines, kings, white, black, _, _, _, _ = position
    pawns &= enemy
    pawn_attacks = (
        (pawns & ~A_FILE) << 7 | (pawns & ~H_FILE) << 9
        if turn
        else (pawns & ~H_FILE) >> 7 | (pawns & ~A_FILE) >> 9
    )
    targets = KING[king] & ~(own | pawn_attacks | KING[(kings & enemy).bit_length() - 1])
    safe = targets
    occupied = (white | black) ^ BIT[king]
    knights, diagonals, lines = knights & enemy, diagonals & enemy, lines & enemy
    while targets:
        square = targets.bit_length() - 1
        targets ^= BIT[square]
        if (
            KNIGHT[square] & knights
            or (
                STRAIGHT[square] & lines
                and (
                    RANK_ATTACKS[square][occupied & RANK_INNER[square]]
                    | FILE_ATTACKS[square][occupied & FILE_INNER[square]]
                )
                & lines
            )
            or (
                DIAGONAL[square] & diagonals
                and (
                    RISING_ATTACKS[square][occupied & RISING_INNER[square]]
                    | FALLING_ATTACKS[square][occupied & FALLING_INNER[square]]
                )
                & diagonals
            )
        ):
            safe ^= BIT[square]
    return [*PIECE_MOVES[king][safe]]


def _add_free(
    moves: list[Move], position: Position, free: Occupancy, enemy: Occupancy, allowed: Occupancy
) -> None:
    """Add the moves of *free* (unpinned) pieces to *allowed* squares."""
    turn, pawns, knights, diagonals, lines, _, white, black, _, _, _, _ = position
    occupied = white | black
    pawns &= free
    attacks, inner, pushes, pawn_moves = PAWN[turn], PUSH_INNER[turn], PUSHES[turn], PAWN_MOVES[turn]
    while pawns:
        square = pawns.bit_length() - 1
        pawns ^= BIT[square]
        targets = attacks[square] & enemy | pushes[square][occupied & inner[square]]
        moves += pawn_moves[square][targets & allowed]
    knights &= free
    while knights:
        square = knights.bit_length() - 1
        knights ^= BIT[square]
        moves += PIECE_MOVES[square][KNIGHT[square] & allowed]
    diagonals &= free
    while diagonals:
        square = diagonals.bit_length() - 1
        diagonals ^= BIT[square]
        moves += PIECE_MOVES[square][RISING_ATTACKS[square][occupied & RISING_INNER[square]] & allowed]
        moves += PIECE_MOVES[square][FALLING_ATTACKS[square][occupied & FALLING_INNER[square]] & allowed]
    lines &= free
    while lines:
        square = lines.bit_length() - 1
        lines ^= BIT[square]
        moves += PIECE_MOVES[square][RANK_ATTACKS[square][occupied & RANK_INNER[square]] & allowed]
        moves += PIECE_MOVES[square][FILE_ATTACKS[square][occupied & FILE_INNER[square]] & allowed]


def _add_pinned(
    moves: list[Move], position: Position, pinned: Occupancy, enemy: Occupancy, king: int
) -> None:
    """Add the moves of *pinned* pieces along the line of their pin."""
    for square in cells_of(pinned):
        line = THROUGH[king][square]
        own = position.black if position.turn else position.white
        _add_free(moves, position, BIT[square], enemy, line & ~own)


def _add_castlings(moves: list[Move], position: Position, king: int, rooks: Occupancy) -> None:
    """Add castling with each of *rooks*.

    Squares in between must be empty, the king's squares not attacked.

    None of *rooks* is pinned:
    in Chess960 a rook may be between its king and an attacker in the corner.
    """
    occupied = position.white | position.black
    for rook in cells_of(rooks):
        castling = CASTLINGS[king, rook]
        if not occupied & castling.empty and not any(
            attackers(position, square, 1 - position.turn, occupied ^ BIT[king])
            for square in cells_of(castling.path)
        ):
            moves.append(castling.move)
