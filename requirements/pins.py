# SPDX-License-Identifier: Apache-2.0
"""The tested versions in `requirements/`: made from the ranges of `pyproject.toml`, and looked up in the advisories.

`check.py` runs this, with the Python of `.venv`, where uv and pip-audit are installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Final

HOME: Final = Path(__file__).resolve().parent
OLDEST_PYTHON: Final = "3.11"
PYTHONS: Final = (OLDEST_PYTHON, "3.12", "3.13", "3.14")
SYSTEMS: Final = ("x86_64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc")
PI: Final = "aarch64-unknown-linux-gnu"
"""A Raspberry Pi plays; the checks do not run there, since py4swiss has no wheel for it."""
SOURCE_ONLY: Final = "chess"
"""The one package without a wheel."""
AUDIT_SECONDS: Final = 120

_HEADER: Final = f"""\
# Tested versions for Python {PYTHONS[0]} to {PYTHONS[-1]} on Linux, macOS and Windows; only Linux with Python {OLDEST_PYTHON} was run.
# Made from pyproject.toml by: python3 check.py --update
"""
_INPUTS: Final = {
    "dev": "--extra dev --group build pyproject.toml",  # everything; the others take their versions from it
    "run": "pyproject.toml",
    "build": "--group build",
}
_COMPILE: Final = (
    f"compile --quiet --universal --generate-hashes --python-version {OLDEST_PYTHON} "
    "--no-header --no-annotate --no-emit-index-url --no-emit-find-links"
)
_CHECK: Final = f"install --dry-run --require-hashes --only-binary :all: --no-binary {SOURCE_ONLY}"
_AUDIT: Final = "-m pip_audit --require-hashes --disable-pip --vulnerability-service osv --format json --progress-spinner off"
_UNREACHABLE: Final = "skipped, the advisory database cannot be reached\n"


class PinsFailed(Exception):
    """The versions could not be renewed; the message says why."""


def renew(python: Path, tell: Callable[[str], None], *, project: Path = HOME.parent) -> None:
    """Replace all files of `requirements/` in *project* by the newest versions, or none. Raises `PinsFailed`."""
    home = project / "requirements"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        constraint: list[str] = []
        for file, inputs in _INPUTS.items():
            tell(f"resolving {file}.txt ...")
            resolved = _uv(python, project, f"{_COMPILE} {inputs}".split() + constraint)
            constraint = ["--constraint", str(folder / "dev.txt")]
            (folder / f"{file}.txt").write_text(_HEADER + resolved, encoding="utf-8", newline="\n")
        for file, system, version in _wanted():
            tell(f"looking for the wheels of {file}.txt for {system}, Python {version} ...")
            _check_wheels(python, folder / f"{file}.txt", system, version)
        for change in _changes(pins(home / "dev.txt"), pins(folder / "dev.txt")):
            tell(change)
        for file in _INPUTS:
            shutil.copyfile(folder / f"{file}.txt", home / f"{file}.txt")


def pins(path: Path) -> dict[str, str]:
    """The versions in the file *path* by package; several, by markers, are joined."""
    found: dict[str, str] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            name, is_pin, rest = line.partition("==")
            if is_pin and not line.startswith((" ", "#")):
                version = rest.split()[0]
                found[name] = f"{found[name]} or {version}" if name in found else version
    return found


def _changes(old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    """What differs between two sets of versions, a line for each package."""
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, "not there"), new.get(name, "gone")
        if before != after:
            yield f"{name}: {before} -> {after}"


def _wanted() -> Iterator[tuple[str, str, str]]:
    """Every file, system and Python whose wheels have to exist."""
    yield from product(_INPUTS, SYSTEMS, PYTHONS)
    yield from product(("run", "build"), (PI,), PYTHONS)


def _check_wheels(python: Path, file: Path, system: str, version: str) -> None:
    """Fail if *file* cannot be installed without building on *system* with Python *version*."""
    place = ["--target", str(file.parent / "nothing"), "--requirement", str(file)]
    _uv(
        python, file.parent, f"{_CHECK} --python-platform {system} --python-version {version}".split() + place
    )


def _uv(python: Path, folder: Path, words: list[str]) -> str:
    """What `uv pip` prints for *words* in *folder*. Raises `PinsFailed` with its message."""
    done = subprocess.run(
        [str(python), "-m", "uv", "pip", *words],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise PinsFailed(
            f"uv could not do it; requirements/ is as before. `uv pip {' '.join(words)}` says:\n{done.stderr.rstrip()}"
        )
    return done.stdout


def audit(python: Path, *options: str, file: Path = HOME / "dev.txt") -> str:
    """One line for each known vulnerability of the versions in *file*, or one that says how the audit went.

    Never a reason to fail: an advisory appears without any change here. *options* go to pip-audit.
    """
    command = [str(python), *_AUDIT.split(), "--requirement", str(file), *options]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", timeout=AUDIT_SECONDS, check=False
        )
        found = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError):
        return _UNREACHABLE
    audited = [entry for entry in found if "vulns" in entry]
    if not audited:
        return _UNREACHABLE
    lines = [
        f"{entry['name']} {entry['version']} is vulnerable: {flaw['id']}, "
        f"mended in {' or '.join(flaw['fix_versions']) or 'no version yet'}: python3 check.py --update\n"
        for entry in audited
        for flaw in entry["vulns"]
    ]
    return "".join(lines) or f"nothing is known against {len(audited)} packages\n"
