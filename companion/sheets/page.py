# SPDX-License-Identifier: Apache-2.0
"""A page as a value: shapes on paper.

Frame: millimetres from the lower left corner of the paper, x to the right, y up;
a shade is 0 for black to 1 for white.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from companion.sheets import fonts

Point: TypeAlias = tuple[float, float]
Colour: TypeAlias = tuple[float, float, float]
"""Red, green and blue, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A size of paper."""

    name: str
    width_mm: float
    height_mm: float

    @property
    def turned(self) -> Paper:
        """The same paper in the other orientation."""
        return Paper(self.name, self.height_mm, self.width_mm)


PAPERS: Final = {
    "a4": Paper("A4", 210.0, 297.0),
    "letter": Paper("Letter", 215.9, 279.4),
}


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle."""

    left: float
    near: float
    right: float
    far: float

    @property
    def width_mm(self) -> float:
        """Its width."""
        return self.right - self.left

    @property
    def height_mm(self) -> float:
        """Its height."""
        return self.far - self.near

    @property
    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Its corners, anticlockwise from the lower left."""
        return (self.left, self.near), (self.right, self.near), (self.right, self.far), (self.left, self.far)

    def meets(self, other: Box) -> bool:
        """True if both have a point in common."""
        beside = self.right < other.left or other.right < self.left
        return not (beside or self.far < other.near or other.far < self.near)


@dataclass(frozen=True, slots=True)
class Area:
    """Filled polygons as one path, so that no seam shows between them."""

    loops: tuple[tuple[Point, ...], ...]
    shade: float = 0.0
    colour: Colour | None = None
    """Instead of the shade."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points."""

    points: tuple[Point, ...]
    width_mm: float = 0.2
    shade: float = 0.0
    is_closed: bool = False
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """One line of words."""

    at: Point
    """On its base line."""
    words: str
    size_mm: float = 3.0
    """Line height."""
    anchor: Literal["start", "middle", "end"] = "start"
    shade: float = 0.0


Drawn: TypeAlias = Area | Stroke | Text


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a larger drawing that is visible through a box."""

    box: Box
    shift: Point
    """From the frame of the drawing to that of the page."""
    shapes: tuple[Drawn, ...]


Shape: TypeAlias = Drawn | Window


@dataclass(frozen=True, slots=True)
class Page:
    """One side of paper."""

    paper: Paper
    shapes: tuple[Shape, ...]


def text_width_mm(words: str, size_mm: float) -> float:
    """Width of *words* in mm."""
    return fonts.width(words, size_mm)


def fitted(text: Text, width_mm: float) -> Text:
    """*text*, reduced if it is wider than *width_mm*."""
    wide = text_width_mm(text.words, text.size_mm)
    if wide <= width_mm:
        return text
    return Text(text.at, text.words, text.size_mm * width_mm / wide, text.anchor, text.shade)


def bounds(shape: Drawn) -> Box:
    """The rectangle round *shape*; a generous one for text."""
    if isinstance(shape, Text):
        wide = text_width_mm(shape.words, shape.size_mm)
        x, y = shape.at
        return Box(x - wide, y - shape.size_mm, x + wide, y + shape.size_mm)
    points = shape.points if isinstance(shape, Stroke) else tuple(p for loop in shape.loops for p in loop)
    xs, ys = zip(*points, strict=True)
    edge = shape.width_mm if isinstance(shape, Stroke) else 0.0
    return Box(min(xs) - edge, min(ys) - edge, max(xs) + edge, max(ys) + edge)
