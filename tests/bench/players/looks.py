# SPDX-License-Identifier: Apache-2.0
"""What a sensor sees of positions and moves, read from the rules independently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import EMPTY, SensorKind, Sighting
from tests.bench.players.physics import look

Looks: TypeAlias = dict[Cell, Sighting]
"""The sightings of all cells that are not empty."""


class Sight:
    """A position as a sensor sees it."""

    def __init__(self, rules: AnyRules, position: Any, kind: SensorKind) -> None:
        self.rules, self.position, self.kind = rules, position, kind
        entries = rules.placement(position).entries
        self.looks: Looks = {cell: look(piece, kind) for piece, cells in entries for cell in cells}
        self._moves: list[tuple[Any, tuple[Step, ...]]] | None = None

    def moves(self) -> list[tuple[Any, tuple[Step, ...]]]:
        """The legal moves with their steps."""
        if self._moves is None:
            legal: Sequence[Any] = self.rules.legal_moves(self.position)
            self._moves = [(move, self.rules.steps(self.position, move)) for move in legal]
        return self._moves

    def after(self, steps: Iterable[Step]) -> Looks:
        """The looks after *steps*; a piece on its side also has a magnet."""
        looks = dict(self.looks)
        steps = tuple(steps)
        for step in steps:
            for cell in step.source:
                looks.pop(cell, None)
        for step in steps:
            for cell in step.target:
                looks[cell] = look(step.becomes, self.kind)
        return looks

    def differing(self, seen: Looks) -> set[Cell]:
        """Cells that look different in *seen*."""
        return differing(self.looks, seen)

    def matching(self, seen: Looks) -> Iterator[Any]:
        """The legal moves after which the board would look like *seen*."""
        for move, steps in self.moves():
            if not differing(self.after(steps), seen):
                yield move

    def is_on_the_way(self, seen: Looks) -> bool:
        """True if *seen* is this position, or may occur during a legal move.

        Some steps may be done, and pieces lifted.
        """
        off = self.differing(seen)
        if not off:
            return True
        for _, steps in self.moves():
            touched = {cell for step in steps for cell in (*step.source, *step.target)}
            if off <= touched:
                lifted = {cell for step in steps for cell in step.source}
                done = differing(self.after(steps), seen)
                if all(cell not in done or (cell in lifted and not _occupied(seen, cell)) for cell in off):
                    return True
        return False


def _occupied(seen: Looks, cell: Cell) -> bool:
    return bool(seen.get(cell, EMPTY).occupied)


def differing(looks: Looks, seen: Looks) -> set[Cell]:
    """Cells that differ between *looks* and *seen*."""
    return {cell for cell in (*looks, *seen) if looks.get(cell, EMPTY) != seen.get(cell, EMPTY)}


def is_traceless(rules: AnyRules, position: Any, move: Any, kind: SensorKind) -> bool:
    """True if a sensor of *kind* sees the same before and after *move*."""
    sight = Sight(rules, position, kind)
    return not sight.differing(sight.after(rules.steps(position, move)))
