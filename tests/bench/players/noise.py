# SPDX-License-Identifier: Apache-2.0
"""Edges that a board loses or doubles now and then.

A lost edge is one that the scans miss for 30 to 120 ms; what the cell shows then is reported late.
If a piece was exchanged in between, both edges are reported, because no hand is so fast. A doubled
edge comes back for some scans, as from a contact that bounces longer than it is debounced.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from companion.model.grid import Cell
from companion.model.observation import Sighting


class Noise:
    """The lost and doubled edges of one board."""

    def __init__(self, rng: Random, rate: float) -> None:
        self.rate = rate
        """Probability that an edge is lost or doubled."""
        self.counts: Counter[str] = Counter()
        self._rng = rng
        self._deaf: dict[Cell, tuple[int, object]] = {}
        self._twice: dict[Cell, tuple[int, int, Sighting]] = {}
        self._stood: dict[Cell, object] = {}

    def cells(self) -> set[Cell]:
        """The cells that have to be scanned although nothing moves."""
        return {*self._deaf, *self._twice}

    def has_missed(self, cell: Cell, reported: Sighting, body: object) -> bool:
        """True if *body* has replaced the piece of a deaf *cell*, which recovers."""
        if cell not in self._deaf or body is None or not reported.occupied:
            return False
        if body is self._deaf[cell][1]:
            return False
        del self._deaf[cell]
        return True

    def reading(self, cell: Cell, now: int, raw: Sighting, reported: Sighting) -> Sighting:
        """What a scan reads in *cell*, which shows *raw* without noise."""
        if cell in self._deaf:
            if now <= self._deaf[cell][0]:
                return reported
            del self._deaf[cell]
        if cell in self._twice:
            begins, ends, before = self._twice[cell]
            if begins <= now < ends:
                return before
            if now >= ends:
                del self._twice[cell]
        return raw

    def disturbs(self, cell: Cell, now: int, reported: Sighting, scan_ms: int, settle: int) -> str:
        """The disturbance of an edge of *cell*: `lost_edge`, `double_edge` or nothing."""
        if not self.rate or cell in self._twice or self._rng.random() >= self.rate:
            return ""
        if self._rng.random() < 0.5:
            self._deaf[cell] = now + self._rng.randint(30, 120), self._stood.get(cell)
            name = "lost_edge"
        else:
            begins = now + scan_ms * self._rng.randint(1, 4)
            self._twice[cell] = begins, begins + scan_ms * (settle + self._rng.randint(0, 2)), reported
            name = "double_edge"
        self.counts[name] += 1
        return name

    def stands(self, cell: Cell, body: object) -> None:
        """Remember that *body* was reported in *cell*, or None."""
        if body is not None:
            self._stood[cell] = body
