# SPDX-License-Identifier: Apache-2.0
"""Chess pieces that stand in for those of other games, on eboards that know them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.eboards.codec import chess_piece
from companion.model.game import AnyRules, HasBox, HasHands, HasStandins, all_faces
from companion.model.observation import SensorKind, Sighting
from companion.model.pieces import Piece, Side

SYMBOLS: Final = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
"""The picture of each chess piece, by its FEN letter."""
SET: Final[Mapping[str, int]] = dict(zip("KQRBNPkqrbnp", (1, 1, 2, 2, 2, 8, 1, 1, 2, 2, 2, 8), strict=True))
"""The pieces of one chess set, by their FEN letters."""


@dataclass(frozen=True, slots=True)
class Standin:
    """What stands in for pieces of a game."""

    piece: Piece
    """One of the pieces, as it is set up."""
    letters: str
    """FEN letters of the chess pieces that stand in for it."""
    is_any: bool = False
    """True if they stand in for all pieces of its side, whatever their kind."""


def standins(rules: AnyRules) -> tuple[Standin, ...]:
    """What stands in for the pieces of *rules*, by kind.

    By side, where kinds share chess pieces.
    """
    if not isinstance(rules, HasStandins):
        return ()
    faces = all_faces(rules)
    if not shares_letters(rules):
        kinds = {face.kind: face for face in reversed(faces)}
        return tuple(
            Standin(kinds[kind], letters) for kind, letters in rules.standins.items() if kind in kinds
        )
    letters = "".join(dict.fromkeys("".join(rules.standins.values())))
    sides = {face.side: face for face in reversed(faces) if face.side is not None}
    return tuple(Standin(sides[side], _of_side(letters, side), is_any=True) for side in sorted(sides))


def shares_letters(rules: HasStandins) -> bool:
    """True if a chess piece may stand in for several kinds of *rules*."""
    letters = "".join(rules.standins.values())
    return len(set(letters)) < len(letters)


def sees(rules: AnyRules) -> SensorKind:
    """What an eboard that knows chess pieces sees of the stand-ins.

    Only the side, where a piece has several faces: a chess piece shows none of them.
    """
    if not isinstance(rules, HasStandins):
        return SensorKind.OCCUPANCY
    has_faces = isinstance(rules, HasBox) and any(len(figure.faces) > 1 for figure in rules.box())
    return SensorKind.SIDE if has_faces else SensorKind.IDENTITY


def recoding(rules: AnyRules) -> Mapping[Sighting, Sighting]:
    """The piece of *rules* for each chess piece; empty if they name none.

    >>> from companion.games.close_quarters import GAME
    >>> recoding(GAME.rules())[chess_piece("n")].kind
    'mace'
    """
    return {
        chess_piece(letter): Sighting(
            occupied=True,
            kind=None if each.is_any else each.piece.kind,
            side=_side(each.piece.kind, letter, rules),
        )
        for each in standins(rules)
        for letter in each.letters
    }


def lacking(rules: AnyRules) -> tuple[tuple[str, int], ...]:
    """Letters of chess pieces of which one set has too few, and how many.

    Pieces that may replace each other are counted together.
    """
    if not isinstance(rules, HasStandins):
        return ()
    start = rules.initial()
    wanted = Counter[str]()
    placed = [(piece, len(cells)) for piece, cells in rules.placement(start).entries]
    if isinstance(rules, HasHands):
        placed += [(piece, 1) for hand in rules.hands(start) for piece in hand]
    for piece, cells in placed:
        wanted[_of_side(rules.standins[piece.kind], piece.side)] += cells
    return tuple(
        (letters, count - has)
        for letters, count in wanted.items()
        if count > (has := sum(SET[letter] for letter in letters))
    )


def _side(kind: str, letter: str, rules: AnyRules) -> Side | None:
    """The only owner of *kind*, or the side of the colour of *letter*."""
    owners = {face.side for face in all_faces(rules) if face.kind == kind}
    return owners.pop() if len(owners) == 1 else int(letter.islower())


def _of_side(letters: str, side: Side | None) -> str:
    """Those of *letters* that are of *side*'s colour; all, if none are."""
    of_colour = "".join(letter for letter in letters if letter.islower() == side)
    return letters if side is None or not of_colour else of_colour
