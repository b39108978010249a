# SPDX-License-Identifier: Apache-2.0
"""What a person at the workshop's page may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Number: TypeAlias = int | float


class Shown(StrEnum):
    """What a reference image shows."""

    EMPTY = "empty"
    START = "start"


@dataclass(frozen=True, slots=True)
class Choose:
    """Calibrate before another table."""

    game: str
    options: tuple[tuple[str, str], ...] = ()
    cell_mm: Number = 0
    """0: as printed."""
    has_tags: bool = True


@dataclass(frozen=True, slots=True)
class Drag:
    """Put a corner of the board, 0 to 3, to a place in the image."""

    corner: int
    x: Number
    y: Number


@dataclass(frozen=True, slots=True)
class ByTags:
    """Let the tags say where the corners are."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay the grid exactly, by the board's lines."""


@dataclass(frozen=True, slots=True)
class Lift:
    """Begin with the corners again."""


@dataclass(frozen=True, slots=True)
class Confirm:
    """The grid that is drawn lies on the board."""


@dataclass(frozen=True, slots=True)
class Refer:
    """What is seen now is a reference."""

    shown: Shown


@dataclass(frozen=True, slots=True)
class Forget:
    """Drop a reference."""

    shown: Shown


@dataclass(frozen=True, slots=True)
class SetHeight:
    """The tops of pieces of a kind are so high."""

    kind: str
    """Empty: of all that have none of their own."""
    mm: Number


@dataclass(frozen=True, slots=True)
class MeasureHeight:
    """Pieces of a kind stand in the middle of these cells: measure how high they are."""

    kind: str
    cells: str
    """Names, separated by blanks."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Collect views of the chart, or stop doing so."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class UseLens:
    """Work the lens out from the views that were collected."""


@dataclass(frozen=True, slots=True)
class DropLens:
    """Forget the lens and the views of the chart."""


@dataclass(frozen=True, slots=True)
class Call:
    """Give the profile a name."""

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
"""What the workshop itself does."""


@dataclass(frozen=True, slots=True)
class Open:
    """Look through another camera."""

    source: str


@dataclass(frozen=True, slots=True)
class Accept:
    """Keep the profile."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Leave the profile as it was, and begin again."""


@dataclass(frozen=True, slots=True)
class Rename:
    """Call a kept profile by another name."""

    name: str
    new: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Take a kept profile away."""

    name: str


Errand: TypeAlias = Open | Accept | Discard | Rename | Delete
"""What needs cameras or files."""
