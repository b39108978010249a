# SPDX-License-Identifier: Apache-2.0
"""A board with a Raspberry Pi Pico in virtual time: its flash image on rp2040js.

`tests/firmware/rp2040` has the chip's surroundings and what rp2040js lacks. It runs as a process
of node, spoken to by lines of JSON; `PicoSimulator` has the methods of `Simulator` that make sense
for this chip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Final, Self

import pytest

from tests.firmware.simulator import (
    BORF,
    EXTRF,
    PORF,
    WDRF,
    Faults,
    HostEnd,
    Kind,
    LedImage,
    Record,
    Topology,
)
from tests.firmware.simulator_library import BUILD, Counts, make

RP2040JS: Final = BUILD / "rp2040js" / "node_modules" / "rp2040js"
MAIN: Final = Path(__file__).parent / "rp2040" / "main.mjs"
CLOCK_HZ: Final = 48_000_000
_CAUSES: Final = {PORF: 1, EXTRF: 2, BORF: 4, WDRF: 8}
_STACK: Final = (0x2004_0000, 8192)


def _refuse(said: str) -> None:
    """Skip the calling test, or fail it where the hardware checks promise the tool."""
    pytest.fail(said) if os.environ.get("HARDWARE") == "true" else pytest.skip(said)


def missing_tools() -> str:
    """Say what the Pico's programs and simulator need and this machine lacks; empty for nothing."""
    lacks = [tool for tool in ("arm-none-eabi-gcc", "node") if shutil.which(tool) is None]
    if not RP2040JS.is_dir():
        lacks.append("rp2040js")
    return f"{', '.join(lacks)} missing: python3 check.py --hardware installs it" if lacks else ""


def require_compiler() -> None:
    """Skip the calling test without the compiler for the Pico."""
    if shutil.which("arm-none-eabi-gcc") is None:
        _refuse("arm-none-eabi-gcc missing: python3 check.py --hardware installs it")


def pico_elf(name: str) -> Path:
    """Build the program of the panel *name* as ELF, flash image and UF2.

    Returns the ELF.
    """
    require_compiler()
    elf = BUILD / f"pico-{name}.elf"
    make("Makefile", str(elf), str(elf.with_suffix(".uf2")))
    return elf


def require_simulator() -> None:
    """Skip the calling test without compiler, node or rp2040js."""
    if reason := missing_tools():
        _refuse(reason)


class PicoCrashed(AssertionError):
    """The simulator met what it cannot run, such as a faulty access."""


def _pin(name: str) -> int:
    """The number of a pin: "GP22" is 22."""
    return int(name.removeprefix("GP"))


def _wiring(topology: Topology) -> dict[str, Any]:
    return {
        "rows": topology.rows,
        "columns": topology.columns,
        "rowPins": [_pin(name) for name in topology.row_pins],
        "columnPins": [_pin(name) for name in topology.column_pins],
        "latch": _pin(topology.row_latch) if topology.row_latch else None,
        "load": _pin(topology.column_load) if topology.column_load else None,
        "riseNs": topology.column.rise_us() * 1000,
        "led": _pin(topology.led),
        "tone": _pin(topology.tone),
        "displayAddress": topology.display_address,
        "clockHz": topology.clock_hz,
        "lineBaud": topology.line_baud,
    }


