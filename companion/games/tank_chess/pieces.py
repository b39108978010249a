# SPDX-License-Identifier: Apache-2.0
"""The six kinds of tank, and the int codes of tanks and wrecks.

A *state* is a cell with a facing: `cell << 3 | facing`.
A *tank* is a state with its owner and kind: `state << 4 | side << 3 | kind`;
a *wreck* is `cell << 4 | side << 3 | kind`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.model.grid import Cell
from companion.model.pieces import Piece, Side

State: TypeAlias = int
Tank: TypeAlias = int
Wreck: TypeAlias = int

WRECK: Final = "wreck"
"""The pose of a destroyed tank: on its side, where it was hit."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Abilities of one kind of tank.

    Source: rules, tables 1 to 3 and the page of the 20 x 20 set-up.
    """

    slug: str
    letter: str
    """In maps and position texts; small for Black."""
    steps: int
    armour: tuple[int, int, int]
    """Front, side, rear."""
    gun: int
    arc: tuple[int, ...] = (7, 0, 1)
    """Directions of fire relative to the facing."""
    is_mortar: bool = False
    """Fires 3, 4 or 5 spaces, over anything."""


KINDS: Final = (
    Kind("light-tank", "L", 5, (1, 0, 0), 1),
    Kind("medium-tank", "M", 4, (2, 1, 0), 2),
    Kind("heavy-tank", "H", 3, (3, 2, 1), 3),
    Kind("command-tank", "C", 5, (1, 0, 0), 1),
    Kind("tank-destroyer", "D", 4, (2, 1, 0), 4, arc=(0,)),
    Kind("heavy-mortar", "R", 3, (1, 0, 0), 5, arc=(0,), is_mortar=True),
)
COMMAND: Final = 3
LETTERS: Final = "LMHCDR"
MORTAR_RANGE: Final = (3, 4, 5)

PIERCES: Final = tuple(
    tuple(tuple(shooter.gun > target.armour[hit] for hit in (2, 1, 1, 1, 0, 1, 1, 1)) for target in KINDS)
    for shooter in KINDS
)
"""True if a shot pierces: PIERCES[kind][target's kind][shot direction - target's facing].

A shot along the target's facing hits the rear.
"""

_PIECES: Final = tuple(
    Piece(KINDS[code & 7].slug, code >> 3 & 1, code >> 4) if code & 7 < len(KINDS) else None
    for code in range(128)
)
_WRECKS: Final = tuple(
    Piece(KINDS[code & 7].slug, code >> 3, None, WRECK) if code & 7 < len(KINDS) else None
    for code in range(16)
)
_CODES: Final = {piece: code for code, piece in enumerate(_PIECES) if piece} | {
    piece: code for code, piece in enumerate(_WRECKS) if piece
}


def piece_of(tank: Tank) -> Piece:
    """The tank as it stands."""
    piece = _PIECES[tank & 127]
    assert piece is not None
    return piece


def wreck_of(wreck: Wreck) -> Piece:
    """The wreck as a piece; a tank's code without its facing is accepted, too."""
    piece = _WRECKS[wreck & 15]
    assert piece is not None
    return piece


def pack(piece: Piece, cell: Cell) -> Tank | Wreck | None:
    """The code of *piece* on *cell*: a tank or a wreck, by its pose;
    None if there is no such piece.
    """
    code = _CODES.get(piece)
    if code is None:
        return None
    return cell << (4 if piece.pose == WRECK else 7) | code


def sign(code: Tank | Wreck) -> str:
    """`H` for White's Heavy Tank, `h` for Black's."""
    letter = LETTERS[code & 7]
    return letter.lower() if code & 8 else letter


def kind_and_side(letter: str) -> int:
    """The four low bits of the code with sign *letter*: the inverse of `sign`."""
    return LETTERS.index(letter.upper()) | (8 if letter.islower() else 0)


def owner(code: Tank | Wreck) -> Side:
    """The side to which it belongs or belonged."""
    return code >> 3 & 1
