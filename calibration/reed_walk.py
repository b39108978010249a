# SPDX-License-Identifier: Apache-2.0
"""A test of all cells with a magnet: places of switches and lamps.

Pure: it requests the next place and takes the panel's events; the caller talks to the person.

First the switches: a cell is *named*, the magnet goes there,
and the input that closes belongs to it.
Then the lamps: one is *lit*, the magnet goes to the light, and the switch that closes,
known by then, gives its place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.link.events import InputsChanged, LinkEvent
from companion.link.panel import UNWIRED, Panel, order_of
from companion.model.errors import CalibrationError
from companion.model.grid import Cell, Grid


@dataclass(frozen=True, slots=True)
class ReedWalk:
    """Progress of a walk over *cells* places; a skipped place has None."""

    cells: int
    found: tuple[int | None, ...] = ()
    """The input that closed at each visited place."""

    @property
    def place(self) -> int | None:
        """The next place for the magnet; None at the end."""
        return len(self.found) if len(self.found) < self.cells else None

    def take(self, event: LinkEvent) -> ReedWalk:
        """The walk after *event*: the first new switch that closes belongs to this place."""
        if self.place is None or not isinstance(event, InputsChanged):
            return self
        for edge in event.edges:
            if edge.is_closed and edge.input < self.cells and edge.input not in self.found:
                return replace(self, found=(*self.found, edge.input))
        return self

    def leave_out(self) -> ReedWalk:
        """The walk with this place skipped: its switch does not respond."""
        return replace(self, found=(*self.found, None)) if self.place is not None else self

    def back(self) -> ReedWalk:
        """The walk one place back, to repeat it."""
        return replace(self, found=self.found[:-1])


@dataclass(frozen=True, slots=True)
class Finding:
    """A switch or lamp in another place than in the panel's file."""

    what: str
    believed: Cell
    true: Cell


def complete(found: tuple[int | None, ...], what: str, grid: Grid) -> tuple[int, ...]:
    """The places of a finished walk without skipped ones.

    A single skipped place gets the only remaining input.
    Raises `CalibrationError` naming the places without a response.
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
    """The misplaced inputs or lamps; *true_cells* has the real cell of each."""
    return tuple(
        Finding(what, believed, true) for believed, true in enumerate(true_cells) if believed != true
    )


def inverted(found: tuple[int, ...]) -> tuple[Cell, ...]:
    """The place at which each input was found: the inverse of *found*."""
    places = [0] * len(found)
    for place, number in enumerate(found):
        places[number] = place
    return tuple(places)


def corrected_sensor_order(panel: Panel, true_cells: tuple[Cell, ...]) -> tuple[int, ...]:
    """The panel's sensor order if its input *n* is at *true_cells*[n]."""
    positions = panel.sensor_rows * panel.sensor_columns
    order = order_of(panel.sensor_order, positions, panel.sensor_columns)
    return tuple(UNWIRED if cell == UNWIRED else true_cells[cell] for cell in order)


def corrected_led_order(panel: Panel, true_cells: tuple[Cell, ...]) -> tuple[int, ...]:
    """The panel's LED order if the lamp of cell *n* is at *true_cells*[n].

    Extra LEDs keep their place.
    """
    places = list(order_of(panel.led_order, panel.leds, panel.files))
    corrected = list(places)
    for believed, true in enumerate(true_cells):
        corrected[true] = places[believed]
    return tuple(corrected)


def _without_comment(line: str) -> str:
    """*line* without its comment; values in panel files contain no #."""
    return line.split("#")[0]


def rewritten(text: str, key: str, order: tuple[int, ...], width: int) -> str:
    """The panel file *text* with *key* set to *order*, in rows of *width*.

    The rest is unchanged. Raises `CalibrationError` if the file has no line for *key*.
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
