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
from companion.host.doctor.panel import Diagnosis, column_summary, findings, measure, measure_columns
from companion.host.doctor.probe import look
from companion.host.play import panel_server
from companion.host.play.eboard_search import ask_eboard
from companion.host.play.start import LOOPBACK
from companion.host.terminal.keyboard import Lines, keyboard
from companion.host.text.error_translation import translate
from companion.host.virtual_table.set_up import make_virtual_table
from companion.host.web.server import listen
from companion.link.panel import Shape, grid_over, has_room, shape_of
from companion.model.occupancy import cells_of
from companion.model.phrase import Phrase
from companion.referee.session.session import Session

_SIGNS: Final = {
    Level.GOOD: (Phrase("ok"), "green"),
    Level.NOTE: (Phrase("note"), "yellow"),
    Level.FAULT: (Phrase("FAULT"), "bold red"),
}


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


def examine_panel(port: str, console: Console, language: str = ENGLISH) -> bool:
    """Examine the panel or eboard on *port* and show the findings; true without faults.

    Raises `LinkError`.
    """
    explain = partial(translate, language=language)
    say = partial(console.print, markup=False, soft_wrap=True)
    if eboard_at(port)[0] is not None:
        report = asyncio.run(ask_eboard(port, monotonic()))
        say(" · ".join(map(explain, filter(None, (report.name, report.cells, report.battery_text)))))
        say(explain(_pieces(report.occupied)))
        say(explain(_fitting_games(report.shape)))
        return True
    result = asyncio.run(examine_link(port))
    grid, quality = grid_over(result.hello), result.quality
    say(" · ".join(describe(result.hello)))
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
    for sentence in (timing, *column_summary(result.columns, result.settle_us)):
        say(explain(sentence))
    say(explain(_pieces(tuple(map(grid.name, cells_of(result.closed))))))
    faults = findings(result, grid.name)
    for sentence in faults or (Phrase("No faults."),):
        say(f"• {explain(sentence)}")
    say(explain(_fitting_games(shape_of(result.hello))))
    say(explain(Phrase("To test every switch: companion tools switches --port {port}", port=port)))
    return not faults


def _pieces(cells: tuple[str, ...]) -> Phrase:
    """Return the sentence about occupied *cells*."""
    return Phrase("Pieces stand on {cells}.", cells=cells or Phrase("none"))


def _fitting_games(shape: Shape) -> Phrase:
    """Return the sentence about the games that fit a panel of *shape*."""
    games_there = tuple(games_for(partial(has_room, shape))) or Phrase("none")
    return Phrase("Games that fit: {games}.", games=games_there)


async def examine_link(port: str) -> Diagnosis:
    """Measure the panel on *port*. Raises `LinkError`."""
    async with open_session(serial_line(port), monotonic()) as session:
        hello = await session.greet()
        await asyncio.to_thread(remember, port, PANEL)
        quality = await measure(session)
        return Diagnosis(hello, quality, session.connection.closed, *await measure_columns(session))
