# SPDX-License-Identifier: Apache-2.0
"""Switches under a board and a camera above it, as one sensor.

Pure. The switches tell at once and in order when something leaves a cell or comes to it, whatever a hand hides;
the camera tells, a little later, what it is and which way it faces.

Who is believed when:

- Right after an edge of a cell its switch is: the camera is late, or a hand is in its way.
- What stands there is not known again until the camera has looked at the open cell *after* the edge.
- Where the camera has seen the whole board open for a while and a switch still says otherwise, the camera is:
  a magnet may be weak, missing or off the middle, and a switch may stick. Such cells are in `disputed`.
- A cell that the camera cannot see is still felt. What stood on it still does, since it has not left; that it was turned
  under the hand is told when the hand is gone.
- Of a panel or a camera that was lost nothing is believed until it is back.
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
"""What both together tell, if the camera reads tags."""

NONE: Final[Mapping[Cell, int]] = MappingProxyType({})
LATE_MS: Final = 500
"""An image may show what was so long ago: exposure, line and decoding, and some images until the eye is sure."""


class Fuser:
    """Makes one observation of what a panel feels and a camera sees."""

    def __init__(self, grid: Grid) -> None:
        """Nothing is told before both were heard, or the camera is known to be away."""
        self.disputed: Occupancy = 0
        """Cells where the camera is believed against the switch."""
        self._cells = range(len(grid))
        self._felt: Occupancy | None = None
        """Closed switches; None while there is no panel."""
        self._numb: Occupancy = 0
        """Cells whose switches are not believed."""
        self._seen: Sightings | None = None
        """What the camera told last; None before it has told anything."""
        self._looks: Mapping[Cell, Sighting] = {}
        self._is_blind = False
        self._fresh_ms: dict[Cell, int] = {}
        """Last edges of cells at which the camera has not looked since."""
        self._apart_ms: dict[Cell, int] = {}
        """Cells about which switch and camera have differed since."""
        self._told: list[Sighting] | None = None
        """What was told last, by cell; of a hidden cell what was told before."""
        self._hidden: Occupancy = 0
        self._last: Sightings | None = None
        self._rest_ms = 0

    def felt(self, observation: Observation) -> Observation | None:
        """What follows from *observation* of the panel; None if that is nothing."""
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
        """What follows from *observation* of the camera; None if that is nothing."""
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
        """What follows from an image at *at_ms* in which the camera saw nothing new; None if that is nothing."""
        return self._looked(at_ms, ())

    def blind(self, at_ms: int) -> Observation | None:
        """What follows from having no camera until it looks again; None if that is nothing."""
        self._is_blind = True
        return self._observation(at_ms, self._update(self._cells, at_ms))

    def numb(self, at_ms: int) -> Observation | None:
        """What follows from having no panel until it feels again; None if that is nothing."""
        self._felt, self.disputed = None, 0
        self._fresh_ms.clear()
        self._apart_ms.clear()
        return self._observation(at_ms, self._update(self._cells, at_ms))

    # what is believed

    def _feel(self, edge: Change) -> None:
        """The switch of a cell has changed: the camera knows nothing of that yet."""
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
        """What follows from a look of the camera; what has changed for *first* is told first.

        On *pushed* cells, left at these times, one piece stands for another that looked alike, and no switch has felt it.
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
        """True if the camera, which has looked since the last edge, sees something else than the switch feels."""
        is_closed = self._is_closed(cell)
        is_known = is_closed is not None and cell not in self._fresh_ms and not self._unseen >> cell & 1
        return is_known and self._sighted(cell).occupied != is_closed

    def _sighted(self, cell: Cell) -> Sighting:
        """What the camera last saw of *cell*."""
        if self._seen is None or not self._seen.occupied >> cell & 1:
            return EMPTY
        return self._looks.get(cell, OCCUPIED)

    def _fused(self, cell: Cell) -> Sighting:
        """What is believed of *cell* now."""
        is_closed, sighted = self._is_closed(cell), self._sighted(cell)
        if is_closed is None:
            return HIDDEN if self._unseen >> cell & 1 else sighted
        is_agreed = sighted.occupied == is_closed or self.disputed >> cell & 1
        if cell in self._fresh_ms or self._seen is None or not is_agreed:
            return OCCUPIED if is_closed else EMPTY
        return sighted

    # what is told

    def _update(self, cells: Iterable[Cell], t_ms: int, pushed: Mapping[Cell, int] = NONE) -> list[Input]:
        """Believe what is to be believed of *cells*; the changes in that, cells that were left first.

        *pushed* cells were left and entered, if both were occupied then and are now.
        """
        if self._told is None:
            return []
        changes: list[Change] = []
        for cell in dict.fromkeys(cells):
            fused, before = self._fused(cell), self._told[cell]
            bit = 1 << cell
            if fused.occupied is None:
                self._hidden |= bit
                continue
            self._hidden &= ~bit
            self._told[cell] = fused
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
        """All that is known now; None if it would say nothing new."""
        is_first = self._told is None
        if is_first and (self._seen is not None or (self._is_blind and self._felt is not None)):
            self._told = [EMPTY for _ in self._cells]
            self._update(self._cells, at_ms)
            self._rest_ms = at_ms
        if self._told is None:
            return None
        moved = [entered.t_ms for entered in inputs if isinstance(entered, Change)]
        self._rest_ms = max(self._rest_ms, *moved) if moved else self._rest_ms
        standing = [(cell, sighting) for cell, sighting in enumerate(self._told) if sighting.occupied]
        seen = tuple((cell, sighting) for cell, sighting in standing if sighting != OCCUPIED)
        sightings = Sightings(occupancy_of(cell for cell, _ in standing), self._hidden, seen)
        if sightings == self._last and not inputs and not has_gap:
            return None
        self._last = sightings
        return Observation(at_ms, tuple(inputs), sightings, self._rest_ms, has_gap or is_first)


def _is_same(one: Sighting, other: Sighting) -> bool:
    """True if both may be of one piece in one place: what is not known differs from nothing."""
    pairs = zip(
        (one.kind, one.side, one.facing, one.pose),
        (other.kind, other.side, other.facing, other.pose),
        strict=True,
    )
    return one.occupied == other.occupied and all(a is None or b is None or a == b for a, b in pairs)
