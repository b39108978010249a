# SPDX-License-Identifier: Apache-2.0
"""Corrections by an arbiter: clocks, record, position.

Its rule: nothing is overwritten. The former record stays among the events,
and the correction is another event; a restarted table reaches the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.model.errors import NotationError, OrderRefused
from companion.referee.belief import Belief
from companion.referee.clock_control import keep
from companion.referee.clock_switching import drop, give, pass_on, rest
from companion.referee.clocks import passed
from companion.referee.commands import AdjustClock, Correct, Hold, Restore
from companion.referee.event_diff import events_between
from companion.referee.events import (
    ClockAdjusted,
    Event,
    GameEnded,
    GamePaused,
    PlayHeld,
    PositionAdopted,
    RecordCorrected,
    Stage,
)
from companion.referee.footprints import Prospect
from companion.referee.ledger import Ledger
from companion.referee.record import Played, outcome, played_on
from companion.referee.view import Phase


def sealed_line(belief: Belief) -> Belief:
    """*belief* with every ply of its line settled."""
    line = tuple(ply._replace(stage=Stage.SETTLED, is_doubted=False, others=()) for ply in belief.line)
    return belief._replace(line=line)


def put_right(ledger: Ledger, order: Hold | AdjustClock | Correct | Restore, at_ms: int) -> list[Event]:
    """The events of *order*. Raises `OrderRefused` without any change."""
    match order:
        case Hold():
            return _hold(ledger, at_ms)
        case AdjustClock():
            return _adjust(ledger, order, at_ms)
        case Correct():
            return _correct(ledger, order, at_ms)
        case Restore():
            return _reset(ledger, order, at_ms)


def _hold(ledger: Ledger, at_ms: int) -> list[Event]:
    """Stop play, or prevent its start. Raises `OrderRefused` after the game."""
    if ledger.outcome is not None:
        raise OrderRefused("the game is over: there is nothing to hold")
    if ledger.is_held:
        return []
    ledger.is_held = True
    if ledger.phase in (Phase.SETTING_UP, Phase.PAUSED):
        return [PlayHeld(at_ms)]
    ledger.send("halted")
    rest(ledger, at_ms)
    return [PlayHeld(at_ms), GamePaused(at_ms)]


def _adjust(ledger: Ledger, order: AdjustClock, at_ms: int) -> list[Event]:
    """Adjust a side's time. Raises `OrderRefused` without clocks, or time to deduct."""
    if ledger.clocks is None:
        raise OrderRefused("no time is kept at this table")
    if ledger.outcome is not None:
        raise OrderRefused("the game is over: its clocks stand")
    if not 0 <= order.side < len(ledger.rules.sides):
        raise OrderRefused(
            "there is no side {side}; there are {sides}", side=order.side, sides=len(ledger.rules.sides)
        )
    give(ledger, order.side, order.by_ms)
    return [ClockAdjusted(at_ms, order.side, order.by_ms)]


def _correct(ledger: Ledger, order: Correct, at_ms: int) -> list[Event]:
    """Correct the record.

    Raises `OrderRefused`, naming the move, if the rules do not allow it: then nothing has changed.
    """
    sealed = sealed_line(ledger.belief)
    made = sealed.ply
    if not ledger.is_begun or not 0 <= order.ply <= made:
        raise OrderRefused(
            "the record has {moves} moves: it cannot be put right from move {ply} on",
            moves=made,
            ply=order.ply + 1,
        )
    if (asked := sealed.root_ply + ledger.belief.open_depth) < order.ply:
        raise OrderRefused(
            "nobody has said yet what move {move} was: answer, or put it right, too", move=asked + 1
        )
    base = _base(ledger, sealed, order.ply)
    fresh, position = played_on(ledger.rules, base, order.ply, order.moves)
    events = _sealed(ledger, sealed, at_ms)
    revise(ledger, order.ply, fresh, position, at_ms)
    moves, write = tuple(each.text for each in fresh), ledger.rules.write_position
    events.append(RecordCorrected(at_ms, order.ply, moves, write(base), write(position)))
    ended = outcome(ledger.rules, [each.before for each in ledger.played], position)
    if ended is None:
        return events
    ledger.send("set_up")
    ledger.outcome, ledger.is_decided = ended, True
    ledger.enter()
    return [*events, GameEnded(at_ms, ended)]


def _base(ledger: Ledger, belief: Belief, ply: int) -> Any:
    """The position before ply number *ply*, or the last one."""
    if ply < len(ledger.played):
        return ledger.played[ply].before
    return belief.before(ply - belief.root_ply).position


def _sealed(ledger: Ledger, sealed: Belief, at_ms: int) -> list[Event]:
    """Put all that is believed on record, as *sealed*."""
    events = events_between(ledger.belief, sealed, at_ms)
    ledger.believe(sealed)
    return keep(ledger, events)


def revise(ledger: Ledger, ply: int, fresh: Sequence[Played], position: Any, at_ms: int) -> None:
    """Cut the record at *ply* and continue with *fresh* to *position*.

    The position is to be set up; the clocks rest.
    """
    del ledger.played[ply:]
    ledger.played += fresh
    drop(ledger, ply)
    for number in [number for number in ledger.made_ms if number >= ply]:
        del ledger.made_ms[number]
    if ledger.clocks is not None and ledger.clocks.running is not None:
        ledger.clocks = passed(ledger.clocks, position.turn, at_ms)
    rest(ledger, at_ms)
    ledger.clear(Prospect(ledger.rules, position, ledger.kind))


def _reset(ledger: Ledger, order: Restore, at_ms: int) -> list[Event]:
    """Set up a position from which the game goes on.

    Raises `OrderRefused` if it is invalid.
    """
    rules = ledger.rules
    if not ledger.is_begun:
        raise OrderRefused("no game is on: nothing can be restored")
    try:
        position = rules.read_position(order.position)
    except NotationError as fault:
        raise OrderRefused("this is no position: {reason}", reason=fault) from fault
    if rules.status(position) is not None:
        raise OrderRefused("the game would be over in this position")
    belief = ledger.belief
    sure = belief._replace(line=belief.line[: belief.open_depth])
    events = _sealed(ledger, sealed_line(sure), at_ms)
    ledger.amend(ledger.belief.tip.position, position)
    ledger.clear(Prospect(rules, position, ledger.kind))
    pass_on(ledger, len(ledger.played) - 1, at_ms)
    rest(ledger, at_ms)
    return [*events, PositionAdopted(at_ms, rules.write_position(position))]


def go_on_from(ledger: Ledger, position: Any, sealed: Belief, at_ms: int) -> list[Event]:
    """Make *position*, reached by no move, the game's after all plies of *sealed*.

    Play continues from it, unless it rests.
    """
    events = events_between(ledger.belief, sealed, at_ms)
    ledger.pieces = ledger.pieces_now()
    ledger.believe(sealed)
    events = keep(ledger, events)
    ledger.amend(sealed.tip.position, position)
    ledger.fault = ledger.asked = None
    root = Prospect(ledger.rules, position, ledger.kind)
    belief = ledger.belief.afresh(root, ply=len(ledger.played))
    is_unlike = bool(root.differing(belief.seen))  # uncertain observations are examined once more
    ledger.belief = belief._replace(rest_since_ms=at_ms) if is_unlike else belief
    pass_on(ledger, len(ledger.played) - 1, at_ms)
    if ledger.is_played:
        ledger.enter()
    return [*events, PositionAdopted(at_ms, ledger.rules.write_position(position))]
