# SPDX-License-Identifier: Apache-2.0
"""Stand-ins that keep the contract of what they replace, for tests of every room."""

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
from companion.referee.clocks import Control
from companion.referee.commands import Command
from companion.referee.events import Event
from companion.referee.looks import look
from companion.referee.questions import Question
from companion.referee.session import Session
from companion.referee.timing import DEFAULT_TIMING, Timing
from companion.virtual.hands import Motion


class FakeTable:
    """A board with pieces on it, hands that move them, and the session that watches: time is an int."""

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
        """Every event so far."""
        self.entries: list[Entry] = []
        """The same with what led to them, as a journal keeps it."""
        self.hidden: Occupancy = 0
        """Cells that the sensor cannot see."""
        self._taken = 0

    def set_up(self) -> None:
        """Put the pieces of the session's position where they belong, and wait."""
        self.on = dict(self.rules.placement(self.session.position).by_cell())
        self.observe()
        self.wait(100)

    def lift(self, name: str) -> Piece:
        """Take the piece from the cell called *name*."""
        piece = self.lift_unheard(name)
        self.change(self.rules.grid.cell(name), EMPTY)
        return piece

    def lift_unheard(self, name: str) -> Piece:
        """The same, of which no change is told."""
        return self.on.pop(self.rules.grid.cell(name))

    def put(self, name: str, piece: Piece) -> None:
        """Put *piece* on the cell called *name*."""
        self.put_unheard(name, piece)
        self.change(self.rules.grid.cell(name), look(piece, self.kind))

    def put_unheard(self, name: str, piece: Piece) -> None:
        """The same, of which no change is told."""
        self.on[self.rules.grid.cell(name)] = piece

    def carry(self, source: str, target: str, after_ms: int = 0) -> None:
        """Lift the piece on *source* and, later, put it on *target*, pushing away what stands there."""
        piece = self.lift(source)
        self.wait(after_ms)
        self.put(target, piece)

    def handle(self, motions: Iterable[Motion]) -> None:
        """Let hands do *motions*."""
        for motion in motions:
            self.wait(motion.wait_ms)
            if motion.piece is None:
                self.on.pop(motion.cell, None)
            else:
                self.on[motion.cell] = motion.piece
            self.change(motion.cell, look(motion.piece, self.kind))

    def change(self, cell: int, sighting: Sighting) -> None:
        """Let the sensor report that *cell* looks like *sighting*, if it did not before."""
        self.rest_since_ms = self.now_ms
        self.observe(Change(self.now_ms, cell, sighting))

    def press(self, button: int) -> None:
        """Press a button."""
        self.observe(Press(self.now_ms, button))

    def turn_lever(self, side: int) -> None:
        """Press the clock."""
        self.observe(LeverTurned(self.now_ms, side))

    def hide(self, names: str) -> None:
        """Let the sensor see all cells but those called *names*."""
        self.hidden = occupancy_of(self.rules.grid.cells(names))
        self.observe()

    def report_gap(self) -> None:
        """Let the sensor tell how all cells look, since it has lost changes."""
        self.rest_since_ms = self.now_ms
        self.report(Observation(self.now_ms, (), self.sightings(), self.now_ms, has_gap=True))

    def observe(self, *inputs: Input) -> None:
        """Hand the session what has changed and what is seen."""
        self.report(Observation(self.now_ms, inputs, self.sightings(), self.rest_since_ms))

    def report(self, observation: Observation) -> list[Event]:
        """Hand the session *observation*; returns what follows."""
        return self._keep(observation, self.session.observe(observation))

    def _keep(self, led: Observation | CommandEntry | Ticked, events: tuple[Event, ...]) -> list[Event]:
        """Keep what *led* to *events*."""
        self.history += events
        self.entries += [led, *events]
        return list(events)

    def sightings(self) -> Sightings:
        """What the sensor sees now."""
        visible = {cell: piece for cell, piece in sorted(self.on.items()) if not self.hidden >> cell & 1}
        seen = tuple((cell, look(piece, self.kind)) for cell, piece in visible.items())
        looks = () if self.kind is SensorKind.OCCUPANCY else seen
        return Sightings(occupancy_of(visible), self.hidden, looks)

    def ask(self, command: Command) -> None:
        """Give a command."""
        self._keep(CommandEntry(self.now_ms, command), self.session.command(command, self.now_ms))

    def wait(self, ms: int) -> None:
        """Let time pass, waking the session when it wants to be."""
        until_ms = self.now_ms + ms
        while (deadline := self.session.next_deadline_ms()) is not None and deadline <= until_ms:
            self.now_ms = max(self.now_ms, deadline)
            self._keep(Ticked(self.now_ms), self.session.tick(self.now_ms))
        self.now_ms = until_ms

    def take_events(self) -> list[Event]:
        """The events since the last time this was asked."""
        events = self.history[self._taken :]
        self._taken = len(self.history)
        return events

    def restored(self) -> Session:
        """The session that a journal of all this brings back."""
        return Session.restore(self.rules, self.history, self.kind, control=self.session.control)

    @property
    def record(self) -> list[str]:
        """The moves on record."""
        return [line.move for line in self.session.view().record]

    def asked(self) -> Question:
        """What is asked. Fails if nothing is."""
        question = self.session.view().question
        assert question is not None
        return question

    def offered(self) -> set[str]:
        """The moves among which is to be chosen."""
        return {move for choice in self.asked().choices for move in choice.moves}
