# SPDX-License-Identifier: Apache-2.0
"""Which other histories are worth a trial: lines that part from what is believed at one ply.

Those that have to do with the wood handled last come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import TypeAlias

from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.referee.belief import Belief, Ply
from companion.referee.footprints import Imprint

Line: TypeAlias = tuple[Ply, ...]


class Ring(IntEnum):
    """Why another history is thought of."""

    RIVAL = 0
    """The board was understood so of late."""
    HANDLED = 1
    """It moves the wood that was handled last."""
    MET = 2
    """A move with that wood would have to do with the wood that it moves."""
    ASIDE = 3


def others_of(belief: Belief, floor: int, ring: Ring) -> Iterator[Line]:
    """Lines of *ring* that part from that of *belief* at one ply from *floor* on, and end with it."""
    if ring is Ring.RIVAL:
        for rival in belief.rivals:
            if floor <= belief.shared_with(rival) < len(rival):
                yield rival
                yield from variants(belief, rival, list(rival[-1].others))
    else:
        yield from _candidates(belief, floor, ring)


def _candidates(belief: Belief, floor: int, ring: Ring) -> Iterator[Line]:
    """The line of *belief* with one ply from *floor* on as another of its candidates, and nothing after it."""
    cells = handled(belief)
    met = cells | _met(belief, cells)
    for depth in range(len(belief.line) - 1, floor - 1, -1):
        ply = belief.line[depth]
        near, cells = _near(ply, cells)
        around, met = _near(ply, met)
        around = [imprint for imprint in around if imprint not in near]
        far = [imprint for imprint in (*ply.others, *ply.refuted) if imprint not in (*near, *around)]
        wanted, failed = ((near, []), (around, near), (far, [*near, *around]))[ring - Ring.HANDLED]
        yield from variants(belief, belief.line[: depth + 1], wanted, failed)


def _near(ply: Ply, cells: Occupancy) -> tuple[list[Imprint], Occupancy]:
    """The other candidates for *ply* by which wood came to *cells*, and these with those where it was before."""
    others = [*ply.others, *ply.refuted]
    near = [imprint for imprint in others if brings(imprint, cells)]
    brought = near
    if brings(ply.imprint, cells):  # one that does not is enough
        brought = [ply.imprint, *near]
        near = [*near, *[imprint for imprint in others if imprint not in near][:1]]
    for imprint in brought:
        cells |= imprint.lifted
    return near, cells


def _met(belief: Belief, cells: Occupancy) -> Occupancy:
    """Where wood stands that a move of the side to move takes off, or moves, with that on one of *cells*.

    And the wood of the last ply, which may have been on its way to something more.
    """
    found = belief.line[-1].imprint.entered if belief.line else 0
    for cell in cells_of(cells):
        for imprint in belief.tip.touching(cell):
            found |= imprint.lifted
    return found


def variants(
    belief: Belief, line: Line, imprints: list[Imprint], failed: Sequence[Imprint] = ()
) -> Iterator[Line]:
    """*line* with each of *imprints* for its last ply; that, and those that *failed*, are refuted by what followed."""
    *earlier, ply = line
    before = earlier[-1].after if earlier else belief.root
    for number, imprint in enumerate(imprints):
        gone = (ply.imprint, *failed, *imprints[:number])
        others = tuple(other for other in ply.others if other != imprint and other not in gone)
        refuted = tuple(other for other in ply.refuted if other != imprint and other not in gone)
        after = before.after(imprint.move)
        other = ply._replace(imprint=imprint, after=after, others=others, refuted=(*refuted, *gone))
        yield (*earlier, other)


def handled(belief: Belief) -> Occupancy:
    """The cells whose wood was handled last: since the last ply, or for it if it is merely supposed."""
    depth = len(belief.line)
    if depth and belief.line[-1].is_supposed:
        depth -= 1
    edges = belief.edges[max(0, belief.since(depth) - belief.first_edge) :]
    return belief.before(depth).differing(belief.seen) | occupancy_of(edge.cell for edge in edges)


def brings(imprint: Imprint, cells: Occupancy) -> bool:
    """True if *imprint* puts wood on one of *cells*."""
    return any(cells >> cell & 1 for _, target in imprint.carried for cell in target)
