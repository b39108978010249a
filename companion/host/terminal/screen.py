# SPDX-License-Identifier: Apache-2.0
"""A table in a terminal: screen output and typed input.

Its rule: the terminal stays in its normal line mode, so that the system echoes and edits the input,
the same everywhere. The screen is drawn around the input line, which is never touched while
somebody types. Without cursor control, news is printed line by line.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from companion.feedback import letters, screen
from companion.feedback.letters import Letters
from companion.feedback.screen import Size, Surroundings
from companion.feedback.standins import standin_notice
from companion.host.table.link_status import LinkState
from companion.host.table.page_state import refusal
from companion.host.table.table import Table
from companion.host.table.table_game import TableGame
from companion.host.terminal.completion import completions
from companion.host.terminal.display import Display, FullScreen, PlainLines, can_draw
from companion.host.terminal.keyboard import LineEditor, Lines, editing, keyboard
from companion.host.terminal.parser import (
    Confirm,
    Context,
    Flip,
    Hands,
    HintKey,
    Next,
    Page,
    Perform,
    Pressed,
    Quit,
    Reply,
    hint,
    typed_answer,
    understand,
    yes_or_no,
)
from companion.host.virtual_table.hands import PressClock
from companion.model.moves import is_traceless
from companion.referee.values.events import Stage
from companion.referee.values.questions import Question
from companion.referee.values.view import Phase, TableView

LOG_LINES: Final = 100
_LOOK_MS: Final = 1000
"""Redraw interval without events, for clocks and window size changes."""
_PATIENCE_MS: Final = 8000
"""Limit of the time for which typed lines wait for the hands."""
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


@dataclass(frozen=True, slots=True)
class _Awaited:
    """A typed ply that lines wait for."""

    ply: int
    until_ms: float
    is_seen: bool
    """False if pieces do not show whether it is made."""


@dataclass
class _GameState:
    """State of the terminal during one game."""

    table_game: TableGame
    written: tuple[Letters, ...]
    told: list[str] = field(default_factory=list)
    """Sentences of the last state."""
    meant: dict[int, str] = field(default_factory=dict)
    """Typed moves by ply; questions about them are answered automatically."""
    answered: Question | None = None
    replied: int = 0
    """Number of the last reply shown."""
    awaited: _Awaited | None = None
    """The ply that typed hands will make."""
    asked: Confirm | None = None
    """The command that waits for a yes."""
    page: list[str] = field(default_factory=list)
    """Lines that are still to be read."""

    @classmethod
    def of(cls, table: Table) -> _GameState:
        """Make the state for the current game of *table*."""
        rules, words = table.pipeline.session.rules, table.pipeline.words
        written = tuple(Letters.of(rules, words, count) for count in (2, 1))
        return cls(table.current, written, replied=table.pipeline.reply.number)

    def wait_for_hands(self, table: Table, *, is_seen: bool) -> None:
        """Let the next lines wait until the ply that the hands make now is recognised."""
        until_ms = table.current.clock() + _PATIENCE_MS
        self.awaited = _Awaited(table.pipeline.view.ply, until_ms, is_seen)

    def next_page(self, size: Size) -> list[str]:
        """Return the lines that do not fit on the present page."""
        return self.page_lines(size)[size.rows - 1 :]

    def page_lines(self, size: Size) -> list[str]:
        """Return what is still to be read; only lines that do not fit are wrapped."""
        return [
            part
            for line in self.page
            for part in ([line] if cell_len(line) <= size.columns else screen.wrapped(line, size.columns))
        ]


class Terminal:
    """A user at a table's terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._log: deque[str] = deque(maxlen=LOG_LINES)
        self._news: list[str] = []
        self._is_open = False
        self._is_flipped = False
        self._wake = asyncio.Event()

    def note(self, text: str) -> None:
        """Show the message *text*."""
        if self._is_open:
            self._log.append(text)
            self._news.append(text)
        else:
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    async def run(self, table: Table, lines: Lines, editor: LineEditor | None = None) -> None:
        """Show *table* and execute *lines* until one of them says quit."""
        self._is_open = True
        try:
            if can_draw(self._console):
                with FullScreen(self._console, editor) as display:
                    await self._loop(table, lines, display)
            else:
                await self._loop(table, lines, PlainLines(self._console))
        finally:
            self._is_open = False

    def keyboard(self, table: Table, lines: Lines) -> AbstractContextManager[LineEditor | None]:
        """Read the keyboard into *lines*, with completion if the screen can be drawn."""
        if not can_draw(self._console) or not sys.stdin.isatty():
            keyboard(lines)
            return nullcontext()
        return editing(lines, lambda typed: completions(typed, _context(table)), self._offer)

    def _offer(self, words: Sequence[str]) -> None:
        """Show the *words* that may be typed now."""
        self.note(" · ".join(words))
        self._wake.set()

    async def _loop(self, table: Table, lines: Lines, display: Display) -> None:
        """Redraw on changes and execute typed lines; lines wait for the hands of those before."""
        state = _GameState.of(table)
        shown: TableView | None = None
        typed: deque[str | None] = deque()
        with table.watch() as self._wake:
            while True:
                if state.table_game.journal is not table.current.journal:
                    state = _GameState.of(table)
                self._report(table, state)
                view = table.pipeline.view
                is_lasting = self._news or (view != shown and view.phase is not Phase.HANDLING)
                if not display.is_patient or is_lasting:
                    display.show(self._drawn(table, state, display.size()), self._news)
                    self._news.clear()
                    shown = view
                if typed and not _is_awaiting(table, state):
                    line = typed.popleft()
                    if line is None or not self._execute(line, table, state, display):
                        return
                    continue
                for line in await _next(lines, self._wake):
                    typed.append(line)
                    display.typed()

    def _drawn(self, table: Table, state: _GameState, size: Size) -> list[Text]:
        """Return the screen for the present state, or the page that is being read."""
        words, view = table.pipeline.words, table.view
        if state.page:
            lines = state.page_lines(size)
            return self._fit([*map(Text, lines[: size.rows - 1]), Text(words.common.typed.page, style="dim")])
        table_game = table.current
        around = Surroundings(
            _link(table),
            tuple(self._log),
            hint(
                view,
                words,
                is_virtual=table_game.virtual_table is not None,
                takes_presses=table.pipeline.takes_presses,
            ),
            table_game.clock(),
            players=table_game.setup.players,
            is_flipped=self._is_flipped,
        )
        return self._fit(screen.render(view, words, state.written, around, size))

    def _report(self, table: Table, state: _GameState) -> None:
        """Report new sentences and replies; answer questions that a typed move settles."""
        view, words = table.view, table.pipeline.words
        now = screen.noteworthy(view, words)
        virtual_table = table.current.virtual_table
        refused = None if virtual_table is None else refusal(virtual_table, words)
        now += [refused] if refused else []
        standins = table.pipeline.shown().standins
        if standins is not None:
            now.append(standin_notice(standins, words))
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
            self.note(reply.text(words))
        state.replied = reply.number

    def _execute(self, line: str, table: Table, state: _GameState, display: Display) -> bool:
        """Execute *line*; false if it means quit."""
        state.page = [] if line.strip() else state.next_page(display.size())
        words, asked, state.asked = table.pipeline.words, state.asked, None
        agreed = None if asked is None else yes_or_no(line, words)
        if asked is not None and agreed:
            table.ask(asked.command)
        if agreed is not None or not line.strip():
            return True
        match understand(line, _context(table)):
            case Quit():
                return False
            case Pressed(side):
                table.do(PressClock(side))
            case Perform() | Hands() as motions:
                _move(motions, table, state)
            case HintKey() | Next() as key:
                table.press_hint() if isinstance(key, HintKey) else table.end_lesson()
            case Reply() | Confirm() | Page() | Flip() as answer:
                self._answer(answer, state, display)
            case command:
                table.ask(command)
        return True

    def _answer(self, answer: Reply | Confirm | Page | Flip, state: _GameState, display: Display) -> None:
        """Show *answer* to a typed line."""
        match answer:
            case Reply(text):
                self.note(text)
            case Confirm():
                state.asked = answer
                self.note(answer.question)
            case Page(lines):
                state.page = [] if display.is_patient else list(lines)
                self._news += lines if display.is_patient else ()
            case Flip():
                self._is_flipped = not self._is_flipped

    def _fit(self, lines: list[Text]) -> list[Text]:
        """Return *lines* with characters that the terminal supports."""
        if not self._console.options.ascii_only:
            return lines
        return [Text(line.plain.translate(_ASCII).encode("ascii", "replace").decode()) for line in lines]


