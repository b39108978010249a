# SPDX-License-Identifier: Apache-2.0
"""Fusion of switches under a board and a camera above it into one sensor.

Pure. The switches report at once and in order when a piece leaves or enters a cell,
even under a hand;
the camera reports, a little later, what the piece is and which way it faces.

Priorities:

- Right after an edge of a cell its switch decides: the camera is late, or a hand covers the cell.
- The piece is unknown until the camera has looked at the open cell *after* the edge.
- If the camera has seen the whole board open for a while and a switch still disagrees, the camera
  decides: a magnet may be weak, missing or off centre, and a switch may be stuck.
  Such cells are in `disputed`.
- A cell that the camera cannot see is still sensed by its switch. Its piece is the same,
  since it has not left; a turn under the hand is reported when the hand is gone.
- The data of a lost panel or camera are ignored until it is back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from companion.model.grid import Cell, Grid
from companion.model.observation import (
    EMPTY,
    HIDDEN,
    OCCUPIED,
    Change,
    Input,
    Observation,
    SensorKind,
    Sighting,
    Sightings,
)
from companion.model.occupancy import Occupancy, cells_of, occupancy_of

KIND: Final = SensorKind.IDENTITY_FACING
"""The sensor kind of both together, if the camera reads tags."""

NONE: Final[Mapping[Cell, int]] = MappingProxyType({})
LATE_MS: Final = 500
"""Greatest age of an image's content: exposure, line, decoding, and confirmation."""


