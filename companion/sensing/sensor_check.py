# SPDX-License-Identifier: Apache-2.0
"""Test of every switch of a panel with a magnet.

Pure. The magnet visits the cells in an order, each lit by its lamp. A visit passes when the switch
of its cell stays closed for a moment, and only that one. What else happens is a fault, reported at
once; cells whose fault may be a slip of the hand are visited again at the end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from companion.link.events import InputsChanged, InputsRead, LinkEvent
from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, cells_of

DARK, WANTED, GOOD, FAULTY = range(4)
"""Colours of the lamps."""


class FaultKind(StrEnum):
    """What is wrong with a switch."""

    DEAD = "dead"
    """It does not close."""
    STUCK = "stuck"
    """It does not open."""
    WEAK = "weak"
    """It closes and opens under a magnet that stands."""
    DOUBLED = "doubled"
    """Another one closes with it."""
    ELSEWHERE = "elsewhere"
    """Another one closes in its place."""
    SWAPPED = "swapped"
    """It and another one close in each other's place."""
    RESTLESS = "restless"
    """It changes again and again, faster than a hand moves a magnet."""


_REVISITED: Final = frozenset({FaultKind.DEAD, FaultKind.STUCK, FaultKind.ELSEWHERE})
_MOST_REVISITED: Final = 8
"""A whole dead row needs no second visit."""
_WEAK_CLOSURES: Final = 4
"""A magnet that is put down closes a good reed up to three times."""
_RESTLESS_EDGES: Final = 10
_RESTLESS_MS: Final = 1000
"""Time within which so many edges of one cell are not caused by a hand.

A passing magnet causes up to six.
"""


@dataclass(frozen=True, slots=True)
class SwitchFault:
    """A fault that was found at *cell*."""

    kind: FaultKind
    cell: Cell
    other: Cell = -1
    """The cell of the other switch; -1 where only one is concerned."""


@dataclass(frozen=True, slots=True)
class CheckTiming:
    """Durations of a visit."""

    hold_ms: int = 400
    """How long a switch stays closed before it is believed."""
    wait_ms: int = 10_000
    """How long a cell waits for the magnet, and the test for an empty board."""


