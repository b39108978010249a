# SPDX-License-Identifier: Apache-2.0
"""What one picture of plain pieces says, against the board as it was last seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from companion.model.grid import Cell
from companion.model.observation import Sighting
from companion.model.occupancy import Occupancy
from companion.referee.inference.tracker.unfollowed import Line
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.looks import fits

Look: TypeAlias = int
"""The number of a look in `Evidence.looks`; 0 is empty."""

_LIFT: Final = 4.5
"""Cost of a cell that is empty for no reason."""
_PUT: Final = 5.0
"""Cost of a piece that is on a cell for no reason."""
NOWHERE: Final = 4.0
"""Further cost of a piece that was put down, while none was taken away."""
SURE: Final = 2.0
"""Nats by which a look leads that can be told."""
_MISREAD: Final = 5.0
"""Most that counts against a look on an unchanged cell, which may have been misread."""


class Candidate(NamedTuple):
    """A board that may be on the table."""

    score: float
    """In nats above the board as it was last seen; larger is likelier."""
    start: Prospect
    line: Line
    """The plies since the story's position."""
    looks: Mapping[Cell, Look]
    """The cells that look otherwise than they were last seen."""
    handled: frozenset[Cell]
    """The cells at which the plies explain a change, also if they look the same."""
    odd: Mapping[Cell, Look]
    """The looks that neither the position nor a ply explains."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture against the board as it was last seen."""

    looks: tuple[Sighting, ...]
    costs: tuple[tuple[float, ...], ...]
    """The cost of each look by cell; () if the picture does not show it."""
    fresh: tuple[float, ...]
    """For each cell, the log ratio of "something has happened here" since the last picture."""
    changed: tuple[float, ...]
    """The same with changes of before that are not explained yet."""
    seen: tuple[Look, ...]
    hidden: Occupancy
    """Cells that the picture does not show."""
    earlier: Mapping[Cell, int]
    """When cells changed whose change an earlier picture has shown."""

    def gain(self, cell: Cell, look: Look) -> float:
        """By how much it is likelier that *cell* shows *look* than what was last seen."""
        if self.hidden >> cell & 1 or look == self.seen[cell]:
            return 0.0
        costs = self.costs[cell]
        return costs[self.seen[cell]] - costs[look] + max(self.changed[cell], -_MISREAD)

    def odd(self) -> dict[Cell, Look]:
        """The cells that are likelier to have changed for no reason than not to.

        A piece that was put down has left another cell, if one shows a change that may be that.
        Where it cannot be told, it is of the side of one that was taken away.
        """
        lifts = {cell: self.gain(cell, 0) - _LIFT for cell in self._changed if self.seen[cell]}
        lifted = {self.seen[cell] for cell, gain in lifts.items() if gain > 0}
        puts = dict[Cell, tuple[float, Look]]()
        for cell in self._changed:
            looks = range(1, len(self.costs[cell]))
            gains = [
                (self.gain(cell, look), look in lifted, look) for look in looks if look != self.seen[cell]
            ]
            gain, _, look = max(gains, default=(0.0, False, 0))
            if gain - _PUT > max(0.0, lifts.get(cell, 0.0)):
                puts[cell] = gain - _PUT, look
        found = {cell: 0 for cell, gain in lifts.items() if gain > 0} | {
            cell: each[1] for cell, each in puts.items()
        }
        losses = sorted(
            (puts.get(cell, (0.0, 0))[0] - gain, cell) for cell, gain in lifts.items() if found.get(cell, 1)
        )
        sides = set(found.values())
        for loss, cell in losses:
            if self.seen[cell] not in sides:
                continue
            more = sum(1 if look else -1 for look in found.values())
            if loss < NOWHERE * min(more, 1 + (cell in puts)):
                found[cell] = 0
        is_shown = any(self.is_clear(cell, look) for cell, look in found.items())
        return found if is_shown else {}

    @property
    def _changed(self) -> list[Cell]:
        """The cells that have changed since the last picture."""
        return [cell for cell, costs in enumerate(self.costs) if costs and self.fresh[cell] > 0]

    def is_clear(self, cell: Cell, look: Look) -> bool:
        """True if the picture itself shows *look* there."""
        costs = self.costs[cell]
        return bool(costs) and all(
            each - costs[look] >= SURE for number, each in enumerate(costs) if number != look
        )

    def covered(self, handled: frozenset[Cell]) -> int:
        """The number of further cells that have changed and look like nothing known."""
        costs = self.costs
        return sum(max(costs[cell]) < SURE for cell in self._changed if cell not in handled)

    def is_ahead(self, candidate: Candidate) -> bool:
        """True if an earlier picture shows a ply that *candidate* does not explain."""
        left = [cell for cell in self.earlier if cell not in candidate.handled]
        gone = any(self.seen[cell] and self.is_clear(cell, 0) for cell in left)
        return gone and any(
            look != self.seen[cell] and self.is_clear(cell, look)
            for cell in left
            for look in range(1, len(self.costs[cell]))
        )

    def wanted(self, prospect: Prospect) -> dict[Cell, Look]:
        """The cells that look otherwise in *prospect* than they were seen."""
        numbers = {cell: self.number(look) for cell, look in prospect.looks.items()}
        return {
            cell: numbers.get(cell, 0) for cell, seen in enumerate(self.seen) if numbers.get(cell, 0) != seen
        }

    def number(self, look: Sighting) -> Look:
        """The number of *look*."""
        return number_of(self.looks, look)


def number_of(looks: Sequence[Sighting], look: Sighting) -> Look:
    """The number of *look* in *looks*; if its side is unknown, the first piece's."""
    if not look.occupied:
        return 0
    return next((number for number, each in enumerate(looks) if number and fits(each, look)), 1)


def price(look: Look) -> float:
    """The cost of *look* on a cell for no reason."""
    return _PUT if look else _LIFT
