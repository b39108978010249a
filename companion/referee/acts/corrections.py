# SPDX-License-Identifier: Apache-2.0
"""Corrections by an arbiter: clocks, record, position.

Its rule: nothing is overwritten. The former record stays among the events,
and the correction is another event; a restarted table reaches the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.model.errors import NotationError, OrderRefused
from companion.referee.acts.clock_control import update_clocks
from companion.referee.inference.belief import Belief
from companion.referee.inference.event_diff import events_between
from companion.referee.state.clock_switching import drop, give, pass_on, rest, start
from companion.referee.state.session_state import SessionState
from companion.referee.values.clocks import passed
from companion.referee.values.commands import AdjustClock, Correct, Hold, Restore
from companion.referee.values.events import (
    ClockAdjusted,
    Event,
    GameEnded,
    GamePaused,
    PlayHeld,
    PositionAdopted,
    RecordCorrected,
    Stage,
)
from companion.referee.values.record import Played, outcome, played_on
from companion.referee.values.view import Phase


def settled_line(belief: Belief) -> Belief:
    """*belief* with every ply of its line settled."""
    line = tuple(ply._replace(stage=Stage.SETTLED, is_doubted=False, others=()) for ply in belief.line)
    return belief._replace(line=line)


def put_right(state: SessionState, order: Hold | AdjustClock | Correct | Restore, at_ms: int) -> list[Event]:
    """The events of *order*. Raises `OrderRefused` without any change."""
    match order:
        case Hold():
            return _hold(state, at_ms)
        case AdjustClock():
            return _adjust(state, order, at_ms)
        case Correct():
            return _correct(state, order, at_ms)
        case Restore():
            return _reset(state, order, at_ms)


def _hold(state: SessionState, at_ms: int) -> list[Event]:
    """Stop play, or prevent its start. Raises `OrderRefused` after the game."""
    if state.outcome is not None:
        raise OrderRefused("the game is over: there is nothing to hold")
    if state.is_held:
        return []
    state.is_held = True
    if state.phase in (Phase.SETTING_UP, Phase.PAUSED):
        return [PlayHeld(at_ms)]
    state.send("halted")
    rest(state, at_ms)
    return [PlayHeld(at_ms), GamePaused(at_ms)]


def _adjust(state: SessionState, order: AdjustClock, at_ms: int) -> list[Event]:
    """Adjust a side's time. Raises `OrderRefused` without clocks, or time to deduct."""
    if state.clocks is None:
        raise OrderRefused("no time is kept at this table")
    if state.outcome is not None:
        raise OrderRefused("the game is over: its clocks stand")
    if not 0 <= order.side < len(state.rules.sides):
        raise OrderRefused(
            "there is no side {side}; there are {sides}", side=order.side, sides=len(state.rules.sides)
        )
    give(state, order.side, order.by_ms)
    return [ClockAdjusted(at_ms, order.side, order.by_ms)]


def _correct(state: SessionState, order: Correct, at_ms: int) -> list[Event]:
    """Correct the record.

    Raises `OrderRefused`, naming the move, if the rules do not allow it: then nothing has changed.
    """
    settled = settled_line(state.belief)
    made = settled.ply
    if not state.is_begun or not 0 <= order.ply <= made:
        raise OrderRefused(
            "the record has {moves} moves: it cannot be put right from move {ply} on",
            moves=made,
            ply=order.ply + 1,
        )
    if (asked := settled.root_ply + state.belief.open_depth) < order.ply:
        raise OrderRefused(
            "nobody has said yet what move {move} was: answer, or put it right, too", move=asked + 1
        )
    base = _base(state, settled, order.ply)
    fresh, position = played_on(state.rules, base, order.ply, order.moves)
    events = put_on_record(state, settled, at_ms)
    revise(state, order.ply, fresh, position, at_ms)
    moves, write = tuple(each.text for each in fresh), state.rules.write_position
    events.append(RecordCorrected(at_ms, order.ply, moves, write(base), write(position)))
    ended = outcome(state.rules, [each.before for each in state.played], position)
    if ended is None:
        return events
    state.outcome, state.is_decided = ended, True
    state.send("ended")
    return [*events, GameEnded(at_ms, ended)]


def _base(state: SessionState, belief: Belief, ply: int) -> Any:
    """The position before ply number *ply*, or the last one."""
    if ply < len(state.played):
        return state.played[ply].before
    return belief.before(ply - belief.root_ply).position


def put_on_record(state: SessionState, settled: Belief, at_ms: int) -> list[Event]:
    """Put all that is believed on record, as *settled*."""
    events = events_between(state.belief, settled, at_ms)
    state.believe(settled)
    return update_clocks(state, events)


def revise(state: SessionState, ply: int, fresh: Sequence[Played], position: Any, at_ms: int) -> None:
    """Cut the record at *ply* and continue with *fresh* to *position*.

    The position is to be set up; the clocks rest.
    """
    del state.played[ply:]
    state.played += fresh
    drop(state, ply)
    for number in [number for number in state.made_ms if number >= ply]:
        del state.made_ms[number]
    if state.clocks is not None and state.clocks.running is not None:
        state.clocks = passed(state.clocks, position.turn, at_ms)
    rest(state, at_ms)
    state.clear(state.prospect(position))


def _reset(state: SessionState, order: Restore, at_ms: int) -> list[Event]:
    """Set up a position from which the game goes on.

    Raises `OrderRefused` if it is invalid.
    """
    rules = state.rules
    if not state.is_begun:
        raise OrderRefused("no game is on: nothing can be restored")
    try:
        position = rules.read_position(order.position)
    except NotationError as fault:
        raise OrderRefused("this is not a position: {reason}", reason=fault) from fault
    if rules.status(position) is not None:
        raise OrderRefused("the game would be over in this position")
    belief = state.belief
    sure = belief._replace(line=belief.line[: belief.open_depth])
    events = put_on_record(state, settled_line(sure), at_ms)
    state.amend(state.belief.tip.position, position)
    state.clear(state.prospect(position))
    pass_on(state, len(state.played) - 1, at_ms)
    rest(state, at_ms)
    return [*events, PositionAdopted(at_ms, rules.write_position(position))]


def go_on_from(state: SessionState, position: Any, settled: Belief, at_ms: int) -> list[Event]:
    """Make *position*, reached by no move, the game's after all plies of *settled*.

    Play continues from it, unless it rests.
    """
    events = events_between(state.belief, settled, at_ms)
    state.pieces = state.pieces_now()
    state.believe(settled)
    events = update_clocks(state, events)
    state.amend(settled.tip.position, position)
    state.fault = state.asked = None
    if state.decided is not None:
        state.decided = None
        if state.phase is Phase.CARRYING_OUT:
            start(state, at_ms)
            state.enter()
    root = state.prospect(position)
    belief = state.belief.afresh(root, ply=len(state.played))
    is_unlike = bool(root.differing(belief.seen))  # uncertain observations are examined once more
    state.belief = belief._replace(rest_since_ms=at_ms) if is_unlike else belief
    pass_on(state, len(state.played) - 1, at_ms)
    if state.is_played:
        state.enter()
    return [*events, PositionAdopted(at_ms, state.rules.write_position(position))]
