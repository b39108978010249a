# SPDX-License-Identifier: Apache-2.0
"""A process that ends with the one that started it, on Linux.

It does so even if that is killed, and if it does not read the end of its input.

`python bound.py PARENT PROGRAM [WORD…]` becomes PROGRAM unless the process PARENT has ended. Other
systems have nothing like it; there a program ends when it reads the end of its input.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

_ON_PARENTS_DEATH: Final = 1
"""PR_SET_PDEATHSIG of prctl(2); it outlasts execve(2)."""


def bound(command: Sequence[str]) -> list[str]:
    """Return the words that start *command* as a program that ends with this process."""
    if sys.platform != "linux":
        return list(command)
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def end_with_parent() -> None:
    """Let this process be killed when the thread that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ON_PARENTS_DEATH, signal.SIGKILL)


def _become(parent: int, command: Sequence[str]) -> None:
    """Become *command*, unless the process *parent* has ended."""
    end_with_parent()
    if os.getppid() == parent:
        os.execvp(command[0], list(command))


if __name__ == "__main__":
    _become(int(sys.argv[1]), sys.argv[2:])
