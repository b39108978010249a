# SPDX-License-Identifier: Apache-2.0
"""Fakes that keep the contract of what they replace, for tests of every package."""

from __future__ import annotations

from collections.abc import Iterable

from companion.host.journal.journal import CommandEntry, Entry, Ticked
from companion.model.game import AnyRules
from companion.model.observation import (
    EMPTY,
    Change,
    Input,
    LeverTurned,
    Observation,
    Press,
    SensorKind,
    Sighting,
    Sightings,
)
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.board.looks import look
from companion.referee.values.clocks import Control
from companion.referee.values.commands import Command
from companion.referee.values.events import Event
from companion.referee.values.questions import Question
from companion.referee.values.timing import DEFAULT_TIMING, Timing
from tests.virtual.hands import Motion


class FakeTable:
    """A board with pieces, hands, and the session that watches; time is an int."""

    lag_ms = 0
    """Longest time from a change on the board to its report."""

    def __init__(
        self,
        rules: AnyRules,
        kind: SensorKind = SensorKind.OCCUPANCY,
        timing: Timing = DEFAULT_TIMING,
        session: Session | None = None,
        control: Control | None = None,
    ) -> None:
        self.rules = rules
        self.kind = kind
        self.session = session or Session(rules, kind, timing, control=control)
        self.now_ms = 1000
        self.rest_since_ms = 1000
        self.on: dict[int, Piece] = {}
        self.history: list[Event] = []
        """All events so far."""
        self.entries: list[Entry] = []
        """The events with their inputs, as in a journal."""
        self.hidden: Occupancy = 0
        """Cells that the sensor cannot see."""
        self._taken = 0

    def set_up(self) -> None:
        """Put the pieces of the session's position on the board, and wait."""
        self.on = dict(self.rules.placement(self.session.position).by_cell())
        self.observe()
        self.wait(100)

    def lift(self, name: str) -> Piece:
        """Lift the piece from the cell *name*."""
        piece = self.lift_unheard(name)
        self.change(self.rules.grid.cell(name), EMPTY)
        return piece

    def lift_unheard(self, name: str) -> Piece:
        """The same without a sensor report."""
        return self.on.pop(self.rules.grid.cell(name))

    def put(self, name: str, piece: Piece) -> None:
        """Put *piece* on the cell *name*."""
        self.put_unheard(name, piece)
        self.change(self.rules.grid.cell(name), look(piece, self.kind))

    def put_unheard(self, name: str, piece: Piece) -> None:
        """The same without a sensor report."""
        self.on[self.rules.grid.cell(name)] = piece

    def carry(self, source: str, target: str, after_ms: int = 0) -> None:
        """Lift the piece from *source* and put it on *target* later.

        A piece on *target* is pushed away.
        """
        piece = self.lift(source)
        self.wait(after_ms)
        self.put(target, piece)

    def handle(self, motions: Iterable[Motion]) -> None:
        """Execute *motions* of hands."""
        for motion in motions:
            self.wait(motion.wait_ms)
            if motion.piece is None:
                self.on.pop(motion.cell, None)
            else:
                self.on[motion.cell] = motion.piece
            self.change(motion.cell, look(motion.piece, self.kind))

    def change(self, cell: int, sighting: Sighting) -> list[Event]:
        """Report that *cell* looks like *sighting*, if it did not before; returns the events."""
        self.rest_since_ms = self.now_ms
        return self.observe(Change(self.now_ms, cell, sighting))

    def press(self, button: int) -> None:
        """Press a button."""
        self.observe(Press(self.now_ms, button))

    def turn_lever(self, side: int) -> None:
        """Press the clock."""
        self.observe(LeverTurned(self.now_ms, side))

    def hide(self, names: str) -> None:
        """Let the sensor see all cells except *names*."""
        self.hidden = occupancy_of(self.rules.grid.cells(names))
        self.observe()

    def report_gap(self) -> None:
        """Let the sensor report all cells after a loss of changes."""
        self.rest_since_ms = self.now_ms
        self.report(Observation(self.now_ms, (), self.sightings(), self.now_ms, has_gap=True))

    def observe(self, *inputs: Input) -> list[Event]:
        """Pass the changes and sightings to the session; returns the events."""
        return self.report(Observation(self.now_ms, inputs, self.sightings(), self.rest_since_ms))

    def report(self, observation: Observation) -> list[Event]:
        """Pass *observation* to the session; returns the events."""
        return self._keep(observation, self.session.observe(observation))

    def _keep(self, led: Observation | CommandEntry | Ticked, events: tuple[Event, ...]) -> list[Event]:
        """Record *events* with their input *led*."""
        self.history += events
        self.entries += [led, *events]
        return list(events)

    def sightings(self) -> Sightings:
        """The current sightings of the sensor."""
        visible = {cell: piece for cell, piece in sorted(self.on.items()) if not self.hidden >> cell & 1}
        seen = tuple((cell, look(piece, self.kind)) for cell, piece in visible.items())
        looks = () if self.kind is SensorKind.OCCUPANCY else seen
        return Sightings(occupancy_of(visible), self.hidden, looks)

    def ask(self, command: Command) -> None:
        """Give a command."""
        self._keep(CommandEntry(self.now_ms, command), self.session.command(command, self.now_ms))

    def wait(self, ms: int) -> None:
        """Let time pass; wake the session when it asks for it."""
        until_ms = self.now_ms + ms
        while (deadline := self.session.next_deadline_ms()) is not None and deadline <= until_ms:
            self.now_ms = max(self.now_ms, deadline)
            self._keep(Ticked(self.now_ms), self.session.tick(self.now_ms))
        self.now_ms = until_ms

    def take_events(self) -> list[Event]:
        """The events since the last call."""
        events = self.history[self._taken :]
        self._taken = len(self.history)
        return events

    def restored(self) -> Session:
        """The session restored from a journal of all this."""
        return Session.restore(self.rules, self.history, self.kind, control=self.session.control)

    @property
    def record(self) -> list[str]:
        """The moves of the record."""
        return [line.move for line in self.session.view().record]

    def asked(self) -> Question:
        """The open question. Fails without one."""
        question = self.session.view().question
        assert question is not None
        return question

    def offered(self) -> set[str]:
        """The moves among the choices of the question."""
        return {move for choice in self.asked().choices for move in choice.moves}
