# SPDX-License-Identifier: Apache-2.0
"""The table that was invited: it sends its requests until they are carried out.

Its rule: whatever is lost is sent again, and the other table carries each request out once. So a
cut of an hour loses nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from companion.host.clock import Clock, monotonic
from companion.host.online.game_elsewhere import GameElsewhere
from companion.host.online.two_tables.carriers import Carrier
from companion.host.online.two_tables.host import lag_remark
from companion.host.online.two_tables.kept_table import Keeping
from companion.host.online.two_tables.messages import (
    Answer,
    Deed,
    Greeting,
    Request,
    Welcome,
    packed,
    unpacked,
)
from companion.host.online.two_tables.sealing import Sealer
from companion.host.retry import Intervals
from companion.host.tasks import running
from companion.model.errors import OnlineRefused, OnlineUnreachable, SettingsError
from companion.model.phrase import Phrase

_SILENCE: Final = 6
"""Greetings that may stay without an answer before the other table counts as away."""
_PATIENCE: Final = 20
"""Greetings after which nobody waits under the code."""


@dataclass
class Guest:
    """A `GameServer` for the invited table."""

    sealer: Sealer
    carrier: Carrier
    intervals: Intervals
    clock: Clock = field(default_factory=monotonic)
    player: str = ""
    """Name of the player at this table."""
    name: str = ""
    """By which the other table knows this one again."""
    state: GameElsewhere | None = None
    connections: int = 1
    welcome: Welcome | None = None
    """What the other table said of the game; None before it has answered."""
    requests: list[Request] = field(default_factory=list)
    """Those that were not carried out yet."""
    keeping: Keeping | None = None
    """Where the game is kept."""
    has_ended: Callable[[], bool] = lambda: False
    """True once the game has ended at this table."""
    _has_said_end: bool = False
    _number: int = 0
    _greeted: int = 0
    """Greetings since the last answer."""
    _lag_ms: int = 0
    _shown_ms: int = 0
    """Time of `state`."""
    _refused: OnlineRefused | None = None
    _reported: str = ""
    _has_reconnected: bool = False
    """True until an answer comes after a cut: the other table may be another program."""
    _is_due: asyncio.Event = field(default_factory=asyncio.Event)
    _changed: Callable[[], None] = lambda: None
    _reason: str = ""
    """Why the last request was refused."""

    async def run(self, changed: Callable[[], None], remark: Callable[[str, str], None]) -> None:
        """Exchange messages until cancelled. Raises `OnlineRefused` for a bad code."""
        self._changed, self._greeted, self._is_due = changed, 0, asyncio.Event()

        def report(said: str) -> None:
            self._has_reconnected |= bool(self._reported and not said)
            self._reported = said
            self._is_due.set()

        async with running(self.carrier.run(self._receive, report), "carrier") as task:
            while not task.done():
                if self._refused is not None:
                    raise self._refused
                away = Phrase("the other table is away; the game waits for it")
                remark("elsewhere", self._reported or (away if self._greeted > _SILENCE else ""))
                remark("lag", lag_remark(self._lag_ms))
                remark("refused", self._reason)
                await self._greet()
            task.result()

    async def join(self) -> Welcome:
        """Return what the other table says of the game.

        Raises `OnlineRefused` if the code is wrong or used, or nobody answers.
        """
        reports: dict[str, str] = {}
        async with running(self.run(lambda: None, reports.__setitem__), "joining") as task:
            while self.welcome is None:
                await asyncio.wait({task}, timeout=self.intervals.retry_s / 4)
                if task.done():
                    task.result()
                if self._greeted > _PATIENCE:
                    raise OnlineRefused(
                        "nobody answers under this code: compare each letter and the address with the other "
                        "table's{reason}",
                        reason=f" ({self._reported})" if self._reported else "",
                    )
            return self.welcome

    async def _greet(self) -> None:
        """Send a greeting with all open requests; the next one follows when it is due."""
        said = Greeting(
            self.name, self.player, self.clock(), self._lag_ms, tuple(self.requests), self.has_ended()
        )
        self._has_said_end |= said.has_ended
        self._is_due.clear()
        is_lost = self._greeted > _SILENCE or self._has_reconnected
        seal = self.sealer.encrypt_greeting if is_lost else self.sealer.encrypt
        self._greeted += 1
        await self.carrier.send(seal(packed(said)))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.intervals.retry_s):
                await self._is_due.wait()

    def _receive(self, message: bytes) -> None:
        """Take a message of the other table."""
        opened = self.sealer.decrypt(message)
        said = None if opened is None else unpacked(Answer, opened.data)
        if said is None:
            return
        self._greeted = 0
        if said.is_used:
            self._refused = OnlineRefused("this code was used by another table: ask for a new one")
            self._is_due.set()
            return
        if said.sent is not None:
            self._lag_ms = self.clock() - said.sent
        is_first = self.welcome is None or self._has_reconnected
        self._has_reconnected = False
        self.welcome = said.welcome or self.welcome
        self._reason = said.reason or self._reason
        if said.state is not None and said.state.is_news_after(self.state, self.clock() - self._shown_ms):
            self.state, self._shown_ms = said.state, self.clock()
            self._changed()
        self._note_end()
        before = len(self.requests)
        self.requests = [each for each in self.requests if each.number > said.done]
        if not self.requests:
            self._number = max(self._number, said.done)  # after a restart, from where it was
        if is_first or (self.requests and before != len(self.requests)):
            self._is_due.set()

    def _ask(self, deed: Deed, ply: int = 0, move: str = "", spent_ms: int = 0) -> None:
        """Queue a request."""
        if self.welcome is None:
            raise OnlineUnreachable("the other table has not answered yet")
        self._number += 1
        self.requests.append(Request(self._number, deed, ply, move, spent_ms))
        self._reason = ""
        self._is_due.set()

    def _note_end(self) -> None:
        """Note the end once the other table was told that it is known here."""
        is_over = self.state is not None and self.state.is_over and self._has_said_end
        if is_over and self.keeping is not None:
            with contextlib.suppress(SettingsError):  # with the next answer
                self.keeping.change(is_over=True)

    # --- requests of the own table ---

    async def make(self, ply: int, move: str, spent_ms: int) -> None:
        self._ask(Deed.MAKE, ply, move, spent_ms)

    async def offer_draw(self) -> None:
        self._ask(Deed.OFFER)

    async def decline_draw(self) -> None:
        self._ask(Deed.DECLINE)

    async def resign(self) -> None:
        self._ask(Deed.RESIGN)

    async def take_back(self, ply: int) -> None:
        self._ask(Deed.TAKE_BACK, ply)

    async def flag(self) -> None:
        self._ask(Deed.FLAG)
