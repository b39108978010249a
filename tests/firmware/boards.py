# SPDX-License-Identifier: Apache-2.0
"""The shipped panels as simulated boards: which ELF runs on which wiring.

The wiring is written here a second time, from WIRING.md, so that a mistake in the firmware shows.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from companion.link.panel import UNWIRED, Panel, load_panel, order_of
from tests.firmware.pico import CLOCK_HZ, PicoSimulator, pico_elf
from tests.firmware.simulator import IDEAL, Column, LedImage, Simulator, Topology
from tests.firmware.simulator_library import BUILD, make, require_tools

PICO_PANELS: Final = ("8x8-pico", "20x20-pico")
PANELS: Final = ("4x8", "5x5", "8x8", "16x16", "20x20", "20x20-chain", "wedges-3")
DISPLAY_ADDRESS: Final = 0x27
_CELL_M: Final = 0.04
_LEAD_M: Final = 0.3
_PF_PER_M: Final = 100
"""Wire bound to its neighbours: twice a ribbon cable's 50 pF/m."""
_INPUT_PF: Final = 10
"""A pin of the ATmega328P, an input of a 74HC165: data sheets."""
_SWITCH_PF: Final = 4
"""A 1N4148 at 0 V; an open reed has 0.2 pF."""
_PULL_UP_OHM: Final = {("atmega328p", "matrix-direct"): 50_000, ("rp2040", "matrix-direct"): 80_000}
"""The weakest pull-ups of the chips, by their data sheets; other matrices have resistors."""
_HIGH_MV: Final = {
    ("atmega328p", "matrix-direct"): 3000,
    ("atmega328p", "matrix-shift"): 3500,
    ("atmega2560", "matrix-shift"): 3500,
    ("rp2040", "matrix-direct"): 2000,
    ("rp2040", "matrix-shift"): 2310,
}
"""Lowest level that surely reads high.

ATmega328P: 0.6 of the supply; RP2040: 2 V; 74HC165: 3.15 V at 4.5 V, 0.7 of other supplies.
"""
_SUPPLY_MV: Final = {"rp2040": 3300}
"""Of the switches; 5 V at other chips."""
_LOW_MV: Final = 700
"""A 1N4148 at a milliampere, and a 74HC595 output that is low."""
CHANNEL_US: Final = 2
"""How long the voltage of a hall sensor takes to come through a multiplexer."""

_SHIFT: Final[dict[str, dict[str, Any]]] = {
    "atmega328p": {"row_latch": "PB1", "column_load": "PB0", "led": "PB2", "tone": "PD3"},
    "atmega2560": {"row_latch": "PB6", "column_load": "PB0", "led": "PB5", "tone": "PH6"},
}
_DIRECT: Final[dict[str, Any]] = {
    "row_pins": ("PD4", "PD5", "PD6", "PD7", "PB0", "PB3", "PB4", "PB5"),
    "column_pins": ("PC0", "PC1", "PC2", "PC3"),
    "led": "PB2",
    "tone": "PD3",
}
_PICO: Final[dict[str, dict[str, Any]]] = {
    "matrix-direct": {
        "row_pins": tuple(f"GP{pin}" for pin in range(2, 10)),
        "column_pins": tuple(f"GP{pin}" for pin in range(10, 18)),
    },
    "matrix-shift": {"row_latch": "GP5", "column_load": "GP6"},
}
_PICO_BUTTONS: Final = {
    "matrix-direct": ("GP26", "GP27", "GP28"),
    "matrix-shift": (*(f"GP{pin}" for pin in range(7, 18)), "GP26", "GP27", "GP28"),
}
_MUX: Final[dict[str, Any]] = {
    "mux_select": ("PD4", "PD5", "PD6", "PD7"),
    "led": "PB2",
    "tone": "PD3",
}
_ELF_PREFIX: Final = {"atmega328p": "nano", "atmega2560": "mega"}
_BUTTONS: Final = {
    "atmega328p": ("PD4", "PD5", "PD6", "PD7", "PC0", "PC1", "PC2", "PC3"),
    "atmega2560": tuple(f"P{port}{bit}" for port in "AC" for bit in range(8)),
}
_LEVER: Final = {"atmega328p": "PD2", "atmega2560": "PE4"}


