# SPDX-License-Identifier: Apache-2.0
"""Asks panels and eboards what they are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from companion.host.clock import monotonic
from companion.host.devices.known_ports import PANEL, remember
from companion.host.devices.panels import Found, describe, find_panels
from companion.host.devices.ports import serial_line
from companion.host.doctor.panel_lines import Listed
from companion.host.play.eboard_search import EboardReport, ask_eboard, eboards_in_reach
from companion.model.errors import CompanionError


def ask_panels(names: Sequence[str], devices: Mapping[str, str], *, are_named: bool) -> list[Listed]:
    """Return what the ports *names* answer as panels; with *are_named*, these become known."""
    return [_listed_panel(each, devices, is_named=are_named) for each in _answers(names)]


def _answers(names: Sequence[str]) -> tuple[Found, ...]:
    """Return what the ports *names* answer as panels."""
    asked = [(name, serial_line(name)) for name in names]
    return asyncio.run(find_panels(asked, monotonic())) if asked else ()


def _listed_panel(found: Found, devices: Mapping[str, str], *, is_named: bool) -> Listed:
    """Return the line of an asked port; with *is_named*, its panel becomes known."""
    if found.hello is not None and is_named:
        remember(found.port, PANEL)
    described = () if found.hello is None else describe(found.hello)
    return Listed(found.port, devices.get(found.port, ""), described, found.fault)


async def _eboard_lines(names: Sequence[str]) -> list[Listed]:
    """Return the lines of the eboards *names*, asked together."""
    clock = monotonic()
    answers = await asyncio.gather(*(ask_eboard(name, clock) for name in names), return_exceptions=True)
    lines = []
    for name, answer in zip(names, answers, strict=True):
        if isinstance(answer, EboardReport):
            lines.append(Listed(name, "", (answer.name, answer.cells, "", "", answer.battery_text)))
        elif isinstance(answer, CompanionError):
            lines.append(Listed(name, "", (), str(answer)))
        else:
            raise answer
    return lines


def ask_eboards(names: Sequence[str]) -> list[Listed]:
    """Return what the eboards *names* answer."""
    return asyncio.run(_eboard_lines(names))


def search_eboards() -> tuple[str, ...]:
    """Return the eboards in reach over Bluetooth, as `--port` names them."""
    return asyncio.run(eboards_in_reach())
