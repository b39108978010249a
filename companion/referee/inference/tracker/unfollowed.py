# SPDX-License-Identifier: Apache-2.0
"""Stories for a board at rest whose edges no story explains.

Somebody set the board up in a way that was not followed: several hands at once, an order that
cannot be, edges that were lost. Whatever happened, a board that a short legal line explains is
that line, at one price for all its edges.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.referee.inference.tracker.alike import Tries, needs_in
from companion.referee.inference.tracker.hypothesis import Hypothesis
from companion.referee.inference.tracker.outlook import Sensed, total
from companion.referee.inference.tracker.segment import Charge, Segment, Trail
from companion.referee.inference.tracker.step import Advance, children, concluded
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import Seen
from companion.referee.values.board.marks import Mark

Line: TypeAlias = tuple[tuple[Prospect, Imprint], ...]
"""Plies, each with the position before it."""


def unfollowed(tip: Hypothesis, oldest: int, sensed: Sensed, limit: float, tries: Tries) -> Advance:
    """The cheapest stories that leave the edges since one of the plies before *tip* unexplained.

    They begin after *oldest* plies of the game or more, with at most `unfollowed.plies` plies
    since then, or one less after *tip*, and cost at most *limit*. A ply that has been at rest stood
    on the board: what it cost remains, and it is taken back. Another one was a stop of a hand.
    Yields between positions, each of which may take some milliseconds.
    """
    found: list[Hypothesis] = []
    costs, dropped, stood = sensed.costs, 0.0, -math.inf
    denied = _denied(tip)
    for base in tip.by_ply():
        if base.ply < oldest:
            break
        taken_back = dropped + max(stood - base.cost, 0.0)
        hands, touched = costs.unfollowed.at(sensed.rest_ms) + taken_back, _touched(base, sensed, denied)
        most = max(costs.unfollowed.plies - (base.ply - oldest), (costs.unfollowed.plies - 1) * (base is tip))
        for length in range(most + 1):
            nats = hands + length * costs.ply_base
            spare = limit - base.cost - nats
            if spare < 0:
                break
            search = _Search(sensed.seen, touched, tries)
            unseen = 0 if denied >= 0 else int(spare // costs.ply_unseen)
            lines = yield from search.lines(base.prospect, length, unseen)
            found += (_story(base, line, sensed, hands, touched) for line in lines)
            limit = min([limit, *(node.cost + costs.decision_announce for node in found)])
        if any(halt.edges >= base.since.edges for halt in sensed.halts):
            dropped += costs.revision_take_back
            stood = max(stood, base.cost)
        else:
            dropped += costs.revision_halt
    return tuple(node for node in found if node.cost <= limit)


def after_unseen(tip: Hypothesis, sensed: Sensed, limit: float) -> list[Hypothesis]:
    """Stories in which an unseen ply came between *tip* and the edges since.

    They explain the whole board and cost at most *limit*.
    """
    prospect, costs = tip.prospect, sensed.costs
    charges = (Charge("ply.base", costs.ply_base), Charge("ply.unseen", costs.ply_unseen))
    if tip.cost + total(charges) > limit or prospect.is_end or _denied(tip) >= 0:
        return []
    before = Seen(prospect.occupied, 0, prospect.looks)
    imprints = tuple(
        each for each in prospect.exactly(0, before) if not needs_in(prospect, each).exchanges
    )  # pieces that change places are lifted
    if not imprints:
        return []
    needs, cost = needs_in(prospect, imprints[0]), tip.cost + total(charges)
    unseen = concluded(tip, sensed, imprints, needs, Segment(Trail(costs)), cost, charges, tip.early)
    unseen = replace(unseen, since=tip.since, done_ms=tip.done_ms, made=tip.since, is_unfollowed=True)
    return list(children(unseen, sensed, limit, costs))


def _denied(tip: Hypothesis) -> int:
    """Number of edges until which a player denied a ply after *tip*; else -1."""
    return tip.denied if tip.denied >= tip.since.edges else -1


def _touched(base: Hypothesis, sensed: Sensed, denied: int) -> Occupancy:
    """The cells that hands may have changed since *base*: all if edges were lost.

    Only the edges since number *denied* count, if it is one.
    """
    if max(base.since.edges, denied) < max(sensed.gap, sensed.first_edge):
        return -1
    if denied >= 0:
        return occupancy_of(edge.cell for edge in sensed.edges[max(0, denied - sensed.first_edge) :])
    edges = (*base.early, *sensed.edges[base.since.edges - sensed.first_edge :])
    return occupancy_of(edge.cell for edge in edges) | sensed.seen.hidden


class _Search(NamedTuple):
    """Finds the legal lines to the board *seen*."""

    seen: Seen
    touched: Occupancy
    tries: Tries

    def lines(self, prospect: Prospect, length: int, unseen: int) -> Generator[None, None, list[Line]]:
        """The lines of *length* plies from *prospect*.

        At most *unseen* of them touch none of the cells *touched*.
        """
        differing = prospect.differing(self.seen)
        if length == 0:
            return [] if differing else [()]
        if prospect.is_end or differing.bit_count() > length * self.tries.costs.unfollowed.cells:
            return []
        if length == 1:
            last = prospect.exactly(differing, self.seen)
            return [((prospect, each),) for each in last if each.changed & self.touched or unseen]
        found: list[Line] = []
        for imprint in _promising(prospect, self.seen, (length - 1) * self.tries.costs.unfollowed.cells):
            left = unseen if imprint.changed & self.touched else unseen - 1
            self.tries.left -= left >= 0
            if left < 0 or self.tries.left < 0:
                continue
            yield from self.tries.step()
            later = yield from self.lines(prospect.after(imprint.move), length - 1, left)
            found += (((prospect, imprint), *line) for line in later)
        return found


def _promising(prospect: Prospect, seen: Seen, most: int) -> list[Imprint]:
    """The moves after which at most *most* cells differ from *seen*.

    Each changes a cell that differs now. Those with the fewest differing cells come first.
    """
    differing = prospect.differing(seen)
    left: dict[object, tuple[int, Imprint]] = {}
    for imprint in [each for cell in cells_of(differing) for each in prospect.touching(cell)]:
        if imprint.move not in left:
            wrong = sum(not imprint.fits(seen, 1 << cell) for cell in cells_of(imprint.changed))
            left[imprint.move] = (differing & ~imprint.changed).bit_count() + wrong, imprint
    ordered = sorted(left.values(), key=lambda each: each[0])
    return [imprint for count, imprint in ordered if count <= most]


def _story(base: Hypothesis, line: Line, sensed: Sensed, hands: float, touched: Occupancy) -> Hypothesis:
    """*base* and the plies of *line*, whose edges cost *hands*."""
    costs = sensed.costs
    charges = (*base.charges, Charge("unfollowed", hands))
    node = base.again(base.cost + hands, since=sensed.mark, early=(), charges=charges)
    for number, (prospect, imprint) in enumerate(line):
        needs = needs_in(prospect, imprint)
        seen, is_last = sensed.seen, number == len(line) - 1
        alike = prospect.exactly(imprint.changed, seen) if is_last else prospect.changing(imprint.changed)
        others = (each for each in alike if each != imprint and needs_in(prospect, each) == needs)
        charges = (Charge("ply.base", costs.ply_base),)
        if not imprint.changed & touched:
            charges += (Charge("ply.unseen", costs.ply_unseen),)
        mark = sensed.mark if is_last else _mark(sensed.mark, prospect.after(imprint.move))
        segment = Segment(Trail(costs), sensed.mark.now_ms)
        made, cost = sensed._replace(mark=mark), node.cost + total(charges)
        node = concluded(node, made, (imprint, *others), needs, segment, cost, charges)
        node = replace(node, is_unfollowed=number == 0 and len(line) > 1)
    return node


def _mark(mark: Mark, prospect: Prospect) -> Mark:
    """*mark*, with the board of *prospect*."""
    return mark._replace(seen=Seen(prospect.occupied, 0, prospect.looks))
