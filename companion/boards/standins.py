# SPDX-License-Identifier: Apache-2.0
"""Chess pieces that stand in for those of other games, on boards that know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.boards.codec import chess_piece
from companion.model.game import AnyRules, HasStandins
from companion.model.observation import Sighting

SYMBOLS: Final = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
"""The picture of each chess piece, by its FEN letter."""


def recoding(rules: AnyRules) -> Mapping[Sighting, Sighting]:
    """The piece of *rules* for each chess piece; empty if they name none.

    >>> from companion.games.close_quarters import GAME
    >>> recoding(GAME.rules())[chess_piece("n")].kind
    'mace'
    """
    if not isinstance(rules, HasStandins):
        return {}
    sides = {piece.kind: piece.side for piece, _ in rules.placement(rules.initial()).entries}
    return {
        chess_piece(letter): Sighting(occupied=True, kind=kind, side=sides[kind])
        for kind, letters in rules.standins.items()
        for letter in letters
    }
