# SPDX-License-Identifier: Apache-2.0
"""Replay of events: position, record, result, clocks and thinking times.

The only place that interprets events of a journal: a resumed session,
kept games and a hall read this state.
Pure: a state depends on its events alone. The clocks run as they ran at the table;
an interrupted ply is charged with the time that the events prove, without pauses and set-ups.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from companion.model.game import AnyRules, Outcome
from companion.model.pieces import Side
from companion.referee.state.clock_switching import (
    drop,
    end,
    follow_move,
    forget,
    give,
    give_back,
    go_on,
    made_at_ms,
    pass_on,
    rest,
    start,
    stop,
)
from companion.referee.values.clocks import Clocks, Control, passed, started
from companion.referee.values.events import (
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
    MoveDecided,
    MoveMade,
    MoveRetracted,
    PlayHeld,
    PositionAdopted,
    RecordCorrected,
    Stage,
)
from companion.referee.values.record import Played, played_on


def outcome_after(outcome: Outcome | None, event: object) -> Outcome | None:
    """The result after *event*, when it was *outcome* before."""
    match event:
        case GameEnded():
            return event.outcome
        case MoveRetracted(stage=Stage.ANNOUNCED | Stage.SETTLED) | RecordCorrected() | GameBegan():
            return None
    return outcome


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the record: an announced move, or an adopted position."""

    ply: int
    """Its number; if it `is_between`, that of the next ply."""
    side: Side
    """The side that made it; for an adopted position, the side to move before."""
    before: Any
    """The position before it."""
    move: str = ""
    """The notation of the move; empty for an adopted position."""
    adopted: str = ""
    """The adopted position."""
    is_between: bool = False
    """True for an adopted position that is not a ply.

    The same side is to move.
    """
    thought_ms: int | None = None
    """Thinking time of the side; None if unknown."""


