# SPDX-License-Identifier: Apache-2.0
"""Files and folders that only this user can read.

They hold password hashes, birth dates and journals. Its rule: new files are 0600 in folders of
0700, whatever the umask. Existing ones keep their mode, since they may be shared on purpose, except
in our own data folder, where older versions were less strict. On Windows user data is private
anyway.
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
    """Create *path* and its missing parents, for this user only. Raises `OSError`."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(_FOLDER, exist_ok=True)
    path.mkdir(exist_ok=True)  # raises if it is not a folder
    ours = _place()
    for each in (path, *path.parents):
        if each.is_relative_to(ours):
            _close(each, _FOLDER)


def opener(path: str, flags: int) -> int:
    """Like `os.open`, as an opener for `open`: new files are for this user only."""
    return os.open(path, flags, _FILE)


def fresh_file(path: Path) -> io.FileIO:
    """Create a file at *path* for writing. Raises `OSError`, also if it exists."""
    make_folder(path.parent)
    return io.FileIO(path, "xb", opener=opener)


def replace_text(path: Path, text: str) -> None:
    """Replace the contents of *path* atomically, in a folder of this user. Raises `OSError`."""
    replace_bytes(path, text.encode())


def replace_bytes(path: Path, data: bytes) -> None:
    """Like `replace_text`, with bytes."""
    new = path.with_name(f"{path.name}.{os.urandom(4).hex()}.new")
    make_folder(path.parent)
    path.parent.chmod(_FOLDER)
    try:
        with fresh_file(new) as file:
            file.write(data)
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def make_database(path: Path) -> None:
    """Create an empty SQLite file if missing, and protect its companion files.

    Raises `OSError` if its folder cannot be created; SQLite reports problems of the file itself.
    """
    make_folder(path.parent)
    if not path.exists():
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, _FILE))
    if path.is_relative_to(_place()):
        for ending in ("", "-wal", "-shm"):
            _close(path.with_name(path.name + ending), _FILE)


def _place() -> Path:
    """Return our folder for user data."""
    return platformdirs.user_data_path("companion", appauthor=False)


def _close(path: Path, mode: int) -> None:
    """Remove the permissions of others on *path*, if we own it."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            if path.stat().st_mode & _OTHERS:
                path.chmod(mode)
