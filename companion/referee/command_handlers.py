# SPDX-License-Identifier: Apache-2.0
"""Execution of commands: events, or nothing if a command is not possible now."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from companion.model.errors import OrderRefused
from companion.model.game import ContinuesAfterResignation, FlagRules, Outcome
from companion.model.pieces import Side
from companion.referee.clock_control import keep, start_clock, timed, wound_back
from companion.referee.clock_switching import rest, start
from companion.referee.commands import (
    Adjourn,
    AdjustClock,
    Answer,
    Correct,
    Hold,
    LetStand,
    NewGame,
    OfferDraw,
    Order,
    Pause,
    Release,
    Resign,
    Restore,
    Resume,
    StartClock,
    TakeBack,
)
from companion.referee.corrections import go_on_from, put_right, sealed_line
from companion.referee.effects import ask, conclude, follow
from companion.referee.event_diff import events_between
from companion.referee.events import (
    DrawOffered,
    Event,
    GameAdjourned,
    GameEnded,
    GamePaused,
    GameResumed,
    IllegalMended,
    MoveMade,
    MoveRetracted,
    QuestionClosed,
    Stage,
)
from companion.referee.footprints import Prospect
from companion.referee.gestures import Gestures, shown
from companion.referee.growing import announced, understood
from companion.referee.inquiry_flow import dropped, let_stand, play_on, replied
from companion.referee.ledger import Ledger
from companion.referee.open_question import left_by, resolved
from companion.referee.reconcile import answered
from companion.referee.record import claim, claim_with, still_in
from companion.referee.view import Phase

_LEAVING: Final = {Phase.PAUSED: "resumed", Phase.SETTING_UP: "set_up"}
"""Events that lead to a state in which a game may end."""


def ordered(ledger: Ledger, command: Order, at_ms: int) -> list[Event]:
    """The events of *command*, after closing an inquiry. Raises `OrderRefused` as `order`."""
    inquiry = ledger.inquiry
    if inquiry is None:
        return order(ledger, command, at_ms)
    closed = dropped(ledger, at_ms)
    try:
        events = order(ledger, command, at_ms)
    except OrderRefused:
        ledger.inquiry = inquiry
        raise
    play_on(ledger)
    return [*closed, *events]


def order(ledger: Ledger, command: Order, at_ms: int) -> list[Event]:  # noqa: C901  one case a command
    """The events of *command*. Raises `OrderRefused` without any change.

    That is if a position or record is impossible.
    """
    match command:
        case Resign(side):
            return give_up(ledger, side, "resignation", at_ms)
        case OfferDraw(side, move):
            return _offer_draw(ledger, side, move, at_ms)
        case Pause():
            return _pause(ledger, at_ms)
        case Adjourn():
            return _adjourn(ledger, at_ms)
        case Resume() | Release() | StartClock():
            return _let_go_on(ledger, command, at_ms)
        case LetStand(turn):
            return let_stand(ledger, turn, at_ms)
        case TakeBack(plies):
            return _take_back(ledger, plies, at_ms)
        case Hold() | AdjustClock() | Correct() | Restore():
            return put_right(ledger, command, at_ms)
        case NewGame():
            ledger.clear(ledger.initial)
            return []


def end(ledger: Ledger, ended: Outcome, at_ms: int) -> list[Event]:
    """End the game by decision, wherever its pieces are."""
    if ledger.outcome is not None or not ledger.is_begun:
        return []
    final = announced(ledger.belief)
    events = events_between(ledger.belief, final, at_ms)
    ledger.believe(final)
    events = keep(ledger, events)
    rest(ledger, at_ms)
    if (event := _LEAVING.get(ledger.phase)) is not None:
        ledger.send(event)
    ledger.outcome, ledger.is_decided, ledger.is_held, ledger.is_adjourned = ended, True, False, False
    ledger.fault = ledger.draw_offered_by = None
    ledger.is_start_due = False
    ledger.enter()
    return [*events, GameEnded(at_ms, ended), *ask(ledger, at_ms)]


def lose_on_time(ledger: Ledger, side: Side, at_ms: int) -> list[Event]:
    """Handle the flag fall of *side*: the others win, unless the rules differ."""
    rules = ledger.rules
    saved = rules.flagged(ledger.belief.tip.position, side) if isinstance(rules, FlagRules) else None
    return give_up(ledger, side, "time", at_ms) if saved is None else end(ledger, saved, at_ms)


def give_up(ledger: Ledger, side: Side, termination: str, at_ms: int) -> list[Event]:
    """End the game by *termination* with a win of the others.

    With three or more sides they go on without *side*.
    """
    rules, belief = ledger.rules, ledger.belief
    sealed = sealed_line(
        belief._replace(line=belief.line[: belief.open_depth])
    )  # the rest is interpreted again
    if not isinstance(rules, ContinuesAfterResignation) or len(rules.sides) == 2:
        others = tuple(other for other in range(len(rules.sides)) if other != side)
        return end(ledger, Outcome(others, termination), at_ms)
    position = rules.withdraw(sealed.tip.position, side)
    ended = rules.status(position)
    if ended is not None:
        return end(ledger, ended, at_ms)
    if ledger.outcome is not None or not ledger.is_begun or position == sealed.tip.position:
        return []
    if ledger.phase is Phase.PAUSED and not (ledger.is_adjourned or ledger.is_held):
        ledger.send("resumed")
        start(ledger, at_ms)
    return go_on_from(ledger, position, sealed, at_ms)


def gesture(ledger: Ledger, at_ms: int) -> list[Event]:
    """The end, if leading pieces in the middle have shown it for the dwell."""
    belief = ledger.belief
    if ledger.gestures is not Gestures.LEADERS or ledger.outcome is not None:
        return []
    said = shown(belief) if belief.rest_ms >= belief.table.timing.dwell_ms else None
    return [] if said is None else end(ledger, said, at_ms)


def _offer_draw(ledger: Ledger, side: Side, move: str, at_ms: int) -> list[Event]:
    """An offer, or the end if all agree or the rules grant the draw.

    A claim is an offer, too (FIDE 9.1.2.3).
    """
    if ledger.outcome is not None or not ledger.is_begun:
        return []
    position = ledger.belief.tip.position
    if position.turn == side:
        rules, earlier = ledger.rules, ledger.earlier()
        claimed = claim(rules, earlier, position) or claim_with(rules, earlier, position, move)
        if claimed is not None:
            return end(ledger, claimed, at_ms)
        ledger.claiming = side, ledger.belief.ply
    playing = frozenset(still_in(ledger.rules, position))
    agreed = frozenset[Side]() if ledger.draw_offered_by is None else ledger.draw_agreed
    if side in agreed or side not in playing:
        return []
    ledger.draw_agreed = agreed | {side}
    if playing <= ledger.draw_agreed:
        return end(ledger, Outcome((), "agreement"), at_ms)
    if ledger.draw_offered_by is None:
        ledger.draw_offered_by = side
    return [DrawOffered(at_ms, side)]


def _pause(ledger: Ledger, at_ms: int) -> list[Event]:
    """Pause play, if it is running."""
    if ledger.phase in (Phase.SETTING_UP, Phase.PAUSED, Phase.FINISHED):
        return []
    ledger.send("halted")
    rest(ledger, at_ms)
    return [GamePaused(at_ms)]


def _adjourn(ledger: Ledger, at_ms: int) -> list[Event]:
    """End play for now, if it is running.

    A ply that is not announced, or in question, is to be made again.
    """
    if ledger.phase in (Phase.SETTING_UP, Phase.FINISHED) or ledger.is_adjourned:
        return []
    belief = ledger.belief
    sure = sum(stage is not Stage.PROVISIONAL for stage in belief.stages)
    kept = sealed_line(belief._replace(line=belief.line[:sure]))
    events = events_between(belief, kept, at_ms)
    if ledger.asked is not None:
        events.append(QuestionClosed(at_ms, ledger.asked.ply))
    if ledger.fault is not None:
        events.append(IllegalMended(at_ms))
    ledger.fault = ledger.asked = None
    ledger.believe(kept)
    events = keep(ledger, events)
    if ledger.phase is not Phase.PAUSED:
        ledger.send("halted")
        rest(ledger, at_ms)
    ledger.is_adjourned = True
    return [*events, GameAdjourned(at_ms)]


def _let_go_on(ledger: Ledger, command: Resume | Release | StartClock, at_ms: int) -> list[Event]:
    """Resume play, or start the first clock; players cannot release an arbiter's hold."""
    match command:
        case Resume():
            return [] if ledger.is_held else _resume(ledger, at_ms)
        case Release(starts_clock):
            events = _resume(ledger, at_ms)
            return [*events, *start_clock(ledger, at_ms)] if starts_clock else events
        case StartClock():
            return start_clock(ledger, at_ms) if ledger.is_played else []


