# SPDX-License-Identifier: Apache-2.0
"""Simple players that levels are measured against, and a level with a stopwatch."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companion.model.game import AnyRules
from companion.opponent.eyesight import Eyesight
from companion.opponent.find import knowledge_of
from companion.opponent.levels import Level
from companion.opponent.player import choose, last_of
from tests.bench.matches import LONGEST, Move, Player
from tests.opponent.maxn import MaxN

UCT_EXPLORES: Final = 1.4


@dataclass
class Timed:
    """A level as a player, with the times and nodes of its moves."""

    level: Level
    seconds: list[float] = field(default_factory=list)
    nodes: int = 0

    def __call__(self, rules: AnyRules, position: Any, past: Sequence[Any], seed: int) -> Move:
        start = time.process_time()
        found = choose(rules, position, self.level, seed, past=past)
        self.seconds.append(time.process_time() - start)
        self.nodes += found.nodes
        return found.move


def greedy(rules: AnyRules, position: Any, past: Sequence[Any], seed: int) -> Move:
    """The move after which the value is best."""
    del past
    knowledge, eyesight = knowledge_of(rules), Eyesight(seed, noise=1)

    def value(move: Move) -> int:
        after = knowledge.after(position, move)
        winners = knowledge.decided(after)
        if winners is None and not knowledge.moves(after):
            winners = knowledge.winners(after)
        if winners is not None:
            return 10 * knowledge.worth(winners, position.turn)
        return 10 * knowledge.value(after, position.turn) + eyesight.blur((position, move))

    return max(knowledge.moves(position), key=value)


def max_n(nodes: int) -> Player:
    """A player that takes all others for selfish instead of allied."""

    def play(rules: AnyRules, position: Any, past: Sequence[Any], seed: int) -> Move:
        del past, seed
        return last_of(MaxN(knowledge_of(rules), position, most_nodes=nodes).iterations()).move

    return play


class Node:
    """A position in the tree of UCT."""

    def __init__(self, rules: AnyRules, position: Any) -> None:
        self.position = position
        self.turn = position.turn
        self.untried = list(rules.legal_moves(position))
        self.children: dict[Move, Node] = {}
        self.visits = 0
        self.wins = 0.0
        """Of the side that moved here."""


def uct(seconds: Callable[[], float]) -> Player:
    """Plain UCT with random games, for *seconds* a move.

    Source: L. Kocsis, C. Szepesvari, *Bandit based Monte-Carlo Planning*, 2006.
    """

    def play(rules: AnyRules, position: Any, past: Sequence[Any], seed: int) -> Move:
        del past
        chance, root = random.Random(seed), Node(rules, position)
        end = time.process_time() + seconds()
        while time.process_time() < end or not root.children:
            path = descend(rules, root, chance)
            winners = finish(rules, path[-1].position, chance)
            for before, node in zip([None, *path], path, strict=False):
                node.visits += 1
                if before is not None and winners:
                    node.wins += before.turn in winners
                elif before is not None:
                    node.wins += 0.5
        return max(root.children, key=lambda move: root.children[move].visits)

    return play


def descend(rules: AnyRules, root: Node, chance: random.Random) -> list[Node]:
    """The path to a new node."""
    path = [root]
    while not path[-1].untried and path[-1].children:
        node = path[-1]
        total = math.log(node.visits)
        path.append(
            max(
                node.children.values(),
                key=lambda child: child.wins / child.visits + UCT_EXPLORES * math.sqrt(total / child.visits),
            )
        )
    node = path[-1]
    if node.untried:
        move = node.untried.pop(chance.randrange(len(node.untried)))
        child = Node(rules, rules.apply(node.position, move))
        node.children[move] = child
        path.append(child)
    return path


def finish(rules: AnyRules, position: Any, chance: random.Random) -> tuple[int, ...]:
    """The winners of a random game."""
    for _ in range(LONGEST):
        moves = rules.legal_moves(position)
        if not moves:
            outcome = rules.status(position)
            return () if outcome is None else outcome.winners
        position = rules.apply(position, chance.choice(moves))
    return ()