class Replay:
    """The state of the game after the events so far."""

    def __init__(self, rules: AnyRules, control: Control | None = None) -> None:
        """The state before a game under *rules*, with time *control*, if any."""
        self.rules = rules
        self.began: GameBegan | None = None
        self.current: Any = rules.initial()
        """The position after the last line of the record."""
        self.entries: list[Entry] = []
        """The record."""
        self.outcome: Outcome | None = None
        self.corrected: list[int] = []
        """The plies from which an arbiter corrected the record."""
        self.degrees: int | None = None
        """Orientation of the pieces on the sensor's cells in degrees; None if unknown."""
        self.is_held = False
        """True while play must not begin or go on until it is released."""
        self.clocks = Clocks.of(control) if control else None
        self.earlier_clocks: dict[int, Clocks] = {}
        self.spent_ms: dict[int, int] = {}
        self.is_start_due = False
        self.ended_ms: int | None = None
        self.proved_ms = 0
        """Latest time until which the side to move is known to have thought."""
        self.left_ms: dict[int, int] = {}
        """Time left for its side after each ply that stopped a clock."""
        self.decided: MoveDecided | None = None
        """The move of an absent side that is to be carried out."""
        self._since_ms = 0
        """Time at which the side to move began to think, shifted by pauses."""
        self._seen: MoveMade | None = None
        """The last move, as it was first seen."""
        self._paused_ms: int | None = None

    @property
    def is_carrying_out(self) -> bool:
        """True while hands carry out a move that was decided elsewhere: no clock runs."""
        return self.decided is not None

    @property
    def to_move(self) -> Side:
        """The side to move."""
        turn: Side = self.current.turn
        return turn

    @property
    def next_ply(self) -> int:
        """Number of the next ply."""
        return sum(not entry.is_between for entry in self.entries)

    @property
    def played(self) -> list[Played]:
        """The plies of the record, adopted positions included."""
        found: list[Played] = []
        for entry in self.entries:
            if not entry.is_between:
                found.append(Played(entry.before, entry.side, entry.move))
            elif found:
                found[-1] = found[-1]._replace(is_amended=True)
        return found

    @property
    def is_start_amended(self) -> bool:
        """True if another position was adopted before the first ply, same side to move."""
        return bool(self.entries) and self.entries[0].is_between

    def side_of(self, ply: int) -> Side:
        """The side that plays *ply*, one that was made or the next.

        Raises `IndexError` for a later one.
        """
        if ply > self.next_ply:
            raise IndexError(f"ply {ply} comes after the next one, {self.next_ply}")
        sides = (entry.side for entry in self.entries if entry.ply == ply and not entry.is_between)
        return next(sides, self.to_move)

    def take(self, event: Event) -> None:
        """Apply *event*. Raises `NotationError`, `OrderRefused` if it is of another game."""
        gone = event if isinstance(event, MoveRetracted) else None
        spent_ms, ended_ms = (None, None) if gone is None else (self.spent_ms.get(gone.ply), self.ended_ms)
        is_held = self.is_held and isinstance(event, GamePaused)  # the time of setting up is not charged
        if isinstance(event, GameResumed) or is_held:
            rest(self, self.proved_ms)
        known = {*self.earlier_clocks}
        self._apply(event)
        self._note_times_left(event, known)
        self.proved_ms = event.at_ms if ended_ms is None else ended_ms
        is_forgotten = gone is not None and gone.ply not in self.earlier_clocks
        if is_forgotten and spent_ms is not None and self.clocks is not None:
            self.proved_ms = made_at_ms(self.clocks, spent_ms)

    def _apply(self, event: Event) -> None:  # noqa: C901, PLR0912  one case an event
        """Change the state for *event*."""
        self.outcome = outcome_after(self.outcome, event)
        match event:
            case GameBegan():
                self._begin(event)
            case MoveDecided():
                self.decided = event
                rest(self, event.at_ms)
            case MoveMade():
                self._note_seen(event)
                if event.stage is Stage.ANNOUNCED:
                    self._make(event)
            case MoveRetracted(stage=Stage.ANNOUNCED | Stage.SETTLED):
                self._retract(event)
            case PositionAdopted():
                self._adopt(event)
            case RecordCorrected():
                self._correct(event)
            case ClockStarted() | ClockPressed() | ClockReturned():
                self._switch(event)
            case ClockAdjusted():
                give(self, event.side, event.by_ms)
            case BoardTurned():
                self.degrees = event.degrees
            case PlayHeld():
                self.is_held = True
            case GamePaused() | GameAdjourned():
                self._paused_ms = event.at_ms
                rest(self, event.at_ms)
            case GameResumed():
                self._resume(event)
            case GameEnded():
                self.is_held, self.decided = False, None
                end(self, event.at_ms)

    def _begin(self, began: GameBegan) -> None:
        """Begin a game: nothing is left of an earlier one."""
        self.began = began
        self.current = self.rules.read_position(began.position)
        self.entries, self.corrected, self.left_ms = [], [], {}
        self.earlier_clocks, self.spent_ms, self.ended_ms = {}, {}, None
        self._since_ms, self._seen, self._paused_ms, self.decided = began.at_ms, None, None, None
        if self.clocks is not None:
            self.clocks = Clocks.of(self.clocks.control)
        start(self, began.at_ms)

    def _note_seen(self, made: MoveMade) -> None:
        """Store the sight of a move, provisional or not."""
        if self._seen is None or (self._seen.ply, self._seen.move) != (made.ply, made.move):
            self._seen = made

    def _make(self, made: MoveMade) -> None:
        """Record an announced move."""
        seen_ms = made.at_ms if self._seen is None else self._seen.at_ms
        decided_ms = seen_ms if self.decided is None else self.decided.at_ms
        thought_ms = made.spent_ms if made.spent_ms is not None else max(0, decided_ms - self._since_ms)
        before = self.current
        self.current = self.rules.apply(before, self.rules.read_move(before, made.move))
        ply = self.next_ply
        self.entries.append(Entry(ply, before.turn, before, made.move, thought_ms=thought_ms))
        self._since_ms = seen_ms
        self._charge(made)
        follow_move(self, made, self._made_at_ms(made))
        self.decided = None

    def _charge(self, made: MoveMade) -> None:
        """Charge the side of *made* with at most the time in the event.

        Even if it had to answer a question after a pause.
        """
        clocks, spent_ms = self.clocks, made.spent_ms
        if clocks is not None and clocks.running == made.side and spent_ms is not None:
            self.clocks = replace(clocks, thought_ms=min(clocks.thought_ms, spent_ms))

    def _made_at_ms(self, made: MoveMade) -> int:
        """Time of the move of *made*."""
        clocks, spent_ms = self.clocks, made.spent_ms
        if made.started_ms is not None:
            return made.started_ms
        if clocks is None or clocks.running is None or spent_ms is None:
            return made.at_ms
        return made_at_ms(clocks, spent_ms)

    def _retract(self, gone: MoveRetracted) -> None:
        """Remove the last ply, with positions adopted after it."""
        place = max(place for place, entry in enumerate(self.entries) if not entry.is_between)
        self.current = self.entries[place].before
        del self.entries[place:]
        self._seen, self._since_ms, self.decided = None, gone.at_ms, None
        go_on(self)
        if not gone.keeps_press:
            forget(self, gone.ply)

    def _adopt(self, event: PositionAdopted) -> None:
        """Continue from a position reached by no move."""
        before, after = self.current, self.rules.read_position(event.position)
        is_between = bool(after.turn == before.turn)
        self.entries.append(
            Entry(self.next_ply, before.turn, before, adopted=event.position, is_between=is_between)
        )
        self.current = after
        self._since_ms = event.at_ms
        if self.decided is not None:
            self.decided = None
            if self._paused_ms is None:
                start(self, event.at_ms)
        pass_on(self, self.next_ply - 1, event.at_ms)

    def _correct(self, event: RecordCorrected) -> None:
        """Cut the record and continue with the corrected moves."""
        entries = self.entries
        cut = next((n for n, one in enumerate(entries) if one.ply >= event.ply and not one.is_between), None)
        del entries[cut if cut is not None else len(entries) :]
        while entries and entries[-1].adopted not in ("", event.base):
            entries.pop()
        base = self.rules.read_position(event.base)
        fresh, self.current = played_on(self.rules, base, event.ply, event.moves)
        entries += (
            Entry(ply, one.side, one.before, one.text) for ply, one in enumerate(fresh, start=event.ply)
        )
        self.corrected.append(event.ply)
        self._seen, self._since_ms, self.decided = None, event.at_ms, None
        drop(self, event.ply)
        if self.clocks is not None and self.clocks.running is not None:
            self.clocks = passed(self.clocks, self.to_move, event.at_ms)
        rest(self, event.at_ms)

    def _switch(self, event: ClockStarted | ClockPressed | ClockReturned) -> None:
        """Start or switch a clock by hand."""
        match event:
            case ClockStarted(side=None):
                self.is_start_due = True
            case ClockStarted(at_ms, int(side)):
                self.clocks = self.clocks and started(self.clocks, side, at_ms)
            case ClockPressed():
                stop(self, event.ply, event.side, event.at_ms)
            case ClockReturned():
                give_back(self, event.ply, event.at_ms)

    def _resume(self, event: GameResumed) -> None:
        """Resume play."""
        self.is_held = False
        if self._paused_ms is not None:
            self._since_ms += event.at_ms - self._paused_ms
        self._paused_ms = None
        if self.began is not None:
            start(self, event.at_ms)

    def _note_times_left(self, event: Event, known: set[int]) -> None:
        """Store the time left after the plies whose clocks *event* stopped.

        *known* are those stopped before.
        """
        after = self.clocks
        for ply in known - self.earlier_clocks.keys():
            self.left_ms.pop(ply, None)
        for ply in self.earlier_clocks.keys() - known:
            before = self.earlier_clocks[ply]
            side = event.side if isinstance(event, MoveMade) and before.running is None else before.running
            if side is not None and after is not None:
                has_fallen = after is before  # then nothing was switched
                self.left_ms[ply] = 0 if has_fallen else after.reserves[side].left_ms


def replayed(rules: AnyRules, events: Iterable[Event], control: Control | None = None) -> Replay:
    """The state after all *events*. Raises `NotationError`, `OrderRefused`."""
    state = Replay(rules, control)
    for event in events:
        state.take(event)
    return state
