# SPDX-License-Identifier: Apache-2.0
"""Measure what a table costs, in this tree and in an older one.

Real programs run at simulated boards, with their pages in a Chromium; the boards, the hands and
the Chromium do not count. Times are processor time, except those until the page shows its pieces.
Both trees are measured alternately or at the same time, so that a busy machine is one for both.
Each row has a goal and a limit, for the figure or for its ratio to the older tree's. It is printed
as a share of the limit, `of_target`: the row is met up to 1. All rows take five minutes on two
quiet processors, and the first run against a tree one more. AGAINST_PYTHON names a Python that has
the older tree's packages.

Exit codes: 0 all rows are met, 1 one is missed or a tree failed, 2 wrong arguments, 130
interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Error as BrowserFailed

from tests.bench import against
from tests.bench.against import AgainstFailed
from tests.bench.cost_commands import Environments, commands
from tests.bench.cost_crowds import hall, watchers
from tests.bench.cost_pages import bytes_a_move, changes, first_boards, visits
from tests.bench.cost_tables import Pair, Trees, compiled, idle, plies, reachable
from tests.bench.report import say

CHROMIUM: Final = "/usr/bin/chromium"


class Figure(NamedTuple):
    """A figure, of which less is better, with what it should be."""

    name: str
    unit: str
    goal: float
    limit: float
    source: str
    """The measurement that has it, with others."""
    meaning: str
    is_ratio: bool = False
    """Goal and limit are for its ratio to the older tree's."""


_RATIO: Final = True
FIGURES: Final = (
    Figure("ply-dgt", "ms", 0.5, 0.8, "dgt", "the program, a ply of chess at a DGT board", _RATIO),
    Figure("ply-millennium", "ms", 0.5, 0.8, "millennium", "the same at a Millennium board", _RATIO),
    Figure("ply-panel", "ms", 0.5, 0.8, "panel", "the same at our panel", _RATIO),
    Figure("idle", "%", 0.25, 0.5, "idle", "of a processor, an idle table at a polling board", _RATIO),
    Figure("memory", "MB", 0.66, 0.84, "idle", "that table once its page is closed, resident", _RATIO),
    Figure("reachable", "s", 0.58, 0.82, "reachable", "from the start of a table to its page", _RATIO),
    Figure("venv", "MB", 55, 75, "venv", "the environment for playing, on the disk"),
    Figure("games", "", 1.5, 2, "commands", "`companion games`, by `companion --help`"),
    Figure("panels", "", 1.5, 2, "commands", "`companion tools panels`, by `companion --help`"),
    Figure("records-list", "", 1.5, 2, "commands", "`companion records list`, by `companion --help`"),
    Figure("first-visit", "kB", 60, 80, "visits", "transferred by the page with an empty cache"),
    Figure("reload", "kB", 3, 3, "visits", "transferred by its reload"),
    Figure("reload-requests", "", 2, 2, "visits", "that reach the program: the page and its WebSocket"),
    Figure(
        "first-board",
        "ms",
        0.38,
        0.58,
        "boards",
        "to a first visit's pieces, slow processor and line",
        _RATIO,
    ),
    Figure(
        "reload-board", "ms", 0.31, 0.46, "boards", "to a reload's pieces, slow processor and line", _RATIO
    ),
    Figure(
        "change",
        "ms",
        0.41,
        0.59,
        "change",
        "style and script of a change, 400 cells, slow processor",
        _RATIO,
    ),
    Figure("bytes-a-move", "kB", 3, 8, "bytes", "received by the page for a move of chess"),
    Figure("watchers", "ms", 0.34, 0.54, "watchers", "the program, a change that 200 watch", _RATIO),
    Figure("hall", "s", 0.5, 0.8, "hall", "a hall, 1000 moves at 20 boards with their pages", _RATIO),
)
NAMES: Final = tuple(figure.name for figure in FIGURES)

