# SPDX-License-Identifier: Apache-2.0
"""Walking over a board with a magnet, cell by cell: which switch and which lamp really lie where.

Pure: it says what to ask for next and takes what the panel tells; whoever runs it talks to the person.

First the switches: a cell is *named*, the magnet goes there, and the input that closes is that cell's.
Then the lamps: one is *lit*, the magnet goes to the light, and the switch that closes, known by then, tells where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.link.events import InputsChanged, LinkEvent
from companion.link.panel import UNWIRED, Panel, order_of
from companion.model.errors import CalibrationError
from companion.model.grid import Cell, Grid


@dataclass(frozen=True, slots=True)
class ReedWalk:
    """How far a walk over *cells* places has come; a place that was left out holds None."""

    cells: int
    found: tuple[int | None, ...] = ()
    """The input that closed at each place so far."""

    @property
    def place(self) -> int | None:
        """Where the magnet should go next; None once the walk is over."""
        return len(self.found) if len(self.found) < self.cells else None

    def take(self, event: LinkEvent) -> ReedWalk:
        """The walk after *event*: the first switch that closes and was not found before belongs to this place."""
        if self.place is None or not isinstance(event, InputsChanged):
            return self
        for edge in event.edges:
            if edge.is_closed and edge.input < self.cells and edge.input not in self.found:
                return replace(self, found=(*self.found, edge.input))
        return self

    def leave_out(self) -> ReedWalk:
        """The walk without this place: its switch does not answer."""
        return replace(self, found=(*self.found, None)) if self.place is not None else self

    def back(self) -> ReedWalk:
        """The walk one place back: that one was wrong."""
        return replace(self, found=self.found[:-1])


@dataclass(frozen=True, slots=True)
class Finding:
    """A switch or lamp that lies elsewhere than the panel's file says."""

    what: str
    believed: Cell
    true: Cell


def complete(found: tuple[int | None, ...], what: str, grid: Grid) -> tuple[int, ...]:
    """A finished walk with nothing left out, but for one place, whose input is the only one that is left over.

    Raises `CalibrationError` naming the places that did not answer.
    """
    missing = [cell for cell, number in enumerate(found) if number is None]
    if len(missing) > 1:
        raise CalibrationError(
            "no {what} answered at {cells}: mend these first, then walk again; as long as they are "
            "dead nobody can tell which of them is which",
            what=what,
            cells=grid.spell(missing),
        )
    left_over = iter(set(range(len(found))) - set(found))
    return tuple(next(left_over) if number is None else number for number in found)


def misplaced(what: str, true_cells: tuple[Cell, ...]) -> tuple[Finding, ...]:
    """What lies elsewhere; *true_cells* gives the cell at which each input or lamp really lies."""
    return tuple(
        Finding(what, believed, true) for believed, true in enumerate(true_cells) if believed != true
    )


def inverted(found: tuple[int, ...]) -> tuple[Cell, ...]:
    """The place at which each input was found: *found* turned round."""
    places = [0] * len(found)
    for place, number in enumerate(found):
        places[number] = place
    return tuple(places)


def corrected_sensor_order(panel: Panel, true_cells: tuple[Cell, ...]) -> tuple[int, ...]:
    """The panel's sensor order when its input *n* really lies at *true_cells*[n]."""
    positions = panel.sensor_rows * panel.sensor_columns
    order = order_of(panel.sensor_order, positions, panel.sensor_columns)
    return tuple(UNWIRED if cell == UNWIRED else true_cells[cell] for cell in order)


def corrected_led_order(panel: Panel, true_cells: tuple[Cell, ...]) -> tuple[int, ...]:
    """The panel's LED order when the lamp of cell *n* really lies at *true_cells*[n]; extra LEDs keep their place."""
    places = list(order_of(panel.led_order, panel.leds, panel.files))
    corrected = list(places)
    for believed, true in enumerate(true_cells):
        corrected[true] = places[believed]
    return tuple(corrected)


def _without_comment(line: str) -> str:
    """*line* before a comment; our panel files have no # within their values."""
    return line.split("#")[0]


def rewritten(text: str, key: str, order: tuple[int, ...], width: int) -> str:
    """The panel file *text* with *key* set to *order*, in rows of *width*; all else stays as it is.

    Raises `CalibrationError` if the file has no line for *key*.
    """
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.split("=")[0].strip() == key]
    if not starts:
        raise CalibrationError("the panel's file has no line for {key}", key=key)
    begin = end = starts[0]
    if "[" in _without_comment(lines[begin]):
        while "]" not in _without_comment(lines[end]):
            end += 1
    rows = [order[at : at + width] for at in range(0, len(order), width)]
    written = [f"{key} = [", *("    " + ", ".join(map(str, row)) + "," for row in rows), "]"]
    return "\n".join([*lines[:begin], *written, *lines[end + 1 :]]) + "\n"
