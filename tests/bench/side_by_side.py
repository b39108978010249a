# SPDX-License-Identifier: Apache-2.0
"""Compare the former inference and the tracker on the same simulated hands.

Each inference plays in a process of its own: the hands of the examiner with all profiles, and the
independent players. The simulation knows the truth. With --journals, kept games are replayed with
both, and the records that differ are listed. Ctrl-C prints what is known so far.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import multiprocessing
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress

from companion.games import slugs
from companion.host.journal.journal import SUFFIX
from companion.model.errors import CompanionError
from companion.model.observation import SensorKind
from tests.bench.core import INFERENCES
from tests.bench.paired_games import CLASSES, Outcome, Unit, hands, play, quantile_ms, replayed
from tests.bench.report import arguments, deliver

LONGEST: Final = 60
"""Plies after which a game is ended."""
Pair = dict[str, Outcome]
"""The outcomes of a game by inference."""


def bound(failures: int, plies: int) -> tuple[float, float]:
    """The 95 % bounds of the probability of a failure.

    Source: Clopper and Pearson, Biometrika 26 (1934); without failures, the rule of three.
    """
    if not plies:
        return 0.0, 1.0
    if not failures:
        return 0.0, min(1.0, 3 / plies)
    if failures >= plies:
        return 0.025 ** (1 / plies), 1.0
    return _root(failures - 1, plies, 0.975), _root(failures, plies, 0.025)


def _root(most: int, plies: int, share: float) -> float:
    """The probability with which at most *most* of *plies* fail in *share* of all cases."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(most, plies, middle) > share else (low, middle)
    return low


def _at_most(most: int, plies: int, chance: float) -> float:
    """The binomial probability of at most *most* failures in *plies*."""
    logs = (
        math.lgamma(plies + 1) - math.lgamma(each + 1) - math.lgamma(plies - each + 1)
        + each * math.log(chance) + (plies - each) * math.log1p(-chance)
        for each in range(most + 1)
    )  # fmt: skip
    return sum(map(math.exp, logs))


def verdict(pair: Pair) -> str:
    """Which inference was right in a game."""
    right = [name for name, outcome in pair.items() if not outcome.failures]
    return "both" if len(right) == 2 else right[0] if right else "neither"


def rows(pairs: dict[Unit, Pair]) -> Iterator[dict[str, Any]]:
    """A row for each game, sensor and inference, and for all together."""
    tables = sorted({(unit.game, unit.sensor) for unit in pairs})
    for game, sensor in [*tables, ("all", "")]:
        chosen = [pair for unit, pair in pairs.items() if game == "all" or unit[:2] == (game, sensor)]
        verdicts = Counter(map(verdict, chosen))
        for name in INFERENCES:
            yield {
                "game": game,
                "sensor": sensor,
                "inference": name,
                **_row([pair[name] for pair in chosen]),
                "alone_right": verdicts[name],
                "both_right": verdicts["both"],
                "neither_right": verdicts["neither"],
            }


