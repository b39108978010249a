# SPDX-License-Identifier: Apache-2.0
"""A table in a terminal: screen output and typed input.

Its rule: the terminal stays in its normal line mode, so that the system echoes and edits the input,
the same everywhere. The screen is drawn around the input line, which is never touched while
somebody types. Without cursor control, news is printed line by line.
"""

from __future__ import annotations

import asyncio
import codecs
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from rich.console import Console
from rich.text import Text

from companion.feedback import letters, screen
from companion.feedback.letters import Letters
from companion.feedback.screen import Size, Surroundings
from companion.host.table.game_setup import TableGame
from companion.host.table.link_status import LinkState
from companion.host.table.page_state import refusal
from companion.host.table.table import Table
from companion.host.terminal.parser import (
    Context,
    Hands,
    Perform,
    Quit,
    Reply,
    hint,
    typed_answer,
    understand,
)
from companion.host.virtual_table.hands import PressClock
from companion.model.moves import is_traceless
from companion.referee.questions import Question
from companion.referee.view import Phase, TableView

LOG_LINES: Final = 100
_LOOK_MS: Final = 1000
"""Redraw interval without events, for clocks and window size changes."""
_LEAST: Final = Size(40, 12)
"""Smallest size that is drawn for."""
_ALTERNATE, _ORDINARY = "\x1b[?1049h\x1b[2J", "\x1b[?1049l"
_REMEMBER, _RETURN = "\x1b7", "\x1b8"
_CLEAR_LINE, _CLEAR_REST = "\x1b[K", "\x1b[J"
_PROMPT: Final = "> "
_ASCII: Final = str.maketrans(
    {
        **dict(zip(letters.ARROWS, "^9>3v1<7", strict=True)),
        "·": ".",
        "●": "o",
        "×": "x",
        "→": ">",
        "◂": "<",
        "…": "...",
        "\u00a0": " ",
        "\u202f": " ",
    }
)
"""For ASCII-only terminals; diagonal facings as on a numeric keypad."""

Lines = asyncio.Queue[str | None]
"""Typed lines; None at the end of input."""


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

    def __init__(self, console: Console) -> None:
        self._console = console
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
            self._drawn = size
            self._write(f"\x1b[2J{self._input_line()}")
        rows = [*lines, *[Text()] * (size.rows - len(lines))]
        drawn = [f"\x1b[{row};1H{self._coded(line)}{_CLEAR_LINE}" for row, line in enumerate(rows, start=1)]
        self._write(_REMEMBER + "".join(drawn) + _RETURN)

    def typed(self) -> None:
        """Clear the input line."""
        self._write(self._input_line())

    def _input_line(self) -> str:
        """Return the codes that start an empty input line."""
        return f"\x1b[{self.size().rows + 1};1H{_CLEAR_REST}{_PROMPT}"

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


@dataclass
class _GameState:
    """State of the terminal during one game."""

    table_game: TableGame
    written: tuple[Letters, ...]
    hint: str
    told: list[str] = field(default_factory=list)
    """Sentences of the last state."""
    meant: dict[int, str] = field(default_factory=dict)
    """Typed moves by ply; questions about them are answered automatically."""
    answered: Question | None = None
    replied: int = 0
    """Number of the last reply shown."""

    @classmethod
    def of(cls, table: Table) -> _GameState:
        """Make the state for the current game of *table*."""
        rules, words = table.pipeline.session.rules, table.pipeline.words
        written = tuple(Letters.of(rules, words, count) for count in (2, 1))
        line = hint(words, is_virtual=table.current.virtual_table is not None)
        return cls(table.current, written, line, replied=table.pipeline.reply.number)


