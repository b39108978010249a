# SPDX-License-Identifier: Apache-2.0
"""Limit of open files, sockets included, and the share for connections.

Its rule: connections never leave boards, journals and the store short of files.
"""

from __future__ import annotations

import contextlib
import socket as sockets
from typing import Final

from companion.host.web.connections import PER_ADDRESS, Room

try:
    import fcntl
    import resource
except ImportError:  # Windows has neither; its select() takes only sockets
    fcntl = resource = None  # type: ignore[assignment]

_WANTED: Final = 8192
"""More than macOS ever allows."""
_FILES: Final = 256
"""For everything but connections: two per board of this process, and the rest."""
LOW: Final = 1024
"""Descriptors below can be used with `select`, as pyserial does."""
_UNKNOWN: Final = 2048
"""Assumed limit where the system has none."""


def raise_file_limit() -> int:
    """Raise the limit of open files as far as useful and allowed; return it."""
    if resource is None:
        return _UNKNOWN
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return _WANTED if soft == resource.RLIM_INFINITY else soft


def room_for(share: float = 1.0, per_address: int = PER_ADDRESS) -> Room:
    """Return the limits for a server that gets *share* of all files for connections."""
    limit = raise_file_limit()
    usable = limit - LOW if is_plenty(limit) else min(limit, LOW) - min(_FILES, limit // 2)
    most = max(8, int(usable * share))
    return Room(most, per_address, reserved=most // 8 + 1)


def is_plenty(limit: int) -> bool:
    """True if *limit* is high enough to keep connections out of the descriptors below `LOW`."""
    return fcntl is not None and limit >= 4 * LOW


def above_low(connection: sockets.socket) -> sockets.socket:
    """Move *connection* to a descriptor of at least `LOW`. Raises `OSError` if none is free."""
    if fcntl is None or connection.fileno() >= LOW:
        return connection
    with connection:
        number = fcntl.fcntl(connection.fileno(), fcntl.F_DUPFD_CLOEXEC, LOW)
        moved = sockets.socket(connection.family, connection.type, connection.proto, fileno=number)
        moved.setblocking(False)
        return moved
