# SPDX-License-Identifier: Apache-2.0
"""`start.py` installs the tested versions, once."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import start
from requirements import pins

ROOT = Path(__file__).parents[2]
FAILED = "pip could not install the tested versions"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that `start.py` reads, with an environment as it leaves it."""
    for name in ("start.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    venv.create(tmp_path / ".venv", with_pip=False, symlinks=sys.platform != "win32")
    return tmp_path


def environment(folder: Path, name: str) -> str:
    """What happens where `environment(name)` is called in *folder*: a path or an error.

    pip finds no package there.
    """
    code = f"import start; print(start.environment({name!r}))"
    command, env = [sys.executable, "-c", code], {**os.environ, "PIP_NO_INDEX": "1"}
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False, env=env)
    return done.stdout + done.stderr


def installed(folder: Path, name: str) -> Path:
    """The file that says that *name* is installed in *folder*."""
    code = f"import start; print(end=start.fingerprint({name!r}))"
    mark = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=True).stdout
    stamp = folder / ".venv" / "installed.txt"
    stamp.write_bytes(mark)
    return stamp


@pytest.mark.parametrize(("there", "wanted"), [("run", "run"), ("dev", "dev"), ("dev", "run")])
def test_installed_packages_are_not_installed_again(folder: Path, there: str, wanted: str) -> None:
    installed(folder, there)
    assert environment(folder, wanted).startswith(str(folder / ".venv"))


def test_missing_packages_are_installed(folder: Path) -> None:
    installed(folder, "run")
    assert FAILED in environment(folder, "dev")


@pytest.mark.parametrize("file", ["pyproject.toml", "requirements/run.txt", "requirements/build.txt"])
def test_a_change_is_installed_and_a_failure_is_not_taken_for_a_success(folder: Path, file: str) -> None:
    stamp = installed(folder, "run")
    with (folder / file).open("a") as changed:
        changed.write("# changed\n")
    assert FAILED in environment(folder, "run")
    assert not stamp.exists()


def added(folder: Path, *wanted: str) -> str:
    """What `start.py --install` says in *folder*, where pip finds no package."""
    command = [sys.executable, "start.py", "--install", *wanted]
    env = {**os.environ, "PIP_NO_INDEX": "1"}
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False, env=env)
    assert done.returncode == 1
    return done.stderr


def test_without_a_name_nothing_is_installed_and_the_extras_are_named(folder: Path) -> None:
    installed(folder, "run")
    said = added(folder)
    assert "--install lacks what to install" in said
    assert "camera" in said


def test_what_cannot_be_installed_is_named_with_the_extras(folder: Path) -> None:
    installed(folder, "run")
    said = added(folder, "camra")
    assert "pip could not install camra: " in said
    assert "Extras are camera, " in said


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_far_pip_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    progress = start.Progress(3)
    for line in (
        "Ignoring colorama: markers 'sys_platform == \"win32\"' don't match your environment\n",
        "Collecting fastapi==0.165.0 (from -r requirements/run.txt (line 194))\n",
        "  Downloading fastapi-0.165.0-py3-none-any.whl (159 kB)\n",
        "Requirement already satisfied: rich==15.0.0 in ./lib (15.0.0)\n",
        "Installing collected packages: fastapi\n",
    ):
        progress.show(line)
    progress.clear()
    shown = [line.strip() for line in terminal.getvalue().split("\r")]
    assert [line for line in shown if line] == [
        "1 of 3: colorama",
        "2 of 3: fastapi",
        "3 of 3: rich",
        "unpacking",
    ]
    assert not shown[-1]


def test_without_a_terminal_there_is_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    start.Progress(1).show("Collecting fastapi==0.165.0\n")
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("index")
@pytest.mark.timeout(600)
def test_a_bare_machine_gets_exactly_the_tested_versions(tmp_path: Path, is_long: bool) -> None:
    if not is_long:
        pytest.skip("installs everything: --long")
    for name in ("start.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("companion", "calibration", "requirements", "firmware/prebuilt"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "start.py", "--version"]
    for expected in ("Installing Companion and ", ""):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
        assert done.stdout.startswith("companion ")
        assert expected in done.stderr
    assert not done.stderr
    python = subprocess.check_output(
        [sys.executable, "-c", "import start; print(end=str(start.environment()))"],
        cwd=tmp_path,
        encoding="utf-8",
    )
    found = installed_in(python)
    assert found.pop("companion-table")
    assert found.items() <= pins.pins(ROOT / "requirements/run.txt").items()
    assert not {*(tmp_path / ".venv").rglob("starlette/**/*.pyc")}  # not imported for the version
    more = [sys.executable, "start.py", "--install", "gif", "pyserial"]
    subprocess.run(more, cwd=tmp_path, check=True, capture_output=True)
    assert installed_in(python).keys() - found.keys() >= {"resvg-py", "pillow", "fontpkg-noto-sans"}
    assert not installed_in(python).keys() & {"pip", "hatchling"}


def installed_in(python: str) -> dict[str, str]:
    """The distributions in the environment of *python*, with their versions."""
    code = (
        "from importlib.metadata import distributions as d; print(*(f'{e.name}=={e.version}' for e in d()))"
    )
    listed = subprocess.check_output([python, "-c", code], encoding="utf-8")
    pairs = (each.split("==") for each in listed.split())
    return {name.lower().replace("_", "-"): version for name, version in pairs}
