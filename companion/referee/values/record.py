# SPDX-License-Identifier: Apache-2.0
"""The settled plies, and results that depend on all of them: repetitions, end."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from companion.model.errors import IllegalMoveError, NotationError, OrderRefused
from companion.model.game import THREEFOLD, AnyRules, ContinuesAfterResignation, DrawRules, Outcome
from companion.model.grid import Cell
from companion.model.pieces import Side


class Played(NamedTuple):
    """A ply of the record, with the position before it."""

    before: Any
    side: Side
    text: str
    """Notation of the move; empty for an adopted position."""
    source: tuple[Cell, ...] = ()
    target: tuple[Cell, ...] = ()
    is_amended: bool = False
    """True if an arbiter adopted another position after it, with its opponent to move."""


def outcome(rules: AnyRules, earlier: list[Any], position: Any) -> Outcome | None:
    """The outcome in *position* after the *earlier* ones; None while the game goes on."""
    ended = rules.status(position)
    if ended is not None:
        return ended
    if _knows_draws(type(rules)):
        return cast(DrawRules, rules).repeated(position, _occurrences(rules, earlier, position))
    if rules.options.get("repetition") != THREEFOLD or _occurrences(rules, earlier, position) < 3:
        return None
    return Outcome((), "repetition")


def claim(rules: AnyRules, earlier: list[Any], position: Any) -> Outcome | None:
    """The draw that the side to move may claim in *position*, or None.

    *earlier* are the positions before it.
    """
    if not _knows_draws(type(rules)):
        return None
    return cast(DrawRules, rules).claim(position, _occurrences(rules, earlier, position))


def played_on(rules: AnyRules, position: Any, first: int, moves: Sequence[str]) -> tuple[list[Played], Any]:
    """The plies of *moves* from *position*, and the final position.

    The number of the first is *first*. Raises `OrderRefused`.
    """
    plies: list[Played] = []
    for number, text in enumerate(moves, first + 1):
        if rules.status(position) is not None:
            raise OrderRefused(
                "move {number}, {text}, comes after the end of the game", number=number, text=text
            )
        try:
            move = rules.read_move(position, text)
        except (NotationError, IllegalMoveError) as fault:
            raise OrderRefused(
                "move {number}, {text}, cannot be played: {reason}", number=number, text=text, reason=fault
            ) from fault
        plies.append(Played(position, position.turn, rules.write_move(position, move)))
        position = rules.apply(position, move)
    return plies, position


class Claims(NamedTuple):
    """Possible claims of the side to move."""

    is_due: bool = False
    """True if it may claim a draw at once."""
    moves: tuple[str, ...] = ()
    """Moves with which it may claim one, if it may not at once."""


def claim_with(rules: AnyRules, earlier: list[Any], position: Any, text: str) -> Outcome | None:
    """The draw that the side to move may claim with a move.

    *text* is the move (FIDE 9.2.1, 9.3.1).
    """
    try:
        after = rules.apply(position, rules.read_move(position, text))
    except NotationError:
        return None
    return claim(rules, [*earlier, position], after) if rules.status(after) is None else None


def claims(rules: AnyRules, earlier: list[Any], position: Any) -> Claims:
    """The possible claims of the side to move in *position*, after the *earlier* ones."""
    if not _knows_draws(type(rules)) or rules.status(position) is not None:
        return Claims()
    if claim(rules, earlier, position) is not None:
        return Claims(is_due=True)
    times = Counter(rules.key(other) for other in (*earlier, position))
    draws = cast(DrawRules, rules)
    if not draws.nears_claim(position, max(times.values())):
        return Claims()
    moves = ((move, rules.apply(position, move)) for move in rules.legal_moves(position))
    return Claims(
        moves=tuple(
            rules.write_move(position, move)
            for move, after in moves
            if draws.claim(after, times[rules.key(after)] + 1) is not None and rules.status(after) is None
        )
    )


def still_in(rules: AnyRules, position: Any) -> list[Side]:
    """The sides that have not resigned, where others go on then."""
    sides = range(len(rules.sides))
    if len(sides) == 2 or not isinstance(rules, ContinuesAfterResignation):
        return [*sides]
    return [side for side in sides if rules.withdraw(position, side) != position]


@functools.cache
def _knows_draws(kind: type[AnyRules]) -> bool:
    """True if rules of *kind* are `DrawRules`; cached, since protocol checks are slow."""
    return issubclass(kind, DrawRules)


def _occurrences(rules: AnyRules, earlier: list[Any], position: Any) -> int:
    """Number of occurrences of *position* so far."""
    key = rules.key(position)
    return 1 + sum(rules.key(other) == key for other in earlier)
