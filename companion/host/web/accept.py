# SPDX-License-Identifier: Apache-2.0
"""Accepts the connections of a page's server within a limit.

Its rule: the limit applies as soon as a connection is accepted, before TLS and before anything is
read from it. A shortage of file descriptors is not an error: a connection is closed, and accepting
continues.
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

from companion.host.web.connections import Connection, Connections
from companion.host.web.file_limit import above_low, is_plenty, raise_file_limit

_LOG = logging.getLogger(__name__)

CONNECTION: Final = "connection"
"""Key of a request's connection in the state of its scope."""
FRAMES: Final = "companion.frames"
"""Key of the protocol in the extensions of a WebSocket's scope."""
QUEUE: Final = 2048
"""Length of the listen backlog."""
_AT_ONCE: Final = 16
"""Connections accepted in a row before the event loop gets its turn."""
_AGAIN_S: Final = 0.05
"""Delay before a retry after a failed accept."""
_SWEEP_S: Final = 1.0
_REMIND_S: Final = 60.0
"""Interval between two log lines about the same problem."""
_NO_TEXT: Final = 1007
"""WebSocket close code for text that is not UTF-8."""

State: TypeAlias = dict[str, Any]
MakeProtocol: TypeAlias = Callable[[State], asyncio.Protocol]


class CountedHTTP(H11Protocol):
    """uvicorn's HTTP protocol for a registered connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the transport."""
        self.app_state[CONNECTION].transport = transport
        super().connection_made(cast(asyncio.Transport, transport))

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the table."""
        self.app_state[CONNECTION].leave()
        super().connection_lost(exc)


class CountedWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol for a registered connection; closes on invalid UTF-8.

    It also writes frames that were made once for many connections: server frames are not masked.
    """

    def handle_connect(self, event: Any) -> None:
        """Make this connection available to the application."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            extensions: Any = self.scope["extensions"]
            extensions[FRAMES] = self

    def put(self, frame: bytes) -> bool:
        """Send the whole *frame*; false, without sending, if the browser does not keep up."""
        if not self.writable.is_set():
            return False
        if self.handshake_complete and not self.disconnected and not self.close_sent:
            self.transport.write(frame)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the table."""
        self.app_state[CONNECTION].leave()
        super().connection_lost(exc)

    def send_receive_event_to_app(self) -> None:
        """Pass on a complete message."""
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
    """A connection without a transport yet."""

    def __init__(self, socket: sockets.socket) -> None:
        self._socket = socket
        self._is_closing = False

    def abort(self) -> None:
        """Shut the socket down, so that its reader sees the end."""
        self._is_closing = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(sockets.SHUT_RDWR)

    def is_closing(self) -> bool:
        """True after `abort`."""
        return self._is_closing


async def accept_all(
    listener: sockets.socket,
    connections: Connections,
    make: MakeProtocol,
    context: ssl.SSLContext | None = None,
) -> None:
    """Accept connections on *listener* until cancelled, with TLS if there is a *context*."""
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
    """Task group whose tasks are cancelled at exit and forgotten when done."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def keep(self, work: Any) -> None:
        """Run *work* as a task."""
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
    """Attach a protocol to *socket*."""
    loop = asyncio.get_running_loop()
    try:
        await loop.connect_accepted_socket(
            lambda: make({CONNECTION: connection}),
            socket,
            ssl=context,
            ssl_handshake_timeout=connection.head_s if context else None,
        )
    except OSError as fault:
        connection.leave()
        _LOG.debug("a connection was not opened: %s", fault)


async def _sweep(connections: Connections) -> None:
    """Close expired connections periodically, until cancelled."""
    while True:
        await asyncio.sleep(_SWEEP_S)
        connections.sweep()
