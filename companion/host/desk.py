# SPDX-License-Identifier: Apache-2.0
"""A virtual table as it stands in a room: wood, the hands that move it, and the panel under it.

Its rule: hands know no rules and take their time, one thing after another;
the panel notices which cells are covered, and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

from companion.host.clock import Clock
from companion.host.hands import Drop, Hand, Lift, PutAway, PutBack, SetRight, Take, Turn
from companion.host.ports import OnChunk, OnEnd, Port, VirtualPort
from companion.model.occupancy import cells_of
from companion.model.placement import Placement
from companion.virtual.panel import VirtualPanel
from companion.virtual.wood import Wood

_HAND_S: Final = 0.12
"""Between taking one piece off and putting another down: no hand is faster, and the panel's debounce needs a part."""


class Desk:
    """The wood of a virtual table, and the panel that feels it."""

    def __init__(self, panel: VirtualPanel, wood: Wood, clock: Clock) -> None:
        self.panel = panel
        self.wood = wood
        self._clock = clock
        self._port: VirtualPort | None = None
        self._waiting: asyncio.Queue[Hand] = asyncio.Queue()
        for cell in cells_of(wood.occupied):
            panel.close(cell, clock())

    async def open_port(self, on_chunk: OnChunk, _on_end: OnEnd) -> Port:
        """The way to the panel: an `OpenPort`."""
        self._port = VirtualPort(self.panel, self._clock, on_chunk)
        self._port.fetch()
        return self._port

    def do(self, hand: Hand) -> None:
        """Have *hand* done in its turn."""
        self._waiting.put_nowait(hand)

    async def run(self, believed: Callable[[], Placement], has_changed: Callable[[], None]) -> None:
        """Do what was asked for, for ever. *believed* is where the companion thinks that the pieces belong."""
        while True:
            hand = await self._waiting.get()
            for index, wood in enumerate(motions(self.wood, hand, believed())):
                if index:
                    await asyncio.sleep(_HAND_S)
                self._become(wood)
                has_changed()

    def _become(self, wood: Wood) -> None:
        """Let the panel feel how *wood* differs."""
        now_ms = self._clock()
        for cell in cells_of(self.wood.occupied & ~wood.occupied):
            self.panel.open(cell, now_ms)
        for cell in cells_of(wood.occupied & ~self.wood.occupied):
            self.panel.close(cell, now_ms)
        self.wood = wood
        if self._port is not None:
            self._port.fetch()


def motions(wood: Wood, hand: Hand, believed: Placement) -> Iterator[Wood]:
    """How *wood* looks after each motion that *hand* takes."""
    match hand:
        case Drop(cell):
            below = wood.reach(cell)
            if wood.hand is not None and any(wood.standing.at(each) for each in below):
                wood = wood.clear(*below)
                yield wood
            yield wood.drop(cell)
        case SetRight():
            yield from _set_right(wood, believed)
        case _:
            yield _motion(wood, hand)


def _motion(wood: Wood, hand: Lift | PutBack | PutAway | Take | Turn) -> Wood:
    """How *wood* looks after the one motion that *hand* takes."""
    match hand:
        case Lift(cell):
            return wood.lift(cell)
        case PutBack():
            source = wood.hand.came_from if wood.hand is not None else None
            back = wood if source is None else wood.drop(source)
            return wood.put_away() if back == wood else back
        case PutAway():
            return wood.put_away()
        case Take(index):
            return wood.take(index)
        case Turn():
            return wood.turn()


def _set_right(wood: Wood, believed: Placement) -> Iterator[Wood]:
    """Take off what stands wrongly, then put every piece of *believed* where it belongs."""
    wood = wood.put_away()
    for piece, cells in wood.standing.entries:
        if believed.entry_at(cells[0]) != (piece, cells):
            wood = wood.clear(cells[0])
    yield wood
    for piece, cells in believed.entries:
        if wood.standing.at(cells[0]) is None:
            wood = wood.stand(piece, cells)
    yield wood
