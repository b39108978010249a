# SPDX-License-Identifier: Apache-2.0
"""The usual reasons of the operating system as messages, the same on every system.

A usual reason is identified by its number. The text of the system depends on the system, and on
Windows also on its language, so it is used only for numbers that are not listed here.
"""

from __future__ import annotations

import errno
from typing import Final

from companion.model.phrase import Phrase

_NOT_PERMITTED: Final = Phrase("Permission denied")
_BROKEN_CONNECTION: Final = Phrase("Connection reset by peer")

REASONS: Final = {
    errno.ENOENT: Phrase("No such file or directory"),
    errno.EACCES: _NOT_PERMITTED,
    errno.EPERM: _NOT_PERMITTED,
    errno.EISDIR: Phrase("Is a directory"),
    errno.ENOTDIR: Phrase("Not a directory"),
    errno.EROFS: Phrase("Read-only file system"),
    errno.ENOSPC: Phrase("No space left on device"),
    errno.EIO: Phrase("Input/output error"),
    errno.ENODEV: Phrase("No such device"),
    errno.EBUSY: Phrase("Device or resource busy"),
    errno.EMFILE: Phrase("Too many open files"),
    errno.EADDRINUSE: Phrase("Address already in use"),
    errno.EADDRNOTAVAIL: Phrase("Cannot assign requested address"),
    errno.ECONNREFUSED: Phrase("Connection refused"),
    errno.ECONNRESET: _BROKEN_CONNECTION,
    errno.ECONNABORTED: _BROKEN_CONNECTION,
    errno.EPIPE: _BROKEN_CONNECTION,
    errno.ETIMEDOUT: Phrase("Connection timed out"),
    errno.ENETUNREACH: Phrase("Network is unreachable"),
    errno.EHOSTUNREACH: Phrase("No route to host"),
}
"""The texts of Linux."""
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
"""Windows numbers that Python maps to a vaguer errno.

Source: system error codes in Microsoft's documentation.
"""


def reason_of(fault: OSError) -> str:
    """Why *fault* occurred, without its number and the names of files."""
    number = _OF_WINDOWS.get(getattr(fault, "winerror", None) or 0, fault.errno)
    if number in REASONS:
        return REASONS[number]
    return fault.strerror or str(fault) or Phrase("timed out")