class SensorCheck:
    """The test of one panel."""

    def __init__(
        self, order: Sequence[Cell], closed: Occupancy, now_ms: int, timing: CheckTiming | None = None
    ) -> None:
        """Visit the cells in *order*; the *closed* ones have to be cleared before."""
        self.timing = timing or CheckTiming()
        self._order = tuple(order)
        self.target: Cell | None = None
        """The cell that waits for the magnet; None before and after the visits."""
        self.is_over = False
        self.faults: tuple[SwitchFault, ...] = ()
        self.good: frozenset[Cell] = frozenset()
        """Cells that have passed."""
        self._left = deque(order)
        self._visited: list[Cell] = []
        self._is_second = False
        self._asked_ms = now_ms
        self._closed_ms = dict.fromkeys(cells_of(closed), now_ms)
        self._opened_ms: dict[Cell, int] = {}
        self._lingering: Set[Cell] = frozenset()
        """Cells that were closed when the target was lit, until they have rested open."""
        self._closures = 0
        self._recent_ms = {cell: deque[int](maxlen=_RESTLESS_EDGES) for cell in order}
        self.advance(now_ms)

    # --- what is seen ---

    @property
    def waits_for_empty_board(self) -> tuple[Cell, ...]:
        """The cells that have to be cleared before the first visit, or after the last."""
        return tuple(sorted(self._closed_ms.keys() - self._stuck())) if self._is_clearing else ()

    @property
    def missing(self) -> tuple[Cell, ...]:
        """The cells that were not visited."""
        return tuple(cell for cell in self._order if cell not in self._visited)

    @property
    def done(self) -> int:
        """The number of cells that were visited."""
        return len(self._order) - len(self.missing)

    @property
    def is_right(self) -> bool:
        """True if all cells were visited and no fault was found."""
        return not self.faults and not self.missing

    @property
    def last_fault(self) -> SwitchFault | None:
        """The newest fault of the last visit."""
        last = self._visited[-1:]
        found = [each for each in self.faults if [each.cell] == last or [each.other] == last]
        return found[-1] if found else None

    @property
    def _is_clearing(self) -> bool:
        """True while no cell is lit, because others are closed."""
        return self.target is None and not self.is_over

    @property
    def faulty(self) -> frozenset[Cell]:
        """The cells with a fault."""
        cells = (cell for fault in self.faults for cell in (fault.cell, fault.other))
        return frozenset(cell for cell in cells if cell >= 0)

    def lamps(self, cells: int) -> tuple[int, ...]:
        """The colour of each of *cells* lamps."""
        faulty = self.faulty.union(self.waits_for_empty_board)
        colours = [GOOD if cell in self.good else DARK for cell in range(cells)]
        for cell in faulty:
            colours[cell] = FAULTY
        if self.target is not None:
            colours[self.target] = WANTED
        return tuple(colours)

    # --- what happens ---

    def take(self, event: LinkEvent, now_ms: int) -> None:
        """Take an event of the panel."""
        self.advance(now_ms)
        if isinstance(event, InputsChanged):
            for edge in event.edges:
                if edge.input < len(self._order):
                    self._move(edge.input, edge.is_closed, now_ms)
        elif isinstance(event, InputsRead):
            for cell in self._order:
                if (is_closed := bool(event.closed >> cell & 1)) != (cell in self._closed_ms):
                    self._move(cell, is_closed, now_ms)
        self.advance(now_ms)

    def note_chatter(self, cell: Cell, now_ms: int) -> None:
        """The panel reports that the switch of *cell* does not come to rest."""
        if cell == self.target:
            self._leave(SwitchFault(FaultKind.WEAK, cell), now_ms)

    def skip(self, now_ms: int) -> None:
        """The cell does not answer, or is left out: go on."""
        if self.target is not None:
            self._leave(SwitchFault(FaultKind.DEAD, self.target), now_ms)
        elif not self.is_over:
            self._clear(now_ms)

    def back(self, now_ms: int) -> None:
        """Visit the last cell again."""
        if self._visited and not self.is_over:
            cell = self._visited.pop()
            self._forget(cell, frozenset(FaultKind))
            self.good -= {cell}
            self._left.extendleft([*([] if self.target is None else [self.target]), cell])
            self._ask(now_ms)

    def end(self) -> None:
        """End the test, also before its last visit."""
        self.target, self.is_over = None, True

    def advance(self, now_ms: int) -> None:
        """Draw the conclusions that are due at *now_ms*."""
        if self.is_over:
            return
        if self.target is None:
            if not self.waits_for_empty_board or now_ms - self._asked_ms >= self.timing.wait_ms:
                self._clear(now_ms)
            return
        self._lingering = frozenset(
            cell for cell in self._lingering if cell in self._closed_ms or now_ms < self._rested_ms(cell)
        )
        held = self._held(now_ms)
        if self.target in held:
            self._pass(self.target, now_ms)
        elif found := sorted(held - self._lingering - self._stuck()):
            self._leave(SwitchFault(FaultKind.ELSEWHERE, self.target, found[0]), now_ms)
        elif now_ms - self._asked_ms >= self.timing.wait_ms:
            self._leave(SwitchFault(FaultKind.DEAD, self.target), now_ms)

    # --- inside ---

    def _rested_ms(self, cell: Cell) -> int:
        """The time at which the open *cell* has rested."""
        return self._opened_ms.get(cell, 0) + self.timing.hold_ms

    def _held(self, now_ms: int) -> frozenset[Cell]:
        """The cells that have closed since the target was lit, and have rested."""
        return frozenset(
            cell
            for cell, at in self._closed_ms.items()
            if at > self._asked_ms and now_ms - at >= self.timing.hold_ms
        )

    def _stuck(self) -> frozenset[Cell]:
        return frozenset(fault.cell for fault in self.faults if fault.kind is FaultKind.STUCK)

    def _move(self, cell: Cell, is_closed: bool, now_ms: int) -> None:
        """Note an edge of *cell*."""
        recent = self._recent_ms[cell]
        recent.append(now_ms)
        is_restless = len(recent) == _RESTLESS_EDGES and now_ms - recent[0] <= _RESTLESS_MS
        if is_restless and cell not in self.faulty:
            self._report(SwitchFault(FaultKind.RESTLESS, cell))
        if not is_closed:
            self._closed_ms.pop(cell, None)
            self._opened_ms[cell] = now_ms
            return
        self._closed_ms[cell] = now_ms
        if cell == self.target:
            self._closures += 1
            if self._closures == _WEAK_CLOSURES:
                self._leave(SwitchFault(FaultKind.WEAK, cell), now_ms)

    def _clear(self, now_ms: int) -> None:
        """Report what is still closed, and light the first cell, or end."""
        for cell in self.waits_for_empty_board:
            self._report(SwitchFault(FaultKind.STUCK, cell))
        if self._visited:
            self.end()
        else:
            self._ask(now_ms)

    def _ask(self, now_ms: int) -> None:
        """Light the next cell; after the last one wait for an empty board."""
        flickering = {self.target} if self.target is not None and self._closures > 1 else set()
        self._asked_ms, self._closures = now_ms, 0
        self._lingering = flickering.union(self._closed_ms)
        self.target = self._next()

    def _next(self) -> Cell | None:
        """The next cell; None after the last. A switch that is stuck cannot be visited."""
        while True:
            if not self._left and not self._is_second:
                self._is_second = True
                again = [
                    each.cell
                    for each in self.faults
                    if each.kind in _REVISITED and each.cell not in self.good
                ]
                self._left.extend(again if len(again) <= _MOST_REVISITED else ())
            if not self._left:
                return None
            cell = self._left.popleft()
            if cell not in self._closed_ms or cell not in self._stuck():
                return cell
            self._visited.append(cell)

    def _pass(self, cell: Cell, now_ms: int) -> None:
        """The switch of *cell* has closed and rested."""
        stuck = [each for each in self._lingering if each in self._closed_ms and each != cell]
        for each in sorted(set(stuck) - self._stuck()):
            self._report(SwitchFault(FaultKind.STUCK, each))
        with_it = self._closed_ms.keys() - self._lingering - self._stuck() - {cell}
        pairs = {frozenset((fault.cell, fault.other)) for fault in self.faults}
        for other in sorted(with_it):
            if frozenset((cell, other)) not in pairs:
                self._report(SwitchFault(FaultKind.DOUBLED, cell, other))
        self._forget(cell, _REVISITED)
        self.good |= {cell}
        self._leave(None, now_ms)

    def _leave(self, fault: SwitchFault | None, now_ms: int) -> None:
        """End the visit of the target, with *fault* if there is one."""
        assert self.target is not None
        if fault is not None:
            self._forget(fault.cell, _REVISITED)
            self._report(fault)
        self._visited.append(self.target)
        self._ask(now_ms)

    def _forget(self, cell: Cell, kinds: frozenset[FaultKind]) -> None:
        """Withdraw the faults of *cell* that are of *kinds*."""
        self.faults = tuple(each for each in self.faults if each.cell != cell or each.kind not in kinds)

    def _report(self, fault: SwitchFault) -> None:
        """Add *fault*; two switches that close in each other's place are one fault."""
        crossed = SwitchFault(FaultKind.ELSEWHERE, fault.other, fault.cell)
        if fault.kind is FaultKind.ELSEWHERE and crossed in self.faults:
            swapped = SwitchFault(FaultKind.SWAPPED, fault.other, fault.cell)
            self.faults = tuple(swapped if each == crossed else each for each in self.faults)
        else:
            self.faults += (fault,)
