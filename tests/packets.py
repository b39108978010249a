# SPDX-License-Identifier: Apache-2.0
"""Simulated eboards behind sockets that keep packets apart, as USB and Bluetooth LE do."""

from __future__ import annotations

import os
import select
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from companion.host.clock import Clock
from tests.terminals import Device

LIBRARIES = Path(__file__).parent / "simulated_libraries"


class PacketEboard:
    """*eboard* behind the socket *path* within the context; leaving it switches the eboard off."""

    def __init__(self, eboard: Device, clock: Clock, path: Path, longest: int = 4096) -> None:
        """The eboard sends packets of at most *longest* bytes."""
        self._eboard = eboard
        self._clock = clock
        self._path = path
        self._longest = longest
        self._lock = threading.Lock()

    def __enter__(self) -> PacketEboard:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(self._path))
        self._listener.listen(1)
        self._waking, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._play, name="board behind a socket")
        self._thread.start()
        return self

    def __exit__(self, *_raised: object) -> None:
        """Switch the eboard off."""
        self._path.unlink()
        os.close(self._wake)
        self._thread.join()
        self._listener.close()
        os.close(self._waking)

    def act(self, action: Callable[[int], None]) -> None:
        """Call *action* with the present time; it changes the eboard."""
        with self._lock:
            action(self._clock())
        os.write(self._wake, b"x")

    def _play(self) -> None:
        """Serve one host after another until the eboard is switched off."""
        host: socket.socket | None = None
        while True:
            with self._lock:
                said = self._eboard.bytes_to_send(self._clock())
                wait_ms = max(self._eboard.next_deadline_ms() - self._clock(), 0)
            if said and host is not None:
                for at in range(0, len(said), self._longest):
                    host.send(said[at : at + self._longest])
            sources: list[socket.socket | int] = [self._listener if host is None else host, self._waking]
            ready, _, _ = select.select(sources, [], [], 0 if said else wait_ms / 1000)
            if self._waking in ready and not os.read(self._waking, 100):
                break
            if self._listener in ready:
                host, _ = self._listener.accept()
            elif host is not None and host in ready:
                host = self._hear(host)
        if host is not None:
            host.close()

    def _hear(self, host: socket.socket) -> socket.socket | None:
        """Pass on a packet of *host*; None if it has gone."""
        heard = host.recv(4096)
        if not heard:
            host.close()
            return None
        with self._lock:
            self._eboard.feed(heard, self._clock())
        return host
