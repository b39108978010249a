# SPDX-License-Identifier: Apache-2.0
"""Whether the hand that made a move may still be on its way to another.

Wood slides over cells: a move can be extended by one that passes where it ended,
and by one that does all it did and something more (a castling, a shot).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from companion.model.grid import OFF, Cell, Grid
from companion.model.occupancy import Occupancy
from companion.referee.footprints import Imprint, Prospect


def is_extendable(before: Prospect, made: Sequence[Imprint]) -> bool:
    """True if a legal move in *before* may begin like those of *made*, which look alike, and end elsewhere."""
    imprint = made[0]
    alike = {other.move for other in made}
    others = [other for other in _kin(before, imprint) if other.move not in alike]
    if not others:
        return False
    if any(imprint.changed & ~other.changed == 0 for other in others):
        return True
    if not (imprint.source and imprint.target):
        return False
    grid = before.rules.grid
    start, stop = imprint.source[0], imprint.target[0]
    from_start, from_stop = distances(grid, start), distances(grid, stop)
    return any(
        from_start[stop] + from_stop[other.target[0]] == from_start[other.target[0]]
        for other in others
        if other.target and other.source == imprint.source
    )


def is_part(before: Prospect, made: Imprint) -> bool:
    """True if a legal move in *before* carries all that *made* does, and other wood besides, which may still be in the hand."""
    carried = set(made.carried)
    return any(carried < set(other.carried) for cell in made.source[:1] for other in before.touching(cell))


def is_one_hand(before: Prospect, after: Prospect, made: Imprint, missing: Occupancy) -> bool:
    """True if one hand may have lifted all that is *missing*: for a move *after* the one *made*, or for another *before*, of which that was a part."""
    if missing.bit_count() < 2:
        return True
    own = missing | made.lifted
    return any(not missing & ~imprint.lifted for imprint in after.imprints()) or any(
        not own & ~imprint.lifted for imprint in before.imprints()
    )


def _kin(before: Prospect, imprint: Imprint) -> list[Imprint]:
    """The imprints that share a changed cell with *imprint*, itself among them."""
    found = {}
    for cell in range(imprint.changed.bit_length()):
        if imprint.changed >> cell & 1:
            for other in before.touching(cell):
                found[other.move] = other
    return list(found.values())


@lru_cache(maxsize=512)
def distances(grid: Grid, start: Cell) -> tuple[int, ...]:
    """The least number of steps from *start* to each cell; a large number where there is no way."""
    far = len(grid) + 1
    found = [far] * len(grid)
    found[start] = 0
    edge = [start]
    while edge:
        following = []
        for cell in edge:
            for steps in grid.steps:
                other = steps[cell]
                if other != OFF and found[other] == far:
                    found[other] = found[cell] + 1
                    following.append(other)
        edge = following
    return tuple(found)
