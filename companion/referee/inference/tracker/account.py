# SPDX-License-Identifier: Apache-2.0
"""Why a ply was decided: the two best stories, with the causes of their costs."""

from __future__ import annotations

import math
from collections import Counter
from itertools import takewhile
from typing import Final, NamedTuple

from companion.referee.inference.belief import Belief
from companion.referee.inference.tracker.alike import needs_in
from companion.referee.inference.tracker.decisions import agreement, moves_of
from companion.referee.inference.tracker.explain import explained
from companion.referee.inference.tracker.face import live_of, sensed_by
from companion.referee.inference.tracker.hypothesis import Hypothesis
from companion.referee.inference.tracker.needs import NOTHING
from companion.referee.inference.tracker.outlook import (
    Sensed,
    beginning,
    cheapest_begun,
    hold_of_nothing,
    outlook,
    score,
)
from companion.referee.inference.tracker.segment import Charge
from companion.referee.values.board.imprints import Imprint

EARLIER: Final = "earlier"
"""The cause without a row: plies that are no longer kept one by one."""


class Story(NamedTuple):
    """One explanation of what was sensed, since it parted from the other one."""

    moves: tuple[tuple[str, ...], ...]
    """The notation of each ply, with the moves that leave the same trace."""
    begun: tuple[str, ...]
    """The moves, alike, of which the rest may be the beginning."""
    charges: tuple[Charge, ...]
    """The cheapest first."""

    @property
    def nats(self) -> float:
        """The sum of the charges."""
        return sum(charge.nats for charge in self.charges)


class Account(NamedTuple):
    """The best story at one moment, and the best of those that part from it."""

    ply: int
    """Number of the first ply in which they differ."""
    best: Story
    rival: Story | None
    """None if every other story costs too much to be kept."""


def account(belief: Belief, ply: int, rival: str = "", *, shares_earlier: bool = False) -> Account:
    """The stories of *belief* about the ply number *ply*.

    The second one has the move *rival* there, if one is given and such a story is kept.
    It has the same earlier plies if it *shares_earlier* ones.
    """
    belief = belief._replace(live=live_of(belief))
    live, sensed = belief.live, sensed_by(belief)
    start = min(ply, belief.root_ply)
    lines = {node: node.line(start) for node in live}
    ranked = sorted(live, key=lambda node: score(node, sensed, belief.table.costs))
    best = shown_story(belief)
    depth = min(ply - start, len(lines[best]))
    least = depth if shares_earlier else 0
    others = [node for node in ranked if least <= _parts(lines[best], lines[node]) <= depth]
    wanted = [
        node for node in others if any(rival in each for each in _texts(lines[node][depth : depth + 1]))
    ]
    other = next(iter(wanted or others), None)
    first = depth if other is None else agreement(lines[best], lines[other])
    number, line = start + first, lines[best][first:]
    if other is None:
        charges = [charge for node in line for charge in node.charges]
        return Account(number, _story(best, line, sensed, charges), None)
    one, two = _charges(best, other, number)
    return Account(number, _story(best, line, sensed, one), _story(other, lines[other][first:], sensed, two))


def shown_story(belief: Belief) -> Hypothesis:
    """The cheapest hypothesis with the plies that are shown; else the cheapest of all."""
    sensed, shown = sensed_by(belief), tuple(ply.imprint.move for ply in belief.line)
    ranked = sorted(live_of(belief), key=lambda node: score(node, sensed, belief.table.costs))
    return next((node for node in ranked if moves_of(node.line(belief.root_ply)) == shown), ranked[0])


def open_charges(node: Hypothesis, sensed: Sensed) -> tuple[tuple[Charge, ...], tuple[Imprint, ...]]:
    """The charges of the open segment of *node*, and the moves that it may begin."""
    costs, segment = sensed.costs, sensed.segment(node)
    nothing, begun = outlook(node, sensed, costs)
    hold = Charge("hold", sensed.hold)
    rest = Charge("hold", hold_of_nothing(node, sensed))
    found = list[Charge]()
    moves: tuple[Imprint, ...] = ()
    if nothing + rest.nats > begun + hold.nats:
        _, moves = cheapest_begun(node, sensed, segment, nothing, costs)
    if not moves:
        explained(node.prospect, NOTHING, segment, is_complete=False, charges=found)
        found += [rest] if rest.nats else []
        return tuple(found), ()
    found += beginning(node, sensed, segment, costs)
    needs = needs_in(node.prospect, moves[0])
    explained(node.prospect, needs, segment, is_complete=False, charges=found)
    found += [hold] if hold.nats else []
    return tuple(found), moves


def _parts(line: tuple[Hypothesis, ...], other: tuple[Hypothesis, ...]) -> float:
    """The number of the ply in which two lines part.

    Infinite if they are the same.
    """
    depth = agreement(line, other)
    return math.inf if depth == len(line) == len(other) else depth


def _charges(best: Hypothesis, other: Hypothesis, ply: int) -> tuple[list[Charge], list[Charge]]:
    """The charges of both since they parted.

    Those that both have for plies before *ply* are left out.
    """
    ancestors = set(best.by_ply())
    common = next((node for node in other.by_ply() if node in ancestors), None)
    lines = [list(takewhile(lambda node: node is not common, tip.by_ply())) for tip in (best, other)]
    early = [Counter(each for node in line if node.ply <= ply for each in node.charges) for line in lines]
    shared = early[0] & early[1]
    every = [Counter(each for node in line for each in node.charges) for line in lines]
    found = [list((charges - shared).elements()) for charges in every]
    if common is None:
        roots = [line[-1].cost - sum(each.nats for each in line[-1].charges) for line in lines]
        for charges, cost in zip(found, roots, strict=True):
            charges += [Charge(EARLIER, cost - min(roots))] if cost > min(roots) else []
    return found[0], found[1]


def _story(node: Hypothesis, line: tuple[Hypothesis, ...], sensed: Sensed, charges: list[Charge]) -> Story:
    """The story of *node* with the plies of *line*, which have *charges*."""
    added, moves = open_charges(node, sensed)
    begun = tuple(node.prospect.written(each.move) for each in moves)
    ordered = sorted((*charges, *added), key=lambda charge: charge.nats)
    return Story(_texts(line), begun, tuple(ordered))


def _texts(line: tuple[Hypothesis, ...]) -> tuple[tuple[str, ...], ...]:
    """The notation of each ply of *line* and of the moves of its trace."""
    return tuple(tuple(node.before.written(each.move) for each in node.imprints) for node in line)
