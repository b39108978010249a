# SPDX-License-Identifier: Apache-2.0
"""Games, positions and plain searches for the tests of the opponent."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from companion.games import find
from companion.model.game import AnyRules
from companion.opponent.find import knowledge_of
from companion.opponent.knowledge import WIN, Knowledge

NOISY_PLIES = 10


def rules_of(slug: str, **options: str) -> AnyRules:
    return find(slug).rules(options)


def going_on(rules: AnyRules, seed: int, count: int, plies: int = 60) -> Iterator[Any]:
    """Positions of random games that are not over."""
    chance = random.Random(seed)
    while count:
        position = rules.initial()
        for _ in range(chance.randrange(plies)):
            after = rules.apply(position, chance.choice(rules.legal_moves(position)))
            if rules.status(after) is not None:
                break
            position = after
        count -= 1
        yield position


def without_noise(knowledge: Knowledge[Any, Any]) -> Knowledge[Any, Any]:
    """*knowledge* without noisy moves: the value is taken at the last ply."""
    kind = type(knowledge)
    quiet = type(kind.__name__, (kind,), {"noisy": lambda self, position, least=0: ()})
    found: Knowledge[Any, Any] = quiet(knowledge.rules)
    return found


class PlainSearch:
    """Minimax with the same leaves as the search, without bounds, tables and order."""

    def __init__(self, knowledge: Knowledge[Any, Any], root: Any) -> None:
        self.knowledge = knowledge
        self.side = root.turn
        self.party = knowledge.party(root.turn)

    def value(self, position: Any, depth: int, ply: int = 0) -> int:
        """The value for the party of the root's side to move."""
        knowledge = self.knowledge
        winners = knowledge.decided(position)
        if winners is None and depth <= 0:
            return self.quiet(position, ply, NOISY_PLIES)
        moves = [] if winners is not None else list(knowledge.moves(position))
        if not moves:
            return self.ended(position, ply)
        values = [self.value(knowledge.after(position, move), depth - 1, ply + 1) for move in moves]
        return max(values) if position.turn in self.party else min(values)

    def quiet(self, position: Any, ply: int, left: int) -> int:
        knowledge = self.knowledge
        if knowledge.decided(position) is not None:
            return self.ended(position, ply)
        values = [knowledge.value(position, self.side)]
        if left:
            values += [
                self.quiet(knowledge.after(position, move), ply + 1, left - 1)
                for move in knowledge.noisy(position)
            ]
        return max(values) if position.turn in self.party else min(values)

    def ended(self, position: Any, ply: int) -> int:
        worth = self.knowledge.worth(self.knowledge.winners(position), self.side)
        return (abs(worth) - ply) * (1 if worth > 0 else -1) if worth else 0


class ForwardSearch:
    """Forced wins, found with the rules alone."""

    def __init__(self, rules: AnyRules) -> None:
        self.rules = rules

    def plies(self, position: Any, deepest: int) -> int | None:
        """In how many plies, of *deepest*, the side to move wins by force."""
        for plies in range(1, deepest + 1, 2):
            if self.wins(position, plies):
                return plies
        return None

    def wins(self, position: Any, plies: int) -> bool:
        """True if the side to move wins within *plies*."""
        for move in self.rules.legal_moves(position):
            after = self.rules.apply(position, move)
            outcome = self.rules.status(after)
            if outcome is not None:
                if outcome.winners == (position.turn,):
                    return True
            elif plies >= 3 and all(
                self.goes_on_and_wins(after, reply, plies - 2) for reply in self.rules.legal_moves(after)
            ):
                return True
        return False

    def goes_on_and_wins(self, position: Any, reply: Any, plies: int) -> bool:
        """True if *reply* does not end the game, and loses."""
        after = self.rules.apply(position, reply)
        return self.rules.status(after) is None and self.wins(after, plies)


def mate_in(plies: int) -> int:
    """The value of a win in *plies*."""
    return WIN - plies


__all__ = ["ForwardSearch", "PlainSearch", "going_on", "knowledge_of", "mate_in", "rules_of", "without_noise"]
