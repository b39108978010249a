# SPDX-License-Identifier: Apache-2.0
"""A second, independent generator of GOTTAZ turns.

It uses strings in dictionaries, tries every pair of cells, and shares no code with the game. It
maps the text of a position to the texts (boards and hands only) after each turn.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

Cell = tuple[int, int]
"""(file, rank), 1 to 5."""
Board = dict[Cell, str]
"""Cell to pawn: `S1L5` or `s1l5` for first or second side.

The upper face is first.
"""
Hands = dict[str, Counter[str]]
CELLS = list(product(range(1, 6), range(1, 6)))


def read(text: str) -> tuple[Board, str, Hands]:
    ranks, turn, first, second, _ = text.split()
    board = {}
    for down, row in enumerate(ranks.split("/")):
        for file, sign in enumerate(row.split(",")):
            if sign != ".":
                board[file + 1, 5 - down] = sign
    hands = {side: Counter[str]() for side in "fs"}
    for side, field in (("f", first), ("s", second)):
        for part in field.split("+") if field != "-" else []:
            hands[side][weaker(part[-4:])] += int(part[:-4])
    return board, turn, hands


def weaker(sign: str) -> str:
    """The pawn without side and face: its faces in a fixed order."""
    upper = sign.upper()
    return min(upper, upper[2:] + upper[:2])


def side_of(sign: str) -> str:
    return "s" if sign.islower() else "f"


def snapshot(board: Board, hands: Hands) -> tuple[object, ...]:
    return frozenset(board.items()), *(frozenset((hands[side] + Counter()).items()) for side in "fs")


def row_fits(board: list[tuple[Cell, str]], side: str, rank: int) -> bool:
    own = [sign.upper() for (_, at), sign in board if at == rank and side_of(sign) == side]
    return sum(int(sign[1]) for sign in own) <= 8 + sum(sign[0] == "S" for sign in own)


def is_adjacent(one: Cell, other: Cell, options: dict[str, str]) -> bool:
    right, ahead = abs(one[0] - other[0]), abs(one[1] - other[1])
    if options["adjacency"] == "all-eight":
        return max(right, ahead) == 1
    return right + ahead == 1


def worth(board: Board, cell: Cell, sign: str, helped: bool, options: dict[str, str]) -> int:
    support = sum(
        other.upper()[0] == "U" and side_of(other) == side_of(sign) and is_adjacent(at, cell, options)
        for at, other in board.items()
    )
    return int(sign[1]) + (support if helped else 0)


def arrive(
    board: Board, hands: Hands, cell: Cell, sign: str, options: dict[str, str]
) -> tuple[object, ...] | None:
    """The board after *sign*, already taken from its cell, comes to *cell*.

    None if the row forbids it.
    """
    if not row_fits([*board.items(), (cell, sign)], side_of(sign), cell[1]):
        return None
    board, hands = dict(board), {side: Counter(hand) for side, hand in hands.items()}
    enemy = board.get(cell)
    if enemy is None:
        board[cell] = sign
        return snapshot(board, hands)
    attack = worth(board, cell, sign, True, options)
    defence = worth(board, cell, enemy, options["defender_support"] == "yes", options)
    if attack >= defence:
        hands[side_of(enemy)][weaker(enemy)] += 1
        del board[cell]
    if attack > defence:
        board[cell] = sign
    else:
        hands[side_of(sign)][weaker(sign)] += 1
    return snapshot(board, hands)


def results(text: str, options: dict[str, str]) -> set[tuple[object, ...]]:
    """Every board with hands after a turn, unless the side must pass."""
    board, turn, hands = read(text)
    found = [*placings(board, turn, hands, options)]
    for cell, sign in board.items():
        if side_of(sign) == turn:
            found += journeys(board, turn, hands, cell, options)
            found += abilities(board, turn, hands, cell, options)
    return {result for result in found if result is not None and result != snapshot(board, hands)}


def placings(
    board: Board, turn: str, hands: Hands, options: dict[str, str]
) -> list[tuple[object, ...] | None]:
    found = []
    for pawn, cell in product(hands[turn] + Counter(), CELLS):
        if cell[1] != (1 if turn == "f" else 5):
            continue
        if cell in board and (options["enter_occupied_territory"] == "no" or side_of(board[cell]) == turn):
            continue
        for sign in {pawn, pawn[2:] + pawn[:2]}:
            left = {side: Counter(hand) for side, hand in hands.items()}
            left[turn][pawn] -= 1
            found.append(arrive(board, left, cell, sign if turn == "f" else sign.lower(), options))
    return found


def journeys(
    board: Board, turn: str, hands: Hands, cell: Cell, options: dict[str, str]
) -> list[tuple[object, ...] | None]:
    """A plain move, Leap, Slant or Jump."""
    found = []
    sign = board[cell]
    rest = {at: other for at, other in board.items() if at != cell}
    for target in CELLS:
        if target == cell or (target in board and side_of(board[target]) == turn):
            continue
        right, ahead = target[0] - cell[0], target[1] - cell[1]
        size = sorted((abs(right), abs(ahead)))
        over = (cell[0] + right // 2, cell[1] + ahead // 2)
        ability = sign.upper()[0]
        is_leap = ability == "L" and size == [0, 2] and (over not in board or options["leap_over"] == "yes")
        is_slant = ability == "D" and size == [1, 1]
        is_jump = ability == "J" and target[1] == (1 if turn == "f" else 5)
        if size == [0, 1] or is_leap or is_slant or is_jump:
            found.append(arrive(rest, hands, target, sign, options))
    return found


def abilities(
    board: Board, turn: str, hands: Hands, cell: Cell, options: dict[str, str]
) -> list[tuple[object, ...] | None]:
    """Rotate, Swap or Tsunami."""
    found: list[tuple[object, ...] | None] = []
    sign = board[cell]
    ability = sign.upper()[0]
    if ability == "R":
        turned = {**board, cell: sign[2:] + sign[:2]}
        if row_fits([*turned.items()], turn, cell[1]):
            found.append(snapshot(turned, hands))
    if ability == "W":
        for other in board:
            if is_adjacent(cell, other, options):
                swapped = {**board, cell: board[other], other: sign}
                if all(row_fits([*swapped.items()], side, at[1]) for side in "fs" for at in (cell, other)):
                    found.append(snapshot(swapped, hands))
    if ability == "T":
        forward = 1 if turn == "f" else -1
        front, target = (cell[0], cell[1] + forward), (cell[0], cell[1] + 3 * forward)
        if front in board and target in CELLS:
            pushed = board[front]
            if target not in board or side_of(board[target]) != side_of(pushed):
                rest = {at: other for at, other in board.items() if at != front}
                found.append(arrive(rest, hands, target, pushed, options))
    return found
