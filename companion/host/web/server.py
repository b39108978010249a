# SPDX-License-Identifier: Apache-2.0
"""Serves pages: on which address, with or without TLS, and within the limits of connections."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket as sockets
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from companion.host.table.table import Table
from companion.host.tasks import running
from companion.host.text.os_errors import reporting, why
from companion.host.web.accept import CountedHTTP, CountedWebSocket, State, accept_all
from companion.host.web.allowed_hosts import Listener, NamedHost
from companion.host.web.connections import Connections, Room
from companion.host.web.file_limit import room_for
from companion.host.web.guard import Knows, OwnOrigin, Tracked, WithHeaders
from companion.host.web.table_page import make_app
from companion.model.errors import SettingsError

_LOG: Final = logging.getLogger(__name__)
_LOOK_S: Final = 60.0
"""How often the files of a certificate are looked at."""
_DATE_S: Final = 1.0
"""How often the date of the answers is set."""
ANY_PORT: Final = 0
USUAL_HTTP_PORT: Final = 8765
"""Port of a table's page, unless it is taken."""


def bound(address: str, port: int) -> Listener:
    """Return a listening socket; *port* 0 takes any. Raises `OSError`.

    Allowed host names may follow *address*, separated by commas.
    """
    names = tuple(name.strip() for name in address.lower().split(","))
    family = sockets.AF_INET6 if ":" in names[0] else sockets.AF_INET
    # asyncio turns off Nagle's algorithm only for sockets that name TCP: an answer took 40 ms without it.
    listener = Listener(family, sockets.SOCK_STREAM, sockets.IPPROTO_TCP)
    listener.names = names
    listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listener.bind((names[0], port))
        listener.listen()  # a browser that connects before the server starts waits instead of being refused
    except OSError:
        listener.close()
        raise
    return listener


def listen(address: str, port: int) -> Listener:
    """Return a listening socket for a page, as `bound` does. Raises `SettingsError`."""
    try:
        return bound(address, port)
    except OSError as fault:
        raise _not_served(address.partition(",")[0].strip(), port, fault) from fault


def _not_served(address: str, port: int, fault: OSError) -> SettingsError:
    """Return the error for an address or port that cannot be used, with its remedy."""
    if fault.errno == errno.EADDRINUSE:
        return SettingsError(
            "the page cannot be served at {address} port {port}: {reason}. Stop the other program,"
            " or name another port with --http-port (0 takes a free one)",
            address=address,
            port=port,
            reason=why(fault),
        )
    return SettingsError(
        "the page cannot be served at {address} port {port}: {reason}."
        " Name an address of this machine with --http-address",
        address=address,
        port=port,
        reason=why(fault),
    )


def listen_for_page(address: str, port: int | None) -> Listener:
    """Listen on *port*; None means the usual port, or any if it is taken.

    Raises `SettingsError`.
    """
    if port is not None:
        return listen(address, port)
    try:
        return listen(address, USUAL_HTTP_PORT)
    except SettingsError:
        return listen(address, ANY_PORT)


class _Server(uvicorn.Server):
    """A server that leaves signal handling to its caller, and sleeps where uvicorn looks around."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        """Keep the date of the answers right until `end` is called."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _DATE_S)

    def end(self) -> None:
        """Let `serve` end."""
        self.should_exit = True
        self._ending.set()


@dataclass(frozen=True, slots=True)
class Certificate:
    """PEM files of a TLS certificate."""

    chain: str
    """The certificate, with its intermediate certificates if any."""
    key: str

    def stamp(self) -> tuple[float, ...]:
        """Return when the files were written. Raises `OSError`."""
        return tuple(Path(file).stat().st_mtime for file in (self.chain, self.key))

    def check(self) -> None:
        """Raise `SettingsError` unless the two files match."""
        with reporting(
            "{chain} with {key} is no certificate with its key: {reason}. Both have to be PEM files; "
            "a tool such as mkcert makes them",
            SettingsError,
            chain=self.chain,
            key=self.key,
        ):
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.chain, self.key)


@contextlib.asynccontextmanager
async def serving(table: Table, listener: Listener) -> AsyncIterator[str]:
    """Serve the page of *table* on *listener* inside the block; yield its URL."""
    async with serving_app(make_app(table), listener) as address:
        yield address


async def _keep_loaded(certificate: Certificate, context: ssl.SSLContext, look_s: float) -> None:
    """Load *certificate* into *context* again whenever its files were replaced."""
    loaded = certificate.stamp()
    while True:
        await asyncio.sleep(look_s)
        try:
            now = await asyncio.to_thread(certificate.stamp)
            if now != loaded:
                certificate.check()  # first: a context would keep one file of two that do not match
                context.load_cert_chain(certificate.chain, certificate.key)
                loaded = now
        except (OSError, SettingsError) as fault:
            _LOG.warning("the former certificate stays in use: %s", fault)


@contextlib.asynccontextmanager
async def serving_app(
    app: ASGIApp,
    listener: Listener,
    certificate: Certificate | None = None,
    room: Room | None = None,
    knows: Knows = lambda _token: False,
    origins: Iterable[str] = (),
    look_s: float = _LOOK_S,
) -> AsyncIterator[str]:
    """Serve *app* on *listener* inside the block; yield its URL.

    With a *certificate* it is served over TLS, and the browser checks the host name; files that are
    replaced are loaded again, looked at every *look_s*. *room* limits the connections; those with a
    token accepted by *knows* are never closed
    for others. Pages of *origins* may open WebSockets, too.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        lifespan="off",
        http=CountedHTTP,
        ws=CountedWebSocket,
        proxy_headers=False,  # our middleware below decides whom to trust
        ws_per_message_deflate=False,  # compressing one state two hundred times costs more than sending it
        timeout_graceful_shutdown=1,
        ssl_certfile=certificate.chain if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
    )
    named = app if certificate else NamedHost(app, listener.names)
    tracked: Any = Tracked(WithHeaders(OwnOrigin(named, listener.names[1:], origins)), knows)
    config.app = ProxyHeadersMiddleware(tracked, config.forwarded_allow_ips)
    config.load()
    server = _Server(config)
    connections = Connections(room or room_for(), asyncio.get_running_loop().time)

    def make(state: State) -> asyncio.Protocol:
        return CountedHTTP(config, server.server_state, state)

    tasks = (
        asyncio.create_task(server.serve(sockets=[]), name="page"),
        asyncio.create_task(accept_all(listener, connections, make, config.ssl), name="connections"),
    )
    reloading = (
        running(_keep_loaded(certificate, config.ssl, look_s), "certificate")
        if certificate and config.ssl
        else contextlib.nullcontext()
    )
    try:
        async with reloading:
            yield listener.urls("https" if certificate else "http")[0]
    finally:
        tasks[1].cancel()
        await asyncio.wait(tasks[1:])
        listener.close()
        server.end()
        await tasks[0]
