#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Set the program up in its own virtual environment and run it: `python3 start.py`.

Without words it plays Close Quarters at the virtual table; with words it is `companion`: `python3 start.py demo`.
Its rule: only the standard library, and syntax that an old Python can at least read, so that it can say what it needs.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)
APT = threading.Lock()
"""Held by whoever installs Debian packages: two at a time lock one another out."""


class SetUpFailed(Exception):
    """The machine lacks something that cannot be installed from here; the message says what to do."""


def environment(extra: str = "") -> Path:
    """The path of the Python in `.venv`, in which the program is installed with the dependencies of *extra*.

    Does nothing but look when it has been done before for the same `pyproject.toml`.
    Raises `SetUpFailed`.
    """
    if sys.version_info < OLDEST:
        raise SetUpFailed(
            "Companion needs Python {}.{} or newer; {} is {}. Start it with a newer one: python3.11 start.py".format(
                *OLDEST, sys.executable, sys.version.split()[0]
            )
        )
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = VENV / "installed.txt"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    done = stamp.read_text(encoding="utf-8").split("\n") if stamp.exists() and python.exists() else [""]
    if done[0] == wanted and extra in ("", *done[1:]):
        return python
    if not python.exists():
        make_venv()
    print(f"Installing Companion into {VENV} ...", file=sys.stderr, flush=True)
    target = str(ROOT) + (f"[{extra}]" if extra else "")
    pip_install = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    if subprocess.call([*pip_install, "--editable", target], stdout=sys.stderr):
        raise SetUpFailed("pip could not install what is needed (see above): is this machine online?")
    extras = {extra, *done[1:]} if done[0] == wanted else {extra}
    stamp.write_text("\n".join([wanted, *sorted(extras - {""})]), encoding="utf-8")
    return python


def make_venv() -> None:
    """Make `.venv`. Debian keeps what that takes in a package of its own."""
    if importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        if not install_packages([package]):
            raise SetUpFailed(
                "This Python cannot make virtual environments: on Debian and Ubuntu the package "
                f"{package} is missing. Install it (as root: apt-get install {package}) and start again."
            )
    print(f"Making the virtual environment {VENV} ...", file=sys.stderr, flush=True)
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)], stdout=sys.stderr):
        raise SetUpFailed(f"No virtual environment could be made in {VENV}: see the message above.")


def install_packages(packages: list[str]) -> bool:
    """True if Debian's *packages* could be installed: as root, or with sudo."""
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
    """Run `companion` with *arguments* in its environment; returns its exit code."""
    try:
        python = environment()
    except SetUpFailed as reason:
        print(f"start.py: {reason}", file=sys.stderr)
        return 1
    command = [str(python), "-m", "companion", *(arguments or ["play", "close-quarters"])]
    if os.name == "posix":
        os.execv(command[0], command)  # Ctrl-C then reaches the program alone
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
