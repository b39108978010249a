# SPDX-License-Identifier: Apache-2.0
"""The base of fake network cameras: a server on loopback that can vanish abruptly."""

from __future__ import annotations

import socketserver
import threading
from types import TracebackType
from typing import Any, Final, Self

PERIOD_S: Final = 1 / 30
"""Interval between two images; the newest is repeated."""


class Streamer:
    """Serves within a context, each client in a thread."""

    def __init__(self, server: type[socketserver.TCPServer], handler: type[Any], port: int = 0) -> None:
        """*port*: 0 for any that is free."""
        self._news = threading.Condition()
        self._is_over = False
        self._server = server(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.vanish()

    def vanish(self) -> None:
        """Break off in the middle of a transfer and free the port."""
        with self._news:
            if self._is_over:
                return
            self._is_over = True
            self._news.notify_all()
        self._server.shutdown()
        self._server.server_close()  # waits for the threads of its clients
        self._thread.join()
