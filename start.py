#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Set up the virtual environment and run the program:

`python3 start.py`.

Without arguments it serves the start page; otherwise they are those of `companion`:
`python3 start.py tools demo`. With `--install` it adds extras or packages first, so
`python3 start.py --install camera gif`. What only installs is removed again: pip and the build
tools. Its rule: only the standard library, and syntax that an old Python can parse, so that it
can name the version it needs.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)
NEWEST = (3, 14)
"""The versions in `requirements/` are resolved for these Pythons and all between."""
STEP = re.compile(r"(?:Collecting|Processing|Ignoring|Requirement already satisfied:) (?:\S*[/\\])?([\w.-]+)")
"""Matches the line that pip prints once per package, with the package's name."""
APT = threading.Lock()
"""Held while Debian packages are installed: apt-get does not run twice at a time."""
PIN = re.compile(r"^([\w.-]+)==", re.MULTILINE)
"""Matches the name in each line of a file of tested versions."""
INSTALL = "--install"


class SetUpFailed(Exception):
    """The machine lacks something that cannot be installed from here."""


def environment(name: str = "run") -> Path:
    """Return the Python of `.venv` with the program and `requirements/<name>.txt` installed.

    If that was done before, it only compares fingerprints. Raises `SetUpFailed`.
    """
    if sys.version_info < OLDEST:
        raise SetUpFailed(
            "Companion needs Python {}.{} or newer; {} is {}. Start it with a newer one: python3.11 start.py".format(
                *OLDEST, sys.executable, sys.version.split()[0]
            )
        )
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = VENV / "installed.txt"
    if python.exists() and stamp.exists():
        installed = stamp.read_text(encoding="utf-8")
        if installed in (fingerprint(name), fingerprint("dev")):  # dev.txt includes run.txt
            return python
    if not python.exists():
        make_venv()
    stamp.unlink(missing_ok=True)  # an interrupted installation must not count as complete
    install(python, name)
    stamp.write_text(fingerprint(name), encoding="utf-8")
    return python


def fingerprint(name: str) -> str:
    """Return *name* and the hash of all files that determine what is installed for it."""
    digest = hashlib.sha256()
    for path in (ROOT / "pyproject.toml", *requirements(name)):
        digest.update(path.read_bytes())
    return f"{name} {digest.hexdigest()}"


def requirements(name: str) -> tuple[Path, Path]:
    """Return the files of tested versions: the build tools first, then *name*."""
    return ROOT / "requirements" / "build.txt", ROOT / "requirements" / f"{name}.txt"


