# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a phone that sends its camera's pictures: an MJPEG stream over HTTP on loopback."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray

PERIOD_S: Final = 1 / 30
"""Between two pictures; the newest is sent again if there is no new one."""


class Phone:
    """Sends what it is shown to whoever asks. A context manager."""

    def __init__(self, port: int = 0) -> None:
        """*port*: 0 for any that is free."""
        self._news = threading.Condition()
        self._picture = b""
        self._number = 0
        self.sent = 0
        """The number of the newest picture that somebody was sent."""
        self.is_silent = False
        """True: connections stay open, and nothing comes."""
        self._is_over = False
        phone = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
                self.end_headers()
                phone._stream(self.wfile)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """What a player types."""
        return f"http://127.0.0.1:{self.port}/video"

    def hold(self, image: NDArray[np.uint8]) -> int:
        """Let *image* be what is sent from now on; returns its number."""
        packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        with self._news:
            self._picture = packed
            self._number += 1
            return self._number

    def show(self, image: NDArray[np.uint8], timeout_s: float = 20.0) -> None:
        """Let *image* be seen; returns when somebody was sent it. Raises `TimeoutError` if nobody asks."""
        wanted = self.hold(image)
        with self._news:
            if not self._news.wait_for(lambda: self.sent >= wanted, timeout_s):
                raise TimeoutError("nobody fetches pictures")

    def _stream(self, out: Any) -> None:
        """Send pictures until the listener or the phone goes away."""
        seen = 0
        while True:
            with self._news:
                self._news.wait_for(lambda: self._is_over, PERIOD_S)
                if self._is_over:
                    return
                if self.is_silent or not self._number:
                    continue
                picture, seen = self._picture, self._number
            head = b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(picture)
            try:
                out.write(head + picture + b"\r\n")
            except OSError:
                return
            with self._news:
                self.sent = max(self.sent, seen)
                self._news.notify_all()

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