Found: TypeAlias = dict[str, Pair]
Source: TypeAlias = Callable[[], Found]
"""Takes a measurement in both trees. Raises `AgainstFailed`, or what Playwright raises."""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure in both trees; None for what could not be measured."""

    figure: Figure
    now: float | None = None
    before: float | None = None
    note: str = ""

    @property
    def judged(self) -> float | None:
        """What is compared with the limit."""
        if not self.figure.is_ratio or self.now is None:
            return self.now
        return self.now / self.before if self.before else None

    @property
    def of_target(self) -> float | None:
        """The share of the limit that is used."""
        return None if self.judged is None else self.judged / self.figure.limit

    @property
    def is_met(self) -> bool:
        """True if the figure was measured and is within its limit."""
        return self.judged is not None and self.judged <= self.figure.limit

    @property
    def verdict(self) -> str:
        """What the row says, in two words at most."""
        if self.judged is None:
            return "NOT MEASURED"
        if not self.is_met:
            return "MISSED"
        return "goal" if self.judged <= self.figure.goal else "met"

    def as_data(self) -> dict[str, Any]:
        """The row for JSON."""
        own = {"name": self.figure.name, "unit": self.figure.unit, "now": self.now, "before": self.before}
        target = "now/before" if self.figure.is_ratio else "now"
        aims = {"of": target, "goal": self.figure.goal, "required": self.figure.limit}
        return {**own, "of_target": self.of_target, **aims, "met": self.is_met, "note": self.note}


def rows_of(figures: Sequence[Figure], source: Source) -> list[Row]:
    """The rows of *figures*, all of one measurement; a failure is printed."""
    try:
        found = source()
    except (AgainstFailed, BrowserFailed, AssertionError) as failure:
        say(f"{figures[0].source}: not measured. {failure}")
        return [Row(figure) for figure in figures]
    return [Row(figure, *found[figure.name]) for figure in figures]


def measured(figures: Sequence[Figure], sources: dict[str, Source]) -> Iterator[Row]:
    """Yield a row for each of *figures*, measurement by measurement in the order of *sources*."""
    for name, source in sources.items():
        if own := [figure for figure in figures if figure.source == name]:
            say(f"{name} ...")
            began = time.monotonic()
            yield from rows_of(own, source)
            say(f"{name}: {time.monotonic() - began:.0f} s")


def sources_in(trees: Trees, browser: Browser, environments: Environments) -> dict[str, Source]:
    """All measurements; first those that may run while environments are installed."""
    return {
        "dgt": lambda: {"ply-dgt": plies("dgt", trees, browser)},
        "millennium": lambda: {"ply-millennium": plies("millennium", trees, browser)},
        "panel": lambda: {"ply-panel": plies("panel", trees, browser)},
        "idle": partial(idle, trees, browser),
        "venv": lambda: {"venv": environments.pair()},
        "reachable": lambda: {"reachable": reachable(trees)},
        "commands": partial(commands, trees),
        "visits": partial(visits, trees, browser),
        "boards": partial(first_boards, trees, browser),
        "change": lambda: {"change": changes(trees, browser)},
        "bytes": lambda: {"bytes-a-move": bytes_a_move(trees, browser)},
        "watchers": lambda: {"watchers": watchers(trees, browser)},
        "hall": lambda: {"hall": hall(trees, browser)},
    }


def table(rows: Iterable[Row]) -> str:
    """*rows* as text."""
    lines = [["name", "unit", "now", "before", "of_target", "goal", "required", "", "what it is"]]
    for row in rows:
        values = ["-" if value is None else f"{value:.4g}" for value in (row.now, row.before)]
        share = "-" if row.of_target is None else f"{row.of_target:.2f}"
        figure, times = row.figure, " x before" if row.figure.is_ratio else ""
        aims = [f"{figure.goal:g}{times}", f"{figure.limit:g}{times}"]
        meaning = f"{figure.meaning} ({row.note})" if row.note else figure.meaning
        lines.append([figure.name, figure.unit, *values, share, *aims, row.verdict, meaning])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def report(rows: Sequence[Row], *, as_json: bool) -> None:
    """Print what was found, in the order of the figures."""
    ordered = sorted(rows, key=lambda row: NAMES.index(row.figure.name))
    print(json.dumps({"rows": [row.as_data() for row in ordered]}) if as_json else table(ordered))


def figure_named(name: str) -> Figure:
    """The figure *name*. Raises `argparse.ArgumentTypeError`."""
    found = next((figure for figure in FIGURES if figure.name == name), None)
    if found is None:
        raise argparse.ArgumentTypeError(f"there is no row {name!r}; there are {', '.join(NAMES)}")
    return found


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    script = "python tests/bench/cost.py"
    made = argparse.ArgumentParser(
        description=__doc__,
        epilog="examples:"
        f"\n  {script} --against HEAD~20"
        f"\n  {script} --against ../older-tree ply-dgt idle memory"
        f"\n  {script} --against ../older-tree --json first-visit reload",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--against", metavar="COMMIT_OR_PATH", required=True, help="a commit, or the path of a tree"
    )
    made.add_argument("--json", action="store_true", help="print one line of JSON")
    made.add_argument(
        *("rows",), metavar="ROW", type=figure_named, nargs="*", help="these rows (default: all, as listed)"
    )
    return made


def take(given: argparse.Namespace, rows: list[Row]) -> None:
    """Append the rows that *given* asks for to *rows*. Raises `AgainstFailed`."""
    if not Path(CHROMIUM).exists():
        raise AgainstFailed(f"{CHROMIUM} is missing, which opens the pages: apt-get install chromium")
    figures: Sequence[Figure] = given.rows or FIGURES
    with ExitStack() as stack:
        before = stack.enter_context(against.older(given.against))
        trees = stack.enter_context(against.present()), before
        for tree in trees:
            compiled(tree)
        environments = stack.enter_context(Environments(trees))
        if any(figure.source == "venv" for figure in figures):
            environments.begin()
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], handle_sigint=False
        )
        rows.extend(measured(figures, sources_in(trees, browser, environments)))


def run(given: argparse.Namespace) -> int:
    """Measure and report what was measured, also after Ctrl-C; the exit code."""
    rows: list[Row] = []
    code = against.ended(lambda each: take(each, rows), given)
    if rows:
        report(rows, as_json=given.json)
    return code or int(not all(row.is_met for row in rows))


def main() -> None:
    """Measure and exit."""
    sys.exit(run(parser().parse_args()))


if __name__ == "__main__":
    main()
