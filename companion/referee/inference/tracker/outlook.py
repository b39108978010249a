# SPDX-License-Identifier: Apache-2.0
"""The cost of a hypothesis, by the cheapest way to go on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from companion.model.grid import Cell
from companion.model.observation import Sighting
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.inference.tracker.alike import needs_in
from companion.referee.inference.tracker.explain import explained
from companion.referee.inference.tracker.hypothesis import Edges, Hypothesis, Outlook
from companion.referee.inference.tracker.needs import NOTHING, Needs
from companion.referee.inference.tracker.segment import Begun, Charge, Halt, Segment, Trail
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import Seen
from companion.referee.values.board.marks import Mark


class Sensed(NamedTuple):
    """What is sensed now."""

    seen: Seen
    edges: Edges
    first_edge: int
    """Number of the first of *edges*, counted from the start of the game."""
    gap: int
    """Edges before this number may be incomplete: some were lost."""
    mark: Mark
    pressed_share: float
    """The share of plies that were pressed for so far."""
    segments: dict[object, Segment]
    """The segments that were asked for; stories with the same position and edges share them."""
    trails: dict[object, Trail]
    """The edges of these segments."""
    halts: tuple[Halt, ...] = ()
    """The latest halts; their numbers of edges count from the start of the game."""
    costs: Costs = DEFAULT
    rest_ms: int = 0
    """How long no edge was reported."""
    hold: float = 0.0
    """What that costs a story whose last ply is not complete."""
    key: object = None
    """What the costs of open segments depend on, besides time."""
    is_late: bool = False
    """True after `order.early_ms` at rest."""

    def segment(self, node: Hypothesis) -> Segment:
        """What *node* has not explained."""
        since = node.since
        key = node.prospect, since.edges, since.now_ms, node.early
        found = self.segments.get(key)
        if found is None:
            found = self.segments[key] = self._segment(node)
        return found

    def _segment(self, node: Hypothesis) -> Segment:
        start, seen, prospect = node.since.edges, self.seen, node.prospect
        since = max(start, self.first_edge)
        trail = self._trail(node, since)
        first = since - len(node.early)
        halts, turned = list[Halt](), 0
        for halt in self.halts:
            if halt.edges > start:
                halts.append(halt._replace(edges=halt.edges - first))
            if halt.seen and halt.edges >= start and halt.at_ms > node.since.now_ms:
                before = occupancy_of(edge.cell for edge in trail.edges[: halt.edges - first])
                turned |= prospect.differing(halt.seen) & halt.seen.occupied & prospect.occupied & ~before
        silent = prospect.differing(seen) & ~trail.handled
        return Segment(trail, self.mark.now_ms, silent, start < self.gap, seen.hidden, tuple(halts), turned)

    def _trail(self, node: Hypothesis, since: int) -> Trail:
        """The edges that *node* has not explained: those it knew, and what came then."""
        trail = self.trails.get((since, node.early))
        if trail is None:
            edges = (*node.early, *self.edges[since - self.first_edge :])
            known = node.notes.trail
            count = len(known.edges) if known is not None else 0
            if known is not None and 0 < count <= len(edges) and known.edges[-1] is edges[count - 1]:
                trail = known.then(edges[count:]) if count < len(edges) else known
            else:
                trail = Trail(self.costs, edges)
            self.trails[since, node.early] = trail
        node.notes.trail = trail
        return trail


def score(node: Hypothesis, sensed: Sensed, costs: Costs, limit: float = math.inf) -> float:
    """The cost of *node*, its open segment included.

    It is exact unless it exceeds *limit*.
    """
    nothing, begun = outlook(node, sensed, costs, limit - node.cost)
    begun += sensed.hold
    if nothing < begun:
        nothing += hold_of_nothing(node, sensed)
    return node.cost + min(nothing, begun)


def lasting(node: Hypothesis, sensed: Sensed, costs: Costs, limit: float = math.inf) -> float:
    """The cost of *node* without the charge for the rest so far.

    The next edge ends that. It is exact unless it exceeds *limit*.
    """
    return node.cost + min(outlook(node, sensed, costs, limit - node.cost))


def hold_of_nothing(node: Hypothesis, sensed: Sensed) -> float:
    """The charge for the rest so far if all is to be put right.

    Where no piece is missing and no legal move explains the board, an illegal one may
    have been left.
    """
    prospect, seen, costs = node.prospect, sensed.seen, sensed.costs
    hold = sensed.hold
    differing = prospect.differing(seen) if hold else 0
    if not differing:
        return 0.0
    if hold <= costs.piece_left or is_in_hand(prospect, seen) or prospect.exactly(differing, seen):
        return hold
    return costs.piece_left


def is_in_hand(prospect: Prospect, seen: Seen) -> bool:
    """True if fewer pieces stand on the board than in the position of *prospect*."""
    missing = prospect.occupied & ~seen.occupied & ~seen.hidden
    added = seen.occupied & ~prospect.occupied
    return missing.bit_count() > added.bit_count()


def outlook(node: Hypothesis, sensed: Sensed, costs: Costs, limit: float = math.inf) -> tuple[float, float]:
    """The least costs of the open segment.

    The first is that of putting all right, the second that of beginning a move. The lesser of them
    is exact unless it exceeds *limit*.
    """
    found = node.notes.outlook
    if (
        found is None
        or found.key != sensed.key
        or (found.is_late is not None and found.is_late is not sensed.is_late)
        or not (limit <= found.limit or found.nothing < found.limit or found.begun < found.limit)
    ):
        if node.since.edges == sensed.mark.edges and not (node.early or node.prospect.differing(sensed.seen)):
            return 0.0, 0.0
        segment = sensed.segment(node)
        nothing, begun = _outlook(node, sensed, segment, costs, limit)
        is_late = sensed.is_late if segment.is_timed else None
        found = node.notes.outlook = Outlook(sensed.key, nothing, begun, limit, is_late)
    return found.nothing, found.begun


def _outlook(
    node: Hypothesis, sensed: Sensed, segment: Segment, costs: Costs, limit: float
) -> tuple[float, float]:
    if not (segment.edges or segment.silent):
        return 0.0, 0.0
    nothing = put_right(node.prospect, segment)
    return nothing, cheapest_begun(node, sensed, segment, min(nothing, limit), costs)[0]


def put_right(prospect: Prospect, segment: Segment) -> float:
    """The cost of putting all right."""
    if segment.nothing is None:
        segment.nothing = explained(prospect, NOTHING, segment, is_complete=False)
    return segment.nothing


def cheapest_begun(
    node: Hypothesis, sensed: Sensed, segment: Segment, limit: float, costs: Costs
) -> tuple[float, tuple[Imprint, ...]]:
    """The least cost of beginning a move in the open *segment*, with the moves.

    Infinite and () if none costs less than *limit*.
    """
    begun = total(beginning(node, sensed, segment, costs))
    found = segment.begun
    if found is None or not (limit - begun <= found.limit or found.nats < found.limit):
        found = segment.begun = _begun(node.prospect, sensed.seen, segment, limit - begun)
    return (begun + found.nats, found.moves) if begun + found.nats < limit else (math.inf, ())


def _begun(prospect: Prospect, seen: Seen, segment: Segment, limit: float) -> Begun:
    """The move that the edges of *segment* begin at the least cost, below *limit*."""
    differing, trail = prospect.differing(seen), segment.trail
    costs, cheapest = trail.costs, Begun(limit, math.inf, ())
    groups = _groups(prospect, differing | segment.handled, _untold)
    bounds = sorted((trail.least(needs), number) for number, needs in enumerate(groups))
    needs_of_number, imprints_of_number = list(groups), list(groups.values())
    for lowest, number in bounds[: costs.decision_candidates]:
        if lowest >= min(limit, cheapest.nats):
            break
        if not all(_is_whole(each, differing, seen, trail.arrived) for each in imprints_of_number[number]):
            most = min(limit, cheapest.nats)
            cost = explained(prospect, needs_of_number[number], segment, is_complete=False, limit=most)
            if cost < cheapest.nats:
                cheapest = Begun(limit, cost, tuple(imprints_of_number[number]))
    return cheapest


def leads_on(node: Hypothesis, sensed: Sensed, *, is_done: bool = False) -> bool:
    """True if a legal move can still follow from the board.

    A pawn may stand in for the piece that it becomes, unless the side *is_done* or takes too long.
    """
    prospect, seen = node.prospect, sensed.seen
    differing = prospect.differing(seen)
    filled = differing & seen.occupied
    if not filled:
        return True
    may_be_exchanged = not is_done and sensed.hold <= sensed.costs.decision_flag
    segment = sensed.segment(node)
    groups = _groups(prospect, differing | segment.handled)
    limit = _dearest(node, sensed, segment)
    return any(
        not filled & ~imprints[0].shows
        and (
            any(each.fits(seen, filled) for each in imprints)
            or (may_be_exchanged and all(needs.may_stand(cell, seen.look(cell)) for cell in cells_of(filled)))
        )
        and explained(prospect, needs, segment, is_complete=False, limit=limit) <= limit
        for needs, imprints in groups.items()
        if _is_begun(needs, differing, filled)
    )


def _dearest(node: Hypothesis, sensed: Sensed, segment: Segment) -> float:
    """What the edges of a legal move may cost; beyond it something illegal is likelier."""
    costs = sensed.costs
    nothing = put_right(node.prospect, segment) + hold_of_nothing(node, sensed)
    begun = total(beginning(node, sensed, segment, costs)) + sensed.hold
    return nothing + costs.decision_flag - begun


def beginning(node: Hypothesis, sensed: Sensed, segment: Segment, costs: Costs) -> tuple[Charge, ...]:
    """The charges of one more ply after *node*, without its edges."""
    begun = (Charge("ply.base", costs.ply_base), *reply(node, segment, costs))
    if not node.imprints or node.is_pressed:
        return begun
    share = sensed.pressed_share
    nats = min(costs.ply_unpressed, -math.log(1 - share)) if share < 1 else costs.ply_unpressed
    return (*begun, Charge("ply.unpressed", nats)) if nats else begun


def reply(node: Hypothesis, segment: Segment, costs: Costs) -> tuple[Charge, ...]:
    """The charge for the time from the last ply of *node* to the next edge.

    Nothing if the time of the ply is not known.
    """
    if node.is_unfollowed or not segment.edges or not node.imprints or segment.has_gap:
        return ()
    if node.is_pressed and segment.edges[0].t_ms >= node.pressed_ms:
        return ()
    cell = segment.edges[0].cell
    if node.early:
        is_whole = any(edge.is_occupied for edge in node.early)
        if is_whole and node.segment and node.early[-1].t_ms < node.segment[0].t_ms:
            return (Charge("ply.premature", costs.ply_premature, cell),)
        return (Charge("ply.overlap", costs.ply_overlap, cell),)
    nats = costs.reply.at(max(0, segment.edges[0].t_ms - node.done_ms))
    return (Charge("reply", nats, cell),) if nats else ()


def total(charges: Iterable[Charge]) -> float:
    """The sum of *charges*."""
    return sum(charge.nats for charge in charges)


def _groups(
    prospect: Prospect, cells: Occupancy, taken: Callable[[Needs], Needs] | None = None
) -> dict[Needs, list[Imprint]]:
    """The moves that touch *cells*, by their needs as they are *taken*."""
    found: dict[Needs, list[Imprint]] = {}
    for cell in cells_of(cells):
        key = (taken, cell)
        own: dict[Needs, list[Imprint]] | None = prospect.notes.get(key)
        if own is None:
            own = prospect.notes[key] = _groups_at(prospect, cell, taken)
        if cells == 1 << cell:
            return own
        found.update(own)
    return found


def _groups_at(
    prospect: Prospect, cell: Cell, taken: Callable[[Needs], Needs] | None
) -> dict[Needs, list[Imprint]]:
    alike: dict[int, tuple[Needs, list[Imprint]]] = {}
    for imprint in prospect.taking(cell):
        needs = needs_in(prospect, imprint)
        alike.setdefault(id(needs), (needs, []))[1].append(imprint)  # most share theirs with others
    found: dict[Needs, list[Imprint]] = {}
    for needs, imprints in alike.values():
        found.setdefault(taken(needs) if taken else needs, []).extend(imprints)
    return found


def _untold(needs: Needs) -> Needs:
    """*needs* of a move that has only begun: the piece may yet be turned."""
    looks = tuple(dict.fromkeys([(cell, _in_any_pose(seen)) for cell, seen in needs.looks]))
    return needs if looks == needs.looks else needs._replace(looks=looks)


@cache
def _in_any_pose(seen: Sighting) -> Sighting:
    """*seen* without the facing and the pose of its piece."""
    return replace(seen, facing=None, pose=None)


def _is_begun(needs: Needs, differing: Occupancy, filled: Occupancy) -> bool:
    """True if every piece that stands on its new cells has left its old ones."""
    return all(not source & ~differing or not filled & target for source, target in needs.legs)


def _is_whole(imprint: Imprint, differing: Occupancy, seen: Seen, arrived: Occupancy) -> bool:
    """True if the move explains the whole board, which makes it a hypothesis.

    Not while its piece may be in the hand that hides the cell to which it goes.
    """
    is_in_hand = bool(imprint.shows & seen.hidden & ~arrived)
    return not is_in_hand and imprint.changed & ~seen.hidden == differing and imprint.fits(seen)
