# SPDX-License-Identifier: Apache-2.0
"""State of a simulated panel, and the effect of each command on it; without packets.

Pure. Times are the panel's own milliseconds.
A refusal is the bare `Status`; the checks and their order are those of the firmware.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from companion.link.framing import OVERHEAD
from companion.link.panel import Panel
from companion.link.protocol_gen import (
    FINGERPRINT,
    MAX_PACKET_LARGE,
    PALETTE_SIZE,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    RESET_MAGIC,
    TONE_NOTES,
    BoardKind,
    Capability,
    ClearStats,
    ClearStatsReply,
    Columns,
    ColumnsReply,
    ConfigGet,
    ConfigGetReply,
    ConfigKey,
    ConfigSave,
    ConfigSaveReply,
    ConfigSet,
    ConfigSetReply,
    EdgesAgain,
    EdgesAgainReply,
    EdgesSince,
    EdgesSinceReply,
    Fault,
    GetSnapshot,
    GetSnapshotReply,
    Hello,
    HelloReply,
    Lamp,
    LedFill,
    LedFillReply,
    LedPalette,
    LedPaletteReply,
    LedSet,
    LedSetReply,
    LedShow,
    LedShowReply,
    Note,
    Ping,
    PingReply,
    Reset,
    ResetCause,
    ResetReply,
    Stats,
    StatsReply,
    Status,
    Tag,
    Text,
    TextReply,
    Tlv,
    Tone,
    ToneReply,
    Whole,
)
from companion.virtual.inputs import Inputs
from companion.virtual.lamps import Lamps

Answer: TypeAlias = Whole | Status

_RING: Final = 128
"""Number of edges kept for a host that missed them."""
_SNAPSHOT_HEAD: Final = 11
_LONGEST_DEBOUNCE_MS: Final = 50
_CURRENT_MA: Final = range(20, 20001)
_PITCHES_HZ: Final = range(40, 10001)


class Device:
    """The switches, lamps, display and buzzer of one panel."""

    def __init__(self, panel: Panel, unique_id: bytes, session: int) -> None:
        self.panel = panel
        self.fingerprint = FINGERPRINT
        self.session = session
        self.inputs = Inputs(
            panel.cells, on_ms=panel.debounce_on_ms, off_ms=panel.debounce_off_ms, ring=_RING
        )
        self.lamps = Lamps(panel.leds, panel.current_limit_ma)
        self.lines = [""] * panel.text_lines
        self.tones: list[tuple[int, tuple[Note, ...]]] = []
        self.packets = 0
        self.bad_packets = 0
        self.repeats = 0
        self.is_reset_due = False
        self.faults = Fault(0)
        """Faults that it reports of itself."""
        self.rise_us = bytearray(panel.sensor_columns)
        """Rise time of each column of a matrix; 0 if it was not measured."""
        self.max_packet = MAX_PACKET_LARGE
        """Size limit of its packets, also announced to the host."""
        self._unique_id = unique_id
        self._cause = ResetCause.POWER_ON

    def restart(self, session: int, cause: ResetCause) -> None:
        """Restart: the inputs stay as they are, all settings are reset."""
        self.session = session
        self._cause = cause
        self.inputs.restart()
        self.lamps.restart()
        self.lines = [""] * self.panel.text_lines
        self.is_reset_due = False
        self.packets = self.bad_packets = self.repeats = 0

    def answer(self, command: Whole, t_ms: int) -> Answer:
        """Carry out *command* and return its reply."""
        match command:
            case Hello():
                return self.describe(command.nonce)
            case Ping():
                return PingReply(Status.OK, command.echo, t_ms & 0xFFFFFFFF)
            case GetSnapshot() | EdgesSince() | EdgesAgain():
                return self._answer_inputs(command, t_ms)
            case LedPalette() if self.panel.leds:
                return self._answer_palette(command)
            case LedSet() | LedFill() | LedShow() if self.panel.leds:
                return self._answer_lamps(command)
            case Text() | Tone():
                return self._answer_shown(command, t_ms)
            case Stats() | ClearStats() | Columns():
                return self._answer_stats(command, t_ms)
        return self._answer_settings(command)

    def describe(self, nonce: int) -> HelloReply:
        """The panel's hello reply."""
        panel = self.panel
        has = {
            Capability.LEDS: panel.leds > 0,
            Capability.TEXT: panel.text_lines > 0,
            Capability.TONE: panel.tone,
            Capability.LEVER: panel.lever,
        }
        return HelloReply(
            status=Status.OK,
            major=PROTOCOL_MAJOR,
            minor=PROTOCOL_MINOR,
            nonce=nonce,
            fingerprint=self.fingerprint,
            session=self.session,
            firmware_major=PROTOCOL_MAJOR,
            firmware_minor=PROTOCOL_MINOR,
            firmware_patch=0,
            board=BoardKind.VIRTUAL,
            unique_id=self._unique_id,
            reset_cause=self._cause,
            cells=panel.cells,
            rows=panel.ranks,
            cols=panel.files,
            leds=panel.leds,
            palette=PALETTE_SIZE,
            text_lines=panel.text_lines,
            text_columns=panel.text_columns,
            buttons=panel.buttons,
            max_packet=self.max_packet,
            scan_period_us=panel.scan_period_us,
            debounce_on_ms=self.inputs.on_ms,
            debounce_off_ms=self.inputs.off_ms,
            capabilities=Capability(sum(each for each, is_there in has.items() if is_there)),
            extra=(Tlv(Tag.PANEL, panel.name.encode()), Tlv(Tag.FAULTS, bytes((self.faults,)))),
        )

    def _answer_inputs(self, command: GetSnapshot | EdgesSince | EdgesAgain, t_ms: int) -> Answer:
        """Replies about the state and missed edges."""
        inputs = self.inputs
        if isinstance(command, EdgesAgain):
            if not command.count:
                return Status.BAD_ARGUMENT
            is_kept = inputs.repeat(command.first, command.count)
            return EdgesAgainReply(Status.OK, inputs.newest) if is_kept else Status.TOO_OLD
        if isinstance(command, EdgesSince):
            if not inputs.rewind(command.sequence):
                return Status.TOO_OLD
            return EdgesSinceReply(Status.OK, inputs.newest)
        state = inputs.state()
        if command.offset >= len(state):
            return Status.BAD_ARGUMENT
        part = state[command.offset :][: self.max_packet - OVERHEAD - _SNAPSHOT_HEAD]
        return GetSnapshotReply(
            Status.OK, inputs.newest, t_ms & 0xFFFFFFFF, inputs.state_crc(), len(state), command.offset, part
        )

    def _answer_palette(self, command: LedPalette) -> Answer:
        """Set palette colours, visible with the next output."""
        end = command.first + len(command.colours)
        if end > PALETTE_SIZE:
            return Status.BAD_ARGUMENT
        self.lamps.palette[command.first : end] = command.colours
        return LedPaletteReply(Status.OK)

    def _answer_lamps(self, command: LedSet | LedFill | LedShow) -> Answer:
        """Set or show LEDs; the reply has their current."""
        lamps = self.lamps
        flags = Lamp.SHOW
        if not isinstance(command, LedShow):
            flags = command.flags
            refusal = self._set_lamps(command)
            if refusal is not None:
                return refusal
        if Lamp.SHOW in flags:
            lamps.show()
        status = Status.POWER_LIMITED if lamps.is_limited else Status.OK
        current_ma = min(lamps.current_ma, 0xFFFF)
        match command:
            case LedSet():
                return LedSetReply(status, current_ma)
            case LedFill():
                return LedFillReply(status, current_ma)
        return LedShowReply(status, current_ma)

    def _set_lamps(self, command: LedSet | LedFill) -> Status | None:
        """Set LEDs, or return the reason for a refusal, which sets none."""
        if isinstance(command, LedSet):
            if len(command.colours) < (command.count + 1) // 2:
                return Status.BAD_LENGTH
            colours = [byte >> shift & 15 for byte in command.colours for shift in (0, 4)][: command.count]
            spans = [(command.first, colours)]
        else:
            if any(run.colour >= PALETTE_SIZE for run in command.runs):
                return Status.BAD_ARGUMENT
            spans = [(run.first, [run.colour] * run.count) for run in command.runs]
        if any(first + len(colours) > self.panel.leds for first, colours in spans):
            return Status.BAD_ARGUMENT
        if Lamp.CLEAR in command.flags:
            self.lamps.clear()
        for first, colours in spans:
            self.lamps.set(first, colours)
        return None

    def _answer_shown(self, command: Text | Tone, t_ms: int) -> Answer:
        """Set the display, or play notes."""
        if isinstance(command, Text):
            if not self.lines:
                return Status.UNSUPPORTED
            if command.line >= len(self.lines):
                return Status.BAD_ARGUMENT
            self.lines[command.line] = command.text[: self.panel.text_columns]
            return TextReply(Status.OK)
        if not self.panel.tone:
            return Status.UNSUPPORTED
        is_too_much = len(command.notes) > TONE_NOTES
        if is_too_much or any(note.pitch_hz and note.pitch_hz not in _PITCHES_HZ for note in command.notes):
            return Status.BAD_ARGUMENT
        self.tones.append((t_ms, command.notes))
        return ToneReply(Status.OK)

    def _answer_stats(self, command: Stats | ClearStats | Columns, t_ms: int) -> Answer:
        """Read or clear the counters; those that only a chip has stay 0."""
        if isinstance(command, Columns):
            if not self.panel.has_rows:
                return Status.UNSUPPORTED
            return ColumnsReply(Status.OK, self.panel.settle_us, bytes(self.rise_us))
        if isinstance(command, ClearStats):
            self.packets = self.bad_packets = self.repeats = 0
            return ClearStatsReply(Status.OK)
        return StatsReply(
            status=Status.OK,
            uptime_s=t_ms // 1000,
            packets=self.packets,
            bad_packets=min(self.bad_packets, 0xFFFF),
            oversized=0,
            rx_lost=0,
            repeats=min(self.repeats, 0xFFFF),
            edges=self.inputs.counted,
            edges_lost=0,
            chatter=0,
            chatter_input=0,
            scans_late=0,
            scan_max_us=0,
            turn_max_us=0,
            blackout_max_us=0,
            stack_free=0,
        )

    def _answer_settings(self, command: Whole) -> Answer:
        """Read or change the configuration, or restart."""
        match command:
            case ConfigGet():
                value = self._setting(command.key)
                return Status.BAD_ARGUMENT if value is None else ConfigGetReply(Status.OK, command.key, value)
            case ConfigSet():
                is_set = self._change_setting(command.key, command.value)
                return ConfigSetReply(Status.OK) if is_set else Status.BAD_ARGUMENT
            case ConfigSave():
                return ConfigSaveReply(Status.OK)
            case Reset():
                self.is_reset_due = command.magic == RESET_MAGIC
                return ResetReply(Status.OK) if self.is_reset_due else Status.BAD_ARGUMENT
        return Status.UNSUPPORTED

    def _setting(self, key: ConfigKey) -> int | None:
        """The value in force, or None for an unknown key."""
        return {
            ConfigKey.DEBOUNCE_ON_MS: self.inputs.on_ms,
            ConfigKey.DEBOUNCE_OFF_MS: self.inputs.off_ms,
            ConfigKey.CURRENT_LIMIT_MA: self.lamps.limit_ma,
            ConfigKey.BRIGHTNESS: self.lamps.brightness,
        }.get(key)

    def _change_setting(self, key: ConfigKey, value: int) -> bool:
        """Put *value* in force; False if it is out of range."""
        is_debounce = 1 <= value <= _LONGEST_DEBOUNCE_MS
        if key is ConfigKey.DEBOUNCE_ON_MS and is_debounce:
            self.inputs.on_ms = value
        elif key is ConfigKey.DEBOUNCE_OFF_MS and is_debounce:
            self.inputs.off_ms = value
        elif key is ConfigKey.CURRENT_LIMIT_MA and value in _CURRENT_MA:
            self.lamps.limit_ma = value
        elif key is ConfigKey.BRIGHTNESS and value <= 255:
            self.lamps.brightness = value
        else:
            return False
        return True
