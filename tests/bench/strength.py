# SPDX-License-Identifier: Apache-2.0
"""Measure how strong the computer's levels are, by games between them.

Figures of each game:

- levels: for each pair of neighbours the Elo difference, its 95 % interval, the score and the games
  played. A pair ends as soon as the interval is on one side of 100 Elo (`is_step`; None: it is on
  neither after the last game). The interval is looked at after each opening.
- move_ms: the time of a move of each level, median and 95 of 100.
- nodes_per_s: positions per second of the strongest level.
- against_greedy, against_uct: the score of the strongest level against a player that looks one ply
  ahead, and against plain UCT with random games, which gets the time that the level took.
- against_max_n: with three or more sides, the score against max-n search of as many positions; one
  of n sides is even with a share of 1/n.
- from_won, from_drawn: in a solved game that is a draw, instead of the scores above, those from
  positions that are won in three moves or more, or drawn, with best play, also against the next
  lower level. `worse` counts games with a worse result, and `given_away` the moves after which best
  play leads to one. A won game that is not over after 300 plies is worse.

`--share` lets all levels look at a part of their positions only. Times are processor times, so that
other work of the machine does not change them. Games begin with random plies, and each opening is
played with both colours. A game of three or more sides is played by one player on one seat against
others on all other seats.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.model.game import AnyRules  # noqa: E402
from companion.opponent.eyesight import Eyesight  # noqa: E402
from companion.opponent.find import knowledge_of  # noqa: E402
from companion.opponent.knowledge import WIN  # noqa: E402
from companion.opponent.levels import Level, levels  # noqa: E402
from companion.opponent.maxn import MaxN  # noqa: E402
from companion.opponent.player import choose, last_of  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402

LONGEST: Final = 300
"""Plies after which a game counts as a draw."""
OPENING: Final = 4
LONGEST_OPENING: Final = 24
"""Random plies, of games and of those from solved positions at most."""
LEAST_WIN: Final = 5
"""Plies to the end of a won position."""
LEAST_GAMES: Final = 8
STEP: Final = 100
"""Least difference in Elo of two neighbouring levels."""
UCT_EXPLORES: Final = 1.4

Move = Any
Player = Callable[[AnyRules, Any, Sequence[Any], int], Move]


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


def play(rules: AnyRules, players: Sequence[Player], opening: Any, seed: int) -> tuple[int, ...]:
    """The winners of a game from *opening*."""
    position, past = opening, [opening]
    for ply in range(LONGEST):
        outcome = rules.status(position)
        if outcome is not None:
            return outcome.winners
        position = rules.apply(position, players[position.turn](rules, position, past, seed + ply))
        past.append(position)
    return ()


def opening_of(rules: AnyRules, seed: int) -> Any:
    """A position after some random plies."""
    chance, position = random.Random(seed), rules.initial()
    while True:
        position = rules.initial()
        for _ in range(OPENING):
            position = rules.apply(position, chance.choice(rules.legal_moves(position)))
            if rules.status(position) is not None:
                break
        else:
            return position


def solved_position(rules: AnyRules, seed: int, *, is_won: bool) -> Any:
    """A position of a random game, won for the side to move or drawn."""
    knowledge, chance = knowledge_of(rules), random.Random(seed)
    while True:
        position = rules.initial()
        for _ in range(chance.randrange(LONGEST_OPENING)):
            position = rules.apply(position, chance.choice(rules.legal_moves(position)))
            if rules.status(position) is not None:
                break
        else:
            value = knowledge.exact_value(position)
            if value is not None and (0 < value <= WIN - LEAST_WIN if is_won else value == 0):
                return position


@dataclass
class Checked:
    """A player whose moves are compared with the tablebase."""

    player: Player
    moves: int = 0
    given_away: int = 0
    """Moves after which the result is worse than before."""

    def __call__(self, rules: AnyRules, position: Any, past: Sequence[Any], seed: int) -> Move:
        move = self.player(rules, position, past, seed)
        before, after = result_of(rules, position), result_of(rules, rules.apply(position, move))
        self.moves += 1
        self.given_away += -after < before
        return move


def result_of(rules: AnyRules, position: Any) -> int:
    """How the side to move does with best play: 1, 0, or -1."""
    knowledge, outcome = knowledge_of(rules), rules.status(position)
    value = knowledge.exact_value(position) if outcome is None else None
    if outcome is not None:
        value = knowledge.worth(outcome.winners, position.turn)
    assert value is not None
    return (value > 0) - (value < 0)


def solved_match(
    rules: AnyRules, best: Player, rival: Player, games: int, seed: int, *, is_won: bool
) -> dict[str, Any]:
    """The score of *best* from solved positions, and what it gave away."""
    found, checked = Match(), Checked(best)
    for number in range(games):
        opening = solved_position(rules, seed + number, is_won=is_won)
        found.scores.append(points(rules, checked, rival, opening.turn, seed + number, opening))
    least = 1 if is_won else 0.5
    return {
        "score": round(found.score, 3),
        "games": games,
        "worse": sum(score < least for score in found.scores),
        "moves": checked.moves,
        "given_away": checked.given_away,
    }


def points(rules: AnyRules, strong: Player, weak: Player, seat: int, seed: int, opening: Any = None) -> float:
    """The score of *strong* on *seat*: its share of the win; ½ in a draw."""
    players = [strong if side == seat else weak for side in range(len(rules.sides))]
    winners = play(rules, players, opening_of(rules, seed) if opening is None else opening, 1000 * seed)
    if not winners:
        return 0.5
    return (seat in winners) / len(winners)


def against_solved(rules: AnyRules, best: Player, rival: Player, games: int, seed: int) -> dict[str, Any]:
    """The scores of *best* from *games* won and as many drawn positions."""
    return {
        name: solved_match(rules, best, rival, games, seed, is_won=is_won)
        for name, is_won in (("from_won", True), ("from_drawn", False))
    }


@dataclass
class Match:
    """The result of games between two players."""

    scores: list[float] = field(default_factory=list)

    @property
    def score(self) -> float:
        return sum(self.scores) / len(self.scores)

    @property
    def deviation(self) -> float:
        """The standard deviation of a game, with half a win and half a loss added."""
        scores = [*self.scores, 0.25, 0.75]
        mean = sum(scores) / len(scores)
        return math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores)) or 0.1

    def interval(self) -> tuple[float, float]:
        """The scores between which the true one is, with 95 %."""
        error = 1.96 * self.deviation / math.sqrt(len(self.scores))
        return self.score - error, self.score + error

    def is_step(self) -> bool | None:
        """True if the difference is `STEP` at least, False if less, None if undecided."""
        low, high = self.interval()
        if len(self.scores) < LEAST_GAMES or low < expected(STEP) <= high:
            return None
        return low >= expected(STEP)

    def as_data(self) -> dict[str, Any]:
        low, at, high = (
            round(elo(min(max(each, 0.01), 0.99)))
            for each in (self.interval()[0], self.score, self.interval()[1])
        )
        return {
            "elo": at,
            "from": low,
            "to": high,
            "score": round(self.score, 3),
            "games": len(self.scores),
            "is_step": self.is_step(),
        }


def expected(difference: float) -> float:
    """The expected score of a player who is *difference* Elo stronger."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo(score: float) -> float:
    """The difference in Elo with this expected score."""
    return -400 * math.log10(1 / score - 1)


