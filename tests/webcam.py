# SPDX-License-Identifier: Apache-2.0
"""A fake network camera: RTSP on loopback with motion JPEG over its connection.

Sources: RFC 2326 (RTSP 1.0), RFC 3550 (RTP), RFC 2435 (RTP payload of JPEG).
"""

from __future__ import annotations

import socketserver
import struct
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.streamer import PERIOD_S, Streamer

_RATE_HZ: Final = 90_000
_PIECE: Final = 1400
"""Bytes of an image in a packet."""
_JPEG: Final = 26
"""The payload type."""
_MARKED: Final = 0x80
_YUV420: Final = 1
_OWN_TABLES: Final = 255
"""The packets carry the image's own quantization tables."""


class NetworkCamera(Streamer):
    """Sends its image to every client. A context manager."""

    def __init__(self) -> None:
        self._picture: NDArray[np.uint8] | None = None
        camera = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                camera.serve(self)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            block_on_close = True

        super().__init__(Server, Handler)

    @property
    def address(self) -> str:
        """The address that a player types."""
        return f"rtsp://127.0.0.1:{self.port}/table"

    def hold(self, image: NDArray[np.uint8]) -> None:
        """Send *image* from now on: (height, width), both multiples of eight."""
        with self._news:
            self._picture = image

    def serve(self, line: socketserver.StreamRequestHandler) -> None:
        """Answer one client's requests; send images from PLAY until either side closes."""
        while True:
            request, headers = _request(line)
            if not request:
                return
            verb = request.split()[0]
            more, body = "", ""
            if verb == "OPTIONS":
                more = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
            elif verb == "DESCRIBE":
                body = f"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=table\r\nt=0 0\r\nm=video 0 RTP/AVP {_JPEG}\r\na=control:trackID=0\r\n"
                more = "Content-Type: application/sdp\r\n"
            elif verb == "SETUP" and "TCP" not in headers.get("transport", ""):
                _answer(line, headers, "461 Unsupported Transport")
                continue
            elif verb == "SETUP":
                more = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n"
            elif verb == "PLAY":
                more = "Session: 1\r\n"
            _answer(line, headers, "200 OK", more, body)
            if verb == "PLAY":
                self._stream(line)
                return
            if verb == "TEARDOWN":
                return

    def _stream(self, line: socketserver.StreamRequestHandler) -> None:
        """Send the image repeatedly."""
        number = sequence = 0
        while True:
            with self._news:
                self._news.wait_for(lambda: self._is_over, PERIOD_S)
                if self._is_over:
                    return
                picture = self._picture
            if picture is None:
                continue
            try:
                for payload, is_last in _packets(picture):
                    mark = _MARKED if is_last else 0
                    stamp = int(number * PERIOD_S * _RATE_HZ)
                    head = struct.pack(">BBHII", 0x80, mark | _JPEG, sequence & 0xFFFF, stamp, 1)
                    packet = head + payload
                    line.wfile.write(struct.pack(">cBH", b"$", 0, len(packet)) + packet)
                    sequence += 1
            except OSError:
                return
            number += 1


def _request(line: socketserver.StreamRequestHandler) -> tuple[str, dict[str, str]]:
    """The next request's first line and its lower-case headers; empty at the end."""
    lines: list[str] = []
    while (text := line.rfile.readline().decode("ascii", "replace").strip()) or not lines:
        if not text:
            return "", {}
        lines.append(text)
    pairs = (text.partition(":") for text in lines[1:])
    return lines[0], {name.lower(): value.strip() for name, _, value in pairs}


def _answer(
    line: socketserver.StreamRequestHandler,
    headers: dict[str, str],
    status: str,
    more: str = "",
    body: str = "",
) -> None:
    """Reply *status*."""
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    line.wfile.write(
        f"RTSP/1.0 {status}\r\nCSeq: {headers.get('cseq', '0')}\r\n{more}{length}\r\n{body}".encode("ascii")
    )


def _packets(picture: NDArray[np.uint8]) -> list[tuple[bytes, bool]]:
    """The payloads of *picture*, each with a flag for the last."""
    colour = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    sampling = [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420]
    data = cv2.imencode(".jpg", colour, [cv2.IMWRITE_JPEG_QUALITY, 90, *sampling])[1].tobytes()
    tables, at = b"", 2
    while data[at + 1] != 0xDA:  # up to the scan data
        (length,) = struct.unpack(">H", data[at + 2 : at + 4])
        if data[at + 1] == 0xDB:
            segment = data[at + 4 : at + 2 + length]
            tables += b"".join(segment[start + 1 : start + 65] for start in range(0, len(segment), 65))
        at += 2 + length
    (length,) = struct.unpack(">H", data[at + 2 : at + 4])
    scan = data[at + 2 + length : -2]
    height, width = picture.shape
    found = []
    for start in range(0, len(scan), _PIECE):
        head = struct.pack(">I4B", start, _YUV420, _OWN_TABLES, width // 8, height // 8)
        own = struct.pack(">BBH", 0, 0, len(tables)) + tables if start == 0 else b""
        found.append((head + own + scan[start : start + _PIECE], start + _PIECE >= len(scan)))
    return found
