# SPDX-License-Identifier: Apache-2.0
"""Two tables whose messages and time are in the hands of the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from companion import games
from companion.host.online.two_tables.code import draw_code
from companion.host.online.two_tables.guest import Guest
from companion.host.online.two_tables.host import Host
from companion.host.online.two_tables.kept_game import KeptGame
from companion.host.online.two_tables.messages import Welcome
from companion.host.online.two_tables.sealing import Sealer
from companion.referee.values.controls import read_control
from tests.host.online.seats import QUICK, until

HOUR_MS = 3_600_000


@dataclass
class Post:
    """A `Carrier` whose messages lie there until the test delivers them."""

    sent: list[bytes] = field(default_factory=list)
    receive: Callable[[bytes], None] | None = None

    async def run(self, receive: Callable[[bytes], None], _report: Callable[[str], None]) -> None:
        self.receive = receive
        await asyncio.Event().wait()

    async def send(self, message: bytes) -> None:
        self.sent.append(message)


@dataclass
class Match:
    """Both ends of a game, and one time for both."""

    host: Host
    guest: Guest
    posts: tuple[Post, Post]
    now: list[int]
    said: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))
    """What the tables of host and guest say, by subject."""

    def deliver(self, *, to_host: bool = True, to_guest: bool = True) -> None:
        """Deliver what lies there, to one end or to both."""
        here, there = self.posts
        for is_wanted, source, target in ((to_host, there, here), (to_guest, here, there)):
            while is_wanted and source.sent:
                message = source.sent.pop(0)
                assert target.receive is not None
                target.receive(message)

    def lose(self) -> None:
        """Lose what lies there."""
        for post in self.posts:
            post.sent.clear()

    async def exchange(self, holds: Callable[[], bool], *, to_guest: bool = True) -> None:
        """Deliver at once, to both ends or to the host, until *holds*."""

        def held() -> bool:
            self.deliver(to_guest=to_guest)
            return holds()

        await until(held)


@asynccontextmanager
async def match() -> AsyncIterator[Match]:
    """A game of chess with clocks that has begun."""
    now, code, posts = [1000], draw_code(), (Post(), Post())
    rules = games.find("chess").rules()
    kept = KeptGame(rules, read_control("15+10", 2))
    welcome = Welcome("chess", (), side=1, control="15+10")
    host = Host(kept, 0, welcome, Sealer(code, b"host", b"guest"), posts[0], QUICK, lambda: now[0])
    guest = Guest(Sealer(code, b"guest", b"host"), posts[1], QUICK, lambda: now[0], player="Bo", name="bo")
    at = Match(host, guest, posts, now)
    hosting = asyncio.create_task(host.run(lambda: None, at.said[0].__setitem__))
    visiting = asyncio.create_task(guest.run(lambda: None, at.said[1].__setitem__))
    try:
        await until(lambda: all(post.receive is not None for post in posts))
        await at.exchange(lambda: guest.state is not None)
        yield at
    finally:
        hosting.cancel()
        visiting.cancel()
        await asyncio.gather(hosting, visiting, return_exceptions=True)


def test_a_cut_of_an_hour_loses_no_move_and_no_time() -> None:
    async def play() -> None:
        async with match() as at:
            await at.host.make(0, "e4", 0)
            await at.exchange(lambda: at.guest.state is not None and at.guest.state.moves == ("e4",))
            at.now[0] += 5_000
            await at.guest.make(1, "e5", 5_000)
            at.now[0] += HOUR_MS
            await until(lambda: all("away" in said.get("elsewhere", "") for said in at.said))
            assert at.host.kept.moves == ["e4"]
            at.lose()
            await at.exchange(lambda: at.host.kept.moves == ["e4", "e5"])
            await at.exchange(lambda: not any(said["elsewhere"] for said in at.said))
            assert at.host.kept.state(at.now[0]).clocks == (920_000, 915_000)
            await at.host.make(2, "Nf3", 20_000)
            await at.exchange(lambda: len(at.guest.state.moves if at.guest.state else ()) == 3)
            assert at.guest.state is not None
            assert at.guest.state.clocks == (910_000, 915_000)

    asyncio.run(play())


def test_a_slow_way_is_shown_to_both_tables_and_charged_to_nobody() -> None:
    async def play() -> None:
        async with match() as at:
            await at.exchange(lambda: "lag" in at.said[0] and "lag" in at.said[1])
            assert at.said[0]["lag"] == at.said[1]["lag"] == ""
            at.lose()
            await at.exchange(lambda: bool(at.posts[0].sent), to_guest=False)
            at.now[0] += 800
            at.deliver(to_host=False)
            await until(lambda: "0.8 s away" in at.said[1]["lag"])
            await at.exchange(lambda: "0.8 s away" in at.said[0]["lag"], to_guest=False)
            await at.host.make(0, "e4", 0)
            at.now[0] += 60_000
            await at.exchange(lambda: at.guest.state is not None and at.guest.state.moves == ("e4",))
            await at.guest.make(1, "e5", 1_000)
            at.now[0] += 60_000
            await at.exchange(lambda: at.host.kept.moves == ["e4", "e5"])
            assert at.host.kept.state(at.now[0]).clocks == (920_000, 919_000)

    asyncio.run(play())
