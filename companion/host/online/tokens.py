# SPDX-License-Identifier: Apache-2.0
"""The tokens for servers, in a file that only this user can read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import platformdirs

from companion.host import private_files
from companion.host.text.os_errors import reporting, why
from companion.model.errors import InvalidArgument, OnlineRefused, SettingsError

LICHESS: Final = "lichess"
_ADDRESSES: Final = {LICHESS: "https://lichess.org"}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def address_of(server: str) -> str:
    """Return the URL of *server*: `lichess`, or a URL.

    Raises `InvalidArgument` for an address to which a token would be sent in the clear.
    """
    url = _ADDRESSES.get(server, server).rstrip("/")
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    if not is_safe or not parts.hostname:
        raise InvalidArgument(
            "{server!r} is not a server to play on: expected lichess, or an address that begins with https://",
            server=server,
        )
    return url


def file() -> Path:
    """Return the file of the tokens."""
    return platformdirs.user_data_path("companion", appauthor=False) / "tokens.json"


def token_of(url: str) -> str:
    """Return the token for the server at *url*. Raises `OnlineRefused` without one."""
    found = _read().get(url)
    if not found:
        raise OnlineRefused("nobody is logged in to {server}: `companion online login`", server=url)
    return found


def has_token(url: str) -> bool:
    """True if a token for the server at *url* is kept. Raises `SettingsError`."""
    return bool(_read().get(url))


def servers() -> tuple[str, ...]:
    """Return the URLs of the servers for which tokens are kept. Raises `SettingsError`."""
    return tuple(_read())


def keep(url: str, token: str) -> None:
    """Keep *token* for the server at *url*; an empty one is forgotten. Raises `SettingsError`."""
    tokens = _read()
    tokens.pop(url, None)
    if token:
        tokens[url] = token
    with reporting("{path} cannot be written: {reason}", SettingsError, path=file()):
        private_files.replace_text(file(), json.dumps(tokens))


def _read() -> dict[str, str]:
    """Return all tokens by server. Raises `SettingsError`."""
    try:
        found = json.loads(file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as fault:
        raise SettingsError("{path} cannot be read: {reason}", path=file(), reason=why(fault)) from fault
    return {str(url): str(token) for url, token in found.items()} if isinstance(found, dict) else {}
