# SPDX-License-Identifier: Apache-2.0
"""The chart for calibrating a lens: a ChArUco board of this project's tags.

The layout is data (`chart.toml`), for printing and for detection.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from companion.model.tags import family
from companion.model.toml import build, parse
from companion.sheets.frame import inside, sheet, tag_shapes
from companion.sheets.page import Area, Box, Page, Paper, Shape


@dataclass(frozen=True, slots=True)
class Chart:
    """A chessboard whose upper left square is black, with a tag in each white square."""

    columns: int
    rows: int
    square_mm: float
    module_mm: float
    tags: tuple[int, ...]
    """Tags of the white squares, row by row from the upper left one."""

    def __post_init__(self) -> None:
        white = self.columns * self.rows // 2
        if len(self.tags) != white:
            raise ValueError(f"{len(self.tags)} tags for {white} white squares")

    @property
    def tag_mm(self) -> float:
        """The width of a tag without its rim."""
        return self.module_mm * family().width


def lens_chart() -> Chart:
    """The chart that is printed."""
    text = resources.files("companion.sheets").joinpath("chart.toml").read_text(encoding="utf-8")
    return build(Chart, parse(text, "chart.toml"), "chart.toml")


def chart_page(chart: Chart, paper: Paper) -> Page:
    """*chart* on landscape *paper*."""
    lying = paper.turned
    room = inside(lying)
    left = room.left + (room.width_mm - chart.columns * chart.square_mm) / 2
    far = room.far
    black: list[Box] = []
    shapes: list[Shape] = []
    tags = iter(chart.tags)
    inset = (chart.square_mm - chart.tag_mm) / 2
    for row in range(chart.rows):
        for column in range(chart.columns):
            x, y = left + column * chart.square_mm, far - (row + 1) * chart.square_mm
            if (row + column) % 2 == 0:
                black.append(Box(x, y, x + chart.square_mm, y + chart.square_mm))
            else:
                shapes += tag_shapes(next(tags), (x + inset, y + inset), chart.module_mm)
    advice = (
        f"{chart.columns} x {chart.rows} squares of {chart.square_mm:g} mm."
        " Glue it onto something stiff and flat; show it to the camera near and far, tilted, and in every corner of the image."
    )
    squares = Area(tuple(box.corners for box in black))
    return sheet(lying, "Chart for calibrating a lens", advice, (1, 1), (squares, *shapes))
