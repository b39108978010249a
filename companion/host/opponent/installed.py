# SPDX-License-Identifier: Apache-2.0
"""Chess engines that are installed, and how they are named."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Final

NAMES: Final = ("stockfish",)
"""Programs that are looked for, the preferred one first."""
_FOLDERS: Final = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin")
"""Where packages put them, besides the folders of the search path."""


def find_engine() -> str:
    """Return the path of an installed engine; "" if there is no such program."""
    return next(filter(None, map(_installed, NAMES)), "")


def _installed(name: str) -> str:
    """Return the path of the program *name*; "" without it."""
    places = (shutil.which(name), *(shutil.which(name, path=folder) for folder in _FOLDERS))
    return next((str(Path(place)) for place in places if place is not None), "")


def command_of(text: str) -> list[str]:
    """Return the words of the command *text*: a path, or a program with its arguments."""
    if os.path.exists(text):
        return [text]
    words = shlex.split(text, posix=os.name == "posix") or [text]
    return [_installed(words[0]) or words[0], *words[1:]]
