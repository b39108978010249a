# SPDX-License-Identifier: Apache-2.0
"""A second, independent generator of Fightopia moves.

Pieces are sets of (file, rank). It is slow and shares no code with the game.
"""

from __future__ import annotations

Cell = tuple[int, int]
Piece = tuple[str, frozenset[Cell]]
"""A letter (capital for White) and the cells; T is a tank in any orientation."""

AROUND = [(right, ahead) for right in (-1, 0, 1) for ahead in (-1, 0, 1) if (right, ahead) != (0, 0)]
SIDEWAYS = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def read(text: str) -> tuple[list[Piece], str]:
    """The pieces and the side to move of a position's text."""
    ranks, side = text.split()
    signs: dict[Cell, str] = {}
    for down, row in enumerate(ranks.split("/")):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                signs[file, 7 - down] = sign
                file += 1
    pieces: list[Piece] = []
    for file, rank in sorted(signs):
        if (file, rank) not in signs:
            continue
        sign = signs[file, rank]
        rights, aheads = {"P": (1, 1), "V": (1, 2), "H": (2, 1), "G": (2, 2)}[sign.upper()]
        cells = {(file + right, rank + ahead) for right in range(rights) for ahead in range(aheads)}
        letter = "T" if sign.upper() in "VH" else sign.upper()
        pieces.append((letter if sign.isupper() else letter.lower(), frozenset(cells)))
        for cell in cells:
            del signs[cell]
    return pieces, side


def write(pieces: list[Piece], side: str) -> str:
    """The text of a position."""
    signs = {}
    for letter, cells in pieces:
        sign = letter
        if letter in "Tt":
            sign = "H" if len({rank for _, rank in cells}) == 1 else "V"
            sign = sign if letter == "T" else sign.lower()
        for cell in cells:
            signs[cell] = sign
    rows = []
    for rank in range(7, -1, -1):
        row, gap = "", 0
        for file in range(8):
            sign = signs.get((file, rank), "")
            if sign and gap:
                row, gap = row + str(gap), 0
            gap += not sign
            row += sign
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows) + " " + side


def moved(cells: frozenset[Cell], right: int, ahead: int) -> frozenset[Cell]:
    return frozenset((file + right, rank + ahead) for file, rank in cells)


def is_inside(cells: frozenset[Cell]) -> bool:
    return all(0 <= file <= 7 and 0 <= rank <= 7 for file, rank in cells)


def touches(one: frozenset[Cell], other: frozenset[Cell]) -> bool:
    """True if the two share an edge."""
    return any(moved(one, *step) & other for step in SIDEWAYS)


def tank_targets(cells: frozenset[Cell], taken: set[Cell], *, swept: bool) -> set[frozenset[Cell]]:
    """The destinations of a tank; *taken* are the cells of all other pieces."""
    found = set()
    one, other = sorted(cells)
    axis = (other[0] - one[0], other[1] - one[1])
    for sign in (1, -1):
        for distance in (1, 2):
            steps = [moved(cells, axis[0] * sign * n, axis[1] * sign * n) for n in range(1, distance + 1)]
            if all(is_inside(step) and not step & taken for step in steps):
                found.add(steps[-1])
    for pivot, end in ((one, other), (other, one)):
        for right, ahead in ((axis[1], axis[0]), (-axis[1], -axis[0])):
            landing = (pivot[0] + right, pivot[1] + ahead)
            corner = (end[0] + right, end[1] + ahead)
            after = frozenset({pivot, landing})
            if is_inside(after) and landing not in taken and not (swept and corner in taken):
                found.add(after)
    return found


def victims(cells: frozenset[Cell], board: dict[Cell, Piece]) -> list[Piece]:
    """The first piece before each end of a tank."""
    one, other = sorted(cells)
    axis = (other[0] - one[0], other[1] - one[1])
    found = []
    for start, sign in ((one, -1), (other, 1)):
        for distance in range(1, 8):
            cell = (start[0] + axis[0] * sign * distance, start[1] + axis[1] * sign * distance)
            if cell in board:
                found.append(board[cell])
                break
    return found


def is_over(pieces: list[Piece]) -> bool:
    """True if a giant is across or a side has no tank."""
    letters = [letter for letter, _ in pieces]
    across = any(
        rank == (7 if letter == "G" else 0) for letter, cells in pieces if letter in "Gg" for _, rank in cells
    )
    return across or "T" not in letters or "t" not in letters


def actions(pieces: list[Piece], side: str, *, swept: bool) -> set[str]:
    """The positions after each action of the side to move."""
    board = {cell: piece for piece in pieces for cell in piece[1]}
    results = set()
    following = "b" if side == "w" else "w"
    for piece in pieces:
        letter, cells = piece
        if letter.isupper() != (side == "w"):
            continue
        rest = [other for other in pieces if other is not piece]
        taken = set(board) - cells
        removed: list[Piece] = []
        if letter in "Tt":
            targets = tank_targets(cells, taken, swept=swept)
            removed = [
                victim for victim in victims(cells, board) if victim[0] == ("p" if side == "w" else "P")
            ]
        else:
            targets = {moved(cells, *step) for step in AROUND}
            targets = {target for target in targets if is_inside(target) and not target & taken}
        if letter in "Gg":
            enemy = "t" if side == "w" else "T"
            removed = [other for other in pieces if other[0] == enemy and touches(cells, other[1])]
        results |= {write([*rest, (letter, target)], following) for target in targets}
        results |= {write([other for other in pieces if other is not dead], following) for dead in removed}
    return results


def results(text: str, options: dict[str, str]) -> set[str]:
    """The texts of all positions that may follow the position *text*."""
    pieces, side = read(text)
    if is_over(pieces):
        return set()
    swept = options["pivot_clearance"] == "swept"
    found = actions(pieces, side, swept=swept)
    other = "b" if side == "w" else "w"
    if not found and options["no_move"] == "pass":
        return {write(pieces, other)}
    return found
