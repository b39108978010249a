# SPDX-License-Identifier: Apache-2.0
"""Compare this tree's referee with an older one, game by game.

The seeds are the same. Both referees meet the players and the judge of this tree, as
`tests/bench/adapters/players.py` explains.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.bench import against
from tests.bench.against import Line, Measured, Tree
from tests.bench.paired import counted, wilson

ADAPTER: Final = Path(__file__).parent / "adapters" / "players.py"
FAILURES: Final = ("misread", "stuck", "undecided", "crashed")
"""`crashed`: the session raised an error, or took far too long."""
CLASSES: Final = (*FAILURES, "undecidable")
"""`undecidable` is no failure: the record leaves the same edges as the truth."""
COUNTED: Final = {"false alarm": "false alarms", "silent": "silent", "needless question": "needless"}
"""Findings that do not end a game, with the heads of their columns."""
BATCH: Final = 6
"""Games that a process plays; then the other tree plays the same."""


class Pair(NamedTuple):
    """One game in both trees."""

    now: Line
    before: Line

    @property
    def name(self) -> str:
        """The setting of the game."""
        return f"{self.now['game']} {self.now['sensor']} {self.now['seed']}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this comparison."""
    parser.add_argument(
        "--against",
        metavar="COMMIT_OR_PATH",
        help="compare with the referee of an older tree, with the same seeds; the options for"
        " traces do not apply; AGAINST_PYTHON names a Python that has its packages",
    )
    parser.add_argument(
        "--length",
        type=int,
        default=80,
        metavar="N",
        help="with --against: plies after which a game is ended (default: 80)",
    )
    parser.add_argument(
        "--keep", action="store_true", help="with --against: leave the tree of the commit in the cache"
    )


def games(tables: Sequence[tuple[str, str]], seed: str, length: int, faulty: int) -> Iterator[Line]:
    """The games to play, without end; the tables take turns."""
    for number in count():
        game, sensor = tables[number % len(tables)]
        yield {
            "game": game,
            "sensor": sensor,
            "seed": f"{seed}/{number}",
            "plies": length,
            "faulty": faulty,
        }


def kind(result: Line) -> str:
    """The class of a game without the right record; else ""."""
    failure = result.get("failure", "")
    return failure if failure in CLASSES or not failure else "crashed"


def paired(now: Measured, before: Measured) -> list[Pair]:
    """The games of a batch that both trees have played."""
    return [Pair(*both) for both in zip(now.value, before.value, strict=True)]


class Comparison:
    """The games that were played, and what they used."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self.void: list[Pair] = []
        """Games in which the players themselves made an error in a tree."""
        self.used: list[tuple[Measured, Measured]] = []

    def add(self, now: Measured, before: Measured) -> None:
        """Add a batch."""
        self.used.append((now, before))
        for pair in paired(now, before):
            (self.void if "void" in pair.now or "void" in pair.before else self.pairs).append(pair)

    @property
    def plies(self) -> int:
        """The plies that were played with this tree."""
        return sum(pair.now["plies"] for pair in self.pairs)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each game and for all together."""
        for game in [*sorted({pair.now["game"] for pair in self.pairs}), "all"]:
            yield {"game": game, **_row([each for each in self.pairs if game in ("all", each.now["game"])])}

    def differences(self) -> list[dict[str, str]]:
        """The games in which the trees differ, with the failure of each."""
        return [
            {
                "game": pair.name,
                "now": f"{kind(pair.now)} {pair.now['about']}".strip(),
                "before": f"{kind(pair.before)} {pair.before['about']}".strip(),
            }
            for pair in self.pairs
            if kind(pair.now) != kind(pair.before)
        ]

    def figures(self) -> dict[str, Any]:
        """What the runs used, and in how many games the hands were the same."""
        ratios = [now.processor_s / before.processor_s for now, before in self.used if before.processor_s]
        spent = [sum(pair[tree]["session_ms"] for pair in self.pairs) / 1000 for tree in (0, 1)]
        return {
            "games": len(self.pairs),
            "void": len(self.void),
            "same_hands": sum(pair.now["hands"] == pair.before["hands"] for pair in self.pairs),
            "processor_s": [round(sum(each[tree].processor_s for each in self.used), 2) for tree in (0, 1)],
            "processor_ratios": [round(each, 3) for each in ratios],
            "session_s": [round(each, 2) for each in spent],
            "peak_mib": [
                max((each[tree].peak_rss for each in self.used), default=0) >> 20 for tree in (0, 1)
            ],
        }


