# SPDX-License-Identifier: Apache-2.0
"""Derives the one picture of the table from what is believed."""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.game import Announcement, Outcome
from companion.model.grid import Cell
from companion.model.occupancy import cells_of
from companion.model.pieces import Side
from companion.referee.belief import Belief
from companion.referee.events import Stage
from companion.referee.guidance import Wood, guides
from companion.referee.record import Played
from companion.referee.telling import played as as_played
from companion.referee.view import Fault, MoveView, Phase, TableView


def picture(
    *,
    belief: Belief,
    phase: Phase,
    played: Sequence[Played],
    wood: Wood,
    fault: Fault | None,
    outcome: Outcome | None,
    draw_offered_by: Side | None,
) -> TableView:
    """The table as it should be shown."""
    rules, tip = belief.table.rules, belief.tip
    is_guided = phase in (Phase.SETTING_UP, Phase.ASTRAY)
    lifted = _lifted(belief) if phase in (Phase.HANDLING, Phase.CHOOSING, Phase.ASTRAY) else ()
    return TableView(
        game=rules.slug,
        options=tuple(rules.options.items()),
        grid=rules.grid,
        sides=tuple(rules.sides),
        phase=phase,
        turn=tip.position.turn,
        ply=belief.root_ply + len(belief.line),
        position=rules.write_position(tip.position),
        placement=rules.placement(tip.position),
        occupied=belief.seen.occupied,
        lifted=lifted,
        targets=_targets(belief, lifted) if phase is Phase.HANDLING else (),
        guides=guides(tip, wood, belief.seen) if is_guided else (),
        fault=fault,
        announcements=_announcements(belief),
        outcome=outcome,
        draw_offered_by=draw_offered_by,
        allows_take_back=rules.allows_take_back,
        record=_record(belief, played),
    )


def _lifted(belief: Belief) -> tuple[Cell, ...]:
    """Cells whose piece is in a hand, in the order in which they were left."""
    empty = belief.tip.differing(belief.seen) & belief.tip.occupied & ~belief.seen.occupied
    order = {edge.cell: number for number, edge in enumerate(belief.edges) if not edge.is_occupied}
    return tuple(sorted(cells_of(empty), key=lambda cell: order.get(cell, -1)))


def _targets(belief: Belief, lifted: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Where the wood in hands may lawfully be put: after the line, or instead of its last ply."""
    held = set(lifted)
    depth = len(belief.line)
    if not held:
        return ()
    before = belief.tip
    if depth and held & set(belief.line[-1].imprint.target) and not belief.stands(depth - 1):
        ply = belief.line[-1]
        before = belief.before(depth - 1)
        held = held - set(ply.imprint.target) | set(ply.imprint.source)
    found = {
        cell
        for start in held
        for imprint in before.touching(start)
        if held & set(imprint.source) and all(imprint.lifted >> cell & 1 for cell in held)
        for cell in imprint.target
    }
    return tuple(sorted(found - held))


def _announcements(belief: Belief) -> tuple[Announcement, ...]:
    """What is called out about the last announced position; nothing before the first move."""
    is_new = bool(belief.line) and belief.line[-1].stage is Stage.PROVISIONAL
    depth = len(belief.line) - is_new
    if depth == 0 and belief.root_ply == 0:
        return ()
    return belief.table.rules.announcements(belief.before(depth).position) if not is_new else ()


def _record(belief: Belief, played: Sequence[Played]) -> tuple[MoveView, ...]:
    """The moves made so far."""
    settled = [(entry, Stage.SETTLED) for entry in played]
    recent = [(as_played(belief, depth), ply.stage) for depth, ply in enumerate(belief.line)]
    return tuple(
        MoveView(number, entry.side, entry.text, stage, entry.source, entry.target)
        for number, (entry, stage) in enumerate([*settled, *recent])
    )