def _move(motions: Perform | Hands, table: Table, state: _GameState) -> None:
    """Let the hands make a typed move."""
    if isinstance(motions, Perform):
        state.meant[table.pipeline.view.ply] = motions.move
        table.do(motions.steps)
        is_seen = not is_traceless(motions.steps)
        if not is_seen:
            table.do(PressClock(table.pipeline.view.turn))
    else:
        is_seen = True
        for hand in motions.motions:
            table.do(hand)
    state.wait_for_hands(table, is_seen=is_seen)


def _context(table: Table) -> Context:
    """Return what decides the meaning of a typed line."""
    pipeline = table.pipeline
    return Context(
        pipeline.session.rules,
        pipeline.session.position,
        table.view,
        pipeline.words,
        table.current.virtual_table is not None,
        pipeline.takes_presses,
    )


def _is_awaiting(table: Table, state: _GameState) -> bool:
    """True until the last typed ply is recognised, or something else is shown."""
    if state.awaited is None:
        return False
    awaited, view = state.awaited, table.view
    is_answered = view.question is None or typed_answer(view.question, state.meant) is None
    is_settled = (is_answered and not _is_guessed(awaited.ply, state.meant, view)) and (
        view.ply != awaited.ply or view.phase not in (Phase.WAITING, Phase.HANDLING)
    )
    is_idle = awaited.is_seen and _is_as_recorded(table)
    if is_settled or is_idle or table.current.clock() >= awaited.until_ms:
        state.awaited = None
    return state.awaited is not None


def _is_guessed(ply: int, meant: Mapping[int, str], view: TableView) -> bool:
    """True if *ply* is provisional with another move than the typed one."""
    moves = (each.move for each in view.record if each.ply == ply and each.stage is Stage.PROVISIONAL)
    return ply in meant and any(move != meant[ply] for move in moves)


def _is_as_recorded(table: Table) -> bool:
    """True if the hands have done everything and the pieces stand as in the record."""
    virtual_table, view = table.current.virtual_table, table.pipeline.view
    return (
        virtual_table is not None
        and virtual_table.is_idle
        and view.phase is Phase.WAITING
        and virtual_table.pieces.hand is None
        and set(virtual_table.pieces.standing.entries) == set(view.placement.entries)
    )


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
    with terminal.keyboard(table, lines) as editor:
        at_terminal = asyncio.create_task(terminal.run(table, lines, editor), name="terminal")
        await asyncio.wait({playing, at_terminal}, return_when=asyncio.FIRST_COMPLETED)
        playing.cancel()
        if not at_terminal.done():
            at_terminal.cancel()
            await asyncio.wait({at_terminal})
    if not at_terminal.cancelled():
        at_terminal.result()
