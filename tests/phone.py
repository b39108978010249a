# SPDX-License-Identifier: Apache-2.0
"""A fake phone camera: an MJPEG stream over HTTP on loopback."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.streamer import PERIOD_S, Streamer


class Phone(Streamer):
    """Sends its current image to every client. A context manager."""

    def __init__(self, port: int = 0) -> None:
        """*port*: 0 for any that is free."""
        self._picture = b""
        self._number = 0
        self.sent = 0
        """The number of the newest image that was sent to a client."""
        self.is_silent = False
        """True: connections stay open without data."""
        phone = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
                self.end_headers()
                phone.stream(self.wfile)

            def log_message(self, *_: Any) -> None:
                pass

        super().__init__(ThreadingHTTPServer, Handler, port)

    @property
    def address(self) -> str:
        """The address that a player types."""
        return f"http://127.0.0.1:{self.port}/video"

    def hold(self, image: NDArray[np.uint8]) -> int:
        """Send *image* from now on; returns its number."""
        packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        with self._news:
            self._picture = packed
            self._number += 1
            return self._number

    def show(self, image: NDArray[np.uint8], timeout_s: float = 60.0) -> None:
        """Show *image*; returns when a client has it.

        Raises `TimeoutError` if no client asks.
        """
        wanted = self.hold(image)
        with self._news:
            if not self._news.wait_for(lambda: self.sent >= wanted, timeout_s):
                raise TimeoutError("nobody fetches pictures")

    def stream(self, out: Any) -> None:
        """Send images until the client or the phone goes away."""
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
