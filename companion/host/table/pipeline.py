# SPDX-License-Identifier: Apache-2.0
"""The chain of one table: bytes of its panel, looks of its camera → observations → the referee → journal, lamps, text, tones.

Its rule: it never waits and reads no clock, so a test, a benchmark and the demo drive it with numbers;
and it shows nothing as announced before its owner has said that the journal is safe on the disk.
Hints and the targets of a lifted piece do not wait for that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from companion.feedback import lights, text, tones
from companion.feedback.lights import LampLevel
from companion.feedback.words import Words
from companion.host.devices.camera_status import CameraStatus, ImageResult, Watch
from companion.host.journal.journal import CommandEntry, Continued, Entry, Input, Ticked
from companion.host.table.announcements import is_announcing, stages_before
from companion.host.table.link_status import LinkState, LinkStatus, complaints_of
from companion.host.table.recovery import Recovery
from companion.host.table.replies import Reply
from companion.link.connection import Connection
from companion.link.events import (
    CommandAnswered,
    HealthReported,
    LinkEvent,
    LinkLost,
    PanelForeign,
    PanelGreeted,
    PanelLogged,
)
from companion.link.handshake import panel_name
from companion.link.panel import check_fit
from companion.link.protocol_gen import Capability, Colour, HelloReply, LogLevel, Note, Tone
from companion.model.errors import ForeignFirmware, LinkError, OrderRefused, PanelMismatch
from companion.model.observation import Observation, SensorKind
from companion.model.occupancy import Occupancy
from companion.model.placement import Placement
from companion.referee.commands import (
    Answer,
    Command,
    Correct,
    LetStand,
    Pause,
    Resign,
    Restore,
    TakeBack,
)
from companion.referee.events import (
    Event,
    MoveMade,
)
from companion.referee.session import Session
from companion.referee.view import TableView
from companion.sensing.fuse import Fuser
from companion.sensing.reed import ReedSensor, mount
from companion.virtual.piece_sensor import PieceSensor

_LOG = logging.getLogger(__name__)

Keep: TypeAlias = Callable[[Iterable[Entry]], None]
"""Where entries of the journal go."""


class Sensors(StrEnum):
    """What a table is sensed with."""

    PANEL = "panel"
    CAMERA = "camera"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Tune:
    """The tune that was heard last."""

    number: int = 0
    """Counts the tunes, so that each is played once."""
    tones: tuple[tones.Tone, ...] = ()


class Pipeline:
    """One table's chain, with the connection to its panel."""

    is_kept = True
    """False while the disk does not take the journal, so that even what is announced may be forgotten."""
    is_unsafe = False
    """True while something to be announced or answered waits for the owner to make the journal safe."""
    reply = Reply()
    """What became of the last request about the position or the record."""
    _safe = 0
    """So much of what is untold is known to be on the disk."""
    _was_greeted = False
    """True once a panel has said who it is."""
    _said = ""
    """What the panel has said for people since it started."""
    _was_astray = False
    """True if the board was wrong when all was told."""

    def __init__(
        self,
        session: Session,
        words: Words,
        connection: Connection,
        keep: Keep,
        lamps: LampLevel = LampLevel.FULL,
        broken: Occupancy = 0,
        sensors: Sensors = Sensors.PANEL,
    ) -> None:
        """What the panel's switches of the cells *broken* say is never believed.

        Where *sensors* has no panel, *connection* is one on which nobody answers, and nothing is to be sent.
        """
        self.session = session
        self.words = words
        self.connection = connection
        self.lamps: Final = lamps
        """How much the lamps say."""
        has_panel = sensors is not Sensors.CAMERA
        self.status = LinkStatus(LinkState.CONNECTING if has_panel else LinkState.ABSENT)
        self.camera = None if sensors is Sensors.PANEL else CameraStatus()
        """How it stands with the camera; None if there is to be none."""
        self.objection: LinkError | None = None
        """Why the panel that is connected cannot be used; None if it can, or there is none."""
        self.view: TableView = session.view()
        """What is shown."""
        self.image: tuple[int, ...] = ()
        """Palette index of each cell's lamp, as wished of the panel, by its own cells."""
        self.lines: tuple[str, ...] = ()
        """The display's lines, as wished of the panel."""
        self.tune = Tune()
        """The last tune, for speakers other than the panel's."""
        self.orders: dict[str, str] = {}
        """The hall's orders that were carried out, or why they could not be: answered once they are safe."""
        self._keep = keep
        self._sensor = ReedSensor(mount(session.rules.grid), broken)
        self._fuser = Fuser(session.rules.grid) if sensors is Sensors.BOTH else None
        self.has_piece_sensor: Final = sensors is Sensors.PANEL and session.kind is not SensorKind.OCCUPANCY
        """True if what stands on a virtual board is looked at, too."""
        self._piece_sensor = PieceSensor(session.kind) if self.has_piece_sensor else None
        self._unpublished: list[Event | CommandEntry] = []
        """What has happened since all that had happened was told."""
        self._due_ms = session.next_deadline_ms()
        """When the session wants to know the time: it changes only with what the session is told."""
        self._recovery = Recovery()
        connection.colour(tuple(map(_colour, lights.palette(lamps))))
        self._show(self.view)

    # --- what comes in ---

    def receive(self, data: bytes, now_ms: int) -> bool:
        """*data* came from the panel until *now_ms*; True if that tells anything beyond the link."""
        events = self.connection.feed(data, now_ms)
        self._handle_link(events)
        return not all(isinstance(event, CommandAnswered) for event in events)

    def look(self, standing: Placement, now_ms: int) -> bool:
        """*standing* is on a virtual board: what the referee may see beyond the switches is looked at; True if that tells anything new."""
        seen = None if self._piece_sensor is None else self._piece_sensor.look(standing, now_ms)
        if seen is None or self.objection is not None:
            return False
        self._observe(seen)
        return True

    def reopen(self, now_ms: int) -> None:
        """The port was opened, anew or for the first time."""
        self._handle_link(self.connection.reopen(now_ms))

    def watch(self, looked: ImageResult) -> bool:
        """The camera has *looked*, or cannot; True if that tells anything new."""
        is_news = looked.status != self.camera
        self.camera = looked.status
        observation = looked.observation if self._fuser is None else _fused(self._fuser, looked)
        self._observe(observation)
        return is_news or observation is not None

    def warnings(self, words: Words) -> tuple[str, ...]:
        """What is wrong with the disk that keeps the game, the program, or the panel, in *words*."""
        own = (("unkept", not self.is_kept), ("program-error", self._recovery.has_erred))
        told = (words.common.health[key] for key, holds in own if holds)
        return (*told, *self.status.warnings(words))

    @property
    def cell_names(self) -> tuple[str, ...]:
        """What the game calls each of the sensors' cells."""
        return self.session.turn.image(self.session.rules.grid.names)

    def lose(self, reason: str, now_ms: int) -> None:
        """There is no way to the panel any more."""
        self.status = LinkStatus(LinkState.LOST if self._was_greeted else LinkState.SILENT, reason)
        if self._fuser is not None:
            self._observe(self._fuser.numb(now_ms))

    def command(self, command: Command, now_ms: int, order: str = "") -> None:
        """Somebody asked for *command*, a hall by an *order*: what was asked goes to the journal together with what came of it.

        It is shown when it is safe there, whatever it is: people take what is shown for the answer.
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
            fault = "nothing came of it: it cannot be had as the game stands"
        self._follow(events, CommandEntry(now_ms, command, order, fault))
        if order:
            self.orders[order] = fault

    def tick(self, now_ms: int) -> None:
        """The time has come that `next_deadline_ms` named; harmless before."""
        self._handle_link(self.connection.tick(now_ms))
        if self._due_ms is not None and self._due_ms <= now_ms:
            self._recovery.entering = ticked = Ticked(now_ms)
            self._follow(self.session.tick(now_ms), ticked)

    def survive(self, continued: Continued) -> None:
        """Replace the session after an error of this program: *continued* says which, and goes to the journal.

        The new session continues from the last announced move. After several errors within a short time it is
        not woken before the next input, so that an error that repeats itself does not keep the machine busy.
        """
        now_ms, recovery = continued.at_ms, self._recovery
        led, self._due_ms = recovery.erred(now_ms), None
        self._keep([continued] if led is None else [led, continued])
        self.session = self.session.successor()
        self._publish()
        if recovery.last_seen is not None and not recovery.is_repeating:
            self._observe(Observation(now_ms, (), recovery.last_seen.sightings, now_ms))

    @property
    def unpublished(self) -> int:
        """How much has happened since all that had happened was told: what a journal holds that is made safe now."""
        return len(self._unpublished)

    def made_safe(self, unpublished: int) -> None:
        """The journal is on the disk as far as it was written when so much was *unpublished*: what waited for that is announced."""
        self._safe = min(unpublished, len(self._unpublished))
        self._publish()

    # --- what goes out ---

    def bytes_to_send(self, now_ms: int) -> bytes:
        """What has to be written to the port now."""
        return self.connection.bytes_to_send(now_ms)

    def next_deadline_ms(self) -> int | None:
        """When `tick` has to be called at the latest; None if it need not be."""
        due_ms = self.connection.next_deadline_ms()
        if due_ms is None or self._due_ms is None:
            return self._due_ms if due_ms is None else due_ms
        return min(due_ms, self._due_ms)

    # --- inside ---

    def _handle_link(self, events: Sequence[LinkEvent]) -> None:
        """Take what the link tells: its health, and what the sensors saw."""
        for event in events:
            self._note(event)
            felt = self._sensor.observe(event)
            if felt is not None and self.objection is None:
                self._observe(self._completed(felt))

    def _completed(self, felt: Observation) -> Observation | None:
        """*felt*, which the switches told, with what is seen of the pieces; None if that is nothing new."""
        if self._fuser is not None:
            return self._fuser.felt(felt)
        return self._piece_sensor.completed(felt) if self._piece_sensor else felt

    def _observe(self, observation: Observation | None) -> None:
        """Take in what was sensed, if anything was."""
        if observation is not None:
            if observation.inputs:
                self.reply = Reply(self.reply.number)
            self._recovery.observes(observation)
            self._follow(self.session.observe(observation), observation)

    def _note(self, event: LinkEvent) -> None:
        """Keep how it stands with the panel."""
        match event:
            case PanelGreeted():
                self._was_greeted = True
                self._greet(event.hello)
            case PanelForeign():
                fault = f"the panel speaks {event.theirs}, this program {event.ours}: {event.remedy}"
                self._refuse(ForeignFirmware(fault, ours=event.ours, theirs=event.theirs))
            case LinkLost():
                self._said = ""
                self.lose(event.reason, event.at_ms)
            case PanelLogged():
                self._log(event)
            case HealthReported() if self.objection is None:
                self.status = replace(
                    self.status, state=LinkState.CONNECTED, complaints=complaints_of(event.health)
                )

    def _greet(self, hello: HelloReply) -> None:
        """A panel of our protocol is there: see whether it has the game's cells."""
        try:
            check_fit(hello, self.session.rules.grid)
        except PanelMismatch as fault:
            self._refuse(fault)
        else:
            self.objection = None
            self.status = LinkStatus(LinkState.CONNECTED, panel_name(hello), said=self._said)

    def _log(self, event: PanelLogged) -> None:
        """Keep what the panel says for people, and let those at the table know what is wrong with it."""
        is_grave = event.level >= LogLevel.WARNING
        _LOG.log(logging.WARNING if is_grave else logging.INFO, "the panel reports: %s", event.text)
        if is_grave:
            self._said = f"the panel reports: {event.text}"
            if self.status.state is LinkState.CONNECTED:
                self.status = replace(self.status, said=self._said)

    def _refuse(self, fault: LinkError) -> None:
        self.objection = fault
        self.status = LinkStatus(LinkState.REFUSED, str(fault))

    def _follow(self, events: Sequence[Event], led: Input) -> None:
        """Keep what *led* to *events* with them, and show what follows, as far as nothing in it has to be safe first."""
        self._recovery.done(events)
        self._due_ms = self.session.next_deadline_ms()
        self._keep([led, *events])
        self._unpublished += [led, *events] if isinstance(led, CommandEntry) else events
        self._publish()

    def _publish(self) -> None:
        """Wish for what follows from the session as it stands, and let it be heard, as far as nothing in it has to be safe first.

        A move that waits for the disk is shown as it was before it was announced: no hand has to wait for that to see what it did.
        So is what is settled meanwhile: it is not worth a picture of its own.
        """
        view = self.session.view()
        if view is self.view and not self._unpublished:
            return
        unsafe = self._unpublished[self._safe :]
        waiting = [*filter(is_announcing, unsafe)]
        self.is_unsafe = bool(waiting)
        if not all(isinstance(each, MoveMade) for each in waiting):
            return
        view = view.before_announcing(stages_before(unsafe) if waiting else {})
        if view is not self.view and view.is_news_after(self.view):
            self._show(view)
        if not waiting:
            events = [each for each in self._unpublished if not isinstance(each, CommandEntry)]
            self._sound(tones.render(events, is_astray=self._was_astray))
            self._was_astray = view.fault is not None
            self._unpublished, self._safe = [], 0

    def _sound(self, tune: tuple[tones.Tone, ...]) -> None:
        """Let *tune* be heard, if it is any."""
        if not tune:
            return
        self.tune = Tune(self.tune.number + 1, tune)
        hello = self.connection.hello
        if hello is not None and Capability.TONE in hello.capabilities:
            self.connection.send(Tone(tuple(Note(tone.pitch_hz, tone.length_ms) for tone in tune)))

    def _show(self, view: TableView) -> None:
        """Let *view* be shown."""
        self.view = view
        self.image = self.session.turn.image(lights.render(view).cells)
        self.lines = text.render(view, self.words)
        self.connection.show(self.image)
        for number, line in enumerate(self.lines):
            self.connection.write(number, line)


def _fused(fuser: Fuser, looked: ImageResult) -> Observation | None:
    """What *looked* tells beside the panel."""
    if looked.status.state is not Watch.WATCHING:
        return fuser.blind(looked.at_ms)
    if looked.observation is None:
        return fuser.looked(looked.at_ms)
    return fuser.seen(looked.observation)


def _colour(look: lights.Look) -> Colour:
    """*look* as the link says it."""
    return Colour(*look.rgb, *look.rgb2, period=look.period_ms // 10, phase=look.phase_ms // 10)
