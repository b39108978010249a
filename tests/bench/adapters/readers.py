# SPDX-License-Identifier: Apache-2.0
"""Read WebSockets as browsers do, but discard what arrives, as cheaply as possible.

Arguments: a number, then addresses of WebSockets. So many connections are opened to each. It prints
a line once all are open. Each line of standard input asks for a line with the bytes that each has
received since. It ends with its input. Like browsers on other machines, it gives way to the server.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import secrets
import sys
import urllib.parse
from functools import partial
from typing import Final

PER_ADDRESS: Final = 100
"""Connections from one address of this machine: a server limits them."""
_TEXT_SIZE, _LONG = 126, 127
"""Lengths of a frame that announce a longer one in the following bytes."""
_PING, _PONG = 9, 0x8A


class Reader(asyncio.Protocol):
    """One connection to the WebSocket at *url*."""

    def __init__(self, url: urllib.parse.SplitResult) -> None:
        self.received = 0
        """Bytes since the last question."""
        self.is_open = asyncio.get_running_loop().create_future()
        self._url = url
        self._left = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the WebSocket, in the words of a browser."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        lines = (
            f"GET {self._url.path}?{self._url.query} HTTP/1.1",
            f"Host: {self._url.netloc}",
            f"Origin: http://{self._url.netloc}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
        )
        transport.write("\r\n".join([*lines, "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        """Answer pings; everything else is only counted."""
        self.received += len(data)
        self._left += data
        if not self.is_open.done():
            head, found, rest = self._left.partition(b"\r\n\r\n")
            if not found:
                return
            if b" 101 " not in head.partition(b"\r\n")[0]:
                self.is_open.set_exception(ConnectionError(head.decode(errors="replace")))
                return
            self.is_open.set_result(None)
            self._left = bytearray(rest)
        while self._take_frame():
            pass

    def connection_lost(self, _error: Exception | None) -> None:
        """A connection that the server closes is a failure."""
        if self.is_open.done():
            sys.exit("a reader's connection was closed")
        self.is_open.set_exception(ConnectionError("closed before it was open"))

    def _take_frame(self) -> bool:
        """Remove the first frame; False if it has not arrived whole."""
        left = self._left
        if len(left) < 2:
            return False
        size, begin = left[1] & 127, 2
        if size >= _TEXT_SIZE:
            begin = 4 if size == _TEXT_SIZE else 10
            size = int.from_bytes(left[2:begin], "big")
        if len(left) < begin + size:
            return False
        if left[0] & 15 == _PING:
            self._transport.write(bytes((_PONG, 128 | size, 0, 0, 0, 0)) + left[begin : begin + size])
        del left[: begin + size]
        return True


async def read(count: int, addresses: list[str]) -> None:
    """Open the connections and read until the input ends."""
    loop, readers = asyncio.get_running_loop(), list[Reader]()
    for address in addresses:
        url = urllib.parse.urlsplit(address)
        for number in range(count):
            own = f"127.0.0.{2 + number // PER_ADDRESS}", 0
            _, reader = await loop.create_connection(
                partial(Reader, url), url.hostname or "", url.port or 0, local_addr=own
            )
            readers.append(reader)
    await asyncio.gather(*(reader.is_open for reader in readers))
    print("ready", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps([reader.received for reader in readers]), flush=True)
        for reader in readers:
            reader.received = 0


def main() -> None:
    """Read, and let the server go first."""
    os.nice(10)
    asyncio.run(read(int(sys.argv[1]), sys.argv[2:]))


if __name__ == "__main__":
    main()
