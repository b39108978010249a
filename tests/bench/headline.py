# SPDX-License-Identifier: Apache-2.0
"""Compare the headline figures of this tree with those of an older one.

Each figure is measured in both trees, one after the other. One that is more than a tenth larger is
measured again, up to three times in all, and counts only if it is larger each time. Figures are
processor time, bytes and simulated time, so that a busy machine does not matter. What an older tree
does not have is "not there". AGAINST_PYTHON names a Python that has the older tree's packages.

Exit codes: 0 nothing is slower or larger, 1 something is, or a tree failed, 2 wrong arguments, 130
interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import against
from tests.bench.against import AgainstFailed, Tree

ADAPTER: Final = Path(__file__).parent / "adapters" / "headline.py"
LIMIT: Final = 1.1
RUNS: Final = 3


class Figure(NamedTuple):
    """A figure, of which less is better."""

    name: str
    unit: str
    meaning: str
    source: str
    """The measurement in the adapter that has it, with others."""


FIGURES: Final = (
    Figure("lamp", "ms", "from a switch to its lamp, mean of 20 edges, 64 cells", "panel"),
    Figure("chip", "ms", "of it the chip, simulated", "panel"),
    Figure("host", "ms", "of it the host, processor time", "panel"),
    Figure("referee", "ms", "the referee, processor time of a ply of chess with an idle lift", "referee"),
    Figure("start", "s", "processor time until the page can be reached", "program"),
    Figure("memory", "MB", "resident memory of a table at rest", "program"),
    Figure("page-bytes", "kB", "what the page loads at once, decoded", "program"),
    Figure("page-requests", "", "the number of these files", "program"),
    Figure("perft", "s", "all sequences of four plies of chess, processor time", "perft"),
    Figure("camera", "ms", "an image of a camera in which nothing moves, processor time", "camera"),
    Figure("search", "s", "six plies of the opponent in chess, processor time", "search"),
    Figure("hall", "ms", "a move at a table in a hall, processor time of both", "hall"),
    Figure("wheel", "kB", "the wheel", "wheel"),
)
NAMES: Final = tuple(figure.name for figure in FIGURES)
SCALE: Final = {"MB": 1e-6, "kB": 1e-3}
"""Of figures that an adapter gives in bytes."""

Values: TypeAlias = Mapping[str, float]
Measure: TypeAlias = Callable[[str], Values]
"""Takes a measurement in one tree. Raises `AgainstFailed`."""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure in both trees, in the run in which it compared best."""

    name: str
    unit: str
    meaning: str
    now: float
    before: float | None
    """None if it is not there."""
    runs: int = 1

    @property
    def ratio(self) -> float | None:
        """The new value by the old one; None without that."""
        if self.before is None:
            return None
        return self.now / self.before if self.before else float(self.now > 0) + 1

    @property
    def is_over(self) -> bool:
        """True if the figure is more than a tenth larger than before."""
        return self.ratio is not None and self.ratio > LIMIT

    @property
    def verdict(self) -> str:
        """What the row says, in two words at most."""
        if self.ratio is None:
            return "not there"
        if self.is_over:
            return "LARGER"
        return "less" if self.ratio < 1 / LIMIT else "same"


def compared(figures: Sequence[Figure], now: Measure, before: Measure) -> Iterator[Row]:
    """Yield a row for each of *figures*, those of one measurement together."""
    for source in dict.fromkeys(figure.source for figure in figures):
        own = [figure for figure in figures if figure.source == source]
        rows: dict[str, Row] = {}
        for run in range(1, RUNS + 1):
            found, old = now(source), _found_before(before, source)
            for figure in own:
                row = _row(figure, found, old, run)
                kept = rows.get(figure.name)
                if kept is None or (kept.is_over and (row.ratio or 0) < (kept.ratio or 0)):
                    rows[figure.name] = row
                elif kept.is_over:
                    rows[figure.name] = _counted(kept, run)
            if not any(row.is_over for row in rows.values()):
                break
        yield from rows.values()


def _found_before(before: Measure, source: str) -> Values:
    """What the older tree has of a measurement."""
    try:
        return before(source)
    except AgainstFailed as failure:
        print(f"{source}: not there. {failure}", file=sys.stderr)
        return {}


def _row(figure: Figure, now: Values, before: Values, run: int) -> Row:
    old = before.get(figure.name)
    scale = SCALE.get(figure.unit, 1)
    return Row(
        figure.name,
        figure.unit,
        figure.meaning,
        now[figure.name] * scale,
        None if old is None else old * scale,
        run,
    )


def _counted(row: Row, run: int) -> Row:
    """*row*, of which *run* runs are made."""
    return Row(row.name, row.unit, row.meaning, row.now, row.before, run)


def measured(tree: Tree, source: str) -> Values:
    """The figures of a measurement in *tree*. Raises `AgainstFailed`."""
    began = time.monotonic()
    (found,) = tree.measure(ADAPTER, source).value
    print(f"{source} in {tree.name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return {name: float(value) for name, value in found.items()}


def table(rows: Iterable[Row]) -> str:
    """*rows* as text."""
    lines = [["figure", "before", "now", "ratio", "verdict", "what it is"]]
    for row in rows:
        values = [
            "-" if value is None else f"{value:.4g} {row.unit}".strip() for value in (row.before, row.now)
        ]
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        times = f" in {row.runs} runs" if row.is_over else ""
        lines.append([row.name, *values, ratio, f"{row.verdict}{times}", row.meaning])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def report(rows: Sequence[Row], *, as_json: bool) -> None:
    """Print what was found."""
    if as_json:
        found = [{**asdict(row), "ratio": row.ratio, "verdict": row.verdict} for row in rows]
        print(json.dumps({"limit": LIMIT, "figures": found}))
    else:
        print(table(rows))


def chosen(text: str) -> list[Figure]:
    """The figures of a list of names. Raises `argparse.ArgumentTypeError`."""
    names = [name.strip() for name in text.split(",")]
    if unknown := sorted({*names} - {*NAMES}):
        raise argparse.ArgumentTypeError(
            f"there is no figure {', '.join(map(repr, unknown))}; there are {', '.join(NAMES)}"
        )
    return [figure for figure in FIGURES if figure.name in names]


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    script = "python tests/bench/headline.py"
    made = argparse.ArgumentParser(
        description=__doc__,
        epilog="examples:"
        f"\n  {script} --against HEAD~1"
        f"\n  {script} --against ../older-tree --only lamp,chip,host --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--against", metavar="COMMIT_OR_PATH", required=True, help="a commit, or the path of a tree"
    )
    made.add_argument(
        "--only",
        metavar="NAMES",
        type=chosen,
        default=[*FIGURES],
        help=f"these figures, with commas between them (default: all): {', '.join(NAMES)}",
    )
    made.add_argument("--keep", action="store_true", help="leave the tree of the commit in the cache")
    made.add_argument("--json", action="store_true", help="print one line of JSON")
    return made


def run(given: argparse.Namespace) -> int:
    """Compare and report what was measured, also after Ctrl-C; the exit code."""
    rows: list[Row] = []

    def compare(_: argparse.Namespace) -> None:
        with against.older(given.against, keep=given.keep) as before, against.present() as now:
            rows.extend(compared(given.only, partial(measured, now), partial(measured, before)))

    code = against.ended(compare, given)
    if rows:
        report(rows, as_json=given.json)
    return code or int(any(row.is_over for row in rows))


def main() -> None:
    """Compare and exit."""
    sys.exit(run(parser().parse_args()))


if __name__ == "__main__":
    main()
