# SPDX-License-Identifier: Apache-2.0
"""A value in a file that only this user can read: codes are in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from companion.host import private_files
from companion.host.codec import decode, encode
from companion.host.text.os_errors import reporting, why
from companion.model.errors import SettingsError

T = TypeVar("T")


def write(path: Path, kept: object) -> None:
    """Keep *kept*, a dataclass, in *path*. Raises `SettingsError`."""
    with reporting("{path} cannot be written: {reason}", SettingsError, path=path):
        private_files.replace_text(path, json.dumps(encode(type(kept), kept)))


def read(path: Path, kind: type[T]) -> T | None:
    """Return the *kind* that is kept in *path*; None without the file. Raises `SettingsError`."""
    try:
        found: T = decode(kind, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as fault:
        raise SettingsError("{path} cannot be read: {reason}", path=path, reason=why(fault)) from fault
    return found