class Terminal:
    """A user at a table's terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._log: deque[str] = deque(maxlen=LOG_LINES)
        self._news: list[str] = []
        self._is_open = False

    def note(self, text: str) -> None:
        """Show the message *text*."""
        if self._is_open:
            self._log.append(text)
            self._news.append(text)
        else:
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    async def run(self, table: Table, lines: Lines) -> None:
        """Show *table* and execute *lines* until one of them says quit."""
        self._is_open = True
        try:
            if can_draw(self._console):
                with FullScreen(self._console) as display:
                    await self._loop(table, lines, display)
            else:
                await self._loop(table, lines, PlainLines(self._console))
        finally:
            self._is_open = False

    async def _loop(self, table: Table, lines: Lines, display: Display) -> None:
        """Redraw on changes and execute typed lines."""
        state = _GameState.of(table)
        shown: TableView | None = None
        with table.watch() as has_changed:
            while True:
                if state.table_game is not table.current:
                    state = _GameState.of(table)
                self._report(table, state)
                view = table.pipeline.view
                if not display.is_patient or (view != shown and view.phase is not Phase.HANDLING):
                    display.show(self._drawn(table, state, display.size()), self._news)
                    self._news.clear()
                    shown = view
                for line in await _next(lines, has_changed):
                    if line is None or not self._execute(line, table, state):
                        return
                    display.typed()

    def _drawn(self, table: Table, state: _GameState, size: Size) -> list[Text]:
        """Return the screen for the present state."""
        table_game = table.current
        around = Surroundings(
            _link(table), tuple(self._log), state.hint, table_game.clock(), players=table_game.players
        )
        return self._fit(
            screen.render(table.pipeline.view, table.pipeline.words, state.written, around, size)
        )

    def _report(self, table: Table, state: _GameState) -> None:
        """Report new sentences and replies; answer questions that a typed move settles."""
        view = table.pipeline.view
        now = screen.noteworthy(view, table.pipeline.words)
        virtual_table = table.current.virtual_table
        refused = (
            None if virtual_table is None else refusal(virtual_table, table.pipeline, table.pipeline.words)
        )
        now += [refused] if refused else []
        for sentence in now:
            if sentence not in state.told:
                self.note(sentence)
        state.told = now
        if view.phase is Phase.SETTING_UP:
            state.meant.clear()
        if view.question is not None and view.question != state.answered:
            answer = typed_answer(view.question, state.meant)
            if answer is not None:
                table.ask(answer)
        state.answered = view.question
        reply = table.pipeline.reply
        if reply.number != state.replied and reply.fault:
            self.note(reply.text(table.pipeline.words))
        state.replied = reply.number

    def _execute(self, line: str, table: Table, state: _GameState) -> bool:
        """Execute *line*; false if it means quit."""
        if not line.strip():
            return True
        pipeline = table.pipeline
        is_virtual = table.current.virtual_table is not None
        context = Context(
            pipeline.session.rules, pipeline.session.position, pipeline.view, pipeline.words, is_virtual
        )
        match understand(line, context):
            case Quit():
                return False
            case Reply(text):
                self.note(text)
            case Perform(move, steps):
                state.meant[pipeline.view.ply] = move
                table.do(steps)
                if is_traceless(steps):
                    table.do(PressClock(pipeline.view.turn))
            case Hands(motions):
                for hand in motions:
                    table.do(hand)
            case command:
                table.ask(command)
        return True

    def _fit(self, lines: list[Text]) -> list[Text]:
        """Return *lines* with characters that the terminal supports."""
        if not self._console.options.ascii_only:
            return lines
        return [Text(line.plain.translate(_ASCII).encode("ascii", "replace").decode()) for line in lines]


def _link(table: Table) -> str:
    """Return the status of panel and camera."""
    pipeline, common = table.pipeline, table.pipeline.words.common
    named = {
        LinkState.CONNECTED: common.labels["connected"],
        LinkState.CONNECTING: common.labels["reconnecting"],
        LinkState.SILENT: common.labels["silent-panel"],
        LinkState.REFUSED: common.labels["wrong-panel"],
    }
    told = []
    if pipeline.status.state is not LinkState.ABSENT:
        told += [
            named.get(pipeline.status.state, common.labels["no-panel"]),
            pipeline.status.why(table.pipeline.words),
        ]
    if pipeline.camera is not None:
        told += pipeline.camera.sentences(common, pipeline.cell_names)
    return " · ".join(filter(None, told))


async def _next(lines: Lines, has_changed: asyncio.Event) -> list[str | None]:
    """Return the next typed line; none if the table changed first."""
    typing = asyncio.ensure_future(lines.get())
    changing = asyncio.ensure_future(has_changed.wait())
    try:
        await asyncio.wait({typing, changing}, timeout=_LOOK_MS / 1000, return_when=asyncio.FIRST_COMPLETED)
    finally:
        typing.cancel()
        changing.cancel()
    await asyncio.wait({typing, changing})
    has_changed.clear()
    return [] if typing.cancelled() else [typing.result()]


async def play_at(terminal: Terminal, table: Table, playing: asyncio.Task[None]) -> None:
    """Run *terminal* until its user leaves or *playing* ends; stop both."""
    lines: Lines = asyncio.Queue()
    keyboard(lines)
    at_terminal = asyncio.create_task(terminal.run(table, lines), name="terminal")
    await asyncio.wait({playing, at_terminal}, return_when=asyncio.FIRST_COMPLETED)
    playing.cancel()
    if not at_terminal.done():
        at_terminal.cancel()
        await asyncio.wait({at_terminal})
    if not at_terminal.cancelled():
        at_terminal.result()


def keyboard(lines: Lines) -> None:
    """Read typed lines into *lines* from a daemon thread, which nothing can interrupt."""
    loop = asyncio.get_running_loop()

    def hand_on(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    threading.Thread(target=_read, args=(hand_on,), name="keyboard", daemon=True).start()


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
