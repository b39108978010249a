# SPDX-License-Identifier: Apache-2.0
"""Profile of a camera table: the calibration of one camera and board, as TOML.

Pure: text to values and back. `host.profiles` knows the location of the files.
It is independent of games, except for the kinds of pieces with a height of their own:
another game on the same board uses the same profile.

    format = 1
    name = "kitchen"
    made = "2026-05-01T20:15:00+02:00"
    mode = "tags"                        # kind of pieces: tags, or tagless

    [camera]
    source = "0"                         # as after --camera
    driver = "V4L2"                      # the interface; film if made from images or a video
    size-px = [1920, 1080]
    key = "usb:046d:0825:1A2B3C"         # the camera's permanent key; empty if unknown

    [camera.locked]                      # fixed settings, as read back; not for files or streams
    exposure = true
    white-balance = true
    focus = false                        # it refused

    [board]
    grid = "8x8"
    cell-mm = 50.0                       # edge of the first cell, as printed
    tag-mm = 33.0                        # edge of a piece's tag without rim; 0 without tags
    corner-tag-mm = 32.0

    [[board.corner-tags]]                # tags beside the board, at any place
    id = 0
    middle-mm = [-20.0, -20.0]           # right and away from the board's near left corner
    turn-deg = 0.0                       # of its top, clockwise from the first player's forward

    [fit]
    corners-px = [[310.0, 980.5], [1600.0, 975.0], [1390.0, 120.0], [520.0, 118.5]]
    residual-px = 0.4                    # RMS distance between confirmed and fitted points

    [heights]                            # tops of pieces above the board, against parallax
    usual-mm = 8.0                       # 0 if it is unknown: the game measures it where it matters

    [heights.kinds]                      # pieces of other heights
    giant = 25.0

    [lens]                               # omitted if the residuals did not need it
    centre-px = [959.5, 539.5]
    focal-px = 1450.0
    k1 = -0.12
    k2 = 0.0

    [references]                         # lossless images of this size beside the file
    empty = "kitchen-empty.png"
    start = "kitchen-start.png"

`corners-px` are the corners of the rectangle round the board, as confirmed by a person:
near left, near right, far right, far left; the centre of the first pixel is (0, 0).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from companion.model import toml
from companion.model.grid import Grid, resized
from companion.model.phrase import Phrase
from companion.sensing.vision.geometry import Lens, View, view_of

Point: TypeAlias = tuple[float, float]

FILM: Final = "film"
"""The driver if the profile was made from images or a video, of any camera."""
TAGS: Final = "tags"
TAGLESS: Final = "tagless"

_NAME: Final = re.compile(r"[^\W_][\w .-]*")
"""A valid file name on every system: no separators, not hidden."""


@dataclass(frozen=True, slots=True)
class Locked:
    """The fixed settings of a camera; others make images vary by themselves."""

    exposure: bool
    white_balance: bool
    focus: bool


@dataclass(frozen=True, slots=True)
class CameraData:
    """The camera."""

    source: str
    driver: str
    size_px: tuple[int, int]
    """Width and height."""
    locked: Locked | None = None
    """None if it is not a camera: a file, a folder, a stream."""
    key: str = ""
    """Its permanent key, whatever its number; empty if unknown."""

    def __post_init__(self) -> None:
        if min(self.size_px) < 1:
            raise ValueError(Phrase("size-px is {size_px}: an image has pixels", size_px=self.size_px))


@dataclass(frozen=True, slots=True)
class CornerTag:
    """A tag beside the board."""

    id: int
    middle_mm: Point
    turn_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class BoardData:
    """The board as printed or measured."""

    grid: str
    """Its slug."""
    cell_mm: float
    tag_mm: float = 0.0
    corner_tag_mm: float = 0.0
    corner_tags: tuple[CornerTag, ...] = ()

    def __post_init__(self) -> None:
        if not (0 < self.cell_mm < math.inf and 0 <= self.tag_mm < math.inf):
            raise ValueError(
                Phrase(
                    "cell-mm is {cell_mm}, tag-mm {tag_mm}: sizes are above 0",
                    cell_mm=self.cell_mm,
                    tag_mm=self.tag_mm,
                )
            )
        if len({tag.id for tag in self.corner_tags}) < len(self.corner_tags):
            raise ValueError(Phrase("two corner-tags have one id"))
        if self.corner_tags and not 0 < self.corner_tag_mm < math.inf:
            raise ValueError(Phrase("there are corner-tags without corner-tag-mm"))


@dataclass(frozen=True, slots=True)
class Fit:
    """The place of the board in the image."""

    corners_px: tuple[Point, Point, Point, Point]
    """Near left, near right, far right, far left."""
    residual_px: float = 0.0


@dataclass(frozen=True, slots=True)
class Heights:
    """Heights of the tops of pieces above the board."""

    usual_mm: float = 0.0
    """0 if unknown."""
    kinds: Mapping[str, float] = field(default_factory=dict)

    def of(self, kind: str) -> float:
        """The height in mm of a piece of *kind*."""
        return self.kinds.get(kind, self.usual_mm)


@dataclass(frozen=True, slots=True)
class References:
    """Names of images beside the profile; None for missing ones."""

    empty: str | None = None
    """Of the empty board."""
    start: str | None = None
    """Of the start position."""

    def __post_init__(self) -> None:
        for name in (self.empty, self.start):
            if name is not None and not _NAME.fullmatch(name):
                raise ValueError(Phrase("{name!r} is not a file beside the profile", name=name))


@dataclass(frozen=True, slots=True)
class Profile:
    """The calibration of one camera and board."""

    name: str
    made: str
    """Local time with its offset, ISO 8601."""
    camera: CameraData
    board: BoardData
    fit: Fit
    mode: Literal["tags", "tagless"] = TAGS
    heights: Heights = field(default_factory=Heights)
    lens: Lens | None = None
    references: References = field(default_factory=References)
    format: Literal[1] = 1

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                Phrase(
                    "name is {name!r}: it begins with a letter or digit and is a file's name", name=self.name
                )
            )


def read(text: str, source: str) -> Profile:
    """The profile in TOML *text*; *source* names it in errors. Raises `SettingsError`."""
    return toml.build(Profile, toml.parse(text, source), source)


def write(profile: Profile) -> str:
    """*profile* as TOML: the inverse of `read`."""
    return toml.write(profile)


def grid_of(profile: Profile, grid: Grid) -> Grid:
    """*grid* with cells of the board's size."""
    return resized(grid, profile.board.cell_mm)


def board_corners_mm(grid: Grid) -> tuple[Point, Point, Point, Point]:
    """The corners in mm of the rectangle round *grid*.

    Near left, near right, far right, far left.
    """
    xs = [x for outline in grid.outlines for x, _ in outline]
    ys = [y for outline in grid.outlines for _, y in outline]
    left, right, near, far = min(xs), max(xs), min(ys), max(ys)
    return (left, near), (right, near), (right, far), (left, far)


def view_through(profile: Profile, grid: Grid) -> View:
    """The camera's view of the board; *grid* has the board's size.

    Raises `CalibrationError` if there is no such view.
    """
    corners_mm = np.array(board_corners_mm(grid))
    return view_of(corners_mm, np.array(profile.fit.corners_px), profile.camera.size_px, profile.lens)
