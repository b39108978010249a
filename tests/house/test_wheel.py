# SPDX-License-Identifier: Apache-2.0
"""The wheel holds everything, and works on a machine without the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs lie elsewhere there")


def run(folder: Path, *command: str | Path) -> str:
    """What *command* prints, run in *folder* with nothing of the repository on its path."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    run(ROOT, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder)
    return folder


@pytest.fixture(scope="module")
def machine(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the installed wheel.

    Its dependencies come from the tests' environment.
    """
    folder = tmp_path_factory.mktemp("machine")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    python = folder / "env/bin/python"
    (wheel,) = built.glob("*.whl")
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--quiet",
        "--python",
        python,
    ]
    run(folder, *pip, "install", "--no-index", "--no-deps", wheel)
    (site,) = (folder / "env/lib").glob("python*/site-packages")
    # a path named in a .pth file is not searched for further ones, so an editable installation there stays unseen
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_the_wheel_holds_every_file_of_the_packages(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    for package in ("companion", "calibration"):
        files = {
            str(path.relative_to(ROOT))
            for path in (ROOT / package).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert len(files) > 1
        assert files <= inside, f"not in the wheel: {sorted(files - inside)}"
    assert not [name for name in inside if name.startswith(("tests", "firmware"))]
    programs = {f"companion/prebuilt/{path.name}" for path in (ROOT / "firmware/prebuilt").iterdir()}
    assert programs, "the programs of all panels"
    assert programs <= inside


def test_the_sdist_holds_the_firmware_and_what_builds_it(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"firmware/protocol.toml", "firmware/Makefile", "LICENSE", "pyproject.toml"} <= inside
    assert not [name for name in inside if name.startswith("firmware/build/")]


def test_the_installed_program_is_the_wheels(machine: Path) -> None:
    place = run(machine, machine / "env/bin/python", "-c", "import companion; print(companion.__file__)")
    assert Path(place).is_relative_to(machine)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--version", "companion "),
        ("games", "tank-chess"),
        pytest.param("rules gottaz --language ja", "GOTTAZ", marks=pytest.mark.long),
        ("tools perft close-quarters 2 -o sword=king", "38"),
        pytest.param("tools perft tank-chess 1", "\n", marks=pytest.mark.long),
        pytest.param("tools perft gottaz 1", "\n", marks=pytest.mark.long),
        ("tools demo --help", "companion tools demo --speed 3"),
        ("tools demo", "The journal of this game replays to the same events."),
        pytest.param("records import --help", "club.pgn", marks=pytest.mark.long),
        ("help settings", "companion settings path"),
    ],
)
def test_the_installed_program_works(machine: Path, words: str, says: str) -> None:
    assert says in run(machine, machine / "env/bin/companion", *words.split())


def test_the_sdist_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # missing before 3.11.4
        archive.extractall(tmp_path)
    (source,) = tmp_path.iterdir()
    run(source, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again")
    (again,) = (tmp_path / "again").glob("*.whl")
    first, second = (
        {entry.filename: entry.CRC for entry in zipfile.ZipFile(file).infolist()} for file in (wheel, again)
    )
    assert first == second


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("tool", [pytest.param(tool, marks=pytest.mark.long) for tool in ("uv tool", "pipx")])
def test_the_tools_that_install_programs_install_it(built: Path, tmp_path: Path, tool: str) -> None:
    (wheel,) = built.glob("*.whl")
    surroundings = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "UV_TOOL_DIR": str(tmp_path / "tools"),
        "UV_TOOL_BIN_DIR": str(tmp_path / "bin"),
        "PIPX_HOME": str(tmp_path / "tools"),
        "PIPX_BIN_DIR": str(tmp_path / "bin"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    command = [sys.executable, "-m", *tool.split(), "install", "--python", sys.executable, str(wheel)]
    done = subprocess.run(
        command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for words, says in (("help lamps", "the winner's pieces"), ("doctor", "Python: 3.")):
        program = [str(tmp_path / "bin" / "companion"), *words.split()]
        done = subprocess.run(
            program, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False
        )
        assert says in done.stdout, done.stderr
