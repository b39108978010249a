# SPDX-License-Identifier: Apache-2.0
"""Which games a panel has room for, and where on it a game lies."""

from __future__ import annotations

from collections.abc import Iterator

from companion import games
from companion.host.game_info import Fits, fitting_options
from companion.link.panel import Shape, has_room
from companion.model.errors import PanelMismatch, PlaceMismatch
from companion.model.grid import Grid
from companion.model.phrase import Phrase
from companion.sensing.mounting import Mounting, corner_names, mountings


def check_fit(shape: Shape, grid: Grid) -> None:
    """Check that a panel of *shape* has room for *grid*. Raises `PanelMismatch`."""
    if has_room(shape, grid):
        return
    fitting = tuple(games_for(lambda other: has_room(shape, other))) or Phrase("none")
    expected, found = len(grid), shape.cells
    if shape.files:
        raise PanelMismatch(
            "the panel has {found} cells ({files} by {ranks}); this game needs the {expected} of the {grid} grid: connect a "
            "larger panel, or play a game that fits this one: {games}",
            files=shape.files,
            ranks=shape.ranks,
            grid=grid.slug,
            games=fitting,
            expected=expected,
            found=found,
        )
    raise PanelMismatch(
        "the panel has {found} cells; this game needs the {expected} of the {grid} grid: connect a panel for it, or play a "
        "game that fits this one: {games}",
        grid=grid.slug,
        games=fitting,
        expected=expected,
        found=found,
    )


def places(shape: Shape, grid: Grid, at: str = "") -> tuple[Mounting, ...]:
    """Return the possible positions of *grid* on a panel of *shape*, the usual one first.

    Only the one whose first cell is over the panel's cell *at*, if that is given.
    """
    found = mountings(grid, shape.cells, shape.files, shape.ranks) if has_room(shape, grid) else ()
    if not at:
        return found
    named = corner_names(found, shape.files, shape.ranks)
    return (named[at.lower()],) if at.lower() in named else ()


def places_on(shape: Shape, grid: Grid, at: str = "") -> tuple[Mounting, ...]:
    """Return `places`, at least one. Raises `PanelMismatch`."""
    check_fit(shape, grid)
    found = places(shape, grid, at)
    if not found:
        raise PlaceMismatch(
            "the {grid} grid does not fit on the panel with its first cell at {at}: name a cell such as {usual} with "
            "--at, or leave --at away",
            grid=grid.slug,
            at=at,
            usual=next(iter(corner_names(places(shape, grid), shape.files, shape.ranks)), grid.names[0]),
            expected=len(grid),
            found=shape.cells,
        )
    return found


def games_for(fits: Fits) -> Iterator[str]:
    """Yield the titles of the games that *fits*, with the options needed."""
    for slug in games.slugs():
        game = games.find(slug)
        chosen = fitting_options(game, fits)
        if chosen is not None:
            needed = " ".join(f"-o {name}={value}" for name, value in chosen.items())
            yield f"{game.title} ({needed})" if needed else game.title
