# SPDX-License-Identifier: Apache-2.0
"""A kept game as moving pictures: boards of letters for the terminal, and one animated SVG.

Pure but for the film that is shown. The pictures know grids and placements, never a game: a piece is its first letters in the colour of its side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, TypeVar

from rich.console import Console
from rich.live import Live
from rich.text import Text

from companion.feedback.words import Words
from companion.host.records import rules_of
from companion.model.grid import Cell, Grid, cell_mm
from companion.model.notation import GameRecord, replay
from companion.model.pieces import Piece
from companion.model.placement import Entry, Placement

T = TypeVar("T", bound=Hashable)

ARROWS: Final = "↑↗→↘↓↙←↖"
_FILLS: Final = ("#f6f1e3", "#30343a", "#2a78b8", "#c8501e", "#8a8a86")
"""Light, dark, blue and vermilion for the sides, which also those tell apart who see no red; grey for nobody's."""
_INKS: Final = ("#222", "#fff", "#fff", "#fff", "#fff")
_WRECK: Final = "wreck"
_MARK: Final = "#e8b71a"
_TITLE_SHARE: Final = 0.6
"""Height of the line under the board, in cells."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One position of a game."""

    placement: Placement
    caption: str
    """The move that led to it, with its number; empty at the start."""


def scenes(record: GameRecord) -> tuple[Scene, ...]:
    """The positions of *record*, the first one first. Raises `CompanionError` if its rules cannot play it."""
    rules = rules_of(record)
    found = []
    ply = 0
    for position, text in replay(rules, record):
        ply += bool(text)
        found.append(Scene(rules.placement(position), f"{ply}. {text}" if text else ""))
    return tuple(found)


def letters(piece: Piece, words: Words) -> str:
    """Two letters for *piece*: capitals for the first side, small ones for the others."""
    name = words.piece(piece).name[:2]
    return name.upper() if piece.side == 0 else name.lower()


def board_lines(grid: Grid, placement: Placement, words: Words) -> list[str]:
    """*placement* in letters: a rectangle as a board, any other grid as a list of its pieces."""
    by_cell = placement.by_cell()
    if not grid.files:
        return [f"{grid.spell(cells)}: {words.piece(piece).name}" for piece, cells in placement.entries]
    lines = []
    for rank in reversed(range(grid.ranks)):
        cells = range(rank * grid.files, (rank + 1) * grid.files)
        lines.append(
            f"{rank + 1:2} " + " ".join(_square(by_cell.get(cell), grid, cell, words) for cell in cells)
        )
    lines.append("   " + " ".join(f"{grid.name(cell)[0]:3}" for cell in range(grid.files)).rstrip())
    return lines


