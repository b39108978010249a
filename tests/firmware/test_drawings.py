# SPDX-License-Identifier: Apache-2.0
"""Drawing, netlist, panel file and firmware agree about what is soldered to what."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from companion.link.panel import load_panel, order_of
from firmware.hardware.__main__ import drawings
from firmware.hardware.netlist import Netlist, NotDrawn, Pin, cell_name, netlist
from firmware.hardware.schematic import drawn_nets, schematic
from firmware.hardware.views import board_view, wiring_list
from tests.firmware.boards import board
from tests.firmware.simulator import Topology

DRAWINGS = Path(__file__).parents[2] / "firmware" / "hardware" / "drawings"
PANELS = (
    "4x8",
    "8x8",
    pytest.param("8x8-pico", marks=pytest.mark.long),
    pytest.param("16x16", marks=pytest.mark.long),
    pytest.param("20x20", marks=pytest.mark.long),
    pytest.param("20x20-pico", marks=pytest.mark.long),
)
COMMITTED = ("4x8", "8x8", "8x8-pico")
NANO = {
    **{f"D{bit}": f"PD{bit}" for bit in range(8)},
    **{f"D{8 + bit}": f"PB{bit}" for bit in range(6)},
    **{f"A{bit}": f"PC{bit}" for bit in range(6)},
}
MEGA = {
    **{f"D{22 + bit}": f"PA{bit}" for bit in range(8)},
    **{f"D{37 - bit}": f"PC{bit}" for bit in range(8)},
    **{"D50": "PB3", "D51": "PB2", "D52": "PB1", "D53": "PB0", "D12": "PB6", "D11": "PB5", "D9": "PH6"},
    **{"D2": "PE4", "D20": "PD1", "D21": "PD0"},
}
"""Pins of an Arduino, as the chip's data sheet names them."""
PICO = {f"GP{pin}": f"GP{pin}" for pin in range(29)}
PORTS = {"Nano": NANO, "Mega": MEGA, "Pico": PICO}
CHAIN_OUT, CHAIN_IN = (
    ["QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH"],
    ["A", "B", "C", "D", "E", "F", "G", "H"],
)


def pins_of(nets: Netlist, name: str) -> tuple[Pin, ...]:
    """The pins of the net *name*."""
    return next(net.pins for net in nets.nets if net.name == name)


def port_of(nets: Netlist, net: str) -> str:
    """The chip's name of the Arduino's pin on *net*, also behind a resistor."""
    pins = pins_of(nets, net)
    table = PORTS[nets.board.kind]
    return next(table[pin.pin] for pin in pins if pin.part == "U1")


def line_of(nets: Netlist, net: str, outputs: list[str]) -> int:
    """The number of the row or column *net*, by its shift register."""
    kind = "74HC595" if outputs is CHAIN_OUT else "74HC165"
    chips = [part.ref for part in nets.parts if part.kind == kind]
    pins = pins_of(nets, net)
    return next(8 * chips.index(pin.part) + outputs.index(pin.pin) for pin in pins if pin.part in chips)


def position_of(nets: Netlist, cell: int, topology: Topology) -> int:
    """Where the firmware finds the switch of *cell*: follow its wires through the netlist."""
    name = cell_name(nets.panel, cell)
    assert nets.net_of(f"S_{name}", "b") == nets.net_of(f"D_{name}", "anode")
    column, row = nets.net_of(f"S_{name}", "a").name, nets.net_of(f"D_{name}", "cathode").name
    if topology.row_latch:
        return line_of(nets, row, CHAIN_OUT) * topology.columns + line_of(nets, column, CHAIN_IN)
    rows, columns = list(topology.row_pins), list(topology.column_pins)
    driver = nets.net_of(f"R_{row}", "a").name
    return rows.index(port_of(nets, driver)) * topology.columns + columns.index(port_of(nets, column))


@pytest.mark.firmware
@pytest.mark.parametrize("name", PANELS)
def test_the_netlist_is_the_board_on_which_the_firmware_runs(name: str) -> None:
    tested = board(name)
    nets, topology = netlist(tested.panel), tested.topology
    cells = range(tested.panel.cells)
    assert [position_of(nets, cell, topology) for cell in cells] == list(topology.positions)
    assert port_of(nets, "LED_DATA") == topology.led
    assert port_of(nets, "TONE") == topology.tone
    assert port_of(nets, "P_LEVER") == tested.lever
    assert tuple(port_of(nets, f"P_B{number + 1}") for number in range(len(tested.buttons))) == tested.buttons
    if topology.row_latch:
        assert (port_of(nets, "LATCH"), port_of(nets, "LOAD")) == (topology.row_latch, topology.column_load)


