# SPDX-License-Identifier: Apache-2.0
"""A press without a move: its report, and the return of the clock.

Its rule: nothing is reported before the board has been at rest since the press,
all of it is visible,
and no move can still be detected: a piece may be placed with the same stroke,
and a camera reports the hands' actions later.
"""

from __future__ import annotations

from companion.model.game import Violation
from companion.model.observation import Difference, SensorKind
from companion.model.pieces import Side
from companion.referee.acts.clock_control import is_given_away
from companion.referee.inference.belief import Belief
from companion.referee.inference.illegal_position import (
    CLOCK_WITHOUT_MOVE,
    PRESS_WITHOUT_MOVE,
    IllegalFinding,
)
from companion.referee.state.clock_switching import give_back
from companion.referee.state.session_state import SessionState
from companion.referee.values.events import ClockReturned, Event, IllegalMended
from companion.referee.values.gestures import BETWEEN_MS, Gestures


def note_press(state: SessionState, belief: Belief, at_ms: int) -> None:
    """Store a press of the side to move, unless it was reported already."""
    if state.fault is None:
        state.pressed = at_ms, belief.ply


def sure_at_ms(state: SessionState, belief: Belief) -> int | None:
    """Earliest time for reporting a press without a move; None without such a press."""
    if state.pressed is None:
        return None
    timing = belief.table.timing
    wait_ms = timing.rest_ms if state.kind is SensorKind.OCCUPANCY else timing.hint_ms
    more_ms = BETWEEN_MS if state.gestures is Gestures.PRESSES else 0  # it may be the first of several
    return max(state.pressed[0] + more_ms, belief.rest_since_ms) + wait_ms


def without_move(state: SessionState, belief: Belief) -> IllegalFinding | None:
    """The fault of a press without a move, once it is certain; else None."""
    at_ms = sure_at_ms(state, belief)
    if at_ms is None or state.pressed is None:
        return None
    if state.pressed[1] != belief.ply:
        state.pressed = None
        return None
    if belief.now_ms < at_ms or belief.tip.differing(belief.seen) or not is_unmoved(state, belief):
        return None
    rules, turn = belief.table.rules, belief.tip.position.turn
    movable = {cell for imprint in belief.tip.imprints() for cell in imprint.source}
    rule = CLOCK_WITHOUT_MOVE if is_given_away(state, belief) else PRESS_WITHOUT_MOVE
    violation = Violation.of(rule, *sorted(movable), side=rules.sides[turn])
    return IllegalFinding(belief.ply, Difference((), ()), violation)


def is_unmoved(state: SessionState, belief: Belief) -> bool:
    """True if the side to move has certainly placed nothing since the last ply."""
    tip, line, seen = belief.tip, belief.line, belief.seen
    is_seen = belief.gap <= belief.since(len(line)) and (
        not seen.hidden or state.kind is SensorKind.OCCUPANCY  # then it is a broken switch
    )
    is_known = belief.open_depth == len(line) and (not line or line[-1].is_left)
    if not is_seen or not is_known or tip.differing(seen) & seen.occupied or tip.exactly(0, seen):
        return False
    if line:
        return bool(belief.before(len(line) - 1).position.turn != tip.position.turn)
    return not state.played or state.played[-1].side != tip.position.turn


def given_back(state: SessionState, belief: Belief, side: Side, at_ms: int) -> list[Event]:
    """The events of returning the turn by a press of *side*, or [].

    The side to move has moved nothing. The opponent's press returns the turn,
    and so does one that makes presses of the side to move a gesture.
    """
    clocks = state.clocks
    is_clocked = is_given_away(state, belief)
    if clocks is not None and not clocks.control.by_moves:
        is_its = side in (clocks.running, belief.tip.position.turn)
        if not (is_clocked and is_its and is_unmoved(state, belief)):
            return []
    state.pressed = None
    events: list[Event] = []
    if state.is_without_move:
        state.fault = None
        events.append(IllegalMended(at_ms))
    if is_clocked:
        give_back(state, belief.ply, at_ms)
        events.append(ClockReturned(at_ms, side, belief.ply))
    return events
