# SPDX-License-Identifier: Apache-2.0
"""The board as its builder sees it, and the list of its wires. Pure."""

from __future__ import annotations

from typing import Final

from companion.link.panel import UNWIRED, order_of
from firmware.hardware.netlist import Net, Netlist, cell_name

_SIZE: Final = 62
_COLOURS: Final = (
    (("5V",), "red"),
    (("3V3",), "orange"),
    (("GND",), "black"),
    (("ROW", "P_ROW"), "yellow"),
    (("COL",), "blue"),
    (("SCK", "MOSI", "MISO", "LATCH", "LOAD", "SER", "QH"), "green"),
    (("LED_DATA", "LED_5V", "DIN"), "white"),
    (("SDA", "SCL"), "violet"),
    (("N_",), "none: reed and diode are soldered together"),
)
"""Beginnings of the names of nets, and the colour of their wire."""


def colour_of(net: Net) -> str:
    """The colour of the wire for *net*."""
    return next((colour for begins, colour in _COLOURS if net.name.startswith(begins)), "grey")


def wiring_list(netlist: Netlist) -> str:
    """The wires of *netlist* as CSV; each joins all the pins of its line.

    Reed and diode of a cell are one bridge, and the LEDs of a strip come joined.
    """
    lines = ["wire;colour;joins"]
    strip = {part.ref for part in netlist.parts if part.kind == "WS2812B"}
    for net in netlist.nets:
        pins = [pin for pin in net.pins if pin.part not in strip or net.name == "DIN1"]
        if len(pins) > 1 and not net.name.startswith("N_"):
            joins = ", ".join(f"{pin.part} {pin.pin}" for pin in pins)
            lines.append(f"{net.name};{colour_of(net)};{joins}")
    return "\n".join(lines) + "\n"


def board_view(netlist: Netlist) -> str:
    """The cells from above, with row, column and LED, as SVG."""
    panel = netlist.panel
    wide = panel.files or 16
    rows = -(-panel.cells // wide)
    order = order_of(panel.sensor_order, panel.sensor_rows * panel.sensor_columns, panel.sensor_columns)
    place_of = order_of(panel.led_order, panel.leds, panel.files)
    middles: dict[int, tuple[int, int]] = {}
    frames, texts = [], []
    for position, cell in enumerate(order):
        if cell == UNWIRED:
            continue
        row, column = divmod(position, panel.sensor_columns)
        x, y = cell % wide * _SIZE, (rows - 1 - cell // wide) * _SIZE
        if cell < panel.leds:
            middles[place_of[cell]] = (x + _SIZE // 2, y + 42)
        led = f"LED {place_of[cell] + 1}" if cell < panel.leds else ""
        frames.append(f'<rect x="{x}" y="{y}" width="{_SIZE}" height="{_SIZE}"/>')
        texts += [
            f'<text x="{x + 31}" y="{y + 20}" class="name">{cell_name(panel, cell)}</text>',
            f'<text x="{x + 31}" y="{y + 34}">R{row + 1} C{column + 1}</text>',
            f'<text x="{x + 31}" y="{y + 56}">{led}</text>',
        ]
    path = " ".join(f"{x},{y}" for _, (x, y) in sorted(middles.items()))
    size = f"{wide * _SIZE} {rows * _SIZE}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {wide * _SIZE + 4} {rows * _SIZE + 4}"'
        f' width="{size.split()[0]}" height="{size.split()[1]}">\n'
        "<style>rect{fill:#fff;stroke:#444}text{font:10px sans-serif;text-anchor:middle}"
        ".name{font-weight:bold;font-size:14px}polyline{fill:none;stroke:#08c;stroke-opacity:.6;stroke-width:2}</style>\n"
        + "\n".join([*frames, f'<polyline points="{path}"/>', *texts])
        + "\n</svg>\n"
    )
