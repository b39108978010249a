# SPDX-License-Identifier: Apache-2.0
"""Examine the referee with virtual hands in random legal games.

The hands have the habits of a profile; the true moves are known, and so are the sensed changes.
These games have what those of `tests.bench.players` lack: drawn options of every kind, clocks that
are computed again, pieces from the box, exchanged, turned or swapped, reasons of alarms, gaps of
the line, and a switch that is known to be stuck.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.model.observation import SensorKind  # noqa: E402
from tests.bench.examiner import examine  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402
from tests.virtual.hands import PROFILES  # noqa: E402


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/recognition.py --quick",
        "python tests/bench/recognition.py --games chess,gottaz --plies 500 --seed 7",
    )
    parser.add_argument(
        "--games", default=",".join(slugs()), metavar="A,B", help="games, separated by commas (default: all)"
    )
    parser.add_argument(
        "--plies",
        type=int,
        metavar="N",
        help="plies for each game and sensor, over all profiles (default: 1200, with --quick 36)",
    )
    return parser


def main() -> None:
    """Examine and report; the last lines of each failed game are printed."""
    given, results = parser().parse_args(), []
    plies = max(1, (given.plies or (36 if given.quick else 1200)) // len(PROFILES))
    for game, sensor, profile in product(given.games.split(","), SensorKind, PROFILES):
        score = examine(find(game), sensor, profile, plies, given.seed)
        results.append({"game": game, "sensor": sensor, "profile": profile, **score.counts})
        say(f"{game} {sensor} {profile}: {score.plies} plies, {len(score.failures)} failures")
        for failure in score.failures:
            say(f"game {failure.seed}: {failure.what}\n{failure.log}")
    deliver({"results": results}, given.seed, as_json=given.json)


if __name__ == "__main__":
    main()
