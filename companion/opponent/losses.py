# SPDX-License-Identifier: Apache-2.0
"""What a bad move loses, as the line shows that refutes it.

Its rule: only that is claimed which happens in the line, or follows from its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from companion.model.advice import Reason
from companion.model.game import AnyRules
from companion.model.pieces import Piece, Side
from companion.opponent.knowledge import SURE, WIN
from companion.opponent.reasons import captured, written

_WRECK: Final = "wreck"
_SHOWN_PLIES: Final = 4


def loss(rules: AnyRules, before: Any, line: Sequence[Any], value: int) -> Reason:
    """What the first move of *line*, which has *value* for its side in *before*, loses.

    The second move of *line* is the best reply.
    """
    side, after, replies = before.turn, rules.apply(before, line[0]), line[1:]
    if not replies:
        return Reason.of("warning")
    outcome = rules.status(rules.apply(after, replies[0]))
    if outcome is not None and outcome.winners and side not in outcome.winners:
        moves = written(rules, after, replies[:1])
        return Reason.of("lost", moves=moves, ending=outcome.termination)
    if value <= -SURE:
        moves = written(rules, after, replies[:_SHOWN_PLIES])
        return Reason.of("lost-in", count=(WIN + value + 1) // 2, moves=moves)
    for plies in (1, 3):
        if len(replies) >= plies and (found := _pieces_lost(rules, before, line, plies)) is not None:
            return found
    return Reason.of("answer", moves=written(rules, after, replies[:1]))


def _pieces_lost(rules: AnyRules, before: Any, line: Sequence[Any], plies: int) -> Reason | None:
    """What is lost up to the ply *plies* of *line*, and its answer.

    None if nothing is, or as much is gained, or the sides do not take turns.
    """
    side, shown = before.turn, line[1 : plies + 1]
    positions = [before]
    for move in line[: plies + 2]:
        positions.append(rules.apply(positions[-1], move))
    if len(rules.sides) != 2 or any(at.turn != (side + n) % 2 for n, at in enumerate(positions)):
        return None
    last, end = positions[plies : plies + 2]
    pairs = [*pairwise(positions)]
    lost = Counter(each for pair in pairs for each in _gone(rules, *pair, side))
    gained = Counter(each for pair in pairs for each in _gone(rules, *pair, 1 - side))
    if not _gone(rules, last, end, side) or _may_be_even(rules, positions, plies):
        return None
    pieces, others = [*(lost - gained)], [*(gained - lost)]
    if any(_gone(rules, *pair, 1 - side) for pair in pairs[plies + 1 :]):
        shown = line[1 : plies + 2]  # with the answer that captures
    moves = written(rules, positions[1], shown)
    named = [Piece(kind, _owner(rules, before, side)) for kind in pieces]
    if named and not others:
        if len(named) == 1:
            return Reason.of("loses", piece=named[0], moves=moves)
        return Reason.of("loses-two", piece=named[0], other=named[1], moves=moves)
    if len(named) == 1 and sum((gained - lost).values()) == 1:
        other = Piece(others[0], _owner(rules, before, 1 - side))
        return Reason.of("loses-for", piece=named[0], other=other, moves=moves)
    return None


def _may_be_even(rules: AnyRules, positions: Sequence[Any], plies: int) -> bool:
    """True if an equal capture may answer that with which the line ends."""
    if len(positions) > plies + 2:
        return False
    last, end = positions[plies : plies + 2]
    taken = set(_gone(rules, last, end, end.turn))
    if rules.status(end) is not None or not taken & {piece.kind for piece, _ in rules.placement(end).entries}:
        return False
    answers = (rules.apply(end, move) for move in rules.legal_moves(end))
    return any(taken & set(_gone(rules, end, answer, last.turn)) for answer in answers)


def _gone(rules: AnyRules, before: Any, after: Any, side: Side) -> list[str]:
    """The kinds of the pieces that *side* has lost by a move.

    None of those that became or formed others. Where pieces have no owner, the mover takes them.
    """
    was, now = (
        Counter(
            piece.kind
            for piece, _ in rules.placement(at).entries
            if piece.side == side and piece.pose != _WRECK
        )
        for at in (before, after)
    )
    if not was and _owner(rules, before, side) is None:
        taken = captured(rules, before, after, before.turn) if before.turn != side else []
        return [piece.kind for piece in taken if piece.side is None]
    return [] if now - was else [*(was - now).elements()]


def _owner(rules: AnyRules, position: Any, side: Side) -> Side | None:
    """*side*, or None where pieces have no owner."""
    entries = rules.placement(position).entries
    return None if entries and all(piece.side is None for piece, _ in entries) else side
