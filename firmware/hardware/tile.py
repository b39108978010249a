# SPDX-License-Identifier: Apache-2.0
"""The layout of a tile: eight ranks of cells on a circuit board. Pure.

Its rows, columns and chain of LEDs are those of the panel's netlist. Each row passes from the left
to the right header and each column from the upper to the lower ones, so that tiles side by side
are one matrix. The LEDs of a rank are a chain between both sides: a resistor of 0 ohm joins it
with the next rank where no tile follows. Two more join the chain with that of the tiles above and
below, at the leftmost tiles only.
"""

from __future__ import annotations

from typing import Final

from companion.link.panel import load_panel
from firmware.hardware.copper import At, Board, Mark, Placed
from firmware.hardware.footprints import (
    CHIP_0805,
    DIODE,
    ELECTROLYTIC,
    HALL,
    LED,
    PITCH,
    REED,
    TERMINAL,
    UPRIGHT_0805,
    header,
)
from firmware.hardware.netlist import Netlist, NotDrawn, cell_name, column_net, netlist, row_net
from firmware.hardware.solids import dimensions

RANKS: Final = 8
GROUP: Final = 4
"""Files of an upper or lower header."""
SIDE: Final = header(10, is_upright=True)
END: Final = header(5, is_upright=False)
_FROM_EDGE: Final = 4.6
"""From the middle of a header to its edge of the board."""
_LED_Y: Final = -10.0
_ROW_Y: Final = -3.0
_BUS_Y: Final = -18.0
_SPINE_X: Final = -7.0
_COLUMN_X: Final = 8.0
_LANE: Final = (8.2, 0.8)
"""First vertical track beside a header, from the edge, and the step to the next."""
_JUMPER_X: Final = 16.0
_LINK_X: Final = 42.0
_WIDE: Final = 1.0
_BUS: Final = 2.0
_GND_VIAS: Final = tuple((x, y) for x in (-10.5, 10.5) for y in (-20.5, 4, 16))


