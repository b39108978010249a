# SPDX-License-Identifier: Apache-2.0
"""One text for very many browsers: packed for the wire once, and handed to each connection as it is.

Its rule: what the server says to one WebSocket it says to all byte for byte, for servers mask nothing; a connection that does
not keep up is told so by `False` and gets nothing, never a part of something.
"""

from __future__ import annotations

from typing import Any, Final

from fastapi import WebSocket
from websockets.frames import Frame, Opcode

from companion.host.web.accept import CountedWebSocket

_LINE: Final = "companion.line"


class FanOutProtocol(CountedWebSocket):
    """uvicorn's WebSocket, which also takes what is packed already."""

    def handle_connect(self, event: Any) -> None:
        """Let the application find this line."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            extensions: Any = self.scope["extensions"]
            extensions[_LINE] = self

    @property
    def is_open(self) -> bool:
        """True while something can be sent."""
        return self.handshake_complete and not self.disconnected and not self.close_sent

    def put(self, packed: bytes) -> bool:
        """Send what `pack` has made; False if the browser does not keep up."""
        if not self.writable.is_set():
            return False
        if self.is_open:
            self.transport.write(packed)
        return True


def line_of(browser: WebSocket) -> FanOutProtocol:
    """The line of *browser*."""
    line: FanOutProtocol = browser.scope["extensions"][_LINE]
    return line


def pack(text: str) -> bytes:
    """*text* as it goes over the wire to a browser."""
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=False)
