# SPDX-License-Identifier: Apache-2.0
"""One table as one task: it opens the port, moves bytes between it and the chain, makes the journal safe, and tells
those who watch that something has changed.

Its rule: everything that happens goes through one queue and is dealt with in turn; a panel that is lost is looked for
again, while the game and the page stay as they are.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.feedback import page
from companion.host.chain import Chain, LinkState, LinkStatus
from companion.host.clock import Clock
from companion.host.desk import Desk
from companion.host.hands import Hand
from companion.host.journal import JournalWriter
from companion.host.picture import picture
from companion.host.ports import OpenPort, Port
from companion.link.port import PortEnded
from companion.model.errors import PortUnavailable
from companion.model.game import Game
from companion.model.placement import Placement
from companion.referee.commands import Command
from companion.referee.view import TableView

_LOG = logging.getLogger(__name__)

_RETRY_S: Final = 0.25
"""Between attempts to open a port: a board that returns is heard within its next heartbeat, a second."""
_GREETING_MS: Final = 6000
"""A port on which no panel has answered by then has none: twice the patience for a board that restarts."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """A command that waits for its turn."""

    command: Command


@dataclass(frozen=True, slots=True)
class _Look:
    """What stands on the virtual board has changed."""

    standing: Placement


_Item: TypeAlias = bytes | PortEnded | _Wish | _Look


class Table:
    """A game, its chain, its journal, and those who watch."""

    def __init__(
        self,
        game: Game,
        chain: Chain,
        journal: JournalWriter,
        clock: Clock,
        open_port: OpenPort,
        *,
        desk: Desk | None = None,
    ) -> None:
        """*desk* is the virtual table that *open_port* leads to, if it is one."""
        self.game = game
        self.chain = chain
        self._journal = journal
        self._clock = clock
        self._open_port = open_port
        self._desk = desk
        self._inbox: asyncio.Queue[_Item] = asyncio.Queue()
        self._watchers: set[asyncio.Event] = set()
        self._picture: str | None = None
        self._tended: TableView | None = None
        """What the wood of a virtual table was last held against."""
        self._has_played = False
        """True once a panel was there that fits: from then on one that is gone is waited for."""

    # --- for those who watch and ask ---

    def description(self) -> page.Json:
        """What stays the same during the game."""
        return page.table(self.chain.session.rules.grid, self.game.options, self.chain.words)

    def picture(self) -> str:
        """All that is to be seen now, as JSON."""
        if self._picture is None:
            panel, wood = (self._desk.panel, self._desk.wood) if self._desk is not None else (None, None)
            self._picture = json.dumps(picture(self.chain, panel, wood), separators=(",", ":"))
        return self._picture

    @contextlib.contextmanager
    def watch(self) -> Iterator[asyncio.Event]:
        """An event that is set whenever something may have changed; whoever waits for it clears it."""
        event = asyncio.Event()
        self._watchers.add(event)
        try:
            yield event
        finally:
            self._watchers.discard(event)

    def ask(self, command: Command) -> None:
        """Have *command* carried out in its turn."""
        self._inbox.put_nowait(_Wish(command))

    def do(self, hand: Hand) -> None:
        """Have *hand* done at a virtual table; at a real one nothing happens."""
        if self._desk is not None:
            self._desk.do(hand)

    # --- the task ---

    async def run(self) -> None:
        """Play until cancelled. Raises `LinkError` if there is no panel that fits to begin with, `JournalError`."""
        async with asyncio.TaskGroup() as group:
            if self._desk is not None:
                self._look()
                group.create_task(self._desk.run(lambda: self.chain.view.placement, self._look))
            while True:
                await self._play_on_one_port()
                await self._wait_for_port()

    async def _play_on_one_port(self) -> None:
        """Open the port and serve it until it ends."""
        port = await self._open()
        if port is None:
            return
        try:
            self.chain.reopen(self._clock())
            await self._serve(port)
        finally:
            await port.close()

    async def _open(self) -> Port | None:
        """The open port, or None if it cannot be had now."""
        try:
            return await self._open_port(self._inbox.put_nowait, self._inbox.put_nowait)
        except PortUnavailable as fault:
            if not self._has_played:
                raise
            self._say(LinkStatus(LinkState.LOST, str(fault)))
            return None

    async def _wait_for_port(self) -> None:
        """Until it is worth another try; what people ask for meanwhile is done."""
        until_ms = self._clock() + round(_RETRY_S * 1000)
        while (now_ms := self._clock()) < until_ms:
            item = await self._next(until_ms - now_ms)
            self._take(item, now_ms)
            self.chain.tick(self._clock())
            await self._make_safe()

    async def _serve(self, port: Port) -> None:
        """Move bytes until the port ends, or nobody answers on it while there may be others."""
        opened_ms = self._clock()
        await self._settle(port)
        while True:
            due_ms = self.chain.next_deadline_ms()
            item = await self._next(None if due_ms is None else due_ms - self._clock())
            now_ms = self._clock()
            if isinstance(item, PortEnded):
                self._say(LinkStatus(LinkState.LOST, f"{item.port}: {item.reason}"))
                return
            self._take(item, now_ms)
            self.chain.tick(now_ms)
            self._judge_panel()
            await self._settle(port)
            if self.chain.connection.hello is None and now_ms - opened_ms > _GREETING_MS:
                self._say(LinkStatus(LinkState.LOST, f"no panel answers on {port.name}"))
                return

    def _take(self, item: _Item | None, now_ms: int) -> None:
        """Let the chain have *item*."""
        match item:
            case bytes():
                self.chain.receive(item, now_ms)
            case _Look(standing):
                self.chain.look(standing, now_ms)
            case _Wish(command):
                self.chain.command(command, now_ms)

    async def _next(self, wait_ms: int | None) -> _Item | None:
        """What comes next, or None if nothing has within *wait_ms*."""
        if not self._inbox.empty():
            return self._inbox.get_nowait()
        try:
            async with asyncio.timeout(None if wait_ms is None else max(wait_ms, 0) / 1000):
                return await self._inbox.get()
        except TimeoutError:
            return None

    def _judge_panel(self) -> None:
        """Give up if the first panel of all does not fit; later the page says so and another may be plugged in."""
        if self.chain.status.state is LinkState.CONNECTED:
            self._has_played = True
        elif self.chain.objection is not None and not self._has_played:
            raise self.chain.objection

    async def _settle(self, port: Port) -> None:
        """Send what is to be sent, make safe what is to be safe, and send what that allows."""
        self._send(port)
        if await self._make_safe():
            self._send(port)
        self._tend_desk()

    def _tend_desk(self) -> None:
        """Let what lies on a virtual table follow what is shown, as far as hands would."""
        view = self.chain.view
        if self._desk is None or view is self._tended:
            return
        is_answered = view.question is None and self._tended is not None and self._tended.question is not None
        self._tended = view
        if is_answered:
            self._desk.agree()
        if self._desk.supply(view.hands, view.placement):
            self._tell()

    async def _make_safe(self) -> bool:
        """Put the journal on the disk if something waits for that; True if so."""
        if not self.chain.is_unsafe:
            return False
        await asyncio.to_thread(self._journal.sync)
        self.chain.made_safe()
        self._tell()
        return True

    def _send(self, port: Port) -> None:
        """Send what is to be sent."""
        data = self.chain.bytes_to_send(self._clock())
        if data:
            port.write(data)
        self._tell()

    def _look(self) -> None:
        """What stands on the virtual board may have changed."""
        assert self._desk is not None
        self._inbox.put_nowait(_Look(self._desk.wood.standing))
        self._tell()

    def _say(self, status: LinkStatus) -> None:
        """Let everybody know how it stands with the panel."""
        _LOG.info("panel %s: %s", status.state, status.text)
        self.chain.status = status
        self._tell()

    def _tell(self) -> None:
        """Something may have changed."""
        self._picture = None
        for event in self._watchers:
            event.set()
