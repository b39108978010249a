# SPDX-License-Identifier: Apache-2.0
"""A stored game as an animated SVG. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, TypeVar

from companion.feedback.letters import Letters
from companion.feedback.words import Words
from companion.host.records.frames import (
    BLACK,
    CAPTION,
    FLOOR,
    LINE,
    MARK,
    OBSTACLE,
    changed,
    letters_of,
    motif,
    scenes,
)
from companion.host.records.records import rules_of
from companion.model.grid import Cell, Grid, cell_mm
from companion.model.notation import GameRecord
from companion.model.placement import Entry

T = TypeVar("T", bound=Hashable)

_TITLE_SHARE: Final = 0.6
"""Height of the caption under the board, in cells."""


def animated_svg(record: GameRecord, words: Words, *, move_ms: int = 1500) -> str:
    """Return *record* as an endless self-contained SVG, *move_ms* per position.

    Without animation, as in print, it shows the last position.
    """
    grid = rules_of(record).grid
    shown = scenes(record)
    letters = letters_of(record, words)
    film = _Film(len(shown), move_ms)
    xs, ys = ([corner[axis] for outline in grid.outlines for corner in outline] for axis in (0, 1))
    edge = cell_mm(grid)
    left, top, width, height = min(xs), -max(ys), max(xs) - min(xs), max(ys) - min(ys)
    title = f"{words.game.title}: {record.result}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {width:g} '
        f'{height + _TITLE_SHARE * edge:g}" font-family="sans-serif" text-anchor="middle">',
        f"<title>{escape(title)}</title>",
        f'<g stroke="{LINE}" stroke-width="{edge / 50:g}" fill="{FLOOR}">',
        *(
            _polygon(grid, cell, f' fill="{OBSTACLE}"' if cell in grid.obstacles else "")
            for cell in range(len(grid))
        ),
        "</g>",
        f'<g fill="none" stroke="{MARK}" stroke-width="{edge / 12:g}">',
        *film.over_time(
            [changed(shown, number) for number in range(len(shown))], lambda cell: _polygon(grid, cell)
        ),
        "</g>",
        f'<g font-size="{edge * 0.34:g}">',
        *film.over_time(
            [scene.placement.entries for scene in shown], lambda entry: _drawn(entry, grid, letters)
        ),
        "</g>",
        f'<g font-size="{edge * 0.4:g}" fill="{CAPTION}">',
        *film.over_time(
            [(scene.caption,) for scene in shown],
            lambda caption: (
                f'<text x="{left + width / 2:g}" y="{top + height + 0.45 * edge:g}">{escape(caption)}</text>'
            ),
        ),
        "</g></svg>",
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _Film:
    """Timing of an animation."""

    count: int
    """Number of positions; the last one lasts three times as long."""
    move_ms: int

    def over_time(self, shown: Sequence[Iterable[T]], draw: Callable[[T], str]) -> Iterator[str]:
        """Yield each distinct item of *shown* once, visible at its positions."""
        times: dict[T, list[int]] = {}
        for number, things in enumerate(shown):
            for thing in things:
                times.setdefault(thing, []).append(number)
        for thing, numbers in times.items():
            yield self._visible(draw(thing), set(numbers))

    def _visible(self, drawing: str, numbers: set[int]) -> str:
        """Return *drawing*, visible at the positions *numbers*."""
        if not drawing or len(numbers) == self.count:
            return drawing
        length = self.count + 2
        keys, values = [], []
        for number in range(self.count):
            is_in = number in numbers
            if not number or is_in != (number - 1 in numbers):
                keys.append(f"{number / length:.4g}")
                values.append("visible" if is_in else "hidden")
        at_rest = "" if self.count - 1 in numbers else ' visibility="hidden"'
        return (
            f'<g{at_rest}>{drawing}<animate attributeName="visibility" calcMode="discrete" '
            f'dur="{length * self.move_ms / 1000:g}s" repeatCount="indefinite" '
            f'values="{";".join(values)}" keyTimes="{";".join(keys)}"/></g>'
        )


def _polygon(grid: Grid, cell: Cell, more: str = "") -> str:
    """Return the outline of *cell*; the y axis of SVG points down."""
    corners = " ".join(f"{x:g},{-y:g}" for x, y in grid.outlines[cell])
    return f'<polygon points="{corners}"{more}/>'


def _drawn(entry: Entry, grid: Grid, letters: Letters) -> str:
    """Draw a piece: a disc or bar, its letters and its facing."""
    seen = motif(entry, grid, letters)
    x, y = seen.centre
    laid_down = ' opacity=".55" stroke-dasharray="4"' if seen.is_wreck else ""
    body = (
        f'<rect x="{seen.left:g}" y="{seen.top:g}" width="{seen.right - seen.left:g}" '
        f'height="{seen.bottom - seen.top:g}" rx="{seen.radius:g}" fill="{seen.fill}" stroke="{BLACK}"{laid_down}/>'
    )
    third = seen.radius / 3
    nose = ""
    if seen.turned is not None:
        nose = (
            f'<path d="M{x - third:g},{y - seen.radius:g}h{2 * third:g}l{-third:g},{-third:g}z" '
            f'fill="{BLACK}" transform="rotate({seen.turned:g} {x:g} {y:g})"/>'
        )
    base = y + seen.radius / 3
    return f'{body}{nose}<text x="{x:g}" y="{base:g}" fill="{seen.ink}">{escape(seen.letters)}</text>'
