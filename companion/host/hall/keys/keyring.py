# SPDX-License-Identifier: Apache-2.0
"""Key files: the secret of a hall, and the keys of tables.

Their folder is private to its user (0700), and so are the files (0600). A file that others may read
is rejected. Files are replaced atomically, so that a power cut leaves the old or the new one.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Final
from urllib.parse import quote

import platformdirs

from companion.host import private_files
from companion.host.hall.keys.message_auth import key_of
from companion.host.text.os_errors import why
from companion.model.errors import SettingsError

SECRET: Final = "COMPANION_HALL_SECRET"
"""Environment variable with a hall's secret, instead of its file."""
KEY: Final = "COMPANION_TABLE_KEY"
"""Environment variable with a table's key, instead of its file."""


def keys_folder() -> Path:
    """Return the folder of key files."""
    return platformdirs.user_data_path("companion", appauthor=False) / "keys"


class HallKeys:
    """Secret of a hall, and the number of renewals per station."""

    def __init__(self, folder: Path, hall: str, given: str | None = None, *, may_make: bool = True) -> None:
        """Read the file of *hall* in *folder*, or create it;

        *given* replaces its secret.

        Raises `SettingsError`, also without a secret unless *may_make*.
        """
        self._path = folder / f"hall-{quote(hall, safe='')}.json"
        self.codes: Final = folder / f"codes-{quote(hall, safe='')}.json"
        """Path of the hall's codes (see `codes`)."""
        self._secret, self._renewed = "", dict[str, int]()
        self._read()
        if given is None and not self._secret:
            if not may_make:
                raise SettingsError(
                    "no hall {hall} was started here, so it has no keys: --hall says which hall, as in "
                    "mqtt://HOST/HALL",
                    hall=hall,
                )
            self._secret = secrets.token_hex(32)
            self._write()
        self._used = self._secret if given is None else given
        key_of(self._used, "")
        self._known: dict[str, bytes] = {}

    def key(self, station: str) -> str:
        """Return the key of *station*."""
        return key_of(self._used, station, self._renewed.get(station, 0))

    def __call__(self, station: str) -> bytes:
        """Return the key of *station* as bytes, for message authentication."""
        known = self._known.get(station)
        if known is None:
            if len(self._known) > 10_000:  # names of stations that do not exist
                self._known.clear()
            known = self._known[station] = self.key(station).encode()
        return known

    def renew(self, station: str) -> None:
        """Give *station* a new key, which invalidates the former one. Raises `SettingsError`."""
        before = dict(self._renewed)
        self._renewed[station] = before.get(station, 0) + 1
        try:
            self._write()
        except SettingsError:
            self._renewed = before
            raise
        self._known.pop(station, None)

    def _read(self) -> None:
        text = read_private(self._path)
        if text is None:
            return
        try:
            found = json.loads(text)
            self._secret = str(found["secret"])
            self._renewed = {str(station): int(count) for station, count in found["renewed"].items()}
        except (ValueError, LookupError, TypeError, AttributeError) as fault:
            raise SettingsError(
                "{path} is damaged: restore it, or delete it; then a new secret is made and all tables "
                "join again",
                path=self._path,
            ) from fault

    def _write(self) -> None:
        write_private(self._path, json.dumps({"secret": self._secret, "renewed": self._renewed}))


def own_keys(hall: str, *, may_make: bool = True) -> HallKeys:
    """Return the keys of *hall*, by its secret in environment or file. Raises `SettingsError`."""
    return HallKeys(keys_folder(), hall, os.environ.get(SECRET), may_make=may_make)


def key_for(station: str, hall: str) -> str:
    """Return the key of *station* of *hall*, for the variable `KEY`. Raises `SettingsError`."""
    return own_keys(hall, may_make=False).key(station)


class TableKey:
    """The key of a table for a hall."""

    def __init__(self, folder: Path, hall: str, station: str) -> None:
        self._path = folder / f"{station}@{quote(hall, safe='')}.key"

    def read(self) -> str | None:
        """Return the key; None if the table has not joined. Raises `SettingsError`."""
        text = read_private(self._path)
        return None if text is None else text.strip()

    def keep(self, key: str) -> None:
        """Store *key*. Raises `SettingsError`."""
        write_private(self._path, f"{key}\n")


def read_private(path: Path) -> str | None:
    """Return the contents of *path*; None if missing. Raises `SettingsError`."""
    try:
        with path.open(encoding="utf-8") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise SettingsError("other users may read the key in {path}: chmod 600 {path}", path=path)
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsError(
            "the key in {path} cannot be read: {reason}", path=path, reason=why(fault)
        ) from fault


def write_private(path: Path, text: str) -> None:
    """Replace the contents of *path* atomically. Raises `SettingsError`."""
    try:
        private_files.replace_text(path, text)
    except OSError as fault:
        raise SettingsError(
            "the key in {path} cannot be kept: {reason}", path=path, reason=why(fault)
        ) from fault
