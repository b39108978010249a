# SPDX-License-Identifier: Apache-2.0
"""A way to a server as from another device of the network, also for WebSockets.

Chromium sends a context's extra headers with its requests, but not with its WebSockets.
"""

from __future__ import annotations

import contextlib
import re
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit, urlunsplit

_HEAD_END: Final = b"\r\n\r\n"


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Send what *source* sends to *target*, until one of them ends."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def coming_from(device: str, address: str) -> Iterator[str]:
    """The address under which the server at *address* sees the IP address *device*.

    Each connection carries one request, or a WebSocket.
    """
    there = urlsplit(address)

    class Relay(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            head = b""
            while _HEAD_END not in head:
                data = self.request.recv(65536)
                if not data:
                    return
                head += data
            head = re.sub(rb"(?i)\r\nconnection: keep-alive", b"\r\nConnection: close", head, count=1)
            head = head.replace(b"\r\n", f"\r\nX-Forwarded-For: {device}\r\n".encode(), 1)
            with socket.create_connection((there.hostname, there.port)) as server:
                server.sendall(head)
                back = threading.Thread(target=_pump, args=(server, self.request))
                back.start()
                _pump(self.request, server)
                back.join()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Relay) as relay:
        relay.daemon_threads = False
        accepting = threading.Thread(target=relay.serve_forever, args=(0.05,))
        accepting.start()
        try:
            yield urlunsplit(there._replace(netloc=f"127.0.0.1:{relay.server_address[1]}"))
        finally:
            relay.shutdown()
            accepting.join()