def _row(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of *outcomes* together."""
    plies = sum(each.plies for each in outcomes)
    failures = sum((each.failures for each in outcomes), Counter[str]())
    times = sum((each.times for each in outcomes), Counter[int]())
    low, high = bound(min(plies, failures.total()), plies)
    return {
        "plies": plies,
        "games": len(outcomes),
        **{name: failures[name] for name in CLASSES},
        "per_100000": round(100_000 * failures.total() / plies, 1) if plies else None,
        "low": round(100_000 * low, 1),
        "high": round(100_000 * high, 1),
        "p50_ms": round(quantile_ms(times, 0.5), 3),
        "p99_ms": round(quantile_ms(times, 0.99), 3),
        "longest_ms": round(max((each.longest_ms for each in outcomes), default=0.0), 3),
    }


def table(found: Sequence[dict[str, Any]]) -> str:
    """*found* as text."""
    head = ["game, sensor", "", "plies", "games", *CLASSES, "alone right", "per 100 000 (95 %)",
            "ms p50 / p99 / longest"]  # fmt: skip
    lines = [head]
    for row in found:
        rate = f"{row['per_100000']} ({row['low']} to {row['high']})"
        times = f"{row['p50_ms']} / {row['p99_ms']} / {row['longest_ms']}"
        name = f"{row['game']} {row['sensor']}".strip()
        counts = [row[each] for each in ("plies", "games", *CLASSES, "alone_right")]
        lines.append([name, row["inference"], *map(str, counts), rate, times])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def differences(pairs: dict[Unit, Pair]) -> list[dict[str, Any]]:
    """The games in which exactly one inference was right, or both failed differently."""
    return [
        {"game": unit.name, "right": verdict(pair), **{name: each.about for name, each in pair.items()}}
        for unit, pair in pairs.items()
        if pair["former"].failures != pair["tracker"].failures
    ]


class Store:
    """The games that were played, in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.known: dict[str, Pair] = {}
        if path is not None and path.exists():
            for line in path.read_text("utf-8").splitlines():
                with contextlib.suppress(json.JSONDecodeError):  # cut off while it was written
                    name, found = json.loads(line)
                    self.known[name] = {key: Outcome.of_json(each) for key, each in found.items()}

    def add(self, unit: Unit, pair: Pair) -> None:
        """Keep the outcomes of *unit*."""
        if self.path is not None:
            line = json.dumps([unit.name, {name: each.as_json() for name, each in pair.items()}])
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n" * bool(file.tell()) + line)  # the last line may be cut off
        self.known[unit.name] = pair


def compare(given: argparse.Namespace, store: Store) -> Iterator[tuple[Unit, Pair]]:
    """Play until every game and sensor has enough plies with both inferences."""
    context, with_stop = multiprocessing.get_context("spawn"), (signal.SIGINT, signal.SIG_IGN)
    with contextlib.ExitStack() as stack:
        pools = {name: stack.enter_context(context.Pool(1, signal.signal, with_stop)) for name in INFERENCES}
        played = {(game, sensor): 0 for game in given.games for sensor in given.sensors}
        offsets = {each: offset for offset, each in enumerate(played)}
        number = 0
        while left := [each for each, plies in played.items() if plies < given.plies]:
            for game, sensor in left:
                most = min(LONGEST, given.plies - played[game, sensor])
                who = hands(number + offsets[game, sensor])
                unit = Unit(game, sensor, who, given.seed, number, most)
                pair = store.known.get(unit.name)
                if pair is None:
                    waiting = {name: pool.apply_async(play, (name, unit)) for name, pool in pools.items()}
                    pair = {name: each.get() for name, each in waiting.items()}
                    store.add(unit, pair)
                played[game, sensor] += max(1, min(each.plies for each in pair.values()))
                yield unit, pair
            number += 1


def journal_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each journal in *folder*: its records with both inferences."""
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        try:
            former, tracker = (replayed(name, path) for name in INFERENCES)
        except CompanionError as error:
            yield {"journal": path.name, "error": str(error)}
            continue
        pairs = zip(former.moves, tracker.moves, strict=False)
        shorter = min(len(former.moves), len(tracker.moves))
        ply = next((n for n, (one, other) in enumerate(pairs) if one != other), shorter)
        yield {
            "journal": path.name,
            "plies": len(former.moves),
            "plies_tracker": len(tracker.moves),
            "differs_at": None if former == tracker else ply,
            "former": " ".join(former.moves[ply : ply + 3]),
            "tracker": " ".join(tracker.moves[ply : ply + 3]),
        }


def journal_table(found: Sequence[dict[str, Any]]) -> str:
    """*found* as text."""
    lines = []
    for row in found:
        if "error" in row:
            lines.append(f"{row['journal']}: {row['error']}")
        elif row["differs_at"] is None:
            lines.append(f"{row['journal']}: the same {row['plies']} plies")
        else:
            lines.append(
                f"{row['journal']}: from ply {row['differs_at']} on, former {row['former'] or 'ends'},"
                f" tracker {row['tracker'] or 'ends'}"
            )
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/side_by_side.py --quick",
        "python tests/bench/side_by_side.py --seed 7 --plies 500 --games chess,gottaz --sensors occupancy",
        "python tests/bench/side_by_side.py --long --seed 8 --keep games.jsonl",
        "python tests/bench/side_by_side.py --journals tests/recordings",
    )
    for name, every in (("games", slugs()), ("sensors", [*SensorKind])):
        parser.add_argument(
            f"--{name}",
            type=lambda text: text.split(","),
            default=[*map(str, every)],
            metavar="A,B",
            help=f"{name}, separated by commas (default: all)",
        )
    parser.add_argument(
        "--plies",
        type=int,
        default=0,
        metavar="N",
        help="plies for each game and sensor (default: 300, with --quick 20, with --long 20000)",
    )
    parser.add_argument(
        "--long", action="store_true", help="many plies; the games are kept even without --keep"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FILE",
        help="add every game to FILE; games that are in it are not played again"
        " (default with --long: side-by-side-SEED.jsonl)",
    )
    parser.add_argument("--journals", type=Path, metavar="FOLDER", help="compare the journals in FOLDER")
    return parser


def main() -> None:
    """Compare and report."""
    given = parser().parse_args()
    if given.journals is not None:
        found = [*journal_rows(given.journals)]
        deliver({"journals": found}, given.seed, as_json=True) if given.json else print(journal_table(found))
        return
    given.plies = given.plies or (20 if given.quick else 20_000 if given.long else 300)
    keep = given.keep or (Path(f"side-by-side-{given.seed}.jsonl") if given.long else None)
    pairs: dict[Unit, Pair] = {}
    tables = len(given.games) * len(given.sensors)
    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress, contextlib.suppress(KeyboardInterrupt):
        bar = progress.add_task("plies", total=given.plies * tables)
        for unit, pair in compare(given, Store(keep)):
            pairs[unit] = pair
            progress.update(bar, advance=min(each.plies for each in pair.values()), description=unit.game)
    results = {"rows": [*rows(pairs)], "differences": differences(pairs)}
    if given.json:
        deliver(results, given.seed, as_json=True)
        return
    print(table(results["rows"]))
    for each in results["differences"]:
        print(f"{each['game']}: right {each['right']}; former: {each['former']}; tracker: {each['tracker']}")


if __name__ == "__main__":
    main()
