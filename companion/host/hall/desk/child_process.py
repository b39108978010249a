# SPDX-License-Identifier: Apache-2.0
"""How a process begins that works for another one of the program."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from typing import Final

_NICE: Final = 5
"""Niceness of the process, where supported."""


def begin() -> None:
    """Leave signals to the parent process, and end with it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICE)
    threading.Thread(target=_end_with_the_parent, daemon=True, name="parent").start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
