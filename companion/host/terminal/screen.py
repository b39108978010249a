# SPDX-License-Identifier: Apache-2.0
"""A table in a terminal: what it shows, and what people type.

Its rule: the terminal stays in its ordinary mode, so that the system itself echoes and corrects what is typed, everywhere
alike; the screen is drawn around the line of input, which is never touched while somebody types.
Where a terminal cannot move its cursor, or there is none, news is printed line by line.
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
from companion.host.terminal.parser import Hands, Perform, Quit, Reply, Seat, hint, told_already, understand
from companion.host.virtual_table.hands import PressClock
from companion.model.moves import is_traceless
from companion.referee.questions import Question
from companion.referee.view import Phase, TableView

LOG_LINES: Final = 100
_LOOK_MS: Final = 1000
"""How often the screen is drawn although nothing happens: for the clocks, and for windows that change their size."""
_LEAST: Final = Size(40, 12)
"""On less nothing can be shown."""
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
"""For terminals that have no other letters: diagonal facings as on a keyboard's block of numbers."""

Lines = asyncio.Queue[str | None]
"""What was typed, a line each; None once nothing more will come."""


class Display(Protocol):
    """Where a screen is shown."""

    is_patient: bool
    """True if only what lasts is to be shown: no piece in the hand, no clock that runs."""

    def show(self, lines: Sequence[Text], news: Sequence[str]) -> None:
        """Show *lines*; *news* is what was said since the last time."""
        ...

    def typed(self) -> None:
        """A line of input has ended."""
        ...

    def size(self) -> Size:
        """How much it holds besides the line of input."""
        ...


class FullScreen:
    """A screen of its own, as long as the context lasts; what was in the terminal before comes back."""

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
        """All but the last line, for input: when it ends, the screen scrolls and is drawn anew."""
        columns, rows = self._console.size
        return Size(max(columns, _LEAST.columns), max(rows - 1, _LEAST.rows))

    def show(self, lines: Sequence[Text], _news: Sequence[str]) -> None:
        """Draw every line in its place and leave the cursor where it is."""
        size = self.size()
        if size != self._drawn:
            self._drawn = size
            self._write(f"\x1b[2J{self._input_line()}")
        rows = [*lines, *[Text()] * (size.rows - len(lines))]
        drawn = [f"\x1b[{row};1H{self._coded(line)}{_CLEAR_LINE}" for row, line in enumerate(rows, start=1)]
        self._write(_REMEMBER + "".join(drawn) + _RETURN)

    def typed(self) -> None:
        """Make room for the next line of input."""
        self._write(self._input_line())

    def _input_line(self) -> str:
        """What begins an empty line of input."""
        return f"\x1b[{self.size().rows + 1};1H{_CLEAR_REST}{_PROMPT}"

    def _coded(self, line: Text) -> str:
        """*line* with as much colour as the terminal has."""
        with self._console.capture() as captured:
            self._console.print(line, end="", soft_wrap=True)
        return captured.get()

    def _write(self, codes: str) -> None:
        """Send *codes* as they are."""
        self._console.file.write(codes)
        self._console.file.flush()


def can_draw(console: Console) -> bool:
    """True if *console* is a terminal that can move its cursor."""
    return console.is_terminal and not console.is_dumb_terminal and not console.legacy_windows


class PlainLines:
    """No screen: what is new, line by line, and the board when it has changed."""

    is_patient = True

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: list[str] = []

    def size(self) -> Size:
        """As wide as a line may be; a page is as long as it likes."""
        return Size(max(self._console.width, _LEAST.columns), 1000)

    def show(self, lines: Sequence[Text], news: Sequence[str]) -> None:
        """Print *news*, and *lines* if they differ from those before."""
        for said in news:
            self._print(said)
        plain = [line.plain.rstrip() for line in lines]
        if plain != self._shown:
            self._print("\n".join(plain))
            self._shown = plain

    def typed(self) -> None:
        """Nothing to make room for."""

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


@dataclass
class _Script:
    """What is kept of a sitting."""

    table_game: TableGame
    written: tuple[Letters, ...]
    hint: str
    told: list[str] = field(default_factory=list)
    """What was worth it the last time."""
    meant: dict[int, str] = field(default_factory=dict)
    """The moves that were typed, by ply: what the board cannot tell of them need not be asked."""
    answered: Question | None = None
    replied: int = 0
    """Number of the reply that was told last."""

    @classmethod
    def of(cls, table: Table) -> _Script:
        """For what is played at *table* now."""
        rules, words = table.pipeline.session.rules, table.pipeline.words
        written = tuple(Letters.of(rules, words, count) for count in (2, 1))
        line = hint(words, is_virtual=table.current.virtual_table is not None)
        return cls(table.current, written, line, replied=table.pipeline.reply.number)