def tile(name: str) -> Board:
    """The tile for the panel *name*. Raises `NotDrawn` for panels of other shapes."""
    panel, edge = load_panel(name), float(dimensions()["cell"]["edge"])
    if panel.ranks != RANKS or panel.files % GROUP or panel.led_order != "serpentine":
        raise NotDrawn(f"there is no tile for the panel {name}: {panel.files} by {panel.ranks} cells")
    board = Board(f"tile-{name}", panel.files * edge, panel.ranks * edge)
    layout = _Layout(board, netlist(panel), edge)
    for cell in range(panel.cells):
        layout.cell(cell)
    for rank in range(RANKS):
        layout.rank(rank)
    layout.sides()
    for group in range(panel.files // GROUP):
        layout.ends(group)
    layout.jumpers()
    layout.supply()
    layout.holes()
    return board


class _Layout:
    """A tile while it is laid out."""

    def __init__(self, board: Board, nets: Netlist, edge: float) -> None:
        self.board, self.nets, self.edge = board, nets, edge
        self.files = nets.panel.files
        self.middle = board.height / 2

    def place(self, part: Placed) -> Placed:
        self.board.parts.append(part)
        return part

    def centre(self, file: int, rank: int) -> At:
        """The middle of a cell; rank 0 is at the lower edge."""
        return At((file + 0.5) * self.edge, (RANKS - rank - 0.5) * self.edge)

    def cell(self, cell: int) -> None:
        """Switch, diode, LED and capacitor of a cell, and the tracks between them."""
        rank, file = divmod(cell, self.files)
        name, (x, y) = cell_name(self.nets.panel, cell), self.centre(file, rank)
        row = self.nets.net_of(f"D_{name}", "cathode").name
        column = self.nets.net_of(f"S_{name}", "a").name
        self._switch(name, At(x, y), row, column)
        self._lamp(name, At(x, y + _LED_Y), rank, file)
        for right, down in _GND_VIAS:
            self.board.via("GND", At(x + right, y + down))
        self.board.marks.append(Mark(name, At(x - 18, y + 8), 3))

    def _switch(self, name: str, at: At, row: str, column: str) -> None:
        """Reed or hall switch between row and node, and the diode from column to node."""
        (x, y), board, node = at, self.board, f"N_{name}"
        reed = self.place(Placed(f"S_{name}", "reed", REED, at, {"1": row, "2": node}))
        self.place(Placed(f"H_{name}", "hall", HALL, at, {"1": "5V", "2": node, "3": row}, is_fitted=False))
        diode = self.place(Placed(f"D_{name}", "diode", DIODE, At(x + 5, y + 8), {"1": node, "2": column}))
        board.marks.append(Mark("K", At(x + 6.6, y + 6.35), 1))
        near, far = reed.pad_at("1"), reed.pad_at("2")
        board.path(row, "F.Cu", near, At(x, y - 1))
        cathode, anode = diode.pad_at("1"), diode.pad_at("2")
        board.path(node, "F.Cu", At(x + 0.95, y + 1), At(cathode.x, y + 1), cathode)
        board.path(node, "F.Cu", far, At(x + 2.5, far.y), At(x + 2.5, cathode.y), cathode)
        board.path(column, "F.Cu", anode, At(x + _COLUMN_X, anode.y))
        board.via(column, At(x + _COLUMN_X, anode.y))
        board.path("5V", "F.Cu", At(x - 0.95, y + 1), At(x + _SPINE_X, y + 1))
        board.via("5V", At(x + _SPINE_X, y + 1))

    def _lamp(self, name: str, at: At, rank: int, file: int) -> None:
        """LED and capacitor; every second rank runs from left to right and is turned."""
        board, is_turned = self.board, rank % 2 == 0
        first, after = (file, file + 1) if is_turned else (file + 1, file)
        nets = {"1": "5V", "2": self.led_net(rank, after), "3": "GND", "4": self.led_net(rank, first)}
        lamp = self.place(Placed(f"L_{name}", "led", LED, at, nets, is_turned))
        sign = -1 if is_turned else 1
        spot = At(at.x, at.y - 4.5 * sign)
        board.marks.append(Mark("1", At(at.x - 2.45 * sign, at.y - 3.2 * sign), 1))
        cap = self.place(Placed(f"C_{name}", "100nF", CHIP_0805, spot, {"1": "5V", "2": "GND"}, is_turned))
        supply, ground = lamp.pad_at("1"), lamp.pad_at("3")
        board.path("5V", "F.Cu", supply, At(supply.x, spot.y), cap.pad_at("1"), width=0.5)
        tap = At(at.x - 4.6 * sign, supply.y)
        board.path("5V", "F.Cu", supply, tap, width=0.5)
        board.via("5V", tap)
        board.path("5V", "B.Cu", tap, At(at.x + _SPINE_X, tap.y), width=0.5)
        for pad, right in ((ground, 4.6 * sign), (cap.pad_at("2"), 3.0 * sign)):
            board.path("GND", "F.Cu", pad, At(at.x + right, pad.y), width=0.5)
            board.via("GND", At(at.x + right, pad.y))

    def led_net(self, rank: int, border: int) -> str:
        """The data line of a rank at a border between files."""
        if border == 0:
            return f"LEFT{rank + 1}"
        return f"RIGHT{rank + 1}" if border == self.files else f"DATA{rank + 1}_{border}"

    def rank(self, rank: int) -> None:
        """The tracks along a rank: row, data between its LEDs, and supply."""
        board = self.board
        for border in range(1, self.files):
            left, right = self.centre(border - 1, rank), self.centre(border, rank)
            high, low = left.y + _LED_Y - 1.65, left.y + _LED_Y + 1.65
            bend = left.x + self.edge - 6
            board.path(
                self.led_net(rank, border), "F.Cu",
                At(left.x + 2.45, high), At(bend, high), At(bend, low), At(right.x - 2.45, low),
            )  # fmt: skip
        if rank == RANKS - 1:
            return  # the upper headers lie there
        y = self.centre(0, rank).y + _BUS_Y
        spines = [At(self.centre(file, rank).x + _SPINE_X, y) for file in range(self.files)]
        board.path("5V", "F.Cu", *spines, width=_BUS)
        for spine in spines:
            board.via("5V", At(spine.x - 0.5, y))
            board.via("5V", At(spine.x + 0.5, y))

    def lane(self, side: int, rank: int, *, is_row: bool) -> float:
        """The x of a vertical track beside the left (-1) or right (1) header."""
        number = 2 * min(rank, RANKS - 1 - rank) + (not is_row)
        inwards = _LANE[0] + _LANE[1] * number
        return inwards if side < 0 else self.board.width - inwards

    def line_y(self, side: int, rank: int) -> float:
        """Where the data line of a rank meets the lanes of a side."""
        return self.centre(0, rank).y + _LED_Y - 1.65 * side

    def row_y(self, rank: int) -> float:
        return self.centre(0, rank).y + _ROW_Y

    def sides(self) -> None:
        """The left and right headers with their tracks to all rows and LED chains."""
        board = self.board
        for side, label in ((-1, "LEFT"), (1, "RIGHT")):
            x = _FROM_EDGE if side < 0 else board.width - _FROM_EDGE
            part = self.place(
                Placed(f"J_{label}", "box-header-20", SIDE, At(x, self.middle), side_pins(label))
            )
            for number in range(1, 21):
                self._escape(side, part, number)
            board.marks.append(Mark(label, At(x, self.middle - 19), 1.5, is_below=True))
            first = part.pad_at("1")
            board.marks.append(Mark("1", At(first.x, first.y - 2.2), 1, is_below=True))
        for rank in range(RANKS):
            y, net = self.row_y(rank), row_net(rank)
            begin, end = (At(self.lane(side, rank, is_row=True), y) for side in (-1, 1))
            board.path(net, "F.Cu", begin, end, width=0.3)

    def _escape(self, side: int, part: Placed, number: int) -> None:
        """Lead a pin of a side's header to its row or chain."""
        board, net, pin = self.board, part.nets[str(number)], part.pad_at(str(number))
        is_near = (pin.x - part.at.x) * side < 0
        if net in ("GND", "5V"):
            if net == "5V":
                self._side_supply(side, pin, is_near=is_near)
            return
        is_row, index = net.startswith("ROW"), (number - 1) // 2
        rank = _rank_of(index)
        lane = self.lane(side, rank, is_row=is_row)
        outwards = -1 if index < 5 else 1  # to the upper or the lower edge
        run = pin.y if is_near else pin.y + outwards * PITCH / 2
        board.path(net, "F.Cu", pin, At(pin.x - side * PITCH / 2, run), At(lane, run))
        board.via(net, At(lane, run))
        y = self.row_y(rank) if is_row else self.line_y(side, rank)
        board.path(net, "B.Cu", At(lane, run), At(lane, y))
        board.via(net, At(lane, y))
        if not is_row:
            centre = self.centre(0 if side < 0 else self.files - 1, rank).x
            board.path(net, "F.Cu", At(lane, y), At(centre + 2.45 * side, y))

    def _side_supply(self, side: int, pin: At, *, is_near: bool) -> None:
        """Join the supply pins of a side with the next rail."""
        x = pin.x - side * PITCH
        if is_near:
            x = self.centre(0 if side < 0 else self.files - 1, 0).x + _SPINE_X
            self.board.via("5V", At(x, pin.y))
        self.board.path("5V", "F.Cu", pin, At(x, pin.y), width=_WIDE)

    def ends(self, group: int) -> None:
        """The upper and lower headers of four files, their columns and supply rails."""
        board = self.board
        middle = (group * GROUP + GROUP / 2) * self.edge
        ends = []
        for name, y in (("UP", _FROM_EDGE), ("DOWN", board.height - _FROM_EDGE)):
            pins = end_pins(name, group)
            part = Placed(f"J_{name}{group + 1}", "box-header-10", END, At(middle, y), pins)
            ends.append(self.place(part))
            inwards = 1 if name == "UP" else -1
            board.marks.append(Mark(part.ref[2:], At(middle - 17, y), 1.5, is_below=True))
            first = part.pad_at("1")
            board.marks.append(Mark("1", At(first.x - 2.2, first.y), 1, is_below=True))
            self._end_supply(part, group, inwards)
            if group == 0:
                self._link(part, inwards)
        for file in range(GROUP):
            net = column_net(group * GROUP + file)
            x = self.centre(group * GROUP + file, 0).x + _COLUMN_X
            pads = [part.pad_at(number) for part in ends for number, of in part.nets.items() if of == net]
            for pad in pads:
                board.path(net, "F.Cu", pad, At(x, pad.y))
                board.via(net, At(x, pad.y))
            board.path(net, "B.Cu", *(At(x, pad.y) for pad in pads), width=0.3)
            self._rail(group * GROUP + file, has_header=file == 1)

    def _rail(self, file: int, *, has_header: bool) -> None:
        """The supply rail of a file, to its headers or the outermost parts."""
        upper, lower = self.centre(file, RANKS - 1), self.centre(file, 0)
        x = upper.x + _SPINE_X
        level = _FROM_EDGE + PITCH / 2 + 2
        begin = level if has_header else upper.y + _LED_Y - 1.65
        end = self.board.height - level if has_header else lower.y + 1
        self.board.path("5V", "B.Cu", At(x, begin), At(x, end), width=_BUS)

    def _end_supply(self, part: Placed, group: int, inwards: int) -> None:
        """Join the supply pins of an upper or lower header with the next rail."""
        inner = part.pad_at("4" if inwards > 0 else "3")
        rail = self.centre(group * GROUP + 1, 0).x + _SPINE_X
        self.board.path("5V", "F.Cu", part.pad_at("3"), part.pad_at("4"), width=_WIDE)
        level = inner.y + 2 * inwards
        self.board.path("5V", "F.Cu", inner, At(inner.x, level), At(rail, level), width=_WIDE)
        self.board.via("5V", At(rail, level))

    def _link(self, part: Placed, inwards: int) -> None:
        """Lead the chain from the tile below, or to the tile above, along the edge."""
        board, rank = self.board, RANKS - 1 if inwards > 0 else 0
        net, outer = part.nets["5"], part.pad_at("5" if inwards > 0 else "6")
        chain = f"LEFT{rank + 1}"
        board.path(net, "F.Cu", part.pad_at("5"), part.pad_at("6"))
        lane = self.lane(-1, rank, is_row=False)
        level = 1.5 if inwards > 0 else board.height - 1.5
        board.path(chain, "B.Cu", At(lane, self.line_y(-1, rank)), At(lane, level))
        board.via(chain, At(lane, level))
        ends = {"1": chain, "2": net}
        joint = self.place(Placed(f"R_{net[5:]}", "0R", CHIP_0805, At(_LINK_X, level), ends))
        board.marks.append(Mark(joint.ref, At(_LINK_X + 6, level), 1))
        board.path(chain, "F.Cu", At(lane, level), joint.pad_at("1"))
        board.path(net, "F.Cu", joint.pad_at("2"), At(outer.x, level), outer)

    def jumpers(self) -> None:
        """Resistors of 0 ohm that join the chains of two ranks at a side."""
        for side, label, first in ((-1, "LEFT", 1), (1, "RIGHT", 0)):
            for low in range(first, RANKS - 1, 2):
                if low == RANKS // 2 - 1:
                    self._middle_jumper(label, low)
                else:
                    self._jumper(side, label, low)

    def _jumper(self, side: int, label: str, low: int) -> None:
        """Join the ranks *low* and *low* + 1 beside a header."""
        is_lower = low < RANKS // 2
        near, far = (low + 1, low) if is_lower else (low, low + 1)
        away = 1 if is_lower else -1
        x = _JUMPER_X if side < 0 else self.board.width - _JUMPER_X
        y = self.line_y(side, near)
        nets = {"1" if is_lower else "2": f"{label}{near + 1}", "2" if is_lower else "1": f"{label}{far + 1}"}
        part = Placed(f"R_{label}{low + 1}", "0R", UPRIGHT_0805, At(x, y + 3 * away), nets)
        self.place(part)
        self.board.marks.append(Mark(part.ref, At(x, y + 5.8 * away), 1))
        self.board.path(f"{label}{near + 1}", "F.Cu", At(x, y), At(x, y + 2 * away))
        lane = At(self.lane(side, far, is_row=False), y + 4 * away)
        self.board.path(f"{label}{far + 1}", "F.Cu", At(x, lane.y), lane)
        self.board.via(f"{label}{far + 1}", lane)

    def _middle_jumper(self, label: str, low: int) -> None:
        """Join the two ranks at both sides of the middle."""
        x = _JUMPER_X + 5
        upper, lower = f"{label}{low + 2}", f"{label}{low + 1}"
        part = Placed(f"R_{lower}", "0R", UPRIGHT_0805, At(x, self.middle), {"1": upper, "2": lower})
        self.place(part)
        self.board.marks.append(Mark(part.ref, At(x + 5.5, self.middle), 1))
        for net, rank, number in ((upper, low + 1, "1"), (lower, low, "2")):
            y = self.middle + PITCH * 1.5 * (1 if rank == low else -1)
            self.board.path(
                net, "F.Cu", At(self.lane(-1, rank, is_row=False), y), At(x, y), part.pad_at(number)
            )

    def supply(self) -> None:
        """The terminal for 5 V, and what stores energy beside it."""
        board, x, y = self.board, self.files / 2 * self.edge, self.middle
        bus = self.centre(0, RANKS // 2 - 1).y + _BUS_Y
        supplied = {"1": "5V", "2": "GND"}
        parts = (
            (Placed("J_POWER", "terminal", TERMINAL, At(x, y), supplied), "1"),
            (Placed("C_BULK", "1000uF", ELECTROLYTIC, At(x + 12.5, y), supplied, is_fitted=False), "1"),
            (Placed("C_10U", "10uF", UPRIGHT_0805, At(x - 10, y), {"1": "GND", "2": "5V"}), "2"),
        )
        for part, number in parts:
            pad = self.place(part).pad_at(number)
            board.path("5V", "F.Cu", pad, At(pad.x, bus), width=_WIDE)
        board.marks.append(Mark("+", At(x + 10, y - 2.2), 1.5, is_below=True))
        board.marks.append(Mark("+5V", At(x - 2.54, y - 6), 1.5, is_below=True))
        board.marks.append(Mark("GND", At(x + 2.54, y - 6), 1.5, is_below=True))

    def holes(self) -> None:
        """Four holes for screws of nylon: iron would disturb the switches."""
        width, height, edge = self.board.width, self.board.height, self.edge
        self.board.holes = [(At(x, y), 3.2) for x in (edge, width - edge) for y in (edge, height - edge)]


def _rank_of(index: int) -> int:
    """The rank, from 0, of a pair of pins of a left or right header."""
    return RANKS - 1 - index if index < RANKS // 2 else RANKS + 1 - index


def side_pins(label: str) -> dict[str, str]:
    """The net of each pin of a side header; *label* is LEFT or RIGHT."""
    pins = {"9": "5V", "10": "5V", "11": "GND", "12": "GND"}
    for index in (0, 1, 2, 3, 6, 7, 8, 9):
        rank = _rank_of(index)
        pins |= {str(2 * index + 1): f"{label}{rank + 1}", str(2 * index + 2): row_net(rank)}
    return pins


def end_pins(name: str, group: int) -> dict[str, str]:
    """The net of each pin of the header UP or DOWN of a group."""
    first = group * GROUP
    columns = {number: column_net(first + file) for file, number in enumerate(("1", "2", "9", "10"))}
    chain = f"LINK_{name}" if group == 0 else "GND"
    return {**columns, "3": "5V", "4": "5V", "5": chain, "6": chain, "7": "GND", "8": "GND"}
