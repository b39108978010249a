#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Install what the checks need and run them all, the tests last: `python3 check.py`.

Words that follow are handed to pytest: `python3 check.py tests/games -x`.
Its rule: a check that cannot run is named, never passed over; under CI (`CI=true`) it fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from start import ROOT, SetUpFailed, environment, install_packages

NEEDED = (
    ("gcc", "gcc", "builds the firmware's core and the simulator's harness for the tests"),
    ("libc6-dev", "/usr/include/stdio.h", "the C library's headers"),
    ("make", "make", "builds the firmware"),
    ("gcc-avr", "avr-gcc", "builds the firmware for its chips"),
    ("avr-libc", "/usr/lib/avr/include/avr/io.h", "the chips' C library"),
    ("libsimavr-dev", "/usr/include/simavr/sim_avr.h", "simulates the chips in the tests"),
    ("arduino-core-avr", "/usr/share/arduino/hardware/arduino/avr", "builds the firmware as a sketch"),
    ("cppcheck", "cppcheck", "looks for mistakes in the firmware"),
    ("chromium", "chromium", "opens the page in the tests"),
    ("mosquitto", "/usr/sbin/mosquitto", "carries messages between boards and hall in the tests"),
    ("postgresql", "/usr/lib/postgresql", "keeps a hall's book in the tests"),
    ("iproute2", "ip", "cuts a network in the tests"),
    ("systemd", "systemd-analyze", "checks the service's file in the tests"),
    ("poppler-utils", "pdftoppm", "turns printed sheets into images in the tests"),
)
"""Debian's package, the command or file that shows it is there, and what it is for."""


def missing_packages() -> list[tuple[str, str, str]]:
    """The rows of `NEEDED` that this machine lacks."""
    return [row for row in NEEDED if not (shutil.which(row[1]) or Path(row[1]).exists())]


def provide_packages() -> bool:
    """True if all packages are there in the end; names those that are not."""
    missing = missing_packages()
    if missing and install_packages([package for package, _, _ in missing]):
        missing = missing_packages()
    for package, _, purpose in missing:
        print(f"check.py: {package} is missing ({purpose}).", file=sys.stderr)
    if missing:
        names = " ".join(package for package, _, _ in missing)
        print(f"check.py: install it as root: apt-get install {names}", file=sys.stderr, flush=True)
    return not missing


def checks(python: Path) -> tuple[tuple[str, list[str]], ...]:
    """Every check but the tests: its name and its command."""
    tool = [str(python), "-m"]
    make = ["make", "--silent", "-C", "firmware", f"PYTHON={python}"]
    return (
        ("lint", [*tool, "ruff", "check", "."]),
        ("format", [*tool, "ruff", "format", "--check", "."]),
        ("types", [*tool, "mypy"]),
        ("floor plan", [str(python.with_name("lint-imports"))]),
        ("spelling", [*tool, "codespell_lib", "."]),
        ("generated files", [str(python), "firmware/generate.py", "--check"]),
        ("firmware", [*make, "all"]),
        ("firmware's mistakes", [*make, "cppcheck"]),
    )


def main(arguments: list[str]) -> int:
    """Run everything; returns 0 if all of it held."""
    try:
        python = environment("dev")
    except SetUpFailed as reason:
        print(f"check.py: {reason}", file=sys.stderr)
        return 1
    is_complete = provide_packages()
    failed = [] if is_complete or os.environ.get("CI") != "true" else ["packages"]
    for name, command in checks(python):
        if command[0] == "make" and not is_complete:
            print(f"== {name}: not run, its tools are missing", flush=True)
            continue
        print(f"== {name}", flush=True)
        if subprocess.call(command, cwd=ROOT):
            failed.append(name)
    if failed:
        print(f"== failed so far: {', '.join(failed)}", flush=True)
    print("== tests", flush=True)
    spread = ["--numprocesses=auto", "--dist=loadfile"]
    tests = subprocess.call([str(python), "-m", "pytest", *spread, *arguments], cwd=ROOT)
    return tests or int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
