# SPDX-License-Identifier: Apache-2.0
"""The pieces that lie captured beside the board. Pure.

They follow from the moves, since a position does not tell a captured pawn from a promoted one.
A piece that returns to a hand is not captured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

from companion.model.game import AnyRules
from companion.model.pieces import STANDING, Piece
from companion.referee.values.record import Played


def captured_by(rules: AnyRules, position: Any, move: Hashable) -> tuple[Piece, ...]:
    """The pieces that *move*, legal in *position*, captures."""
    if hasattr(rules, "hands"):  # HasHands: a protocol check would take longer
        return ()
    steps = rules.steps(position, move)
    gone = [step.piece for step in steps if not step.target]
    if not gone:
        return ()
    merges = any(step.becomes.kind != step.piece.kind for step in steps)
    return tuple(
        piece for piece in gone if (not merges if piece.side is None else piece.side != position.turn)
    )


def adopted(rules: AnyRules, captured: tuple[Piece, ...], before: Any, position: Any) -> tuple[Piece, ...]:
    """The captured pieces after *position* was adopted instead of *before*.

    Pieces that have left the board lie beside it; those that are on it again do not.
    """
    if hasattr(rules, "hands"):
        return captured
    stood, stand = (_on_board(rules, each) for each in (before, position))
    left = [*captured, *(stood - stand).elements()]
    for piece in (stand - stood).elements():
        if piece in left:
            left.remove(piece)
    return tuple(left)


def after_plies(
    rules: AnyRules, start: Any, plies: Iterable[Played], position: Any, captured: tuple[Piece, ...] = ()
) -> tuple[Piece, ...]:
    """The captured pieces in *position*, after *plies* from *start*, where *captured* lie already.

    What an arbiter let stand counts, too. Raises `NotationError` if the text of a ply is not a
    legal move.
    """
    at = start
    for ply in plies:
        captured = _then(rules, captured, at, ply.before)
        at = ply.before
        if ply.text:
            move = rules.read_move(at, ply.text)
            captured = (*captured, *captured_by(rules, at, move))
            at = rules.apply(at, move)
    return _then(rules, captured, at, position)


def _then(rules: AnyRules, captured: tuple[Piece, ...], at: Any, position: Any) -> tuple[Piece, ...]:
    """The captured pieces in *position*, which is *at* or was adopted instead."""
    return captured if at == position else adopted(rules, captured, at, position)


def _on_board(rules: AnyRules, position: Any) -> Counter[Piece]:
    """The pieces on the board, however they stand."""
    return Counter(
        replace(piece, facing=None, pose=STANDING) for piece, _ in rules.placement(position).entries
    )