@dataclass(frozen=True, slots=True)
class Board:
    """One panel with its firmware and the pins of its buttons and lever.

    They close to ground.
    """

    panel: Panel
    elf: Path
    topology: Topology
    buttons: tuple[str, ...]
    lever: str

    def powered(self, **wiring: Any) -> Simulator:
        """A simulator of this board; *wiring* changes its topology.

        That of a Pico has those methods of `Simulator` that make sense for it.
        """
        topology = replace(self.topology, **wiring)
        if self.panel.chip == "rp2040":
            return cast("Simulator", PicoSimulator(self.elf, topology))
        return Simulator(self.elf, topology)

    def colours(self, images: Iterable[LedImage]) -> list[tuple[int, int, int]]:
        """Red, green and blue of each cell's LED after *images*; WS2812 take green first.

        An image may end before the strip does: the LEDs beyond keep their colours.
        """
        strip = bytearray(3 * self.panel.leds)
        for image in images:
            strip[: len(image.data)] = image.data
        places = order_of(self.panel.led_order, self.panel.leds, self.panel.files)
        return [(strip[3 * place + 1], strip[3 * place], strip[3 * place + 2]) for place in places]


def column_of(panel: Panel) -> Column:
    """The slowest column that WIRING.md and the data sheets allow on *panel*.

    Its wire passes every row of the board; nothing here comes from the firmware.
    """
    if not panel.wiring.startswith("matrix"):
        return IDEAL
    wire_m = panel.sensor_rows * _CELL_M + _LEAD_M
    return Column(
        _PULL_UP_OHM.get((panel.chip, panel.wiring), 10_000),
        round(wire_m * _PF_PER_M) + _INPUT_PF,
        _SWITCH_PF,
        low_mv=_LOW_MV,
        high_mv=_HIGH_MV[panel.chip, panel.wiring],
        supply_mv=_SUPPLY_MV.get(panel.chip, 5000),
    )


@functools.cache
def board(name: str) -> Board:
    """The panel *name* with its firmware built.

    Skips the calling test if the tools are missing.
    """
    panel = load_panel(name)
    if panel.chip == "rp2040":
        return _pico_board(panel)
    require_tools()
    elf = BUILD / f"{_ELF_PREFIX[panel.chip]}-{name}.elf"
    make("Makefile", str(elf))
    is_direct = panel.wiring == "matrix-direct"
    pins = _DIRECT if is_direct else _MUX if panel.wiring == "mux" else _SHIFT[panel.chip]
    if panel.wiring == "chain":
        pins = {**pins, "row_latch": ""}
    topology = Topology(
        panel.chip,
        _positions(panel),
        columns=panel.sensor_columns,
        rows=panel.sensor_rows,
        row_active=0,
        column=column_of(panel),
        channel_us=CHANNEL_US if panel.wiring == "mux" else 0,
        display_address=DISPLAY_ADDRESS,
        **pins,
    )
    fixed = {"matrix-direct": ("PB1",), "mux": ("PB0", "PB1")}
    buttons = fixed.get(panel.wiring, _BUTTONS[panel.chip][: panel.buttons])
    return Board(panel, elf, topology, buttons, _LEVER[panel.chip])


def _positions(panel: Panel) -> list[int]:
    """The position of each cell's switch."""
    order = order_of(panel.sensor_order, panel.sensor_rows * panel.sensor_columns, panel.sensor_columns)
    wired = {cell: position for position, cell in enumerate(order) if cell != UNWIRED}
    return [wired[cell] for cell in range(panel.cells)]


def _pico_board(panel: Panel) -> Board:
    """The panel of a Raspberry Pi Pico with its firmware built."""
    topology = Topology(
        panel.chip,
        _positions(panel),
        columns=panel.sensor_columns,
        rows=panel.sensor_rows,
        row_active=0,
        column=column_of(panel),
        led="GP22",
        tone="GP18",
        display_address=DISPLAY_ADDRESS,
        clock_hz=CLOCK_HZ,
        **_PICO[panel.wiring],
    )
    return Board(panel, pico_elf(panel.name), topology, _PICO_BUTTONS[panel.wiring][: panel.buttons], "GP19")
