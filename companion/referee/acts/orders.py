# SPDX-License-Identifier: Apache-2.0
"""Execution of commands: events, or nothing if a command is not possible now."""

from __future__ import annotations

from companion.model.errors import OrderRefused
from companion.model.game import ContinuesAfterResignation, FlagRules, Outcome
from companion.model.pieces import Side
from companion.referee.acts.carrying_out import decide
from companion.referee.acts.clock_control import (
    lost_on_time,
    rewind_clocks,
    start_clock,
    update_clocks,
)
from companion.referee.acts.corrections import go_on_from, put_right, settled_line
from companion.referee.acts.effects import ask, follow
from companion.referee.acts.inquiry_flow import dropped, let_stand, play_on
from companion.referee.inference.event_diff import events_between
from companion.referee.inference.search import finished
from companion.referee.inference.tracker import face
from companion.referee.state.clock_switching import rest, start
from companion.referee.state.session_state import SessionState
from companion.referee.values.commands import (
    Adjourn,
    AdjustClock,
    Conclude,
    Correct,
    DeclineDraw,
    Hold,
    LetStand,
    NewGame,
    OfferDraw,
    Order,
    Pause,
    Play,
    Release,
    Resign,
    Restore,
    Resume,
    SetLevel,
    ShowClocks,
    StartClock,
    TakeBack,
)
from companion.referee.values.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    GameAdjourned,
    GameEnded,
    GamePaused,
    GameResumed,
    IllegalMended,
    MoveRetracted,
    QuestionClosed,
    Stage,
)
from companion.referee.values.record import claim, claim_with, still_in
from companion.referee.values.view import ClockView, Phase


def ordered(state: SessionState, command: Order, at_ms: int) -> list[Event]:
    """The events of *command*, after closing an inquiry. Raises `OrderRefused` as `order`."""
    inquiry = state.inquiry
    if inquiry is None:
        return order(state, command, at_ms)
    closed = dropped(state, at_ms)
    try:
        events = order(state, command, at_ms)
    except OrderRefused:
        state.inquiry = inquiry
        raise
    play_on(state)
    return [*closed, *events]


def order(state: SessionState, command: Order, at_ms: int) -> list[Event]:  # noqa: C901, PLR0912  one case a command
    """The events of *command*. Raises `OrderRefused` without any change.

    That is if a position or record is impossible.
    """
    match command:
        case Resign(side):
            return give_up(state, side, "resignation", at_ms)
        case OfferDraw() | DeclineDraw():
            return _about_a_draw(state, command, at_ms)
        case Pause():
            return _pause(state, at_ms)
        case Adjourn():
            return _adjourn(state, at_ms)
        case Resume() | Release() | StartClock():
            return _let_go_on(state, command, at_ms)
        case LetStand(turn):
            return let_stand(state, turn, at_ms)
        case TakeBack(plies):
            return take_back(state, _to_the_table(state, plies), at_ms)
        case Play() | ShowClocks() | Conclude():
            return _from_elsewhere(state, command, at_ms)
        case Hold() | AdjustClock() | Correct() | Restore():
            return put_right(state, command, at_ms)
        case NewGame():
            state.clear(state.initial)
            return []
        case SetLevel():
            return []


def end(state: SessionState, ended: Outcome, at_ms: int) -> list[Event]:
    """End the game by decision, wherever its pieces are."""
    if state.outcome is not None or not state.is_begun:
        return []
    final = face.announced(state.belief)
    events = events_between(state.belief, final, at_ms)
    state.believe(final)
    events = update_clocks(state, events)
    rest(state, at_ms)
    state.outcome, state.is_decided, state.is_held, state.is_adjourned = ended, True, False, False
    state.fault = state.draw_offered_by = state.draw_declined_by = state.decided = None
    state.is_start_due = False
    state.send("ended")
    return [*events, GameEnded(at_ms, ended), *ask(state, at_ms)]


