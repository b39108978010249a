#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Install what the checks need and run them all, the tests last:

`python3 check.py`.

Further arguments go to pytest: `python3 check.py tests/games -x`. `python3 check.py docs` only
builds the documentation site, in `build/docs`. `python3 check.py --hardware` checks what builders
solder and flash, and needs more tools: the programs in `firmware/prebuilt` are built again and
compared byte for byte, ngspice calculates the boards, OpenSCAD makes the printed
parts, and KiCad and SKiDL check the circuit boards.
`python3 check.py --update` first renews the tested versions in `requirements/`. Its rule: a check
that cannot run is reported, never skipped silently; under CI (`CI=true`) it fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from start import ROOT, SetUpFailed, environment, install_packages

FIRMWARE = (
    ("gcc", "gcc", "builds the firmware's core and the simulator's harness for the tests"),
    ("libc6-dev", "/usr/include/stdio.h", "the C library's headers"),
    ("make", "make", "builds the firmware"),
    ("gcc-avr", "avr-gcc", "builds the firmware for its chips"),
    ("avr-libc", "/usr/lib/avr/include/avr/io.h", "the chips' C library"),
    ("libsimavr-dev", "/usr/include/simavr/sim_avr.h", "simulates the chips in the tests"),
    ("arduino-core-avr", "/usr/share/arduino/hardware/arduino/avr", "builds the firmware as a sketch"),
    ("avrdude", "avrdude", "flashes a simulated board in the tests"),
    ("cppcheck", "cppcheck", "looks for mistakes in the firmware"),
)
NEEDED = (
    *FIRMWARE,
    ("chromium", "chromium", "fills a screen with the page in the tests"),
    ("chromium-headless-shell", "chromium-headless-shell", "opens the page in the tests"),
    ("mosquitto", "/usr/sbin/mosquitto", "carries messages between boards and hall in the tests"),
    ("postgresql", "/usr/lib/postgresql", "keeps a hall's book in the tests"),
    ("iproute2", "ip", "cuts a network in the tests"),
    ("systemd", "systemd-analyze", "checks the service's file in the tests"),
    ("poppler-utils", "pdftoppm", "turns printed sheets into images in the tests"),
)
"""Debian package, the command or file that proves it is installed, and its purpose."""
HARDWARE = (
    *FIRMWARE,
    ("ngspice", "ngspice", "calculates the electrical figures of the boards"),
    ("gcc-arm-none-eabi", "arm-none-eabi-gcc", "builds the firmware for the Pico"),
    ("nodejs", "node", "runs the Pico's simulator, rp2040js"),
    ("npm", "npm", "installs rp2040js"),
    ("openscad", "openscad", "makes the printed parts"),
    ("xvfb", "xvfb-run", "is the display on which OpenSCAD renders pictures"),
    ("xauth", "xauth", "lets OpenSCAD use that display"),
    ("kicad", "pcbnew", "checks and plots the circuit boards"),
)
SKIDL = ROOT / "build" / "skidl"
"""An environment of its own, since nothing else here needs SKiDL."""
SKIDL_PACKAGES = ("skidl==3.0.0", "graphviz==0.21", "simp_sexp==0.3.1")
"""What its electrical rule check imports; SKiDL itself names 25 packages."""
HARDWARE_TESTS = (
    *("build", "drawings", "spice", "prints", "tiles", "elf_electrical"),
    *("pico_build", "pico_cells", "pico_devices", "pico_flash", "pico_line", "pico_soak", "pico_strip"),
)
"""Of `tests/firmware`; they run at full length."""


def missing_packages(needed: tuple[tuple[str, str, str], ...] = NEEDED) -> list[tuple[str, str, str]]:
    """Return the rows of *needed* that this machine lacks."""
    return [row for row in needed if not (shutil.which(row[1]) or Path(row[1]).exists())]


def provide_packages(needed: tuple[tuple[str, str, str], ...] = NEEDED) -> bool:
    """Install the missing packages; true if all are there, otherwise they are reported."""
    missing = missing_packages(needed)
    if missing and install_packages([package for package, _, _ in missing]):
        missing = missing_packages(needed)
    for package, _, purpose in missing:
        print(f"check.py: {package} is missing ({purpose}).", file=sys.stderr)
    if missing:
        names = " ".join(package for package, _, _ in missing)
        print(f"check.py: install it as root: apt-get install {names}", file=sys.stderr, flush=True)
    return not missing


def readings(python: Path) -> tuple[tuple[str, list[str]], ...]:
    """Return name and command of each check that only reads the source."""
    tool = [str(python), "-m"]
    return (
        ("lint", [*tool, "ruff", "check", "."]),
        ("format", [*tool, "ruff", "format", "--check", "."]),
        ("floor plan", [str(python.with_name("lint-imports"))]),
        ("spelling", [*tool, "codespell_lib", "."]),
        ("language", [*tool, "tests.house.idioms"]),
        ("generated files", [str(python), "firmware/generate.py", "--check"]),
        ("types", [*tool, "mypy"]),
    )


def builds(python: Path) -> tuple[tuple[str, list[str]], ...]:
    """Return name and command of each check that also builds what the tests use."""
    make = ["make", "--silent", f"--jobs={os.cpu_count() or 1}", "-C", "firmware", f"PYTHON={python}"]
    return (("firmware", [*make, "all"]), ("firmware's mistakes", [*make, "cppcheck"]))


