# SPDX-License-Identifier: Apache-2.0
"""Measure the levels of a game of three or more sides, all at one table.

As many levels as sides play, from the lowest to the highest at even distances; the highest looks at
a share of its positions. From each opening the levels play as many games as there are sides, so
that each has every seat; their order is another one for each opening. `share` is what a level gets:
a win divided by the winners, a draw of 300 plies divided by all. Its 95 % interval is to be
compared with `even`.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find  # noqa: E402  (run as a script, from anywhere)
from companion.opponent.levels import Level, levels  # noqa: E402
from tests.bench.elo import Match  # noqa: E402
from tests.bench.matches import opening_of, play, won_share  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402
from tests.bench.simple_players import Timed  # noqa: E402

GAME: Final = "martian-chess"
SHARE: Final = 0.1


def at_table(every: Sequence[Level], sides: int, share: float) -> list[Level]:
    """A level for each of *sides*, the highest with a *share* of its positions."""
    steps = (len(every) - 1) / (sides - 1)
    chosen = [every[round(number * steps)] for number in range(sides)]
    return [*chosen[:-1], replace(chosen[-1], nodes=round(share * chosen[-1].nodes))]


def rotated(chosen: Sequence[Level], seed: int) -> list[list[float]]:
    """The scores of each level in the games from an opening."""
    sides = len(chosen)
    rules = find(GAME).rules({"players": str(sides)})
    order = random.Random(seed).sample(range(sides), sides)
    scores: list[list[float]] = [[] for _ in chosen]
    for turn in range(sides):
        seats = [*order[turn:], *order[:turn]]
        players = [Timed(chosen[number]) for number in seats]
        winners = play(rules, players, opening_of(rules, seed), 1000 * seed)
        for seat, number in enumerate(seats):
            scores[number].append(won_share(winners, seat, sides))
    return scores


def figures(chosen: Sequence[Level], found: Sequence[Match]) -> dict[str, Any]:
    """The shares of the levels, with their intervals."""
    result: dict[str, Any] = {"games": len(found[0].scores), "even": round(1 / len(chosen), 3), "levels": {}}
    for level, match in zip(chosen, found, strict=True):
        low, high = (round(end, 3) for end in match.interval())
        result["levels"][str(level.number)] = {
            "nodes": level.nodes,
            "share": round(match.score, 3),
            "from": low,
            "to": high,
        }
    return result


def measure(sides: int, games: int, seed: int, share: float, jobs: int) -> dict[str, Any]:
    """The shares of the levels in *games* games or a few more."""
    chosen = at_table(levels(GAME), sides, share)
    found = [Match(sides=sides, is_sequential=False) for _ in chosen]
    openings = range(seed, seed - games // -sides)
    with ProcessPoolExecutor(jobs) as pool:
        for scores in pool.map(rotated, [chosen] * len(openings), openings):
            for match, own in zip(found, scores, strict=True):
                match.scores += own
            say(f"{sides} sides: {figures(chosen, found)}")
    return figures(chosen, found)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    script = "python tests/bench/many_sides.py"
    found = arguments(__doc__, f"{script} --quick", f"{script} --sides 4 --games 40 --jobs 2 --json")
    found.add_argument(
        "--sides", type=int, nargs="+", metavar="N", help="sides of Martian Chess (default: 3 4)"
    )
    found.add_argument("--games", type=int, metavar="N", help="games of each number of sides (default: 30)")
    found.add_argument(
        "--share",
        type=float,
        default=SHARE,
        metavar="X",
        help=f"share of the positions of the highest level (default: {SHARE})",
    )
    found.add_argument("--jobs", type=int, default=1, metavar="N", help="games at a time (default: 1)")
    return found


def main() -> None:
    """Measure and print the report."""
    words = parser().parse_args()
    share = 0.001 if words.quick else words.share
    results = {
        str(sides): measure(
            sides, words.games or (sides if words.quick else 30), words.seed, share, words.jobs
        )
        for sides in words.sides or ([3] if words.quick else [3, 4])
    }
    deliver({"sides": results}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
