# SPDX-License-Identifier: Apache-2.0
"""Starting, switching, stopping and resetting of a session's clocks.

The first clock starts with the first move, with a press, or by command; until then none runs.
By moves: the clock is switched at the time of the move, even if it is announced later.
By lever or button: it is switched then, whatever the board shows;
no question and no fault stops it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from companion.model.game import FlagRules
from companion.model.pieces import Side
from companion.referee.inference.belief import Belief
from companion.referee.inference.open_question import resolved
from companion.referee.state import clock_switching
from companion.referee.state.clock_switching import end, follow_move, forget, made_at_ms, start, stop
from companion.referee.state.session_state import SessionState
from companion.referee.values.clocks import fallen, falls_at_ms, is_resting, stopped
from companion.referee.values.events import ClockPressed, ClockStarted, Event, MoveMade, MoveRetracted, Stage


def start_clock(state: SessionState, at_ms: int) -> list[Event]:
    """The events of starting the first clock, at once or with play;
    [] if there is no clock to start.
    """
    clocks = state.clocks
    if clocks is None or clocks.running is not None or state.outcome is not None or state.is_start_due:
        return []
    state.is_start_due = True
    if not state.is_played:
        return [ClockStarted(at_ms)]
    start(state, at_ms)
    return [ClockStarted(at_ms, state.belief.tip.position.turn)]


def update_clocks(state: SessionState, moves: list[Event]) -> list[Event]:
    """*moves* with thinking times of announced ones; the clocks follow if moves drive them."""
    if moves:
        remade = {event.ply for event in moves if isinstance(event, MoveMade)}
        moves = [_kept(state, event, remade) for event in moves]
    _follow_open(state)
    return moves


def _follow_open(state: SessionState) -> None:
    """Switch the clocks for undecided plies: a question does not stop a clock."""
    belief = state.belief
    if not _is_driven(state):
        return
    for depth, ply in enumerate(belief.line):
        number, turn = belief.root_ply + depth, belief.before(depth).position.turn
        is_made = ply.stage is not Stage.PROVISIONAL and not ply.is_doubted
        if is_made and number not in state.earlier_clocks:
            clock_switching.switch(state, number, turn, ply.after.position.turn, state.made_ms[number])


def _kept(state: SessionState, event: Event, remade: Collection[int]) -> Event:
    """*event* with the thinking time of its ply, after switching; *remade* plies remain."""
    if isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED:
        follow_move(state, event, state.made_ms.get(event.ply, event.at_ms))
        return timed(state, event)
    if not isinstance(event, MoveRetracted):
        return event
    belief, is_other = state.belief, event.ply in remade and _is_followed(state, event.ply)
    if _is_driven(state):
        if not is_other:
            forget(state, event.ply)
        return event
    is_put_back = event.stage is not Stage.PROVISIONAL and not belief.tip.differing(belief.seen)
    if is_other or not is_put_back:  # its side has declared the ply complete, whatever it was
        return replace(event, keeps_press=event.ply in state.earlier_clocks)
    forget(state, event.ply)
    return event


def timed(state: SessionState, made: MoveMade) -> MoveMade:
    """*made* with its thinking time, and its time if it started the first clock."""
    spent_ms, earlier = state.spent_ms.get(made.ply), state.earlier_clocks.get(made.ply)
    if spent_ms is None or earlier is None:
        return made if spent_ms is None else replace(made, spent_ms=spent_ms)
    if is_resting(earlier):
        return replace(made, spent_ms=spent_ms, started_ms=state.made_ms.get(made.ply, made.at_ms))
    started_ms = earlier.since_ms if earlier.running is None else None
    return replace(made, spent_ms=spent_ms, started_ms=started_ms)


def _is_followed(state: SessionState, ply: int) -> bool:
    """True if the clocks were switched for *ply* at its move or press.

    Only its identification has changed.
    """
    earlier, spent_ms = state.earlier_clocks.get(ply), state.spent_ms.get(ply)
    if earlier is None or not earlier.control.by_moves:
        return earlier is not None
    return spent_ms is not None and made_at_ms(earlier, spent_ms) == state.made_ms.get(ply)


def _is_driven(state: SessionState) -> bool:
    """True if moves drive the clocks."""
    return state.clocks is not None and state.clocks.control.by_moves


def press(state: SessionState, side: Side, at_ms: int) -> list[Event]:
    """The clock events of a press by *side*."""
    clocks = state.clocks
    if clocks is None or clocks.running not in (None, side):
        return []
    if clocks.control.by_moves:
        is_opponent = side != state.belief.tip.position.turn and not state.belief.line
        return start_clock(state, at_ms) if is_opponent and state.awaits_clock else []
    following = state.belief.ply
    ply = following if state.belief.tip.position.turn == side else _last_of(state, side)
    stop(state, ply, side, at_ms)
    if state.outcome is not None:  # a press after the final move starts no clock
        end(state, at_ms)
    return [ClockPressed(at_ms, side, ply, state.spent_ms.get(ply))]


def _last_of(state: SessionState, side: Side) -> int:
    """The last ply made by *side*; the last of all without one."""
    last = state.belief.ply - 1
    return next((ply for ply in range(last, -1, -1) if state.side_of(ply) == side), last)


def is_given_away(state: SessionState, belief: Belief) -> bool:
    """True if the clock was pressed for the ply after *belief*, not made yet."""
    clocks = state.clocks
    if clocks is None or clocks.control.by_moves or belief.ply not in state.earlier_clocks:
        return False
    return bool(clocks.running != belief.tip.position.turn)


def rewind_clocks(state: SessionState, first: int, plies: int) -> None:
    """Reset the clocks after *plies* from number *first* on were taken back.

    They rest as they were when the first of them was made.
    """
    spent = state.spent_ms.get(first)
    for ply in reversed(range(first, first + plies)):
        forget(state, ply)
    if state.clocks is not None:
        state.clocks = stopped(state.clocks, made_at_ms(state.clocks, spent or 0))


def lost_on_time(state: SessionState, at_ms: int) -> Side | None:
    """The side with a fallen flag, or None while a timely move is awaited.

    Also while the answer to a question decides the result: it may have been mate before.
    """
    if state.clocks is None or state.outcome is not None or is_moved_in_time(state):
        return None
    side = fallen(state.clocks, at_ms)
    return None if side is None or _is_for_players_to_say(state, side) else side


def is_waited_for(state: SessionState) -> bool:
    """True if no flag ends the game now.

    A move was made in time, or an answer is awaited.
    """
    clocks, belief = state.clocks, state.belief
    side = None if clocks is None else fallen(clocks, belief.now_ms)
    return is_moved_in_time(state) or (side is not None and _is_for_players_to_say(state, side))


def _is_for_players_to_say(state: SessionState, side: Side) -> bool:
    """True if the effect of the flag of *side* depends on an undecided ply."""
    belief, rules = state.belief, state.rules
    results = set()
    for depth, ply in enumerate(belief.line):
        for imprint in ply.candidates if ply.is_open else ():
            position = resolved(belief, depth, [imprint]).tip.position
            if rules.status(position) is not None:
                return True
            results.add(rules.flagged(position, side) if isinstance(rules, FlagRules) else None)
    return len(results) > 1


def is_moved_in_time(state: SessionState) -> bool:
    """True if the running side has made an uncertain move before its flag fell.

    Moves drive the clocks.
    """
    clocks, belief = state.clocks, state.belief
    if clocks is None or not clocks.control.by_moves:
        return False
    unsure = (
        depth
        for depth, stage in enumerate(belief.stages)
        if stage is Stage.PROVISIONAL and belief.root_ply + depth not in state.earlier_clocks
    )
    depth = next(unsure, None)
    if depth is None:
        return False
    ply = belief.root_ply + depth
    due_ms, made_ms = falls_at_ms(clocks), state.made_ms.get(ply)
    if due_ms is None or made_ms is None or state.side_of(ply) != clocks.running:
        return False
    return made_ms < due_ms
