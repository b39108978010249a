# SPDX-License-Identifier: Apache-2.0
"""Derivation of the table's view from the ledger."""

from __future__ import annotations

from companion.model.game import Announcement
from companion.model.grid import Cell
from companion.model.observation import SensorKind
from companion.model.occupancy import cells_of
from companion.model.pieces import Piece, Side
from companion.referee.belief import Belief
from companion.referee.clocks import Clocks, period_of, reserve, used_ms
from companion.referee.event_diff import played as as_played
from companion.referee.events import Stage
from companion.referee.gestures import Gestures, leaders, middle_of
from companion.referee.guidance import guides
from companion.referee.ledger import Ledger
from companion.referee.questions import Question
from companion.referee.record import Claims, Played, claims
from companion.referee.view import ClockStart, ClockView, IllegalPosition, MoveView, Phase, TableView


def picture(ledger: Ledger) -> TableView:
    """The complete view of the table."""
    belief, phase, rules = ledger.belief, ledger.phase, ledger.rules
    tip, is_suspended = belief.tip, ledger.inquiry is not None
    if is_suspended and phase not in (Phase.PAUSED, Phase.SETTING_UP):
        phase = Phase.CHOOSING
    claimable = _claims(ledger)
    is_guided = phase in (Phase.SETTING_UP, Phase.ILLEGAL) and not is_suspended
    is_handled = phase in (Phase.HANDLING, Phase.CHOOSING, Phase.ILLEGAL) and not is_suspended
    lifted = _lifted(belief) if is_handled else ()
    return TableView(
        game=rules.slug,
        options=tuple(rules.options.items()),
        grid=rules.grid,
        sides=tuple(rules.sides),
        phase=phase,
        turn=tip.position.turn,
        ply=belief.ply,
        position=tip.text,
        placement=tip.placement,
        occupied=belief.seen.occupied,
        lifted=lifted,
        targets=_targets(belief, lifted) if phase is Phase.HANDLING else (),
        guides=guides(tip, ledger.pieces_now(), belief.seen) if is_guided else (),
        fault=None if is_suspended else _fault(ledger),
        announcements=_announcements(belief) if ledger.outcome is None else (),
        outcome=ledger.outcome,
        draw_offered_by=ledger.draw_offered_by,
        may_claim=claimable.is_due,
        claiming=claimable.moves,
        allows_take_back=rules.allows_take_back,
        record=_record(ledger),
        is_start_amended=ledger.is_start_amended,
        clocks=clock_views(ledger.clocks, belief.now_ms) if ledger.clocks is not None else (),
        clock_start=_clock_start(ledger),
        pressers=ledger.pressers,
        # HasRegions, HasHands, HasScores: protocol checks would take longer than all the rest
        regions=tuple(rules.regions()) if hasattr(rules, "regions") else (),
        hands=tuple(map(tuple, rules.hands(tip.position))) if hasattr(rules, "hands") else (),
        scores=tuple(rules.scores(tip.position)) if hasattr(rules, "scores") else (),
        blind=tuple(cells_of(belief.seen.hidden)) if ledger.kind is SensorKind.OCCUPANCY else (),
        is_adjourned=ledger.is_adjourned,
        is_held=ledger.is_held,
        gestures=ledger.gestures,
        middle=middle_of(rules.grid) if ledger.gestures is Gestures.LEADERS else None,
        leader=_leader(ledger),
        turned=ledger.rotation.degrees,
        is_turn_unclear=ledger.is_turn_unclear and phase is Phase.SETTING_UP,
        question=_question(ledger),
        pointed=_pointed(ledger),
        is_suspended=is_suspended,
        is_begun=ledger.is_begun,
    )


def _question(ledger: Ledger) -> Question | None:
    """The pending question: one at a time."""
    return ledger.asked if ledger.inquiry is None else ledger.inquiry.question


def _clock_start(ledger: Ledger) -> ClockStart | None:
    """The event that starts the first clock."""
    if ledger.clocks is None or not ledger.awaits_clock:
        return None
    return ClockStart.MOVE if ledger.clocks.control.by_moves else ClockStart.PRESS


def _pointed(ledger: Ledger) -> int | None:
    """The choice selected by presses."""
    shown = ledger.pointed
    return shown.choice if shown is not None and shown.asked == _question(ledger) else None


