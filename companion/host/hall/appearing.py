# SPDX-License-Identifier: Apache-2.0
"""Boards that appear when their panels are plugged in: a known panel is its board again, a new one becomes a new board.

Its rule: once there, a board stays; while its panel is away, it says so and waits.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from companion import games
from companion.host import journal as journals
from companion.host.beginning import Wishes
from companion.host.clock import Clock
from companion.host.hall.attending import local_ways
from companion.host.hall.boards import Boards, LocalBoard
from companion.host.hall.hall import Hall
from companion.host.hall.owned import Owned, Panels
from companion.host.hall.plugging import Plugs, Ports
from companion.host.panels import AUTO
from companion.link.panel import check_fit
from companion.link.protocol_gen import HelloReply
from companion.model.errors import PanelMismatch, StoreError

_TELL_S: Final = 1.0


class Appearing:
    """The boards of a hall's machine that nobody has named."""

    def __init__(
        self,
        hall: Hall,
        boards: Boards,
        panels: Panels,
        usual: Wishes,
        chosen: Sequence[str],
        say: Callable[[str], None],
        ports: Ports,
        clock: Clock,
    ) -> None:
        """*chosen* are the games for new panels: each gets the first that fits. Raises `SettingsError`, `StoreError`."""
        self._hall = hall
        self._boards = boards
        self._panels = panels
        self._usual = usual
        self._grids = {game: games.find(game).rules().grid for game in chosen}
        self._say = say
        self._known = {owned.panel: owned for owned in panels.all()}
        self._playing: set[str] = set()
        self._plugs = Plugs(ports, clock, self._found)
        self._group = asyncio.TaskGroup()

    async def run(self) -> None:
        """Let boards appear, until cancelled."""
        async with self._group:
            self._group.create_task(self._plugs.run(), name="plugs")
            while True:
                self._hall.complain("panels", *self._plugs.complaints.values())
                await asyncio.sleep(_TELL_S)

    def _found(self, hello: HelloReply) -> str:
        """The panel that said *hello* has come."""
        panel = hello.unique_id.hex()
        owned = self._known.get(panel) or self._invented(hello)
        if owned is None:
            return f"the panel {panel} has {hello.cells} cells, for which none of these games is: {', '.join(self._grids)}"
        if panel not in self._playing:
            self._playing.add(panel)
            self._group.create_task(self._play(owned), name=f"board {owned.board}")
        return ""

    def _invented(self, hello: HelloReply) -> Owned | None:
        """A new board for a panel that was never here; None if no game fits."""
        taken = {owned.board for owned in self._known.values()} | self._hall.hub.seats.known.keys()
        for game, grid in self._grids.items():
            try:
                check_fit(hello, grid)
            except PanelMismatch:
                continue
            name = next(each for number in itertools.count(1) if (each := f"board-{number}") not in taken)
            return Owned(hello.unique_id.hex(), name, game)
        return None

    async def _play(self, owned: Owned) -> None:
        """Play at the board of *owned*, for ever."""
        self._say(f"{owned.board}: panel {owned.panel} is plugged in, {owned.game} is played at it")
        if owned.panel not in self._known:
            self._known[owned.panel] = owned
            try:
                await asyncio.to_thread(self._panels.give, owned)
            except StoreError as fault:
                self._say(f"{owned.board}: {fault}; it may have another name next time")
        folder = (self._usual.folder or journals.folder()) / owned.board
        wishes = replace(self._usual, game=owned.game, port=AUTO, folder=folder)
        board = LocalBoard(owned.board, wishes, self._plugs.way(owned.panel))
        await self._boards.run(board, local_ways(self._hall, board.folder))