class _Line:
    """One direction of the line, with its faults."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._chance = Random(faults.seed)

    def passed(self, data: bytes) -> bytes:
        """What comes through of *data*."""
        return b"".join(self._byte(byte) for byte in data)

    def _byte(self, byte: int) -> bytes:
        faults, place = self._faults, self._chance.random() * 1e6
        if place < faults.drop_ppm:
            return b""
        if place < faults.drop_ppm + faults.twice_ppm:
            return bytes((byte, byte))
        flips = place < faults.drop_ppm + faults.twice_ppm + faults.flip_ppm
        return bytes((byte ^ (1 << self._chance.randrange(8) if flips else 0),))


class PicoSimulator:
    """One board with a Pico: `with PicoSimulator(elf, topology) as board:` powers it up.

    Stamps are in cycles of 48 MHz since power-up.
    """

    def __init__(self, elf: Path, topology: Topology) -> None:
        self.elf = elf
        self.topology = topology
        self.cycle = 0
        self._faults = {towards_chip: _Line(Faults()) for towards_chip in (True, False)}
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        require_simulator()
        image, wiring = self.elf.with_suffix(".bin"), json.dumps(_wiring(self.topology))
        self._process = subprocess.Popen(
            ["node", str(MAIN), str(RP2040JS), str(image), wiring],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            if error is not None:
                self._process.kill()
            self._process.communicate()
            self._process = None

    def ask(self, *command: Any) -> Any:
        """Return the answer to a command of main.mjs. Raises `PicoCrashed`."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the process has ended"}
        if "error" in answer:
            raise PicoCrashed(answer["error"])
        return answer["value"]

    # time

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
        """Let the chip run at least so many cycles. Raises `PicoCrashed`."""
        self.cycle = self.ask("run", cycles)

    def run_ms(self, ms: float) -> None:
        self.run(round(ms * self.topology.clock_hz / 1000))

    def step(self, ms: int, host: HostEnd) -> None:
        """Run board and host side by side for *ms*, exchanging bytes once in each."""
        for _ in range(ms):
            self.feed(host.bytes_to_send(self.now_ms))
            self.run_ms(1)
            host.receive(self.take(), self.now_ms)

    def reset(self, cause: int = EXTRF) -> None:
        """Restart the chip with its RAM kept.

        EXTRF is the pin RUN, BORF a dip of the supply.
        """
        self.cycle = self.ask("reset", _CAUSES[cause])

    def power_cycle(self, seed: int = 1) -> None:
        """Cycle the power: RAM gets random content."""
        self.cycle = self.ask("power", seed)

    # switches

    def cell(self, cell: int, is_closed: bool) -> None:
        self.ask("cell", self.topology.positions[cell], is_closed, cell)

    def pin(self, name: str, level: int | None) -> None:
        """Drive an input pin from outside (a button to ground is 0); None releases it."""
        self.ask("pin", _pin(name), level)

    def output(self, name: str) -> int | None:
        """Return the level that the chip drives on a pin; None for an input."""
        level = self.ask("output", _pin(name))
        return None if level is None else int(level)

    def lengthen(self, column: int, extra_us: float) -> None:
        """Let one column rise more slowly, as with a longer wire."""
        self.ask("lengthen", column, extra_us * 1000)

    # line

    def feed(self, data: bytes) -> None:
        """Queue bytes on the line to the chip; they arrive at the line's rate."""
        data = self._faults[True].passed(data)
        if data:
            self.ask("feed", data.hex())

    def take_stamped(self) -> list[tuple[int, int]]:
        """Return (cycle, byte) for each byte completely sent since the last call."""
        return [(cycle, byte) for cycle, byte in self.ask("take")]

    def take(self) -> bytes:
        """Return the bytes that have wholly left the chip since the last call."""
        return self._faults[False].passed(bytes(byte for _, byte in self.take_stamped()))

    def set_faults(self, *, towards_chip: bool, faults: Faults) -> None:
        """Let the line damage bytes from now on; it delays none."""
        self._faults[towards_chip] = _Line(faults)

    def counts(self) -> Counts:
        """Return the bytes that found the receive FIFO full, and the resets by the watchdog."""
        return Counts(rx_overruns=self.ask("lost"), resets=self.ask("resets"))

    # what is seen and heard

    def images(self, first: int = 0) -> list[LedImage]:
        """Return the LED images from number `first` on."""
        return [LedImage(begin, end, bytes(data)) for begin, end, data in self.ask("images", first)]

    def image_count(self) -> int:
        return int(self.ask("imageCount"))

    def pulses_ns(self) -> dict[str, tuple[float, float]]:
        """Return the shortest and longest pulses of zeros and ones, and low times, in ns."""
        return {name: (least, most) for name, (least, most) in self.ask("pulses").items()}

    def tone_hz(self) -> float:
        """Return the pitch at the buzzer's pin; 0 after 50 ms of silence."""
        return float(self.ask("tone"))

    def display(self, width: int = 16) -> tuple[str, str]:
        """Return the two lines the text display shows, trailing blanks cut."""
        first, second = (bytes(line).decode("latin-1").rstrip() for line in self.ask("display", width))
        return first, second

    def plug_display(self, address: int) -> None:
        """Plug the display in at an address of its bus; 0 unplugs it."""
        self.ask("plug", address)

    def lose_nibble(self) -> None:
        """Let the display miss half a byte."""
        self.ask("loseNibble")

    # figures

    def records(self) -> list[Record]:
        """Return what happened since the last call, oldest first."""
        return [Record(cycle, 0, Kind(kind), value) for cycle, kind, value in self.ask("records")]

    def unmodelled(self) -> list[str]:
        """Return rp2040js' complaints about accesses that it does not model."""
        return [str(text) for text in self.ask("warnings")]

    # memory

    def stack_free(self) -> int:
        """Bytes of the stack that still have the paint of the start."""
        first, size = _STACK
        stack = bytes.fromhex(self.ask("readRam", first, size))
        return len(stack) - len(stack.lstrip(b"\xc5"))

    def write_register(self, address: int, value: int) -> None:
        """Write a register behind the program's back."""
        self.ask("writeRegister", address, value)

    def flash(self, address: int, count: int) -> bytes:
        return bytes.fromhex(self.ask("readFlash", address, count))

    def write_flash(self, address: int, data: bytes) -> None:
        """Put bytes into the flash from outside."""
        self.ask("writeFlash", address, data.hex())

    def fail_programs(self, count: int) -> None:
        """Let the next *count* writes of the flash change nothing."""
        self.ask("failPrograms", count)

    def flash_use(self) -> dict[str, Any]:
        """Return the writes, the erasures of each sector, and wrong commands of the flash."""
        return dict(self.ask("flashWear"))


