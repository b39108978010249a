# SPDX-License-Identifier: Apache-2.0
"""When a board at rest has to be looked at next."""

from __future__ import annotations

from collections.abc import Iterator

from companion.referee.belief import Belief
from companion.referee.events import Stage
from companion.referee.patience import patience_ms


def waits_ms(belief: Belief, *, is_played: bool) -> Iterator[int]:
    """How long the board has to be at rest for each thing that is decided then; the last takes long to tell and is mostly not asked for."""
    rest_ms, hint_ms, *later_ms = belief.table.timing.waits_ms
    yield rest_ms
    if is_played:
        if _awaits_hint(belief):
            yield hint_ms
        yield from later_ms
        yield patience_ms(belief)


def _awaits_hint(belief: Belief) -> bool:
    """True if something may be told once the board has been at rest for as long as a hint takes.

    Not while nothing but wood that was lifted from the position believed is missing, as in most plies: that is nobody's fault.
    It may be an unseen move, though, or put back, or mean something else by another line.
    """
    seen, differing = belief.seen, belief.tip.differing(belief.seen)
    if not differing or differing & seen.occupied or seen.hidden or not belief.line or belief.rivals:
        return bool(differing)
    positions = map(belief.before, range(len(belief.line) + 1))
    return any(ply.is_supposed for ply in belief.line) or any(
        not before.is_prepared or before.has_unseen() or not before.differing(seen) for before in positions
    )


def is_quiet(belief: Belief) -> bool:
    """True if time alone can change nothing."""
    is_open = belief.open_depth < len(belief.line)
    is_open = is_open or any(ply.stage is Stage.PROVISIONAL or not ply.is_left for ply in belief.line[-1:])
    return not (is_open or belief.rivals or belief.tip.differing(belief.seen))
