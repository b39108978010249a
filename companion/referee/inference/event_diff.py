# SPDX-License-Identifier: Apache-2.0
"""Events for the difference of two beliefs: moves made, raised in stage, retracted."""

from __future__ import annotations

from typing import Final

from companion.referee.inference.belief import Belief
from companion.referee.values.events import Event, MoveMade, MoveRetracted, Stage
from companion.referee.values.record import Played

_STAGES: Final = tuple(Stage)


def events_between(old: Belief, new: Belief, at_ms: int) -> list[Event]:
    """The events from *old* to *new*; both start from the same settled position.

    An announced ply that is provisional again is retracted and made once more.
    """
    if old.line is new.line:
        return []
    kept, were, are = 0, old.stages, new.stages
    for ply, other, was, now in zip(old.line, new.line, were, are, strict=False):
        is_unsure = was is not Stage.PROVISIONAL and now is Stage.PROVISIONAL
        if ply.imprint != other.imprint or is_unsure:
            break
        kept += 1
    gone = reversed(range(kept, len(old.line)))
    events: list[Event] = [_retracted(old, depth, were[depth], at_ms) for depth in gone]
    for depth, now in enumerate(are):
        reached = _STAGES.index(were[depth]) + 1 if depth < kept else 0
        events += [_made(new, depth, stage, at_ms) for stage in _STAGES[reached : _STAGES.index(now) + 1]]
    return events


def _made(belief: Belief, depth: int, stage: Stage, at_ms: int) -> MoveMade:
    """The ply at *depth* of the line has reached *stage*."""
    before, ply = belief.before(depth), belief.line[depth]
    return MoveMade(
        at_ms,
        belief.root_ply + depth,
        before.position.turn,
        before.written(ply.imprint.move),
        stage,
        ply.after.text,
        ply.after.called if stage is Stage.ANNOUNCED else (),
    )


def _retracted(belief: Belief, depth: int, stage: Stage, at_ms: int) -> MoveRetracted:
    """The retraction of the ply at *depth* of the line, which had reached *stage*."""
    ply = belief.line[depth]
    text = belief.before(depth).written(ply.imprint.move)
    return MoveRetracted(at_ms, belief.root_ply + depth, text, stage)


def played(belief: Belief, depth: int) -> Played:
    """The ply at *depth* of the line in its recorded form."""
    before, ply = belief.before(depth), belief.line[depth]
    return Played(
        before.position,
        before.position.turn,
        before.written(ply.imprint.move),
        ply.imprint.source,
        ply.imprint.target,
    )
