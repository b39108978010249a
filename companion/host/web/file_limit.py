# SPDX-License-Identifier: Apache-2.0
"""How many files this program may have open, sockets included, and how many of them connections may take.

Rule: boards, journals and the store are never short of files because of who connects.
"""

from __future__ import annotations

import contextlib
import socket as sockets
from typing import Final

from companion.host.web.connections import PER_ADDRESS, Room

try:
    import fcntl
    import resource
except ImportError:  # Windows counts neither; select() there takes sockets only
    fcntl = resource = None  # type: ignore[assignment]

_WANTED: Final = 8192
"""More than macOS allows at any rate."""
_FILES: Final = 256
"""For everything but connections: two for each board of this process, and the rest."""
LOW: Final = 1024
"""Below, files can be waited for by `select`, as pyserial does."""
_UNKNOWN: Final = 2048
"""Where the system counts no files."""


def raise_file_limit() -> int:
    """Allow this program as many open files as the system lets it, within reason; returns how many."""
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
    """Places for the connections of a server that gets *share* of all files that connections may have."""
    limit = raise_file_limit()
    usable = limit - LOW if is_plenty(limit) else min(limit, LOW) - min(_FILES, limit // 2)
    most = max(8, int(usable * share))
    return Room(most, per_address, reserved=most // 8 + 1)


def is_plenty(limit: int) -> bool:
    """True if with *limit* files, connections need none of the numbers below `LOW`."""
    return fcntl is not None and limit >= 4 * LOW


def above_low(connection: sockets.socket) -> sockets.socket:
    """*connection* with a number that leaves those below `LOW` to other files. Raises `OSError` if there is none."""
    if fcntl is None or connection.fileno() >= LOW:
        return connection
    with connection:
        number = fcntl.fcntl(connection.fileno(), fcntl.F_DUPFD_CLOEXEC, LOW)
        moved = sockets.socket(connection.family, connection.type, connection.proto, fileno=number)
        moved.setblocking(False)
        return moved
