# SPDX-License-Identifier: Apache-2.0
"""Measure how soon the process that thinks is free when the position changes.

It thinks ahead at the highest level of each game. After some ms of its processor time comes
another question that needs no search, and the time to its answer is taken: on the clock, and in
processor time of the process, which other work of the machine does not lengthen. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.host.opponent.thinker import Ahead, SearchInput, Thinker  # noqa: E402
from companion.model.game import AnyRules  # noqa: E402
from companion.opponent.levels import levels  # noqa: E402
from tests.bench.report import arguments, deliver  # noqa: E402

LONG_MS: Final = 3_600_000
OPENING: Final = 30
"""Random plies before a position, at most."""
LEAST_MS, MOST_MS = 5, 60
"""Processor time of the process before the position changes."""
MOST_STILL: Final = 100
"""Looks in a row, a ms apart, at which its time stands still."""
CHILDREN: Final = Path("/proc/thread-self/children")


@dataclass
class Times:
    """Times in ms until the process was free."""

    elapsed: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


def clock_of(process: int) -> Callable[[], float]:
    """The processor time of *process*, in ms."""
    clock = ~process << 3 | 2  # CPUCLOCK_SCHED of clock_getcpuclockid(3)
    return lambda: time.clock_gettime(clock) * 1000


def some_position(rules: AnyRules, chance: Random) -> Any:
    """A position of a random game that is not over."""
    position = rules.initial()
    for _ in range(chance.randrange(OPENING)):
        after = rules.apply(position, chance.choice(rules.legal_moves(position)))
        if rules.status(after) is None:
            position = after
    return position


async def spends(clock: Callable[[], float], ms: float) -> None:
    """Wait until *ms* have passed on *clock*, or until it stands still."""
    until, still, last = clock() + ms, 0, 0.0
    while last < until and still < MOST_STILL:
        await asyncio.sleep(0.001)
        now = clock()
        still, last = (still + 1 if now == last else 0), now


async def measure(changes: int, games: Sequence[str], seed: int = 1) -> dict[str, Times]:
    """The times of *changes* in each of *games*."""
    found, chance = {slug: Times() for slug in games}, Random(seed)
    before = set(CHILDREN.read_text().split())
    thinker = Thinker()
    try:
        for slug, times in found.items():
            rules = find(slug).rules()
            trivial = SearchInput(rules, rules.initial(), most_ms=LONG_MS)
            await thinker.proves(trivial, 0, 0)  # the process has started, and knows the game
            (process,) = set(CHILDREN.read_text().split()) - before
            clock = clock_of(int(process))
            for _ in range(changes):
                at = SearchInput(rules, some_position(rules, chance), most_ms=LONG_MS)
                sides = tuple(len(levels(slug)) for _ in rules.sides)
                thinker.think_ahead(Ahead(at, sides, 1))
                await spends(clock, chance.uniform(LEAST_MS, MOST_MS))
                started, spent = time.perf_counter(), clock()
                await thinker.proves(trivial, 0, 0)
                times.processor.append(clock() - spent)
                times.elapsed.append(1000 * (time.perf_counter() - started))
    finally:
        await thinker.kill()
    return found


def share(samples: Sequence[float], part: float) -> float:
    """The sample below which there is the *part* of all."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def parser() -> argparse.ArgumentParser:
    """The options."""
    return arguments(
        __doc__, "python tests/bench/stopping.py --quick", "python tests/bench/stopping.py --json"
    )


def row(times: Times) -> dict[str, Any]:
    """The report about *times*."""
    kinds = {"elapsed_ms": times.elapsed, "processor_ms": times.processor}
    return {
        "changes": len(times.elapsed),
        **{
            name: {"p50": round(share(each, 0.5), 1), "p99": round(share(each, 0.99), 1)}
            for name, each in kinds.items()
        },
    }


def main() -> None:
    """Measure and print the report."""
    words = parser().parse_args()
    found = asyncio.run(measure(20 if words.quick else 200, slugs(), words.seed))
    every = Times(
        [each for times in found.values() for each in times.elapsed],
        [each for times in found.values() for each in times.processor],
    )
    result = {name: row(times) for name, times in {**found, "all": every}.items()}
    deliver(result, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
