# SPDX-License-Identifier: Apache-2.0
"""Let virtual people play at a table and count the referee's errors.

The games are judged by `tests.bench.players.judge`, which says what each class of errors means.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from companion import games
from companion.model.observation import SensorKind
from tests.bench import players_against
from tests.bench.players.judge import Judge
from tests.bench.players.physics import Item
from tests.bench.players.play import Play, draw_setting
from tests.bench.players.summary import Summary
from tests.bench.players.trace import replay, save
from tests.bench.players.witness import Frozen

EXAMPLES = (
    "python -m tests.bench.players --plies 20000 --seed fresh --traces FOLDER",
    "python -m tests.bench.players --games chess,gottaz --sensors occupancy --seed 7 --json",
    "python -m tests.bench.players --replay FOLDER/FILE",
    "python -m tests.bench.players --against 4449642f --plies 20000 --seed 7",
)

CLASSES = (
    "misread",
    "undecidable",
    "stuck",
    "error",
    "frozen",
    "unsteady",
    "false alarm",
    "silent",
    "raised",
    "needless question",
    "undecided",
    "questions",
    "calls over 50 ms",
)


def bounds(count: int, plies: int) -> tuple[float, float, float]:
    """The rate per 100 000 plies with its 95 % bounds.

    Source: Byar's approximation of the Poisson distribution.
    """
    if not plies:
        return 0.0, 0.0, 0.0
    factor, more = 100_000 / plies, count + 1
    low = count * (1 - 1 / (9 * count) - 1.96 / (3 * count**0.5)) ** 3 if count else 0.0
    high = more * (1 - 1 / (9 * more) + 1.96 / (3 * more**0.5)) ** 3
    return count * factor, low * factor, high * factor


class Tally:
    """The findings by game, sensor and temperament."""

    def __init__(self) -> None:
        self.plies: Counter[tuple[str, str]] = Counter()
        self.found: dict[tuple[str, str], Counter[str]] = {}
        self.worst_ms = 0.0
        self.gestures: Counter[str] = Counter()
        self.summary = Summary()
        self.seed = ""
        self.findings: list[dict[str, Any]] = []

    def add(self, play: Play, judge: Judge, name: str) -> None:
        """Add one game."""
        setting = judge.setting
        keys = [
            ("all", ""),
            ("game", setting.game),
            ("sensor", setting.sensor),
            ("temperament", setting.temperament),
            ("game and sensor", f"{setting.game} {setting.sensor}"),
        ]
        for key in keys:
            self.plies[key] += play.made
            self.found.setdefault(key, Counter()).update(judge.counts)
        self.worst_ms = max(self.worst_ms, judge.worst_ms)
        self.gestures.update(play.used)
        self.summary.add(play, judge)
        base = {"game": setting.game, "sensor": setting.sensor, "seed": setting.seed, "trace": name}
        self.findings += [base | asdict(finding) for finding in judge.findings]

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each part of the examination and each class with findings."""
        for key in sorted(self.plies):
            for each in CLASSES:
                count = self.found[key][each]
                if count or key[0] == "all":
                    rate, low, high = bounds(count, self.plies[key])
                    yield {
                        "by": key[0],
                        "what": key[1],
                        "plies": self.plies[key],
                        "class": each,
                        "count": count,
                        "per_100000": round(rate, 1),
                        "low": round(low, 1),
                        "high": round(high, 1),
                    }


def play_one(
    game: str, sensor: str, seed: str, plies: int, faulty: int
) -> tuple[Play, Judge, list[Item], Any]:
    """Play and judge one game."""
    play = Play(draw_setting(game, sensor, seed), faulty)
    start = play.table.sightings()
    judge = Judge(play.setting, start)
    items: list[Item] = []
    try:
        for at_ms, what in play.plies(plies, judge.is_asking, judge.is_told):
            items.append((at_ms, what))
            judge.feed(at_ms, what)
            if judge.failure is not None:
                break
        judge.finish()
    except (IndexError, KeyError, ValueError, TypeError, AttributeError, RecursionError, Frozen) as error:
        judge.crash(error)
    return play, judge, items, start


