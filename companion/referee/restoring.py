# SPDX-License-Identifier: Apache-2.0
"""What a journal's events tell of a game that was broken off: its position, its record, and its clocks.

Its rule: the clocks go the way they went at the table; of a ply that was broken off, as much is charged as there are
events to prove it, and nothing of a pause or of setting up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from companion.referee.clocks import started
from companion.referee.commands import Correct
from companion.referee.correcting import give, replayed, revise
from companion.referee.events import (
    BoardTurned,
    ClockAdjusted,
    ClockPressed,
    ClockReturned,
    ClockStarted,
    Event,
    GameAdjourned,
    GameBegan,
    GameEnded,
    GamePaused,
    GameResumed,
    MoveMade,
    MoveRetracted,
    PlayHeld,
    PositionAdopted,
    RecordCorrected,
    Stage,
)
from companion.referee.footprints import Prospect
from companion.referee.ledger import Ledger
from companion.referee.record import Played
from companion.referee.timekeeping import (
    end,
    follow_move,
    forget,
    give_back,
    go_on,
    made_at_ms,
    pass_on,
    rest,
    start,
    stop,
)
from companion.referee.turning import Turn


def restore(ledger: Ledger, events: Iterable[Event]) -> None:
    """Take over into *ledger*, which is fresh, what *events* tell. Raises `NotationError` if they are of another game."""
    proved_ms = 0
    for event in events:
        proved_ms = _taken(ledger, event, proved_ms)
    rest(ledger, proved_ms)


def times_left(ledger: Ledger, events: Iterable[Event]) -> dict[int, int]:
    """What the clock of whoever made it showed after each ply of the game that *events* tell, in ms, by the ply's number.

    *ledger* is fresh, and takes them over. None of a ply that stopped no clock.
    """
    left: dict[int, int] = {}
    proved_ms = 0
    for event in events:
        known = {*ledger.earlier_clocks}
        proved_ms = _taken(ledger, event, proved_ms)
        for ply in known - ledger.earlier_clocks.keys():
            left.pop(ply, None)
        for ply in ledger.earlier_clocks.keys() - known:
            before, after = ledger.earlier_clocks[ply], ledger.clocks
            side = event.side if isinstance(event, MoveMade) and before.running is None else before.running
            if side is not None and after is not None:
                has_fallen = after is before  # then nothing was switched
                left[ply] = 0 if has_fallen else after.reserves[side].left_ms
    return left


def _taken(ledger: Ledger, event: Event, proved_ms: int) -> int:
    """Until when the side to move is known to have thought, after *ledger* took over *event*; *proved_ms* is the same before it."""
    gone = event if isinstance(event, MoveRetracted) else None
    spent = None if gone is None else ledger.spent_ms.get(gone.ply)
    is_held = ledger.is_held and isinstance(event, GamePaused)  # the time of setting up is nobody's
    if isinstance(event, GameResumed) or is_held:
        rest(ledger, proved_ms)
    ended_ms = None if gone is None else ledger.ended_ms
    _take(ledger, event)
    clocks = ledger.clocks
    is_forgotten = gone is not None and gone.ply not in ledger.earlier_clocks
    if is_forgotten and spent is not None and clocks is not None:
        return made_at_ms(clocks, spent)
    return event.at_ms if ended_ms is None else ended_ms


def _take(ledger: Ledger, event: Event) -> None:  # noqa: C901  one case an event
    """Take over what *event* tells."""
    rules, root = ledger.rules, ledger.belief.root
    match event:
        case GameBegan():
            ledger.initial = Prospect(rules, rules.read_position(event.position), ledger.kind)
            ledger.clear(ledger.initial)
            ledger.is_begun = True
            start(ledger, event.at_ms)
        case MoveMade(stage=Stage.ANNOUNCED):
            ledger.played.append(Played(root.position, root.position.turn, event.move))
            ledger.clear(root.after(rules.read_move(root.position, event.move)))
            _charge(ledger, event)
            follow_move(ledger, event, _made_at_ms(ledger, event))
        case MoveRetracted(stage=Stage.ANNOUNCED | Stage.SETTLED):
            _retract(ledger, event)
        case PositionAdopted():
            position = rules.read_position(event.position)
            ledger.amend(root.position, position)
            ledger.clear(Prospect(rules, position, ledger.kind))
            pass_on(ledger, len(ledger.played) - 1, event.at_ms)
        case ClockStarted() | ClockPressed() | ClockReturned():
            _switch(ledger, event)
        case BoardTurned():
            ledger.turn = Turn.of(rules.grid, event.degrees // 90, len(rules.sides))
        case PlayHeld() | ClockAdjusted() | RecordCorrected():
            _put_right(ledger, event)
        case GamePaused() | GameAdjourned() | GameEnded():
            _halt(ledger, event)
        case GameResumed():
            ledger.is_held = False
            if ledger.is_begun:
                start(ledger, event.at_ms)


def _switch(ledger: Ledger, event: ClockStarted | ClockPressed | ClockReturned) -> None:
    """A clock was started or switched by hand."""
    match event:
        case ClockStarted(side=None):
            ledger.is_start_due = True
        case ClockStarted(at_ms, int(side)):
            ledger.clocks = ledger.clocks and started(ledger.clocks, side, at_ms)
        case ClockPressed():
            stop(ledger, event.ply, event.side, event.at_ms)
        case ClockReturned():
            give_back(ledger, event.ply, event.at_ms)


def _halt(ledger: Ledger, event: GamePaused | GameAdjourned | GameEnded) -> None:
    """Play rests, or is over."""
    if isinstance(event, GameEnded):
        ledger.is_held = False
        end(ledger, event.at_ms)
    else:
        rest(ledger, event.at_ms)


def _retract(ledger: Ledger, gone: MoveRetracted) -> None:
    """Take back the last ply, which may have ended the game."""
    ledger.clear(Prospect(ledger.rules, ledger.played.pop().before, ledger.kind))
    go_on(ledger)
    if not gone.keeps_press:
        forget(ledger, gone.ply)


def _put_right(ledger: Ledger, event: PlayHeld | ClockAdjusted | RecordCorrected) -> None:
    """Take over what an arbiter did."""
    match event:
        case PlayHeld():
            ledger.is_held = True
        case ClockAdjusted():
            give(ledger, event.side, event.by_ms)
        case RecordCorrected():
            base = ledger.rules.read_position(event.base)
            fresh, position = replayed(ledger, base, Correct(event.ply, event.moves))
            revise(ledger, event.ply, fresh, position, event.at_ms)


def _charge(ledger: Ledger, made: MoveMade) -> None:
    """The side of *made* has thought for no longer than is told, even if it was asked about it until after a rest."""
    clocks, spent_ms = ledger.clocks, made.spent_ms
    if clocks is not None and clocks.running == made.side and spent_ms is not None:
        ledger.clocks = replace(clocks, thought_ms=min(clocks.thought_ms, spent_ms))


def _made_at_ms(ledger: Ledger, made: MoveMade) -> int:
    """When the move that *made* tells of was made."""
    clocks, spent_ms = ledger.clocks, made.spent_ms
    if made.started_ms is not None:
        return made.started_ms
    if clocks is None or clocks.running is None or spent_ms is None:
        return made.at_ms
    return made_at_ms(clocks, spent_ms)
