# SPDX-License-Identifier: Apache-2.0
"""A ply that rests on the board undecided: that should not happen."""

from __future__ import annotations

from typing import Final

from companion.referee.events import Event, PlyUndecided, Stage
from companion.referee.session_state import SessionState
from companion.referee.tracker.account import account

UNDECIDED_MS: Final = 5000
"""Rest after which every ply should have been announced or asked about."""


def undecided_at_ms(state: SessionState) -> int | None:
    """When the undecided ply is written down; None without one."""
    belief = state.belief
    is_told = state.asked is not None or state.fault is not None or state.undecided == belief.edge_count
    if is_told or not state.is_played or state.outcome is not None or Stage.PROVISIONAL not in belief.stages:
        return None
    return None if belief.tip.differing(belief.seen) else belief.rest_since_ms + UNDECIDED_MS


def undecided(state: SessionState, now_ms: int) -> list[Event]:
    """The event of a ply undecided for too long, once a rest."""
    due_ms = undecided_at_ms(state)
    if due_ms is None or now_ms < due_ms:
        return []
    belief = state.belief
    state.undecided = belief.edge_count
    depth = belief.stages.index(Stage.PROVISIONAL)
    number, imprint = belief.root_ply + depth, belief.line[depth].imprint
    rival = account(belief, number, shares_earlier=True).rival
    moves = () if rival is None else rival.moves[0] if rival.moves else ("",)
    return [PlyUndecided(now_ms, number, belief.before(depth).written(imprint.move), moves)]