def examine(options: argparse.Namespace) -> Tally:
    """Play games until there are enough plies."""
    seed = f"{time.time_ns() // 1000:x}" if options.seed == "fresh" else options.seed
    print(f"seed {seed}", file=sys.stderr)
    tables = [(game, sensor) for game in options.games for sensor in options.sensors]
    tally, number, began, printed = Tally(), 0, time.monotonic(), 0.0
    tally.seed = seed
    while tally.plies["all", ""] < options.plies:
        game, sensor = min(tables, key=lambda each: tally.plies["game and sensor", f"{each[0]} {each[1]}"])
        name = f"{game}-{sensor}-{seed}-{number}"
        play, judge, items, start = play_one(game, sensor, f"{seed}/{number}", 80, options.faulty)
        trace = ""
        if judge.findings and options.traces is not None:
            trace = f"{name}.jsonl"
            save(options.traces / trace, judge, start, items)
        tally.add(play, judge, trace)
        number += 1
        if time.monotonic() - printed > 10:
            printed = time.monotonic()
            found = {each: tally.found["all", ""][each] for each in CLASSES[:8]}
            print(f"{printed - began:.0f} s, {tally.plies['all', '']} plies: {found}", file=sys.stderr)
        if options.minutes and time.monotonic() - began > options.minutes * 60:
            break
    return tally


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.players",
        description=__doc__,
        epilog="\n  ".join(["examples:", *EXAMPLES]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--games",
        type=lambda text: text.split(","),
        default=list(games.slugs()),
        metavar="A,B",
        help="games, separated by commas (default: all)",
    )
    parser.add_argument(
        "--sensors",
        type=lambda text: text.split(","),
        default=[kind.value for kind in SensorKind],
        metavar="A,B",
        help=f"sensor kinds, separated by commas, of {', '.join(SensorKind)} (default: all)",
    )
    parser.add_argument(
        "--plies", type=int, default=2000, metavar="N", help="number of plies (default: 2000)"
    )
    parser.add_argument(
        "--seed", default="fresh", help="seed of the games (default: fresh, from the clock; it is printed)"
    )
    parser.add_argument("--minutes", type=float, default=0.0, metavar="N", help="stop after N minutes")
    parser.add_argument(
        "--faulty",
        type=int,
        default=0,
        metavar="N",
        help="dead and stuck switches on each board (default: 0)",
    )
    parser.add_argument("--traces", type=Path, metavar="FOLDER", help="write games with findings into FOLDER")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="judge the game in FILE again")
    parser.add_argument("--tell", action="store_true", help="with --replay: print all events")
    parser.add_argument("--json", action="store_true", help="print the report as one line of JSON")
    players_against.add_arguments(parser)
    return parser


def main() -> None:
    """Examine, or replay a game."""
    options = parser().parse_args()
    if options.against is not None:
        sys.exit(players_against.run(options))
    if options.replay is not None:
        judge = replay(options.replay, print if options.tell else None)
        for finding in judge.findings:
            print(json.dumps(asdict(finding)))
        sys.exit(1 if judge.failure is not None and judge.failure.kind != "undecidable" else 0)
    if options.traces is not None:
        options.traces.mkdir(parents=True, exist_ok=True)
    tally = examine(options)
    if options.json:
        rest = {
            "gestures": dict(tally.gestures.most_common()),
            "worst_ms": round(tally.worst_ms, 1),
            "seed": tally.seed,
            "by_gesture": list(tally.summary.by_gesture()),
            "by_game": list(tally.summary.by_game()),
        }
        print(json.dumps({"rows": list(tally.rows()), "findings": tally.findings, **rest}))
        return
    for row in tally.rows():
        print(
            f"{row['by']:16} {row['what']:32} {row['plies']:7} plies  {row['class']:18} {row['count']:5}"
            f"  {row['per_100000']:9} per 100 000 ({row['low']} to {row['high']})"
        )
    for line in tally.summary.lines():
        print(line)
    print(f"slowest call {tally.worst_ms:.1f} ms of processor time")
    print("gestures", dict(tally.gestures.most_common()))
    print("seed", tally.seed)


if __name__ == "__main__":
    main()
