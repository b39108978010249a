# SPDX-License-Identifier: Apache-2.0
"""Who may act for the hall: arbiters with passwords, the tokens they get for these, and a limit to guessing.

Its rule: a password is kept as Argon2 makes it, a token only as its digest; neither is ever written to a log or an address.
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

from companion.host.records.database import connect, failing, find
from companion.model.errors import SettingsError

_ARBITERS: Final = sql.Table(
    "arbiters",
    sql.MetaData(),
    sql.Column("name", sql.String, primary_key=True),
    sql.Column("password", sql.String, nullable=False),
)

SHORTEST: Final = 8
"""Letters of a password."""
TOKEN_MS: Final = 12 * 3600 * 1000
"""For which a token is good: an evening."""


class Arbiters:
    """Those who may act, in the database."""

    def __init__(self, engine: sql.Engine, hasher: PasswordHasher | None = None) -> None:
        """*hasher* decides how much work a guess costs; by default what its makers recommend."""
        self._engine = engine
        self._hasher = hasher or PasswordHasher()
        self._nobody = self._hasher.hash(secrets.token_hex())
        """Checked for names that nobody has, so that these take as long."""

    def names(self) -> tuple[str, ...]:
        """All who have a password. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            found = connection.scalars(sql.select(_ARBITERS.c.name).order_by(_ARBITERS.c.name))
            return tuple(found)

    def marks(self) -> dict[str, str]:
        """By name, what stays the same for as long as somebody's password does. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            return {row.name: row.password for row in connection.execute(sql.select(_ARBITERS))}

    def admit(self, name: str, password: str) -> None:
        """Let *name* act with *password* from now on. Raises `SettingsError`, `StoreError`."""
        if not name.strip() or len(password) < SHORTEST:
            raise SettingsError(
                "an arbiter needs a name, and a password of {shortest} letters at least", shortest=SHORTEST
            )
        with failing(self._engine), self._engine.begin() as connection:
            connection.execute(_ARBITERS.delete().where(_ARBITERS.c.name == name))
            connection.execute(_ARBITERS.insert().values(name=name, password=self._hasher.hash(password)))

    def dismiss(self, name: str) -> bool:
        """Let *name* act no more; False if nobody had that name. Raises `StoreError`."""
        with failing(self._engine), self._engine.begin() as connection:
            return connection.execute(_ARBITERS.delete().where(_ARBITERS.c.name == name)).rowcount > 0

    def are(self, name: str, password: str) -> bool:
        """True if *password* is that of *name*. Takes its time, as it must. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            kept = connection.scalar(sql.select(_ARBITERS.c.password).where(_ARBITERS.c.name == name))
        try:
            return self._hasher.verify(kept or self._nobody, password) and kept is not None
        except (VerifyMismatchError, InvalidHashError):
            return False


@contextlib.contextmanager
def opened(url: str | None, *, may_make: bool = False) -> Iterator[Arbiters]:
    """Who may act, in the database at *url* or the usual one; one that is named has to be there, unless *may_make*.

    Raises `StoreError`.
    """
    engine = connect(url) if may_make else find(url)
    try:
        yield Arbiters(engine)
    finally:
        engine.dispose()


@dataclass(frozen=True, slots=True)
class _Held:
    """A token that somebody holds."""

    name: str
    mark: str
    """Of the password that they gave for it."""
    until_ms: int


class Tokens:
    """Tokens that were given out by this run of the hall, to those whom *access* knows."""

    def __init__(self, access: Arbiters) -> None:
        self._access = access
        self._known: dict[bytes, _Held] = {}

    def give(self, name: str, now_ms: int) -> str:
        """A token for *name*, who has just given the right password. Raises `StoreError`."""
        held = _Held(name, self._access.marks().get(name, ""), now_ms + TOKEN_MS)
        token = secrets.token_urlsafe(32)
        self._known[_digest(token)] = held
        return token

    def sift(self, now_ms: int) -> None:
        """Take back what is too old, or of people who were dismissed or have another password now. Raises `StoreError`."""
        known = dict(self._known)  # others are given meanwhile
        marks = self._access.marks() if known else {}
        for key, held in known.items():
            if held.until_ms <= now_ms or marks.get(held.name) != held.mark:
                self._known.pop(key, None)

    def holder(self, token: str, now_ms: int) -> str | None:
        """Who holds *token*; None if nobody does, or not any more."""
        held = self._known.get(_digest(token))
        return held.name if held is not None and held.until_ms > now_ms else None

    def take_back(self, token: str) -> None:
        """*token* is good no more."""
        self._known.pop(_digest(token), None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


class Limit:
    """So many of something from one place in so much time."""

    def __init__(self, most: int, per_ms: int) -> None:
        self._most = most
        self._per_ms = per_ms
        self._seen: dict[str, deque[int]] = {}

    def allows(self, place: str, now_ms: int) -> bool:
        """True if *place* may do it once more now; this is counted."""
        if len(self._seen) > 10_000:
            self._seen = {key: when for key, when in self._seen.items() if when[-1] > now_ms - self._per_ms}
        when = self._seen.setdefault(place, deque())
        while when and when[0] <= now_ms - self._per_ms:
            when.popleft()
        if len(when) >= self._most:
            return False
        when.append(now_ms)
        return True
