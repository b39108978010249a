# SPDX-License-Identifier: Apache-2.0
"""Advance all hypotheses by one press.

A press belongs to the last ply of its side that was not pressed for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from companion.model.pieces import Side
from companion.referee.tracker.alike import likely, needs_in
from companion.referee.tracker.costs import Costs
from companion.referee.tracker.explain import explained
from companion.referee.tracker.hypothesis import Hypothesis
from companion.referee.tracker.outlook import Board, reply
from companion.referee.tracker.step import Live, concluded, pruned


def after_press(live: Live, board: Board, side: Side, costs: Costs) -> Live:
    """The hypotheses after *side* has pressed."""
    done = {node.parent for node in live if node.made.edges == board.mark.edges and node.arrived}
    found = [each for node in live for each in _pressed(node, board, side, costs, is_done=node in done)]
    return pruned(found, board, costs)


def _pressed(
    node: Hypothesis, board: Board, side: Side, costs: Costs, *, is_done: bool
) -> Iterator[Hypothesis]:
    """What the press may mean after *node*.

    It *is_done* if a piece has arrived and completed a ply that this story does not have.
    """
    last = node.last_of(side)
    is_turn = node.turn == side
    if last is not None and last.ply - 1 > node.pressed[side]:
        late = costs.belated.at(board.mark.now_ms - last.done_ms) - math.log(max(board.pressed_share, 0.1))
        cost = node.cost + (0.0 if last.ply == node.ply else late)
        yield node.again(cost, pressed=node.pressed_by(side, last.ply - 1))
    elif not is_turn:
        is_answered = max(node.pressed) >= node.ply
        late_ms = board.mark.now_ms - node.done_ms
        yield node.again(node.cost + (costs.twice.nats[-1] if is_answered else costs.twice.at(late_ms)))
    if is_turn:
        yield from _traceless(node, board, side, costs)
        is_moving = not is_done and bool(node.prospect.differing(board.seen))
        cost = node.cost + (costs.press_early if is_moving else costs.press_idle)
        yield node.again(cost, pressed=node.pressed_by(side, node.ply))


def _traceless(node: Hypothesis, board: Board, side: Side, costs: Costs) -> Iterator[Hypothesis]:
    """*node* after a move that the sensor cannot see.

    All such moves are one story, the likeliest first.
    """
    prospect, segment = node.prospect, board.segment(node)
    if prospect.differing(board.seen):
        return
    prospect.prepare()
    imprints = likely(prospect, prospect.exactly(0, board.seen), segment)
    if not imprints:
        return
    needs = needs_in(prospect, imprints[0])
    least = explained(prospect, needs, segment, is_complete=False)
    cost = node.cost + costs.ply_base + costs.ply_traceless + reply(node, segment, costs) + least
    found = concluded(node, board, imprints, needs, segment, cost)
    found.done_ms = board.mark.now_ms
    found.made = board.mark._replace(rest_since_ms=board.mark.now_ms)
    found.pressed = node.pressed_by(side, node.ply)
    yield found