def _claims(ledger: Ledger) -> Claims:
    """The draws that may be claimed: computed once per announced position."""
    belief = ledger.belief
    is_sure = not belief.line or belief.stages[-1] is not Stage.PROVISIONAL
    if not ledger.is_played or not ledger.is_begun or not is_sure or ledger.outcome is not None:
        return Claims()
    about = belief.line, len(ledger.played), belief.tip.position
    if ledger.claims[0] != about:
        ledger.claims = about, claims(ledger.rules, ledger.earlier(), belief.tip.position)
    return ledger.claims[1]


def _leader(ledger: Ledger) -> Piece | None:
    """A leading piece, if putting it in the middle is a gesture."""
    if ledger.gestures is not Gestures.LEADERS:
        return None
    pieces = ledger.belief.tip.pieces
    return next((pieces[cell] for cell in leaders(ledger.belief)), None)


def _fault(ledger: Ledger) -> IllegalPosition | None:
    """The fault with the cells that differ from the last legal position."""
    if ledger.shown_fault is None:
        return None
    level, found = ledger.shown_fault
    difference = found.difference
    cells = (*difference.emptied, *difference.filled, *(cell for cell, _ in difference.changed))
    return IllegalPosition(level, found.violation, cells or found.violation.cells)


def _lifted(belief: Belief) -> tuple[Cell, ...]:
    """Cells whose piece is in a hand, in the order of lifting."""
    empty = belief.tip.differing(belief.seen) & belief.tip.occupied & ~belief.seen.occupied
    order = {edge.cell: number for number, edge in enumerate(belief.edges) if not edge.is_occupied}
    return tuple(sorted(cells_of(empty), key=lambda cell: order.get(cell, -1)))


def _targets(belief: Belief, lifted: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Legal targets of held pieces: after the line, or in place of its last ply."""
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
        if cell not in imprint.source
    }
    return tuple(sorted(found))


def _announcements(belief: Belief) -> tuple[Announcement, ...]:
    """The announcements in the position; none before the first or an unannounced move."""
    depth = len(belief.line)
    is_told = belief.stages[-1] is not Stage.PROVISIONAL if depth else belief.root_ply > 0
    return belief.tip.called if is_told else ()


def clock_views(clocks: Clocks, now_ms: int) -> tuple[ClockView, ...]:
    """The clock of each side at *now_ms*."""
    return tuple(_clock(clocks, side, now_ms) for side in range(len(clocks.reserves)))


def _clock(clocks: Clocks, side: Side, now_ms: int) -> ClockView:
    """The clock of *side*."""
    kept, period = reserve(clocks, side, now_ms), period_of(clocks, side)
    is_running = side == clocks.running and clocks.since_ms <= now_ms
    is_next = clocks.running is not None and side == (clocks.running + 1) % len(clocks.reserves)
    is_growing = clocks.control.is_hourglass and is_next and clocks.since_ms <= now_ms
    delay_ms = 0
    if clocks.running is not None and (is_running or is_growing):
        delay_ms = max(0, period_of(clocks, clocks.running).delay_ms - used_ms(clocks, now_ms))
    return ClockView(
        left_ms=kept.left_ms,
        is_running=is_running,
        at_ms=now_ms,
        spans=kept.spans,
        delay_ms=delay_ms,
        span_ms=period.byo_yomi_ms,
        is_in_span=kept.is_in_byo_yomi,
        is_growing=is_growing,
    )


def _record(ledger: Ledger) -> tuple[MoveView, ...]:
    """The moves so far."""
    belief, settled = ledger.belief, _settled(ledger)
    if not belief.line:
        return settled
    recent = (
        _line(ledger, len(settled) + depth, as_played(belief, depth), stage)
        for depth, stage in enumerate(belief.stages)
    )
    return (*settled, *recent)


def _settled(ledger: Ledger) -> tuple[MoveView, ...]:
    """The settled ones; recomputed only as far as they have changed."""
    played, spent_ms = ledger.played, ledger.spent_ms
    before, lines = ledger.shown
    if before == (played, spent_ms):
        return lines
    is_longer = before[1] == spent_ms and played[: len(before[0])] == before[0]
    kept = lines if is_longer else ()
    fresh = enumerate(played[len(kept) :], len(kept))
    lines = (*kept, *(_line(ledger, number, entry, Stage.SETTLED) for number, entry in fresh))
    ledger.shown = ([*played], {**spent_ms}), lines
    return lines


def _line(ledger: Ledger, number: int, entry: Played, stage: Stage) -> MoveView:
    """A line of the record."""
    spent_ms = ledger.spent_ms.get(number)
    cells = entry.source, entry.target
    return MoveView(number, entry.side, entry.text, stage, *cells, spent_ms, entry.is_amended)
