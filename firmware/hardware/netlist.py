# SPDX-License-Identifier: Apache-2.0
"""The parts and nets of a panel, from the file that builds its firmware.

Pure. The pins are those of `chips`; a test compares them with the simulated boards on which the
firmware runs. A net is named for what it carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from companion.link.panel import UNWIRED, Panel, order_of
from companion.model.grid import Grid, rectangle

SHIFT_BITS: Final = 8
QA: Final = ("QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH")
"""Outputs of a 74HC595."""
INPUTS: Final = ("A", "B", "C", "D", "E", "F", "G", "H")
"""Inputs of a 74HC165."""


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
class Direct:
    """The pins of a matrix without shift registers, and the buttons beside them."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    buttons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The pins of a board with a chip, and the supply of its logic."""

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
    direct: Direct | None = None
    supply: str = "5V"
    """The pin that gives, or takes, 5 V."""
    logic: str = "5V"
    """The net that supplies shift registers, pull-ups and the display."""


NANO: Final = Board(
    "Nano", "D13", "D11", "D12", "D9", "D8", "D10", "D3", "D2", "A4", "A5",
    ("D4", "D5", "D6", "D7", "A0", "A1", "A2", "A3"),
    Direct(("D4", "D5", "D6", "D7", "D8", "D11", "D12", "D13"), ("A0", "A1", "A2", "A3"), ("D9",)),
)  # fmt: skip
MEGA: Final = Board(
    "Mega", "D52", "D51", "D50", "D12", "D53", "D11", "D9", "D2", "D20", "D21",
    tuple(f"D{number}" for number in (*range(22, 30), *range(37, 30, -1))),
)  # fmt: skip
PICO: Final = Board(
    "Pico", "GP2", "GP3", "GP4", "GP5", "GP6", "GP22", "GP18", "GP19", "GP20", "GP21",
    tuple(f"GP{number}" for number in (*range(7, 18), *range(26, 29))),
    Direct(
        tuple(f"GP{number}" for number in range(2, 10)),
        tuple(f"GP{number}" for number in range(10, 18)),
        ("GP26", "GP27", "GP28"),
    ),
    supply="VBUS", logic="3V3",
)  # fmt: skip
BOARDS: Final = {"atmega328p": NANO, "atmega2560": MEGA, "rp2040": PICO}


class NotDrawn(ValueError):
    """The wiring of the panel is no diode matrix, or its chip has no drawing."""


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
    """The netlist of *panel*. Raises `NotDrawn` for other chips and wirings than those drawn."""
    if not panel.has_rows:
        raise NotDrawn(f"the panel {panel.name} is no diode matrix: its wiring is {panel.wiring}")
    if panel.chip not in BOARDS:
        raise NotDrawn(f"the panel {panel.name} is not drawn: its chip is {panel.chip}")
    board, nets = BOARDS[panel.chip], _Nets()
    nets.part("U1", board.kind, **{board.supply: "5V", "GND": "GND"})
    if board.logic != "5V":
        nets.join(board.logic, "U1", board.logic)
    if panel.wiring == "matrix-direct":
        _direct(panel, board, nets)
    else:
        _shift_registers(panel, board, nets)
    _switches(panel, nets)
    _strip(panel, board, nets)
    _outputs(panel, board, nets)
    joined = nets.nets()
    net_at = {pin: net for net in joined for pin in net.pins}
    return Netlist(panel, board, tuple(nets.parts), joined, net_at)


def _direct(panel: Panel, board: Board, nets: _Nets) -> None:
    """Rows and columns on pins of the chip, which pulls the columns up."""
    if board.direct is None:
        raise NotDrawn(f"the panel {panel.name} is not drawn: a {board.kind} has no direct matrix")
    for row in range(panel.sensor_rows):
        nets.join(f"P_{row_net(row)}", "U1", board.direct.rows[row])
        nets.part(f"R_{row_net(row)}", "220", a=f"P_{row_net(row)}", b=row_net(row))
    for column in range(panel.sensor_columns):
        nets.join(column_net(column), "U1", board.direct.columns[column])


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
        pins = {"SER": given, "SRCLK": "SCK", "RCLK": "LATCH", "SRCLR": board.logic, "VCC": board.logic}
        nets.part(ref, "74HC595", **pins, OE="GND", GND="GND")
        if chip + 1 < drivers:
            nets.join(f"SER{chip + 1}", ref, "QH'")
        for bit in range(SHIFT_BITS):
            if (row := SHIFT_BITS * chip + bit) < panel.sensor_rows:
                nets.join(row_net(row), ref, QA[bit])
    _column_readers(panel, board, nets, drivers)


