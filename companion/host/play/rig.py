# SPDX-License-Identifier: Apache-2.0
"""A pipeline and a virtual panel on a virtual wire, in virtual time.

Its rule: nothing waits. `advance` steps from deadline to deadline, and both ends use the real
protocol. The demo, tests and benchmarks play whole games on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from companion.host.table.pipeline import Pipeline
from companion.model.occupancy import cells_of
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet

_PATIENCE: Final = 1000
"""Limit of exchanges at one moment; more mean an internal error."""


class Rig:
    """One table in virtual time."""

    def __init__(
        self,
        pipeline: Pipeline,
        panel: VirtualPanel,
        pieces: PieceSet,
        now_ms: int,
        sync: Callable[[], None],
        under: Sequence[int] = (),
    ) -> None:
        """*sync* syncs the pipeline's journal.

        *under* has the panel's cell under each cell of the pieces; empty if they are equal.
        """
        self._under = under or range(panel.device.panel.cells)
        self.pipeline = pipeline
        self.panel = panel
        self.pieces = pieces
        self.now_ms = now_ms
        self._sync = sync
        for cell in cells_of(pieces.occupied):
            panel.close(self._under[cell], now_ms)
        pipeline.look(pieces.standing, now_ms)
        pipeline.reopen(now_ms)

    def become(self, pieces: PieceSet) -> None:
        """Apply the difference between the old and new *pieces* to the panel's switches."""
        for cell in cells_of(self.pieces.occupied & ~pieces.occupied):
            self.panel.open(self._under[cell], self.now_ms)
        for cell in cells_of(pieces.occupied & ~self.pieces.occupied):
            self.panel.close(self._under[cell], self.now_ms)
        self.pieces = pieces
        self.pipeline.look(pieces.standing, self.now_ms, is_held=pieces.hand is not None)
        self.exchange()

    def advance(self, by_ms: int) -> None:
        """Let *by_ms* pass."""
        until_ms = self.now_ms + by_ms
        self.exchange()
        while (due_ms := self._next_deadline_ms()) <= until_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.pipeline.tick(self.now_ms)
            self.exchange()
        self.now_ms = until_ms

    def exchange(self) -> None:
        """Transfer bytes in both directions until both ends are silent."""
        for _ in range(_PATIENCE):
            if self.pipeline.is_unsafe:
                self._sync()
                self.pipeline.made_safe(self.pipeline.unpublished)
            teacher = self.pipeline.teacher
            if teacher is not None and (command := teacher.take_command()) is not None:
                self.pipeline.command(command, self.now_ms)
                continue
            said = self.pipeline.bytes_to_send(self.now_ms)
            self.panel.feed(said, self.now_ms)
            answered = self.panel.bytes_to_send(self.now_ms)
            if not said and not answered:
                return
            self.pipeline.receive(answered, self.now_ms)
        raise AssertionError("panel and host never fall silent")

    def _next_deadline_ms(self) -> int:
        """Return the earliest deadline of the two ends."""
        due_ms = self.pipeline.next_deadline_ms()
        panel_ms = self.panel.next_deadline_ms()
        return panel_ms if due_ms is None else min(due_ms, panel_ms)