class Fuser:
    """Combines the observations of a panel and a camera into one."""

    def __init__(self, grid: Grid) -> None:
        """Nothing is reported before both have reported, or the camera is known to be absent."""
        self.disputed: Occupancy = 0
        """Cells where the camera overrides the switch."""
        self._cells = range(len(grid))
        self._felt: Occupancy | None = None
        """Closed switches; None without a panel."""
        self._numb: Occupancy = 0
        """Cells whose switches are ignored."""
        self._seen: Sightings | None = None
        """The camera's last sightings; None before the first."""
        self._looks: Mapping[Cell, Sighting] = {}
        self._is_blind = False
        self._fresh_ms: dict[Cell, int] = {}
        """Last edges of cells at which the camera has not looked since."""
        self._apart_ms: dict[Cell, int] = {}
        """Start of the disagreement between switch and camera, by cell."""
        self._reported: list[Sighting] | None = None
        """The last reported sightings by cell; a hidden cell keeps the one from before."""
        self._hidden: Occupancy = 0
        self._last: Sightings | None = None
        self._rest_ms = 0

    def felt(self, observation: Observation) -> Observation | None:
        """The result of *observation* from the panel; None if nothing is new."""
        inputs: list[Input] = []
        before, self._numb = self._felt, observation.sightings.hidden
        if before is None or observation.has_gap:
            self._felt = observation.sightings.occupied
            changed = 0 if before is None else before ^ self._felt
            self._fresh_ms |= dict.fromkeys(cells_of(changed), observation.at_ms)
        for entered in observation.inputs:
            if isinstance(entered, Change):
                self._feel(entered)
                inputs += self._update((entered.cell,), entered.t_ms)
            else:
                inputs.append(entered)
        inputs += self._update(self._cells, observation.at_ms)
        return self._observation(observation.at_ms, inputs, has_gap=observation.has_gap)

    def seen(self, observation: Observation) -> Observation | None:
        """The result of *observation* from the camera; None if nothing is new."""
        self._seen, self._looks = observation.sightings, dict(observation.sightings.seen)
        changes = [entered for entered in observation.inputs if isinstance(entered, Change)]
        changed = [change.cell for change in changes]
        left = {change.cell: change.t_ms for change in changes if not change.sighting.occupied}
        pushed = {
            cell: left_ms
            for cell, left_ms in left.items()
            if cell not in self._fresh_ms and self._sighted(cell).occupied
        }
        for cell in changed:
            if self._sighted(cell).occupied == self._is_closed(cell):
                self._fresh_ms.pop(cell, None)
        return self._looked(observation.at_ms, changed, pushed, has_gap=observation.has_gap)

    def looked(self, at_ms: int) -> Observation | None:
        """The result of an image at *at_ms* without news; None if nothing is new."""
        return self._looked(at_ms, ())

    def blind(self, at_ms: int) -> Observation | None:
        """The result of a lost camera, until its next look; None if nothing is new."""
        self._is_blind = True
        return self._observation(at_ms, self._update(self._cells, at_ms))

    def numb(self, at_ms: int) -> Observation | None:
        """The result of a lost panel, until it is back; None if nothing is new."""
        self._felt, self.disputed = None, 0
        self._fresh_ms.clear()
        self._apart_ms.clear()
        return self._observation(at_ms, self._update(self._cells, at_ms))

    # fusion

    def _feel(self, edge: Change) -> None:
        """Handle an edge of a cell's switch, which the camera has not seen yet."""
        bit = 1 << edge.cell
        self._felt = (self._felt or 0) & ~bit | (bit if edge.sighting.occupied else 0)
        self.disputed &= ~bit
        self._fresh_ms[edge.cell] = edge.t_ms

    def _looked(
        self,
        at_ms: int,
        first: Sequence[Cell],
        pushed: Mapping[Cell, int] = NONE,
        *,
        has_gap: bool = False,
    ) -> Observation | None:
        """The result of a look of the camera; changes of *first* are reported first.

        On *pushed* cells, left at these times, one piece replaced another that looked alike,
        without an edge of a switch.
        """
        if self._seen is None:
            return None
        self._is_blind = False
        unseen = self._unseen
        for cell, edge_ms in tuple(self._fresh_ms.items()):
            if not unseen >> cell & 1 and at_ms - edge_ms > LATE_MS:
                del self._fresh_ms[cell]
        for cell in self._cells:
            if self._is_apart(cell):
                self._apart_ms.setdefault(cell, at_ms)
            else:
                self._apart_ms.pop(cell, None)
                self.disputed &= ~(1 << cell)
        if not unseen:
            lasting = (cell for cell, since_ms in self._apart_ms.items() if at_ms - since_ms > LATE_MS)
            self.disputed |= occupancy_of(lasting)
        inputs = self._update((*first, *self._cells), at_ms, pushed)
        return self._observation(at_ms, inputs, has_gap=has_gap)

    @property
    def _unseen(self) -> Occupancy:
        """Cells that the camera cannot see now."""
        return -1 if self._is_blind or self._seen is None else self._seen.hidden

    def _is_closed(self, cell: Cell) -> bool | None:
        if self._felt is None or self._numb >> cell & 1:
            return None
        return bool(self._felt >> cell & 1)

    def _is_apart(self, cell: Cell) -> bool:
        """True if the camera, which has looked since the last edge, contradicts the switch."""
        is_closed = self._is_closed(cell)
        is_known = is_closed is not None and cell not in self._fresh_ms and not self._unseen >> cell & 1
        return is_known and self._sighted(cell).occupied != is_closed

    def _sighted(self, cell: Cell) -> Sighting:
        """The camera's last sighting of *cell*."""
        if self._seen is None or not self._seen.occupied >> cell & 1:
            return EMPTY
        return self._looks.get(cell, OCCUPIED)

    def _fused(self, cell: Cell) -> Sighting:
        """The present combined sighting of *cell*."""
        is_closed, sighted = self._is_closed(cell), self._sighted(cell)
        if is_closed is None:
            return HIDDEN if self._unseen >> cell & 1 else sighted
        is_agreed = sighted.occupied == is_closed or self.disputed >> cell & 1
        if cell in self._fresh_ms or self._seen is None or not is_agreed:
            return OCCUPIED if is_closed else EMPTY
        return sighted

    # reports

    def _update(self, cells: Iterable[Cell], t_ms: int, pushed: Mapping[Cell, int] = NONE) -> list[Input]:
        """Update the combined sightings of *cells*; returns the changes, left cells first.

        A *pushed* cell that was occupied and still is counts as left and entered.
        """
        if self._reported is None:
            return []
        changes: list[Change] = []
        for cell in dict.fromkeys(cells):
            fused, before = self._fused(cell), self._reported[cell]
            bit = 1 << cell
            if fused.occupied is None:
                self._hidden |= bit
                continue
            self._hidden &= ~bit
            self._reported[cell] = fused
            is_pushed = cell in pushed and bool(before.occupied and fused.occupied)
            if is_pushed:
                changes.append(Change(max(pushed[cell], self._rest_ms), cell, EMPTY))
            if is_pushed or not _is_same(fused, before):
                changes.append(Change(t_ms, cell, fused))
        changes.sort(key=lambda change: (bool(change.sighting.occupied), change.t_ms))
        return [*changes]

    def _observation(
        self, at_ms: int, inputs: Sequence[Input], *, has_gap: bool = False
    ) -> Observation | None:
        """All present sightings; None if nothing is new."""
        is_first = self._reported is None
        if is_first and (self._seen is not None or (self._is_blind and self._felt is not None)):
            self._reported = [EMPTY for _ in self._cells]
            self._update(self._cells, at_ms)
            self._rest_ms = at_ms
        if self._reported is None:
            return None
        moved = [entered.t_ms for entered in inputs if isinstance(entered, Change)]
        self._rest_ms = max(self._rest_ms, *moved) if moved else self._rest_ms
        standing = [(cell, sighting) for cell, sighting in enumerate(self._reported) if sighting.occupied]
        seen = tuple((cell, sighting) for cell, sighting in standing if sighting != OCCUPIED)
        sightings = Sightings(occupancy_of(cell for cell, _ in standing), self._hidden, seen)
        if sightings == self._last and not inputs and not has_gap:
            return None
        self._last = sightings
        return Observation(at_ms, tuple(inputs), sightings, self._rest_ms, has_gap or is_first)


def _is_same(one: Sighting, other: Sighting) -> bool:
    """True if both may be the same piece: unknown values match any."""
    pairs = zip(
        (one.kind, one.side, one.facing, one.pose),
        (other.kind, other.side, other.facing, other.pose),
        strict=True,
    )
    return one.occupied == other.occupied and all(a is None or b is None or a == b for a, b in pairs)