class PicoOverUsb(PicoSimulator):
    """The same board at a USB host, whose driver has opened the port.

    `rp2040/usb_host.mjs` is the host.
    """

    def __enter__(self) -> Self:
        super().__enter__()
        self.open(is_open=True)
        self.plug()
        return self

    def plug(self) -> None:
        """Plug the cable in; the host finds a serial port."""
        self.ask("usbPlug")

    def unplug(self) -> None:
        """Pull the cable out; the board keeps its power."""
        self.ask("usbUnplug")

    def open(self, *, is_open: bool) -> None:
        """Let a program open the port, or close it."""
        self.ask("usbOpen", is_open)

    def read(self, *, is_reading: bool) -> None:
        """Let the host take what the board sends, or leave it there."""
        self.ask("usbRead", is_reading)

    def feed(self, data: bytes) -> None:
        """Queue bytes at the host."""
        data = self._faults[True].passed(data)
        if data:
            self.ask("usbFeed", data.hex())

    def request(self, kind: int, request: int, value: int, length: int, data: bytes = b"") -> bytes | None:
        """Return the answer to a control transfer; None if the chip refuses it."""
        self.ask("usbRequest", kind, request, value, 0, length, list(data))
        for _ in range(100):
            self.run_ms(1)
            if answers := self.ask("usbAnswers"):
                return None if answers[0] is None else bytes(answers[0])
        raise AssertionError("the host never came to the request")

    def device(self) -> dict[str, Any] | None:
        """Return the device as the host has it: descriptors and strings; None before."""
        found = self.ask("usbDevice")
        return None if found is None else dict(found)

    def violations(self) -> list[str]:
        """Return what a real host would not put up with."""
        return [str(text) for text in self.ask("usbViolations")]
