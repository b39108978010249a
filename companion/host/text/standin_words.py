# SPDX-License-Identifier: Apache-2.0
"""The chess pieces that stand in for a game's: in a sentence, and as pictures."""

from __future__ import annotations

from companion.boards.codec import chess_piece
from companion.boards.standins import SYMBOLS, Standin, lacking, standins
from companion.feedback.page import Json, piece_json
from companion.feedback.words import Words
from companion.model.game import AnyRules
from companion.model.pieces import STANDING


def standin_notice(rules: AnyRules, words: Words) -> str:
    """Return what stands in for the pieces of *rules*; "" if nothing does.

    It includes what one chess set lacks.
    """
    pairs = [f"{_name(each, words)} {_symbols(each.letters)}" for each in standins(rules)]
    if not pairs:
        return ""
    said = words.fill(words.common.notices.standins, pieces=words.comma(pairs))
    return f"{said} {_lacking(rules, words)}".rstrip()


def standins_json(rules: AnyRules, words: Words) -> Json:
    """Return the same for the page, with the pieces to be drawn."""
    return {
        "sentence": standin_notice(rules, words),
        "lead": words.common.notices.standins_lead,
        "pairs": [
            {
                "name": _name(each, words),
                "piece": piece_json(each.piece, words),
                "chess": [_chess_json(letter) for letter in each.letters],
            }
            for each in standins(rules)
        ],
        "lacking": _lacking(rules, words),
    }


def _lacking(rules: AnyRules, words: Words) -> str:
    """Return which chess pieces a second set has to add; "" if none."""
    missing = [f"{count} × {_symbols(letters)}" for letters, count in lacking(rules)]
    return words.fill(words.common.notices.standins_lacking, pieces=words.comma(missing)) if missing else ""


def _name(standin: Standin, words: Words) -> str:
    """Return what *standin* stands in for: a kind, or all pieces of a side."""
    piece = standin.piece
    if standin.is_any and piece.side is not None:
        return words.side(piece.side).name
    return words.kind(piece.kind)


def _symbols(letters: str) -> str:
    """Return the pictures of the chess pieces *letters*."""
    return "/".join(SYMBOLS[letter] for letter in letters)


def _chess_json(letter: str) -> Json:
    """Return the chess piece *letter* as the page draws it."""
    piece = chess_piece(letter)
    return {
        "kind": piece.kind,
        "side": piece.side,
        "facing": None,
        "pose": STANDING,
        "face": "",
        "name": letter,
    }
