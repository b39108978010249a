# SPDX-License-Identifier: Apache-2.0
"""Descriptions of sensor boards: `companion/panels/<name>.toml`, read strictly.

Pure, except for reading those files.
The firmware maps switches and LEDs to cells:
on the link, input *n* and LED *n* always belong to cell *n*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Final, Literal, TypeAlias

from companion.link.protocol_gen import INPUT_BUTTON, MAX_BUTTONS, MAX_CELLS, HelloReply
from companion.model.errors import UnknownName
from companion.model.grid import Cell, Grid, rectangle
from companion.model.phrase import Phrase
from companion.model.toml import build, parse

Order: TypeAlias = Literal["natural", "serpentine"] | tuple[int, ...]

UNWIRED: Final = -1
"""In a sensor order: a position without a switch."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One kind of sensor board."""

    name: str
    grid: str
    """Slug of its grid."""
    cells: int
    files: int
    """Cells in a rank of a rectangle; 0 for other shapes."""
    ranks: int
    chip: str
    sensor: Literal["reed", "hall"]
    wiring: Literal["matrix-direct", "matrix-shift", "chain", "mux"]
    sensor_rows: int
    sensor_columns: int
    sensor_order: Order
    """Cell of each position (row times columns plus column) of the sensors."""
    settle_us: int
    scan_period_us: int
    debounce_on_ms: int
    debounce_off_ms: int
    leds: int
    led_kind: str
    led_order: Order
    """Place on the strip of the LED of each cell."""
    current_limit_ma: int
    display: str
    text_lines: int
    text_columns: int
    tone: bool
    buttons: int
    lever: bool

    def __post_init__(self) -> None:
        if not 0 < self.cells <= MAX_CELLS:
            raise ValueError(
                Phrase("cells is {cells}; allowed: 1 to {max_cells}", cells=self.cells, max_cells=MAX_CELLS)
            )
        if self.files * self.ranks not in (0, self.cells):
            raise ValueError(
                Phrase(
                    "{files} files of {ranks} ranks are not {cells} cells",
                    files=self.files,
                    ranks=self.ranks,
                    cells=self.cells,
                )
            )
        if not 0 <= self.buttons <= MAX_BUTTONS:
            raise ValueError(
                Phrase(
                    "buttons is {buttons}; allowed: 0 to {max_buttons}",
                    buttons=self.buttons,
                    max_buttons=MAX_BUTTONS,
                )
            )
        wired = [
            cell
            for cell in order_of(self.sensor_order, self._positions, self.sensor_columns)
            if cell != UNWIRED
        ]
        if sorted(wired) != list(range(self.cells)):
            raise ValueError(Phrase("sensor_order does not give each cell exactly one position"))
        if sorted(order_of(self.led_order, self.leds, self.files)) != list(range(self.leds)):
            raise ValueError(Phrase("led_order does not give each LED exactly one place"))

    @property
    def has_rows(self) -> bool:
        """True if its switches are a matrix, whose columns have to rise."""
        return self.wiring in ("matrix-direct", "matrix-shift")

    def cells_of_column(self, column: int) -> tuple[Cell, ...]:
        """The cells whose switches pull *column* of a matrix."""
        order = order_of(self.sensor_order, self._positions, self.sensor_columns)
        return tuple(cell for cell in order[column :: self.sensor_columns] if cell != UNWIRED)

    @property
    def _positions(self) -> int:
        """Number of possible switch positions."""
        return self.sensor_rows * self.sensor_columns


def order_of(order: Order, count: int, width: int) -> tuple[int, ...]:
    """*order* as a tuple for *count* places in rows of *width*.

    >>> order_of("serpentine", 6, 3)
    (0, 1, 2, 5, 4, 3)
    """
    if isinstance(order, tuple):
        return order
    if order == "natural" or width == 0:
        return tuple(range(count))
    rows = [range(at, min(at + width, count)) for at in range(0, count, width)]
    return tuple(
        place for index, row in enumerate(rows) for place in (row if index % 2 == 0 else reversed(row))
    )


def panel_names() -> tuple[str, ...]:
    """The names of all panel files, in alphabetical order."""
    files = (resources.files("companion") / "panels").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


@cache
def load_panel(name: str) -> Panel:
    """The panel called *name*. Raises `SettingsError` naming file and key."""
    if name not in panel_names():
        raise UnknownName("there is no panel {name!r}; known: {known}", name=name, known=panel_names())
    text = (resources.files("companion") / "panels" / f"{name}.toml").read_text(encoding="utf-8")
    return read_panel(text, f"panels/{name}.toml")


def panel_for(grid: Grid) -> Panel:
    """Return the first panel for *grid*; a shift-register chain if none has been designed."""
    panels = [load_panel(name) for name in panel_names()]
    fitting = (panel for panel in panels if panel.grid == grid.slug)
    chained = next(panel for panel in panels if panel.wiring == "chain" and panel.sensor_order == "natural")
    return next(fitting, None) or replace(
        chained,
        name=grid.slug,
        grid=grid.slug,
        cells=len(grid),
        files=grid.files,
        ranks=grid.ranks,
        sensor_rows=1,
        sensor_columns=len(grid),
        leds=len(grid),
        led_order="natural",
    )


def read_panel(text: str, source: str) -> Panel:
    """The panel described by TOML *text*; *source* names it in errors.

    Raises `SettingsError`.
    """
    return build(Panel, parse(text, source), source)


@dataclass(frozen=True, slots=True)
class Shape:
    """The cells of a connected panel."""

    cells: int
    files: int = 0
    """Cells in a rank of a rectangle; 0 for other shapes."""
    ranks: int = 0


def shape_of(hello: HelloReply) -> Shape:
    """The shape of the panel of *hello*."""
    return Shape(hello.cells, hello.cols, hello.rows)


def has_room(shape: Shape, grid: Grid) -> bool:
    """True if *grid* lies on a panel of *shape* or on a part of it.

    Grids and panels that are not rectangles fit only as a whole.
    """
    if grid.files and shape.files:
        return grid.files <= shape.files and grid.ranks <= shape.ranks
    return shape.cells == len(grid)


def grid_over(hello: HelloReply) -> Grid:
    """A grid with the cells of the panel of *hello*, independent of a game.

    The cells are numbered if it is not a rectangle.
    """
    if hello.cols and hello.cols * hello.rows == hello.cells:
        return rectangle(hello.cols, hello.rows)
    names = tuple(str(cell + 1) for cell in range(hello.cells))
    return Grid(slug=f"{hello.cells} cells", names=names, outlines=(), steps=())


def button_of(number: int) -> int | None:
    """The button with input *number*, or None."""
    button = number - INPUT_BUTTON
    return button if 0 <= button < MAX_BUTTONS else None
