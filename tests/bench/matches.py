# SPDX-License-Identifier: Apache-2.0
"""Games between players: what all benches of the opponent share."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from companion.model.game import AnyRules
from tests.bench.elo import Match

LONGEST: Final = 300
"""Plies after which a game counts as a draw."""
OPENING: Final = 4
"""Random plies before a game."""

Move: TypeAlias = Any
Player: TypeAlias = Callable[[AnyRules, Any, Sequence[Any], int], Move]
"""Makes a move. Arguments: rules, position, all positions so far, and a seed."""


def play(rules: AnyRules, players: Sequence[Player], opening: Any, seed: int) -> tuple[int, ...]:
    """The winners of a game from *opening*, () of a draw."""
    position, past = opening, [opening]
    for ply in range(LONGEST):
        outcome = rules.status(position)
        if outcome is not None:
            return outcome.winners
        position = rules.apply(position, players[position.turn](rules, position, past, seed + ply))
        past.append(position)
    return ()


def opening_of(rules: AnyRules, seed: int, plies: int = OPENING) -> Any:
    """A position after *plies* random moves, in which the game goes on."""
    chance = random.Random(seed)
    while True:
        position = rules.initial()
        for _ in range(plies):
            position = rules.apply(position, chance.choice(rules.legal_moves(position)))
            if rules.status(position) is not None:
                break
        else:
            return position


def won_share(winners: Sequence[int], seat: int, sides: int) -> float:
    """The score of *seat*: its share of the win; a draw is shared by all."""
    return (seat in winners) / len(winners) if winners else 1 / sides


def points(rules: AnyRules, strong: Player, weak: Player, seat: int, seed: int, opening: Any = None) -> float:
    """The score of *strong* on *seat* against *weak* on all others."""
    sides = len(rules.sides)
    players = [strong if side == seat else weak for side in range(sides)]
    winners = play(rules, players, opening_of(rules, seed) if opening is None else opening, 1000 * seed)
    return won_share(winners, seat, sides)


def match(
    rules: AnyRules, strong: Player, weak: Player, games: int, seed: int, *, is_sequential: bool = True
) -> Match:
    """Play up to *games* games, each opening once on each seat."""
    sides = len(rules.sides)
    found = Match(sides=sides, is_sequential=is_sequential)
    for number in range(games):
        found.scores.append(points(rules, strong, weak, number % sides, seed + number // sides))
        if is_sequential and (number + 1) % sides == 0 and found.is_step() is not None:
            break
    return found
