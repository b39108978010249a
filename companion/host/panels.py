# SPDX-License-Identifier: Apache-2.0
"""Which panels are connected: every port is asked at once, and only a panel's own hello counts.

Its rule: a port that cannot be opened, or is silent, is a line of the list and no failure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from companion.host.clock import Clock
from companion.host.line import open_line
from companion.host.ports import OpenPort
from companion.link.greeting import panel_name
from companion.link.protocol_gen import HelloReply
from companion.model.errors import LinkError


@dataclass(frozen=True, slots=True)
class Found:
    """What is on one port."""

    port: str
    hello: HelloReply | None
    fault: str = ""
    """Why no panel was recognised."""


async def find_panels(ports: Sequence[tuple[str, OpenPort]], clock: Clock) -> tuple[Found, ...]:
    """What is on each of *ports*, in their order; takes as long as the slowest, at most some three seconds."""
    return tuple(await asyncio.gather(*(_find(name, open_port, clock) for name, open_port in ports)))


async def _find(name: str, open_port: OpenPort, clock: Clock) -> Found:
    """What is on one port."""
    try:
        async with open_line(open_port, clock) as line:
            return Found(name, await line.greet())
    except LinkError as fault:
        return Found(name, None, str(fault))


def describe(hello: HelloReply) -> tuple[str, ...]:
    """Name, cells, chip, firmware and identity of a panel, as people read them."""
    shape = f"{hello.cells} cells" + (f", {hello.cols}×{hello.rows}" if hello.cols else "")
    version = f"{hello.firmware_major}.{hello.firmware_minor}.{hello.firmware_patch}"
    return panel_name(hello) or "?", shape, hello.board.name.lower(), version, hello.unique_id.hex()
