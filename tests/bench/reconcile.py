# SPDX-License-Identifier: Apache-2.0
"""Measure the cost of an observation for the referee, in processor time.

Figures:

- observation_us: `reconcile` for each edge of random moves by hand, with the index built before,
  and longest_step_ms: the longest of its steps.
- session_us: the whole `Session.observe`, with events and statechart, which costs some 0.1 ms for
  each change.
- index_ms: indexing the footprints of a position.

Processor time leaves out other programs on the machine. As in the host, older objects are excluded
from garbage collection, which would otherwise decide the 99th percentile.

With --against, the referee of an older tree gets the same hands in the same run:

- work: processor ms a ply, for each game and sensor.
- open question: the same while a question is left open for 30 plies.
- longest: a call of the session as a table makes it, and all calls that one input leads to.
- lateness: ms at the table from the last edge of a ply until it is announced.

Exit codes: 0 what is required holds, 1 it does not or a tree failed, 2 wrong arguments, 130
interrupted.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.model.game import AnyRules  # noqa: E402
from companion.model.observation import EMPTY, Change, Observation, SensorKind  # noqa: E402
from companion.referee.inference.search import Search  # noqa: E402
from companion.referee.inference.tracker import face  # noqa: E402
from companion.referee.session.session import Session  # noqa: E402
from companion.referee.values.board.footprints import Prospect  # noqa: E402
from companion.referee.values.board.looks import look  # noqa: E402
from tests.bench import reconcile_against  # noqa: E402
from tests.bench.report import arguments, deliver, percentiles, say  # noqa: E402
from tests.fakes import FakeTable  # noqa: E402
from tests.games.support import random_positions  # noqa: E402
from tests.virtual.hands import Habits, motions  # noqa: E402

HANDS = Habits(slides=0.2, stops=0.3, pushes=0.1, early=0.1, puts_back=0.1, bumps=0.1)


def cases() -> list[tuple[str, dict[str, str]]]:
    """Every game, Tank Chess on each of its maps."""
    found = [(slug, dict[str, str]()) for slug in slugs()]
    maps = (
        next((option.values for option in find("tank-chess").options if option.name == "map"), ())
        if ("tank-chess" in slugs())
        else ()
    )
    return [*found, *(("tank-chess", {"map": name}) for name in maps[1:] if name != "file")]


def measure(rules: AnyRules, kind: SensorKind, positions: list[Any], seed: int) -> dict[str, Any]:
    """The figures for one game and sensor."""
    gc.collect()
    gc.freeze()
    chance = Random(seed)
    observed, whole, steps_us = list[float](), list[float](), list[float]()
    indexed, counts = list[float](), list[int]()
    for position in positions:
        moves = rules.legal_moves(position)
        if not moves:
            continue
        counts.append(len(moves))
        began = time.process_time_ns()
        Prospect(rules, position, kind).prepare()
        indexed.append((time.process_time_ns() - began) / 1e6)
        table = FakeTable(rules, kind, session=Session(rules, kind, start=position))
        table.set_up()
        table.wait(10)
        steps = rules.steps(position, chance.choice(moves))
        edges(table, kind, steps, chance, observed, whole, steps_us)
    return {
        "observation_us": percentiles(observed),
        "longest_step_ms": round(max(steps_us, default=0.0) / 1e3, 3),
        "session_us": percentiles(whole),
        "index_ms": percentiles(indexed),
        "legal_moves": {"p50": sorted(counts)[len(counts) // 2], "max": max(counts)},
        "observations": len(observed),
    }


def edges(
    table: FakeTable,
    kind: SensorKind,
    steps: Any,
    chance: Random,
    observed: list[float],
    whole: list[float],
    steps_us: list[float],
) -> None:
    """Measure each observation in µs while hands perform *steps*.

    *observed* gets the time of `reconcile` alone, *steps_us* that of each of its steps, and
    *whole* that of the session.
    """
    for motion in motions(table.rules.grid, table.on, steps, HANDS, chance):
        table.wait(motion.wait_ms)
        if motion.piece is None:
            table.on.pop(motion.cell)
        else:
            table.on[motion.cell] = motion.piece
        sighting = look(motion.piece, kind) if motion.piece else EMPTY
        change = Change(table.now_ms, motion.cell, sighting)
        table.rest_since_ms = table.now_ms
        observation = Observation(table.now_ms, (change,), table.sightings(), table.now_ms)
        took_us = step_times(face.reconcile(table.session.belief, change))
        began = time.process_time_ns()
        table.session.observe(observation)
        whole.append((time.process_time_ns() - began) / 1e3)
        observed.append(sum(took_us))
        steps_us += took_us


def step_times(search: Search) -> list[float]:
    """The time of each step of *search* in µs."""
    found = list[float]()
    while True:
        began = time.process_time_ns()
        try:
            next(search)
        except StopIteration:
            return [*found, (time.process_time_ns() - began) / 1e3]
        found.append((time.process_time_ns() - began) / 1e3)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/reconcile.py --quick",
        "python tests/bench/reconcile.py --games chess,gottaz",
        "python tests/bench/reconcile.py --against 4449642f --json",
        "python tests/bench/reconcile.py --against ../older-tree --quick --games chess --seed 7",
    )
    parser.add_argument(
        "--games",
        type=chosen,
        default=[],
        metavar="A,B",
        help="games, separated by commas (default: all)",
    )
    reconcile_against.add_arguments(parser)
    parser.set_defaults(seed=None)
    return parser


def chosen(text: str) -> list[str]:
    """The games of a list. Raises `argparse.ArgumentTypeError`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := sorted({*names} - {*slugs()}):
        raise argparse.ArgumentTypeError(
            f"there is no game {', '.join(map(repr, unknown))}; there are {', '.join(slugs())}"
        )
    return names


def main() -> None:
    """Measure and report."""
    given = parser().parse_args()
    if given.against is not None:
        sys.exit(reconcile_against.run(given))
    seed = 1 if given.seed is None else given.seed
    results: dict[str, Any] = {}
    for slug, options in cases():
        if given.games and slug not in given.games:
            continue
        rules = find(slug).rules(options)
        name = "-".join((slug, *options.values()))
        positions = list(random_positions(rules, seed, 30 if given.quick else 300))
        for kind in SensorKind:
            results.setdefault(name, {})[str(kind)] = measure(rules, kind, positions, seed)
        say(f"{name}: done")
    deliver({"games": results}, seed, as_json=given.json)


if __name__ == "__main__":
    main()
