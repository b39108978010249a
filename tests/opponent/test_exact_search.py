# SPDX-License-Identifier: Apache-2.0
"""The search as it is played says what an exact search says.

The exact one is alpha-beta without reductions, pruning, table or order by experience, over the
same values and the same quiescence. Positions come from games of careless players, on new seeds
each day.
"""

from __future__ import annotations

import random
import time
from collections.abc import Hashable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from companion.opponent.eyesight import Eyesight
from companion.opponent.find import knowledge_of
from companion.opponent.knowledge import SURE, WIN, Knowledge
from companion.opponent.search import Search
from tests.opponent.samples import rules_of

GAMES: Final = {
    "chess": (3, 120),
    "close-quarters": (3, 60),
    "fightopia": (3, 60),
    "gottaz": (2, 60),
    "martian-chess": (3, 60),
    "tank-chess": (2, 60),
}
"""Depth, and number of positions with `--long`; a tenth of them without."""
MOST_WRONG: Final = 1
HALF_A_PIECE: Final = 50
"""Values are hundredths of the least piece."""
MOST_S: Final = 20
"""Processor time of the exact search of a position."""
BLUNDERS: Final = 0.25


class TakesLong(Exception):
    """The exact search of a position takes longer than it may."""


class ExactSearch:
    """Alpha-beta to *depth* plies; checks and the like lengthen it as they do the search."""

    def __init__(self, knowledge: Knowledge[Any, Any], root: Any, depth: int) -> None:
        self.knowledge, self.root, self.depth = knowledge, root, depth
        self.leaves: Search[Any, Any] = Search(knowledge, root, is_selective=False)
        self.party = knowledge.party(root.turn)
        self.path: list[Hashable] = []
        self.ends_s = time.process_time() + MOST_S

    def value(self) -> int:
        """The value of the root for the side to move. Raises `TakesLong`."""
        return self._value(self.root, self.depth, -WIN - 1, WIN + 1, 0)

    def _value(self, position: Any, depth: int, alpha: int, beta: int, ply: int) -> int:
        knowledge, key = self.knowledge, self.knowledge.key(position)
        if (winners := knowledge.decided(position)) is not None:
            return self.leaves.ended(winners, position, ply)
        if depth <= 0:
            return self.leaves.quiesce(position, alpha, beta, ply, 0)
        if time.process_time() > self.ends_s:
            raise TakesLong
        if ply and key in self.path:
            return 0
        depth += knowledge.is_threatened(position) and ply < 2 * self.depth
        moves = list(knowledge.moves(position))
        if not moves:
            return self.leaves.ended(knowledge.winners(position), position, ply)
        ranked = sorted(
            zip(knowledge.ranks(position, moves), range(len(moves)), strict=True), key=lambda each: -each[0]
        )
        best = -WIN - 1
        self.path.append(key)
        for _, number in ranked:
            after = knowledge.after(position, moves[number])
            if (after.turn in self.party) == (position.turn in self.party):
                value = self._value(after, depth - 1, alpha, beta, ply + 1)
            else:
                value = -self._value(after, depth - 1, -beta, -alpha, ply + 1)
            best = max(best, value)
            alpha = max(alpha, value)
            if value >= beta:
                break
        self.path.pop()
        return best


def played(slug: str, seed: int, count: int) -> Iterator[Any]:
    """Positions of games of players who look one ply ahead, see badly, and blunder."""
    rules, chance = rules_of(slug), random.Random(seed)
    knowledge = knowledge_of(rules)
    for _ in range(count):
        position = rules.initial()
        for _ in range(chance.randrange(4, 60)):
            if chance.random() < BLUNDERS:
                move = chance.choice(rules.legal_moves(position))
            else:
                sight = Eyesight(chance.getrandbits(30), 40)
                *_, found = Search(knowledge, position, most_nodes=300, eyesight=sight).iterations(1)
                move = found.move
            after = rules.apply(position, move)
            if rules.status(after) is not None:
                break
            position = after
        yield position


@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.long, id="whole"), 10])
@pytest.mark.parametrize("slug", GAMES)
def test_the_search_says_what_an_exact_search_says(slug: str, count: int) -> None:
    depth, most = GAMES[slug]
    rules, seed = rules_of(slug), datetime.now(UTC).toordinal()
    different, late = [], 0
    for position in played(slug, seed, most // count):
        knowledge = knowledge_of(rules)
        *_, found = Search(knowledge, position).iterations(depth)
        try:
            exact = ExactSearch(knowledge, position, found.depth).value()
        except TakesLong:
            late += 1
            continue
        is_won_by_both = abs(found.value) >= SURE and abs(exact) >= SURE and found.value * exact > 0
        if abs(found.value - exact) > HALF_A_PIECE and not is_won_by_both:
            said = rules.write_position(position), rules.write_move(position, found.move)
            different.append((*said, found.value, exact))
    print(f"{slug}, seed {seed}: {len(different)} differ, {late} took too long", *different, sep="\n")
    assert len(different) <= MOST_WRONG
    assert late <= most // count // 2
