# SPDX-License-Identifier: Apache-2.0
"""A hall served over HTTP, for tests of its pages and its API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from argon2 import PasswordHasher

from companion.feedback.glance import Glance, SmallPiece
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Shown, Up
from companion.host.hall.desk.access import Arbiters
from companion.host.hall.web import USUAL_LIMITS, WebLimits, serving_hall
from companion.host.records.database import connect
from companion.host.web import server

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Cheap password hashes for tests; real ones slow down guessing."""
NAME, PASSWORD = "Ana", "hall of mirrors"


@dataclass
class Site:
    """A hall that is served, and HTTP requests to it."""

    hall: Hall
    address: str
    clock: list[int] = field(default_factory=list)
    token: str = ""
    language: str = ""
    forwarded_for: str = ""
    looks: asyncio.Event = field(default_factory=asyncio.Event)
    """Set after each check of what is due."""

    async def looked(self) -> None:
        """Wait until the hall has checked what is due now.

        A check may be in progress, so the second one counts.
        """
        for _ in range(2):
            self.looks.clear()
            await self.looks.wait()

    async def ask(self, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        """Status and answer; a POST if there is a *body*."""
        return await asyncio.to_thread(self._ask, path, body, self.token if token is None else token)

    def _ask(self, path: str, body: object, token: str) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        headers |= {"Accept-Language": self.language} if self.language else {}
        headers |= {"X-Forwarded-For": self.forwarded_for} if self.forwarded_for else {}
        try:
            with urlopen(Request(self.address + path, data, headers), timeout=60) as response:
                text = response.read().decode()
                is_json = response.headers["content-type"].startswith("application/json")
                return response.status, json.loads(text) if is_json else text
        except HTTPError as fault:
            with fault:
                text = fault.read().decode()
                return fault.code, json.loads(text) if text.startswith("{") else text

    async def log_in(self) -> None:
        status, told = await self.ask("api/login", {"name": NAME, "password": PASSWORD})
        assert status == 200
        self.token = told["token"]

    async def act(self, kind: str, **values: object) -> tuple[int, Any]:
        return await self.ask("api/acts", {"is": kind, **values})

    def station(self, name: str, ply: int = 0) -> None:
        """Show a new state of a station."""
        hello = Hello(name, "i", name.title(), "chess")
        self.hall.take(Up(name, "i", hello), lambda _down: None)
        shown = Shown(1 + ply, 0, Glance("chess", "waiting", 0, ply, (SmallPiece("king", 0, (4,)),)))
        self.hall.take(Up(name, "i", shown), lambda _down: None)


@asynccontextmanager
async def site(
    folder: Path, certificate: server.Certificate | None = None, limits: WebLimits = USUAL_LIMITS
) -> AsyncIterator[Site]:
    clock = [1000]
    db = connect(f"sqlite:///{folder}/hall.sqlite")
    access = Arbiters(db, QUICK)
    if NAME not in access.names():
        access.admit(NAME, PASSWORD)
    hall = Hall(BookKeeper(db), folder / "copies", lambda: clock[0], lambda: "2026-11-21T19:00:00+00:00")
    looks, orders_due = asyncio.Event(), hall.hub.orders_to_send

    def orders_to_send(now_ms: int) -> tuple[Down, ...]:
        looks.set()
        return orders_due(now_ms)

    hall.hub.orders_to_send = orders_to_send  # type: ignore[method-assign]
    running = asyncio.create_task(hall.run())
    try:
        listener = server.listen("127.0.0.1", 0)
        async with serving_hall(hall, access, listener, certificate, limits) as address:
            yield Site(hall, address, clock, looks=looks)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        db.close()


async def tournament(at: Site) -> None:
    """Four players, one round."""
    await at.log_in()
    assert (await at.act("Opened", key="club", name="Club", format="swiss", game="chess"))[0] == 200
    csv = "name,rating\nAna,1800\nBen,1700\nCleo,1600\nDan,1500\n"
    assert await at.ask("api/tournaments/club/players", {"csv": csv}) == (200, {"entered": 4})
    assert await at.ask("api/tournaments/club/rounds", {}) == (200, {"round": 1})
