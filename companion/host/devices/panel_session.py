# SPDX-License-Identifier: Apache-2.0
"""A session with the panel on one port, without a game.

Its rule: the caller drives the session; nothing runs in the background.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

from companion.host.clock import Clock
from companion.host.devices.ports import OnChunk, OnEnd, OpenPort, Port
from companion.host.mailbox import Mailbox
from companion.link.connection import LOOK_FOR_PANEL, PATIENCE_MS, Connection
from companion.link.events import (
    CommandAnswered,
    CommandLost,
    InputsRead,
    LinkEvent,
    PanelForeign,
    PanelLogged,
)
from companion.link.port import PortEnded
from companion.link.protocol_gen import COMMAND_TRIES, REPLY_TIMEOUT_MS, HelloReply, Message, Whole
from companion.model.errors import ForeignFirmware, PanelSilent, PortUnavailable

_ANSWER_MS: Final = (COMMAND_TRIES + 1) * REPLY_TIMEOUT_MS
"""Time for a panel that has started to answer."""

_Item: TypeAlias = bytes | PortEnded


class PanelSession:
    """A port with its connection; made by `open_session`."""

    def __init__(self, clock: Clock, boot_ms: int = PATIENCE_MS) -> None:
        """The panel is not greeted for *boot_ms*, unless it sends something."""
        self._clock = clock
        self._inbox: Mailbox[_Item] = Mailbox()
        self._on_chunk: OnChunk = self._inbox.put
        self._on_end: OnEnd = self._inbox.put
        self._port: Port | None = None
        self.connection = Connection(clock() & 0xFFFF, patience_ms=boot_ms)
        self._greeting_ms = boot_ms + _ANSWER_MS
        self.logged: list[str] = []
        """Messages of the panel for people."""

    @property
    def port(self) -> Port:
        """The open port."""
        assert self._port is not None
        return self._port

    async def open(self, open_port: OpenPort) -> None:
        """Open the port. Raises `PortUnavailable`."""
        self._port = await open_port(lambda chunk: self._on_chunk(chunk), lambda end: self._on_end(end))

    async def close(self) -> None:
        """Close the port, unless it was handed over."""
        port, self._port = self._port, None
        if port is not None:
            await port.close()

    def hand_over(self, on_chunk: OnChunk, on_end: OnEnd) -> Port:
        """Return the open port and send its input to *on_chunk* and *on_end*; ends the session."""
        port, self._port = self.port, None
        self._on_chunk, self._on_end = on_chunk, on_end
        for item in self._inbox.empty():
            on_end(item) if isinstance(item, PortEnded) else on_chunk(item)
        return port

    async def listen(self, until_ms: int) -> list[LinkEvent]:
        """Return the next events of the panel; none by *until_ms*.

        Raises `PortUnavailable` when the port ends.
        """
        while True:
            now_ms = self._clock()
            events = self._noted(self.connection.tick(now_ms))
            data = self.connection.bytes_to_send(now_ms)
            if data:
                self.port.write(data)
            if events or now_ms >= until_ms:
                return events
            due_ms = self.connection.next_deadline_ms()
            item = await self._inbox.take((until_ms if due_ms is None else min(until_ms, due_ms)) - now_ms)
            if isinstance(item, PortEnded):
                raise PortUnavailable("{port} is gone: {reason}", reason=item.reason, port=item.port)
            if item and (events := self._noted(self.connection.feed(item, self._clock()))):
                return events

    def _noted(self, events: list[LinkEvent]) -> list[LinkEvent]:
        """Return *events*, after storing the panel's messages."""
        self.logged += [event.text for event in events if isinstance(event, PanelLogged)]
        return events

    async def greet(self) -> HelloReply:
        """Return the panel's hello; its inputs are known then.

        Raises `ForeignFirmware`, `PanelSilent` and `PortUnavailable`.
        """
        until_ms = self._clock() + self._greeting_ms
        while events := await self.listen(until_ms):
            for event in events:
                if isinstance(event, PanelForeign):
                    raise ForeignFirmware(
                        "{port}: the panel speaks {theirs}, this program {ours}: {remedy}",
                        port=self.port.name,
                        remedy=event.remedy,
                        ours=event.ours,
                        theirs=event.theirs,
                    )
                if isinstance(event, InputsRead) and self.connection.hello is not None:
                    return self.connection.hello
        raise PanelSilent("no panel answers on {port}: {remedy}", port=self.port.name, remedy=LOOK_FOR_PANEL)

    async def ask(self, command: Whole) -> Message:
        """Return the panel's reply to *command*, ignoring other events meanwhile.

        Raises `PanelSilent` and `PortUnavailable`.
        """
        self.connection.send(command)
        while True:
            for event in await self.listen(self._clock() + self._greeting_ms):
                if isinstance(event, CommandAnswered) and event.command is command:
                    return event.reply
                if isinstance(event, CommandLost) and event.command is command:
                    raise PanelSilent(
                        "the panel on {port} does not answer {command}",
                        port=self.port.name,
                        command=type(command).__name__,
                    )

    async def flush(self) -> None:
        """Wait briefly until all output is sent and acknowledged. Raises `PortUnavailable`."""
        until_ms = self._clock() + self._greeting_ms
        while not self.connection.is_idle and self._clock() < until_ms:
            await self.listen(min(until_ms, self._clock() + 1))


@asynccontextmanager
async def open_session(
    open_port: OpenPort, clock: Clock, boot_ms: int = PATIENCE_MS
) -> AsyncIterator[PanelSession]:
    """Open a session inside the block. Raises `PortUnavailable`."""
    session = PanelSession(clock, boot_ms)
    await session.open(open_port)
    try:
        yield session
    finally:
        await session.close()
