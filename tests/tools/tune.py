# SPDX-License-Identifier: Apache-2.0
"""Tune the weights of a game's values by games of the computer against itself.

Simultaneous perturbation: in each step all weights are changed by a random sign, the changed
weights play a pair of games against the oppositely changed ones, and all weights move towards the
winner. At the end the tuned weights play a match against the ones in the source.

Source: J. C. Spall, *Implementation of the Simultaneous Perturbation Algorithm*, 1998.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.model.game import AnyRules  # noqa: E402
from companion.opponent.find import knowledge_of  # noqa: E402
from companion.opponent.knowledge import Knowledge  # noqa: E402
from companion.opponent.player import last_of  # noqa: E402
from companion.opponent.search import Search  # noqa: E402
from tests.bench.elo import Match  # noqa: E402
from tests.bench.matches import Player, match, points  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402

CHANGE: Final = 0.2
"""The first change of a weight, as a share of it."""
RATE: Final = 0.15
"""How far weights move after a won pair, as a share of the change."""


def player(knowledge: Knowledge[Any, Any], nodes: int) -> Player:
    """A player with *knowledge* that looks at *nodes* positions."""

    def play(rules: AnyRules, position: Any, past: Sequence[Any], seed: int) -> Any:
        del rules, seed
        keys = {knowledge.key(each) for each in past}
        return last_of(Search(knowledge, position, past=keys, most_nodes=nodes).iterations()).move

    return play


def tuned(rules: AnyRules, steps: int, nodes: int, seed: int) -> dict[str, int]:
    """The weights after *steps*."""
    chance = random.Random(seed)
    fixed = knowledge_of(rules).weight
    weights = {name: float(value) for name, value in fixed.items()}
    first = next(iter(weights))  # the unit of the others
    for step in range(steps):
        share = CHANGE / (1 + step / 50) ** 0.25
        change = {
            name: chance.choice((-1, 1)) * max(abs(value) * share, 1.0) * (name != first)
            for name, value in weights.items()
        }
        rivals = [player(knowledge_of(rules, moved(weights, change, way)), nodes) for way in (1, -1)]
        won = sum(points(rules, rivals[0], rivals[1], seat, seed + step) - 0.5 for seat in (0, 1))
        for name in weights:
            weights[name] += RATE * won * change[name]
        if step % 20 == 19:
            say(f"step {step + 1}: {rounded(weights)}")
    return rounded(weights)


def moved(weights: Mapping[str, float], change: Mapping[str, float], way: int) -> dict[str, int]:
    return {name: round(value + way * change[name]) for name, value in weights.items()}


def rounded(weights: Mapping[str, float]) -> dict[str, int]:
    return {name: round(value) for name, value in weights.items()}


def compared(rules: AnyRules, weights: Mapping[str, int], games: int, nodes: int, seed: int) -> Match:
    """A match of *weights* against those of the source."""
    rivals = (knowledge_of(rules, weights), knowledge_of(rules))
    strong, weak = (player(knowledge, nodes) for knowledge in rivals)
    return match(rules, strong, weak, games, seed, is_sequential=False)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    found = arguments(__doc__, "python tests/tools/tune.py --only fightopia --steps 300 --nodes 300")
    found.add_argument("--only", choices=slugs(), default="fightopia", help="the game (default: fightopia)")
    found.add_argument("--steps", type=int, metavar="N", help="pairs of games (default: 300)")
    found.add_argument("--nodes", type=int, default=200, metavar="N", help="positions a move (default: 200)")
    found.add_argument("--games", type=int, metavar="N", help="games of the final match (default: 100)")
    found.add_argument("--option", "-o", action="append", default=[], help="option of the game, NAME=VALUE")
    return found


def main() -> None:
    """Tune one game and print its weights."""
    words = parser().parse_args()
    rules = find(words.only).rules(dict(each.split("=", 1) for each in words.option))
    weights = tuned(rules, words.steps or (2 if words.quick else 300), words.nodes, words.seed)
    found = compared(
        rules, weights, words.games or (2 if words.quick else 100), words.nodes, words.seed + 9000
    )
    deliver(
        {"game": words.only, "weights": weights, "against_source": found.as_data()},
        words.seed,
        as_json=words.json,
    )


if __name__ == "__main__":
    main()
