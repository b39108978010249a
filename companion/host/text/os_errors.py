# SPDX-License-Identifier: Apache-2.0
"""Reasons of errors of the operating system, name look-ups and libraries, as messages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from companion.model.errors import CompanionError
from companion.model.os_errors import reason_of
from companion.model.phrase import Phrase

UNKNOWN_NAME: Final = Phrase("Name or service not known")
NOBODY_TO_ASK: Final = Phrase("Temporary failure in name resolution")


def why(fault: BaseException) -> str:
    """Why *fault* occurred, without numbers and names of files."""
    import socket  # these are slow to import, and needed for a fault only
    import ssl
    from urllib.error import URLError

    if isinstance(fault, URLError) and isinstance(fault.reason, BaseException):
        return why(fault.reason)
    if isinstance(fault, socket.gaierror):  # these have their own numbers
        return NOBODY_TO_ASK if fault.errno == socket.EAI_AGAIN else UNKNOWN_NAME
    if not isinstance(fault, OSError) or isinstance(fault, ssl.SSLError):
        return str(fault)
    return reason_of(fault)


@contextlib.contextmanager
def reporting(message: str, error: type[CompanionError], **values: object) -> Iterator[None]:
    """Raise *error* with *message* where the operating system refuses something in the block.

    The message has a gap `{reason}`.
    """
    try:
        yield
    except OSError as fault:
        raise error(message, **values, reason=why(fault)) from fault
