# SPDX-License-Identifier: Apache-2.0
"""The cost of a hypothesis, by the cheapest way to go on."""

from __future__ import annotations

import math
from typing import NamedTuple

from companion.model.occupancy import Occupancy, cells_of
from companion.referee.footprints import Imprint, Prospect
from companion.referee.looks import Seen
from companion.referee.marks import Mark
from companion.referee.tracker.alike import needs_in
from companion.referee.tracker.costs import Costs
from companion.referee.tracker.explain import NOTHING, Needs, Segment, explained
from companion.referee.tracker.hypothesis import Edges, Hypothesis


class Board(NamedTuple):
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

    @property
    def rest_ms(self) -> int:
        """How long no edge was reported."""
        return self.mark.now_ms - self.mark.rest_since_ms

    def segment(self, node: Hypothesis) -> Segment:
        """What *node* has not explained."""
        edges = (*node.early, *self.edges[max(0, node.since.edges - self.first_edge) :])
        prospect, seen = node.prospect, self.seen
        turned = prospect.differing(seen) & seen.occupied & prospect.occupied
        for edge in edges:
            turned &= ~(1 << edge.cell)
        return Segment(edges, self.mark.now_ms, turned, node.since.edges < self.gap, seen.hidden)


def score(node: Hypothesis, board: Board, costs: Costs) -> float:
    """The cost of *node*, its open segment included."""
    nothing, begun, _ = outlook(node, board, costs)
    hold = costs.hold.at(board.rest_ms)
    if nothing and node.prospect.differing(board.seen):
        nothing += hold
    return node.cost + min(nothing, begun + hold)


def leads_on(node: Hypothesis, board: Board, costs: Costs) -> bool:
    """True if a legal move can still follow from the board."""
    return outlook(node, board, costs)[2]


def outlook(node: Hypothesis, board: Board, costs: Costs) -> tuple[float, float, bool]:
    """The least costs of the open segment, and whether a legal move leads on.

    The first cost is that of putting all right, the second that of beginning a move.
    """
    key = (board.mark.edges, board.seen)
    if node.outlook is None or node.outlook[0] != key:
        node.outlook = (key, *_outlook(node, board, costs))
    return node.outlook[1:]


def _outlook(node: Hypothesis, board: Board, costs: Costs) -> tuple[float, float, bool]:
    segment, prospect, seen = board.segment(node), node.prospect, board.seen
    differing = prospect.differing(seen)
    if not segment.edges and not differing:
        return 0.0, 0.0, True
    nothing = explained(prospect, NOTHING, segment, costs, is_complete=False)
    begun = costs.ply_base + reply(node, segment, costs)
    filled = differing & seen.occupied
    leads, least = not filled, math.inf
    for needs, imprints in _groups(prospect, differing | segment.handled).items():
        if not leads and _is_begun(needs, differing, filled):
            leads = any(not filled & ~each.shows and each.fits(seen, filled) for each in imprints)
        if leads and least <= begun:
            break  # nothing costs less
        if begun < min(least, nothing) and not _is_whole(imprints[0], differing, seen):
            least = min(least, begun + explained(prospect, needs, segment, costs, is_complete=False))
    return nothing, least, leads


def reply(node: Hypothesis, segment: Segment, costs: Costs) -> float:
    """The cost of the time from the last ply of *node* to the next edge."""
    if node.is_pressed or not segment.edges or not node.imprints or segment.has_gap:
        return 0.0
    if node.early:
        return costs.ply_overlap
    return costs.reply.at(max(0, segment.edges[0].t_ms - node.done_ms))


def _groups(prospect: Prospect, cells: Occupancy) -> dict[Needs, list[Imprint]]:
    """The moves that touch *cells*, by their geometry."""
    found: dict[Needs, list[Imprint]] = {}
    done: set[object] = set()
    for cell in cells_of(cells):
        for imprint in prospect.touching(cell):
            if imprint.move not in done:
                done.add(imprint.move)
                found.setdefault(needs_in(prospect, imprint), []).append(imprint)
    return found


def _is_begun(needs: Needs, differing: Occupancy, filled: Occupancy) -> bool:
    """True if every piece that stands on its new cells has left its old ones."""
    return all(not source & ~differing or not filled & target for source, target in needs.legs)


def _is_whole(imprint: Imprint, differing: Occupancy, seen: Seen) -> bool:
    """True if the move explains the whole board, which makes it a hypothesis."""
    return imprint.changed & ~seen.hidden == differing and imprint.fits(seen)
