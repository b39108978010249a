# SPDX-License-Identifier: Apache-2.0
"""Lists the sensor boards on this computer's ports, and those in reach over Bluetooth."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from rich.console import Console

from companion.feedback.wordfiles import ENGLISH
from companion.host.clock import monotonic
from companion.host.devices.boards import board_at
from companion.host.devices.known_ports import PANEL, remember, sorted_ports
from companion.host.devices.panels import Found, describe, find_panels
from companion.host.devices.ports import serial_line
from companion.host.play.board_search import BoardReport, ask_board, boards_in_reach, plugged_boards
from companion.host.text.error_translation import translate
from companion.host.text.listing import Listing, show
from companion.link.port import list_ports
from companion.model.errors import CompanionError
from companion.model.phrase import Phrase

_COLUMNS: Final = (
    Phrase("port"),
    Phrase("device"),
    Phrase("panel"),
    Phrase("cells"),
    Phrase("chip"),
    Phrase("firmware"),
    Phrase("identity"),
)
_UNKNOWN: Final = Phrase("not opened, since anything may be there: name it")


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the list of panels and boards."""

    port: str
    device: str
    described: tuple[str, ...]
    """Name, cells, chip, firmware and identity; () if nothing was recognised."""
    fault: str = ""
    """Why nothing was recognised."""


def list_panels(names: Sequence[str]) -> tuple[Listed, ...]:
    """Ask the ports *names*, or those of panels and boards, what is there.

    A port behind which anything may be is listed, but opened only if it is named; then it is known.
    """
    devices = {port.name: f"{port.description} {port.vendor}".strip() for port in list_ports()}
    panels, _, unknown = sorted_ports(list_ports())
    boards = [name for name in names if board_at(name)[0] is not None] if names else _all_boards()
    asked = [name for name in names if name not in boards] if names else [port.name for port in panels]
    return (
        *(_listed_panel(each, devices, is_named=bool(names)) for each in _ask_panels(asked)),
        *asyncio.run(_ask_boards(boards)),
        *(Listed(port.name, devices[port.name], (), _UNKNOWN) for port in unknown if not names),
    )


def _all_boards() -> list[str]:
    """Return the boards that are plugged in, and those in reach over Bluetooth."""
    return [*plugged_boards(), *asyncio.run(boards_in_reach())]


def _ask_panels(names: Sequence[str]) -> tuple[Found, ...]:
    """Return what the ports *names* answer as panels."""
    asked = [(name, serial_line(name)) for name in names]
    return asyncio.run(find_panels(asked, monotonic())) if asked else ()


def _listed_panel(found: Found, devices: Mapping[str, str], *, is_named: bool) -> Listed:
    """Return the line of an asked port; with *is_named*, its panel becomes known."""
    if found.hello is not None and is_named:
        remember(found.port, PANEL)
    described = () if found.hello is None else describe(found.hello)
    return Listed(found.port, devices.get(found.port, ""), described, found.fault)


async def _ask_boards(names: Sequence[str]) -> list[Listed]:
    """Return the lines of the boards *names*, asked together."""
    clock = monotonic()
    answers = await asyncio.gather(*(ask_board(name, clock) for name in names), return_exceptions=True)
    lines = []
    for name, answer in zip(names, answers, strict=True):
        if isinstance(answer, BoardReport):
            lines.append(Listed(name, "", (answer.name, answer.cells, "", "", answer.battery_text)))
        elif isinstance(answer, CompanionError):
            lines.append(Listed(name, "", (), str(answer)))
        else:
            raise answer
    return lines


def show_panels(names: Sequence[str], console: Console, language: str = ENGLISH) -> bool:
    """Show the panels and boards on the ports *names*, or all; true if any answers."""
    explain = partial(translate, language=language)
    listed = list_panels(names)
    if not listed:
        said = Phrase("This computer has no serial port. Plug a panel in, or name a port or URL.")
        console.print(explain(said))
        return False
    rows = [(each.port, each.device, *map(explain, each.described)) for each in listed if each.described]
    if rows:
        show(Listing(tuple(map(explain, _COLUMNS)), rows), console)
    for each in listed:
        if not each.described:
            console.print(f"{each.port}: {explain(each.fault)}", style="dim", markup=False, soft_wrap=True)
    return bool(rows)
