# SPDX-License-Identifier: Apache-2.0
"""A ply that rests on the board undecided: that should not happen."""

from __future__ import annotations

from companion.referee.inference.tracker.account import account
from companion.referee.state.session_state import SessionState
from companion.referee.values.events import Event, PlyUndecided, Stage


def undecided(state: SessionState, now_ms: int) -> list[Event]:
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
