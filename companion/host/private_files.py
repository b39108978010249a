# SPDX-License-Identifier: Apache-2.0
"""Files and folders that only this user can read: stores with password hashes and birth dates, journals and their copies.

Rule: what we make is 0600 in folders of 0700, whatever the umask. What exists keeps its mode, because somebody may share it on
purpose, but for our own place among a user's data, where older versions were less careful. On Windows a user's data is private.
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path
from typing import Final

import platformdirs

_FILE: Final = 0o600
_FOLDER: Final = 0o700
_OTHERS: Final = 0o077


def make_folder(path: Path) -> None:
    """Make *path* and what is missing above it, for this user alone. Raises `OSError`."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(_FOLDER, exist_ok=True)
    path.mkdir(exist_ok=True)  # says so if it is no folder
    ours = _place()
    for each in (path, *path.parents):
        if each.is_relative_to(ours):
            _close(each, _FOLDER)


def opener(path: str, flags: int) -> int:
    """As `os.open`, for `open`: a new file is for this user alone."""
    return os.open(path, flags, _FILE)


def fresh_file(path: Path) -> io.FileIO:
    """A new file at *path*, to be written. Raises `OSError`, also if there is one already."""
    make_folder(path.parent)
    return io.FileIO(path, "xb", opener=opener)


def make_database(path: Path) -> None:
    """Make an empty file for SQLite if there is none; its other files get the same mode.

    Raises `OSError` if there is no folder for it; what is wrong with the file, SQLite says.
    """
    make_folder(path.parent)
    if not path.exists():
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, _FILE))
    if path.is_relative_to(_place()):
        for ending in ("", "-wal", "-shm"):
            _close(path.with_name(path.name + ending), _FILE)


def _place() -> Path:
    """Our place among a user's data."""
    return platformdirs.user_data_path("companion", appauthor=False)


def _close(path: Path, mode: int) -> None:
    """Take from others what they may do with *path*, if it is ours."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            if path.stat().st_mode & _OTHERS:
                path.chmod(mode)
