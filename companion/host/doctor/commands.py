# SPDX-License-Identifier: Apache-2.0
"""Commands that list panels and examine a panel, a camera or this computer.

Its rule: it only starts the measurements and shows results; `panel`, `camera`, `checks` and `probe`
do the work.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from companion import games
from companion.feedback.wordfiles import ENGLISH
from companion.host.clock import monotonic
from companion.host.devices.camera import CameraOptions
from companion.host.devices.eboards import eboard_at
from companion.host.devices.fit import games_for
from companion.host.devices.known_ports import PANEL, remember
from companion.host.devices.panel_session import open_session
from companion.host.devices.panels import describe
from companion.host.devices.ports import serial_line
from companion.host.doctor import camera as cameracheck
from companion.host.doctor.checks import Finding, Level, examine, is_well
from companion.host.doctor.panel import Diagnosis, diagnosis, findings, measure, measure_columns, survey
from companion.host.doctor.probe import look
from companion.host.play import panel_server
from companion.host.play.eboard_search import ask_eboard
from companion.host.play.start import LOOPBACK
from companion.host.terminal.keyboard import Lines, keyboard
from companion.host.text.error_translation import translate
from companion.host.virtual_table.set_up import make_virtual_table
from companion.host.web.server import listen
from companion.link.panel import Shape, grid_over, has_room, shape_of
from companion.link.protocol_gen import HelloReply
from companion.model.grid import Grid
from companion.model.phrase import Phrase
from companion.referee.session.session import Session
from companion.sensing.survey import Survey

_SIGNS: Final = {
    Level.GOOD: (Phrase("ok"), "green"),
    Level.NOTE: (Phrase("note"), "yellow"),
    Level.FAULT: (Phrase("FAULT"), "bold red"),
}
_A_ROW: Final = 16
"""Cells per line of the table if the panel is not rectangular."""


def serve_panel(
    slug: str, options: Mapping[str, str], port: int, console: Console, name: str = "", at: str = ""
) -> None:
    """Serve a panel for the game *slug* on TCP *port* until `quit` is typed.

    It is the panel *name* with the game's first cell at *at*, by default one that fits.
    Raises `CompanionError`.
    """
    rules = games.find(slug).rules(options)
    virtual_table = make_virtual_table(Session(rules), monotonic(), name, at)
    say = partial(console.print, markup=False, soft_wrap=True)

    async def serving(listener: socket.socket) -> None:
        lines: Lines = asyncio.Queue()
        keyboard(lines)
        await panel_server.serve(virtual_table, rules.grid, listener, lines, say)

    with listen(LOOPBACK, port) as listener:
        url = f"socket://{LOOPBACK}:{listener.getsockname()[1]}"
        words = "".join(f" -o {name}={value}" for name, value in options.items())
        say(f"The panel is on. Play at it: companion play {slug}{words} --port {url}")
        say(panel_server.HELP)
        asyncio.run(serving(listener))


def examine_machine(console: Console, language: str = ENGLISH) -> bool:
    """Examine this computer and show the findings; true without faults."""
    return _show(examine(look()), console, language)


def examine_camera(
    camera_options: CameraOptions, game: str | None, console: Console, language: str = ENGLISH
) -> bool:
    """Examine a camera and its view of *game*'s board; true without faults.

    Raises `CompanionError` if the camera cannot be opened, or the game or profile does not exist.
    """
    facts = cameracheck.look(camera_options, None if game is None else games.find(game))
    return _show(cameracheck.examine(facts), console, language)


def _show(found: Sequence[Finding], console: Console, language: str) -> bool:
    """Show *found* in *language*; true without faults."""
    explain = partial(translate, language=language)
    width = max(cell_len(explain(sign)) for sign, _ in _SIGNS.values())
    for finding in found:
        sign, style = _SIGNS[finding.level]
        said = Text.assemble(
            (set_cell_size(explain(sign), width), style),
            f" {explain(finding.subject)}: {explain(finding.said)}",
        )
        console.print(said, soft_wrap=True)
        if finding.mend:
            console.print(Text(" " * (width + 1) + finding.mend, style="bold"), soft_wrap=True)
    faults = sum(finding.level is Level.FAULT for finding in found)
    sentence = Phrase("Faults: {count}.", count=faults) if faults else Phrase("No faults.")
    console.print(explain(sentence))
    return is_well(tuple(found))


def examine_panel(port: str, seconds: int, console: Console, language: str = ENGLISH) -> bool:
    """Examine the panel or eboard on *port* and show the findings; true without faults.

    A person moves a magnet over its cells for up to *seconds*; 0 examines only the link. Raises
    `LinkError`.
    """
    if eboard_at(port)[0] is not None:
        _examine_eboard(port, console, language)
        return True
    result = asyncio.run(examine_link(port, seconds, console, language))
    quality = result.quality
    timing = Phrase(
        "{pings} pings: median {p50_ms:.1f} ms, 99 of 100 within {p99_ms:.1f} ms,"
        " worst {worst_ms:.1f} ms; {damaged} damaged, {repeats} repeated",
        pings=quality.pings,
        p50_ms=quality.p50_ms,
        p99_ms=quality.p99_ms,
        worst_ms=quality.worst_ms,
        damaged=quality.host.bad_packets,
        repeats=quality.host.repeats,
    )
    console.print(translate(timing, language), soft_wrap=True)
    if result.columns:
        slowest_us = max(column.rise_us for column in result.columns)
        rise = Phrase(
            "Columns measured: {count}. The slowest rises in {slowest_us} µs; the panel waits {settle_us} µs.",
            count=len(result.columns),
            slowest_us=slowest_us,
            settle_us=result.settle_us,
        )
        console.print(translate(rise, language), soft_wrap=True)
    said = findings(result, grid_over(result.hello).name)
    for sentence in said or (Phrase("No faults."),):
        console.print(f"• {translate(sentence, language)}", markup=False, soft_wrap=True)
    _show_fitting_games(shape_of(result.hello), console, language)
    return not said


def _examine_eboard(port: str, console: Console, language: str) -> None:
    """Show what the eboard on *port* reports. Raises `LinkError`."""
    report = asyncio.run(ask_eboard(port, monotonic()))
    explain = partial(translate, language=language)
    parts = filter(None, (report.name, report.cells, report.battery_text))
    console.print(" · ".join(map(explain, parts)), markup=False, soft_wrap=True)
    said = Phrase("Pieces stand on {cells}.", cells=report.occupied or Phrase("none"))
    console.print(explain(said), markup=False, soft_wrap=True)
    _show_fitting_games(report.shape, console, language)


def _show_fitting_games(shape: Shape, console: Console, language: str) -> None:
    """Show the games that fit a panel of *shape*."""
    fitting = tuple(games_for(partial(has_room, shape))) or Phrase("none")
    console.print(translate(Phrase("Games that fit: {games}.", games=fitting), language), soft_wrap=True)


async def examine_link(port: str, seconds: int, console: Console, language: str) -> Diagnosis:
    """Measure the panel on *port*; *console* gets the instructions. Raises `LinkError`."""
    clock = monotonic()
    async with open_session(serial_line(port), clock) as session:
        hello = await session.greet()
        await asyncio.to_thread(remember, port, PANEL)
        console.print(" · ".join(describe(hello)))
        quality = await measure(session)
        if not seconds:
            return diagnosis(hello, quality, None, *await measure_columns(session))
        task = Phrase(
            "Carry a magnet over every cell; {seconds} s, or until all have closed and opened.",
            seconds=seconds,
        )
        console.print(translate(task, language))
        title = translate(Phrase("changes of each switch"), language)
        begun = _counts(hello, Survey(hello.cells, 0), title)
        with Live(begun, console=console, auto_refresh=False) as live:
            found = await survey(
                session, clock, seconds, lambda found: live.update(_counts(hello, found, title), refresh=True)
            )
        return diagnosis(hello, quality, found, *await measure_columns(session))


def _counts(hello: HelloReply, found: Survey, title: str) -> Table:
    """Return the edge count of each switch in the layout of the board."""
    grid: Grid = grid_over(hello)
    wide = grid.files or _A_ROW
    table = Table(show_header=False, title=title)
    for begin in reversed(range(0, hello.cells, wide)):
        cells = range(begin, min(begin + wide, hello.cells))
        table.add_row(grid.name(begin), *(_count(found, cell) for cell in cells))
    return table


def _count(found: Survey, cell: int) -> str:
    """Return the table entry of *cell*."""
    if cell in found.chattering:
        return f"[yellow]{found.counts[cell]}![/]"
    return f"[green]{found.counts[cell]}[/]" if found.counts[cell] else "[dim]·[/]"
