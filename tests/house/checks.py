# SPDX-License-Identifier: Apache-2.0
"""Run the checks in the environment that `check.py` makes.

`python -m tests.house.checks --drawn 2026-11-28` runs only the long tests drawn on that date.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from check import (
    FIRMWARE,
    HARDWARE,
    LAST_GREEN,
    RESULTS,
    chosen_paths,
    git,
    missing_packages,
    needed_for,
)
from start import ROOT, SetUpFailed
from tests.house import outcomes
from tests.house.outcomes import Outcome, Outcomes, Unsteady

PYTHON: Final = Path(sys.executable)
SKIDL: Final = ROOT / "build" / "skidl"
"""An environment of its own, since nothing else here needs SKiDL."""
SKIDL_PACKAGES: Final = ("skidl==3.0.0", "graphviz==0.21", "simp_sexp==0.3.1")
"""What its electrical rule check imports; SKiDL itself names 25 packages."""
HARDWARE_TESTS: Final = (
    *("build", "drawings", "spice", "prints", "tiles", "elf_electrical"),
    *("pico_build", "pico_cells", "pico_devices", "pico_flash", "pico_line", "pico_soak", "pico_strip"),
    "pico_usb",
)
"""Of `tests/firmware`; they run at full length."""
DRAWN_SECONDS: Final = 60
"""How long the drawn long tests run."""
DRAWN_A_DAY: Final = 12
"""So many functions are drawn each day: 230 of them come round in three weeks."""
TESTS_FAILED: Final = 1
"""pytest's exit code if tests failed, and nothing else went wrong."""
STOPPING: Final = ("-x", "--exitfirst", "--maxfail", "--stepwise", "--sw", "--collect-only", "--co")
"""pytest's options after which tests are left out; then none is run again."""


def today() -> date:
    """Return the date, which is the same everywhere."""
    return datetime.now(tz=UTC).date()


def readings() -> tuple[tuple[str, list[str]], ...]:
    """Return name and command of each check that only reads the source."""
    tool = [str(PYTHON), "-m"]
    return (
        ("lint", [*tool, "ruff", "check", "."]),
        ("format", [*tool, "ruff", "format", "--check", "."]),
        ("floor plan", [str(PYTHON.with_name("lint-imports"))]),
        ("spelling", [*tool, "codespell_lib", "."]),
        ("dead names", [*tool, "vulture"]),
        ("language", [*tool, "tests.house.idioms"]),
        ("generated files", [str(PYTHON), "firmware/generate.py", "--check"]),
        ("types", [*tool, "mypy"]),
    )


def builds() -> tuple[tuple[str, list[str]], ...]:
    """Return name and command of each check that also builds what the tests use."""
    make = ["make", "--silent", f"--jobs={os.cpu_count() or 1}", "-C", "firmware", f"PYTHON={PYTHON}"]
    return (("firmware", [*make, "all"]), ("firmware's mistakes", [*make, "cppcheck"]))


