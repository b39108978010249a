# SPDX-License-Identifier: Apache-2.0
"""A second, independent generator of Close Quarters moves.

It uses coordinates and dictionaries, is slow, and shares no code with the game.
"""

from __future__ import annotations

Board = dict[tuple[int, int], str]
"""(file, rank) from 0 to the letter of the piece."""

STRAIGHT = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, -1), (-1, 1)]


def is_inside(file: int, rank: int) -> bool:
    return 0 <= file <= 3 and 0 <= rank <= 7


def read(text: str) -> tuple[Board, str]:
    """The board and the side to move of a position's text."""
    ranks, side, _ = text.split()
    board: Board = {}
    for down, row in enumerate(ranks.split("/")):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                board[file, 7 - down] = sign
                file += 1
    return board, side


def targets(board: Board, at: tuple[int, int], options: dict[str, str]) -> set[tuple[int, int]]:
    """The destinations of the piece on *at*."""
    letter = board[at]
    if letter == "M":
        found = mace_targets(board, at, options)
    else:
        directions = {"S": STRAIGHT + DIAGONAL, "P": STRAIGHT, "A": DIAGONAL}[letter]
        reach = 9 if letter != "S" else 1 if options["sword"] == "king" else 2
        leaps = letter == "S" and options["sword_jumps"] == "yes"
        found = set()
        for right, ahead in directions:
            for distance in range(1, reach + 1):
                between = [(at[0] + right * step, at[1] + ahead * step) for step in range(1, distance)]
                if leaps or not any(cell in board for cell in between):
                    found.add((at[0] + right * distance, at[1] + ahead * distance))
    enemy = "PMA" if letter == "S" else "S"
    return {cell for cell in found if is_inside(*cell) and board.get(cell, enemy[0]) in enemy}


def mace_targets(board: Board, at: tuple[int, int], options: dict[str, str]) -> set[tuple[int, int]]:
    """The Mace's L on empty cells."""
    found = set()
    for file in range(4):
        for rank in range(8):
            right, ahead = file - at[0], rank - at[1]
            if sorted((abs(right), abs(ahead))) != [1, 2]:
                continue
            half = (at[0] + right // 2, at[1]) if abs(right) == 2 else (at[0], at[1] + ahead // 2)
            corner = (file, at[1]) if abs(right) == 2 else (at[0], rank)
            beside = (at[0], rank) if abs(right) == 2 else (file, at[1])
            past = (half[0], rank) if abs(right) == 2 else (file, half[1])
            straight = half not in board and corner not in board
            crooked = beside not in board and past not in board
            if straight or (crooked and options["mace_path"] == "either"):
                found.add((file, rank))
    return found


def moves(text: str, options: dict[str, str]) -> set[tuple[str, str]]:
    """All legal (source, target) names in the position *text*."""
    board, side = read(text)
    if "S" not in board.values() or set(board.values()) == {"S"}:
        return set()
    rounds = int(text.split()[2])
    if options["turn_limit"] != "none" and side == "s" and rounds >= int(options["turn_limit"]):
        return set()
    return {
        (name(at), name(target))
        for at, letter in board.items()
        if (letter == "S") == (side == "s")
        for target in targets(board, at, options)
    }


def name(cell: tuple[int, int]) -> str:
    return "abcd"[cell[0]] + str(cell[1] + 1)