def _square(piece: Piece | None, grid: Grid, cell: Cell, words: Words) -> str:
    """Three letters for one cell."""
    if piece is None:
        return "## " if cell in grid.obstacles else "·  "
    turned = (
        "" if piece.facing is None else ARROWS[piece.facing * len(ARROWS) // len(grid.steps) % len(ARROWS)]
    )
    return f"{letters(piece, words) + turned:3}"


def show_film(
    record: GameRecord,
    words: Words,
    console: Console,
    seconds: float,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Show *record* on *console*, *seconds* a move: in place on a terminal, elsewhere one board below the other."""
    grid = rules_of(record).grid
    pictures = [
        "\n".join([*board_lines(grid, scene.placement, words), scene.caption]) for scene in scenes(record)
    ]
    if not console.is_terminal:
        for picture in pictures:
            console.print(picture, markup=False, soft_wrap=True)
    else:
        with Live(console=console, auto_refresh=False) as live:
            for picture in pictures:
                live.update(Text(picture), refresh=True)
                wait(seconds)
    console.print(f"Result: {record.result}", markup=False, soft_wrap=True)


def animated_svg(record: GameRecord, words: Words, *, move_ms: int = 1500) -> str:
    """*record* as one self-contained SVG that plays the game over and over, *move_ms* for each position.

    Where nothing moves, as in print, it shows the last position.
    """
    grid = rules_of(record).grid
    shown = scenes(record)
    film = _Film(len(shown), move_ms)
    xs, ys = ([corner[axis] for outline in grid.outlines for corner in outline] for axis in (0, 1))
    edge = cell_mm(grid)
    left, top, width, height = min(xs), -max(ys), max(xs) - min(xs), max(ys) - min(ys)
    title = f"{words.game.title}: {record.result}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {width:g} '
        f'{height + _TITLE_SHARE * edge:g}" font-family="sans-serif" text-anchor="middle">',
        f"<title>{escape(title)}</title>",
        f'<g stroke="#8b7b5e" stroke-width="{edge / 50:g}" fill="#e9dec5">',
        *(
            _polygon(grid, cell, ' fill="#77705f"' if cell in grid.obstacles else "")
            for cell in range(len(grid))
        ),
        "</g>",
        f'<g fill="none" stroke="{_MARK}" stroke-width="{edge / 12:g}">',
        *film.over_time(
            [_changed(shown, number) for number in range(len(shown))], lambda cell: _polygon(grid, cell)
        ),
        "</g>",
        f'<g font-size="{edge * 0.34:g}">',
        *film.over_time(
            [scene.placement.entries for scene in shown], lambda entry: _drawn(entry, grid, edge, words)
        ),
        "</g>",
        f'<g font-size="{edge * 0.4:g}" fill="#555">',
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
    """How long a film is."""

    count: int
    """Positions; the last one is held three times as long."""
    move_ms: int

    def over_time(self, shown: Sequence[Iterable[T]], draw: Callable[[T], str]) -> Iterator[str]:
        """Everything in *shown*, an item for each position, drawn once and visible whenever it is in the item."""
        times: dict[T, list[int]] = {}
        for number, things in enumerate(shown):
            for thing in things:
                times.setdefault(thing, []).append(number)
        for thing, numbers in times.items():
            yield self._visible(draw(thing), set(numbers))

    def _visible(self, drawing: str, numbers: set[int]) -> str:
        """*drawing* while one of the positions *numbers* is shown."""
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


def _changed(shown: Sequence[Scene], number: int) -> tuple[Cell, ...]:
    """The cells on which position *number* differs from the one before."""
    if not number:
        return ()
    before, after = (set(shown[at].placement.entries) for at in (number - 1, number))
    return tuple(sorted({cell for _, cells in before ^ after for cell in cells}))


def _polygon(grid: Grid, cell: Cell, more: str = "") -> str:
    """The outline of *cell*; y points down in SVG."""
    corners = " ".join(f"{x:g},{-y:g}" for x, y in grid.outlines[cell])
    return f'<polygon points="{corners}"{more}/>'


def _drawn(entry: Entry, grid: Grid, edge: float, words: Words) -> str:
    """A piece: a disc or, over several cells, a bar, with its letters and a nose where it faces."""
    piece, cells = entry
    side = len(_FILLS) - 1 if piece.side is None else piece.side % (len(_FILLS) - 1)
    centres = [grid.centre_mm(cell) for cell in cells]
    xs, ys = [x for x, _ in centres], [-y for _, y in centres]
    x, y, radius = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, edge * 0.36
    laid_down = ' opacity=".55" stroke-dasharray="4"' if piece.pose == _WRECK else ""
    body = (
        f'<rect x="{min(xs) - radius:g}" y="{min(ys) - radius:g}" width="{max(xs) - min(xs) + 2 * radius:g}" '
        f'height="{max(ys) - min(ys) + 2 * radius:g}" rx="{radius:g}" fill="{_FILLS[side]}" stroke="#222"'
        f"{laid_down}/>"
    )
    nose = ""
    if piece.facing is not None:
        angle = 360 * piece.facing / len(grid.steps)
        nose = (
            f'<path d="M{x - radius / 3:g},{y - radius:g}h{radius * 2 / 3:g}l{-radius / 3:g},{-radius / 3:g}z" '
            f'fill="#222" transform="rotate({angle:g} {x:g} {y:g})"/>'
        )
    label = (
        f'<text x="{x:g}" y="{y + edge * 0.12:g}" fill="{_INKS[side]}">{escape(letters(piece, words))}</text>'
    )
    return body + nose + label