def hardware_builds() -> tuple[tuple[str, list[str]], ...]:
    """Return name and command of each step that builds what `--hardware` tests besides."""
    make = ["make", "--silent", "-C", "firmware", f"PYTHON={PYTHON}"]
    pip = [str(SKIDL / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps"]
    return (
        *builds(),
        ("firmware of the Pico", [*make, "pico"]),
        ("rp2040js", [*make, "rp2040js"]),
        ("environment of SKiDL", [str(PYTHON), "-m", "venv", str(SKIDL)]),
        ("SKiDL", [*pip, *SKIDL_PACKAGES]),
    )


def pytest_command(arguments: list[str], folder: Path) -> list[str]:
    """Return the command of the tests, a file per worker.

    *folder* gets what becomes of each test. There are three workers per core, since many tests
    wait for other programs: with two, they took a twentieth longer.
    """
    workers = 3 * (os.cpu_count() or 1)
    spread = [f"--numprocesses={workers}", "--dist=loadfile", "--no-loadscope-reorder"]
    recorded = ["-p", "tests.house.recorder", f"--outcomes={folder}"]
    return [str(PYTHON), "-m", "pytest", *spread, *recorded, *arguments]


def tests_environment() -> dict[str, str]:
    """Return the environment of the tests: the caller's, with bytecode caching.

    The tests start some hundreds of Python programs. Compiling their modules again each time takes
    a tenth of all the processor time.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def drawn(long: tuple[str, ...], day: date) -> list[str]:
    """Return those of the *long* tests that are drawn on *day*.

    All functions come round in some weeks, each with another of its parameters.
    """
    functions: dict[str, list[str]] = {}
    for test in sorted(long):
        functions.setdefault(test.partition("[")[0], []).append(test)
    names = sorted(functions, key=lambda name: hashlib.sha256(name.encode()).digest())
    first = day.toordinal() * DRAWN_A_DAY
    turns = [divmod(first + number, len(names)) for number in range(min(DRAWN_A_DAY, len(names)))]
    chosen = [functions[names[place]][turn % len(functions[names[place]])] for turn, place in turns]
    start = turns[0][0] % len(chosen) if chosen else 0  # another one is first each time
    return chosen[start:] + chosen[:start]


@dataclass
class Suite:
    """The tests of a tree, and those of them that were found to be unsteady."""

    root: Path = ROOT
    remembered: Path = RESULTS / "unsteady"
    """The list of unsteady tests of earlier runs."""
    unsteady: list[Unsteady] = field(default_factory=list)
    """The tests of this run that failed and passed alone."""

    def once(self, arguments: list[str]) -> tuple[int, Outcomes]:
        """Run tests once; return pytest's exit code and what became of each."""
        with tempfile.TemporaryDirectory() as folder:
            command = pytest_command(arguments, Path(folder))
            code = subprocess.call(command, cwd=self.root, env=tests_environment())
            return code, outcomes.read(Path(folder))

    def run(self, arguments: list[str], *, seconds: float = 0) -> tuple[bool, Outcomes]:
        """Run tests, and those that fail once more; return success and all outcomes.

        If *seconds* are given, tests that are not done then are left.
        """
        limit = [f"--stop-after={seconds}", "--maxschedchunk=1", "--dist=load"] if seconds else []
        code, found = self.once([*limit, *arguments])
        is_partial = any(word.partition("=")[0] in STOPPING for word in arguments)
        if code != TESTS_FAILED or not found.is_whole or is_partial:
            return not code, found
        if len(found.failed) > outcomes.AT_MOST:
            print(f"== {len(found.failed)} tests failed: none is run again", flush=True)
            return False, found
        options = [word for word in arguments if not chosen_paths([word])]
        steady = [self._passes_alone(each, options) for each in found.failed]
        return all(steady), found

    def _passes_alone(self, failed: Outcome, options: list[str]) -> bool:
        """Run a *failed* test alone; true if it passes and was not unsteady before.

        *options* are those of the first run.
        """
        print(f"== once more, alone: {failed.test}", flush=True)
        code, found = self.once([*options, failed.test, "--numprocesses=0"])
        if code:
            return False
        (alone,) = found.tests
        before = outcomes.seen_before(self.remembered).get(failed.test, "")
        self.unsteady.append(Unsteady(failed.test, failed.seconds, alone.seconds, failed.cause, before))
        return not self.unsteady[-1].is_red

    def run_drawn(self, long: tuple[str, ...], day: date) -> bool:
        """Run the *long* tests drawn on *day*, for a minute; true on success."""
        chosen = drawn(long, day)
        if not chosen:
            return True
        is_well, found = self.run(["--long", *chosen], seconds=DRAWN_SECONDS)
        left = {each.test for each in found.tests if each.is_skipped}
        print(f"== of {len(chosen)} long tests drawn on {day}, not done in {DRAWN_SECONDS} s: {len(left)}")
        for test in chosen:
            if test in left:
                print(f"   {test}")
        for each in found.failed:
            print(f"== repeat it with: python3 check.py --long {shlex.quote(each.test)}")
        return is_well

    def report(self) -> None:
        """Print the unsteady tests, and remember them for later runs."""
        print("== unsteady:" if self.unsteady else "== unsteady: none", *self.unsteady, sep="\n")
        if any(each.is_red for each in self.unsteady):
            print(f"== unsteady for the second time: mend it, then remove its line from {self.remembered}")
        try:
            commit = git("rev-parse", "HEAD")
        except SetUpFailed:
            commit = "unknown"
        outcomes.remember(self.unsteady, self.remembered, commit, today())


def audited() -> tuple[int, str, float]:
    """Audit the tested versions for known vulnerabilities; return code, output and seconds.

    The code is always 0, since an advisory appears without a change here.
    """
    from requirements.pins import audit

    began = time.monotonic()
    return 0, audit(PYTHON), time.monotonic() - began


def read(command: list[str]) -> tuple[int, str, float]:
    """Run a check; return its exit code, output and seconds."""
    began = time.monotonic()
    ended = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
    )
    return ended.returncode, ended.stdout, time.monotonic() - began


def built(
    steps: tuple[tuple[str, list[str]], ...], seconds: dict[str, float], *, is_complete: bool
) -> list[str]:
    """Build the firmware by *steps* where its tools are; return what failed.

    *seconds* gets the duration of each step.
    """
    failed = []
    for name, command in steps:
        if not is_complete:
            print(f"== {name}: not run, its tools are missing", flush=True)
            continue
        print(f"== {name}", flush=True)
        began = time.monotonic()
        if subprocess.call(command, cwd=ROOT):
            failed.append(name)
        seconds[name] = time.monotonic() - began
    return failed


def tested_commit() -> str:
    """Return the commit of this tree if it is clean; otherwise ""."""
    try:
        return "" if git("status", "--porcelain") else git("rev-parse", "HEAD")
    except SetUpFailed:
        return ""


def report(seconds: dict[str, float], failed: list[str], found: Outcomes, suite: Suite) -> int:
    """Print how it went; return the exit code."""
    print("== the slowest tests", *found.slowest(), sep="\n")
    suite.report()
    print("== seconds:", ", ".join(f"{name} {took:.0f}" for name, took in seconds.items()), flush=True)
    if failed:
        print(f"== failed: {', '.join(failed)}", flush=True)
    return int(bool(failed))


def check_hardware(arguments: list[str]) -> int:
    """Build the firmware, and run the tests of what builders solder; return 0 on success."""
    failed = ["packages"] if missing_packages(HARDWARE) else []
    shutil.rmtree(ROOT / "firmware" / "build", ignore_errors=True)  # a file of another source may be newer
    seconds: dict[str, float] = {}
    failed += built(hardware_builds(), seconds, is_complete=not failed)
    files = [*(f"tests/firmware/test_{name}.py" for name in HARDWARE_TESTS), "tests/page/test_pico_game.py"]
    os.environ["HARDWARE"] = "true"  # a missing tool fails the test
    suite = Suite()
    is_well, found = suite.run(["--long", *files, *arguments])
    failed += [] if is_well else ["tests"]
    return report(seconds, failed, found, suite)


def check(arguments: list[str]) -> int:
    """Run everything, or what *arguments* select; return 0 on success."""
    before = tested_commit()
    needs = needed_for(chosen_paths(arguments))
    is_complete = not missing_packages(needs)
    failed = [] if is_complete or os.environ.get("CI") != "true" else ["packages"]
    seconds: dict[str, float] = {}
    suite = Suite()
    with ThreadPoolExecutor(max_workers=1) as beside:
        told = [(name, beside.submit(read, command)) for name, command in readings()]
        told.append(("audit", beside.submit(audited)))
        if set(needs) & set(FIRMWARE):
            failed += built(builds(), seconds, is_complete=is_complete)
        print("== tests", flush=True)
        began = time.monotonic()
        is_well, found = suite.run(arguments)
        seconds["tests"] = time.monotonic() - began
        failed += [] if is_well else ["tests"]
        if not arguments:
            began = time.monotonic()
            failed += [] if suite.run_drawn(found.long, today()) else ["long tests"]
            seconds["long tests"] = time.monotonic() - began
        for name, reading in told:
            code, said, seconds[name] = reading.result()
            print(f"== {name}\n{said}", end="", flush=True)
            failed += [name] if code else []
    code = report(seconds, failed, found, suite)
    if not code and not arguments and before and before == tested_commit():
        LAST_GREEN.parent.mkdir(parents=True, exist_ok=True)
        LAST_GREEN.write_text(f"{before} {today()}\n", encoding="utf-8")
    return code


def main(arguments: list[str]) -> int:
    """Do what *arguments* ask, as `check.py` describes them; return 0 on success."""
    if arguments[:1] == ["--hardware"]:
        return check_hardware(arguments[1:])
    if arguments[:1] == ["--drawn"]:
        day = date.fromisoformat(arguments[1]) if arguments[1:] else today()
        suite = Suite()
        _, known = suite.once(["--collect-only", "--quiet", "--quiet", "--numprocesses=0"])
        is_well = suite.run_drawn(known.long, day)
        suite.report()
        return int(not is_well)
    return check(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("check.py: interrupted", file=sys.stderr)
        sys.exit(130)
