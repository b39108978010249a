# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one simulator, the mirror of its header file.
"""A sensor board in virtual time: a real ELF on libsimavr with its peripherals.

The peripherals are switches, LEDs and display. This file knows pins, cycles and bytes, and nothing
of the link protocol.
"""

import ctypes
import functools
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from math import log
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

from tests.firmware.simulator_library import (
    MAX_LINES,
    Counts,
    FaultsData,
    RecordData,
    TopologyData,
    Vector,
    Waveform,
    library,
)

PORF, EXTRF, BORF, WDRF = 1, 2, 4, 8
"""Bits of MCUSR: the cause of a reset."""


class ChipCrashed(AssertionError):
    """The chip met a bad opcode, or slept with interrupts off."""


class HostEnd(Protocol):
    """The computer's end of the line, living in virtual time."""

    def receive(self, data: bytes, now_ms: int) -> None: ...

    def bytes_to_send(self, now_ms: int) -> bytes: ...


class Kind(IntEnum):
    """What a `Record` tells of."""

    CELL = 1
    PROBE = 2
    LINE_IN = 3
    LINE_OUT = 4
    LED_FIRST = 5
    LED_LAST = 6
    RESET = 7
    HOST_OUT = 8
    HOST_IN = 9


@dataclass(frozen=True, slots=True)
class Record:
    """One event: cycles since power-up, CLOCK_MONOTONIC nanoseconds, kind, value.

    The nanoseconds are 0 in virtual time.
    """

    cycle: int
    ns: int
    kind: Kind
    value: int


