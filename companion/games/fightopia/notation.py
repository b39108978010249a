# SPDX-License-Identifier: Apache-2.0
"""Fightopia's moves and positions as text. The rulebook defines no notation.

Moves

    c3-c4         a pawn moves
    Gd1-d2        a giant moves; its lower left cell is named
    Ta1a2-a2b2    a tank drives or pivots; both its cells are named, the lower or left one first
    Ta1a2*a6      a tank shoots the pawn on a6
    Gd4*f4f5      a giant kills the tank on f4 and f5
    --            a pass: the side to move cannot act

Positions: the ranks from the eighth down, White in capitals, digits for empty cells,
then the side to move, `w` or `b`.
`P` is a pawn, `G` each of a giant's four cells, `V` a cell of a tank along a file,
`H` of one along a rank;
neighbouring tanks stay distinct: cells pair off from below, or from the left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from companion.games.fightopia.board import (
    AIMS,
    BIT,
    BLACK,
    BLOCK,
    CORNER_OF,
    DRIVE,
    GRID,
    KILL,
    LYING,
    MARCH,
    PAIR,
    PAIR_CELLS,
    PASS,
    STEP,
    WHITE,
    Army,
    Battle,
    Move,
    Stance,
    covered,
    stances,
)
from companion.model.errors import NotationError
from companion.model.occupancy import Occupancy, cells_of
from companion.model.phrase import Phrase

_MARKS: Final = "#!>"


def _tank(stance: Stance) -> str:
    return "T" + _cells(stance)


def _cells(stance: Stance) -> str:
    return "".join(GRID.name(cell) for cell in PAIR_CELLS[stance])


def readings(position: Battle, move: Move) -> list[str]:
    """*move* without marks: one text for each tank that could have fired a shot.

    In rising order. Other moves have a single text.
    """
    own = position.black if position.turn else position.white
    deed, source, target = move >> 14, move >> 7 & 127, move & 127
    name = GRID.name
    if deed == STEP:
        return [f"{name(source)}-{name(target)}"]
    if deed == DRIVE:
        return [f"{_tank(source)}-{_cells(target)}"]
    if deed == MARCH:
        return [f"G{name(source)}-{name(target)}"]
    if deed == KILL:
        return [f"G{name(own.giant)}*{_cells(target)}"]
    if deed == PASS:
        return ["--"]
    return [f"{_tank(stance)}*{name(target)}" for stance in shooters(position, target)]


def shooters(position: Battle, target: int) -> Iterable[Stance]:
    """The tanks of the side to move that can hit *target*."""
    own = position.black if position.turn else position.white
    occupied = covered(position.white) | covered(position.black)
    for stance in stances(own):
        line, met = AIMS[stance]
        if met[occupied & line] & BIT[target]:
            yield stance


def read_move(position: Battle, text: str, moves: Iterable[Move]) -> Move:
    """The one of *moves* that *text* denotes, in any of its readings. Raises `NotationError`."""
    bare = text.strip().rstrip(_MARKS)
    for move in moves:
        if bare in readings(position, move):
            return move
    where = write_position(position)
    raise NotationError(
        "{text!r} is not a legal move in {where}: write c3-c4, Ta1a2*a6 ...", where=where, text=text
    )


def write_position(position: Battle) -> str:
    """*position* as one line of text."""
    letters = ["."] * 64
    for side, army in ((WHITE, position.white), (BLACK, position.black)):
        for letter, cells in _covers(army).items():
            for cell in cells_of(cells):
                letters[cell] = letter if side == WHITE else letter.lower()
    ranks = ["".join(letters[8 * rank : 8 * rank + 8]) for rank in reversed(range(8))]
    text = "/".join(ranks)
    for gap in range(8, 0, -1):
        text = text.replace("." * gap, str(gap))
    return f"{text} {'wb'[position.turn]}"


def _covers(army: Army) -> dict[str, Occupancy]:
    """The cells by letter."""
    standing, lying = army.standing, army.lying
    return {
        "P": army.pawns,
        "V": standing | standing << 8,
        "H": lying | lying << 1,
        "G": BLOCK[army.giant],
    }


def read_position(text: str) -> Battle:
    """The position that *text* denotes: the inverse of `write_position`. Raises `NotationError`."""
    fields = text.split()
    if len(fields) != 2 or fields[1] not in ("w", "b"):
        raise _error(text, Phrase("expected ranks and w or b"))
    rows = [
        "".join("." * int(sign) if sign in "12345678" else sign for sign in row)
        for row in fields[0].split("/")
    ]
    if len(rows) != 8 or any(len(row) != 8 for row in rows):
        raise _error(text, Phrase("expected 8 ranks of 8 cells"))
    signs = "".join(reversed(rows))
    strange = "".join(sorted(set(signs) - set("PVHGpvhg.")))
    if strange:
        raise _error(text, Phrase("{sign!r} is not a piece", sign=strange[0]))
    white, black = (_read_army(text, signs, letters) for letters in ("PVHG", "pvhg"))
    return Battle("wb".index(fields[1]), white, black)


def _read_army(text: str, signs: str, letters: str) -> Army:
    """The pieces of one side."""
    pawns, upright, flat, giant = (
        sum(BIT[cell] for cell, sign in enumerate(signs) if sign == letter) for letter in letters
    )
    if giant not in CORNER_OF:
        raise _error(text, Phrase("the four {letter} must form one square", letter=letters[3]))
    standing = _pair_off(text, upright, 0)
    lying = _pair_off(text, flat, LYING)
    if pawns.bit_count() > 10 or (standing.bit_count() + lying.bit_count()) > 2:
        raise _error(text, Phrase("a side has at most ten pawns and two tanks"))
    return Army(pawns, standing, lying, CORNER_OF[giant])


def _pair_off(text: str, cells: Occupancy, direction: int) -> Occupancy:
    """The lower or left cells of the tanks that cover *cells*.

    *direction* is 0 for tanks along a file, else `LYING`.
    """
    found = 0
    while cells:
        cell = (cells & -cells).bit_length() - 1
        pair = PAIR[cell + direction]
        if not pair or pair & ~cells:
            raise _error(text, Phrase("the tank on {place} lacks a half", place=GRID.name(cell)))
        found |= BIT[cell]
        cells ^= pair
    return found


def _error(text: str, reason: str) -> NotationError:
    return NotationError("{text!r} is not a position: {reason}", reason=reason, text=text)
