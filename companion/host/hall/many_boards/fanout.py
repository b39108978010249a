# SPDX-License-Identifier: Apache-2.0
"""Messages to very many browsers: framed once, and written to each connection as they are.

Its rule: server frames are not masked, so they are the same for all connections. A connection that
does not keep up gets `False` and no data, never a part of a frame.
"""

from __future__ import annotations

from typing import Any, Final

from fastapi import WebSocket
from websockets.frames import Frame, Opcode

from companion.host.web.accept import CountedWebSocket

_LINE: Final = "companion.line"


class FanOutProtocol(CountedWebSocket):
    """uvicorn's WebSocket protocol, extended to send frames made by `pack`."""

    def handle_connect(self, event: Any) -> None:
        """Make this connection available to the application."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            extensions: Any = self.scope["extensions"]
            extensions[_LINE] = self

    @property
    def is_open(self) -> bool:
        """True while data can be sent."""
        return self.handshake_complete and not self.disconnected and not self.close_sent

    def put(self, packed: bytes) -> bool:
        """Send a frame made by `pack`; false if the browser does not keep up."""
        if not self.writable.is_set():
            return False
        if self.is_open:
            self.transport.write(packed)
        return True


def line_of(browser: WebSocket) -> FanOutProtocol:
    """Return the protocol of *browser*."""
    line: FanOutProtocol = browser.scope["extensions"][_LINE]
    return line


def pack(text: str) -> bytes:
    """Return the WebSocket frame of *text*."""
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=False)
