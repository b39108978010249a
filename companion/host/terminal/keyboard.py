# SPDX-License-Identifier: Apache-2.0
"""Input of a terminal by lines, with editing and completion where the system has them.

Its rule: a thread reads the lines, since nothing can interrupt it; the event loop gets them.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, Final

Lines = asyncio.Queue[str | None]
"""Typed lines; None at the end of input."""

PROMPT: Final = "> "

Complete = Callable[[str], Sequence[str]]
"""Returns the words that may stand at the end of the typed text."""

Offer = Callable[[Sequence[str]], None]
"""Shows several words that may be typed."""


def keyboard(lines: Lines) -> None:
    """Read typed lines into *lines* from a daemon thread, which nothing can interrupt."""
    hand_on = _handing_on(lines)
    threading.Thread(target=_read, args=(hand_on,), name="keyboard", daemon=True).start()


def _handing_on(lines: Lines) -> Callable[[str | None], None]:
    """Return a function for other threads that puts a line into *lines*."""
    loop = asyncio.get_running_loop()

    def hand_on(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    return hand_on


def _read(hand_on: Callable[[str | None], None]) -> None:
    """Read unbuffered standard input: the buffer's lock would be held at exit."""
    raw = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    decoder = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")(errors="replace")
    text = ""
    while data := raw.read(4096):
        text += decoder.decode(data)
        *whole, text = text.split("\n")
        for line in whole:
            hand_on(line.rstrip("\r"))
    hand_on(None)


class LineEditor:
    """Edited input with history and completion, by the system's readline.

    A line is read when `prompt` asks for it, so that a screen can be drawn before.
    """

    def __init__(self, readline: ModuleType, lines: Lines, complete: Complete, offer: Offer) -> None:
        """*offer* shows several possible words; it is called in the event loop."""
        self._readline: Any = readline
        self._hand_on = _handing_on(lines)
        self._complete = complete
        self._found: Sequence[str] = ()
        self._turn = threading.Semaphore(0)
        loop = asyncio.get_running_loop()

        def show(_typed: str, words: Sequence[str], _longest: int) -> None:
            loop.call_soon_threadsafe(offer, words)

        readline.set_completer(self._word)
        readline.set_completer_delims(" ")
        readline.set_completion_display_matches_hook(show)
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
        threading.Thread(target=self._read, name="keyboard", daemon=True).start()

    def prompt(self) -> None:
        """Let the next line be typed, where the cursor is."""
        self._turn.release()

    @property
    def typed(self) -> str:
        """The line so far."""
        return str(self._readline.get_line_buffer())

    def _read(self) -> None:
        """Read lines until the end of the input."""
        while self._turn.acquire():
            try:
                line = input(PROMPT)
            except EOFError:
                self._hand_on(None)
                return
            self._hand_on(line)

    def _word(self, _text: str, number: int) -> str | None:
        """Return possible word *number*, as readline asks for it."""
        if number == 0:
            self._found = self._complete(self.typed[: self._readline.get_endidx()])
        return self._found[number] if number < len(self._found) else None


@contextlib.contextmanager
def editing(lines: Lines, complete: Complete, offer: Offer) -> Iterator[LineEditor | None]:
    """Read edited lines into *lines* within the context; None where there is no readline.

    Afterwards the terminal has its former settings: the thread cannot restore them.
    """
    try:
        import readline
        import termios
    except ImportError:  # Windows
        keyboard(lines)
        yield None
        return
    settings = termios.tcgetattr(sys.stdin)
    try:
        yield LineEditor(readline, lines, complete, offer)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
