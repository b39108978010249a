# SPDX-License-Identifier: Apache-2.0
"""Images that another device sends, such as a phone: the newest waits to be fetched."""

from __future__ import annotations

import threading


class SentImages:
    """A mailbox for one encoded image; any thread may use it."""

    def __init__(self) -> None:
        """No image has come."""
        self._fresh = threading.Condition()
        self._newest: bytes | None = None

    def put(self, packed: bytes) -> None:
        """Replace the waiting image, if any, by *packed*, a JPEG or PNG file."""
        with self._fresh:
            self._newest = packed
            self._fresh.notify_all()

    def take(self, timeout_s: float) -> bytes | None:
        """The waiting image, or the next one; None after the timeout."""
        with self._fresh:
            self._fresh.wait_for(lambda: self._newest is not None, timeout_s)
            packed, self._newest = self._newest, None
            return packed
