# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: the one way from a panel's bytes to its lamps, without a task in between.
"""Pipeline of one table: panel bytes and camera images → observations → referee → outputs.

The outputs are journal entries, lamps, text and tones. Its rule: it never waits and reads no clock,
so tests, benchmarks and the demo drive it with numbers. It shows nothing as announced before its
owner has confirmed that the journal is on the disk; hints and targets of a lifted piece do not wait
for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, TypeAlias

from companion.eboards.connection import EboardConnection
from companion.feedback import lights, shown, tones
from companion.feedback.lights import LampLevel
from companion.feedback.shown import Shown
from companion.feedback.words import Words
from companion.host.devices.camera_status import CameraState, CameraStatus, ImageResult
from companion.host.devices.eboards import PanelConnection
from companion.host.devices.panel_sensor import PanelSensor
from companion.host.journal.journal import CommandEntry, Continued, Entry, Input, Ticked
from companion.host.table.announcements import Reasons, Reply, Tune, Unpublished, stages_before
from companion.host.table.layers.board_review import MoveJudgement
from companion.host.table.layers.lesson import Lesson
from companion.host.table.layers.stack import layers_of
from companion.host.table.link_status import LinkStatus, PanelLink
from companion.host.table.recovery import Recovery
from companion.lessons.teacher import Teacher
from companion.link.events import ClockSeen, CommandAnswered, LinkEvent, LinkLost
from companion.link.protocol_gen import Colour, Note
from companion.model.advice import Advice
from companion.model.errors import OrderRefused
from companion.model.game import HasStandins
from companion.model.observation import Observation, SensorKind
from companion.model.occupancy import Occupancy
from companion.model.phrase import Phrase
from companion.model.pieces import Side
from companion.model.placement import Placement
from companion.referee.session.session import Session
from companion.referee.values.commands import (
    Answer,
    Command,
    Correct,
    LetStand,
    NewGame,
    Pause,
    Resign,
    Restore,
    ShowClocks,
    TakeBack,
)
from companion.referee.values.events import Event, MoveMade
from companion.referee.values.view import ClockView, TableView
from companion.sensing.fuse import Fuser
from companion.sensing.mounting import Mounting
from companion.virtual.piece_sensor import PieceSensor

Keep: TypeAlias = Callable[[Iterable[Entry]], None]
"""Writes entries to the journal."""


class Sensors(StrEnum):
    """The sensors of a table."""

    PANEL = "panel"
    CAMERA = "camera"
    BOTH = "both"


class Pipeline:
    """Pipeline of one table, with the connection to its panel."""

    def __init__(
        self,
        session: Session,
        words: Words,
        connection: PanelConnection,
        keep: Keep,
        lamps: LampLevel = LampLevel.FULL,
        broken: Occupancy = 0,
        sensors: Sensors = Sensors.PANEL,
        at: str = "",
    ) -> None:
        """Switches of the cells *broken* are ignored.

        On a larger panel the game's first cell is over the panel's cell *at*, if that is given;
        otherwise in the middle, or where its pieces are set up. If *sensors* has no panel,
        *connection* has no peer, and nothing is sent.
        """
        self.session, self.words = session, words
        self.connection = connection
        self.lamps: Final = lamps
        """How much the lamps show."""
        self.panel = PanelLink(session.rules.grid, at=at, is_absent=sensors is Sensors.CAMERA)
        self.camera = None if sensors is Sensors.PANEL else CameraStatus()
        """Status of the camera; None at a table without one."""
        self.view = self.played = session.view()
        """The views of the game on show, with hints and lesson, and without."""
        self.image: tuple[int, ...] = ()
        """Palette index for each cell's lamp, by the sensors' cells of the game."""
        self._names: tuple[str, ...] = ()
        self.lines: tuple[str, ...] = ()
        """Lines for the display."""
        self.tune = Tune()
        """The last tune, for speakers other than the panel's."""
        self.orders: dict[str, str] = {}
        """Executed orders of the hall, each with its fault or ""; answered once on disk."""
        self.keep = keep
        self._sensor = PanelSensor(connection, session.rules, session.kind, broken)
        self._fuser = Fuser(session.rules.grid) if sensors is Sensors.BOTH else None
        self._piece_sensor = _piece_sensor(session.kind, sensors, is_eboard=self._sensor.is_eboard)
        self.is_kept = True
        """False while the disk rejects the journal, so that even announced moves may be lost."""
        self.reply, self.reasons = Reply(), Reasons()  # of requests about the position or the record
        self.layers = layers_of(
            session.rules, self.view, lambda: self.session.rotation, has_standins=self.has_standins
        )
        """What lies over the view of the game."""
        self.teacher: Teacher | None = None  # of a lesson
        self._was_illegal = False  # at the last publication
        self._due_ms = session.next_deadline_ms()  # changes only with its input
        self._unpublished, self._recovery = Unpublished(), Recovery()
        connection.colour(tuple(map(_colour, lights.palette(lamps))))
        self._show(self.played)

    def teach(self, teacher: Teacher) -> None:
        """Let *teacher* follow the view from now on."""
        self.teacher, self.layers = teacher, replace(self.layers, lesson=Lesson(teacher))
        self._show(self.session.view())

    def name_players(self, names: tuple[str, ...]) -> None:
        """Show *names* on the display until the clocks start."""
        self._names = names
        self._show(self.played)

    # --- input ---

    def receive(self, data: bytes, now_ms: int) -> bool:
        """Process *data* received by *now_ms*; true if it holds more than link traffic."""
        events = self.connection.feed(data, now_ms)
        self._handle_link(events)
        return bool(events) and not all(isinstance(event, CommandAnswered) for event in events)

    def look(self, standing: Placement, now_ms: int, *, is_held: bool = False) -> bool:
        """Sense the pieces *standing* on a virtual board; true if that is news.

        *is_held*: another piece is in a hand.
        """
        sensor = self._piece_sensor
        seen = None if sensor is None else sensor.look(standing, now_ms, is_held=is_held)
        if seen is None or self.panel.objection is not None:
            return False
        self._observe(seen)
        return True

    def reopen(self, now_ms: int) -> None:
        """Reset the connection: the port was opened."""
        self._handle_link(self.connection.reopen(now_ms))

    def watch(self, result: ImageResult) -> bool:
        """Process a result of the camera; true if it is news."""
        is_news = result.status != self.camera
        self.camera = result.status
        observation = result.observation if self._fuser is None else _fused(self._fuser, result)
        self._observe(observation)
        return is_news or observation is not None

    def warnings(self, words: Words) -> tuple[str, ...]:
        """Return the faults of disk, program and panel, in *words*."""
        own = (("unkept", not self.is_kept), ("program-error", self._recovery.has_erred))
        sentences = (words.common.health[key] for key, holds in own if holds)
        return (*sentences, *self.status.warnings(words))

    @property
    def status(self) -> LinkStatus:
        """The state of the link to the panel."""
        return self.panel.status

    @property
    def mounting(self) -> Mounting:
        """Where the game lies on its panel."""
        return self._sensor.mounting

    @property
    def has_standins(self) -> bool:
        """True if chess pieces stand in for the game's, at an eboard."""
        return self._sensor.is_eboard and isinstance(self.session.rules, HasStandins)

    @property
    def has_piece_sensor(self) -> bool:
        """True if the pieces of a virtual board are sensed besides its switches."""
        return self._piece_sensor is not None

    @property
    def cell_names(self) -> tuple[str, ...]:
        """Return the game's names of the sensors' cells."""
        return self.session.rotation.image(self.session.rules.grid.names)

    def lose(self, reason: str, now_ms: int) -> None:
        """Set the link as lost, with *reason*."""
        self.panel.lose(reason)
        self._numb(now_ms)

    def command(self, command: Command, now_ms: int, order: str = "") -> None:
        """Execute *command*, for a hall's *order*, and journal it together with its result.

        Its result is shown only once it is on the disk: people take what is shown for the answer.
        """
        events: tuple[Event, ...] = ()
        fault, violation = "", None
        self._recovery.entering = CommandEntry(now_ms, command, order)
        try:
            events = self.session.command(command, now_ms)
        except OrderRefused as refused:
            fault, violation = str(refused), refused.violation
        if isinstance(command, LetStand | Correct | Restore | Answer):
            self.reply = Reply(self.reply.number + 1, fault, violation)
        if order and not events and isinstance(command, TakeBack | Resign | Pause):
            fault = Phrase("it had no effect: it is not possible at this point of the game")
        self._follow(events, CommandEntry(now_ms, command, order, fault))
        if order:
            self.orders[order] = fault

    def advise(self, advice: Advice | None, judged: str = "") -> None:
        """Show *advice* as long as its position stands, and note what is *judged*."""
        self.layers.hints.advise(advice, judged)
        self._show(self.played)

    @property
    def takes_presses(self) -> bool:
        """True at an eboard without a clock: players press on a page."""
        eboard = self.connection
        return isinstance(eboard, EboardConnection) and eboard.is_greeted and not eboard.has_clock

    def press(self, side: Side, now_ms: int) -> None:
        """Press the clock for *side*, if `takes_presses`."""
        if self.takes_presses and isinstance(self.connection, EboardConnection):
            end = 1 - side if self._has_turned_clock else side
            self._handle_link(self.connection.press(end, now_ms))

    def go_over(self, now_ms: int, judged: Sequence[MoveJudgement] = ()) -> None:
        """Show the game on the board again, each move with its judgement, if any."""
        self.layers.review.begin(self.played, now_ms, judged)
        self._show(self.played)

    def tick(self, now_ms: int) -> None:
        """Process the deadline named by `next_deadline_ms`; earlier calls are harmless."""
        self._handle_link(self.connection.tick(now_ms))
        if self._due_ms is not None and self._due_ms <= now_ms:
            self._tick_session(now_ms)
        else:
            self._tend_board(now_ms)

    def catch_up(self, until_ms: int) -> bool:
        """Process the session's next deadline, at its own time; false if none is before *until_ms*.

        For an image that is processed late: what was due before it comes first.
        """
        due_ms = self._due_ms
        if due_ms is None or due_ms >= until_ms:
            return False
        self._tick_session(due_ms)
        return True

    def survive(self, continued: Continued) -> None:
        """Replace the session after an internal error, described by *continued* in the journal.

        The new session continues from the last announced move. After several errors within a short
        time it is not woken before the next input, so that a repeating error does not use up the
        processor.
        """
        now_ms, recovery = continued.at_ms, self._recovery
        led, self._due_ms = recovery.erred(now_ms), None
        self.keep([continued] if led is None else [led, continued])
        self.session = self.session.successor()
        self._publish()
        if recovery.last_seen is not None and not recovery.is_repeating:
            self._observe(Observation(now_ms, (), recovery.last_seen.sightings, now_ms))

    @property
    def unpublished(self) -> int:
        """Return the number of unpublished events: what a sync that starts now will cover."""
        return len(self._unpublished.events)

    @property
    def is_unsafe(self) -> bool:
        """True while an announcement or answer waits for the journal to be synced."""
        return bool(self._unpublished.waiting())

    def made_safe(self, unpublished: int) -> None:
        """Note that the first *unpublished* events are on the disk, and publish them."""
        self._unpublished.made_safe(unpublished)
        self._publish()

    # --- output ---

    def bytes_to_send(self, now_ms: int) -> bytes:
        """Return the bytes to write to the port now; without any, `complete` the view.

        So lamps do not wait for words. Callers write until nothing is left.
        """
        data = self.connection.bytes_to_send(now_ms)
        if data or not self.session.lacks_reason:
            return data
        self.complete()
        return self.connection.bytes_to_send(now_ms)

    def complete(self) -> None:
        """Show why a lifted piece cannot move, if that is not worked out yet."""
        if self.session.lacks_reason:
            self.session.view()
            self._publish()

    def next_deadline_ms(self) -> int | None:
        """Return the latest time to call `tick`; None if there is no deadline."""
        first_ms, due_ms = self.connection.next_deadline_ms(), self.next_play_deadline_ms()
        return first_ms if due_ms is None or (first_ms is not None and first_ms < due_ms) else due_ms

    def next_play_deadline_ms(self) -> int | None:
        """Return the same without the connection to a panel, which may be closed."""
        first_ms = self._due_ms
        for deadline in self.layers.deadlines:
            due_ms = deadline()
            if due_ms is not None and (first_ms is None or due_ms < first_ms):
                first_ms = due_ms
        return first_ms

    # --- internal ---

    def _handle_link(self, events: Sequence[LinkEvent]) -> None:
        """Process the link's events: its health and its sensor reports."""
        for event in events:
            self.panel.note(event)
            if isinstance(event, ClockSeen) and self.session.control is None:
                self.command(self._shown_clocks(event), event.at_ms)
            if isinstance(event, LinkLost):
                self._numb(event.at_ms)
            if self.panel.objection is not None:
                continue
            before = self._sensor.mounting
            felt = self._sensor.observe(event, self.panel.places, self.view)
            if self._sensor.mounting is not before:
                self._light()
            if felt is not None:
                self._observe(self._completed(felt))

    def _shown_clocks(self, seen: ClockSeen) -> ShowClocks:
        """The clocks of the sides that an eboard's clock shows."""
        if not self._has_turned_clock:
            return ShowClocks(seen.left_ms, seen.running)
        return ShowClocks(seen.left_ms[::-1], None if seen.running is None else 1 - seen.running)

    def _tick_session(self, now_ms: int) -> None:
        """Let the session process what is due."""
        self._recovery.entering = ticked = Ticked(now_ms)
        self._follow(self.session.tick(now_ms), ticked)

    def _numb(self, now_ms: int) -> None:
        """Continue with the camera alone, at a table that has both."""
        if self._fuser is not None:
            self._observe(self._fuser.numb(now_ms))

    def _completed(self, felt: Observation) -> Observation | None:
        """Complete *felt*, from the switches, with the sensed pieces; None if it is no news."""
        if self._fuser is not None:
            return self._fuser.felt(felt)
        return self._piece_sensor.completed(felt) if self._piece_sensor else felt

    def _observe(self, observation: Observation | None) -> None:
        """Pass *observation*, if any, to the session."""
        if observation is not None:
            if observation.inputs:
                self.reply = Reply(self.reply.number)
            for layer in reversed(self.layers.order):
                observation = layer.withhold(observation)
            self._recovery.observes(observation)
            self._follow(self.session.observe(observation), observation)

    def _follow(self, events: Sequence[Event], led: Input) -> None:
        """Journal the input *led* with its *events*, and publish what is allowed."""
        self._recovery.done(events)
        self._due_ms = self.session.next_deadline_ms()
        self.keep([led, *events])
        self.reasons.note(events, self.session)
        self._unpublished.events += [led, *events] if isinstance(led, CommandEntry) else events
        self._publish()
        self._tend_board(led.at_ms)

    def _tend_board(self, now_ms: int) -> None:
        """Let the layers go on, and do what people ask for by leaving the board."""
        has_changed = False
        for tend in self.layers.tends:
            has_changed |= tend(self.played, now_ms)
        if has_changed:
            self._show(self.played)
        if self.layers.menu.take_desertion(now_ms):
            self.command(NewGame(), now_ms)

    def _publish(self) -> None:
        """Show the session's view and play its tones, as far as the journal is synced.

        A move that waits for the disk is shown with its stage before the announcement, so nobody
        waits for the disk to see it. A move that only becomes settled does not cause a new picture.
        """
        view = self.session.first_view()
        if view is self.played and not self._unpublished.events:
            return
        waiting = self._unpublished.waiting()
        if not all(isinstance(each, MoveMade) for each in waiting):
            return
        view = view.before_announcing(stages_before(self._unpublished.unsafe) if waiting else {})
        if view is not self.played and view.is_news_after(self.played):
            self._show(view)
        if not waiting:
            self._sound(tones.render(self._unpublished.take(), is_illegal=self._was_illegal))
            self._was_illegal = view.fault is not None

    def _sound(self, tune: tuple[tones.Tone, ...]) -> None:
        """Play *tune*, unless it is empty."""
        if not tune:
            return
        self.tune = Tune(self.tune.number + 1, tune)
        self.connection.play(tuple(Note(tone.pitch_hz, tone.length_ms) for tone in tune))

    def shown(self, language: str = "") -> Shown:
        """Return what people see; sentences of layers are in *language*, or the table's own."""
        made = Shown(self.played, language, self._names)
        for layer in self.layers.order:
            made = layer.added_to(made)
        return made

    def _show(self, view: TableView) -> None:
        """Send *view*, with what lies over it, to the lamps and the display."""
        self.played = view
        for follow in self.layers.follows:
            follow(view)
        made = self.shown()
        self.view, self.lines = made.view, shown.lines(made, self.words)
        self.image = self.session.rotation.image(shown.lamps(made))
        self._light()
        for number, line in enumerate(self.lines):
            self.connection.write(number, line)
        self._set_clock(view.clocks)

    def _set_clock(self, clocks: Sequence[ClockView]) -> None:
        """Let a clock at an eboard show *clocks*."""
        if len(clocks) != 2 or not isinstance(self.connection, EboardConnection):
            return
        ends = clocks[::-1] if self._has_turned_clock else clocks
        running = next((end for end, clock in enumerate(ends) if clock.is_running), None)
        left_ms = (ends[0].left_ms + ends[0].delay_ms, ends[1].left_ms + ends[1].delay_ms)
        self.connection.set_clock(left_ms, running, clocks[0].at_ms)

    @property
    def _has_turned_clock(self) -> bool:
        """True if the first side sits at the right end of the clock."""
        return self.mounting.is_lever_turned != self.session.rotation.is_exchanged

    def _light(self) -> None:
        """Send the image to the lamps."""
        self.connection.show(self._sensor.image(self.image))


def _piece_sensor(kind: SensorKind, sensors: Sensors, *, is_eboard: bool) -> PieceSensor | None:
    """The sensor of a virtual board's pieces besides its switches, if it has one."""
    is_virtual = sensors is Sensors.PANEL and not is_eboard
    return PieceSensor(kind) if is_virtual and kind is not SensorKind.OCCUPANCY else None


def _fused(fuser: Fuser, result: ImageResult) -> Observation | None:
    """Fuse the camera's result with the panel; None if that is no news."""
    if result.status.state is not CameraState.WATCHING:
        return fuser.blind(result.at_ms)
    if result.observation is None:
        return fuser.looked(result.at_ms)
    return fuser.seen(result.observation)


def _colour(look: lights.Look) -> Colour:
    """Convert *look* to the link's type."""
    return Colour(*look.rgb, *look.rgb2, period=look.period_ms // 10, phase=look.phase_ms // 10)
