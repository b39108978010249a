# SPDX-License-Identifier: Apache-2.0
"""The reason why a lifted piece cannot move."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from companion.model.game import Violation
from companion.model.grid import Cell, Grid
from companion.model.observation import Difference, SensorKind
from companion.model.placement import Placement
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.looks import look

_MOST_TRIED: Final = 24
"""Limit of target cells that are tried: two rings on a square grid."""

_BLOCKER: Final = 3
"""Weight of an occupied target: what stands there is the likeliest reason."""

_UNCLEAR: Final = frozenset({"several-moved", "piece-left"})
"""Rules that are broken where the target of the piece cannot be told."""


def immobile(prospect: Prospect, cell: Cell) -> Violation | None:
    """The rule against moving the piece of *cell*; None if a legal move lifts it.

    That is the rule which forbids most of the near targets, the shape of the piece's moves aside.
    """
    if any(imprint.lifted >> cell & 1 for imprint in prospect.taking(cell)):
        return None
    rules, position = prospect.rules, prospect.position
    entry = prospect.placement.entry_at(cell)
    others = [other for other in range(len(rules.grid)) if entry is not None and other not in entry[1]]
    others.sort(key=lambda other: (_distance(rules.grid, cell, other), not prospect.occupied >> other & 1))
    weights: Counter[str] = Counter()
    found: dict[str, Violation] = {}
    for other in others[:_MOST_TRIED]:
        difference = carried(rules.grid, prospect.placement, cell, other)
        violation = rules.explain(position, difference)
        is_clear = not violation.rule.endswith("-shape") and violation.rule not in _UNCLEAR
        weights[violation.rule] += is_clear * (_BLOCKER if prospect.occupied >> other & 1 else 1)
        found.setdefault(violation.rule, violation)
    return max(found.values(), key=lambda each: weights[each.rule], default=None)


def _distance(grid: Grid, cell: Cell, other: Cell) -> int:
    """The distance of the centres of two cells, in whole mm."""
    return round(math.dist(_centre(grid, cell), _centre(grid, other)))


def _centre(grid: Grid, cell: Cell) -> tuple[float, float]:
    """The mean of the corners of *cell*."""
    xs, ys = zip(*grid.outlines[cell], strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def carried(grid: Grid, placement: Placement, source: Cell, target: Cell) -> Difference:
    """The difference from *placement* if the piece of *source* stood on *target*.

    It takes all its cells along.
    """
    entry = placement.entry_at(source)
    assert entry is not None
    piece, before = entry
    after = _shifted(grid, before, source, target)
    seen = look(piece, SensorKind.IDENTITY_FACING)
    return Difference(
        tuple(cell for cell in before if cell not in after),
        tuple(cell for cell in after if placement.at(cell) is None),
        tuple((cell, seen) for cell in after if placement.at(cell) is not None and cell not in before),
        placed=tuple((cell, seen) for cell in after if cell not in before),
    )


def _shifted(grid: Grid, cells: Sequence[Cell], source: Cell, target: Cell) -> tuple[Cell, ...]:
    """*cells* moved from *source* to *target*; only *target* if they would not fit."""
    if len(cells) == 1 or not grid.files:
        return (target,)
    files, ranks = target % grid.files - source % grid.files, target // grid.files - source // grid.files
    moved = [(cell % grid.files + files, cell // grid.files + ranks) for cell in cells]
    fits = all(0 <= file < grid.files and 0 <= rank < grid.ranks for file, rank in moved)
    return tuple(rank * grid.files + file for file, rank in moved) if fits else (target,)
