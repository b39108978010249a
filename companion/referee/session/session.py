# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: the whole interface of the referee, with the order of its steps.
"""One game at one table: observations, commands and time in, events and views out.

Rule: deterministic. Time is passed in; the same inputs give the same events.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from companion.model.absent import PlayedBy
from companion.model.errors import OrderRefused
from companion.model.game import AnyRules
from companion.model.observation import Change, Input, LeverTurned, Observation, Press, SensorKind, side_of
from companion.referee.acts import carrying_out, inquiry_flow
from companion.referee.acts.board_answers import answer_at_ms, chosen, is_answering, touched
from companion.referee.acts.clock_control import is_waited_for, lost_on_time, press
from companion.referee.acts.command_handlers import (
    answer,
    completed,
    gesture,
    lose_on_time,
    order,
    ordered,
    undone,
)
from companion.referee.acts.effects import follow
from companion.referee.acts.press_without_move import given_back, is_unmoved, note_press, sure_at_ms
from companion.referee.acts.undecided import undecided
from companion.referee.inference.belief import Belief
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.inference.deadlines import is_quiet, waits_ms
from companion.referee.inference.search import Hurried, Search
from companion.referee.inference.tracker import face
from companion.referee.session.view_builder import lacks_reason, table_view, with_reason
from companion.referee.state import chart
from companion.referee.state.replay_events import replayed
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.board.looks import Seen
from companion.referee.values.clocks import Clocks, Control, falls_at_ms
from companion.referee.values.commands import Answer, Command, OfferDraw, Resign
from companion.referee.values.events import Event
from companion.referee.values.gestures import Gestures, in_force
from companion.referee.values.timing import DEFAULT_TIMING, UNDECIDED_MS, Timing
from companion.referee.values.view import Phase, TableView

_Work: TypeAlias = Generator[None, None, list[Event]]
"""A pending computation on an input; its result are events."""

STEPS_AT_ONCE: Final = 16
"""Number of its steps between which others may run: each takes some ms at most."""


class Session:
    """A game under way. One table, one session: not to be shared between tasks."""

    def __init__(
        self,
        rules: AnyRules,
        kind: SensorKind = SensorKind.OCCUPANCY,
        timing: Timing = DEFAULT_TIMING,
        *,
        start: Any = None,
        control: Control | None = None,
        gestures: Gestures = Gestures.OFF,
        costs: Costs = DEFAULT,
        played_by: Sequence[PlayedBy] = (),
    ) -> None:
        """A session in which *start*, by default the initial position, is to be set up.

        Time is kept by *control*, if given; players may end the game by *gestures*.
        The tracker counts with *costs*.
        *played_by* says who plays each side, if not all are played at the table.
        """
        self.rules = rules
        self.kind = kind
        start = rules.initial() if start is None else start
        self._state = SessionState(rules, kind, timing, start, costs, tuple(played_by))
        self._state.clocks = Clocks.of(control) if control else None
        self._state.gestures = in_force(gestures, rules)
        self.steps_at_once = STEPS_AT_ONCE
        self._work: deque[_Work] = deque()
        self._found: list[Event] = []
        """Events not yet reported."""
        self._reported: list[Event] = []
        """All events so far: the source of a successor."""
        self._shown: TableView | None = None
        """The present view, while it is valid."""
        self.lacks_reason = False
        """True if the last `first_view` lacks a reason, which `view` works out."""

    @classmethod
    def restore(
        cls,
        rules: AnyRules,
        events: Iterable[Event],
        kind: SensorKind = SensorKind.OCCUPANCY,
        timing: Timing = DEFAULT_TIMING,
        *,
        control: Control | None = None,
        gestures: Gestures = Gestures.OFF,
        costs: Costs = DEFAULT,
        played_by: Sequence[PlayedBy] = (),
    ) -> Session:
        """The session after the *events* of a journal.

        Its position is to be found or set up on the board. Provisional moves are dropped.
        Raises `NotationError` if the events are of another game.
        """
        session = cls(
            rules,
            kind,
            timing,
            control=control,
            gestures=gestures,
            costs=costs,
            played_by=played_by,
        )
        session._state.take_over(replayed(rules, session._noted(events), control))
        return session

    def _noted(self, events: Iterable[Event]) -> Iterator[Event]:
        """*events*, each recorded as reported when it is requested."""
        for event in events:
            self._reported.append(event)
            yield event

    def successor(self) -> Session:
        """A session that continues from the last announced move, after an error in this one."""
        state = self._state
        return Session.restore(
            self.rules,
            self._reported,
            self.kind,
            state.belief.table.timing,
            control=self.control,
            gestures=state.gestures,
            costs=state.belief.table.costs,
            played_by=state.played_by,
        )

    @property
    def control(self) -> Control | None:
        """The time control, if any."""
        return self._state.clocks.control if self._state.clocks else None

    @property
    def played_by(self) -> tuple[PlayedBy, ...]:
        """Who plays each side; () if people at the table play all."""
        return self._state.played_by

    @property
    def rotation(self) -> Rotation:
        """Orientation of the pieces on the sensor's cells."""
        return self._state.rotation

    @property
    def phase(self) -> Phase:
        """The state of the statechart."""
        return self._state.phase

    @property
    def ply(self) -> int:
        """Number of the next ply."""
        return self._state.belief.ply

    @property
    def position(self) -> Any:
        """The believed position, or the one to be set up."""
        return self._state.belief.tip.position

    @property
    def belief(self) -> Belief:
        """The present belief: a value, for measurements and tests."""
        return self._state.belief

    def earlier(self) -> list[Any]:
        """The positions before each believed ply of the game."""
        return self._state.earlier()

    def view(self) -> TableView:
        """The present view: the same value until something in it may have changed."""
        shown = self.first_view() if self._shown is None else self._shown
        if self.lacks_reason:
            shown = self._shown = with_reason(self._state, shown)
            self.lacks_reason = False
        return shown

    def first_view(self) -> TableView:
        """The same at once: why a lifted piece cannot move may be missing."""
        if self._shown is None:
            self._shown = table_view(self._state)
            self.lacks_reason = lacks_reason(self._state, self._shown)
        return self._shown

    def observe(self, observation: Observation) -> tuple[Event, ...]:
        """The events of *observation*, in order; those that take long are returned by `tick`."""
        return self._pursue(self._observed(observation))

    def tick(self, now_ms: int) -> tuple[Event, ...]:
        """The events due to time until *now_ms*, and of pending computations."""
        before, shown, was_thinking = self._state.belief, self._shown, bool(self._work)
        # Once the moves are indexed, one of them may turn out to be traceless: then a press is awaited.
        pressers = None if before.tip.is_prepared else self._state.pressers
        events = self._pursue(None if self._work else self._ticked(now_ms))
        is_same = pressers is None or pressers == self._state.pressers
        is_idle = is_same and not events and not was_thinking and not self._work
        is_timeless = self._state.is_played and self._state.clocks is None
        if is_idle and is_timeless:
            belief = self._state.belief._replace(now_ms=before.now_ms, decided=before.decided)
            self._shown = shown if before == belief else None
        return events

    def _pursue(self, work: _Work | None) -> tuple[Event, ...]:
        """The events found in a few ms, with *work* queued after pending computations."""
        self._shown = None
        self._work += () if work is None else (work,)
        self._advance(self.steps_at_once)
        events, self._found = tuple(self._found), []
        self._reported += events
        return events

    def _advance(self, steps: int, *, in_a_hurry: bool = False) -> None:
        """Do up to *steps* of pending work; *in_a_hurry*, finish searches at their present step."""
        for _ in range(steps):
            if not self._work:
                return
            work = self._work.popleft()
            is_hurried = in_a_hurry and inspect.getgeneratorstate(work) is not inspect.GEN_CREATED
            try:
                work.throw(Hurried()) if is_hurried else next(work)
            except StopIteration as end:
                self._found += end.value
            else:
                self._work.appendleft(work)

    def _observed(self, observation: Observation) -> _Work:
        """The events of *observation*."""
        events: list[Event] = []
        self._state.is_sensed = True
        belief, rotation = self._state.belief, self._state.rotation
        if rotation.quarters:
            observation = rotation.observation(observation)
        belief = belief.released(observation)
        uncovered = belief.seen.hidden & ~observation.sightings.hidden
        if (
            uncovered and observation.inputs
        ):  # else the first of several changes could still be explained by a covered one
            belief = belief._replace(seen=replace(belief.seen, hidden=belief.seen.hidden & ~uncovered))
        for entered in observation.inputs:
            belief = yield from self._entered(belief, entered, events)
        if not belief.seen.is_of(observation.sightings, self.kind):
            belief = belief.looking(observation.at_ms, Seen.of(observation.sightings, self.kind))
            if self._state.is_played:
                rest_since_ms = max(belief.rest_since_ms, observation.rest_since_ms)
                belief = belief._replace(rest_since_ms=rest_since_ms)
                belief = yield from face.understood(belief)
        if observation.has_gap:
            belief = belief._replace(gap=belief.edge_count)
            self._state.pressed = None  # its companion events may have been lost
        belief = _at(belief, observation.at_ms)
        if belief.rest_since_ms < observation.rest_since_ms:
            belief = belief._replace(rest_since_ms=observation.rest_since_ms)
        return [*events, *self._followed(belief, observation.at_ms)]

    def _ticked(self, now_ms: int) -> _Work:
        """The events due to time alone."""
        state = self._state
        if not state.belief.tip.is_prepared:
            state.belief.tip.prepare()
            chart.after(
                Phase.WAITING, "judged", chart.Facts(is_handled=True)
            )  # not at the first lift: it is kept
            due_ms = self.next_deadline_ms()
            if due_ms is None or due_ms > now_ms:
                return []
        if not state.is_played:
            return self._rested_aside(now_ms)
        if taken_back := undone(state, now_ms):
            return [*taken_back, *follow(state, _at(state.belief, now_ms), now_ms)]
        belief = yield from self._rested(now_ms)
        events = follow(state, belief, now_ms, is_done=self._is_done(belief, now_ms))
        events += gesture(state, now_ms)
        lost = lost_on_time(state, now_ms)
        if lost is not None:
            return [*events, *lose_on_time(state, lost, now_ms)]
        if now_ms - state.belief.rest_since_ms >= UNDECIDED_MS:
            events += undecided(state, now_ms)
        return [*events, *inquiry_flow.proposed(state, now_ms)]

    def _rested_aside(self, now_ms: int) -> list[Event]:
        """The events due to time alone while the board is not compared with the rules."""
        state = self._state
        state.done, state.belief = None, _at(state.belief, now_ms)
        if taken_back := undone(state, now_ms):
            return [*taken_back, *self._followed(state.belief, now_ms)]
        events = inquiry_flow.attended(state, now_ms)
        events += self._followed(state.belief, now_ms)
        return [*events, *inquiry_flow.proposed(state, now_ms)]

    def next_deadline_ms(self) -> int | None:
        """Time of the next `tick` without observations; None if not needed."""
        if self._work or self._found:
            return self._state.belief.now_ms
        clocks = self._state.clocks
        is_timed = clocks is not None and self._state.is_played and self._state.outcome is None
        is_due = is_timed and not is_waited_for(self._state)
        done = self._state.done
        done_ms = None if done is None else done[0] + self._state.belief.table.timing.rest_ms
        belief = self._state.belief
        touched_ms = None if self._state.touched is None else answer_at_ms(belief)
        # If it has passed, it waits for facts that are not known yet.
        later = (touched_ms, sure_at_ms(self._state, belief))
        flag_ms = falls_at_ms(clocks) if clocks and is_due else None
        due = (self._board_deadline_ms(), done_ms, flag_ms)
        found = [deadline for deadline in due if deadline is not None]
        found += [deadline for deadline in later if deadline is not None and deadline > belief.now_ms]
        return min(found, default=None)

    def _board_deadline_ms(self) -> int | None:
        """Deadline of the next decision about the board."""
        belief = self._state.belief
        is_played = self._state.is_played
        if not belief.tip.is_prepared:
            return belief.now_ms
        if self._state.inquiry is not None:
            return inquiry_flow.due_ms(self._state)
        if is_played and is_quiet(belief):
            return None
        waits: Iterable[int] = ()
        phase = self._state.phase
        if phase is Phase.CARRYING_OUT:
            waits = carrying_out.waits_ms(self._state)
        elif phase is not Phase.PAUSED:
            waits = waits_ms(belief, is_played=is_played)
        asked_ms = None if is_played else inquiry_flow.proposed_at_ms(self._state)
        for wait in waits:
            deadline_ms = belief.rest_since_ms + wait
            if deadline_ms > belief.now_ms:
                return deadline_ms if asked_ms is None else min(deadline_ms, asked_ms)
        return asked_ms

    def command(self, command: Command, now_ms: int) -> tuple[Event, ...]:
        """The events of *command*; () if it is not possible now.

        Raises `OrderRefused` with the reason if a position or record is impossible:
        then nothing has changed, except that a question about it is closed.
        """
        self._shown = None
        self._advance(self.steps_at_once)  # earlier inputs
        while self._work:
            self._advance(1, in_a_hurry=True)
        return self._pursue(self._commanded(command, now_ms))

    def _commanded(self, command: Command, now_ms: int) -> _Work:
        """The events of *command*."""
        state = self._state
        state.belief, state.touched = _at(state.belief, now_ms), None
        if not isinstance(command, Answer):
            events = ordered(state, command, now_ms)
            return [*events, *self._followed(state.belief, now_ms)]
        try:
            events = yield from answer(state, command, now_ms)
        except OrderRefused:
            self._found += inquiry_flow.dropped(state, now_ms)
            inquiry_flow.play_on(state)
            raise
        return [*events, *self._followed(state.belief, now_ms)]

    def _followed(self, belief: Belief, now_ms: int) -> list[Event]:
        """The events of a step to *belief*; none while play waits for an answer."""
        if self._state.inquiry is None:
            return follow(self._state, belief, now_ms)
        self._state.belief = belief
        return []

    def _entered(self, belief: Belief, entered: Input, events: list[Event]) -> Search:
        """The belief after *entered*; adds the events of a press before those that follow it."""
        state = self._state
        if state.inquiry is not None and (closed := inquiry_flow.withdrawn(state, belief, entered)):
            events += closed
            belief = state.belief
        if state.inquiry is not None:
            return inquiry_flow.entered_aside(state, belief, entered, events)
        if state.phase is Phase.CARRYING_OUT:
            belief = self._carrying_out(belief, entered, events)
            if state.phase is Phase.CARRYING_OUT:
                return carrying_out.entered(state, belief, entered)
        return (yield from self._in_play(belief, entered, events))

    def _in_play(self, belief: Belief, entered: Input, events: list[Event]) -> Search:
        """The same while the board is compared with the rules, or set up."""
        state = self._state
        if isinstance(entered, Change):
            if not state.is_played:
                return belief.sensed(entered)
            belief = yield from face.reconcile(belief, entered)
            state.touched = touched(state, belief, entered)
            return belief
        state.touched = None
        if isinstance(entered, Press) and state.asked is not None and is_answering(state, belief, entered):
            choice = chosen(state, state.asked, entered.t_ms)
            if choice is None or state.is_played:
                return belief if choice is None else (yield from face.answered(belief, choice))
            state.belief = belief
            events += completed(state, choice, entered.t_ms)
            return state.belief
        if not state.is_played:
            return belief
        return (yield from self._pressed(belief, entered, events))

    def _carrying_out(self, belief: Belief, entered: Input, events: list[Event]) -> Belief:
        """The belief before *entered*; adds the events of the move, or of a gesture."""
        state = self._state
        state.belief = _at(belief, entered.t_ms)
        events += carrying_out.carried_out(state, entered.t_ms)
        if isinstance(entered, Press) and state.phase is Phase.CARRYING_OUT:
            asked = self._gesture(entered)
            events += [] if asked is None else order(state, asked, entered.t_ms)
        return state.belief

    def _pressed(self, belief: Belief, entered: Press | LeverTurned, events: list[Event]) -> Search:
        """The same for a press that completes, returns or is a gesture."""
        state, side, t_ms = self._state, side_of(entered), entered.t_ms
        if isinstance(entered, Press) and (asked := self._gesture(entered)) is not None:
            events += follow(state, belief, t_ms)
            events += order(state, asked, t_ms)
            belief = state.belief
            if not state.is_played:
                return belief
        is_to_move = side == belief.tip.position.turn
        if side in state.absent and not state.awaits_clock:
            return belief
        if is_to_move and self._is_gesture(entered) and is_unmoved(state, belief):
            events += given_back(state, belief, side, t_ms)
            return belief  # it is not a press of the clock
        returned = [] if is_to_move else given_back(state, belief, side, t_ms)
        events += returned or press(state, side, t_ms)
        before = belief
        belief = yield from face.reconcile(belief, entered)
        is_late = _is_late(before, belief)
        is_done = is_to_move and side == belief.tip.position.turn and not is_late
        if is_done:
            note_press(state, belief, t_ms)
        is_done = is_done and not self._may_come_down(belief, t_ms)
        events += follow(state, belief, t_ms, is_done=is_done)
        return state.belief

    def _may_come_down(self, belief: Belief, pressed_ms: int) -> bool:
        """True if the stroke of a piece may end while the other hand presses.

        Then the press is judged a moment later.
        """
        if belief.seen.occupied.bit_count() == belief.tip.occupied.bit_count():
            return False
        self._state.done = pressed_ms, belief.ply
        return True

    def _is_done(self, belief: Belief, now_ms: int) -> bool:
        """True, once, if a press has completed a ply not made yet.

        After the time in which a piece may be placed with the same stroke.
        """
        done = self._state.done
        if done is None or now_ms < done[0] + belief.table.timing.rest_ms:
            return False
        self._state.done = None
        return done[1] == belief.ply

    def _gesture(self, press: Press) -> OfferDraw | Resign | None:
        """The command of *press*, if it completes a gesture."""
        is_gesture = self._state.gestures is Gestures.PRESSES and press.button < len(self.rules.sides)
        return self._state.presses.count(press) if is_gesture else None

    def _is_gesture(self, entered: Input) -> bool:
        """True if *entered*, an accepted press, has completed or continued a gesture."""
        is_press = isinstance(entered, Press) and self._state.gestures is Gestures.PRESSES
        return is_press and self._state.presses.is_gesture

    def _rested(self, now_ms: int) -> Search:
        """The belief at *now_ms* without observations; a touch that ended answers the question."""
        state, belief = self._state, _at(self._state.belief, now_ms)
        if state.touched is not None and now_ms >= answer_at_ms(belief):
            asked, choice = state.touched
            state.touched = None
            if asked == state.asked:
                belief = yield from face.answered(belief, choice)
        return (yield from face.rested(belief))


def _is_late(before: Belief, belief: Belief) -> bool:
    """True if the press between *before* and *belief* is for an earlier ply.

    The ply may be settled: then only the tracker's stories know of its press.
    """
    late = _pressed_plies(belief) - _pressed_plies(before)
    if before.live and belief.live:
        known = set(before.live[0].pressed)
        late |= {ply for ply in belief.live[0].pressed if ply < belief.ply and ply not in known}
    return bool(late)


def _pressed_plies(belief: Belief) -> set[int]:
    """The numbers of the plies that were pressed for and are not settled."""
    return {belief.root_ply + depth for depth, ply in enumerate(belief.line) if ply.is_pressed}


def _at(belief: Belief, now_ms: int) -> Belief:
    """*belief* at *now_ms*."""
    return belief if now_ms <= belief.now_ms else belief._replace(now_ms=now_ms)
