# SPDX-License-Identifier: Apache-2.0
"""How often a level overlooks a threat.

A threat is a position in which at least half of the moves lose a least piece or more by a reply,
compared with the best move. A level overlooks it if it makes a move that does. Values are those of
one ply and the noisy moves after it, seen exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from companion.model.game import AnyRules
from companion.opponent.find import knowledge_of
from companion.opponent.levels import Level
from companion.opponent.player import choose
from companion.opponent.search import Search

LEAST_LOSS: Final = 100
"""The value of a least piece."""
MOST_TRIED: Final = 12
"""Moves of a position that are looked at, drawn by chance."""
LONGEST: Final = 60
"""Plies of a game from which positions are taken."""
RANDOM_SHARE: Final = 0.3
"""Share of the moves of these games that are random; the level makes the others."""


def value_of(rules: AnyRules, position: Any, *moves: Any) -> int:
    """The value of *position*, with the best of *moves* if any are given."""
    search = Search(knowledge_of(rules), position, candidates=dict.fromkeys(moves, 0), is_selective=False)
    return next(search.iterations(1)).value


def loses_by(rules: AnyRules, position: Any, move: Any) -> int:
    """How much less *move* is worth than the best move."""
    return value_of(rules, position) - value_of(rules, position, move)


def is_threat(rules: AnyRules, position: Any, chance: Random) -> bool:
    """True if half of the moves lose a piece, and not all."""
    moves = list(rules.legal_moves(position))
    tried = chance.sample(moves, min(len(moves), MOST_TRIED))
    best = value_of(rules, position)
    lost = sum(best - value_of(rules, position, move) >= LEAST_LOSS for move in tried)
    return len(moves) > 1 and 2 * lost >= len(tried)


def threats(rules: AnyRules, level: Level, seed: int) -> Iterator[Any]:
    """Threats in games of *level* against itself, without end."""
    chance = Random(seed)
    while True:
        position = rules.initial()
        for _ in range(LONGEST):
            if is_threat(rules, position, chance):
                yield position
            if chance.random() < RANDOM_SHARE:
                move = chance.choice(rules.legal_moves(position))
            else:
                move = choose(rules, position, level, chance.randrange(1 << 30)).move
            position = rules.apply(position, move)
            if rules.status(position) is not None:
                break


def overlooked(rules: AnyRules, level: Level, count: int, seed: int) -> float:
    """The share of *count* threats that *level* overlooks."""
    found = 0
    for number, position in zip(range(count), threats(rules, level, seed), strict=False):
        move = choose(rules, position, level, seed + number).move
        found += loses_by(rules, position, move) >= LEAST_LOSS
    return found / count
