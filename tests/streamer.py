# SPDX-License-Identifier: Apache-2.0
"""What stand-ins for cameras in the network share: a server on loopback that can go away in mid-sentence."""

from __future__ import annotations

import socketserver
import threading
from types import TracebackType
from typing import Any, Final, Self

PERIOD_S: Final = 1 / 30
"""Between two pictures; the newest is sent again if there is no new one."""


class Streamer:
    """Serves from its beginning to its end as a context manager, each listener in a thread."""

    def __init__(self, server: type[socketserver.TCPServer], handler: type[Any], port: int = 0) -> None:
        """*port*: 0 for any that is free."""
        self._news = threading.Condition()
        self._is_over = False
        self._server = server(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.vanish()

    def vanish(self) -> None:
        """Go away in mid-sentence, and leave the port to others."""
        with self._news:
            if self._is_over:
                return
            self._is_over = True
            self._news.notify_all()
        self._server.shutdown()
        self._server.server_close()  # waits for the threads of its listeners
        self._thread.join()