def _column_readers(panel: Panel, board: Board, nets: _Nets, drivers: int) -> None:
    """The 74HC165, after the 74HC595 in the numbers of the chips, and the pull-ups."""
    readers = -(-panel.sensor_columns // SHIFT_BITS)
    for chip in range(readers):
        ref = f"U{2 + drivers + chip}"
        given = "GND" if chip + 1 == readers else f"QH{chip + 1}"
        nets.part(
            ref,
            "74HC165",
            **{
                "CLK": "SCK",
                "SH/LD": "LOAD",
                "SER": given,
                "VCC": board.logic,
                "CLK INH": "GND",
                "GND": "GND",
            },
        )
        nets.join("MISO" if chip == 0 else f"QH{chip}", ref, "QH")
        for bit in range(SHIFT_BITS):
            column = SHIFT_BITS * chip + bit
            is_used = column < panel.sensor_columns
            nets.join(column_net(column) if is_used else board.logic, ref, INPUTS[bit])
    for column in range(panel.sensor_columns):
        nets.part(f"R_{column_net(column)}", "10k", a=board.logic, b=column_net(column))


def _strip(panel: Panel, board: Board, nets: _Nets) -> None:
    """The LEDs, in the order of the strip."""
    if panel.leds:
        nets.join("LED_DATA", "U1", board.leds)
        is_shifted = board.logic != "5V"  # a one of 3.3 V is too low for the LEDs
        if is_shifted:
            shifter = {"1A": "LED_DATA", "1Y": "LED_5V", "VCC": "5V", "1OE": "GND", "GND": "GND"}
            unused = {f"{gate}{pin}": "GND" for gate in (2, 3, 4) for pin in ("A", "OE")}
            nets.part("U_LED", "74AHCT125", **shifter, **unused)
        nets.part("R_LED", "330", a="LED_5V" if is_shifted else "LED_DATA", b="DIN1")
        place_of = order_of(panel.led_order, panel.leds, panel.files)
        for cell, place in enumerate(place_of):
            ref = f"L_{cell_name(panel, cell)}" if cell < panel.cells else f"L_{place + 1}"
            nets.part(ref, "WS2812B", cell, VDD="5V", GND="GND", DIN=f"DIN{place + 1}")
            if place + 1 < panel.leds:
                nets.join(f"DIN{place + 2}", ref, "DOUT")
        nets.part("C_LED", "10uF", plus="5V", minus="GND")


def _outputs(panel: Panel, board: Board, nets: _Nets) -> None:
    """Display, buzzer, buttons and lever."""
    if panel.display != "none":
        nets.join("SDA", "U1", board.sda)
        nets.join("SCL", "U1", board.scl)
        nets.part("LCD", "PCF8574 display", VCC=board.logic, GND="GND", SDA="SDA", SCL="SCL")
    if panel.tone:
        nets.join("TONE", "U1", board.buzzer)
        nets.part("R_BZ", "100", a="TONE", b="BZ")
        nets.part("BZ", "buzzer", a="BZ", b="GND")
    direct = board.direct if panel.wiring == "matrix-direct" else None
    pins = direct.buttons if direct else board.buttons
    presses = [(f"B{number + 1}", pin) for number, pin in enumerate(pins[: panel.buttons])]
    for name, pin in [*presses, *([("LEVER", board.lever)] if panel.lever else [])]:
        nets.join(f"P_{name}", "U1", pin)
        nets.part(f"R_{name}", "220", a=f"P_{name}", b=f"SW_{name}")
        nets.part(name, "switch to ground", a=f"SW_{name}", b="GND")


def cell_name(panel: Panel, cell: int) -> str:
    """The name of a cell on the panel."""
    return _grid(panel.files, panel.ranks).name(cell) if panel.files else str(cell + 1)


@cache
def _grid(files: int, ranks: int) -> Grid:
    """The grid that names the cells of a panel: each name would build it again."""
    return rectangle(files, ranks)
