# SPDX-License-Identifier: Apache-2.0
"""What time alone does: a board at rest is judged, touches answer, and flags fall."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from companion.referee.acts import inquiry_flow
from companion.referee.acts.board_answers import answer_at_ms
from companion.referee.acts.clock_control import lost_on_time, update_clocks
from companion.referee.acts.effects import follow
from companion.referee.acts.orders import end, lose_on_time, take_back
from companion.referee.inference.belief import Belief
from companion.referee.inference.event_diff import events_between
from companion.referee.inference.leaders import shown, without_half
from companion.referee.inference.search import Search
from companion.referee.inference.tracker import face
from companion.referee.inference.tracker.account import account
from companion.referee.state.session_state import SessionState
from companion.referee.values.events import Event, PlyUndecided, Stage
from companion.referee.values.gestures import Gestures
from companion.referee.values.timing import UNDECIDED_MS
from companion.referee.values.view import Phase

UNDONE_AT_ONCE: Final = 3
"""The settled plies that hands may undo in one go."""


def ticked(state: SessionState, now_ms: int) -> Generator[None, None, list[Event]]:
    """The events due until *now_ms* without an observation."""
    if not state.is_played:
        return _aside(state, now_ms)
    if taken_back := _undone(state, now_ms):
        return [*taken_back, *follow(state, state.belief.at(now_ms), now_ms)]
    belief = yield from _rested(state, now_ms)
    events = follow(state, belief, now_ms, is_done=_is_done(state, belief, now_ms))
    events += _shown_end(state, now_ms)
    lost = lost_on_time(state, now_ms)
    if lost is not None:
        return [*events, *lose_on_time(state, lost, now_ms)]
    if now_ms - state.belief.rest_since_ms >= UNDECIDED_MS:
        events += _undecided(state, now_ms)
    return [*events, *inquiry_flow.proposed(state, now_ms)]


def _aside(state: SessionState, now_ms: int) -> list[Event]:
    """The same while the board is not compared with the rules."""
    state.done, state.belief = None, state.belief.at(now_ms)
    if taken_back := _undone(state, now_ms):
        return [*taken_back, *follow(state, state.belief, now_ms)]
    events = inquiry_flow.attended(state, now_ms)
    events += follow(state, state.belief, now_ms)
    return [*events, *inquiry_flow.proposed(state, now_ms)]


def _rested(state: SessionState, now_ms: int) -> Search:
    """The belief at *now_ms*; a touch that ended answers the question."""
    belief = state.belief.at(now_ms)
    if state.touched is not None and now_ms >= answer_at_ms(belief):
        asked, choice = state.touched
        state.touched = None
        if asked == state.asked:
            belief = yield from face.answered(belief, choice)
    return (yield from face.rested(belief))


def _is_done(state: SessionState, belief: Belief, now_ms: int) -> bool:
    """True, once, if a press has completed a ply not made yet.

    After the time in which a piece may be placed with the same stroke.
    """
    done = state.done
    if done is None or now_ms < done[0] + belief.table.timing.rest_ms:
        return False
    state.done = None
    return done[1] == belief.ply


def _undone(state: SessionState, at_ms: int) -> list[Event]:
    """Take back settled plies, if hands undid them."""
    belief = state.belief
    is_carried_out = state.phase is Phase.CARRYING_OUT and state.inquiry is None
    is_compared = state.is_played or is_carried_out
    is_free = state.rules.allows_take_back and is_compared and state.outcome is None
    if not is_free or belief.line:
        return []
    is_still = at_ms - belief.rest_since_ms >= belief.table.timing.hint_ms
    if not is_still or not belief.tip.differing(belief.seen):
        return []
    for plies, entry in enumerate(state.played[: -UNDONE_AT_ONCE - 1 : -1], 1):
        if not entry.text:
            return []
        if not state.prospect(entry.before).differing(belief.seen):
            return take_back(state, plies, at_ms)
    return []


def _shown_end(state: SessionState, at_ms: int) -> list[Event]:
    """The end, if leading pieces in the middle have shown it for the dwell."""
    belief = state.belief
    if state.gestures is not Gestures.LEADERS or state.outcome is not None:
        return []
    said = shown(belief) if belief.rest_ms >= belief.table.timing.dwell_ms else None
    if said is None:
        return []
    before = without_half(belief)
    events = update_clocks(state, events_between(belief, before, at_ms))
    state.believe(before)
    return [*events, *end(state, said, at_ms)]


def _undecided(state: SessionState, now_ms: int) -> list[Event]:
    """The event of a ply undecided for too long, once a rest."""
    belief = state.belief
    if not belief.line or belief.line[-1].stage is not Stage.PROVISIONAL or not state.is_played:
        return []
    is_told = state.asked is not None or state.fault is not None or state.undecided == belief.edge_count
    is_early = now_ms - belief.rest_since_ms < belief.table.timing.undecided_ms
    if is_told or is_early or state.outcome is not None or belief.tip.differing(belief.seen):
        return []
    state.undecided = belief.edge_count
    depth = belief.stages.index(Stage.PROVISIONAL)
    number, imprint = belief.root_ply + depth, belief.line[depth].imprint
    rival = account(belief, number, shares_earlier=True).rival
    moves = () if rival is None else rival.moves[0] if rival.moves else ("",)
    return [PlyUndecided(now_ms, number, belief.before(depth).written(imprint.move), moves)]
