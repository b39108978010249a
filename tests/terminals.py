# SPDX-License-Identifier: Apache-2.0
"""Panels at the end of a pseudo-terminal: what pyserial opens is a device, and a thread plays the panel behind it."""

from __future__ import annotations

import os
import select
import threading
from pathlib import Path

from companion.host.clock import Clock
from companion.virtual.panel import VirtualPanel


class TerminalPanel:
    """*panel* behind a pseudo-terminal, for as long as the context lasts; *link* is the device's name."""

    def __init__(self, panel: VirtualPanel, clock: Clock, link: Path) -> None:
        self.panel = panel
        self.lock = threading.Lock()
        """To be held by whoever touches the panel."""
        self._clock = clock
        self._link = link

    def __enter__(self) -> TerminalPanel:
        import tty  # not on every system

        self._far, self._near = os.openpty()
        tty.setraw(self._near)
        self._link.symlink_to(os.ttyname(self._near))
        self._waking, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._play, name="panel behind a terminal")
        self._thread.start()
        return self

    def __exit__(self, *_raised: object) -> None:
        """Pull the plug."""
        self._link.unlink()
        os.close(self._wake)
        self._thread.join()
        for each in (self._far, self._near, self._waking):
            os.close(each)

    def close(self, cell: int) -> None:
        """A piece stands on *cell* from now on."""
        with self.lock:
            self.panel.close(cell, self._clock())
        os.write(self._wake, b"x")

    def _play(self) -> None:
        """Move bytes until the plug is pulled."""
        while True:
            with self.lock:
                said = self.panel.bytes_to_send(self._clock())
                wait_ms = max(self.panel.next_deadline_ms() - self._clock(), 0)
            if said:
                os.write(self._far, said)
            ready, _, _ = select.select([self._far, self._waking], [], [], wait_ms / 1000)
            if self._waking in ready and not os.read(self._waking, 100):
                return
            if self._far in ready:
                heard = os.read(self._far, 4096)
                with self.lock:
                    self.panel.feed(heard, self._clock())
