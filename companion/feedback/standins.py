# SPDX-License-Identifier: Apache-2.0
"""The chess pieces that stand in for a game's, in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from companion.feedback.words import Words
from companion.model.pieces import Piece, Side


@dataclass(frozen=True, slots=True)
class ChessPiece:
    """A chess piece, with its FEN letter and its picture in a text."""

    letter: str
    symbol: str
    kind: str
    side: Side | None


@dataclass(frozen=True, slots=True)
class Pair:
    """What stands in for pieces of a game."""

    piece: Piece
    """One of the pieces."""
    chess: tuple[ChessPiece, ...]
    is_any: bool
    """True if they stand in for all pieces of its side, whatever their kind."""


@dataclass(frozen=True, slots=True)
class Standins:
    """What stands in for the pieces of a game."""

    pairs: tuple[Pair, ...]
    lacking: tuple[tuple[int, tuple[ChessPiece, ...]], ...]
    """How many of which pieces one chess set lacks."""


def standin_notice(standins: Standins, words: Words) -> str:
    """The sentence about *standins*; "" if nothing stands in for anything."""
    pairs = [f"{standin_name(each, words)} {_symbols(each.chess)}" for each in standins.pairs]
    if not pairs:
        return ""
    said = words.fill(words.common.notices.standins, pieces=words.comma(pairs))
    return f"{said} {lacking_notice(standins, words)}".rstrip()


def lacking_notice(standins: Standins, words: Words) -> str:
    """Which chess pieces a second set has to add; "" if none."""
    missing = [f"{count} × {_symbols(chess)}" for count, chess in standins.lacking]
    return words.fill(words.common.notices.standins_lacking, pieces=words.comma(missing)) if missing else ""


def standin_name(pair: Pair, words: Words) -> str:
    """What *pair* stands in for: a kind, or all pieces of a side."""
    if pair.is_any and pair.piece.side is not None:
        return words.side(pair.piece.side).name
    return words.kind(pair.piece.kind)


def _symbols(chess: tuple[ChessPiece, ...]) -> str:
    """The pictures of *chess*."""
    return "/".join(each.symbol for each in chess)
