# SPDX-License-Identifier: Apache-2.0
"""The commands that add an extra are those of the tool that installed the program."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import calibration
import companion
from companion.model.installation import (
    Installation,
    Tool,
    command_for_extra,
    command_for_packages,
    install_command,
    installation_at,
    this_installation,
)

PYTHON = "/home/ada/companion/.venv/bin/python"
CLONE = "/home/ada/companion"
ORIGIN = f"file://{CLONE}"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="paths and owners as on Linux and macOS")


@pytest.mark.parametrize(
    ("here", "command"),
    [
        (
            Installation(PYTHON, Tool.PIP, clone=CLONE),
            f"{PYTHON} -m pip install --editable '/home/ada/companion[gif]'",
        ),
        (
            Installation("/home/ada/my games/bin/python", Tool.PIP, clone="/home/ada/my games"),
            "'/home/ada/my games/bin/python' -m pip install --editable '/home/ada/my games[gif]'",
        ),
        (
            Installation(PYTHON, Tool.UV, clone=CLONE),
            f"uv pip install --python {PYTHON} --editable '/home/ada/companion[gif]'",
        ),
        (
            Installation(PYTHON, Tool.START, clone=CLONE),
            "python3 /home/ada/companion/start.py --install gif",
        ),
        (Installation(PYTHON, Tool.PIP), f"{PYTHON} -m pip install 'companion-table[gif]'"),
        (
            Installation(PYTHON, Tool.PIP, origin=ORIGIN),
            f"{PYTHON} -m pip install 'companion-table[gif]'",
        ),
        (Installation(PYTHON, Tool.UV), f"uv pip install --python {PYTHON} 'companion-table[gif]'"),
        (Installation(PYTHON, Tool.PIPX), "pipx inject companion-table 'companion-table[gif]'"),
        (
            Installation(PYTHON, Tool.PIPX, origin=ORIGIN, environment="companion-table-2"),
            "pipx inject companion-table-2 'companion-table[gif] @ file:///home/ada/companion'",
        ),
        (
            Installation(PYTHON, Tool.PIPX, clone=CLONE),
            "pipx inject --editable companion-table '/home/ada/companion[gif]'",
        ),
        (
            Installation(PYTHON, Tool.PIPX, pipx_home="/opt/pipx"),
            "sudo PIPX_HOME=/opt/pipx pipx inject companion-table 'companion-table[gif]'",
        ),
        (Installation(PYTHON, Tool.UV_TOOL), "uv tool install 'companion-table[gif]'"),
        (
            Installation(PYTHON, Tool.UV_TOOL, origin=ORIGIN, extras=("hall", "camera")),
            "uv tool install 'companion-table[camera,gif,hall] @ file:///home/ada/companion'",
        ),
        (
            Installation(PYTHON, Tool.UV_TOOL, clone=CLONE, extras=("gif",)),
            "uv tool install --editable '/home/ada/companion[gif]'",
        ),
        (
            Installation(r"C:\My games\python.exe", Tool.PIP, clone=r"C:\My games", is_windows=True),
            r'"C:\My games\python.exe" -m pip install --editable "C:\My games[gif]"',
        ),
        (
            Installation(r"C:\games\python.exe", Tool.PIP, is_windows=True),
            r'C:\games\python.exe -m pip install "companion-table[gif]"',
        ),
    ],
)
def test_an_extra_is_added_by_the_tool_that_installed_the_program(here: Installation, command: str) -> None:
    assert command_for_extra("gif", here) == command


@pytest.mark.parametrize(
    ("tool", "command"),
    [
        (Tool.PIP, f"{PYTHON} -m pip install 'numpy>=2.0' resvg-py"),
        (Tool.START, "python3 start.py --install 'numpy>=2.0' resvg-py"),
        (Tool.UV, f"uv pip install --python {PYTHON} 'numpy>=2.0' resvg-py"),
        (Tool.UV_TOOL, f"uv pip install --python {PYTHON} 'numpy>=2.0' resvg-py"),
        (Tool.PIPX, "pipx inject companion-table 'numpy>=2.0' resvg-py"),
    ],
)
def test_packages_are_installed_beside_the_program(tool: Tool, command: str) -> None:
    assert command_for_packages(["numpy>=2.0", "resvg-py"], Installation(PYTHON, tool)) == command


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "my clone"
    (folder / "companion").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    return folder


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """An environment with the program in it."""
    folder = tmp_path / "venvs" / "companion-table"
    (folder / "site-packages" / "companion").mkdir(parents=True)
    return folder


def found(prefix: Path, direct_url: str = "", *, has_pip: bool = True) -> Installation:
    package = prefix / "site-packages" / "companion"
    return installation_at(prefix, PYTHON, package, direct_url, has_pip=has_pip)


def test_a_clone_is_recognised_by_its_editable_installation(prefix: Path, clone: Path) -> None:
    url = f'{{"dir_info": {{"editable": true}}, "url": "{clone.as_uri()}"}}'
    here = found(prefix, url)
    assert (here.tool, here.clone, here.origin) == (Tool.PIP, str(clone), "")


def test_sources_that_nothing_installed_are_a_clone(prefix: Path, clone: Path) -> None:
    here = installation_at(prefix, PYTHON, clone / "companion")
    assert (here.tool, here.clone, here.origin) == (Tool.PIP, str(clone), "")


def test_an_environment_without_pip_is_for_uv(prefix: Path) -> None:
    here = found(prefix, has_pip=False)
    assert (here.tool, here.clone) == (Tool.UV, "")


def test_an_environment_of_start_py_is_for_start_py(prefix: Path, clone: Path) -> None:
    (prefix / "installed.txt").touch()
    url = f'{{"dir_info": {{"editable": true}}, "url": "{clone.as_uri()}"}}'
    assert found(prefix, url, has_pip=False).tool is Tool.START
    assert found(prefix, url).tool is Tool.PIP  # that of a developer


@POSIX
@pytest.mark.parametrize("is_root", [True, False])
def test_pipx_is_recognised_also_where_only_root_may_write(
    prefix: Path, is_root: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (prefix / "pipx_metadata.json").touch()
    monkeypatch.setattr(os, "access", lambda *_asked: is_root)
    here = found(prefix, has_pip=False)
    assert (here.tool, here.environment) == (Tool.PIPX, "companion-table")
    assert here.pipx_home == ("" if is_root else str(prefix.parents[1]))


RECEIPT = '[tool]\nrequirements = [{ name = "companion-table", extras = ["camera"] }, { name = "numpy" }]\n'


@pytest.mark.parametrize(
    ("receipt", "extras"), [(RECEIPT, ("camera",)), ("[tool]\n", ()), ("no receipt", ()), ("", ())]
)
def test_a_tool_of_uv_keeps_the_extras_of_its_receipt(
    receipt: str, extras: tuple[str, ...], prefix: Path
) -> None:
    (prefix / "uv-receipt.toml").write_text(receipt, encoding="utf-8")
    here = found(prefix, has_pip=False)
    assert (here.tool, here.extras) == (Tool.UV_TOOL, extras)


def test_the_origin_is_named_unless_its_file_is_gone(prefix: Path, clone: Path) -> None:
    url = f'{{"dir_info": {{}}, "url": "{clone.as_uri()}"}}'
    assert (found(prefix, url).origin, found(prefix, url).clone) == (clone.as_uri(), "")
    assert found(prefix, url.replace("clone", "gone")).origin == ""
    git = '{"vcs_info": {"vcs": "git"}, "url": "https://example.org/companion"}'
    assert found(prefix, git).origin == "git+https://example.org/companion"
    assert [found(prefix, broken).origin for broken in ("", "[]", "{")] == ["", "", ""]


def test_the_command_of_this_checkout_works_here() -> None:
    """pip accepts it, and looks nothing up: all extras are installed here."""
    here = this_installation()
    assert (Path(here.clone) / "pyproject.toml").is_file()
    words = shlex.split(install_command("gif"), posix=sys.platform != "win32")
    assert Path(here.python).is_file()
    if here.tool is Tool.PIP:
        assert words == [here.python, "-m", "pip", "install", "--editable", f"{here.clone}[gif]"]
        offline = ["--dry-run", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
        done = subprocess.run([*words, *offline], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


SOURCES = [Path(package.__file__).parent for package in (companion, calibration) if package.__file__]


def test_every_named_extra_exists_and_no_text_has_a_command_of_its_own() -> None:
    project = tomllib.loads((SOURCES[0].parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    files = [file for root in SOURCES for kind in ("py", "md", "toml") for file in root.rglob(f"*.{kind}")]
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    call = re.compile(r'(?:\binstall_command\(|\{install\}", extra=)"(\w+)"\s*\)')
    named = {name for text in texts.values() for name in call.findall(text)}
    assert named == {"camera", "boards", "gif", "analysis", "https", "online", "hall", "printing"}
    assert named == project["optional-dependencies"].keys() - {"dev"}
    own = re.compile(r"pip install .?(?:companion-table|\.)\[|pip install opencv")
    assert [file for file, text in texts.items() if own.search(text)] == []