class Terminal:
    """Somebody at a table's terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._log: deque[str] = deque(maxlen=LOG_LINES)
        self._news: list[str] = []
        self._is_open = False

    def note(self, text: str) -> None:
        """Let whoever sits there know *text*."""
        if self._is_open:
            self._log.append(text)
            self._news.append(text)
        else:
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    async def sit_at(self, table: Table, lines: Lines) -> None:
        """Show *table* and do what *lines* say, until one of them says that it is enough."""
        self._is_open = True
        try:
            if can_draw(self._console):
                with FullScreen(self._console) as display:
                    await self._sit(table, lines, display)
            else:
                await self._sit(table, lines, PlainLines(self._console))
        finally:
            self._is_open = False

    async def _sit(self, table: Table, lines: Lines, display: Display) -> None:
        """Draw whenever something may have changed, and in between do what is typed."""
        script = _Script.of(table)
        shown: TableView | None = None
        with table.watch() as has_changed:
            while True:
                if script.table_game is not table.current:
                    script = _Script.of(table)
                self._listen(table, script)
                view = table.pipeline.view
                if not display.is_patient or (view != shown and view.phase is not Phase.HANDLING):
                    display.show(self._drawn(table, script, display.size()), self._news)
                    self._news.clear()
                    shown = view
                for line in await _next(lines, has_changed):
                    if line is None or not self._obey(line, table, script):
                        return
                    display.typed()

    def _drawn(self, table: Table, script: _Script, size: Size) -> list[Text]:
        """The screen as it should be now."""
        table_game = table.current
        around = Surroundings(
            _link(table), tuple(self._log), script.hint, table_game.clock(), players=table_game.players
        )
        return self._fit(
            screen.render(table.pipeline.view, table.pipeline.words, script.written, around, size)
        )

    def _listen(self, table: Table, script: _Script) -> None:
        """Note what is new and worth it, and answer what was typed before it was asked."""
        view = table.pipeline.view
        now = screen.noteworthy(view, table.pipeline.words)
        virtual_table = table.current.virtual_table
        refused = (
            None if virtual_table is None else refusal(virtual_table, table.pipeline, table.pipeline.words)
        )
        now += [refused] if refused else []
        for sentence in now:
            if sentence not in script.told:
                self.note(sentence)
        script.told = now
        if view.phase is Phase.SETTING_UP:
            script.meant.clear()
        if view.question is not None and view.question != script.answered:
            answer = told_already(view.question, script.meant)
            if answer is not None:
                table.ask(answer)
        script.answered = view.question
        reply = table.pipeline.reply
        if reply.number != script.replied and reply.fault:
            self.note(reply.text(table.pipeline.words))
        script.replied = reply.number

    def _obey(self, line: str, table: Table, script: _Script) -> bool:
        """Do what *line* says; False if that is to leave."""
        if not line.strip():
            return True
        pipeline = table.pipeline
        is_virtual = table.current.virtual_table is not None
        seat = Seat(
            pipeline.session.rules, pipeline.session.position, pipeline.view, pipeline.words, is_virtual
        )
        match understand(line, seat):
            case Quit():
                return False
            case Reply(text):
                self.note(text)
            case Perform(move, steps):
                script.meant[pipeline.view.ply] = move
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
        """*lines* in letters that the terminal has."""
        if not self._console.options.ascii_only:
            return lines
        return [Text(line.plain.translate(_ASCII).encode("ascii", "replace").decode()) for line in lines]


def _link(table: Table) -> str:
    """How it stands with the panel and the camera, whichever there are."""
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
    """The next line that is typed; none if something else may have changed first."""
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


def keyboard(lines: Lines) -> None:
    """Put what is typed into *lines*, from a thread that ends with the program: no system lets it stop reading."""
    loop = asyncio.get_running_loop()

    def hand_on(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    threading.Thread(target=_read, args=(hand_on,), name="keyboard", daemon=True).start()


def _read(hand_on: Callable[[str | None], None]) -> None:
    """Read standard input below its buffer, whose lock would be held when the program ends."""
    raw = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    decoder = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")(errors="replace")
    text = ""
    while data := raw.read(4096):
        text += decoder.decode(data)
        *whole, text = text.split("\n")
        for line in whole:
            hand_on(line.rstrip("\r"))
    hand_on(None)
