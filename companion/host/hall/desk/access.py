# SPDX-License-Identifier: Apache-2.0
"""Arbiters' accounts: passwords, session tokens, and a rate limit.

Its rule: passwords are stored as Argon2 hashes, tokens as digests; neither is ever written to a log
or a URL.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sql
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from companion.host.records.database import engine_at, failing
from companion.model.errors import SettingsError

_ARBITERS: Final = sql.Table(
    "arbiters",
    sql.MetaData(),
    sql.Column("name", sql.String, primary_key=True),
    sql.Column("password", sql.String, nullable=False),
)

SHORTEST: Final = 8
"""Shortest password."""
TOKEN_MS: Final = 12 * 3600 * 1000
"""Lifetime of a token: an evening."""


class Arbiters:
    """The accounts in the database."""

    def __init__(self, engine: sql.Engine, hasher: PasswordHasher | None = None) -> None:
        """*hasher* sets the cost of a guess; by default the recommended one."""
        self._engine = engine
        self._hasher = hasher or PasswordHasher()
        self._nobody = self._hasher.hash(secrets.token_hex())
        """Verified for unknown names, so that these take as long."""

    def names(self) -> tuple[str, ...]:
        """Return all account names. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            found = connection.scalars(sql.select(_ARBITERS.c.name).order_by(_ARBITERS.c.name))
            return tuple(found)

    def marks(self) -> dict[str, str]:
        """Return the password hashes by name; one changes only with its password.

        Raises `StoreError`.
        """
        with failing(self._engine), self._engine.connect() as connection:
            return {row.name: row.password for row in connection.execute(sql.select(_ARBITERS))}

    def admit(self, name: str, password: str) -> None:
        """Create or replace the account *name*. Raises `SettingsError` and `StoreError`."""
        if not name.strip() or len(password) < SHORTEST:
            raise SettingsError(
                "an arbiter needs a name, and a password of {shortest} letters at least", shortest=SHORTEST
            )
        with failing(self._engine), self._engine.begin() as connection:
            connection.execute(_ARBITERS.delete().where(_ARBITERS.c.name == name))
            connection.execute(_ARBITERS.insert().values(name=name, password=self._hasher.hash(password)))

    def dismiss(self, name: str) -> bool:
        """Delete the account *name*; false if there was no such account. Raises `StoreError`."""
        with failing(self._engine), self._engine.begin() as connection:
            return connection.execute(_ARBITERS.delete().where(_ARBITERS.c.name == name)).rowcount > 0

    def are(self, name: str, password: str) -> bool:
        """True if *password* is that of *name*. Slow by design. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            kept = connection.scalar(sql.select(_ARBITERS.c.password).where(_ARBITERS.c.name == name))
        try:
            return self._hasher.verify(kept or self._nobody, password) and kept is not None
        except (VerifyMismatchError, InvalidHashError):
            return False


@contextlib.contextmanager
def opened(url: str | None, *, may_make: bool = False) -> Iterator[Arbiters]:
    """Open the accounts at *url*, or in the default database, inside the block.

    A database named by *url* has to exist, unless *may_make*. Raises `StoreError`.
    """
    with engine_at(url, may_make=may_make) as engine:
        yield Arbiters(engine)


@dataclass(frozen=True, slots=True)
class _Held:
    """A valid token."""

    name: str
    mark: str
    """Hash of the password it was issued for."""
    until_ms: int


class Tokens:
    """Tokens issued by this run of the hall."""

    def __init__(self, access: Arbiters) -> None:
        self._access = access
        self._known: dict[bytes, _Held] = {}

    def give(self, name: str, now_ms: int) -> str:
        """Issue a token for *name*, whose password was just verified. Raises `StoreError`."""
        held = _Held(name, self._access.marks().get(name, ""), now_ms + TOKEN_MS)
        token = secrets.token_urlsafe(32)
        self._known[_digest(token)] = held
        return token

    def sift(self, now_ms: int) -> None:
        """Revoke expired tokens, and those of deleted accounts and changed passwords.

        Raises `StoreError`.
        """
        known = dict(self._known)  # others may be issued meanwhile
        marks = self._access.marks() if known else {}
        for key, held in known.items():
            if held.until_ms <= now_ms or marks.get(held.name) != held.mark:
                self._known.pop(key, None)

    def holder(self, token: str, now_ms: int) -> str | None:
        """Return the owner of *token*; None if it is invalid or has expired."""
        held = self._known.get(_digest(token))
        return held.name if held is not None and held.until_ms > now_ms else None

    def take_back(self, token: str) -> None:
        """Revoke *token*."""
        self._known.pop(_digest(token), None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


class Limit:
    """Rate limit per client."""

    def __init__(self, most: int, per_ms: int) -> None:
        self._most = most
        self._per_ms = per_ms
        self._seen: dict[str, deque[int]] = {}

    def allows(self, place: str, now_ms: int) -> bool:
        """Count an attempt of *place*; false if it exceeds the limit."""
        if len(self._seen) > 10_000:
            self._seen = {key: when for key, when in self._seen.items() if when[-1] > now_ms - self._per_ms}
        when = self._seen.setdefault(place, deque())
        while when and when[0] <= now_ms - self._per_ms:
            when.popleft()
        if len(when) >= self._most:
            return False
        when.append(now_ms)
        return True
