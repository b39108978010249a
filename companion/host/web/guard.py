# SPDX-License-Identifier: Apache-2.0
"""What holds for every page and every WebSocket that is served, whatever the application.

Rule: an application cannot forget it. Headers go with every answer, a WebSocket is opened only by our own pages (or by programs,
which name no origin), and the table of connections learns what each request does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from fastapi import WebSocket
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from companion.host.web.accept import CONNECTION
from companion.host.web.connections import Connection

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing but our own files, no frames, no forms that are sent anywhere."""
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
CROSS_ORIGIN: Final = 1008
"""WebSocket's close code for another site's page; before the WebSocket is open it is a 403."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

Knows: TypeAlias = Callable[[str], bool]
"""True for a token that somebody has been given."""


def connection_of(browser: WebSocket) -> Connection:
    """The connection of *browser*, in the table of its server."""
    found: Connection = browser.scope["state"][CONNECTION]
    return found


class WithHeaders:
    """An application whose answers all have our headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with headers."""

        async def sending(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, sending)


class OwnOrigin:
    """An application whose WebSockets are for our own pages, and for programs."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        """*names* were given at the start: a proxy may ask for the page by another name than the browser does."""
        self._app = app
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, unless a page of another site asks."""
        if scope["type"] == "websocket" and not self._is_ours(Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": CROSS_ORIGIN})
        else:
            await self._app(scope, receive, send)

    def _is_ours(self, headers: Headers) -> bool:
        """True unless *headers* name another site's page, which opened this behind the reader's back."""
        origin = headers.get("origin")
        if origin is None:
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
    """An application whose requests tell their connection what they do."""

    def __init__(self, app: ASGIApp, knows: Knows) -> None:
        """*knows* tells which tokens are good."""
        self._app = app
        self._knows = knows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and keep the connection's place up to date."""
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
