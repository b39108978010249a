# SPDX-License-Identifier: Apache-2.0
"""The schematic of a panel, drawn by schemdraw from its netlist.

Wires are drawn from joint to joint, and nets of several places are joined by their names, so that
`Sheet.joined` can read the nets back from the geometry of the drawing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

import schemdraw
import schemdraw.elements as elm

from companion.link.panel import UNWIRED, Panel, order_of
from firmware.hardware.netlist import Netlist, Part, Pin, cell_name, column_net, row_net

Point: TypeAlias = tuple[float, float]
Side: TypeAlias = Literal["left", "right"]
_SIDES: Final[tuple[Side, Side]] = ("left", "right")

_LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
_CELL_W: Final = 3.4
_CELL_H: Final = 2.8
_REED: Final = 2.0
_DROP: Final = 1.5
_TWO_PINS: Final[dict[str, tuple[Any, str, str]]] = {
    "10k": (elm.Resistor, "a", "b"),
    "220": (elm.Resistor, "a", "b"),
    "330": (elm.Resistor, "a", "b"),
    "100": (elm.Resistor, "a", "b"),
    "10uF": (elm.Capacitor2, "plus", "minus"),
    "reed": (elm.SwitchReed, "a", "b"),
    "1N4148": (elm.Diode, "anode", "cathode"),
    "buzzer": (elm.RBox, "a", "b"),
    "switch to ground": (elm.Button, "a", "b"),
    "WS2812B": (elm.RBox, "DIN", "DOUT"),
}
"""How a part with two wires is drawn, and its pins at both ends."""
_CHIPS: Final = ("74HC595", "74HC165", "74AHCT125", "PCF8574 display")
"""What is drawn as a box, besides the board with the chip."""


def _rounded(point: Any) -> Point:
    """A point of the drawing, comparable."""
    return round(float(point[0]), 3), round(float(point[1]), 3)


class Sheet:
    """A drawing, with what was drawn at which point."""

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        self.drawing = schemdraw.Drawing(show=False)
        self.drawing.config(fontsize=8, unit=_REED, lw=1)
        self._kinds = {part.ref: part.kind for part in netlist.parts}
        self._pins: dict[Pin, Point] = {}
        self._names: dict[str, list[Point]] = defaultdict(list)

    def between(self, ref: str, begin: Point, end: Point, label: str = "") -> None:
        """Draw the part *ref* between two points."""
        element, first, second = _TWO_PINS[self._kinds[ref]]
        placed = element().at(begin).to(end)
        if label:
            placed.label(
                label,
                fontsize=10,
                loc="center" if element is elm.RBox else "top",
            )
        self.drawing.add(placed)
        self._pins[Pin(ref, first)] = _rounded(placed.absanchors["start"])
        self._pins[Pin(ref, second)] = _rounded(placed.absanchors["end"])

    def chip(self, ref: str, at: Point, sides: Sequence[Sequence[str]]) -> None:
        """Draw the chip *ref*; *sides* are its pins at the left and right."""
        pins = [
            elm.IcPin(name=name, side=side, anchorname=f"pin {name}")
            for side, names in zip(_SIDES, sides, strict=True)
            for name in names
        ]
        placed = elm.Ic(pins=pins, pinspacing=0.75, edgepadH=0.5, leadlen=0.4, lblsize=11).at(at)
        placed.label(f"{ref}\n{self._kinds[ref]}", loc="top")
        self.drawing.add(placed)
        for side, names in zip(_SIDES, sides, strict=True):
            for name in names:
                point = placed.absanchors[f"pin {name}"]
                self._pins[Pin(ref, name)] = _rounded(point)
                self.name(_rounded(point), self.netlist.net_of(ref, name).name, side)

    def wire(self, *points: Point) -> None:
        """Draw a wire through *points*; where another one begins there, both are joined."""
        for begin, end in pairwise(points):
            self.drawing.add(elm.Line().at(begin).to(end))

    def point_of(self, pin: Pin) -> Point:
        """Where *pin* was drawn."""
        return self._pins[pin]

    def joint(self, point: Point) -> None:
        self.drawing.add(elm.Dot(radius=0.06).at(point))

    def name(self, point: Point, net: str, side: Side = "left", above: float = 0) -> None:
        """Write the name of the net of a point; *above* lifts the text."""
        at = (point[0] + (-0.1 if side == "left" else 0.1), point[1] + above)
        text_side: Side = "right" if side == "left" else "left"
        label = elm.Label().at(at).label(net, fontsize=10, halign=text_side, valign="center", ofst=0)
        self.drawing.add(label)
        self._names[net].append(_rounded(point))

    def joined(self) -> frozenset[frozenset[Pin]]:
        """The pins that are joined by wires, by touching, or by names."""
        groups = _Groups()
        for element in self.drawing.elements:
            if type(element) is elm.Line:
                groups.join(_rounded(element.absanchors["start"]), _rounded(element.absanchors["end"]))
        for net, points in self._names.items():
            for point in points:
                groups.join(point, net)
        found: dict[object, set[Pin]] = defaultdict(set)
        for pin, point in self._pins.items():
            found[groups.root(point)].add(pin)
        return frozenset(map(frozenset, found.values()))


def as_svg(sheet: Sheet) -> bytes:
    """The drawing as SVG, rounded: digits beyond tenths are half of the file."""
    text = sheet.drawing.get_imagedata("svg").decode()
    return _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.1f}", text).encode()


class _Groups:
    """Points and names that are joined, as a forest."""

    def __init__(self) -> None:
        self._above: dict[object, object] = {}

    def root(self, node: object) -> object:
        """The root of the tree of *node*."""
        while node in self._above:
            node = self._above[node]
        return node

    def join(self, one: object, other: object) -> None:
        """Join the trees of two nodes."""
        if (first := self.root(one)) != (second := self.root(other)):
            self._above[first] = second


def drawn_nets(netlist: Netlist) -> frozenset[frozenset[Pin]]:
    """The nets that a schematic shows: LEDs bring their supply with the strip."""
    strip = {part.ref for part in netlist.parts if part.kind == "WS2812B"}
    nets = (
        frozenset(pin for pin in net.pins if not (pin.part in strip and pin.pin in ("VDD", "GND")))
        for net in netlist.nets
    )
    ends = (frozenset((Pin(ref, "DOUT"),)) for ref in strip if Pin(ref, "DOUT") not in netlist.net_at)
    return frozenset(net for net in (*nets, *ends) if net)


def schematic(netlist: Netlist) -> Sheet:
    """Draw *netlist*."""
    sheet, panel = Sheet(netlist), netlist.panel
    _matrix(sheet, panel)
    bottom = -(panel.sensor_rows + 1) * _CELL_H
    chips = [part for part in netlist.parts if part.kind in (netlist.board.kind, *_CHIPS)]
    lowest = min(_chip(sheet, part, (place * 6.5, bottom)) for place, part in enumerate(chips))
    below = min(bottom - 10, lowest - 1.5)
    _small_parts(sheet, below)
    if panel.leds:
        _strip(sheet, panel, below - 4)
    return sheet


def _matrix(sheet: Sheet, panel: Panel) -> None:
    """Draw the switches: each with its diode a bridge between a column and a row."""
    order = order_of(panel.sensor_order, panel.sensor_rows * panel.sensor_columns, panel.sensor_columns)
    for column in range(panel.sensor_columns):
        x = column * _CELL_W
        top: Point = (x, 1.4)
        if panel.wiring == "matrix-shift":
            sheet.between(f"R_{column_net(column)}", (x, 3.4), top, "10k")
            sheet.name((x, 3.4), sheet.netlist.board.logic, "right")
        sheet.name(top, column_net(column), "right")
        ends = [
            top,
            *(
                (x, -row * _CELL_H)
                for row in range(panel.sensor_rows)
                if order[row * panel.sensor_columns + column] != UNWIRED
            ),
        ]
        sheet.wire(*ends)
    for row in range(panel.sensor_rows):
        y = -row * _CELL_H - _DROP
        left: Point = (-1.2, y)
        sheet.name(left, row_net(row), above=0.25 if panel.wiring == "matrix-direct" else 0)
        if panel.wiring == "matrix-direct":
            sheet.between(f"R_{row_net(row)}", (-5.0, y), (-3.0, y), "220")
            sheet.wire((-3.0, y), left)
            sheet.name((-5.0, y), f"P_{row_net(row)}")
        joints = [left]
        for column in range(panel.sensor_columns):
            cell = order[row * panel.sensor_columns + column]
            if cell == UNWIRED:
                continue
            name, x = cell_name(panel, cell), column * _CELL_W
            middle: Point = (x + _REED, -row * _CELL_H)
            foot: Point = (x + _REED, y)
            sheet.between(f"S_{name}", (x, -row * _CELL_H), middle, name)
            sheet.between(f"D_{name}", middle, foot)
            sheet.joint((x, -row * _CELL_H))
            sheet.joint(foot)
            joints.append(foot)
        sheet.wire(*joints)


def _chip(sheet: Sheet, part: Part, at: Point) -> float:
    """Draw a chip with its connected pins; return its lower edge."""
    pins = list(
        dict.fromkeys(pin.pin for net in sheet.netlist.nets for pin in net.pins if pin.part == part.ref)
    )
    half = (len(pins) + 1) // 2
    height = 0.75 * half
    sheet.chip(part.ref, (at[0], at[1] - height), (pins[:half], pins[half:]))
    return at[1] - height


def _small_parts(sheet: Sheet, y: float) -> None:
    """Draw other parts that have two wires."""
    x = 0.0
    for part in sheet.netlist.parts:
        in_matrix = part.ref.startswith(("R_ROW", "R_COL")) or part.cell >= 0
        if part.kind not in _TWO_PINS or in_matrix or part.kind == "WS2812B":
            continue
        _, first, second = _TWO_PINS[part.kind]
        begin, end = (x, y), (x, y - 2)
        sheet.between(part.ref, begin, end, f"{part.ref} {part.kind}" if part.kind[0].isdigit() else part.ref)
        for point, pin in ((begin, first), (end, second)):
            sheet.name(point, sheet.netlist.net_of(part.ref, pin).name, "right")
        x += 3.0


def _strip(sheet: Sheet, panel: Panel, y: float) -> None:
    """Draw the LEDs in the order of the strip, as on the board."""
    places = order_of(panel.led_order, panel.leds, panel.files)
    cell_at = {place: cell for cell, place in enumerate(places)}
    wide = panel.files or 16
    for place in range(panel.leds):
        cell = cell_at[place]
        ref = f"L_{cell_name(panel, cell)}" if cell < panel.cells else f"L_{place + 1}"
        rank, step = divmod(place, wide)
        is_back = rank % 2 == 1
        x = (wide - step if is_back else step) * 2.4
        begin: Point = (x, y - rank * 1.6)
        end: Point = (x - 1.6, begin[1]) if is_back else (x + 1.6, begin[1])
        sheet.between(ref, begin, end, cell_name(panel, cell) if cell < panel.cells else str(place + 1))
        if place == 0:
            sheet.name(begin, "DIN1")
        if place + 1 < panel.leds:
            after: Point = (x - 2.4, begin[1]) if is_back else (x + 2.4, begin[1])
            if step + 1 < wide:
                sheet.wire(end, after)
            else:
                below: Point = (wide * 2.4 if not is_back else 0.0, begin[1] - 1.6)
                sheet.wire(end, (below[0], begin[1]), below)
