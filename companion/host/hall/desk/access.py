# SPDX-License-Identifier: Apache-2.0
"""Arbiters' accounts: passwords, session tokens, and a rate limit.

Its rule: passwords are stored as Argon2 hashes, tokens as digests; neither is ever written to a log
or a URL.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import secrets
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from argon2.low_level import ARGON2_VERSION
from fastapi import FastAPI, Header, HTTPException, Request
from pydantic import BaseModel

from companion.host.clock import Clock
from companion.host.records.database import Database, database_at
from companion.model.errors import SettingsError
from companion.model.phrase import Phrase

SHORTEST: Final = 8
"""Shortest password."""
TOKEN_MS: Final = 12 * 3600 * 1000
"""Lifetime of a token: an evening."""


class Arbiters:
    """The accounts in the database."""

    def __init__(self, database: Database, hasher: PasswordHasher | None = None) -> None:
        """*hasher* sets the cost of a guess; by default the recommended one."""
        self._database = database
        self._hasher = hasher or PasswordHasher()
        self._nobody = _no_password(self._hasher)
        """Verified for unknown names, so that these take as long."""

    def names(self) -> tuple[str, ...]:
        """Return all account names. Raises `StoreError`."""
        return tuple(sorted(self.marks()))

    def marks(self) -> dict[str, str]:
        """Return the password hashes by name; one changes only with its password.

        Raises `StoreError`.
        """
        with self._database.reading() as transaction:
            return dict(transaction.execute("SELECT name, password FROM arbiters").fetchall())

    def admit(self, name: str, password: str) -> None:
        """Create or replace the account *name*. Raises `SettingsError` and `StoreError`."""
        if not name.strip() or len(password) < SHORTEST:
            raise SettingsError(
                "an arbiter needs a name, and a password of {shortest} letters at least", shortest=SHORTEST
            )
        kept = self._hasher.hash(password)
        with self._database.writing() as transaction:
            transaction.execute("DELETE FROM arbiters WHERE name = ?", (name,))
            transaction.execute("INSERT INTO arbiters (name, password) VALUES (?, ?)", (name, kept))

    def dismiss(self, name: str) -> bool:
        """Delete the account *name*; false if there was no such account. Raises `StoreError`."""
        with self._database.writing() as transaction:
            return bool(transaction.execute("DELETE FROM arbiters WHERE name = ?", (name,)).rowcount)

    def are(self, name: str, password: str) -> bool:
        """True if *password* is that of *name*. Slow by design. Raises `StoreError`."""
        with self._database.reading() as transaction:
            row = transaction.execute("SELECT password FROM arbiters WHERE name = ?", (name,)).fetchone()
        kept = row[0] if row else self._nobody
        try:
            return self._hasher.verify(kept, password) and row is not None
        except (VerifyMismatchError, InvalidHashError):
            return False

    def sessions(self, now: str) -> list[tuple[str, str, str, int]]:
        """Return the sessions that last at *now*: digest, name, mark, ms left.

        *now* is in ISO 8601. Raises `StoreError`.
        """
        since = datetime.fromisoformat(now)
        with self._database.reading() as transaction:
            rows = transaction.execute("SELECT digest, name, mark, until FROM sessions").fetchall()
        found = [
            (digest, name, mark, round(1000 * (datetime.fromisoformat(until) - since).total_seconds()))
            for digest, name, mark, until in rows
        ]
        for digest, _, _, left_ms in found:
            if left_ms <= 0:
                self.end_session(digest)
        return [each for each in found if each[-1] > 0]

    def begin_session(self, digest: str, name: str, mark: str, now: str) -> None:
        """Keep a session that begins *now*, by the *digest* of its token. Raises `StoreError`.

        *mark* is the hash of the password that it was issued for.
        """
        until = datetime.fromisoformat(now) + timedelta(milliseconds=TOKEN_MS)
        with self._database.writing() as transaction:
            transaction.execute(
                "INSERT INTO sessions (digest, name, mark, until) VALUES (?, ?, ?, ?)",
                (digest, name, mark, until.isoformat()),
            )

    def end_session(self, digest: str) -> None:
        """Forget a session. Raises `StoreError`."""
        with self._database.writing() as transaction:
            transaction.execute("DELETE FROM sessions WHERE digest = ?", (digest,))


@contextlib.contextmanager
def opened(url: str | None, *, may_make: bool = False) -> Iterator[Arbiters]:
    """Open the accounts at *url*, or in the default database, inside the block.

    A database named by *url* has to exist, unless *may_make*. Raises `StoreError`.
    """
    with database_at(url, may_make=may_make) as database:
        yield Arbiters(database)


@dataclass(frozen=True, slots=True)
class _Held:
    """A valid token."""

    name: str
    mark: str
    """Hash of the password it was issued for."""
    until_ms: int


class Tokens:
    """Tokens of arbiters who have logged in; a hall that is started again knows them."""

    def __init__(self, access: Arbiters, wall: Callable[[], str], now_ms: int = 0) -> None:
        """*wall* returns UTC in ISO 8601; *now_ms* is the time of the other methods."""
        self._access = access
        self._wall = wall
        left = access.sessions(wall())
        self._known = {
            digest: _Held(name, mark, now_ms + min(left_ms, TOKEN_MS)) for digest, name, mark, left_ms in left
        }
        self.sift(now_ms)

    def give(self, name: str, now_ms: int) -> str:
        """Issue a token for *name*, whose password was just verified. Raises `StoreError`."""
        mark = self._access.marks().get(name, "")
        token = secrets.token_urlsafe(32)
        digest = _digest(token)
        self._access.begin_session(digest, name, mark, self._wall())
        self._known[digest] = _Held(name, mark, now_ms + TOKEN_MS)
        return token

    def sift(self, now_ms: int) -> None:
        """Revoke expired tokens, and those of deleted accounts and changed passwords.

        Raises `StoreError`.
        """
        known = dict(self._known)  # others may be issued meanwhile
        marks = self._access.marks() if known else {}
        for digest, held in known.items():
            if held.until_ms <= now_ms or marks.get(held.name) != held.mark:
                self._known.pop(digest, None)
                self._access.end_session(digest)

    def holder(self, token: str, now_ms: int) -> str | None:
        """Return the owner of *token*; None if it is invalid or has expired."""
        held = self._known.get(_digest(token))
        return held.name if held is not None and held.until_ms > now_ms else None

    def take_back(self, token: str) -> None:
        """Revoke *token*. Raises `StoreError`."""
        digest = _digest(token)
        if self._known.pop(digest, None) is not None:
            self._access.end_session(digest)


def _no_password(hasher: PasswordHasher) -> str:
    """Return a hash of no known password, as slow to verify as those of *hasher*."""
    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    salt, digest = (
        base64.b64encode(secrets.token_bytes(length)).decode().rstrip("=")
        for length in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${cost}${salt}${digest}"


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


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

    def forgive(self, place: str) -> None:
        """Count the last attempt of *place* no more."""
        when = self._seen.pop(place, deque())
        if len(when) > 1:
            when.pop()
            self._seen[place] = when


class Login(BaseModel):
    """Credentials of an arbiter."""

    name: str
    password: str


def add_login(app: FastAPI, clock: Clock, access: Arbiters, tokens: Tokens) -> None:
    """Add login and logout; guesses are limited per minute."""
    guesses = Limit(5, 60_000)

    @app.post("/api/login")
    async def log_in(login: Login, request: Request) -> dict[str, str]:
        """Return a token for a valid password."""
        place = request.client.host if request.client else ""
        if not guesses.allows(place, clock()):
            raise HTTPException(429, Phrase("too many attempts: wait a minute"))
        if not await asyncio.to_thread(access.are, login.name, login.password):
            raise HTTPException(403, Phrase("name or password is wrong"))
        guesses.forgive(place)
        token = await asyncio.to_thread(tokens.give, login.name, clock())
        return {"token": token, "name": login.name}

    @app.post("/api/logout")
    async def log_out(authorization: Annotated[str, Header()] = "") -> dict[str, bool]:
        """Revoke the token."""
        await asyncio.to_thread(tokens.take_back, authorization.removeprefix("Bearer "))
        return {"done": True}
