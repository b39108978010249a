# SPDX-License-Identifier: Apache-2.0
"""ASGI middleware for every page and WebSocket, whatever the application.

Its rule: an application cannot forget it. All answers get the security headers, WebSockets are
opened only by our own pages or by programs, which send no origin, and the table of connections
learns what each request does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from companion.host.web.accept import CONNECTION
from companion.host.web.connections import Connection

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Only our own files; no frames, no form targets."""
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
CROSS_ORIGIN: Final = 1008
"""WebSocket close code for another site's page; before the handshake, a 403."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

Knows: TypeAlias = Callable[[str], bool]
"""Returns true for a valid token."""


def connection_of(browser: WebSocket) -> Connection:
    """Return the registered connection of *browser*."""
    found: Connection = browser.scope["state"][CONNECTION]
    return found


class WithHeaders:
    """ASGI middleware that adds `HEADERS` to all answers.

    Browsers may keep an answer only as its own `Cache-Control` says.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request and add the headers."""

        async def sending(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        await self._app(scope, receive, sending)


class OwnOrigin:
    """ASGI middleware that opens WebSockets only for our own or listed pages, and for programs."""

    def __init__(self, app: ASGIApp, names: Iterable[str], others: Iterable[str] = ()) -> None:
        """*names* were given at the start: a proxy's host may differ from the browser's.

        Pages of the origins *others* are let in, too.
        """
        self._app = app
        self._names = frozenset(names)
        self._others = frozenset(origin.lower().rstrip("/") for origin in others)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, unless it comes from another site's page."""
        if scope["type"] == "websocket" and not self._is_ours(Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": CROSS_ORIGIN})
        else:
            await self._app(scope, receive, send)

    def _is_ours(self, headers: Headers) -> bool:
        """True unless *headers* name another site's page as origin."""
        origin = headers.get("origin")
        if origin is None or origin.lower() in self._others:
            return True
        try:
            parts = urlsplit(origin.lower())
            has_usual_port = parts.port in (None, _DEFAULT_PORTS.get(parts.scheme))
        except ValueError:
            return False
        return parts.netloc == headers.get("host", "").lower() or (
            has_usual_port and parts.scheme in _DEFAULT_PORTS and parts.hostname in self._names
        )


class Tracked:
    """ASGI middleware that updates the stage of the connection."""

    def __init__(self, app: ASGIApp, knows: Knows) -> None:
        """*knows* checks tokens."""
        self._app = app
        self._knows = knows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request and update the connection."""
        connection: Connection = scope["state"][CONNECTION]
        headers = Headers(scope=scope)
        token = headers.get("authorization", "").removeprefix("Bearer ")
        has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        connection.begin(
            scope["client"][0] if scope["client"] else connection.address,
            is_trusted=bool(token) and self._knows(token),
            has_body=has_body,
        )

        async def receiving() -> Message:
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body"):
                connection.complete()
            return message

        try:
            await self._app(scope, receiving if has_body else receive, send)
        finally:
            connection.answered()