def lose_on_time(state: SessionState, side: Side, at_ms: int) -> list[Event]:
    """Handle the flag fall of *side*: the others win, unless the rules differ."""
    rules = state.rules
    saved = rules.flagged(state.belief.tip.position, side) if isinstance(rules, FlagRules) else None
    return give_up(state, side, "time", at_ms) if saved is None else end(state, saved, at_ms)


def give_up(state: SessionState, side: Side, termination: str, at_ms: int) -> list[Event]:
    """End the game by *termination* with a win of the others.

    With three or more sides they go on without *side*.
    """
    rules, belief = state.rules, state.belief
    settled = settled_line(belief._replace(line=belief.line[: belief.open_depth]))  # the rest is read again
    if not isinstance(rules, ContinuesAfterResignation) or len(rules.sides) == 2:
        others = tuple(other for other in range(len(rules.sides)) if other != side)
        return end(state, Outcome(others, termination), at_ms)
    position = rules.withdraw(settled.tip.position, side)
    ended = rules.status(position)
    if ended is not None:
        return end(state, ended, at_ms)
    if state.outcome is not None or not state.is_begun or position == settled.tip.position:
        return []
    if state.phase is Phase.PAUSED and not (state.is_adjourned or state.is_held):
        state.send("resumed")
        start(state, at_ms)
    return go_on_from(state, position, settled, at_ms)


def _about_a_draw(state: SessionState, command: OfferDraw | DeclineDraw, at_ms: int) -> list[Event]:
    """The events of an offer, a claim, or the answer to one."""
    if isinstance(command, DeclineDraw):
        return _decline_draw(state, command.side, at_ms)
    return _offer_draw(state, command.side, command.move, at_ms)


def _offer_draw(state: SessionState, side: Side, move: str, at_ms: int) -> list[Event]:
    """An offer, or the end if all agree or the rules grant the draw.

    A claim is an offer, too (FIDE 9.1.2.3).
    """
    if state.outcome is not None or not state.is_begun:
        return []
    position = state.belief.tip.position
    if position.turn == side:
        rules, earlier = state.rules, state.earlier()
        claimed = claim(rules, earlier, position) or claim_with(rules, earlier, position, move)
        if claimed is not None:
            return end(state, claimed, at_ms)
        state.claiming = side, state.belief.ply
    playing = frozenset(still_in(state.rules, position))
    agreed = frozenset[Side]() if state.draw_offered_by is None else state.draw_agreed
    if side in agreed or side not in playing:
        return []
    state.draw_agreed = agreed | {side}
    if playing <= state.draw_agreed:
        return end(state, Outcome((), "agreement"), at_ms)
    if state.draw_offered_by is None:
        state.draw_offered_by, state.draw_declined_by = side, None
    return [DrawOffered(at_ms, side)]


def _decline_draw(state: SessionState, side: Side, at_ms: int) -> list[Event]:
    """The end of the offer, if another side than *side* has made it."""
    if state.draw_offered_by in (None, side):
        return []
    state.draw_offered_by, state.draw_declined_by = None, side
    return [DrawDeclined(at_ms, side)]


def _pause(state: SessionState, at_ms: int) -> list[Event]:
    """Pause play, if it is running."""
    if state.phase in (Phase.SETTING_UP, Phase.PAUSED, Phase.FINISHED):
        return []
    state.send("halted")
    rest(state, at_ms)
    return [GamePaused(at_ms)]


def _adjourn(state: SessionState, at_ms: int) -> list[Event]:
    """End play for now, if it is running.

    A ply that is not announced, or in question, is to be made again.
    """
    if state.phase in (Phase.SETTING_UP, Phase.FINISHED) or state.is_adjourned:
        return []
    belief = state.belief
    sure = sum(stage is not Stage.PROVISIONAL for stage in belief.stages)
    kept = settled_line(belief._replace(line=belief.line[:sure]))
    events = events_between(belief, kept, at_ms)
    if state.asked is not None:
        events.append(QuestionClosed(at_ms, state.asked.ply))
    if state.fault is not None:
        events.append(IllegalMended(at_ms))
    state.fault = state.asked = None
    state.believe(kept)
    events = update_clocks(state, events)
    if state.phase is not Phase.PAUSED:
        state.send("halted")
        rest(state, at_ms)
    state.is_adjourned = True
    return [*events, GameAdjourned(at_ms)]


