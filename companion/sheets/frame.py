# SPDX-License-Identifier: Apache-2.0
"""Frame of every sheet: margins, title, page number, and a ruler of 100 mm.

The ruler shows whether the printer scales.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from companion.model.tags import family
from companion.sheets.page import Area, Box, Drawn, Page, Paper, Point, Shape, Stroke, Text, fitted

MARGIN_MM: Final = 10.0
"""The unprintable margin is narrower on all printers."""
_FOOT_MM: Final = 14.0
_HEAD_MM: Final = 13.0
RULER_MM: Final = 100.0


@dataclass(frozen=True, slots=True)
class Foot:
    """Texts at the foot of every sheet."""

    page: Callable[[int, int], str] = "{} of {}".format
    """The page's number among all pages, in words."""
    ruler: str = 'This line is 100 mm long. If it is not, print at 100 % ("actual size").'


ENGLISH: Final = Foot()


def inside(paper: Paper) -> Box:
    """The area for a sheet's content."""
    return Box(
        MARGIN_MM, MARGIN_MM + _FOOT_MM, paper.width_mm - MARGIN_MM, paper.height_mm - MARGIN_MM - _HEAD_MM
    )


def sheet(
    paper: Paper,
    title: str,
    advice: str,
    number: tuple[int, int],
    shapes: tuple[Shape, ...],
    foot: Foot = ENGLISH,
) -> Page:
    """*shapes* within head and foot; *number* is the page and the number of pages."""
    wide = paper.width_mm - 2 * MARGIN_MM
    top = paper.height_mm - MARGIN_MM
    right = paper.width_mm - MARGIN_MM
    page, pages = number
    return Page(
        paper,
        (
            *shapes,
            fitted(Text((MARGIN_MM, top - 3.5), title, 4.5), wide),
            fitted(Text((MARGIN_MM, top - 7.0), advice, 2.8, shade=0.3), wide),
            *ruler((MARGIN_MM, MARGIN_MM), foot.ruler),
            Text((right, MARGIN_MM + 3.6), foot.page(page, pages), 3.5, "end"),
            Text((right, MARGIN_MM), f"Companion · {paper.name}", 2.5, "end", 0.3),
        ),
    )


def ruler(at: Point, words: str = ENGLISH.ruler) -> tuple[Drawn, ...]:
    """A ruler with a tick every 10 mm, its zero above *at*, and its caption."""
    x, y = at[0], at[1] + 4.0
    ticks = [
        Stroke(((x + tick, y), (x + tick, y + (3.0 if tick % 50 == 0 else 1.8))))
        for tick in range(0, int(RULER_MM) + 1, 10)
    ]
    return (
        Stroke(((x, y), (x + RULER_MM, y))),
        *ticks,
        fitted(Text((x, at[1]), words, 2.8), RULER_MM),
    )


def tag_shapes(tag: int, lower_left: Point, module_mm: float) -> tuple[Area, Area]:
    """*tag* without its rim: a black square, and the white modules on it."""
    rows = family().rows(tag)
    left, near = lower_left
    far = near + len(rows) * module_mm
    white = tuple(
        Box(
            left + start * module_mm,
            far - (row + 1) * module_mm,
            left + end * module_mm,
            far - row * module_mm,
        ).corners
        for row, modules in enumerate(rows)
        for start, end in _runs(modules)
    )
    black = Box(left, near, left + len(rows) * module_mm, far)
    return Area((black.corners,)), Area(white, 1.0)


def _runs(modules: tuple[bool, ...]) -> list[tuple[int, int]]:
    """Begin and end of the white modules of a row.

    Its first and last modules are black.
    """
    changes = [col for col in range(1, len(modules)) if modules[col] != modules[col - 1]]
    return list(zip(changes[::2], changes[1::2], strict=True))