def match(
    rules: AnyRules, strong: Player, weak: Player, games: int, seed: int, *, is_sequential: bool = True
) -> Match:
    """Play up to *games* games, each opening once on each seat."""
    found, sides = Match(), len(rules.sides)
    for number in range(games):
        found.scores.append(points(rules, strong, weak, number % sides, seed + number // sides))
        if is_sequential and found.is_step() is not None and (number + 1) % sides == 0:
            break
    return found


def percentile(samples: Sequence[float], share: float) -> float:
    ordered = sorted(samples)
    return round(1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1)


def measure(
    slug: str,
    options: dict[str, str],
    games: int,
    seed: int,
    numbers: Sequence[int],
    *,
    others: bool,
    share: float = 1,
) -> dict[str, Any]:
    """The figures of one game for the levels *numbers*, with a *share* of their positions."""
    rules = find(slug).rules(options)
    chosen = [
        Timed(replace(level, nodes=round(share * level.nodes)))
        for level in levels(slug)
        if level.number in numbers
    ]
    steps = {}
    for weak, strong in itertools.pairwise(chosen):
        found = match(rules, strong, weak, games, seed).as_data()
        steps[f"{weak.level.number}-{strong.level.number}"] = found
        say(f"{slug} level {strong.level.number} against {weak.level.number}: {found}")
    result: dict[str, Any] = {"levels": steps}
    best = chosen[-1]
    if others:
        rivals: dict[str, Player] = {
            "greedy": greedy,
            "uct": uct(lambda: sum(best.seconds) / max(len(best.seconds), 1)),
        }
        if len(rules.sides) > 2:
            rivals["max_n"] = max_n(best.level.nodes)
        is_drawn = best.level.is_exact and knowledge_of(rules).exact_value(rules.initial()) == 0
        if is_drawn and len(chosen) > 1:
            rivals[f"level_{chosen[-2].level.number}"] = chosen[-2]
        for name, other in rivals.items():
            if is_drawn:
                against = against_solved(rules, best, other, games, seed)
            else:
                against = match(rules, best, other, games, seed + 500, is_sequential=False).as_data()
            result[f"against_{name}"] = against
            say(f"{slug} level {best.level.number} against {name}: {against}")
    result["move_ms"] = {
        str(player.level.number): {
            "p50": percentile(player.seconds, 0.5),
            "p95": percentile(player.seconds, 0.95),
        }
        for player in chosen
        if player.seconds
    }
    result["nodes_per_s"] = round(best.nodes / sum(best.seconds)) if best.seconds else 0
    return result


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    found = arguments(
        __doc__,
        "python tests/bench/strength.py --quick",
        "python tests/bench/strength.py --only chess --levels 1 2 3 --games 60 --json",
    )
    found.add_argument("--only", choices=slugs(), action="append", help="measure this game (may be repeated)")
    found.add_argument("--levels", type=int, nargs="+", metavar="N", help="measure these levels")
    found.add_argument("--games", type=int, metavar="N", help="most games of a pair (default: 200)")
    found.add_argument("--option", "-o", action="append", default=[], help="option of the game, NAME=VALUE")
    found.add_argument(
        "--share",
        type=float,
        default=1,
        metavar="X",
        help="share of the positions of each level (default: 1)",
    )
    found.add_argument("--no-others", action="store_true", help="leave out greedy and UCT")
    return found


def main() -> None:
    """Measure the games and print the report."""
    words = parser().parse_args()
    options = dict(each.split("=", 1) for each in words.option)
    results = {}
    for slug in words.only or slugs():
        every = range(1, len(levels(slug)) + 1)
        numbers = words.levels or (every[:2] if words.quick else every)
        games = words.games or (2 if words.quick else 200)
        results[slug] = measure(
            slug, options, games, words.seed, numbers, others=not words.no_others, share=words.share
        )
    deliver(results, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