def _let_go_on(state: SessionState, command: Resume | Release | StartClock, at_ms: int) -> list[Event]:
    """Resume play, or start the first clock; players cannot release an arbiter's hold."""
    match command:
        case Resume():
            return [] if state.is_held else _resume(state, at_ms)
        case Release(starts_clock):
            events = _resume(state, at_ms)
            return [*events, *start_clock(state, at_ms)] if starts_clock else events
        case StartClock():
            return start_clock(state, at_ms) if state.is_played else []


def _resume(state: SessionState, at_ms: int) -> list[Event]:
    """Resume paused play; after an adjournment, the position is to be set up first."""
    is_released, state.is_held = state.is_held, False
    if state.phase is not Phase.PAUSED:
        return [GameResumed(at_ms)] if is_released and state.phase is Phase.SETTING_UP else []
    if state.is_adjourned:
        move = state.decided
        state.clear(state.prospect(state.belief.tip.position))
        state.decided = move
        return []
    state.send("resumed")
    start(state, at_ms)
    belief = state.belief._replace(rest_since_ms=max(state.belief.rest_since_ms, at_ms), now_ms=at_ms)
    if state.decided is not None:
        state.enter()
        return [GameResumed(at_ms), *follow(state, belief, at_ms)]
    return [GameResumed(at_ms), *follow(state, finished(face.understood(belief)), at_ms)]


def _from_elsewhere(state: SessionState, command: Play | ShowClocks | Conclude, at_ms: int) -> list[Event]:
    """The events of a command from the place where an absent side plays."""
    match command:
        case Play():
            return _play(state, command, at_ms)
        case ShowClocks(left_ms, running):
            state.clocks_elsewhere = tuple(
                ClockView(left, is_running=side == running, at_ms=at_ms) for side, left in enumerate(left_ms)
            )
            return []
        case Conclude(winners, termination):
            return end(state, Outcome(winners, termination), at_ms)


def _play(state: SessionState, play: Play, at_ms: int) -> list[Event]:
    """Take the move of an absent side, unless its flag has fallen before."""
    lost = lost_on_time(state, at_ms) if state.is_played else None
    return decide(state, play, at_ms) if lost is None else lose_on_time(state, lost, at_ms)


def _to_the_table(state: SessionState, plies: int) -> int:
    """*plies* and those before, as far as a ply made at the table.

    An absent side would otherwise decide the same again.
    """
    before = [position.turn for position in state.earlier()]
    at_the_table = (count for count in range(plies, len(before) + 1) if before[-count] not in state.absent)
    return next(at_the_table, plies) if plies > 0 else plies


def take_back(state: SessionState, plies: int, at_ms: int) -> list[Event]:
    """Undo the last *plies*, if allowed; the position before them is to be set up."""
    belief = state.belief
    made = belief.ply
    if not state.rules.allows_take_back or not 0 < plies <= made:
        return []
    left = belief.line[: max(0, len(belief.line) - plies)]
    events = events_between(belief, belief._replace(line=left), at_ms)
    if belief.open_depth < len(left):  # that ply is still undecided
        rewind_clocks(state, made - plies, plies)
        state.clear(belief.root, (*left[:-1], left[-1]._replace(stage=Stage.ANNOUNCED)))
        return events
    state.believe(settled_line(belief))
    settled = len(state.played) - len(belief.line)
    undone = state.played[-plies:]
    del state.played[-plies:]
    events += [
        MoveRetracted(at_ms, number, ledger_entry.text, Stage.SETTLED)
        for number, ledger_entry in reversed(list(enumerate(undone, len(state.played))))
        if number < settled
    ]
    rewind_clocks(state, len(state.played), plies)
    state.clear(state.prospect(undone[0].before))
    return events
