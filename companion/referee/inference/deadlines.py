# SPDX-License-Identifier: Apache-2.0
"""Deadlines for examining a board at rest."""

from __future__ import annotations

from collections.abc import Iterator

from companion.referee.inference.belief import Belief
from companion.referee.inference.tracker.face import patience_ms
from companion.referee.values.events import Stage


def waits_ms(belief: Belief, *, is_played: bool) -> Iterator[int]:
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


def is_quiet(belief: Belief) -> bool:
    """True if time alone cannot change anything."""
    last = belief.line[-1] if belief.line else None
    is_pending = last is not None and (last.stage is Stage.PROVISIONAL or not last.is_left)
    best = belief.live[0] if belief.live else None
    is_unexplained = best is not None and best.since.edges < belief.edge_count
    is_fresh = best is not None and belief.rest_ms < belief.table.timing.dwell_ms  # nobody was asked yet
    if is_pending or is_unexplained or is_fresh or belief.open_depth < len(belief.line):
        return False
    return not belief.tip.differing(belief.seen)
