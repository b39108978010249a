# SPDX-License-Identifier: Apache-2.0
"""When something is due without observations: a board at rest, flags, touches, presses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from companion.referee.acts import carrying_out, inquiry_flow
from companion.referee.acts.board_answers import answer_at_ms
from companion.referee.acts.clock_control import is_waited_for
from companion.referee.acts.press_without_move import sure_at_ms
from companion.referee.inference.belief import Belief
from companion.referee.inference.tracker.face import patience_ms
from companion.referee.state.session_state import SessionState
from companion.referee.values.clocks import falls_at_ms
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase


def next_ms(state: SessionState) -> int | None:
    """Time of the next tick without observations; None if not needed."""
    clocks, belief = state.clocks, state.belief
    is_timed = clocks is not None and state.is_played and state.outcome is None
    flag_ms = falls_at_ms(clocks) if clocks and is_timed and not is_waited_for(state) else None
    done_ms = None if state.done is None else state.done[0] + belief.table.timing.rest_ms
    touched_ms = None if state.touched is None else answer_at_ms(belief)
    due = [each for each in (_board_ms(state), done_ms, flag_ms) if each is not None]
    # If one of these has passed, it waits for facts that are not known yet.
    later = (touched_ms, sure_at_ms(state, belief))
    due += [each for each in later if each is not None and each > belief.now_ms]
    return min(due, default=None)


def _board_ms(state: SessionState) -> int | None:
    """Time of the next decision about the board."""
    belief, phase, is_played = state.belief, state.phase, state.is_played
    if not belief.tip.is_prepared:
        return belief.now_ms
    if state.inquiry is not None:
        return inquiry_flow.due_ms(state)
    if is_played and _is_quiet(belief):
        return None
    waits: Iterable[int] = ()
    if phase is Phase.CARRYING_OUT:
        waits = carrying_out.waits_ms(state)
    elif phase is not Phase.PAUSED:
        waits = _waits_ms(belief, is_played=is_played)
    asked_ms = None if is_played else inquiry_flow.proposed_at_ms(state)
    for wait in waits:
        deadline_ms = belief.rest_since_ms + wait
        if deadline_ms > belief.now_ms:
            return deadline_ms if asked_ms is None else min(deadline_ms, asked_ms)
    return asked_ms


def _waits_ms(belief: Belief, *, is_played: bool) -> Iterator[int]:
    """Required rest times for pending decisions."""
    rest_ms, hint_ms, *later_ms = belief.table.timing.waits_ms
    yield rest_ms
    if is_played:
        if _awaits_hint(belief):
            yield hint_ms
        yield from later_ms
        patience = patience_ms(belief)
        is_undecided = bool(belief.line) and belief.line[-1].stage is Stage.PROVISIONAL
        undecided_ms = belief.table.timing.undecided_ms if is_undecided else 0
        yield min(patience, undecided_ms) if belief.rest_ms < undecided_ms else patience


def _awaits_hint(belief: Belief) -> bool:
    """True if something may be reported after a rest of `hint_ms`.

    Not while only pieces lifted from the position believed are missing, as in most plies.
    That may be an unseen move, though, or put back, or mean something else by another line.
    """
    seen, differing = belief.seen, belief.tip.differing(belief.seen)
    if not differing or differing & seen.occupied or seen.hidden or not belief.line:
        return bool(differing)
    positions = map(belief.before, range(len(belief.line) + 1))
    return any(
        not before.is_prepared or before.has_unseen() or not before.differing(seen) for before in positions
    )


def _is_quiet(belief: Belief) -> bool:
    """True if time alone cannot change anything."""
    last = belief.line[-1] if belief.line else None
    is_pending = last is not None and (last.stage is Stage.PROVISIONAL or not last.is_left)
    best = belief.live[0] if belief.live else None
    is_unexplained = best is not None and best.since.edges < belief.edge_count
    is_fresh = best is not None and belief.rest_ms < belief.table.timing.dwell_ms  # nobody was asked yet
    if is_pending or is_unexplained or is_fresh or belief.open_depth < len(belief.line):
        return False
    return not belief.tip.differing(belief.seen)
