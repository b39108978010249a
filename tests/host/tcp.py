# SPDX-License-Identifier: Apache-2.0
"""A virtual panel behind a TCP port, over a connection that can be cut."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from companion.host.clock import Clock
from companion.virtual.panel import VirtualPanel


class TcpPanel:
    """Serves one host at a time."""

    def __init__(self, panel: VirtualPanel, clock: Clock) -> None:
        self.panel = panel
        self.port = 0
        self._clock = clock
        self._writer: asyncio.StreamWriter | None = None
        self._serving: list[asyncio.Task[None]] = []

    @property
    def url(self) -> str:
        return f"socket://127.0.0.1:{self.port}"

    def fetch(self) -> None:
        """Send the panel's output."""
        said = self.panel.bytes_to_send(self._clock())
        if said and self._writer is not None and not self._writer.is_closing():
            self._writer.write(said)

    def send(self, data: bytes) -> None:
        """Send *data* as noise."""
        assert self._writer is not None
        self._writer.write(data)

    def cut(self) -> None:
        """Close the connection."""
        assert self._writer is not None
        self._writer.close()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[TcpPanel]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        beating = asyncio.create_task(self._beat())
        try:
            yield self
        finally:
            beating.cancel()
            server.close()
            if self._writer is not None:
                self._writer.close()
            await asyncio.gather(beating, *self._serving, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(0.005)
            self.fetch()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        task = asyncio.current_task()
        assert task is not None
        self._serving.append(task)
        with contextlib.suppress(ConnectionError):  # the program was killed
            while data := await reader.read(4096):
                self.panel.feed(data, self._clock())
                self.fetch()
            writer.close()
            await writer.wait_closed()
