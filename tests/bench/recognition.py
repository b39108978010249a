# SPDX-License-Identifier: Apache-2.0
"""Examine the referee with virtual hands in random legal games.

The hands have the habits of a profile; the true moves are known, and so are the sensed changes.
Figures:

- accept_ms: processor time of the host for a recognised move.
- final_ms, flag_ms: time of the game from the last sensed edge, or from the press for a move that
  leaves no trace, to the announcement or the alarm.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion import __version__  # noqa: E402  (run as a script, from anywhere)
from companion.games import find, slugs  # noqa: E402
from companion.host.journal.journal import FORMAT, SUFFIX, Header, JournalWriter  # noqa: E402
from companion.host.journal.setup import GameSetup  # noqa: E402
from companion.model.observation import SensorKind  # noqa: E402
from companion.referee.values.timing import DEFAULT_TIMING  # noqa: E402
from tests.bench.examiner import examine  # noqa: E402
from tests.bench.report import arguments, deliver, percentiles, say  # noqa: E402
from tests.bench.score import Score  # noqa: E402
from tests.virtual.hands import PROFILES  # noqa: E402

_BEGAN = "2026-01-01T00:00:00+00:00"
"""The date in the journals of these artificial games."""

COUNTS = [
    "plies",
    "plies_varied",
    "right",
    "asked",
    "asked_needlessly",
    "missed",
    "wrong",
    "illegal_tried",
    "illegal_flagged",
    "illegal_reason_right",
    "illegal_silent",
    "false_alarms",
    "plies_timed",
    "clock_wrong",
    "flags",
]


class Task(NamedTuple):
    """The work of one process at a time."""

    game: str
    sensor: str
    profile: str
    plies: int
    seed: int


def row(task: Task, score: Score) -> dict[str, Any]:
    """The result of one game, sensor and profile."""
    return {
        "game": task.game,
        "sensor": task.sensor,
        "profile": task.profile,
        **{name: getattr(score, name) for name in COUNTS},
        "accept_ms": percentiles(score.accept_ms),
        "final_ms": percentiles(score.final_ms),
        "flag_ms": percentiles(score.flag_ms),
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/recognition.py --quick",
        "python tests/bench/recognition.py --games chess --sensor occupancy --profile blitz --plies 500",
    )
    parser.add_argument(
        "--games",
        default=",".join(slugs()),
        metavar="A,B",
        help="games, separated by commas (default: all)",
    )
    parser.add_argument(
        "--sensor",
        default=",".join(SensorKind),
        metavar="A,B",
        help=f"sensor kinds, separated by commas, of {', '.join(SensorKind)} (default: all)",
    )
    parser.add_argument(
        "--profile",
        default=",".join(PROFILES),
        metavar="A,B",
        help=f"profiles of the hands, separated by commas, of {', '.join(PROFILES)} (default: all)",
    )
    parser.add_argument(
        "--plies",
        type=int,
        default=0,
        metavar="N",
        help="plies for each game and sensor, over all profiles (default: 1200, with --quick 36)",
    )
    parser.add_argument(
        "--failures", type=Path, metavar="FOLDER", help="write each failed game into FOLDER as a journal"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="number of processes that share the work (default: 1)",
    )
    return parser


def main() -> None:
    """Examine and report."""
    given = parser().parse_args()
    profiles = given.profile.split(",")
    plies = max(1, (given.plies or (36 if given.quick else 1200)) // len(profiles))
    tasks = [
        Task(game, sensor, profile, plies, given.seed)
        for game in given.games.split(",")
        for sensor in given.sensor.split(",")
        for profile in profiles
    ]
    results = []
    with multiprocessing.Pool(given.jobs) as pool:
        for task, score in pool.imap(perform, tasks):
            results.append(row(task, score))
            if given.failures is not None:
                keep(given.failures, task, score)
            say(
                f"{task.game} {task.sensor} {task.profile}: {score.plies} plies, {score.plies_varied} with drawn options,"
                f" {score.plies_timed} by the clock, {len(score.failures)} failures"
            )
    deliver({"results": results}, given.seed, as_json=given.json)


def perform(task: Task) -> tuple[Task, Score]:
    """Examine *task*; returns it with its score."""
    return task, examine(find(task.game), SensorKind(task.sensor), task.profile, task.plies, task.seed)


def keep(folder: Path, task: Task, score: Score) -> None:
    """Write the failing games of *score* into *folder*, for `companion records replay`."""
    for number, failure in enumerate(score.failures, start=1):
        kind = failure.what.partition(" ")[0].strip(":")
        path = folder / f"{task.game}-{task.sensor}-{task.profile}-{failure.seed}-{number}-{kind}{SUFFIX}"
        path.unlink(missing_ok=True)
        header = Header(
            format=FORMAT,
            program=__version__,
            began=_BEGAN,
            setup=GameSetup(task.game, failure.options),
            timing=DEFAULT_TIMING,
            sensor=SensorKind(task.sensor),
            control=failure.control,
        )
        with JournalWriter.create(path, header) as writer:
            writer.write(failure.entries)
        say(f"{path}: {failure.what}")


if __name__ == "__main__":
    main()
