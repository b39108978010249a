# SPDX-License-Identifier: Apache-2.0
"""One game at one table: observations, commands and time in, events and views out.

Rule: deterministic. Time is passed in; the same inputs give the same events.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from companion.model.absent import PlayedBy
from companion.model.errors import OrderRefused
from companion.model.game import AnyRules
from companion.model.observation import Observation, SensorKind
from companion.referee.acts import deadlines, inquiry_flow
from companion.referee.acts.answers import answer
from companion.referee.acts.at_rest import ticked
from companion.referee.acts.effects import follow
from companion.referee.acts.observing import observed
from companion.referee.acts.orders import ordered
from companion.referee.inference.belief import Belief
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.inference.search import Hurried
from companion.referee.session.view_builder import lacks_reason, table_view, with_reason
from companion.referee.state import chart
from companion.referee.state.replay_events import replayed
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.clocks import Clocks, Control
from companion.referee.values.commands import Answer, Command
from companion.referee.values.events import Event
from companion.referee.values.gestures import Gestures, in_force
from companion.referee.values.timing import DEFAULT_TIMING, Timing
from companion.referee.values.view import Phase, TableView

_Work: TypeAlias = Generator[None, None, list[Event]]
"""A pending computation on an input; its result are events."""

_LIFTED: Final = chart.Facts(is_handled=True)

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
        return self._pursue(observed(self._state, observation))

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

    def _ticked(self, now_ms: int) -> _Work:
        """The events due to time alone."""
        tip = self._state.belief.tip
        if not tip.is_prepared:
            tip.prepare()
            chart.after(Phase.WAITING, "judged", _LIFTED)  # not at the first lift: the result is kept
            due_ms = deadlines.next_ms(self._state)
            if due_ms is None or due_ms > now_ms:
                return []
        return (yield from ticked(self._state, now_ms))

    def next_deadline_ms(self) -> int | None:
        """Time of the next `tick` without observations; None if not needed."""
        if self._work or self._found:
            return self._state.belief.now_ms
        return deadlines.next_ms(self._state)

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
        state.belief, state.touched = state.belief.at(now_ms), None
        if not isinstance(command, Answer):
            events = ordered(state, command, now_ms)
            return [*events, *follow(state, state.belief, now_ms)]
        try:
            events = yield from answer(state, command, now_ms)
        except OrderRefused:
            self._found += inquiry_flow.dropped(state, now_ms)
            inquiry_flow.play_on(state)
            raise
        return [*events, *follow(state, state.belief, now_ms)]