@pytest.mark.parametrize("name", PANELS)
def test_every_part_of_the_panel_file_is_in_the_netlist_once(name: str) -> None:
    panel = load_panel(name)
    nets = netlist(panel)
    kinds = Counter(part.kind for part in nets.parts)
    assert (kinds["reed"], kinds["1N4148"], kinds["WS2812B"]) == (panel.cells, panel.cells, panel.leds)
    assert kinds["switch to ground"] == panel.buttons + panel.lever
    pins = Counter(pin for net in nets.nets for pin in net.pins)
    assert set(pins.values()) == {1}
    strip = order_of(panel.led_order, panel.leds, panel.files)
    for cell, place in enumerate(strip):
        assert nets.net_of(f"L_{cell_name(panel, cell)}", "DIN").name == f"DIN{place + 1}"


@pytest.mark.parametrize("name", [*COMMITTED, pytest.param("20x20", marks=pytest.mark.long)])
def test_the_schematic_joins_what_the_netlist_joins(name: str) -> None:
    nets = netlist(load_panel(name))
    assert schematic(nets).joined() == drawn_nets(nets)


def test_a_wire_that_is_drawn_to_another_part_is_noticed() -> None:
    nets = netlist(load_panel("4x8"))
    sheet = schematic(nets)
    sheet.wire(sheet.point_of(Pin("S_a1", "b")), sheet.point_of(Pin("S_b1", "b")))
    assert sheet.joined() != drawn_nets(nets)


@pytest.mark.parametrize("name", COMMITTED)
def test_the_drawings_are_those_of_the_panel_file(name: str) -> None:
    stale = [file for file, content in drawings(name).items() if (DRAWINGS / file).read_bytes() != content]
    assert stale == [], "run: python -m firmware.hardware firmware/hardware/drawings " + " ".join(COMMITTED)


def test_the_board_view_names_every_cell_and_the_list_every_wire() -> None:
    nets = netlist(load_panel("8x8"))
    view, wires = board_view(nets), wiring_list(nets)
    assert all(f">{cell_name(nets.panel, cell)}<" in view for cell in range(64))
    assert all(f">LED {number}<" in view for number in range(1, 65))
    for row in range(1, 9):
        (line,) = [each for each in wires.splitlines() if each.startswith(f"ROW{row};")]
        assert line.count("cathode") == 8
    assert "SCK;green;U1 D13, U2 SRCLK, U3 CLK" in wires


WIRING = (DRAWINGS.parents[1] / "WIRING.md").read_text(encoding="utf-8")
LISTED = {
    "reed": "reed switch",
    "1N4148": "diode 1N4148",
    "WS2812B": "WS2812B LED strip",
    "74HC595": "74HC595",
    "74HC165": "74HC165",
    "10k": "resistor 10 kΩ",
}
"""How the parts list begins the line of a kind."""


@pytest.mark.parametrize(
    ("column", "name"), [(1, "4x8"), (2, "8x8"), pytest.param(3, "20x20", marks=pytest.mark.long)]
)
def test_the_parts_list_has_the_quantities_of_the_netlist(column: int, name: str) -> None:
    kinds = Counter(part.kind for part in netlist(load_panel(name)).parts)
    for kind, begins in LISTED.items():
        (line,) = [line for line in WIRING.splitlines() if line.startswith(f"| {begins}")]
        assert int(line.split("|")[1 + column].strip() or 0) == kinds[kind], kind


def test_other_wirings_than_a_diode_matrix_are_refused_by_name() -> None:
    with pytest.raises(NotDrawn, match="5x5 is no diode matrix: its wiring is chain"):
        netlist(load_panel("5x5"))


def test_another_order_of_the_switches_moves_their_wires() -> None:
    panel = load_panel("4x8")
    turned = replace(panel, sensor_order=tuple(reversed(range(32))))
    assert netlist(turned).net_of("S_a1", "a").name == "COL4"
    assert netlist(turned).net_of("D_a1", "cathode").name == "ROW8"
