# SPDX-License-Identifier: Apache-2.0
"""Pseudo-terminals: panels as serial devices, and programs with a readable screen."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

import pyte

from companion.host.clock import Clock
from companion.virtual.panel import VirtualPanel
from tests import programs


class Device(Protocol):
    """A simulated panel or board."""

    def feed(self, data: bytes, now_ms: int) -> None: ...

    def bytes_to_send(self, now_ms: int) -> bytes: ...

    def next_deadline_ms(self) -> int: ...


class TerminalPanel:
    """*panel* behind a pseudo-terminal within the context; *link* is the device's name."""

    def __init__(self, panel: Device, clock: Clock, link: Path) -> None:
        self.panel = panel
        self.lock = threading.Lock()
        """Held by code that touches the panel."""
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
        """Unplug the panel."""
        self._link.unlink()
        os.close(self._wake)
        self._thread.join()
        for each in (self._far, self._near, self._waking):
            os.close(each)

    def act(self, action: Callable[[int], None]) -> None:
        """Call *action* with the present time; it changes the panel."""
        with self.lock:
            action(self._clock())
        os.write(self._wake, b"x")

    def close(self, cell: int) -> None:
        """Put a piece on *cell*."""
        assert isinstance(self.panel, VirtualPanel)
        self.act(partial(self.panel.close, cell))

    def _play(self) -> None:
        """Transfer bytes until the panel is unplugged."""
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


class ScreenOf:
    """`companion` with *words* in its own terminal within the context; `lines` is its screen."""

    def __init__(
        self,
        *words: str,
        columns: int = 80,
        rows: int = 24,
        libraries: Path | None = None,
        **surroundings: str,
    ) -> None:
        """Modules in the folder *libraries*, if given, come before those that are installed."""
        self._words = words
        self._libraries = libraries
        self._surroundings: Mapping[str, str] = {**os.environ, "TERM": "xterm-256color", **surroundings}
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.sent = b""
        """All output of the program."""

    def __enter__(self) -> ScreenOf:
        import fcntl  # not on every system
        import struct
        import termios

        self._far, near = os.openpty()
        size = struct.pack("HHHH", self.screen.lines, self.screen.columns, 0, 0)
        fcntl.ioctl(near, termios.TIOCSWINSZ, size)
        self.program = self._start(near)
        os.close(near)
        return self

    def _start(self, near: int) -> programs.Program | subprocess.Popen[bytes]:
        """Start the program, in a fresh process if it needs other libraries."""
        if self._libraries is None:
            return programs.Program(
                "companion",
                self._words,
                stdin=near,
                stdout=near,
                stderr=near,
                env=self._surroundings,
                start_new_session=True,
            )
        return subprocess.Popen(
            [sys.executable, "-m", "companion", *self._words],
            stdin=near,
            stdout=near,
            stderr=near,
            env={**self._surroundings, "PYTHONPATH": str(self._libraries)},
            start_new_session=True,
        )

    def __exit__(self, *_raised: object) -> None:
        if self.program.poll() is None:
            self.program.kill()
            self.program.wait()
        os.close(self._far)

    @property
    def keyboard(self) -> int:
        """Descriptor of the terminal, which has its settings."""
        return self._far

    @property
    def lines(self) -> list[str]:
        """The lines of the screen."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    def type(self, line: str) -> None:
        """Type *line* and press Enter."""
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        """Press *keys*."""
        os.write(self._far, keys.encode())

    def until(self, holds: Callable[[], bool], seconds: float = 60) -> None:
        """Read the output until *holds* is true.

        Fails if the program ends before, or on a timeout.
        """
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, self.text
            assert self._read(0.5) or self.program.poll() is None, self.text

    def wait(self) -> int:
        """Read until the program ends; returns its exit code."""
        while self._read(60):
            pass
        return self.program.wait()

    def _read(self, seconds: float) -> bool:
        """Read for at most *seconds*; False if there was no output."""
        ready, _, _ = select.select([self._far], [], [], seconds)
        if not ready:
            return False
        try:
            heard = os.read(self._far, 65536)
        except OSError:  # Linux reports this when the other end is closed
            return False
        self.sent += heard
        self._stream.feed(heard)
        return bool(heard)