def _row(pairs: Sequence[Pair]) -> dict[str, Any]:
    kinds = [(kind(pair.now), kind(pair.before)) for pair in pairs]
    numbers = counted((now in FAILURES, before in FAILURES) for now, before in kinds)
    row: dict[str, Any] = {"games": len(pairs)}
    for index, tree in enumerate(("now", "before")):
        found = Counter(each[index] for each in kinds)
        failures = sum(found[name] for name in FAILURES)
        counts = {name: sum(pair[index]["counts"][name] for pair in pairs) for name in COUNTED}
        row[tree] = (
            {name: found[name] for name in CLASSES}
            | counts
            | {
                "plies": sum(pair[index]["plies"] for pair in pairs),
                "failures": failures,
                "interval": [round(each, 6) for each in wilson(failures, len(pairs))],
            }
        )
    return row | {
        "only_now": numbers.only_now,
        "only_before": numbers.only_before,
        "p_better": round(numbers.better, 4),
        "p_worse": round(numbers.worse, 4),
    }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """*rows* as text."""
    lines = [
        [
            *("game", "games", "", "plies", *CLASSES, *COUNTED.values()),
            *("failed (95 %)", "only here", "p now better", "p now worse"),
        ]
    ]
    for row in rows:
        for tree, alone in (("now", "only_now"), ("before", "only_before")):
            found, is_first = row[tree], tree == "now"
            low, high = found["interval"]
            share = 100 * found["failures"] / row["games"] if row["games"] else 0.0
            head = [row["game"], str(row["games"])] if is_first else ["", ""]
            tests = [f"{row['p_better']:.4f}", f"{row['p_worse']:.4f}"] if is_first else []
            rate = f"{share:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
            counts = [str(found[each]) for each in ("plies", *CLASSES, *COUNTED)]
            lines.append([*head, tree, *counts, rate, str(row[alone]), *tests])
    widths = [max(len(line[at]) for line in lines if at < len(line)) for at in range(len(lines[0]))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def play(comparison: Comparison, now: Tree, before: Tree, given: argparse.Namespace, seed: str) -> None:
    """Play batches, alternately, until there are enough plies."""
    tables = [(game, sensor) for sensor in given.sensors for game in given.games]
    left, began = games(tables, seed, given.length, given.faulty), time.monotonic()
    while comparison.plies < given.plies and not (
        given.minutes and time.monotonic() - began > given.minutes * 60
    ):
        missing = -(-(given.plies - comparison.plies) // given.length)
        batch = [*islice(left, min(BATCH, missing))]
        comparison.add(*(tree.measure(ADAPTER, lines=batch) for tree in (now, before)))
        if len(comparison.void) > BATCH + len(comparison.pairs):
            reason = next(each.get("void") for pair in comparison.void for each in pair if "void" in each)
            raise against.AgainstFailed(
                f"the players make errors in {before.name} in most games, first: {reason}. Choose other --games"
            )
        differ = len(comparison.differences())
        print(
            f"{time.monotonic() - began:.0f} s, {len(comparison.pairs)} games, {comparison.plies} plies:"
            f" {differ} differ",
            file=sys.stderr,
            flush=True,
        )


def report(comparison: Comparison, seed: str, *, as_json: bool) -> None:
    """Print what was found."""
    rows, figures, differences = [*comparison.rows()], comparison.figures(), comparison.differences()
    if as_json:
        print(json.dumps({"seed": seed, "rows": rows, "differences": differences, **figures}))
        return
    print(table(rows))
    one, other = figures["processor_s"]
    ratio = f"{one / other:.3f}" if other else "unknown"
    print(
        f"hands the same in {figures['same_hands']} of {figures['games']} games; {figures['void']} games void\n"
        f"processor time {one} s now, {other} s before, ratio {ratio}"
        f" (by batch: {', '.join(map(str, figures['processor_ratios']))});"
        f" of it in the session {figures['session_s'][0]} and {figures['session_s'][1]} s\n"
        f"memory at most {figures['peak_mib'][0]} and {figures['peak_mib'][1]} MiB"
    )
    for each in differences:
        print(f"{each['game']}: now {each['now'] or 'right'}; before {each['before'] or 'right'}")


def run(given: argparse.Namespace) -> int:
    """Compare and report, also after Ctrl-C; the exit code is that of `tests.bench.against`."""
    seed = secrets.token_hex(4) if given.seed == "fresh" else given.seed
    print(f"seed {seed}", file=sys.stderr)
    comparison = Comparison()

    def compared(_: argparse.Namespace) -> None:
        with against.older(given.against, keep=given.keep) as before, against.present() as now:
            play(comparison, now, before, given, seed)

    code = against.ended(compared, given)
    if comparison.used:
        report(comparison, seed, as_json=given.json)
    return code
