#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Install what the checks need and run them all, the tests last:

`python3 check.py`.

Paths and further arguments go to pytest, and only what these paths need is installed and built:
`python3 check.py tests/games -x`. A test that fails is run once more, alone: one that passes then
is unsteady, which is listed and makes the run fail the second time. The run of everything also
draws some of the tests for `--long`, others each day.

- `--fresh` runs everything in a new clone of HEAD with a new environment, and keeps the log.
- `--state` says which commit was green last, and how far HEAD is from it; 0 if it is HEAD.
- `docs` only builds the documentation site, in `build/docs`.
- `--hardware` checks what builders solder and flash, and needs more tools: the programs in
  `firmware/prebuilt` are built again and compared byte for byte, ngspice calculates the boards,
  OpenSCAD makes the printed parts, and KiCad and SKiDL check the circuit boards.
- `--update` first renews the tested versions in `requirements/`.

Its rule: a check that cannot run is reported, never skipped silently; under CI (`CI=true`) it
fails. This file installs; `tests/house/checks.py` runs the checks in the environment made here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from start import ROOT, SetUpFailed, environment, install_packages

RESULTS = Path(os.environ.get("CHECK_RESULTS", ROOT / "build"))
"""Where a run leaves what it found; a clone uses that of its origin."""
LAST_GREEN = RESULTS / "last-green"
"""Its first 40 characters are the newest commit of which every check passed."""


class Need(NamedTuple):
    """A Debian package."""

    package: str
    proof: str
    """The command or file that proves it is installed."""
    purpose: str
    paths: tuple[str, ...] = ()
    """The tests that need it, as files or folders."""


CHIPS = (
    *("tests/firmware", "tests/virtual/test_twins.py", "tests/bench", "tests/host/doctor/test_flash.py"),
    "tests/page/test_pico_game.py",
)
PAGES = ("tests/page",)
HALLS = (
    *("tests/page/test_desk_tables.py", "tests/bench/test_eboards_bench.py", "tests/bench/test_kills.py"),
    *("tests/cli/test_tables.py", "tests/cli/test_lost_games.py", "tests/host/hall", "tests/host/online"),
)
FIRMWARE = (
    Need("gcc", "gcc", "builds the firmware's core and the simulator's harness for the tests", CHIPS),
    Need("libc6-dev", "/usr/include/stdio.h", "the C library's headers", CHIPS),
    Need("make", "make", "builds the firmware", CHIPS),
    Need("gcc-avr", "avr-gcc", "builds the firmware for its chips", CHIPS),
    Need("avr-libc", "/usr/lib/avr/include/avr/io.h", "the chips' C library", CHIPS),
    Need("libsimavr-dev", "/usr/include/simavr/sim_avr.h", "simulates the chips in the tests", CHIPS),
    Need(
        *("arduino-core-avr", "/usr/share/arduino/hardware/arduino/avr"),
        *("builds the firmware as a sketch", CHIPS),
    ),
    Need("avrdude", "avrdude", "flashes a simulated board in the tests", CHIPS),
    Need("cppcheck", "cppcheck", "looks for mistakes in the firmware", CHIPS),
)
BROWSER = Need("chromium-headless-shell", "chromium-headless-shell", "opens the page in the tests", PAGES)
NEEDED = (
    *FIRMWARE,
    Need(
        *("chromium", "chromium", "fills a screen with the page in the tests"),
        (*PAGES, "tests/bench/test_cost_bench.py"),
    ),
    BROWSER,
    Need(
        *("mosquitto", "/usr/sbin/mosquitto", "carries messages between boards and hall in the tests"), HALLS
    ),
    Need(
        *("postgresql", "/usr/lib/postgresql", "keeps a hall's book in the tests"),
        ("tests/host/records", "tests/host/hall", "tests/bench/test_kills.py"),
    ),
    Need("iproute2", "ip", "cuts a network in the tests", ("tests/host/hall/test_network.py",)),
    Need("systemd", "systemd-analyze", "checks the service's file in the tests", ("tests/house",)),
    Need(
        *("poppler-utils", "pdftoppm", "turns printed sheets into images in the tests"),
        ("tests/sheets", "tests/sensing", "tests/page"),
    ),
)
"""What all checks need; without paths, all of it is installed."""
HARDWARE = (
    *FIRMWARE,
    BROWSER,
    Need("ngspice", "ngspice", "calculates the electrical figures of the boards"),
    Need("gcc-arm-none-eabi", "arm-none-eabi-gcc", "builds the firmware for the Pico"),
    Need("nodejs", "node", "runs the Pico's simulator, rp2040js"),
    Need("npm", "npm", "installs rp2040js"),
    Need("openscad", "openscad", "makes the printed parts"),
    Need("xvfb", "xvfb-run", "is the display on which OpenSCAD renders pictures"),
    Need("xauth", "xauth", "lets OpenSCAD use that display"),
    Need("kicad", "pcbnew", "checks and plots the circuit boards"),
)


def chosen_paths(arguments: list[str]) -> list[str]:
    """Return the paths among *arguments*, without what follows `::`."""
    paths = [word.partition("::")[0] for word in arguments if not word.startswith("-")]
    return [Path(path).as_posix() for path in paths if (ROOT / path).exists()]


def needed_for(paths: list[str], needs: tuple[Need, ...] = NEEDED) -> tuple[Need, ...]:
    """Return those of *needs* that the tests in *paths* need; without paths, all."""

    def overlap(one: str, other: str) -> bool:
        return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")

    return tuple(need for need in needs if not paths or any(overlap(a, b) for a in paths for b in need.paths))


def missing_packages(needs: tuple[Need, ...] = NEEDED) -> list[Need]:
    """Return the rows of *needs* that this machine lacks."""
    return [need for need in needs if not (shutil.which(need.proof) or Path(need.proof).exists())]


