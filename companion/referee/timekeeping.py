# SPDX-License-Identifier: Apache-2.0
"""When the clocks of a session start, switch, rest and go back.

By moves: the clock is switched when the move was made, even if it is announced later.
By lever or button: it is switched then, whatever the board says; no question and no fault stops it.
"""

from __future__ import annotations

from dataclasses import replace

from companion.model.game import Outcome
from companion.model.pieces import Side
from companion.referee.clocks import Clocks, fallen, resumed, started, stopped, switched, used_ms
from companion.referee.events import Event, MoveMade, MoveRetracted, Stage
from companion.referee.ledger import Ledger


def start(ledger: Ledger, at_ms: int) -> None:
    """Play begins or goes on: the clock of the side to move runs, unless it waits for a lever to begin."""
    clocks = ledger.clocks
    if clocks is None:
        return
    if clocks.running is not None:
        ledger.clocks = resumed(clocks, at_ms)
    elif clocks.control.by_moves:
        ledger.clocks = started(clocks, ledger.belief.tip.position.turn, at_ms)


def rest(ledger: Ledger, at_ms: int) -> None:
    """Play rests."""
    if ledger.clocks is not None:
        ledger.clocks = stopped(ledger.clocks, at_ms)


def keep(ledger: Ledger, moves: list[Event]) -> list[Event]:
    """*moves*, the announced with the time they took; the clocks follow them if moves drive them."""
    return [_kept(ledger, event) for event in moves]


def _kept(ledger: Ledger, event: Event) -> Event:
    """*event* with the time its ply took, after the clocks have followed it."""
    if isinstance(event, MoveMade) and event.stage is Stage.PROVISIONAL:
        ledger.made_ms[event.ply] = min(event.at_ms, ledger.belief.rest_since_ms)
    elif isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED:
        if ledger.clocks is not None and ledger.clocks.control.by_moves:
            _switch(ledger, event.ply, event.side, ledger.made_ms.get(event.ply, event.at_ms))
        return replace(event, spent_ms=ledger.spent_ms.get(event.ply))
    elif isinstance(event, MoveRetracted) and event.stage is not Stage.PROVISIONAL:
        forget(ledger, event.ply)
    return event


def press(ledger: Ledger, side: Side, at_ms: int) -> None:
    """The clock was pressed by *side*."""
    clocks = ledger.clocks
    if clocks is None or clocks.control.by_moves or clocks.running not in (None, side):
        return
    tip = ledger.belief.tip.position
    ply = ledger.belief.root_ply + len(ledger.belief.line)
    _switch(ledger, ply if tip.turn == side else ply - 1, side, at_ms)


def _switch(ledger: Ledger, ply: int, side: Side, at_ms: int) -> None:
    """The clock of *side* has been stopped at the end of *ply*."""
    clocks = ledger.clocks
    if clocks is None or clocks.running not in (None, side):
        return
    ledger.earlier_clocks[ply] = clocks
    if clocks.running is not None:
        ledger.spent_ms[ply] = used_ms(clocks, at_ms)
    ledger.clocks = switched(clocks, (side + 1) % len(clocks.reserves), at_ms)


def forget(ledger: Ledger, ply: int) -> None:
    """*ply* was none: the clocks are as they were in it, and its side goes on thinking."""
    ledger.spent_ms.pop(ply, None)
    earlier = ledger.earlier_clocks.pop(ply, None)
    if earlier is not None:
        ledger.clocks = earlier


def wound_back(ledger: Ledger, first: int, plies: int) -> None:
    """The *plies* from number *first* on were taken back: the clocks rest as they were when the first of them was made."""
    spent = ledger.spent_ms.get(first)
    for ply in reversed(range(first, first + plies)):
        forget(ledger, ply)
    if ledger.clocks is not None:
        ledger.clocks = stopped(ledger.clocks, ledger.clocks.since_ms + (spent or 0))


def replayed(ledger: Ledger, event: MoveMade) -> None:
    """Take over from a journal what *event* says that its ply took."""
    clocks = ledger.clocks
    if clocks is None or event.spent_ms is None:
        return
    ledger.earlier_clocks[event.ply] = clocks
    ledger.spent_ms[event.ply] = event.spent_ms
    following = (event.side + 1) % len(clocks.reserves)
    after = switched(started(clocks, event.side, 0), following, event.spent_ms)
    ledger.clocks = replace(after, running=None)


def lost_on_time(clocks: Clocks | None, at_ms: int) -> Outcome | None:
    """What comes of a fallen flag, or None."""
    side = None if clocks is None else fallen(clocks, at_ms)
    if clocks is None or side is None:
        return None
    return Outcome(tuple(other for other in range(len(clocks.reserves)) if other != side), "time")
