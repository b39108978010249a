# SPDX-License-Identifier: Apache-2.0
"""The commands that add an extra or a package to this installation of the program.

Pure, except for `this_installation`, which looks at the running one. It knows a folder of
the sources (such as that of `start.py`), environments with pip and with uv, pipx, and tools of uv.

    install_command("gif")    # "pipx inject companion-table 'companion-table[gif]'"
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from companion.model.errors import ExtraMissing

PACKAGE: Final = "companion-table"
_OURS: Final = Path(__file__).resolve().parents[1]
_UV_RECEIPT: Final = "uv-receipt.toml"


class Tool(StrEnum):
    """What installs packages into an environment."""

    PIP = "pip"
    START = "start.py"
    """It made the environment, and left no pip there."""
    PIPX = "pipx"
    UV = "uv"
    """An environment without pip: uv makes those."""
    UV_TOOL = "uv tool"
    """uv made it for this program, and removes packages that it is not asked for."""


@dataclass(frozen=True, slots=True)
class Installation:
    """Where and how the program is installed."""

    python: str
    """The interpreter of its environment."""
    tool: Tool
    clone: str = ""
    """Folder of the sources that run; empty if a copy of them runs."""
    origin: str = ""
    """URL of its source; empty for an index, or if the file is gone."""
    extras: tuple[str, ...] = ()
    """What uv was asked for before."""
    environment: str = PACKAGE
    """Name of the environment at pipx."""
    pipx_home: str = ""
    """pipx' folder if only root may write it, as where all users share it."""
    is_windows: bool = False


def command_for_extra(extra: str, here: Installation) -> str:
    """Return the command that adds *extra*, and keeps what is there.

    What is installed already satisfies the name, also where no index has the program.
    """
    named = f"{PACKAGE}[{extra}]"
    match here.tool:
        case Tool.START:
            return _joined([*_into(here), extra], here)
        case Tool.PIP | Tool.UV:
            what = ["--editable", f"{here.clone}[{extra}]"] if here.clone else [named]
            return _joined([*_into(here), *what], here)
        case Tool.PIPX if here.clone:
            words = ["pipx", "inject", "--editable", here.environment, f"{here.clone}[{extra}]"]
            return _as_owner(_joined(words, here), here)
        case Tool.PIPX:
            return _as_owner(_joined([*_into(here), _from_origin(named, here)], here), here)
    extras = ",".join(sorted({*here.extras, extra}))
    if here.clone:
        return _joined(["uv", "tool", "install", "--editable", f"{here.clone}[{extras}]"], here)
    return _joined(["uv", "tool", "install", _from_origin(f"{PACKAGE}[{extras}]", here)], here)


def command_for_packages(requirements: Iterable[str], here: Installation) -> str:
    """Return the command that installs *requirements*, in pip's notation, beside the program."""
    words = _joined([*_into(here), *requirements], here)
    return _as_owner(words, here) if here.tool is Tool.PIPX else words


def _into(here: Installation) -> list[str]:
    """Return the start of a command that installs into the environment."""
    match here.tool:
        case Tool.PIP:
            return [here.python, "-m", "pip", "install"]
        case Tool.START:
            python = "python" if here.is_windows else "python3"
            return [python, str(Path(here.clone) / "start.py"), "--install"]
        case Tool.PIPX:
            return ["pipx", "inject", here.environment]
    return ["uv", "pip", "install", "--python", here.python]


def _from_origin(named: str, here: Installation) -> str:
    return f"{named} @ {here.origin}" if here.origin else named


def _joined(words: Iterable[str], here: Installation) -> str:
    """Return *words* as a command line, quoted as the system's shells need it."""
    if not here.is_windows:
        return shlex.join(words)
    return " ".join(f'"{word}"' if set(word) & set(" []<>=&;(),") else word for word in words)


def _as_owner(command: str, here: Installation) -> str:
    if not here.pipx_home:
        return command
    return f"sudo PIPX_HOME={shlex.quote(here.pipx_home)} {command}"


def installation_at(
    prefix: Path, python: str, package: Path, direct_url: str = "", *, has_pip: bool = True
) -> Installation:
    """Return what the files of the environment at *prefix* say.

    *package* is the folder `companion` that runs, *direct_url* the text of `direct_url.json`.
    """
    source = _parsed(direct_url)
    url = str(source.get("url", ""))
    folder = _path(url)
    is_editable = bool(source.get("dir_info", {}).get("editable"))
    clones = [folder if is_editable else None, package.parent]
    clone = next((each for each in clones if each and (each / "pyproject.toml").is_file()), None)
    if (vcs := source.get("vcs_info", {}).get("vcs")) is not None:
        url = f"{vcs}+{url}"
    is_gone = is_editable or (folder is not None and not folder.exists())
    tool = _tool(prefix, has_pip=has_pip)
    if tool is Tool.UV and clone is not None and (prefix / "installed.txt").exists():
        tool = Tool.START
    is_for_all = tool is Tool.PIPX and sys.platform != "win32" and not os.access(prefix, os.W_OK)
    return Installation(
        python,
        tool,
        clone="" if clone is None else str(clone),
        origin="" if is_gone else url,
        extras=_asked(prefix / _UV_RECEIPT),
        environment=prefix.name if tool is Tool.PIPX else PACKAGE,
        pipx_home=str(prefix.parents[1]) if is_for_all else "",
        is_windows=sys.platform == "win32",
    )


def _tool(prefix: Path, *, has_pip: bool) -> Tool:
    if (prefix / "pipx_metadata.json").exists():
        return Tool.PIPX
    if (prefix / _UV_RECEIPT).exists():
        return Tool.UV_TOOL
    return Tool.PIP if has_pip else Tool.UV


def _parsed(direct_url: str) -> dict[str, Any]:
    try:
        found = json.loads(direct_url)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _path(url: str) -> Path | None:
    """Return the path of a file's URL; None for others."""
    parts = urlsplit(url)
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    return Path(path.lstrip("/") if sys.platform == "win32" else path)


def _asked(receipt: Path) -> tuple[str, ...]:
    """Return the extras in uv's receipt of a tool; none if there is no receipt."""
    try:
        wanted = tomllib.loads(receipt.read_text(encoding="utf-8"))["tool"]["requirements"]
    except (OSError, ValueError, KeyError):
        return ()
    return tuple(extra for each in wanted if each.get("name") == PACKAGE for extra in each.get("extras", ()))


def this_installation() -> Installation:
    """Return the installation that is running."""
    from importlib import metadata  # slow to import, and needed for a fault only

    try:
        direct_url = metadata.distribution(PACKAGE).read_text("direct_url.json") or ""
    except metadata.PackageNotFoundError:  # run from its source folder
        direct_url = ""
    python = sys.executable or "python"
    return installation_at(Path(sys.prefix), python, _OURS, direct_url, has_pip=find_spec("pip") is not None)


def install_command(extra: str) -> str:
    """Return the command that adds *extra* to the installation that is running."""
    return command_for_extra(extra, this_installation())


@contextmanager
def importing(message: str, *, extra: str) -> Iterator[None]:
    """Raise `ExtraMissing` with *message* where the import of a library of *extra* fails.

    The message has gaps for `{library}` and `{install}`.
    """
    try:
        yield
    except ModuleNotFoundError as fault:
        library = str(fault.name).partition(".")[0]
        raise ExtraMissing(message, library=library, install=install_command(extra)) from fault
