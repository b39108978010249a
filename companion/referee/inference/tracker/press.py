# SPDX-License-Identifier: Apache-2.0
"""Advance all hypotheses by one press.

A press belongs to the last ply of its side that was not pressed for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from companion.model.pieces import Side
from companion.referee.inference.costs import Costs
from companion.referee.inference.tracker.alike import likely, needs_in
from companion.referee.inference.tracker.explain import explained
from companion.referee.inference.tracker.hypothesis import Hypothesis
from companion.referee.inference.tracker.outlook import Sensed, reply, total
from companion.referee.inference.tracker.segment import Charge
from companion.referee.inference.tracker.step import Advance, Live, concluded, pruned


def after_press(live: Live, sensed: Sensed, side: Side, costs: Costs) -> Advance:
    """The hypotheses after *side* has pressed."""
    done = {node.parent for node in live if node.made.edges == sensed.mark.edges and node.arrived}
    found = [each for node in live for each in _pressed(node, sensed, side, costs, is_done=node in done)]
    return (yield from pruned(found, sensed, costs))


def _pressed(
    node: Hypothesis, sensed: Sensed, side: Side, costs: Costs, *, is_done: bool
) -> Iterator[Hypothesis]:
    """What the press may mean after *node*.

    It *is_done* if a piece has arrived and completed a ply that this story does not have.
    """
    last = node.last_of(side)
    is_turn = node.turn == side
    if last is not None and last.ply - 1 > node.pressed[side]:
        is_answered = is_done or last.ply < node.ply
        charge = Charge("belated", _late(node, last, sensed, costs) if is_answered else 0.0)
        yield _charged(node, sensed, charge, pressed=node.pressed_by(side, last.ply - 1))
    elif node.pressed[node.turn] == node.ply and not is_turn:
        # the side to move has pressed, but its move is not there: it gets the turn back
        charge = Charge("press.returned", costs.press_returned)
        yield _charged(node, sensed, charge, pressed=node.pressed_by(node.turn, node.ply - 1))
    elif not is_turn:
        is_answered = max(node.pressed) >= node.ply
        late_ms = sensed.mark.now_ms - node.done_ms
        is_late = is_answered or node.pressed[side] < 0  # before its first ply there is nothing to press for
        charge = Charge("twice", costs.twice.nats[-1] if is_late else costs.twice.at(late_ms))
        yield _charged(node, sensed, charge)
    if is_turn:
        yield from _traceless(node, sensed, side, costs)
        is_moving = not is_done and bool(node.prospect.differing(sensed.seen))
        charge = (
            Charge("press.early", costs.press_early) if is_moving else Charge("press.idle", costs.press_idle)
        )
        if node.pressed[side] == node.ply and node.pressed_at == sensed.mark.edges:
            charge = Charge("twice", costs.twice.nats[0])
        yield _charged(node, sensed, charge, pressed=node.pressed_by(side, node.ply))


def _charged(node: Hypothesis, sensed: Sensed, charge: Charge, **changes: object) -> Hypothesis:
    """*node* after a press, with its *charge*."""
    charges = (*node.charges, charge) if charge.nats else node.charges
    at_ms, at = sensed.mark.now_ms, sensed.mark.edges
    cost = node.cost + charge.nats
    return node.again(cost, charges=charges, pressed_ms=at_ms, pressed_at=at, **changes)


def _late(node: Hypothesis, last: Hypothesis, sensed: Sensed, costs: Costs) -> float:
    """The cost of a press for the ply *last* after the opponent's answer."""
    share = sensed.pressed_share
    late = costs.belated.at(sensed.mark.now_ms - last.done_ms)
    late += min(costs.press_first, -math.log(share)) if share else costs.press_first
    return late + (costs.press_answered if max(node.pressed) >= last.ply else 0.0)


def _traceless(node: Hypothesis, sensed: Sensed, side: Side, costs: Costs) -> Iterator[Hypothesis]:
    """*node* after a move that the sensor cannot see.

    All such moves are one story, the likeliest first.
    """
    prospect, segment = node.prospect, sensed.segment(node)
    if prospect.differing(sensed.seen):
        return
    imprints = likely(prospect, prospect.exactly(0, sensed.seen), segment)
    if not imprints:
        return
    needs = needs_in(prospect, imprints[0])
    charges = [Charge("ply.base", costs.ply_base), Charge("ply.traceless", costs.ply_traceless)]
    charges += reply(node, segment, costs)
    begun = total(charges)
    cost = node.cost + begun + explained(prospect, needs, segment, is_complete=True, charges=charges)
    now_ms, pressed = sensed.mark.now_ms, node.pressed_by(side, node.ply)
    yield replace(
        concluded(node, sensed, imprints, needs, segment, cost, tuple(charges)),
        done_ms=now_ms,
        made=sensed.mark._replace(rest_since_ms=now_ms),
        pressed=pressed,
        pressed_ms=now_ms,
        pressed_at=sensed.mark.edges,
    )
