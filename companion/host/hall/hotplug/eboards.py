# SPDX-License-Identifier: Apache-2.0
"""Eboards at the hall's machine.

Its rule: an eboard is known by its name in `--port`; it is opened by its table only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from companion.host.retry import USUAL, Intervals

Names: TypeAlias = Callable[[], Awaitable[Sequence[str]]]
"""Returns the eboards that are there, as `--port` names them; may take seconds."""
Found: TypeAlias = Callable[[str], str]
"""Called for each plugged-in eboard; returns why it is not used, "" if it is."""


@dataclass(slots=True)
class PluggedEboards:
    """Polls for eboards that are plugged in."""

    names: Names
    found: Found
    complaints: dict[str, str] = field(default_factory=dict)
    """Faults by eboard, as sentences."""
    intervals: Intervals = USUAL

    async def run(self) -> None:
        """Poll until cancelled."""
        while True:
            names = await self.names()
            self.complaints = {name: said for name in names if (said := self.found(name))}
            await asyncio.sleep(self.intervals.poll_s)
