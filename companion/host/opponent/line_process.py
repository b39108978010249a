# SPDX-License-Identifier: Apache-2.0
"""A process that is asked and answers in lines.

Its rule: nothing waits without a limit, and a process that does not end is killed, also when this
one is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
from collections.abc import Iterable, Sequence
from typing import Final

from companion.host.clock import Clock
from companion.host.opponent.bound import bound
from companion.model.errors import OpponentError

_LONGEST_LINE: Final = 1 << 20
_NICENESS: Final = 10
"""So that a table on the same processor is as quick as without the process."""
_LONGEST_SAID: Final = 200
_END_MS: Final = 1000
"""Time to end after the last command."""


class LineProcess:
    """A running process; `start` makes it."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.name = name
        self.last_words = ""
        """The last line that is not empty, or its beginning."""
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout

    @classmethod
    async def start(cls, name: str, command: Sequence[str], *, is_foreign: bool = False) -> LineProcess:
        """Start *command*, called *name* in messages. Raises `OpponentError`.

        One that *is_foreign* gets a low priority, ends with this process, and its errors are read
        like its answers. It runs in its own folder, where its books and networks are.
        """
        folder = None
        try:
            if is_foreign:
                program, folder = _found(command[0])
                command = bound([program, *command[1:]])
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT if is_foreign else asyncio.subprocess.DEVNULL,
                limit=_LONGEST_LINE,
                cwd=folder,
            )
        except OSError as fault:
            raise OpponentError(
                "{name} cannot be started: {reason}. Install it again, or leave it out",
                name=name,
                reason=fault,
            ) from fault
        if is_foreign and hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):  # it may have ended already
                os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        return cls(name, process)

    def send(self, lines: Iterable[str]) -> None:
        """Send *lines*; a process that has ended does not read them."""
        with contextlib.suppress(OSError):
            self._stdin.write("".join(f"{line}\n" for line in lines).encode())

    async def line(self, clock: Clock, most_ms: int) -> str:
        """Return the next line before *clock* shows *most_ms*.

        Raises `OpponentError` then, and at the end of the process.
        """
        try:
            async with asyncio.timeout(max(most_ms - clock(), 0) / 1000):
                await asyncio.sleep(0)  # so that lines without end do not outlast the time limit
                line = await self._stdout.readline()
        except TimeoutError as fault:
            raise OpponentError(
                "{name} has not answered for {seconds:.1f} s and is stopped",
                name=self.name,
                seconds=most_ms / 1000,
            ) from fault
        except ValueError as fault:
            raise OpponentError("{name} sends lines without end and is stopped", name=self.name) from fault
        text = line.decode(errors="replace").rstrip("\r\n")
        self.last_words = text[:_LONGEST_SAID].strip() or self.last_words
        if not line.endswith(b"\n"):
            raise OpponentError("{name} has ended unexpectedly", name=self.name)
        return text

    async def close(self, farewell: str) -> None:
        """Send *farewell*, wait a little, and kill the process if it still runs."""
        self.send([farewell])
        with contextlib.suppress(OSError):
            self._stdin.close()
        if not await self._has_ended():
            await self.kill()

    async def kill(self) -> None:
        """End the process at once."""
        if self._stdout.at_eof() and await self._has_ended():
            return  # a signal to it would fetch its exit code from asyncio, which says so
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_MS / 1000):
                while await self._stdout.read(_LONGEST_LINE):
                    pass  # the pipe is closed only when it has been read
        await self._process.wait()

    async def _has_ended(self) -> bool:
        """Return whether the process ends in a little time."""
        try:
            await asyncio.wait_for(self._process.wait(), _END_MS / 1000)
        except TimeoutError:
            return False
        return True


def _found(program: str) -> tuple[str, str]:
    """Return the path of *program* and its folder. Raises `OSError` without such a program."""
    path = shutil.which(program)
    if path is not None:
        path = os.path.abspath(path)
        return path, os.path.dirname(path)
    code = errno.EACCES if os.path.exists(program) else errno.ENOENT
    raise OSError(code, os.strerror(code), program)
