# SPDX-License-Identifier: Apache-2.0
"""The parts and nets of a panel, from the file that builds its firmware.

Pure. The pins are those of `chips/avr`; a test compares them with the simulated boards on which the
firmware runs. A net is named for what it carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from companion.link.panel import UNWIRED, Panel, order_of
from companion.model.grid import rectangle

SHIFT_BITS: Final = 8
QA: Final = ("QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH")
"""Outputs of a 74HC595."""
INPUTS: Final = ("A", "B", "C", "D", "E", "F", "G", "H")
"""Inputs of a 74HC165."""
DIRECT_ROWS: Final = ("D4", "D5", "D6", "D7", "D8", "D11", "D12", "D13")
DIRECT_COLUMNS: Final = ("A0", "A1", "A2", "A3")


class Pin(NamedTuple):
    """A pin of a part."""

    part: str
    pin: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a panel."""

    ref: str
    kind: str
    cell: int = -1
    """The cell that it belongs to; -1 for none."""


@dataclass(frozen=True, slots=True)
class Net:
    """Pins that are joined."""

    name: str
    pins: tuple[Pin, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The pins of an Arduino that do not depend on the wiring of the switches."""

    kind: str
    clock: str
    data_out: str
    data_in: str
    latch: str
    load: str
    leds: str
    buzzer: str
    lever: str
    sda: str
    scl: str
    buttons: tuple[str, ...]


NANO: Final = Board(
    "Nano", "D13", "D11", "D12", "D9", "D8", "D10", "D3", "D2", "A4", "A5",
    ("D4", "D5", "D6", "D7", "A0", "A1", "A2", "A3"),
)  # fmt: skip
MEGA: Final = Board(
    "Mega", "D52", "D51", "D50", "D12", "D53", "D11", "D9", "D2", "D20", "D21",
    tuple(f"D{number}" for number in (*range(22, 30), *range(37, 30, -1))),
)  # fmt: skip
BOARDS: Final = {"atmega328p": NANO, "atmega2560": MEGA}


class NotDrawn(ValueError):
    """The wiring of the panel is no diode matrix."""


@dataclass(frozen=True, slots=True)
class Netlist:
    """A panel's parts and nets."""

    panel: Panel
    board: Board
    parts: tuple[Part, ...]
    nets: tuple[Net, ...]
    net_at: Mapping[Pin, Net]
    """The net of each pin that is connected."""

    def net_of(self, part: str, pin: str) -> Net:
        """The net of a pin. Raises `KeyError`."""
        return self.net_at[Pin(part, pin)]


class _Nets:
    """Nets while they are collected."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._pins: dict[str, list[Pin]] = {}

    def part(self, ref: str, kind: str, cell: int = -1, /, **pins: str) -> None:
        """Add a part, with the net of each of its pins."""
        self.parts.append(Part(ref, kind, cell))
        for pin, net in pins.items():
            self.join(net, ref, pin)

    def join(self, net: str, ref: str, *pins: str) -> None:
        self._pins.setdefault(net, []).extend(Pin(ref, pin) for pin in pins)

    def nets(self) -> tuple[Net, ...]:
        return tuple(Net(name, tuple(pins)) for name, pins in self._pins.items())


def netlist(panel: Panel) -> Netlist:
    """The netlist of *panel*. Raises `NotDrawn` for other wirings than a diode matrix."""
    if not panel.has_rows:
        raise NotDrawn(f"the panel {panel.name} is no diode matrix: its wiring is {panel.wiring}")
    board, nets = BOARDS[panel.chip], _Nets()
    nets.part("U1", board.kind, **{"5V": "5V", "GND": "GND"})
    if panel.wiring == "matrix-direct":
        for row in range(panel.sensor_rows):
            nets.join(f"P_{row_net(row)}", "U1", DIRECT_ROWS[row])
            nets.part(f"R_{row_net(row)}", "220", a=f"P_{row_net(row)}", b=row_net(row))
        for column in range(panel.sensor_columns):
            nets.join(column_net(column), "U1", DIRECT_COLUMNS[column])
    else:
        _shift_registers(panel, board, nets)
    _switches(panel, nets)
    _outputs(panel, board, nets)
    joined = nets.nets()
    net_at = {pin: net for net in joined for pin in net.pins}
    return Netlist(panel, board, tuple(nets.parts), joined, net_at)


def row_net(row: int) -> str:
    """The name of a row's wire; rows count from 1."""
    return f"ROW{row + 1}"


def column_net(column: int) -> str:
    """The name of a column's wire."""
    return f"COL{column + 1}"


def _switches(panel: Panel, nets: _Nets) -> None:
    """Each cell is a bridge of reed and diode between its column and its row."""
    positions = panel.sensor_rows * panel.sensor_columns
    for position, cell in enumerate(order_of(panel.sensor_order, positions, panel.sensor_columns)):
        if cell == UNWIRED:
            continue
        row, column = divmod(position, panel.sensor_columns)
        name = cell_name(panel, cell)
        nets.part(f"S_{name}", "reed", cell, a=column_net(column), b=f"N_{name}")
        nets.part(f"D_{name}", "1N4148", cell, anode=f"N_{name}", cathode=row_net(row))


def _shift_registers(panel: Panel, board: Board, nets: _Nets) -> None:
    """Rows by 74HC595, columns by 74HC165, both on the SPI."""
    for name, pin in (("SCK", board.clock), ("MOSI", board.data_out), ("MISO", board.data_in),
                      ("LATCH", board.latch), ("LOAD", board.load)):  # fmt: skip
        nets.join(name, "U1", pin)
    drivers = -(-panel.sensor_rows // SHIFT_BITS)
    for chip in range(drivers):
        ref, given = f"U{2 + chip}", "MOSI" if chip == 0 else f"SER{chip}"
        nets.part(
            ref, "74HC595", SER=given, SRCLK="SCK", RCLK="LATCH", SRCLR="5V", VCC="5V", OE="GND", GND="GND"
        )
        if chip + 1 < drivers:
            nets.join(f"SER{chip + 1}", ref, "QH'")
        for bit in range(SHIFT_BITS):
            if (row := SHIFT_BITS * chip + bit) < panel.sensor_rows:
                nets.join(row_net(row), ref, QA[bit])
    _column_readers(panel, nets, drivers)


def _column_readers(panel: Panel, nets: _Nets, drivers: int) -> None:
    """The 74HC165, after the 74HC595 in the numbers of the chips, and the pull-ups."""
    readers = -(-panel.sensor_columns // SHIFT_BITS)
    for chip in range(readers):
        ref = f"U{2 + drivers + chip}"
        given = "GND" if chip + 1 == readers else f"QH{chip + 1}"
        nets.part(
            ref,
            "74HC165",
            **{"CLK": "SCK", "SH/LD": "LOAD", "SER": given, "VCC": "5V", "CLK INH": "GND", "GND": "GND"},
        )
        nets.join("MISO" if chip == 0 else f"QH{chip}", ref, "QH")
        for bit in range(SHIFT_BITS):
            column = SHIFT_BITS * chip + bit
            is_used = column < panel.sensor_columns
            nets.join(column_net(column) if is_used else "5V", ref, INPUTS[bit])
    for column in range(panel.sensor_columns):
        nets.part(f"R_{column_net(column)}", "10k", a="5V", b=column_net(column))


def _outputs(panel: Panel, board: Board, nets: _Nets) -> None:
    """LEDs, display, buzzer, buttons and lever."""
    if panel.leds:
        nets.join("LED_DATA", "U1", board.leds)
        nets.part("R_LED", "330", a="LED_DATA", b="DIN1")
        place_of = order_of(panel.led_order, panel.leds, panel.files)
        for cell, place in enumerate(place_of):
            ref = f"L_{cell_name(panel, cell)}" if cell < panel.cells else f"L_{place + 1}"
            nets.part(ref, "WS2812B", cell, VDD="5V", GND="GND", DIN=f"DIN{place + 1}")
            if place + 1 < panel.leds:
                nets.join(f"DIN{place + 2}", ref, "DOUT")
        nets.part("C_LED", "10uF", plus="5V", minus="GND")
    if panel.display != "none":
        nets.join("SDA", "U1", board.sda)
        nets.join("SCL", "U1", board.scl)
        nets.part("LCD", "PCF8574 display", VCC="5V", GND="GND", SDA="SDA", SCL="SCL")
    if panel.tone:
        nets.join("TONE", "U1", board.buzzer)
        nets.part("R_BZ", "100", a="TONE", b="BZ")
        nets.part("BZ", "buzzer", a="BZ", b="GND")
    pins = ("D9",) if panel.wiring == "matrix-direct" else board.buttons
    presses = [(f"B{number + 1}", pin) for number, pin in enumerate(pins[: panel.buttons])]
    for name, pin in [*presses, *([("LEVER", board.lever)] if panel.lever else [])]:
        nets.join(f"P_{name}", "U1", pin)
        nets.part(f"R_{name}", "220", a=f"P_{name}", b=f"SW_{name}")
        nets.part(name, "switch to ground", a=f"SW_{name}", b="GND")


def cell_name(panel: Panel, cell: int) -> str:
    """The name of a cell on the panel."""
    return rectangle(panel.files, panel.ranks).name(cell) if panel.files else str(cell + 1)