def hardware_builds(python: Path) -> tuple[tuple[str, list[str]], ...]:
    """Return name and command of each step that builds what `--hardware` tests besides."""
    make = ["make", "--silent", "-C", "firmware", f"PYTHON={python}"]
    pip = [str(SKIDL / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps"]
    return (
        *builds(python),
        ("firmware of the Pico", [*make, "pico"]),
        ("rp2040js", [*make, "rp2040js"]),
        ("environment of SKiDL", [str(python), "-m", "venv", str(SKIDL)]),
        ("SKiDL", [*pip, *SKIDL_PACKAGES]),
    )


def tests(python: Path, arguments: list[str], report: Path) -> list[str]:
    """Return the command of the tests, a file per worker.

    *report* gets the duration of each test. There are two workers per core, since many tests wait
    for other programs: with three workers, a third of two cores was idle.
    """
    workers = 2 * (os.cpu_count() or 1)
    spread = [f"--numprocesses={workers}", "--dist=loadfile", "--no-loadscope-reorder"]
    times = [f"--junitxml={report}", "--override-ini=junit_family=xunit1"]
    return [str(python), "-m", "pytest", *spread, *times, *arguments]


def tests_environment() -> dict[str, str]:
    """Return the environment of the tests: the caller's, with bytecode caching.

    The tests start some hundreds of Python programs. Compiling their modules again each time takes
    a tenth of all the processor time.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def slowest(report: Path, count: int = 10) -> list[str]:
    """Return the *count* slowest tests of *report* with their seconds.

    () without a report.
    """
    if not report.exists():
        return []
    cases = ElementTree.parse(report).getroot().iter("testcase")
    times = [(float(case.get("time", 0)), f"{case.get('file')}::{case.get('name')}") for case in cases]
    return [f"{seconds:7.1f} s  {name}" for seconds, name in sorted(times, reverse=True)[:count]]


def run_tests(python: Path, arguments: list[str]) -> tuple[int, list[str]]:
    """Run the tests; return their exit code and the slowest of them."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "tests.xml"
        command = tests(python, arguments, report)
        code = subprocess.call(command, cwd=ROOT, env=tests_environment())
        return code, slowest(report)


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


def build_site() -> int:
    """Build the documentation and print the path of its first page; return 0 on success."""
    try:
        python = environment("dev")
    except SetUpFailed as reason:
        print(f"check.py: {reason}", file=sys.stderr)
        return 1
    folder = ROOT / "build" / "docs"
    code = subprocess.call(site(python, folder), cwd=ROOT)
    if not code:
        print(f"check.py: open {folder / 'index.html'}")
    return code


def check_hardware(arguments: list[str]) -> int:
    """Build the firmware, and run the tests of what builders solder; return 0 on success."""
    try:
        python = environment("dev")
    except SetUpFailed as reason:
        print(f"check.py: {reason}", file=sys.stderr)
        return 1
    failed = [] if provide_packages(HARDWARE) else ["packages"]
    shutil.rmtree(ROOT / "firmware" / "build", ignore_errors=True)  # a file of another source may be newer
    failed += built(hardware_builds(python), {}, is_complete=not failed)
    files = [f"tests/firmware/test_{name}.py" for name in HARDWARE_TESTS]
    os.environ["HARDWARE"] = "true"  # a missing tool fails the test
    code, slow = run_tests(python, ["--long", *files, *arguments])
    failed += ["tests"] if code else []
    print("== the slowest tests", *slow, sep="\n")
    if failed:
        print(f"== failed: {', '.join(failed)}", flush=True)
    return int(bool(failed))


def update(python: Path) -> Path:
    """Renew and install the tested versions; return the Python that has them.

    Raises `SetUpFailed`.
    """
    from requirements.pins import PinsFailed, renew  # an old Python cannot parse it

    try:
        renew(python, lambda line: print(f"== update: {line}", flush=True))
    except PinsFailed as reason:
        raise SetUpFailed(str(reason)) from reason
    return environment("dev")


def audited(python: Path) -> tuple[int, str, float]:
    """Audit the tested versions for known vulnerabilities; return code, output and seconds.

    The code is always 0, since an advisory appears without a change here.
    """
    from requirements.pins import audit

    began = time.monotonic()
    return 0, audit(python), time.monotonic() - began


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


def main(arguments: list[str]) -> int:
    """Run everything, or what *arguments* select; return 0 on success."""
    if arguments == ["docs"]:
        return build_site()
    if arguments[:1] == ["--hardware"]:
        return check_hardware(arguments[1:])
    is_update = "--update" in arguments
    arguments = [word for word in arguments if word != "--update"]
    with ThreadPoolExecutor(max_workers=1) as beside:
        fetching = beside.submit(provide_packages)  # Debian's packages, while pip fetches Python's
        try:
            python = environment("dev")
            python = update(python) if is_update else python
        except SetUpFailed as reason:
            print(f"check.py: {reason}", file=sys.stderr)
            return 1
        is_complete = fetching.result()
        failed = [] if is_complete or os.environ.get("CI") != "true" else ["packages"]
        told = [(name, beside.submit(read, command)) for name, command in readings(python)]
        told.append(("audit", beside.submit(audited, python)))
        seconds: dict[str, float] = {}
        failed += built(builds(python), seconds, is_complete=is_complete)
        print("== tests", flush=True)
        began = time.monotonic()
        code, slow = run_tests(python, arguments)
        seconds["tests"] = time.monotonic() - began
        failed += ["tests"] if code else []
        for name, reading in told:
            code, said, seconds[name] = reading.result()
            print(f"== {name}\n{said}", end="", flush=True)
            failed += [name] if code else []
    print("== the slowest tests", *slow, sep="\n")
    print("== seconds:", ", ".join(f"{name} {took:.0f}" for name, took in seconds.items()), flush=True)
    if failed:
        print(f"== failed: {', '.join(failed)}", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
