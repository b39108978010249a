# SPDX-License-Identifier: Apache-2.0
"""Measure how strong the computer's levels are, by games between them.

Figures of each game:

- levels: for each pair of neighbours the Elo difference, its 95 % interval, the score and the games
  played. A pair ends as soon as the interval is on one side of 100 Elo (`is_step`; None: it is on
  neither after the last game). The interval is looked at after each opening, and valid all the
  same: see `tests/bench/elo.py`.
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
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.model.game import AnyRules  # noqa: E402
from companion.opponent.find import knowledge_of  # noqa: E402
from companion.opponent.knowledge import WIN  # noqa: E402
from companion.opponent.levels import levels  # noqa: E402
from tests.bench.elo import Match  # noqa: E402
from tests.bench.matches import Move, Player, match, points  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402
from tests.bench.simple_players import Timed, greedy, max_n, uct  # noqa: E402

LONGEST_OPENING: Final = 24
"""Random plies before a solved position at most."""
LEAST_WIN: Final = 5
"""Plies to the end of a won position."""


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


def against_solved(rules: AnyRules, best: Player, rival: Player, games: int, seed: int) -> dict[str, Any]:
    """The scores of *best* from *games* won and as many drawn positions."""
    return {
        name: solved_match(rules, best, rival, games, seed, is_won=is_won)
        for name, is_won in (("from_won", True), ("from_drawn", False))
    }


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
        found = match(rules, strong, weak, games, seed)
        step = {**found.as_data(), "is_step": found.is_step()}
        steps[f"{weak.level.number}-{strong.level.number}"] = step
        say(f"{slug} level {strong.level.number} against {weak.level.number}: {step}")
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
