# SPDX-License-Identifier: Apache-2.0
"""The outcomes of a run of tests, and the list of unsteady tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Final

FILE: Final = "outcomes.json"
LONG: Final = "long.json"
AT_MOST: Final = 10
"""So many failed tests are run once more; with more, something else is wrong."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one test."""

    test: str
    """pytest's id, `tests/file.py::test[parameters]`."""
    seconds: float
    """With its fixtures."""
    has_failed: bool = False
    is_skipped: bool = False
    cause: str = ""
    """Of the mark `unsteady`: why the test may fail now and then."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of all tests of a run."""

    tests: tuple[Outcome, ...] = ()
    is_whole: bool = False
    """True if every chosen test was run, and every file could be read."""
    long: tuple[str, ...] = ()
    """The tests that were left out since they are only for `--long`."""

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The tests that failed."""
        return tuple(each for each in self.tests if each.has_failed)

    def slowest(self, count: int = 10) -> list[str]:
        """Return a line for each of the *count* slowest tests."""
        ordered = sorted(self.tests, key=lambda each: (-each.seconds, each.test))
        return [f"{each.seconds:7.1f} s  {each.test}" for each in ordered[:count]]


def write(outcomes: Outcomes, folder: Path) -> None:
    """Write *outcomes*, without `long`, to *folder*."""
    value = {"is_whole": outcomes.is_whole, "tests": [asdict(each) for each in outcomes.tests]}
    (folder / FILE).write_text(json.dumps(value), encoding="utf-8")


def write_long(tests: list[str], folder: Path) -> None:
    """Write the *tests* that are only for `--long` to *folder*."""
    (folder / LONG).write_text(json.dumps(tests), encoding="utf-8")


def read(folder: Path) -> Outcomes:
    """Return what was written to *folder*; nothing if the run ended before it was."""
    if not (folder / FILE).exists():
        return Outcomes()
    value = json.loads((folder / FILE).read_text(encoding="utf-8"))
    long = json.loads((folder / LONG).read_text(encoding="utf-8")) if (folder / LONG).exists() else ()
    return Outcomes(tuple(Outcome(**each) for each in value["tests"]), value["is_whole"], tuple(long))


@dataclass(frozen=True, slots=True)
class Unsteady:
    """A test that failed and then passed alone."""

    test: str
    seconds: float
    """Of the run that failed."""
    alone: float
    """Seconds of the run that passed."""
    cause: str
    """Named by the test itself."""
    before: str
    """When it was unsteady before: date and commit; "" if it was not."""

    @property
    def is_red(self) -> bool:
        """True if it was unsteady before and does not name a cause."""
        return bool(self.before) and not self.cause

    def __str__(self) -> str:
        known = f"; its cause: {self.cause}" if self.cause else ""
        again = f"; unsteady before: {self.before}" if self.before else ""
        return f"{self.seconds:7.1f} s, alone {self.alone:.1f} s  {self.test}{known}{again}"


def seen_before(file: Path) -> dict[str, str]:
    """Return date and commit of each test in *file*, the list of unsteady tests."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = [line.split(maxsplit=4) for line in lines if not line.startswith("#")]
    return {row[4]: f"{row[0]} {row[1]}" for row in rows if len(row) == 5}


def remember(unsteady: Iterable[Unsteady], file: Path, commit: str, today: date) -> None:
    """Append *unsteady* tests to *file*: date, commit, seconds of both runs, test."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as added:
        for each in unsteady:
            added.write(f"{today} {commit[:12]} {each.seconds:.1f} {each.alone:.1f} {each.test}\n")
