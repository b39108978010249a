# SPDX-License-Identifier: Apache-2.0
"""What an observation does: its inputs in order, then what is seen at its end.

Changes are compared with the rules, or wait while the position is set up, a question suspends
play, or hands carry out a move. Presses answer, switch clocks, complete plies, or are gestures.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from companion.model.observation import Change, Input, LeverTurned, Observation, Press, side_of
from companion.referee.acts import carrying_out, inquiry_flow
from companion.referee.acts.answers import completed
from companion.referee.acts.board_answers import chosen, is_answering, touched
from companion.referee.acts.clock_control import press
from companion.referee.acts.effects import follow
from companion.referee.acts.orders import order
from companion.referee.acts.press_without_move import given_back, is_unmoved, note_press
from companion.referee.inference.belief import Belief
from companion.referee.inference.pictures import reading
from companion.referee.inference.search import Search
from companion.referee.inference.tracker import face
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.looks import Seen
from companion.referee.values.commands import OfferDraw, Resign
from companion.referee.values.events import Event
from companion.referee.values.gestures import Gestures
from companion.referee.values.view import Phase


def observed(state: SessionState, observation: Observation) -> Generator[None, None, list[Event]]:
    """The events of *observation*, which is by the sensors' cells."""
    events: list[Event] = []
    state.is_sensed = True
    if state.rotation.quarters:
        observation = state.rotation.observation(observation)
    if observation.evidence is not None and state.is_played:
        state.belief, observation = yield from reading.read(state.belief, observation)
    belief = _uncovered(state.belief.released(observation), observation)
    for entered in observation.inputs:
        belief = yield from _entered(state, belief, entered, events)
    if not belief.seen.is_of(observation.sightings, state.kind):
        belief = belief.looking(observation.at_ms, Seen.of(observation.sightings, state.kind))
        if state.is_played:
            rest_since_ms = max(belief.rest_since_ms, observation.rest_since_ms)
            belief = belief._replace(rest_since_ms=rest_since_ms)
            belief = yield from face.understood(belief)
    if observation.has_gap:
        belief = belief._replace(gap=belief.edge_count)
        state.pressed = None  # its companion events may have been lost
    belief = belief.at(observation.at_ms)
    if belief.rest_since_ms < observation.rest_since_ms:
        belief = belief._replace(rest_since_ms=observation.rest_since_ms)
    return [*events, *follow(state, belief, observation.at_ms)]


def _uncovered(belief: Belief, observation: Observation) -> Belief:
    """*belief* without the covered cells that *observation* sees, if it has inputs.

    Else the first of several changes could still be explained by a covered one.
    """
    cells = belief.seen.hidden & ~observation.sightings.hidden
    if not cells or not observation.inputs:
        return belief
    return belief._replace(seen=replace(belief.seen, hidden=belief.seen.hidden & ~cells))


def _entered(state: SessionState, belief: Belief, entered: Input, events: list[Event]) -> Search:
    """The belief after *entered*; adds the events of a press before those that follow it."""
    if state.inquiry is not None and (closed := inquiry_flow.withdrawn(state, belief, entered)):
        events += closed
        belief = state.belief
    if state.inquiry is not None:
        return inquiry_flow.entered_aside(state, belief, entered, events)
    if state.phase is Phase.CARRYING_OUT:
        belief = _led(state, belief, entered, events)
        if state.phase is Phase.CARRYING_OUT:
            return carrying_out.entered(state, belief, entered)
    if not isinstance(entered, Change):
        return (yield from _pressed(state, belief, entered, events))
    if not state.is_played:
        return belief.sensed(entered)
    belief = yield from face.reconcile(belief, entered)
    state.touched = touched(state, belief, entered)
    return belief


def _led(state: SessionState, belief: Belief, entered: Input, events: list[Event]) -> Belief:
    """*belief* while hands carry out a move; adds the events of move or gesture."""
    state.belief = belief.at(entered.t_ms)
    events += carrying_out.carried_out(state, entered.t_ms)
    if isinstance(entered, Press) and state.phase is Phase.CARRYING_OUT:
        asked = _command_of(state, entered)
        events += [] if asked is None else order(state, asked, entered.t_ms)
    return state.belief


def _pressed(
    state: SessionState, belief: Belief, entered: Press | LeverTurned, events: list[Event]
) -> Search:
    """The belief after *entered*, which may answer; adds its events."""
    state.touched = None
    if isinstance(entered, Press) and state.asked is not None and is_answering(state, belief, entered):
        choice = chosen(state, state.asked, entered.t_ms)
        if choice is None or state.is_played:
            return belief if choice is None else (yield from face.answered(belief, choice))
        state.belief = belief
        events += completed(state, choice, entered.t_ms)
        return state.belief
    if not state.is_played:
        return belief
    return (yield from _pressed_in_play(state, belief, entered, events))


def _pressed_in_play(
    state: SessionState, belief: Belief, entered: Press | LeverTurned, events: list[Event]
) -> Search:
    """The same for a press that completes, returns or is a gesture."""
    side, t_ms = side_of(entered), entered.t_ms
    if isinstance(entered, Press) and (asked := _command_of(state, entered)) is not None:
        events += follow(state, belief, t_ms)
        events += order(state, asked, t_ms)
        belief = state.belief
        if not state.is_played:
            return belief
    is_to_move = side == belief.tip.position.turn
    if side in state.absent and not state.awaits_clock:
        return belief
    if is_to_move and _is_gesture(state, entered) and is_unmoved(state, belief):
        events += given_back(state, belief, side, t_ms)
        return belief  # it is not a press of the clock
    returned = [] if is_to_move else given_back(state, belief, side, t_ms)
    events += returned or press(state, side, t_ms)
    before = belief
    belief = yield from face.reconcile(belief, entered)
    is_late = _is_late(before, belief)
    is_done = is_to_move and side == belief.tip.position.turn and not is_late
    if is_done:
        note_press(state, belief, t_ms)
    if is_done and belief.seen.occupied.bit_count() != belief.tip.occupied.bit_count():
        state.done = t_ms, belief.ply  # a piece may come down while the other hand presses: judged later
        is_done = False
    events += follow(state, belief, t_ms, is_done=is_done)
    return state.belief


def _command_of(state: SessionState, press: Press) -> OfferDraw | Resign | None:
    """The command of *press*, if it completes a gesture."""
    is_gesture = state.gestures is Gestures.PRESSES and press.button < len(state.rules.sides)
    return state.presses.count(press) if is_gesture else None


def _is_gesture(state: SessionState, entered: Input) -> bool:
    """True if *entered*, an accepted press, has completed or continued a gesture."""
    is_press = isinstance(entered, Press) and state.gestures is Gestures.PRESSES
    return is_press and state.presses.is_gesture


def _is_late(before: Belief, belief: Belief) -> bool:
    """True if the press between *before* and *belief* is for an earlier ply.

    The ply may be settled: then only the tracker's stories know of its press.
    """
    late = _pressed_plies(belief) - _pressed_plies(before)
    if before.live and belief.live:
        known = set(before.live[0].pressed)
        late |= {ply for ply in belief.live[0].pressed if ply < belief.ply and ply not in known}
    return bool(late)


def _pressed_plies(belief: Belief) -> set[int]:
    """The numbers of the plies that were pressed for and are not settled."""
    return {belief.root_ply + depth for depth, ply in enumerate(belief.line) if ply.is_pressed}
