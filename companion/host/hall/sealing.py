# SPDX-License-Identifier: Apache-2.0
"""Keys of tables: what a board and its hall say through a broker is sealed, so that nobody else there can speak for either.

Its rule: a key never travels; a seal holds for one board and one direction. A board's key follows from the hall's secret and its
name, so there is nothing to keep: who knows the secret can make every key, and no key gives the secret away.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Final, TypeAlias

from companion.model.errors import SettingsError

Keys: TypeAlias = Callable[[str], bytes]
"""The key of a board."""

_LENGTH: Final = 32
"""Hexadecimal digits of a seal, before the text."""
_SHORTEST: Final = 16


def key_of(secret: str, board: str) -> str:
    """The key of *board* in the hall of *secret*, as it is given to those who set up the table. Raises `SettingsError`."""
    if len(secret) < _SHORTEST:
        raise SettingsError(
            f"a hall's secret needs {_SHORTEST} letters at least: openssl rand -hex 16 makes one"
        )
    return hmac.new(secret.encode(), f"table {board}".encode(), hashlib.sha256).hexdigest()


def hall_keys(secret: str | None) -> Keys | None:
    """The keys of all boards of a hall; None if it has no secret. Raises `SettingsError`."""
    if secret is None:
        return None
    key_of(secret, "")
    return lambda board: key_of(secret, board).encode()


def table_keys(key: str | None) -> Keys | None:
    """The key of the one board of a table; None if it was given none."""
    return None if key is None else lambda _board: key.strip().encode()


def seal(text: str, key: bytes, direction: str) -> str:
    """*text* with its seal."""
    return f"{_seal(text, key, direction)}{text}"


def unseal(sealed: str, key: bytes, direction: str) -> str:
    """The text that was sealed. Raises `ValueError` if this seal was made with no such key."""
    made, text = sealed[:_LENGTH], sealed[_LENGTH:]
    if not hmac.compare_digest(made.encode(), _seal(text, key, direction).encode()):
        raise ValueError("the seal is not that of the board's key")
    return text


def _seal(text: str, key: bytes, direction: str) -> str:
    return hmac.new(key, f"{direction}\0{text}".encode(), hashlib.sha256).hexdigest()[:_LENGTH]
