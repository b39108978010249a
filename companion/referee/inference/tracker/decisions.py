# SPDX-License-Identifier: Apache-2.0
"""Decisions: the story that is shown, and which of its plies are announced or asked.

Every decision compares costs: a ply is announced if it leads every other story
by `decision.announce` nats.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import NamedTuple, TypeAlias

from companion.model.occupancy import occupancy_of
from companion.referee.inference.costs import Costs
from companion.referee.inference.tracker.alike import possible
from companion.referee.inference.tracker.hypothesis import Edges, Hypothesis
from companion.referee.inference.tracker.outlook import (
    Sensed,
    hold_of_nothing,
    is_in_hand,
    leads_on,
    outlook,
    score,
)
from companion.referee.inference.tracker.step import Live
from companion.referee.values.board.imprints import Imprint

Lines: TypeAlias = dict[Hypothesis, tuple[Hypothesis, ...]]
"""The plies of each story that are not settled."""


class Decision(NamedTuple):
    """What is decided about the plies of the story that is shown."""

    story: Hypothesis
    line: tuple[Hypothesis, ...]
    """The nodes of its plies that are shown."""
    sure: int
    """So many of them lead every other story."""
    settled: int
    """So many of them lead every other story by so much that they are settled."""
    others: tuple[tuple[Imprint, ...], ...]
    """For each ply the moves that it may have been as well."""
    doubted: int
    """The index of a ply that was perhaps not played; -1 for none."""


def decided(
    live: Live, kept: Hypothesis, lines: Lines, sensed: Sensed, announced: int, *, is_due: bool
) -> Generator[None, None, Decision]:
    """What is decided about *live* with these *lines*.

    *kept* has the moves that were *announced*, which are kept unless another story leads by
    `decision.switch`, or explains pieces at rest that they do not. Stories are compared for
    questions only if that *is_due*.
    """
    costs = sensed.costs
    scores = {node: score(node, sensed, costs) for node in live}
    best, near = _best(kept, lines, scores, sensed, is_due=is_due)
    is_due = is_due and not best.prospect.differing(sensed.seen)
    if is_due:
        near = [node for node in near if node is best or not is_left(node, sensed, costs)]
        best = _longest(best, near, lines, sensed)
    line = lines[best]
    shared = {node: agreement(line, lines[node]) for node in live}
    sure = min([shared[node] for node in near])
    is_end = bool(line) and sure == len(line) and best.prospect.is_end
    asking = max(costs.decision_ask, costs.decision_end * is_end)  # what is not announced is asked about
    if is_end:
        likely = (node for node in live if scores[node] <= scores[best] + costs.decision_end)
        parted = (node for node in likely if not (node.prospect.is_end and node.is_same_ply(best)))
        near += (node for node in parted if not (is_due and is_left(node, sensed, costs)))
        sure = min([shared[node] for node in near])
    unfollowed = (depth for depth, node in enumerate(line) if node.is_unfollowed and not node.is_answered)
    asked = next(unfollowed, len(line) + 1)  # the first ply that only the board shows
    close = (node for node in live if is_due and scores[node] < scores[best] + asking)
    rivals = [node for node in close if not node.prospect.differing(sensed.seen)]
    sure = min(sure, asked, *[shared[node] for node in rivals])
    is_awaited = sensed.rest_ms < 0 or not (  # a hand holds a piece, or something else is likely
        sure == len(line) or best.is_pressed or (is_due and max(len(rivals), len(best.imprints)) > 1)
    )
    if line and is_awaited and best.segment and not best.arrived:
        line = line[:-1]  # a piece that is only lifted is no ply yet
    if sure > announced and not leads_on(best, sensed):
        sure = announced  # after an illegal move no more plies are announced
    most = scores[best] + costs.decision_settle
    settled = min([len(line), *[shared[node] for node in live if scores[node] <= most]])
    tip = best if is_due or any(halt.edges == best.made.edges for halt in sensed.halts) else best.parent
    others = yield from _others(line, sure, tip, [lines[node] for node in rivals], costs)
    is_ended = any(len(lines[node]) == sure < len(line) for node in rivals)
    is_doubted = (is_due and asked == sure) or (is_ended and best.prospect.rules.allows_take_back)
    begun = [depth for node, depth in shared.items() if depth == len(lines[node]) and is_due]
    return Decision(
        best, line, sure, settled, others, sure if is_doubted else _only_pressed_for(line, others, begun)
    )


def _only_pressed_for(
    line: tuple[Hypothesis, ...], others: tuple[tuple[Imprint, ...], ...], begun: list[int]
) -> int:
    """The index of the first open ply if only its press was sensed, else -1.

    The press may have been a mistake, and a story that has only *begun* the line takes it for one.
    """
    depth = next((at for at, found in enumerate(others) if found), -1)
    if depth < 0 or line[depth].segment or line[depth].imprints[0].changed or line[depth].is_unfollowed:
        return -1
    return depth if depth in begun else -1


def _best(
    kept: Hypothesis, lines: Lines, scores: dict[Hypothesis, float], sensed: Sensed, *, is_due: bool
) -> tuple[Hypothesis, list[Hypothesis]]:
    """The story that is shown, and all with *scores* that are nearly as likely.

    Announced plies are not undone by a piece that stands where it explains nothing.
    """
    live = tuple(scores)
    best, costs = live[0], sensed.costs
    if scores[kept] <= scores[best] + costs.decision_switch or (
        best.prospect.differing(sensed.seen) & sensed.seen.occupied
        and agreement(lines[best], lines[kept]) == len(lines[best]) < len(lines[kept])
    ):
        best = kept
    if is_due and best.prospect.differing(sensed.seen) and not is_in_hand(best.prospect, sensed.seen):
        kept_until = scores[best] + costs.decision_flag  # beyond it the board is reported
        whole = (node for node in live if not node.prospect.differing(sensed.seen))
        best = next((node for node in whole if scores[node] <= kept_until), best)
    limit = scores[best] + costs.decision_announce
    return best, [node for node in live if scores[node] <= limit]


def standing(lines: Lines, sensed: Sensed, announced: tuple[object, ...]) -> tuple[Live, Hypothesis]:
    """The stories of *lines* that may be believed after the *announced* moves.

    With the first of them that has these moves, or the first of all.
    An announced ply is exchanged for one that explains as many of its edges, or if a hand has been
    at a cell of either since; a story that explains fewer has to lead by `decision.exchange`.
    Otherwise an illegal reply would become legal by the exchange.
    """
    live, count = tuple(lines), len(announced)
    kept = next((node for node in live if moves_of(lines[node][:count]) == announced), None)
    if kept is None:
        return live, live[0]
    line = lines[kept]
    others = [node for node in live if lines[node][:count] != line[:count]]
    exchanged = [node for node in others if not _may_replace(lines[node], line, count, sensed)]
    if exchanged:
        limit = score(kept, sensed, sensed.costs) - sensed.costs.decision_exchange
        dropped = {node for node in exchanged if score(node, sensed, sensed.costs) > limit}
        live = tuple(node for node in live if node not in dropped)
    return live, kept


def _may_replace(
    line: tuple[Hypothesis, ...], kept: tuple[Hypothesis, ...], announced: int, sensed: Sensed
) -> bool:
    """True if *line* may be believed instead of *kept*, of which some plies are *announced*."""
    depth = agreement(line, kept)
    if depth >= min(announced, len(line)) or line[depth].is_unfollowed:
        return True
    ply, other = kept[depth], line[depth]
    since = sensed.edges[max(0, ply.made.edges - sensed.first_edge) :]
    if (ply.needs.own | other.needs.own) & occupancy_of(edge.cell for edge in since):
        return True
    return _explained(line[depth:], ply.segment) >= _explained((ply,), ply.segment)


def _explained(line: tuple[Hypothesis, ...], edges: Edges) -> int:
    """How many of *edges* are at cells that the plies of *line* change or pass."""
    return sum(
        (node.needs.own | node.needs.between) >> edge.cell & 1
        for edge in edges
        for node in line
        if edge in node.segment
    )


def is_left(node: Hypothesis, sensed: Sensed, costs: Costs) -> bool:
    """True if *node* takes the rest for an illegal move that was left."""
    if not node.prospect.differing(sensed.seen) or is_in_hand(node.prospect, sensed.seen):
        return False
    nothing, begun = outlook(node, sensed, costs)
    return nothing + hold_of_nothing(node, sensed) < begun + sensed.hold


def _longest(best: Hypothesis, near: list[Hypothesis], lines: Lines, sensed: Sensed) -> Hypothesis:
    """The first of *near* that goes on from *best*, else *best*.

    Its last ply can be asked about.
    """
    line = lines[best]
    longer = (
        node
        for node in near
        if len(lines[node]) > len(line) == agreement(line, lines[node])
        and not node.prospect.differing(sensed.seen)
    )
    return next(longer, best)


def is_nothing_legal(live: Live, sensed: Sensed, costs: Costs, *, is_done: bool) -> bool:
    """True if no legal move leads on in any of the cheapest stories.

    If the side to move *is_done*, the pieces in hands have to belong to a legal move.
    """
    scores = [score(node, sensed, costs) for node in live]
    limit = min(scores) + costs.decision_flag
    near = [node for node, cost in zip(live, scores, strict=True) if cost <= limit]
    if is_done:
        near = [node for node in near if outlook(node, sensed, costs)[1] < math.inf]
    return not any(leads_on(node, sensed, is_done=is_done) for node in near)


def agreement(line: tuple[Hypothesis, ...], other: tuple[Hypothesis, ...]) -> int:
    """How many plies two lines share: all before a node that both have."""
    parted = (
        depth for depth, (one, two) in enumerate(zip(line, other, strict=False)) if not one.is_same_ply(two)
    )
    return next(parted, min(len(line), len(other)))


def moves_of(line: tuple[Hypothesis, ...]) -> tuple[object, ...]:
    """The moves of *line*."""
    return tuple([node.imprints[0].move for node in line])


def _others(
    line: tuple[Hypothesis, ...],
    sure: int,
    tip: Hypothesis | None,
    rivals: list[tuple[Hypothesis, ...]],
    costs: Costs,
) -> Generator[None, None, tuple[tuple[Imprint, ...], ...]]:
    """For each ply of *line* the moves that it may have been as well.

    Some are those of *rivals*, lines that part after *sure* plies. Moves of the first open ply that
    later ones until *tip* rule out are left out: only that ply is asked about.
    """
    found = list[tuple[Imprint, ...]]()
    for depth, node in enumerate(line):
        more = list(node.imprints[1:])
        if more and tip is not None and node.ply < tip.ply and not any(found):
            more = yield from possible(tip, node, costs)
        for rival in rivals if depth == sure else ():
            if len(rival) > depth and agreement(line, rival) == depth:
                more += [each for each in rival[depth].imprints if each not in (node.imprints[0], *more)]
        found.append(tuple(more))
    return tuple(found)