@dataclass(frozen=True, slots=True)
class LedImage:
    """The bytes of one LED transmission, with the cycles of its first and last edge."""

    begin_cycle: int
    end_cycle: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the matrix: its pull-up, and what it charges.

    That is the wire and the diodes of closed switches.

    After a row lets go, the column reads low until it has risen from `low_mv` to `high_mv`.
    """

    pull_up_ohm: int
    wire_pf: int
    switch_pf: int
    low_mv: int
    high_mv: int
    supply_mv: int = 5000

    def rise_us(self, closed: int = 1) -> float:
        """The rise time with *closed* switches on the column."""
        constant_us = self.pull_up_ohm * (self.wire_pf + closed * self.switch_pf) * 1e-6
        return constant_us * log((self.supply_mv - self.low_mv) / (self.supply_mv - self.high_mv))

    def rising_in(self, us: float) -> "Column":
        """A column with a longer wire, rising in *us* with one closed switch."""
        wire_pf = self.wire_pf + round((us / self.rise_us() - 1) * (self.wire_pf + self.switch_pf))
        return replace(self, wire_pf=wire_pf)


IDEAL: Final = Column(10_000, 20, 0, low_mv=0, high_mv=2500)
"""Rises in 0.14 us."""


@dataclass(frozen=True, slots=True)
class Topology:
    """The wiring of the chip.

    Pins are named as in the data sheet ("PB5"), positions are row * columns + column. Without row
    pins and row latch there is one row that is always driven: a plain 74HC165 chain. With
    `mux_select` (S0 to S3) row r is the multiplexer of hall sensors on ADC channel r, which takes
    `channel_us` to change channels.
    """

    mcu: str
    positions: Sequence[int]
    columns: int
    rows: int = 1
    row_pins: Sequence[str] = ()
    row_latch: str = ""
    column_pins: Sequence[str] = ()
    column_load: str = ""
    mux_select: Sequence[str] = ()
    row_active: int = 1
    closed_level: int = 0
    column: Column = IDEAL
    channel_us: float = 0.5
    led: str = ""
    tone: str = ""
    display_address: int = 0
    lcd_rs: str = ""
    lcd_enable: str = ""
    lcd_data: Sequence[str] = ()
    clock_hz: int = 16_000_000
    line_baud: int = 250_000


@dataclass(frozen=True, slots=True)
class Faults:
    """Fault rates of one direction of the line, in parts per million of a byte."""

    flip_ppm: int = 0
    drop_ppm: int = 0
    twice_ppm: int = 0
    delay_ppm: int = 0
    delay_us: int = 0
    seed: int = 0


def pin_number(name: str) -> int:
    """The number of a pin in the harness: "PB5" is 13; "" is -1."""
    return (ord(name[1]) - ord("A")) * 8 + int(name[2]) if name else -1


def _wiring(topology: Topology) -> TopologyData:
    wiring = TopologyData(
        clock_hz=topology.clock_hz,
        line_baud=topology.line_baud,
        cells=len(topology.positions),
        rows=topology.rows,
        columns=topology.columns,
        channel_cycles=round(topology.channel_us * topology.clock_hz / 1e6),
        pull_up_ohm=topology.column.pull_up_ohm,
        wire_pf=topology.column.wire_pf,
        switch_pf=topology.column.switch_pf,
        supply_mv=topology.column.supply_mv,
        low_mv=topology.column.low_mv,
        high_mv=topology.column.high_mv,
        row_active=topology.row_active,
        closed_level=topology.closed_level,
        display_address=topology.display_address,
        row_latch_pin=pin_number(topology.row_latch),
        column_load_pin=pin_number(topology.column_load),
        led_pin=pin_number(topology.led),
        tone_pin=pin_number(topology.tone),
        lcd_rs_pin=pin_number(topology.lcd_rs),
        lcd_enable_pin=pin_number(topology.lcd_enable),
    )
    for field, names, room in (
        (wiring.row_pin, topology.row_pins, MAX_LINES),
        (wiring.column_pin, topology.column_pins, MAX_LINES),
        (wiring.lcd_data_pin, topology.lcd_data, 4),
        (wiring.select_pin, topology.mux_select, 4),
    ):
        field[:] = [pin_number(name) for name in (*names, *[""] * (room - len(names)))]
    wiring.position[: len(topology.positions)] = list(topology.positions)
    return wiring


class Simulator:
    """One board: `with Simulator(elf, topology) as board:` powers it up.

    `run_ms` lets time pass. Nothing happens on the board between two calls, except in `realtime`.
    All stamps are in cycles since power-up.
    """

    def __init__(self, elf: Path, topology: Topology) -> None:
        self.elf = elf
        self.topology = topology
        self._handle = ctypes.c_void_p()

    def __enter__(self) -> Self:
        why = ctypes.create_string_buffer(200)
        wiring = _wiring(self.topology)
        mcu = self.topology.mcu.encode()
        handle = library().sim_new(bytes(self.elf), mcu, ctypes.byref(wiring), why, ctypes.c_size_t(len(why)))
        if not handle:
            raise ValueError(f"{self.elf} on {self.topology.mcu}: {why.value.decode()}")
        self._handle = ctypes.c_void_p(handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        library().sim_free(self._handle)
        self._handle = ctypes.c_void_p()

    # time

    @property
    def cycle(self) -> int:
        return int(library().sim_cycle(self._handle))

    @property
    def now_ms(self) -> int:
        return self.cycle * 1000 // self.topology.clock_hz

    @property
    def ms(self) -> float:
        """Milliseconds since power-up."""
        return self.ms_at(self.cycle)

    def ms_at(self, cycle: int) -> float:
        """Milliseconds from power-up to *cycle*."""
        return cycle * 1000 / self.topology.clock_hz

    def run(self, cycles: int) -> None:
        """Let the chip run at least so many cycles (up to 64 more). Raises `ChipCrashed`."""
        if library().sim_run(self._handle, ctypes.c_uint64(cycles)):
            raise ChipCrashed(f"{self.elf.name} crashed at cycle {self.cycle}")

    def run_ms(self, ms: float) -> None:
        self.run(round(ms * self.topology.clock_hz / 1000))

    def step(self, ms: int, host: HostEnd) -> None:
        """Run board and host side by side for *ms*, exchanging bytes once in each."""
        for _ in range(ms):
            self.feed(host.bytes_to_send(self.now_ms))
            self.run_ms(1)
            host.receive(self.take(), self.now_ms)

    def reset(self, cause: int = EXTRF) -> None:
        """Restart the chip with its SRAM kept.

        EXTRF is the button or DTR, BORF a dip of the supply, WDRF the watchdog.
        """
        library().sim_reset(self._handle, ctypes.c_uint8(cause))

    def power_cycle(self, seed: int = 1) -> None:
        """Cycle the power.

        SRAM gets random content, and the EEPROM byte being written is corrupted.
        """
        library().sim_power_cycle(self._handle, ctypes.c_uint64(seed))

    # switches

    def cell(self, cell: int, is_closed: bool) -> None:
        library().sim_cell(self._handle, ctypes.c_uint32(cell), ctypes.c_int(is_closed))

    def lengthen(self, column: int, extra_pf: int) -> None:
        """Add capacitance to one column, as a longer wire does."""
        library().sim_column(self._handle, ctypes.c_uint32(column), ctypes.c_uint32(extra_pf))

    def pin(self, name: str, level: int | None) -> None:
        """Drive an input pin from outside (a button to ground is 0); None releases it."""
        library().sim_pin(self._handle, pin_number(name), -1 if level is None else level)

    def output(self, name: str) -> int | None:
        """Return the level that the chip drives on a pin; None for an input."""
        level = library().sim_pin_level(self._handle, pin_number(name))
        return None if level < 0 else int(level)

    # line

    def feed(self, data: bytes) -> None:
        """Queue bytes on the line to the chip; they arrive at the line's rate."""
        library().sim_feed(self._handle, data, ctypes.c_size_t(len(data)))

    def take_stamped(self) -> list[tuple[int, int]]:
        """Return (cycle, byte) for each byte completely sent since the last call."""
        room = 1 << 16
        data, cycles = (ctypes.c_uint8 * room)(), (ctypes.c_uint64 * room)()
        count = library().sim_take(self._handle, data, cycles, ctypes.c_size_t(room))
        return list(zip(cycles[:count], data[:count], strict=True))

    def take(self) -> bytes:
        """Return the bytes that have wholly left the chip since the last call."""
        taken = b""
        data = (ctypes.c_uint8 * 1024)()
        while count := library().sim_take(self._handle, data, None, ctypes.c_size_t(len(data))):
            taken += bytes(data[:count])
        return taken

    def set_faults(self, *, towards_chip: bool, faults: Faults) -> None:
        delay_cycles = faults.delay_us * self.topology.clock_hz // 1_000_000
        given = FaultsData(
            faults.flip_ppm, faults.drop_ppm, faults.twice_ppm, faults.delay_ppm, delay_cycles, faults.seed
        )
        library().sim_set_faults(self._handle, int(towards_chip), ctypes.byref(given))

    # what is seen and heard

    def images(self, first: int = 0) -> list[LedImage]:
        """Return the LED images from number `first` on; the last 63 are kept."""
        count = int(library().sim_image_count(self._handle))
        found = (self._image(index) for index in range(max(first, count - 64), count))
        return [image for image in found if image is not None]

    def image_count(self) -> int:
        return int(library().sim_image_count(self._handle))

    def _image(self, index: int) -> LedImage | None:
        data = (ctypes.c_uint8 * 4096)()
        begin, end = ctypes.c_uint64(), ctypes.c_uint64()
        count = library().sim_image(
            self._handle,
            ctypes.c_uint64(index),
            data,
            ctypes.c_size_t(len(data)),
            ctypes.byref(begin),
            ctypes.byref(end),
        )
        return None if count < 0 else LedImage(begin.value, end.value, bytes(data[:count]))

    def waveform(self) -> Waveform:
        waveform = Waveform()
        library().sim_waveform(self._handle, ctypes.byref(waveform))
        return waveform

    def tone_hz(self) -> float:
        """Return the pitch at the buzzer's pin; 0 after 50 ms of silence."""
        return int(library().sim_tone_millihertz(self._handle)) / 1000

    def display(self, width: int = 16) -> tuple[str, str]:
        """Return the two lines the text display shows, trailing blanks cut."""
        lines = []
        for number in range(2):
            text = ctypes.create_string_buffer(width)
            library().sim_display(self._handle, number, text, ctypes.c_size_t(width))
            lines.append(text.raw.decode("latin-1").rstrip())
        return lines[0], lines[1]

    def plug_display(self, address: int) -> None:
        """Plug a display in at an address of its bus, just powered; 0 unplugs it."""
        library().sim_display_plug(self._handle, ctypes.c_uint8(address))

    def lose_nibble(self) -> None:
        """Let the display miss half a byte."""
        library().sim_display_lose_nibble(self._handle)

    def hold_bus(self, clocks: int) -> None:
        """Let the display hold its data line low until it has seen so many clocks."""
        library().sim_display_hold(self._handle, ctypes.c_uint8(clocks))

    # figures

    def records(self) -> list[Record]:
        """Return what happened since the last call, oldest first (at most 65 536 are kept)."""
        room = 1 << 16
        found = (RecordData * room)()
        count = library().sim_records(self._handle, found, ctypes.c_size_t(room))
        return [Record(one.cycle, one.ns, Kind(one.kind), one.value) for one in found[:count]]

    def counts(self) -> Counts:
        counts = Counts()
        library().sim_counts(self._handle, ctypes.byref(counts))
        return counts

    def vector(self, number: int) -> Vector:
        vector = Vector()
        if library().sim_vector(self._handle, ctypes.c_uint32(number), ctypes.byref(vector)):
            raise ValueError(f"there is no interrupt vector {number}")
        return vector

    def clear_figures(self) -> None:
        library().sim_clear_figures(self._handle)

    # memory

    def peek(self, address: int, count: int = 1) -> bytes:
        data = (ctypes.c_uint8 * count)()
        library().sim_peek(self._handle, ctypes.c_uint32(address), data, ctypes.c_size_t(count))
        return bytes(data)

    def poke(self, address: int, data: bytes) -> None:
        library().sim_poke(self._handle, ctypes.c_uint32(address), data, ctypes.c_size_t(len(data)))

    @property
    def stack_pointer(self) -> int:
        return int(library().sim_stack_pointer(self._handle))

    @property
    def ram_end(self) -> int:
        return int(library().sim_ram_end(self._handle))

    def eeprom(self) -> bytes:
        count = int(library().sim_eeprom_size(self._handle))
        data = (ctypes.c_uint8 * count)()
        library().sim_eeprom_read(self._handle, 0, data, ctypes.c_size_t(count))
        return bytes(data)

    def write_eeprom(self, address: int, data: bytes) -> None:
        """Put bytes into the EEPROM from outside; they do not count as wear."""
        library().sim_eeprom_write(self._handle, ctypes.c_uint32(address), data, ctypes.c_size_t(len(data)))

    def eeprom_wear(self, address: int) -> int:
        return int(library().sim_eeprom_wear(self._handle, ctypes.c_uint32(address)))

    # the wall clock

    @contextmanager
    def realtime(self) -> Iterator[str]:
        """Run the board in real time on its own thread; yields its pty's name."""
        name = library().sim_rt_start(self._handle)
        if not name:
            raise OSError(ctypes.get_errno(), "no pty for the simulated board")
        try:
            yield name.decode()
        finally:
            library().sim_rt_stop(self._handle)

    def worst_lag_ms(self) -> float:
        """Return by how much the thread once fell behind the wall clock."""
        return int(library().sim_rt_worst_lag_ns(self._handle)) / 1e6


@functools.cache
def symbols(elf: Path) -> dict[str, int]:
    """Return the addresses of an ELF's symbols; those in SRAM have avr-gcc's 0x800000 taken off."""
    listing = subprocess.run(["avr-nm", str(elf)], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listing.splitlines())
    return {row[2]: int(row[0], 16) & 0x7FFFFF for row in rows if len(row) == 3}
