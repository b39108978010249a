# SPDX-License-Identifier: Apache-2.0
"""Measure how varied the games of the computer are.

Each level plays games against itself from the start position, each with another seed. Figures of
each game and level: `openings`, the number of different first ten plies; `most_alike`, the most
games with the same ones; `repeated`, the games that are equal to an earlier one to their end, or to
the last ply that was played.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.opponent.levels import Level, levels  # noqa: E402
from companion.opponent.player import choose  # noqa: E402
from tests.bench.matches import LONGEST  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402

OPENING: Final = 10
"""Plies of a game that are compared."""

Game = tuple[str, ...]
"""The moves of a game."""


def played(slug: str, level: Level, seed: int, plies: int) -> Game:
    """The first *plies* of a game of *level* against itself."""
    rules = find(slug).rules()
    position, moves = rules.initial(), list[str]()
    past = [position]
    while len(moves) < plies and rules.status(position) is None:
        move = choose(rules, position, level, seed + len(moves), past=past).move
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
        past.append(position)
    return tuple(moves)


def figures(games: Sequence[Game]) -> dict[str, Any]:
    """How many of *games* are alike."""
    openings = Counter(game[:OPENING] for game in games)
    return {
        "games": len(games),
        "openings": len(openings),
        "most_alike": max(openings.values()),
        "repeated": len(games) - len(set(games)),
        "says": "all equal" if len(set(games)) == 1 < len(games) else "",
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    script = "python tests/bench/variety.py"
    found = arguments(
        __doc__, f"{script} --quick", f"{script} --only chess --levels 7 8 --share 0.1 --plies 20 --jobs 2"
    )
    found.add_argument("--only", choices=slugs(), action="append", help="measure this game (may be repeated)")
    found.add_argument("--levels", type=int, nargs="+", metavar="N", help="measure these levels")
    found.add_argument("--games", type=int, metavar="N", help="games of each level (default: 20)")
    found.add_argument("--plies", type=int, metavar="N", help=f"plies of a game at most (default: {LONGEST})")
    found.add_argument(
        "--share", type=float, default=1, metavar="X", help="share of the level's positions (default: 1)"
    )
    found.add_argument("--jobs", type=int, default=1, metavar="N", help="games at a time (default: 1)")
    return found


def main() -> None:
    """Measure the games and print the report."""
    words = parser().parse_args()
    count = words.games or (3 if words.quick else 20)
    plies = words.plies or (4 if words.quick else LONGEST)
    results: dict[str, dict[str, Any]] = {}
    with ProcessPoolExecutor(words.jobs) as pool:
        for slug in words.only or slugs():
            results[slug] = {}
            for level in levels(slug)[: 1 if words.quick else None]:
                if words.levels and level.number not in words.levels:
                    continue
                own = replace(level, nodes=round(words.share * level.nodes))
                seeds = range(words.seed, words.seed + count)
                games = [*pool.map(played, repeat(slug), repeat(own), seeds, repeat(plies))]
                found = results[slug][str(level.number)] = figures(games)
                say(f"{slug} level {level.number}: {found}")
    deliver({"games": results}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
