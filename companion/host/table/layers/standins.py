# SPDX-License-Identifier: Apache-2.0
"""The chess pieces that stand in for a game's, while they are set up."""

from __future__ import annotations

from companion.eboards.codec import chess_piece
from companion.eboards.standins import SYMBOLS, lacking, standins
from companion.feedback.shown import Shown
from companion.feedback.standins import ChessPiece, Pair, Standins
from companion.host.table.layers.layer import Layer
from companion.model.game import AnyRules
from companion.referee.values.view import Phase


class StandinLayer(Layer):
    """The stand-ins at an eboard."""

    def __init__(self, rules: AnyRules) -> None:
        self._standins = standins_of(rules)

    def added_to(self, shown: Shown) -> Shown:
        """Return *shown* with them during the set-up.

        Where the board begins empty, until the first ply.
        """
        view = shown.view
        is_open = view.phase is Phase.SETTING_UP or not (view.record or view.placement.entries)
        return shown._replace(standins=self._standins) if is_open else shown


def standins_of(rules: AnyRules) -> Standins:
    """Return what stands in for the pieces of *rules*, and what one chess set lacks."""
    return Standins(
        tuple(
            Pair(each.piece, tuple(map(_chess, each.letters)), is_any=each.is_any) for each in standins(rules)
        ),
        tuple((count, tuple(map(_chess, letters))) for letters, count in lacking(rules)),
    )


def _chess(letter: str) -> ChessPiece:
    """Return the chess piece *letter*."""
    piece = chess_piece(letter)
    return ChessPiece(letter, SYMBOLS[letter], piece.kind or "", piece.side)
