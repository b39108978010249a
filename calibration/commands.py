# SPDX-License-Identifier: Apache-2.0
"""Commands of the workshop's page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Number: TypeAlias = int | float


class Shown(StrEnum):
    """Content of a reference image."""

    EMPTY = "empty"
    START = "start"


@dataclass(frozen=True, slots=True)
class Choose:
    """Select another table."""

    game: str
    options: tuple[tuple[str, str], ...] = ()
    cell_mm: Number = 0
    """0 for the printed size."""
    has_tags: bool = True


@dataclass(frozen=True, slots=True)
class Drag:
    """Move a corner of the board, 0 to 3, to a place in the image."""

    corner: int
    x: Number
    y: Number


@dataclass(frozen=True, slots=True)
class ByTags:
    """Use the tags to find the corners."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Fit the grid exactly, by the board's lines."""


@dataclass(frozen=True, slots=True)
class Lift:
    """Start again with the corners."""


@dataclass(frozen=True, slots=True)
class Confirm:
    """Confirm the drawn grid."""


@dataclass(frozen=True, slots=True)
class Refer:
    """Store the present image as a reference."""

    shown: Shown


@dataclass(frozen=True, slots=True)
class Forget:
    """Remove a reference."""

    shown: Shown


@dataclass(frozen=True, slots=True)
class SetHeight:
    """Set the height of the tops of pieces of a kind."""

    kind: str
    """Empty: all kinds without a height of their own."""
    mm: Number


@dataclass(frozen=True, slots=True)
class MeasureHeight:
    """Measure the height of pieces of a kind that are centred on these cells."""

    kind: str
    cells: str
    """Names, separated by blanks."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Start or stop collecting views of the chart."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class UseLens:
    """Compute the lens from the collected views."""


@dataclass(frozen=True, slots=True)
class DropLens:
    """Remove the lens and the views of the chart."""


@dataclass(frozen=True, slots=True)
class Call:
    """Name the profile."""

    name: str


WorkshopCommand: TypeAlias = (
    Choose
    | Drag
    | ByTags
    | Lay
    | Lift
    | Confirm
    | Refer
    | Forget
    | SetHeight
    | MeasureHeight
    | Chart
    | UseLens
    | DropLens
    | Call
)
"""Commands for the workshop itself."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open another camera."""

    source: str


@dataclass(frozen=True, slots=True)
class Accept:
    """Store the profile."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Leave the stored profile unchanged, and start again."""


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename a stored profile."""

    name: str
    new: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a stored profile."""

    name: str


Errand: TypeAlias = Open | Accept | Discard | Rename | Delete
"""Commands that need cameras or files."""
