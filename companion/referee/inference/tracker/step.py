# SPDX-License-Identifier: Apache-2.0
"""Advance all hypotheses by one change of the board.

Each live hypothesis may conclude a ply: every legal move that explains the whole board is a child.
The parent stays, since the hand may go on. What costs too much more than the best is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Final, TypeAlias

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, cells_of
from companion.referee.inference.costs import Costs
from companion.referee.inference.tracker.alike import Tries, choices, exchanged, needs_in
from companion.referee.inference.tracker.explain import explained
from companion.referee.inference.tracker.hypothesis import Edges, Hypothesis
from companion.referee.inference.tracker.needs import NOTHING, Needs, reversed_needs
from companion.referee.inference.tracker.outlook import Sensed, beginning, lasting, score, total
from companion.referee.inference.tracker.segment import Charge, Segment, Trail
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import Seen

Live: TypeAlias = tuple[Hypothesis, ...]
"""The hypotheses that are kept, the best first."""

Advance: TypeAlias = Generator[None, None, Live]
"""A computation of hypotheses in steps of some milliseconds."""

_begun: Final = attrgetter("since.edges")
_cost: Final = attrgetter("cost")


def after_change(live: Live, sensed: Sensed, costs: Costs) -> Advance:
    """The hypotheses after a cell has changed."""
    found, best = list(live), math.inf
    tries = Tries(costs, costs.decision_variants)
    for node in sorted(live, key=_begun, reverse=True):
        prospect = node.prospect
        indexed = prospect.indexed
        best = min(best, score(node, sensed, costs, best + costs.decision_margin))
        if tries.worked(prospect.indexed - indexed):
            yield from tries.step()
    for node in sorted(live, key=_cost):
        if node.cost > best + costs.decision_margin:
            break
        if tries.worked(0):
            yield from tries.step()
        for child in children(node, sensed, best + costs.decision_margin, costs):
            found.append(child)
            best = min(best, child.cost)
    ranked = yield from pruned(found, sensed, costs)
    enough = min(node.cost for node in live) + costs.decision_doubt
    most = live[0].cost + costs.decision_margin
    now = score(ranked[0], sensed, costs)
    if not sensed.edges or not enough < now <= most:
        return ranked  # the edge is explained, or nothing has explained the edges before it either
    varied = yield from _varied(live, sensed, tries, enough, now + costs.decision_settle)
    return (yield from pruned((*ranked, *varied), sensed, costs))


def pruned(found: Iterable[Hypothesis], sensed: Sensed, costs: Costs) -> Advance:
    """The best of *found*.

    Of those that agree in position, segment and presses only the cheapest is kept,
    also of those whose plies leave the same trace.
    """
    found, limit = tuple(found), math.inf
    least, scores = dict[Hypothesis, float](), dict[Hypothesis, float]()
    tries = Tries(costs, 0)
    for node in sorted(found, key=_begun, reverse=True):  # few open edges are soon explained
        prospect = node.prospect
        indexed = prospect.indexed
        least[node] = scores[node] = lasting(node, sensed, costs, limit)
        limit = min(limit, least[node] + costs.decision_margin)
        if sensed.hold:
            scores[node] = score(node, sensed, costs, limit)
        if tries.worked(prospect.indexed - indexed):
            yield from tries.step()
    best: dict[object, Hypothesis] = {}
    is_over = sensed.rest_ms >= costs.hold.until_ms[1]  # then no move goes on with what was put back
    for node in sorted(found, key=scores.__getitem__):
        is_right = is_over and not node.prospect.differing(sensed.seen)
        since = node.made.edges if is_right else node.since.edges
        key = (node.prospect.position, node.ply, node.pressed, is_right, since)
        other = best.setdefault(key, node)
        if other.since.edges < node.since.edges and scores[node] <= scores[other]:
            best[key] = node
    distinct: dict[object, Hypothesis] = {}
    for node in best.values():
        distinct.setdefault((node.trace, node.pressed), node)
    ranked = tuple(distinct.values())[: costs.decision_beam]
    return tuple([node for node in ranked if least[node] <= limit])


def _varied(live: Live, sensed: Sensed, tries: Tries, enough: float, most: float) -> Advance:
    """What follows if an earlier ply was another move with the same trace.

    It costs at most *most*. The search ends with a story that costs no more than *enough*.
    """
    found, costs = list[Hypothesis](), tries.costs
    for node in live[: costs.decision_varied]:
        for ply, first in choices(node.line(), sensed.segment(node).handled):
            yield from tries.step()
            left = tries.left
            if left <= 0:
                return tuple(found)
            other = yield from exchanged(node, ply, first, tries)
            tries.left = min(tries.left, left - (node.ply - ply - 1))  # also if it was known
            for each in _better(other, node, sensed, most) if other is not None else ():
                cost = score(each, sensed, costs, most)
                found += (each,) if cost <= most else ()
                if cost <= enough:
                    return tuple(found)
    return tuple(found)


def _better(other: Hypothesis, node: Hypothesis, sensed: Sensed, most: float) -> Iterator[Hypothesis]:
    """*other* and what follows it, if they may explain the board better than *node*.

    Only a move that is not legal after *node*, with the same trace, makes a difference.
    """
    segment, costs, prospect = sensed.segment(node), sensed.costs, other.prospect
    differing, hidden = prospect.differing(sensed.seen), sensed.seen.hidden
    more = [each for cell in cells_of(segment.handled | differing) for each in _further(prospect, node, cell)]
    least, begun = segment.trail.least, other.cost + total(beginning(other, sensed, segment, costs))
    bounds = [(least(needs), needs) for needs in {id(needs): needs for _, needs in more}.values()]
    if min((bound for bound, _ in bounds), default=most) >= most - begun:
        return
    limit = score(node, sensed, costs, most) - begun
    if any(
        bound < limit and explained(prospect, needs, segment, is_complete=False, limit=limit) < limit
        for bound, needs in bounds
    ):
        yield other
    last = 1 << segment.edges[-1].cell if segment.edges else 0
    if any(
        each.changed & ~hidden == differing or (not each.changed & ~differing and needs.own & last)
        for each, needs in more
    ):
        yield from children(other, sensed, most, costs)


def _further(other: Prospect, node: Hypothesis, cell: Cell) -> list[tuple[Imprint, Needs]]:
    """The moves in *other* at *cell* that are not legal after *node*."""
    one, key = node.prospect, ("further", cell)
    known: tuple[Prospect, list[tuple[Imprint, Needs]]] | None = other.notes.get(key)
    if known is None or known[0] is not one:
        touching, there = other.moves_touching(cell), one.moves_touching(cell)
        if touching is not None and there is not None:  # nothing is indexed
            found = [other.imprint(move) for move in touching - there]
        else:
            legal = {(each.move, each.changed, each.shows) for each in one.taking(cell)}
            found = [
                each for each in other.taking(cell) if (each.move, each.changed, each.shows) not in legal
            ]
        known = other.notes[key] = one, [(each, needs_in(other, each)) for each in found]
    return known[1]


def children(node: Hypothesis, sensed: Sensed, limit: float, costs: Costs) -> Iterator[Hypothesis]:
    """Hypotheses after *node* that explain the whole board and cost at most *limit*."""
    segment, prospect, seen = sensed.segment(node), node.prospect, sensed.seen
    differing = prospect.differing(seen)
    if not differing and segment.edges:
        charges = list(node.charges)
        cost = node.cost + explained(prospect, NOTHING, segment, is_complete=True, charges=charges)
        if cost <= limit:
            for pressed in node.presses_after_attempt():
                yield node.again(cost, since=sensed.mark, early=(), charges=tuple(charges), pressed=pressed)
    if not (differing or segment.edges):
        return
    yield from _taken_back(node, sensed, segment, limit)
    beginnings = beginning(node, sensed, segment, costs)
    begun = node.cost + total(beginnings)
    if begun > limit:
        return
    conclusion = _Conclusion(node, sensed, beginnings, begun, limit)
    found = prospect.exactly(differing, seen) if differing else prospect.keeping(segment.handled, seen)
    if found:
        yield from conclusion.of(found, segment)
    if begun + costs.ply_overlap <= limit:
        yield from _overlapping(conclusion, segment)


def _taken_back(node: Hypothesis, sensed: Sensed, segment: Segment, limit: float) -> Iterator[Hypothesis]:
    """The story before the last ply of *node*, if a hand has taken it back."""
    before, costs = node.parent, sensed.costs
    if before is None or not node.imprints or before.prospect.differing(sensed.seen):
        return
    prices = [halt.nats for halt in sensed.halts if halt.edges == node.since.edges]
    if not node.prospect.rules.allows_take_back:
        prices.append(costs.revision_touch_move)
    cause, nats = "revision.take_back", costs.revision_take_back
    if any(charge.cause == cause for charge in node.charges):  # of the ply after it
        nats = costs.revision_further
    if node.is_pressed:
        cause, nats = "revision.pressed", costs.revision_pressed
    take_back = max([nats, *prices])
    charges = [*before.charges, *node.charges, Charge(cause, take_back)]
    needs = reversed_needs(before.prospect, node.needs)
    segment = replace(segment, halts=())
    cost = node.cost + take_back
    cost += explained(node.prospect, needs, segment, is_complete=True, charges=charges, limit=limit - cost)
    if cost <= limit:
        yield before.again(cost, since=sensed.mark, early=(), charges=tuple(charges))


def _overlapping(conclusion: _Conclusion, segment: Segment) -> Iterator[Hypothesis]:
    """Conclusions by the last edge, where the next player has already begun a move.

    What differs from the ply is the beginning of that move, or all of it.
    """
    node, sensed = conclusion.node, conclusion.sensed
    prospect, seen = node.prospect, sensed.seen
    differing = prospect.differing(seen)
    if not differing or not segment.edges:
        return
    edge = segment.edges[-1]
    last = 1 << edge.cell
    parts: dict[Occupancy, list[Imprint]] = {}
    for imprint in prospect.within(differing, seen, 0):
        rest = differing & ~imprint.changed
        is_capture = edge.is_occupied and bool(needs_in(prospect, imprint).exchanges & last)
        if rest and (imprint.shows or is_capture):
            parts.setdefault(rest, []).append(imprint)
    cells = cells_of(segment.handled & ~differing)  # the ply may have changed nothing that is seen
    parts[differing] = list({each.move: each for cell in cells for each in prospect.handling(cell)}.values())
    for rest, imprints in parts.items():
        done = [
            each
            for each in imprints
            if last & needs_in(prospect, each).own
            or (each.changed and not each.changed & ~segment.silent)  # a turn in place reports no edge
            or not (edge.is_occupied or differing & last)  # what was laid aside has left the board
        ]
        if not done:
            continue
        early = tuple(edge for edge in segment.edges if rest >> edge.cell & 1)
        edges = tuple(edge for edge in segment.edges if not rest >> edge.cell & 1)
        for child in conclusion.of(done, replace(segment, trail=Trail(sensed.costs, edges)), early):
            if not rest & seen.occupied or _begins(child.prospect, rest, seen):
                yield from (child, *children(child, sensed, conclusion.limit, sensed.costs))


def _begins(prospect: Prospect, changed: Occupancy, seen: Seen) -> bool:
    """True if a legal move in *prospect* begins with *changed* cells.

    One of them at least is occupied.
    """
    filled = changed & seen.occupied
    return any(
        not filled & ~each.shows and not changed & ~needs_in(prospect, each).own and each.fits(seen, filled)
        for each in prospect.touching((filled & -filled).bit_length() - 1)
    )


class _Conclusion:
    """Concludes plies after one hypothesis."""

    def __init__(
        self, node: Hypothesis, sensed: Sensed, beginnings: tuple[Charge, ...], begun: float, limit: float
    ) -> None:
        """The *beginnings* of a ply bring the cost to *begun*."""
        self.node, self.sensed, self.limit = node, sensed, limit
        self._beginnings, self._begun = beginnings, begun

    def of(self, imprints: Iterable[Imprint], segment: Segment, early: Edges = ()) -> Iterator[Hypothesis]:
        """The node after each group of *imprints* with the same geometry."""
        node = self.node
        groups: dict[Needs, list[Imprint]] = {}
        for imprint in imprints:
            groups.setdefault(needs_in(node.prospect, imprint), []).append(imprint)
        for needs, alike in groups.items():
            charges = list(self._beginnings)
            cost = self._begun + explained(node.prospect, needs, segment, is_complete=True, charges=charges)
            more = tuple(self._unshown(needs, alike[0], segment))
            charges += more
            cost += total(more)
            if cost <= self.limit:
                yield concluded(node, self.sensed, tuple(alike), needs, segment, cost, tuple(charges), early)

    def _unshown(self, needs: Needs, imprint: Imprint, segment: Segment) -> Iterator[Charge]:
        """The charges for a ply that is not seen, or that began after its press."""
        node, costs = self.node, self.sensed.costs
        if node.pressed[node.turn] < node.ply:
            if not imprint.changed:
                unseen = Charge("ply.unseen", costs.ply_unseen)
                yield Charge("ply.traceless", costs.ply_traceless) if needs.exchanges else unseen
            return
        began_ms = next((edge.t_ms for edge in segment.edges if needs.own >> edge.cell & 1), -math.inf)
        if began_ms > node.pressed_ms and node.charges[-1:] and node.charges[-1].cause == "press.early":
            yield Charge("press.ahead", costs.press_ahead)


def concluded(
    node: Hypothesis,
    sensed: Sensed,
    imprints: tuple[Imprint, ...],
    needs: Needs,
    segment: Segment,
    cost: float,
    charges: tuple[Charge, ...],
    early: Edges = (),
) -> Hypothesis:
    """*node* after a ply that is one of *imprints*."""
    edges = tuple(segment.edges)
    done_ms = edges[-1].t_ms if edges else sensed.mark.rest_since_ms
    return Hypothesis(
        node,
        node.prospect,
        imprints,
        needs,
        node.ply + 1,
        sensed.mark,
        sensed.mark,
        cost,
        done_ms,
        node.pressed,
        early=early,
        segment=edges,
        charges=charges,
    )
