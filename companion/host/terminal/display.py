# SPDX-License-Identifier: Apache-2.0
"""Output of a terminal: drawn in place, or line by line without cursor control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from rich.console import Console
from rich.text import Text

from companion.feedback.screen import Size
from companion.host.terminal.keyboard import PROMPT, LineEditor

_LEAST: Final = Size(40, 12)
"""Smallest size that is drawn for."""
_ALTERNATE, _ORDINARY = "\x1b[?1049h\x1b[2J", "\x1b[?1049l"
_REMEMBER, _RETURN = "\x1b7", "\x1b8"
_CLEAR_LINE, _CLEAR_REST = "\x1b[K", "\x1b[J"


class Display(Protocol):
    """Output device of a screen."""

    is_patient: bool
    """True to show only lasting states: no piece in the hand, no running clock."""

    def show(self, lines: Sequence[Text], news: Sequence[str]) -> None:
        """Show *lines*; *news* are the messages since the last call."""
        ...

    def typed(self) -> None:
        """Note the end of an input line."""
        ...

    def size(self) -> Size:
        """Return the size without the input line."""
        ...


class FullScreen:
    """The alternate screen inside a `with` block; the former content returns afterwards."""

    is_patient = False

    def __init__(self, console: Console, editor: LineEditor | None = None) -> None:
        self._console = console
        self._editor = editor
        self._drawn = Size(0, 0)

    def __enter__(self) -> FullScreen:
        self._write(_ALTERNATE)
        return self

    def __exit__(self, *_raised: object) -> None:
        self._write(_ORDINARY)

    def size(self) -> Size:
        """Return the size without the last line, where the input scrolls."""
        columns, rows = self._console.size
        return Size(max(columns, _LEAST.columns), max(rows - 1, _LEAST.rows))

    def show(self, lines: Sequence[Text], _news: Sequence[str]) -> None:
        """Draw every line in place without moving the cursor."""
        size = self.size()
        if size != self._drawn:
            is_first = self._drawn == Size(0, 0)
            self._drawn = size
            self._write(f"\x1b[2J{self._input_line()}")
            if self._editor is not None and is_first:
                self._editor.prompt()
            elif self._editor is not None:
                self._write(PROMPT + self._editor.typed)
        rows = [*lines, *[Text()] * (size.rows - len(lines))]
        drawn = [f"\x1b[{row};1H{self._coded(line)}{_CLEAR_LINE}" for row, line in enumerate(rows, start=1)]
        self._write(_REMEMBER + "".join(drawn) + _RETURN)

    def typed(self) -> None:
        """Clear the input line."""
        self._write(self._input_line())
        if self._editor is not None:
            self._editor.prompt()

    def _input_line(self) -> str:
        """Return the codes that start an empty input line."""
        prompt = PROMPT if self._editor is None else ""  # the editor writes its own
        return f"\x1b[{self.size().rows + 1};1H{_CLEAR_REST}{prompt}"

    def _coded(self, line: Text) -> str:
        """Return *line* with as much colour as the terminal supports."""
        with self._console.capture() as captured:
            self._console.print(line, end="", soft_wrap=True)
        return captured.get()

    def _write(self, codes: str) -> None:
        """Send *codes* unchanged."""
        self._console.file.write(codes)
        self._console.file.flush()


def can_draw(console: Console) -> bool:
    """True if *console* is a terminal with cursor control."""
    return console.is_terminal and not console.is_dumb_terminal and not console.legacy_windows


class PlainLines:
    """Output without cursor control: news line by line, and the board when it changes."""

    is_patient = True

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: list[str] = []

    def size(self) -> Size:
        """Return the width of the console; the height is unlimited."""
        return Size(max(self._console.width, _LEAST.columns), 1000)

    def show(self, lines: Sequence[Text], news: Sequence[str]) -> None:
        """Print *news*, and *lines* if they have changed."""
        for said in news:
            self._print(said)
        plain = [line.plain.rstrip() for line in lines]
        if plain != self._shown:
            self._print("\n".join(plain))
            self._shown = plain

    def typed(self) -> None:
        """Do nothing."""

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)