def _resume(ledger: Ledger, at_ms: int) -> list[Event]:
    """Resume paused play; after an adjournment, the position is to be set up first."""
    is_released, ledger.is_held = ledger.is_held, False
    if ledger.phase is not Phase.PAUSED:
        return [GameResumed(at_ms)] if is_released and ledger.phase is Phase.SETTING_UP else []
    if ledger.is_adjourned:
        ledger.clear(Prospect(ledger.rules, ledger.belief.tip.position, ledger.kind))
        return []
    ledger.send("resumed")
    start(ledger, at_ms)
    belief = ledger.belief._replace(rest_since_ms=max(ledger.belief.rest_since_ms, at_ms), now_ms=at_ms)
    return [GameResumed(at_ms), *follow(ledger, understood(belief), at_ms)]


def _take_back(ledger: Ledger, plies: int, at_ms: int) -> list[Event]:
    """Undo the last *plies*, if allowed; the position before them is to be set up."""
    belief = ledger.belief
    made = belief.ply
    if not ledger.rules.allows_take_back or not 0 < plies <= made:
        return []
    left = belief.line[: max(0, len(belief.line) - plies)]
    events = events_between(belief, belief._replace(line=left), at_ms)
    if belief.open_depth < len(left):  # that ply is still undecided
        wound_back(ledger, made - plies, plies)
        ledger.clear(belief.root, (*left[:-1], left[-1]._replace(stage=Stage.ANNOUNCED)))
        return events
    ledger.believe(sealed_line(belief))
    settled = len(ledger.played) - len(belief.line)
    undone = ledger.played[-plies:]
    del ledger.played[-plies:]
    events += [
        MoveRetracted(at_ms, number, ledger_entry.text, Stage.SETTLED)
        for number, ledger_entry in reversed(list(enumerate(undone, len(ledger.played))))
        if number < settled
    ]
    wound_back(ledger, len(ledger.played), plies)
    ledger.clear(Prospect(ledger.rules, undone[0].before, ledger.kind))
    return events


