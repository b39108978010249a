# SPDX-License-Identifier: Apache-2.0
"""Notices another hall of the same name at the broker.

Each hall says `here RUN` on the topic `companion/HALL/halls` when it connects, when it hears of a
new hall, and regularly; and `gone RUN` when it ends, by its will if it was killed. RUN is the
random name of the run, so a hall does not take itself for another one, and the broker retains
nothing that a former run has said.

The messages have no signature: two halls by mistake usually have different secrets. So anybody at
the broker can make a hall show its warning, or hide it for some seconds. They cannot choose its
text, and no more than `_MOST` names are kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable
from typing import Final

from companion.host.clock import Clock
from companion.host.retry import USUAL, Intervals
from companion.model.errors import HallUnreachable

_SAID: Final = re.compile(r"(here|gone) ([0-9a-zA-Z]{1,32})")
_MOST: Final = 8
"""Limit of other halls that are remembered."""
_SILENT: Final = 3
"""Intervals after which a silent hall counts as gone."""


class OtherHalls:
    """The other halls of the same name."""

    def __init__(
        self, run: str, clock: Clock, show: Callable[[bool], None], intervals: Intervals = USUAL
    ) -> None:
        """*run* is our name; *show* gets whether there are others, again and again."""
        self.here: Final = f"here {run}"
        self.gone: Final = f"gone {run}"
        self._run = run
        self._clock = clock
        self._show = show
        self._intervals = intervals
        self._heard_ms: dict[str, int] = {}

    def receive(self, text: str) -> bool:
        """Process what a hall said; true if it has to hear that we are here."""
        said = _SAID.fullmatch(text)
        if said is None or said[2] == self._run:
            return False
        is_new = said[1] == "here" and said[2] not in self._heard_ms
        if said[1] == "gone":
            self._heard_ms.pop(said[2], None)
        elif not is_new or len(self._heard_ms) < _MOST:
            self._heard_ms[said[2]] = self._clock()
        self.look()
        return is_new

    def look(self) -> None:
        """Forget halls that have been silent for too long, and show whether others are left."""
        since_ms = self._clock() - _SILENT * 1000 * self._intervals.halls_s
        self._heard_ms = {run: at_ms for run, at_ms in self._heard_ms.items() if at_ms >= since_ms}
        self._show(bool(self._heard_ms))

    async def stay(self, tell: Callable[[], Awaitable[None]]) -> None:
        """Say by *tell* that we are here, regularly until cancelled."""
        while True:
            self.look()
            with contextlib.suppress(HallUnreachable):  # others report it
                await tell()
            await asyncio.sleep(self._intervals.halls_s)

    def forget(self) -> None:
        """Forget all: the broker is lost, and with it their messages."""
        self._heard_ms.clear()
        self._show(False)
