# SPDX-License-Identifier: Apache-2.0
"""Derivation of the table's view from the session's state."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import cast

from companion.model.game import Announcement, AnyRules, NamesBroughtPieces, Violation
from companion.model.grid import Cell
from companion.model.observation import SensorKind
from companion.model.occupancy import cells_of
from companion.model.pieces import Piece, Side
from companion.referee.acts.carrying_out import decider, errands, is_amiss, needs_press
from companion.referee.inference.belief import Belief
from companion.referee.inference.event_diff import played as as_played
from companion.referee.inference.guidance import guides
from companion.referee.inference.held import completions, lifted
from companion.referee.inference.leaders import leaders
from companion.referee.session.joint_move import joint_move
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.immobile import immobile
from companion.referee.values.captured import after_plies, captured_by
from companion.referee.values.clocks import Clocks, period_of, reserve, used_ms
from companion.referee.values.events import Stage
from companion.referee.values.gestures import Gestures, middle_of
from companion.referee.values.questions import Question
from companion.referee.values.record import Claims, Played, claims
from companion.referee.values.view import (
    ClockStart,
    ClockView,
    DecidedView,
    Guide,
    IllegalPosition,
    JointMove,
    MoveView,
    Phase,
    TableView,
)


def table_view(state: SessionState) -> TableView:
    """The view of the table, without a reason that is still to be worked out."""
    belief, phase, rules, claimable = state.belief, _phase(state), state.rules, _claims(state)
    tip, is_suspended = belief.tip, state.inquiry is not None
    is_guided = phase in (Phase.SETTING_UP, Phase.ILLEGAL) and not is_suspended
    is_handled = phase in (Phase.HANDLING, Phase.CHOOSING, Phase.ILLEGAL) and not is_suspended
    held = lifted(belief) if is_handled else ()
    joint, targets = _aims(state, held) if phase is Phase.HANDLING else (None, ())
    is_decided = phase is Phase.CARRYING_OUT
    led, lying = (errands(state), state.decided.after) if is_decided and state.decided else ((), tip)
    return TableView(
        game=rules.slug,
        options=tuple(rules.options.items()),
        grid=rules.grid,
        sides=tuple(rules.sides),
        phase=phase,
        turn=tip.position.turn,
        ply=belief.ply,
        position=tip.text,
        placement=lying.placement,
        occupied=belief.seen.occupied,
        is_sensed=state.is_sensed,
        lifted=held,
        targets=targets,
        joint=joint,
        immobile=_known_reason(state, held) if phase is Phase.HANDLING and not targets else None,
        guides=led if led or not is_guided else guides(tip, state.pieces_now(), belief.seen),
        fault=None if is_suspended else _fault(state),
        announcements=_announcements(belief) if state.outcome is None else (),
        outcome=state.outcome,
        draw_offered_by=state.draw_offered_by,
        draw_declined_by=state.draw_declined_by,
        may_claim=claimable.is_due,
        claiming=claimable.moves,
        allows_take_back=rules.allows_take_back,
        record=_record(state),
        is_start_amended=state.is_start_amended,
        clocks=state.clocks_elsewhere if state.clocks is None else clock_views(state.clocks, belief.now_ms),
        clock_start=_clock_start(state),
        pressers=(state.decided.side,) if state.decided and needs_press(state) else state.pressers,
        # HasRegions, HasHands, HasScores: protocol checks would take longer than all the rest
        regions=tuple(rules.regions()) if hasattr(rules, "regions") else (),
        hands=tuple(map(tuple, rules.hands(lying.position))) if hasattr(rules, "hands") else (),
        captured=_captured(state),
        scores=tuple(rules.scores(tip.position)) if hasattr(rules, "scores") else (),
        counts=tuple(rules.counts(tip.position)) if not state.outcome and hasattr(rules, "counts") else (),
        blind=tuple(cells_of(belief.seen.hidden)) if state.kind is SensorKind.OCCUPANCY else (),
        is_adjourned=state.is_adjourned,
        is_held=state.is_held,
        gestures=state.gestures,
        middle=middle_of(rules.grid) if state.gestures is Gestures.LEADERS else None,
        leader=_leader(state),
        turned=state.rotation.degrees,
        is_turn_unclear=state.is_turn_unclear and phase is Phase.SETTING_UP,
        question=_question(state),
        pointed=_pointed(state),
        is_suspended=is_suspended,
        is_begun=state.is_begun,
        played_by=state.played_by,
        decider=decider(state),
        decided=_decided(state, led) if is_decided else None,
    )


def _phase(state: SessionState) -> Phase:
    """The phase to be shown: play that waits for an answer waits for a choice."""
    is_suspended = state.inquiry is not None and state.phase not in (Phase.PAUSED, Phase.SETTING_UP)
    return Phase.CHOOSING if is_suspended else state.phase


def _decided(state: SessionState, led: tuple[Guide, ...]) -> DecidedView | None:
    """The move that is carried out, with the guides that lead to it."""
    move = state.decided
    if move is None:
        return None
    by = state.played_by[move.side]
    is_at_rest = state.belief.rest_ms >= state.belief.table.timing.hint_ms
    amiss = is_at_rest and is_amiss(move, led)
    return DecidedView(move.side, by, move.text, move.steps, amiss, needs_press(state))


def _question(state: SessionState) -> Question | None:
    """The pending question: one at a time."""
    return state.asked if state.inquiry is None else state.inquiry.question


def _clock_start(state: SessionState) -> ClockStart | None:
    """The event that starts the first clock."""
    if state.clocks is None or not state.awaits_clock:
        return None
    return ClockStart.MOVE if state.clocks.control.by_moves else ClockStart.PRESS


def _pointed(state: SessionState) -> int | None:
    """The choice selected by presses."""
    shown = state.pointed
    return shown.choice if shown is not None and shown.asked == _question(state) else None


def _claims(state: SessionState) -> Claims:
    """The draws that may be claimed: computed once per announced position."""
    belief = state.belief
    is_sure = not belief.line or belief.stages[-1] is not Stage.PROVISIONAL
    if not state.is_played or not state.is_begun or not is_sure or state.outcome is not None:
        return Claims()
    about = belief.line, len(state.played), belief.tip.position
    if state.claims[0] != about:
        state.claims = about, claims(state.rules, state.earlier(), belief.tip.position)
    return state.claims[1]


def _leader(state: SessionState) -> Piece | None:
    """A leading piece, if putting it in the middle is a gesture."""
    if state.gestures is not Gestures.LEADERS:
        return None
    pieces = state.belief.tip.pieces
    return next((pieces[cell] for cell in leaders(state.belief)), None)


def _fault(state: SessionState) -> IllegalPosition | None:
    """The fault with the cells that differ from the last legal position."""
    if state.shown_fault is None:
        return None
    level, found = state.shown_fault
    difference = found.difference
    cells = (*difference.emptied, *difference.filled, *(cell for cell, _ in difference.changed))
    return IllegalPosition(level, found.violation, cells or found.violation.cells)


def _aims(state: SessionState, held: tuple[Cell, ...]) -> tuple[JointMove | None, tuple[Cell, ...]]:
    """The move of several pieces that is under way, and where held pieces may go."""
    joint = joint_move(state) if hasattr(state.rules, "joint") else None  # protocol checks are slow
    if joint is None:
        return None, completions(state.belief, held).targets if held else ()
    return joint, tuple(sorted(guide.target for guide in joint.guides if guide.target is not None))


def _stuck(state: SessionState, lifted: tuple[Cell, ...]) -> tuple[object, Cell] | None:
    """Position and first cell of a single lifted piece that may need a reason.

    None while it may belong to a move that can still be revised.
    """
    belief = state.belief
    entries = {belief.tip.placement.entry_at(cell) for cell in lifted}
    if len(entries) != 1 or any(
        lifted[0] in ply.imprint.target and not belief.stands(depth) for depth, ply in enumerate(belief.line)
    ):
        return None
    (entry,) = entries
    assert entry is not None
    return belief.tip.position, entry[1][0]


def _known_reason(state: SessionState, lifted: tuple[Cell, ...]) -> Violation | None:
    """Why the lifted piece cannot move, if that is worked out."""
    about = _stuck(state, lifted)
    return state.immobile[1] if about is not None and state.immobile[0] == about else None


def lacks_reason(state: SessionState, view: TableView) -> bool:
    """True if it is still to be worked out why a lifted piece cannot move."""
    if view.phase is not Phase.HANDLING or view.targets:
        return False
    about = _stuck(state, view.lifted)
    return about is not None and state.immobile[0] != about


def with_reason(state: SessionState, view: TableView) -> TableView:
    """*view* with the reason that it lacks: computed once per position and cell."""
    about = _stuck(state, view.lifted)
    assert about is not None
    reason = immobile(state.belief.tip, about[1])
    state.immobile = about, reason
    return view if reason is None else replace(view, immobile=reason)


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


def _record(state: SessionState) -> tuple[MoveView, ...]:
    """The moves so far."""
    belief, settled = state.belief, _settled(state)
    if not belief.line:
        return settled
    recent = [
        _line(state, len(settled) + depth, as_played(belief, depth), stage)
        for depth, stage in enumerate(belief.stages)
    ]
    return (*settled, *recent)


def _settled(state: SessionState) -> tuple[MoveView, ...]:
    """The settled ones; recomputed only as far as they have changed."""
    played, spent_ms = state.played, state.spent_ms
    before, lines = state.shown
    if before == (played, spent_ms):
        return lines
    is_longer = before[1] == spent_ms and played[: len(before[0])] == before[0]
    kept = lines if is_longer else ()
    fresh = enumerate(played[len(kept) :], len(kept))
    lines = (*kept, *(_line(state, number, entry, Stage.SETTLED) for number, entry in fresh))
    state.shown = ([*played], {**spent_ms}), lines
    return lines


def _captured(state: SessionState) -> tuple[Piece, ...]:
    """The captured pieces; recomputed only if the plies have changed."""
    belief = state.belief
    (root, line), found = state.shown_captured
    if root is not belief.root or line is not belief.line:
        found = _settled_captures(state)
        for depth, ply in enumerate(belief.line):
            position = belief.before(depth).position
            found = (*found, *captured_by(state.rules, position, ply.imprint.move))
        state.shown_captured = (belief.root, belief.line), found
    return found


def _settled_captures(state: SessionState) -> tuple[Piece, ...]:
    """Those of the settled plies; recomputed only as far as these have changed."""
    played, root = state.played, state.belief.root.position
    (plies, start), found = state.captured
    following = played[len(plies)].before if len(played) > len(plies) else root
    if following != start or played[: len(plies)] != plies:
        plies, start, found = [], state.initial.position, ()
    if len(played) > len(plies) or start != root:
        found = after_plies(state.rules, start, played[len(plies) :], root, found)
        state.captured = ([*played], root), found
    return found


def _line(state: SessionState, number: int, entry: Played, stage: Stage) -> MoveView:
    """A line of the record."""
    spent_ms = state.spent_ms.get(number)
    rules, cells = state.rules, (entry.source, entry.target)
    names_brought = _names_brought(type(rules))
    brought = cast(NamesBroughtPieces, rules).brought(entry.text, entry.side) if names_brought else None
    return MoveView(number, entry.side, entry.text, stage, *cells, spent_ms, entry.is_amended, brought)


@cache
def _names_brought(kind: type[AnyRules]) -> bool:
    """True if rules of *kind* are `NamesBroughtPieces`; cached, since protocol checks are slow."""
    return issubclass(kind, NamesBroughtPieces)