def install(python: Path, name: str) -> None:
    """Install the tested versions of *name*, and this program. Raises `SetUpFailed`.

    Players get no tools that only install, and bytecode of what is imported only.
    """
    files = requirements(name)
    bring_pip(python)
    count = sum("==" in line for path in files for line in path.read_text(encoding="utf-8").splitlines())
    print(f"Installing Companion and {count} packages into {VENV} ...", file=sys.stderr, flush=True)
    progress = Progress(count)
    for path in files:
        # without isolation, since pip would fetch an untested build tool into an environment of its own;
        # without dependencies, since the files name all of them, and pip refuses a newer release of one
        # that is required with an extra
        options = ("--require-hashes", "--no-deps", "--no-build-isolation")
        run_pip(python, progress, *options, *compiling(name), "--requirement", str(path))
    run_pip(python, progress, "--no-index", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    progress.clear()
    if name == "run":
        remove_tools(python)


def compiling(name: str) -> tuple[str, ...]:
    """Return pip's option about bytecode: only developers get that of all."""
    return ("--no-compile",) if name == "run" else ()


def bring_pip(python: Path) -> None:
    """Install the pip that comes with Python, unless there is one. Raises `SetUpFailed`."""
    if subprocess.call([str(python), "-c", "import pip"], stderr=subprocess.DEVNULL):
        need_ensurepip()
        if subprocess.call([str(python), "-m", "ensurepip"], stdout=subprocess.DEVNULL):
            raise SetUpFailed(f"pip could not be installed in {VENV}: see the message above.")


def remove_tools(python: Path) -> None:
    """Remove pip and the build tools, a sixth of all that was installed."""
    build, run = (PIN.findall(path.read_text(encoding="utf-8")) for path in requirements("run"))
    tools = sorted({*build, "pip", "setuptools"} - {*run})
    command = [str(python), "-m", "pip", "uninstall", "--quiet", "--yes", *tools]
    subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # what stays does no harm


def install_more(python: Path, wanted: list[str]) -> None:
    """Install *wanted*: extras, or packages in pip's notation. Raises `SetUpFailed`."""
    import tomllib  # not in an old Python

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = project["optional-dependencies"]
    if not wanted:
        raise SetUpFailed(f"{INSTALL} lacks what to install, such as gif. Extras are {', '.join(known)}.")
    extras = [each for each in wanted if each in known]
    packages = [each for each in wanted if each not in extras]
    bring_pip(python)
    is_for_players = (VENV / "installed.txt").read_text(encoding="utf-8") == fingerprint("run")
    print(f"Installing {', '.join([*extras, *packages])} into {VENV} ...", file=sys.stderr, flush=True)
    own = ("--editable", f"{ROOT}[{','.join(extras)}]") if extras else ()
    try:
        run_pip(python, Progress(1), *compiling("run" if is_for_players else "dev"), *own, *packages)
    except SetUpFailed:
        named = ", ".join([*extras, *packages])
        raise SetUpFailed(
            f"pip could not install {named}: its last lines are above. Extras are {', '.join(known)};"
            " both need a machine that is online."
        ) from None
    if is_for_players:
        remove_tools(python)


class Progress:
    """Progress of pip, in one line on a terminal; silent elsewhere."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0

    def show(self, line: str) -> None:
        """Process a *line* of pip's output."""
        found = STEP.match(line)
        if found:
            self._done = min(self._done + 1, self._count)
            self._write(f"{self._done} of {self._count}: {found[1]}")
        elif line.startswith("Installing collected packages"):
            self._write("unpacking")

    def clear(self) -> None:
        """Clear the line."""
        self._write("")

    def _write(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{text[:60]:60}\r", end="", file=sys.stderr, flush=True)


def run_pip(python: Path, progress: Progress, *options: str) -> None:
    """Run `pip install` with *options*. Raises `SetUpFailed` with pip's last lines."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--progress-bar", "off"]
    printed = []
    with subprocess.Popen(
        [*pip, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace"
    ) as running:
        for line in running.stdout or ():
            printed += [] if STEP.match(line) else [line]
            progress.show(line)
    if running.returncode:
        progress.clear()
        print("".join(printed[-12:]), end="", file=sys.stderr, flush=True)
        reason = (
            "pip could not install the tested versions: its last lines are above. Is this machine online?"
        )
        if sys.version_info[:2] > NEWEST:
            reason += " They are for Python {}.{} to {}.{}: try one of these.".format(*OLDEST, *NEWEST)
        raise SetUpFailed(reason)


def need_ensurepip() -> None:
    """Make sure that this Python has pip to give; Debian needs a package. Raises `SetUpFailed`."""
    if importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        if not install_packages([package]):
            raise SetUpFailed(
                "This Python cannot make virtual environments: on Debian and Ubuntu the package "
                f"{package} is missing. Install it (as root: apt-get install {package}) and start again."
            )


def make_venv() -> None:
    """Create `.venv`. Raises `SetUpFailed`."""
    need_ensurepip()
    print(f"Making the virtual environment {VENV} ...", file=sys.stderr, flush=True)
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)], stdout=sys.stderr):
        raise SetUpFailed(f"No virtual environment could be made in {VENV}: see the message above.")


def install_packages(packages: list[str]) -> bool:
    """Install Debian *packages* as root or with sudo; true on success."""
    if not shutil.which("apt-get"):
        return False
    if os.geteuid() == 0:
        become_root = []
    elif shutil.which("sudo"):
        can_ask = sys.stdin is not None and sys.stdin.isatty()
        become_root = ["sudo"] if can_ask else ["sudo", "--non-interactive"]
    else:
        return False
    print(f"Installing Debian packages: {' '.join(packages)} ...", file=sys.stderr, flush=True)
    apt_get = [*become_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet=2"]
    steps = ([*apt_get, "update"], [*apt_get, "install", "--yes", "--no-install-recommends", *packages])
    with APT:
        return not any(subprocess.call(step, stdout=subprocess.DEVNULL) for step in steps)


def main(arguments: list[str]) -> int:
    """Run `companion` with *arguments* in its environment; return the exit code."""
    try:
        python = environment()
        if arguments[:1] == [INSTALL]:
            install_more(python, arguments[1:])
            return 0
    except SetUpFailed as reason:
        print(f"start.py: {reason}", file=sys.stderr)
        return 1
    command = [str(python), "-m", "companion", *(arguments or ["start"])]
    if os.name == "posix":
        os.execv(command[0], command)  # Ctrl-C then reaches only the program
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
