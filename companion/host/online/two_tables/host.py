# SPDX-License-Identifier: Apache-2.0
"""The inviting table: it keeps the game, and answers the other table.

Its rule: the code is for one other table, the first that greets with it. To any later one it says
that the code was used.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from companion.host.clock import Clock, monotonic
from companion.host.online.game_elsewhere import GameElsewhere
from companion.host.online.two_tables.carriers import Carrier
from companion.host.online.two_tables.kept_game import KeptGame
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
from companion.model.errors import OnlineRefused, SettingsError
from companion.model.phrase import Phrase
from companion.model.pieces import Side

_SILENCE: Final = 6
"""Greetings that may be missing before the other table counts as away."""
_LONGEST_NAME: Final = 40
_SAVED_MS: Final = 5000
"""Interval at which running clocks are saved."""
_SLOW_MS: Final = 300
"""Delay from which it is shown."""


@dataclass
class Host:
    """A `GameServer` for the inviting table, which plays *side*."""

    kept: KeptGame
    side: Side
    welcome: Welcome
    sealer: Sealer
    carrier: Carrier
    intervals: Intervals
    clock: Clock = field(default_factory=monotonic)
    guest: str = ""
    """The other table; empty before it has come."""
    done: int = 0
    """Number of the other table's last request that was carried out."""
    connections: int = 1
    state: GameElsewhere | None = None
    """The game since the last change."""
    has_welcomed: bool = False
    """True once the other table was told of the game."""
    guest_player: str = ""
    """Name of the player at the other table."""
    keeping: Keeping | None = None
    """Where the game is kept, with the other table's name."""
    has_ended: Callable[[], bool] = lambda: False
    """True once the game has ended at this table."""
    _answers: asyncio.Queue[tuple[Answer, bytes | None]] = field(default_factory=asyncio.Queue)
    _session: tuple[bytes, int] = (b"", 0)
    """That of the other table's last message, with its time; empty before the first."""
    _heard_ms: int = 0
    _lag_ms: int = 0
    _changed: Callable[[], None] = lambda: None
    _is_unsaved: bool = False
    """True while the other table may not be told of what has changed."""
    _saved_ms: int = 0
    _fault: str = ""
    """Why the game cannot be kept for a restart."""

    async def run(self, changed: Callable[[], None], remark: Callable[[str, str], None]) -> None:
        """Answer the other table until cancelled. Raises `SettingsError` if a port is taken."""
        self._changed, self._heard_ms, self._answers = changed, self.clock(), asyncio.Queue()
        self.state = self.kept.state(self.clock())
        reported = ""

        def report(said: str) -> None:
            nonlocal reported
            reported = said

        async with running(self.carrier.run(self._receive, report), "carrier") as task:
            while not task.done():
                silence_ms = _SILENCE * self.intervals.retry_s * 1000
                is_away = self.clock() - self._heard_ms > silence_ms
                away = Phrase("the other table is away; the game waits for it")
                remark("elsewhere", reported or (away if is_away and self.guest else ""))
                remark("lag", lag_remark(self._lag_ms))
                remark("kept", self._fault)
                if self.state.running is not None and self.clock() > self._saved_ms + _SAVED_MS:
                    self._save()
                await self._answer()
            task.result()

    async def _answer(self) -> None:
        """Send what is due, or wait a little for it.

        While it cannot be saved nothing is said: the other table asks again.
        """
        try:
            async with asyncio.timeout(self.intervals.retry_s):
                answer, to = await self._answers.get()
        except TimeoutError:
            return
        if self._is_unsaved:
            self._save()
        if self._is_unsaved:
            return
        await self.carrier.send(self.sealer.encrypt(packed(answer), to))
        if answer.welcome is not None and not self.has_welcomed:
            self.has_welcomed = True
            self._changed()

    def _receive(self, message: bytes) -> None:
        """Take a message of the other table."""
        opened = self.sealer.decrypt(message)
        said = None if opened is None else unpacked(Greeting, opened.data)
        if opened is None or said is None:
            return
        to = opened.session
        if not self.guest:
            self.guest, self.guest_player = said.guest, said.player[:_LONGEST_NAME]
            self._is_unsaved = True
        if said.guest != self.guest:
            self._answers.put_nowait((Answer(is_used=True), to))
            return
        self._heard_ms, self._lag_ms = self.clock(), said.lag_ms
        if not opened.is_greeting:  # those may be recorded ones
            self._note_session(to)
        reason = "" if opened.is_greeting else self._carry_out(said.requests)
        self._answers.put_nowait((replace(self._shown(reason), welcome=self.welcome, sent=said.sent), to))
        if said.has_ended and self.has_ended() and self.kept.outcome is not None and self.keeping is not None:
            with contextlib.suppress(SettingsError):  # with the next greeting
                self.keeping.change(is_over=True)

    def _note_session(self, session: bytes) -> None:
        """Note a message of *session*; another one is another start of the same table."""
        before, self._session = self._session, (session, self.clock())
        if before[0] not in (b"", session):
            self.kept.restart(1 - self.side, before[1], self.clock())

    def _carry_out(self, requests: Sequence[Request]) -> str:
        """Carry out *requests*, each once; return why the last of them was refused, or ""."""
        reason = ""
        for request in requests:
            if request.number != self.done + 1:
                continue
            self.done, reason = request.number, ""
            try:
                self._do(1 - self.side, request)
            except OnlineRefused as fault:
                reason = str(fault)
            self._note_change()
        return reason

    def _do(self, side: Side, request: Request) -> None:
        """Carry out *request* of *side*. Raises `OnlineRefused`."""
        kept, now_ms = self.kept, self.clock()
        match request.deed:
            case Deed.MAKE:
                kept.make(side, request.ply, request.move, request.spent_ms, now_ms)
            case Deed.OFFER:
                kept.offer_draw(side, now_ms)
            case Deed.DECLINE:
                kept.decline_draw(side)
            case Deed.RESIGN:
                kept.resign(side, now_ms)
            case Deed.TAKE_BACK:
                kept.take_back(side, request.ply, now_ms)
            case Deed.FLAG:
                kept.flag(side, now_ms)

    def _shown(self, reason: str = "") -> Answer:
        return Answer(state=self.kept.state(self.clock()), done=self.done, reason=reason)

    def _save(self) -> None:
        """Save the game with all that a restart needs; what fails is said."""
        try:
            if self.keeping is not None:
                self.keeping.change(
                    welcome=self.welcome,
                    guest=self.guest,
                    guest_player=self.guest_player,
                    game=self.kept.saved(self.clock()),
                    done=self.done,
                )
        except SettingsError as fault:
            self._fault = str(fault)
        else:
            self._fault, self._is_unsaved, self._saved_ms = "", False, self.clock()

    def _note_change(self) -> None:
        self.state, self._is_unsaved = self.kept.state(self.clock()), True
        self._save()
        self._changed()

    def _send_state(self) -> None:
        """Send the state to the other table, whose session is known by now."""
        self._note_change()
        if self.guest:
            self._answers.put_nowait((self._shown(), None))

    # --- requests of the own table ---

    async def make(self, ply: int, move: str, spent_ms: int) -> None:
        self.kept.make(self.side, ply, move, spent_ms, self.clock())
        self._send_state()

    async def offer_draw(self) -> None:
        self.kept.offer_draw(self.side, self.clock())
        self._send_state()

    async def decline_draw(self) -> None:
        self.kept.decline_draw(self.side)
        self._send_state()

    async def resign(self) -> None:
        self.kept.resign(self.side, self.clock())
        self._send_state()

    async def take_back(self, ply: int) -> None:
        self.kept.take_back(self.side, ply, self.clock())
        self._send_state()

    async def flag(self) -> None:
        self.kept.flag(self.side, self.clock())
        self._send_state()


def lag_remark(lag_ms: int) -> str:
    """Return what to say of a delay of *lag_ms*; "" if it does not matter."""
    if lag_ms < _SLOW_MS:
        return ""
    return Phrase(
        "the other table is {seconds:.1f} s away; nobody is charged for that", seconds=lag_ms / 1000
    )