def provide_packages(needs: tuple[Need, ...] = NEEDED) -> bool:
    """Install the missing packages; true if all are there, otherwise they are reported."""
    missing = missing_packages(needs)
    if missing and install_packages([need.package for need in missing]):
        missing = missing_packages(needs)
    for need in missing:
        print(f"check.py: {need.package} is missing ({need.purpose}).", file=sys.stderr)
    if missing:
        names = " ".join(need.package for need in missing)
        print(f"check.py: install it as root: apt-get install {names}", file=sys.stderr, flush=True)
    return not missing


def site(python: Path, folder: Path) -> list[str]:
    """Return the command that builds the documentation in *folder*.

    Sphinx warnings are errors.
    """
    options = [
        "--quiet",
        "--fail-on-warning",
        "--keep-going",
        f"--doctree-dir={folder.with_name('doctrees')}",
    ]
    return [str(python), "-m", "sphinx", *options, "--conf-dir", str(ROOT / "docs"), str(ROOT), str(folder)]


def build_site(python: Path) -> int:
    """Build the documentation and print the path of its first page; return 0 on success."""
    folder = ROOT / "build" / "docs"
    code = subprocess.call(site(python, folder), cwd=ROOT)
    if not code:
        print(f"check.py: open {folder / 'index.html'}")
    return code


def update(python: Path) -> None:
    """Renew and install the tested versions. Raises `SetUpFailed`."""
    from requirements.pins import PinsFailed, renew  # an old Python cannot parse it

    try:
        renew(python, lambda line: print(f"== update: {line}", flush=True))
    except PinsFailed as reason:
        raise SetUpFailed(str(reason)) from reason
    environment("dev")


def git(*words: str) -> str:
    """Return what git prints in this tree. Raises `SetUpFailed`."""
    try:
        ended = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    except FileNotFoundError as reason:
        raise SetUpFailed("git is not installed, and without it commits are unknown.") from reason
    if ended.returncode:
        raise SetUpFailed(f"git {words[0]} failed: {ended.stderr.strip()}")
    return ended.stdout.strip()


def state() -> int:
    """Print which commit was green last; return 0 if it is HEAD."""
    head = git("rev-parse", "HEAD")
    green = LAST_GREEN.read_text(encoding="utf-8")[:40] if LAST_GREEN.exists() else ""
    tree = "not clean: some changes are not committed" if git("status", "--porcelain") else "clean"
    if green == head:
        print(f"HEAD, {head[:12]}, is green. The tree is {tree}.")
        return 0
    if not green:
        print(f"No green run is known here. HEAD is {head[:12]}. The tree is {tree}.")
        return 1
    try:
        count = int(git("rev-list", "--count", f"{green}..HEAD"))
        beyond = f"HEAD, {head[:12]}, is {count} commit{'s' * (count != 1)} beyond it"
    except SetUpFailed:
        beyond = f"this repository does not have it; HEAD is {head[:12]}"
    print(f"Green last: {green[:12]}; {beyond}. The tree is {tree}.")
    return 1


def fresh(arguments: list[str]) -> int:
    """Run everything in a new clone of HEAD, with a log; return 0 on success."""
    head = git("rev-parse", "HEAD")
    if git("status", "--porcelain"):
        print("check.py: what is not committed is not checked.", file=sys.stderr)
    RESULTS.mkdir(parents=True, exist_ok=True)
    log = RESULTS / f"fresh-{head[:12]}.log"
    folder = Path(tempfile.mkdtemp(prefix="companion-fresh-"))
    try:
        git("clone", "--quiet", str(ROOT), str(folder / "companion"))
        git("-C", str(folder / "companion"), "checkout", "--quiet", "--detach", head)
        print(f"check.py: {head[:12]} is checked in {folder}; log: {log}", flush=True)
        code = told(folder / "companion", arguments, log)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"check.py: {head[:12]} is {'red' if code else 'green'}; log: {log}", flush=True)
    return code


def told(tree: Path, arguments: list[str], log: Path) -> int:
    """Run the checks of another *tree*; print what they print and keep it in *log*."""
    own = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")
    known = {name: value for name, value in os.environ.items() if name not in own}
    with (
        log.open("w", encoding="utf-8") as kept,
        subprocess.Popen(
            [sys.executable, "check.py", *arguments],
            cwd=tree,
            env={**known, "CHECK_RESULTS": str(RESULTS), "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as running,
    ):
        try:
            for line in running.stdout or ():
                print(line, end="", flush=True)
                kept.write(line)
                kept.flush()
        except KeyboardInterrupt:
            running.wait()  # it was interrupted, too
            raise
    return running.returncode


def main(arguments: list[str]) -> int:
    """Do what *arguments* ask, as the head of this file says; return 0 on success."""
    if arguments == ["--state"]:
        return state()
    if arguments[:1] == ["--fresh"]:
        return fresh(arguments[1:])
    if arguments == ["docs"]:
        return build_site(environment("dev"))
    is_update = "--update" in arguments
    arguments = [word for word in arguments if word != "--update"]
    needs = HARDWARE if arguments[:1] == ["--hardware"] else needed_for(chosen_paths(arguments))
    with ThreadPoolExecutor(max_workers=1) as beside:
        beside.submit(provide_packages, needs)  # Debian's packages, while pip fetches Python's
        python = environment("dev")
        if is_update:
            update(python)
    command = [str(python), "-m", "tests.house.checks", *arguments]
    os.chdir(ROOT)
    if os.name == "posix":
        os.execv(command[0], command)  # Ctrl-C then reaches only the checks
    return subprocess.call(command)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetUpFailed as failure:
        print(f"check.py: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("check.py: interrupted", file=sys.stderr)
        sys.exit(130)
