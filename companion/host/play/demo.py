# SPDX-License-Identifier: Apache-2.0
"""A scripted game of Close Quarters in the terminal, with the real protocol and referee.

Only the hand motions are scripted; everything shown comes from the pipeline.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel as Box
from rich.table import Table
from rich.text import Text

from companion import __version__, games
from companion.feedback import lights
from companion.feedback.prompts import announcement_sentence, guide_sentence, prompt
from companion.feedback.words import load
from companion.host.clock import local_time
from companion.host.journal import journal as journals
from companion.host.journal.journal import Header, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.rig import Rig
from companion.host.records.replay import replay
from companion.host.table.pipeline import Pipeline
from companion.link.connection import Connection
from companion.link.panel import panel_for
from companion.referee.session.session import Session
from companion.referee.values.timing import DEFAULT_TIMING
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet

Wait: TypeAlias = Callable[[float], None]
"""Sleeps for a number of seconds."""

GAME: Final = "close-quarters"
_FRAME_MS: Final = 50

SCRIPT: Final = """
        The Sword goes round the corner.            | a1 b2
        The Spear comes down the file: CHECK!       | d8 b8
        The Sword steps aside.                      | b2 c3
        The Axe tries what an Axe may not.          | a8 a5
        It goes back, and play goes on.             | a5 a8
        The Spear again, under the Mace's guard.    | b8 b2
        The Sword takes the Spear ...               | c3 b2
        ... and the Mace takes the Sword.           | d1 b2
"""
"""Hand motions, one per line: a remark, and the two cells of the carry."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One frame of the demo."""

    remark: str
    text: str
    """Everything the program says, without markup."""
    rig: Rig


def run(console: Console, speed: float, wait: Wait = time.sleep) -> None:
    """Show the demo on *console* at *speed* times the normal pace. Raises `CompanionError`."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "demo.jsonl"
        with JournalWriter.create(path, header()) as writer:
            _show(console, play_script(writer), lambda: wait(_FRAME_MS / 1000 / speed))
        difference = replay(journals.read(path))
        assert difference is None, difference
        console.print("The journal of this game replays to the same events.", style="dim")
    console.print("Play yourself: [bold]companion play close-quarters[/]")


def play_script(writer: JournalWriter) -> Iterator[Shot]:
    """Yield the frames of the scripted game, `_FRAME_MS` apart, journaled by *writer*."""
    rig = _rig(writer)
    grid = rig.pipeline.session.rules.grid
    yield from _wait(rig, "The pieces stand on their corners.", 1500)
    for line in SCRIPT.strip().splitlines():
        remark, cells = (part.strip() for part in line.split("|"))
        source, target = grid.cells(cells)
        rig.become(rig.pieces.lift(source))
        yield from _wait(rig, remark, 900)
        if rig.pieces.standing.at(target) is not None:
            rig.become(rig.pieces.clear(target))
            yield from _wait(rig, remark, 300)
        rig.become(rig.pieces.drop(target))
        yield from _wait(rig, remark, 2600)


def _wait(rig: Rig, remark: str, for_ms: int) -> Iterator[Shot]:
    """Let *for_ms* pass; yield every frame."""
    for _ in range(0, for_ms, _FRAME_MS):
        rig.advance(_FRAME_MS)
        yield Shot(remark, _display(rig.pipeline), rig)


def _show(console: Console, shots: Iterator[Shot], wait: Callable[[], None]) -> None:
    """Draw *shots* in place on a terminal; elsewhere print remarks and new texts."""
    if not console.is_terminal:
        remark = text = ""
        for shot in shots:
            lines = [shot.remark] if shot.remark != remark else []
            lines += [f"    {shot.text}"] if shot.text != text else []
            for line in lines:
                console.print(line, markup=False, highlight=False, soft_wrap=True)
            remark, text = shot.remark, shot.text
        return
    with Live(console=console, auto_refresh=False) as live:
        for shot in shots:
            live.update(_draw(shot), refresh=True)
            wait()


def _display(pipeline: Pipeline) -> str:
    """Return everything the program says now, in one line."""
    view, words = pipeline.view, pipeline.words
    cries = [
        f"{words.cry(each.cry)} {announcement_sentence(each, view, words)}" for each in view.announcements
    ]
    return " ".join(
        [*cries, prompt(view, words), *(guide_sentence(guide, view, words) for guide in view.errands)]
    )


def _draw(shot: Shot) -> Group:
    """Draw the board with its lamps, the display, and the text."""
    rig = shot.rig
    grid = rig.pipeline.session.rules.grid
    lit = rig.panel.leds(rig.now_ms)
    board = Table.grid(padding=0)
    for rank in reversed(range(grid.ranks)):
        cells = range(rank * grid.files, (rank + 1) * grid.files)
        board.add_row(Text(f"{rank + 1} ", style="dim"), *(_cell(rig, cell, lit[cell]) for cell in cells))
    board.add_row("", *(Text(f"  {grid.name(cell)[0]}", style="dim") for cell in range(grid.files)))
    display = Box("\n".join(f"{line:16}" for line in rig.panel.lines), expand=False, style="black on green")
    moves = " ".join(move.move for move in rig.pipeline.view.record)
    beside = Group(
        Text(shot.remark, style="italic"), display, Text(shot.text, style="bold"), Text(moves, style="dim")
    )
    whole = Table.grid(padding=(0, 3))
    whole.add_row(board, beside)
    return Group(whole)


def _cell(rig: Rig, cell: int, rgb: lights.Rgb) -> Text:
    """Draw a cell: the first letters of its piece on the colour of its lamp."""
    piece = rig.pieces.standing.at(cell)
    letters = f" {rig.pipeline.words.piece(piece).name[:2]}  " if piece is not None else "  ·  "
    background = f"rgb({','.join(map(str, rgb))})" if any(rgb) else "default"
    ink = "black" if sum(rgb) > 300 else "white" if any(rgb) else "default"
    return Text(letters, style=f"bold {ink} on {background}")


def _rig(writer: JournalWriter) -> Rig:
    """Make a table in virtual time with the pieces in their initial position."""
    rules = games.find(GAME).rules()
    session = Session(rules)
    pipeline = Pipeline(session, load("en", GAME, rules.sides), Connection(1), writer.write)
    panel = VirtualPanel(panel_for(rules.grid), unique_id=b"the demo", session=1, now_ms=0)
    return Rig(pipeline, panel, PieceSet(session.view().placement), 0, writer.sync)


def header() -> Header:
    """Return the journal header of the demo."""
    options = tuple(games.find(GAME).rules().options.items())
    began = local_time().isoformat(timespec="seconds")
    return Header(journals.FORMAT, __version__, began, GameSetup(GAME, options), DEFAULT_TIMING)
