# SPDX-License-Identifier: Apache-2.0
"""Why a move is good or bad, as consequences of the best line after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from companion.model.advice import Reason
from companion.model.game import AnyRules, CallOut
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.pieces import Piece, Side
from companion.opponent.knowledge import SURE, WIN

_MOST_CAPTURED: Final = 2
_SHOWN_PLIES: Final = 4
_CLEAR: Final = 100
"""Value from which a later capture is a gain, not part of an exchange."""


def reasons(rules: AnyRules, position: Any, line: Sequence[Any], value: int) -> tuple[Reason, ...]:
    """The reasons for the first move of *line*, which has *value* for its side."""
    found = tuple(_reasons(rules, position, line, value))
    return found or (Reason.of("line", moves=written(rules, position, line[:_SHOWN_PLIES])),)


def _reasons(rules: AnyRules, position: Any, line: Sequence[Any], value: int) -> Iterator[Reason]:
    side, after = position.turn, rules.apply(position, line[0])
    for piece in captured(rules, position, after, side)[:_MOST_CAPTURED]:
        yield Reason.of("captures", piece=piece)
    outcome = rules.status(after)
    if outcome is not None:
        yield Reason.of("wins" if side in outcome.winners else "ends")
        return
    yield from _threats(rules, after, line[1:])
    if value >= SURE:
        yield Reason.of("wins-in", count=(WIN - value + 1) // 2)
    elif value <= -SURE:
        yield Reason.of("holds-out", count=(WIN + value) // 2)
    elif len(line) > 2 and value >= _CLEAR:
        replied = rules.apply(after, line[1])
        last = rules.apply(replied, line[2])
        if replied.turn == side and (gained := captured(rules, replied, last, side)):
            moves = written(rules, position, line[:3])
            yield Reason.of("then-captures", piece=gained[0], moves=moves)


def _threats(rules: AnyRules, after: Any, replies: Sequence[Any]) -> Iterator[Reason]:
    """What the mover threatens in *after*, and what has to leave."""
    for each in rules.announcements(after):
        yield Reason.of("check" if each.cry is CallOut.CHECK else "escape")
        steps = rules.steps(after, replies[0]) if replies else ()
        if steps and set(steps[0].source) & set(each.targets):
            yield Reason.of("must-leave", piece=steps[0].piece, cell=rules.grid.name(steps[0].source[0]))


def captured(rules: AnyRules, before: Any, after: Any, side: Side) -> list[Piece]:
    """The pieces that *side* has captured between two positions.

    Where pieces have no owner and another kind has appeared, two have merged.
    """
    was, is_ = rules.placement(before).entries, rules.placement(after).entries
    if len(is_) >= len(was):
        return []
    gone = Counter((piece.kind, piece.side) for piece, _ in was)
    gone.subtract((piece.kind, piece.side) for piece, _ in is_)
    if any(owner is None and count < 0 for (_, owner), count in gone.items()):
        return []
    return [
        Piece(kind, owner) for (kind, owner), count in gone.items() for _ in range(count) if owner != side
    ]


def written(rules: AnyRules, position: Any, line: Sequence[Any]) -> str:
    """*line* in the notation of the game."""
    moves = []
    for move in line:
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return " ".join(moves)


def lit_cells(steps: Sequence[Step]) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """The cells of the piece that *steps* move, and where it goes.

    If it leaves the board together with another piece, the cells of that one.
    """
    if not steps:
        return (), ()
    own = next((step for step in steps if step.target), steps[0])
    others = tuple(cell for step in steps if step is not own for cell in step.source)
    return own.source, own.target or others
