# SPDX-License-Identifier: Apache-2.0
"""Reasons of system errors in the same English words everywhere, as `faults` translates them.

Its rule: common reasons are recognised by number, since the system's own text depends on the
system, and on Windows also on its language.
"""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Final
from urllib.error import URLError

REASONS: Final = {
    errno.ENOENT: "No such file or directory",
    errno.EACCES: "Permission denied",
    errno.EPERM: "Permission denied",
    errno.EROFS: "Read-only file system",
    errno.ENOSPC: "No space left on device",
    errno.EIO: "Input/output error",
    errno.ENODEV: "No such device",
    errno.EBUSY: "Device or resource busy",
    errno.EMFILE: "Too many open files",
    errno.ECONNREFUSED: "Connection refused",
    errno.ECONNRESET: "Connection reset by peer",
    errno.ECONNABORTED: "Connection reset by peer",
    errno.EPIPE: "Connection reset by peer",
    errno.ETIMEDOUT: "Connection timed out",
    errno.ENETUNREACH: "Network is unreachable",
    errno.EHOSTUNREACH: "No route to host",
}
"""As on Linux."""
_OF_WINDOWS: Final = {
    3: errno.ENOENT,
    19: errno.EROFS,
    21: errno.ENODEV,
    32: errno.EBUSY,
    33: errno.EBUSY,
    39: errno.ENOSPC,
    53: errno.EHOSTUNREACH,
    64: errno.ECONNRESET,
    112: errno.ENOSPC,
    121: errno.ETIMEDOUT,
    1117: errno.EIO,
    1225: errno.ECONNREFUSED,
    1231: errno.ENETUNREACH,
    1232: errno.EHOSTUNREACH,
    1236: errno.ECONNABORTED,
}
"""Windows error codes that Python maps less precisely, from Microsoft's documentation."""
UNKNOWN_NAME: Final = "Name or service not known"
NOBODY_TO_ASK: Final = "Temporary failure in name resolution"


def why(fault: BaseException) -> str:
    """Return the reason of *fault* in English, without numbers and file names."""
    if isinstance(fault, URLError) and isinstance(fault.reason, BaseException):
        return why(fault.reason)
    if isinstance(fault, socket.gaierror):  # these have their own numbers
        return NOBODY_TO_ASK if fault.errno == socket.EAI_AGAIN else UNKNOWN_NAME
    if not isinstance(fault, OSError) or isinstance(fault, ssl.SSLError):
        return str(fault)
    number = _OF_WINDOWS.get(getattr(fault, "winerror", None) or 0, fault.errno)
    if number in REASONS:
        return REASONS[number]
    return fault.strerror or str(fault) or "timed out"