def undone(ledger: Ledger, at_ms: int) -> list[Event]:
    """Also take back the ply before the last, if hands undid it."""
    belief = ledger.belief
    is_free = ledger.rules.allows_take_back and ledger.is_played and ledger.outcome is None
    if not is_free or belief.line or not ledger.played or not ledger.played[-1].text:
        return []
    is_still = at_ms - belief.rest_since_ms >= belief.table.timing.hint_ms
    if not is_still or not belief.tip.differing(belief.seen):
        return []
    before = Prospect(ledger.rules, ledger.played[-1].before, ledger.kind)
    return [] if before.differing(belief.seen) else _take_back(ledger, 1, at_ms)


def answer(ledger: Ledger, given: Answer, at_ms: int) -> Generator[None, None, list[Event]]:
    """The events of the answer *given*, if its question is still open. Raises `OrderRefused`."""
    inquiry = ledger.inquiry
    if inquiry is not None:
        is_answer = given.ply == inquiry.question.ply and 0 <= given.choice < len(inquiry.question.choices)
        return replied(ledger, inquiry, given.choice, at_ms) if is_answer else []
    asked = ledger.asked
    if asked is None or asked.ply != given.ply or not 0 <= given.choice < len(asked.choices):
        return []
    if not ledger.is_played:
        return completed(ledger, given.choice, at_ms)
    return follow(ledger, (yield from answered(ledger.belief, given.choice)), at_ms)


def completed(ledger: Ledger, choice: int, at_ms: int) -> list[Event]:
    """The record after an answer in a pause or after the end.

    After the end the result stays.
    """
    belief = ledger.belief
    belief = resolved(belief, belief.open_depth, left_by(belief, choice))
    events = [
        timed(ledger, event) if isinstance(event, MoveMade) else event
        for event in events_between(ledger.belief, belief, at_ms)
    ]
    ledger.believe(belief)
    if not ledger.is_decided:
        events += conclude(ledger, events, at_ms)
    if ledger.phase is Phase.PAUSED and ledger.outcome is not None:
        ledger.is_held = False
        ledger.send("resumed")
        ledger.enter()
    return [*events, *ask(ledger, at_ms)]
