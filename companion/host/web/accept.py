# SPDX-License-Identifier: Apache-2.0
"""Accepts the connections of a page's server, each with its place in a table that limits how many there are.

Rule: the limit acts as soon as a connection is accepted, before TLS and before anything is read from it. A system that is short
of files is no error here: a connection is closed for it, and accepting goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket as sockets
import ssl
from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from companion.host.web.connections import HEAD_S, Connection, Connections
from companion.host.web.file_limit import above_low, is_plenty, raise_file_limit

_LOG = logging.getLogger(__name__)

CONNECTION: Final = "connection"
"""Where a request finds its connection, in the state of its scope."""
QUEUE: Final = 2048
"""Connections that wait to be accepted."""
_AT_ONCE: Final = 16
"""Accepted before others on the event loop have their turn."""
_AGAIN_S: Final = 0.05
"""After which accepting is tried again when it failed."""
_SWEEP_S: Final = 1.0
_REMIND_S: Final = 60.0
"""Between two lines in the log about the same."""
_NO_TEXT: Final = 1007
"""WebSocket's close code for text that is no UTF-8."""

State: TypeAlias = dict[str, Any]
MakeProtocol: TypeAlias = Callable[[State], asyncio.Protocol]


class CountedHTTP(H11Protocol):
    """uvicorn's HTTP on a connection that has a place in a table."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open."""
        self.app_state[CONNECTION].line = transport
        super().connection_made(cast(asyncio.Transport, transport))

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self.app_state[CONNECTION].leave()
        super().connection_lost(exc)


class CountedWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket on such a connection; what is no text ends it without a word in the log."""

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self.app_state[CONNECTION].leave()
        super().connection_lost(exc)

    def send_receive_event_to_app(self) -> None:
        """Hand on a message that is complete."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.conn.send_close(_NO_TEXT)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()


class _Accepted:
    """A connection that has no transport yet."""

    def __init__(self, socket: sockets.socket) -> None:
        self._socket = socket
        self._is_closing = False

    def abort(self) -> None:
        """Let whoever reads from it see its end."""
        self._is_closing = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(sockets.SHUT_RDWR)

    def is_closing(self) -> bool:
        """True if it was aborted."""
        return self._is_closing


async def accept_all(
    listener: sockets.socket,
    connections: Connections,
    make: MakeProtocol,
    context: ssl.SSLContext | None = None,
) -> None:
    """Accept what comes to *listener*, with TLS if there is a *context*, until cancelled."""
    listener.setblocking(False)
    listener.listen(QUEUE)
    loop = asyncio.get_running_loop()
    is_moved = is_plenty(raise_file_limit())
    reminded_s = -_REMIND_S
    async with _Opening() as opening:
        opening.keep(_sweep(connections))
        number = 0
        while True:
            try:
                socket, peer = await loop.sock_accept(listener)
                socket = above_low(socket) if is_moved else socket
            except OSError as fault:
                connections.make_room()
                if loop.time() >= reminded_s + _REMIND_S:
                    reminded_s = loop.time()
                    _LOG.warning(
                        "a connection cannot be accepted: %s; the oldest idle ones are closed", fault
                    )
                await asyncio.sleep(_AGAIN_S)
                continue
            connection = connections.enter(peer[0], _Accepted(socket))
            opening.keep(_open(socket, connection, make, context))
            number += 1
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)


class _Opening:
    """Tasks that end with whoever keeps them, and are forgotten when they end before."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def keep(self, work: Any) -> None:
        """Do *work* beside the rest."""
        task = asyncio.create_task(work, name="connection")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def __aenter__(self) -> _Opening:
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _open(
    socket: sockets.socket, connection: Connection, make: MakeProtocol, context: ssl.SSLContext | None
) -> None:
    """Have a protocol serve *socket*."""
    loop = asyncio.get_running_loop()
    try:
        await loop.connect_accepted_socket(
            lambda: make({CONNECTION: connection}),
            socket,
            ssl=context,
            ssl_handshake_timeout=HEAD_S if context else None,
        )
    except OSError as fault:
        connection.leave()
        _LOG.debug("a connection was not opened: %s", fault)


async def _sweep(connections: Connections) -> None:
    """Close what has waited for too long, until cancelled."""
    while True:
        await asyncio.sleep(_SWEEP_S)
        connections.sweep()
