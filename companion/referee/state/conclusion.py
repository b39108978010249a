# SPDX-License-Identifier: Apache-2.0
"""The end of a game by a move, or by a draw claimed with it."""

from __future__ import annotations

from companion.model.game import Outcome
from companion.referee.state.clock_switching import end
from companion.referee.state.session_state import SessionState
from companion.referee.values.events import Event, GameEnded, MoveMade, Stage
from companion.referee.values.record import claim, outcome


def conclude(state: SessionState, moves: list[Event], at_ms: int) -> list[Event]:
    """The end of the game, if one of *moves* caused it."""
    if not moves:
        return []
    new = [event for event in moves if isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED]
    if any(event.side != state.draw_offered_by for event in new):
        state.draw_offered_by = state.draw_declined_by = None
    belief = state.belief
    if not new or Stage.PROVISIONAL in belief.stages[-1:]:
        return []
    ended = outcome(state.rules, state.earlier(), belief.tip.position)
    if ended is None and any((event.side, event.ply) == state.claiming for event in new):
        ended = _claimed(state)
    state.belief = belief._replace(is_over=ended is not None)
    state.outcome = ended
    if ended:
        end(state, at_ms)
    return [GameEnded(at_ms, ended)] if ended else []


def _claimed(state: SessionState) -> Outcome | None:
    """The draw claimed by the last mover, if its claim ply is the last."""
    belief = state.belief
    is_last = state.claiming is not None and state.claiming[1] + 1 == belief.ply
    return claim(state.rules, state.earlier(), belief.tip.position) if is_last else None
