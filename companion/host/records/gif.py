# SPDX-License-Identifier: Apache-2.0
"""A stored game as an animated GIF. Pure; the only module that imports Pillow."""

from __future__ import annotations

import math
from collections.abc import Iterable
from io import BytesIO
from typing import Final, TypeAlias

from PIL import Image, ImageDraw, ImageFont

from companion.feedback.words import Words
from companion.host.records.frames import (
    BLACK,
    CAPTION,
    FLOOR,
    LINE,
    MARK,
    OBSTACLE,
    PieceShape,
    changed,
    letters_of,
    motif,
    scenes,
)
from companion.host.records.records import rules_of
from companion.model.grid import Cell, Grid, cell_mm
from companion.model.notation import GameRecord

_WIDTH_PX: Final = 480
_COLOURS: Final = 48
_PAPER: Final = "#ffffff"
_PALE: Final = 0.55
"""Share of its colour that a wreck keeps."""
_TITLE_SHARE: Final = 0.8
"""Height of the caption under the board, in cells."""

Point: TypeAlias = tuple[float, float]


def animated_gif(record: GameRecord, words: Words, *, move_ms: int = 1500) -> bytes:
    """Return *record* as an endless GIF, 480 px wide, *move_ms* per position.

    The last position lasts three times as long. Raises `CompanionError` if the game's rules reject
    the record.
    """
    grid = rules_of(record).grid
    letters, shown = letters_of(record, words), scenes(record)
    easel = _Easel(grid)
    frames = [
        easel.draw(
            changed(shown, number),
            [motif(entry, grid, letters) for entry in scene.placement.entries],
            scene.caption or words.game.title,
        )
        for number, scene in enumerate(shown)
    ]
    colours = _contact_sheet(frames[0], frames[-1]).quantize(_COLOURS, dither=Image.Dither.NONE)
    frames = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
    file = BytesIO()
    held = [move_ms] * (len(frames) - 1) + [3 * move_ms]
    frames[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=held,
        loop=0,
        disposal=1,
        optimize=False,
    )
    return file.getvalue()


def _contact_sheet(*images: Image.Image) -> Image.Image:
    """Place *images* side by side to derive one palette for all.

    With one palette, each frame stores only what changes.
    """
    sheet = Image.new("RGB", (sum(image.width for image in images), images[0].height))
    for number, image in enumerate(images):
        sheet.paste(image, (number * image.width, 0))
    return sheet


class _Easel:
    """Draws positions on a prepared image of the board."""

    def __init__(self, grid: Grid) -> None:
        xs, ys = ([corner[axis] for outline in grid.outlines for corner in outline] for axis in (0, 1))
        self._grid = grid
        self._left, self._top = min(xs), -max(ys)
        self._scale = (_WIDTH_PX - 1) / (max(xs) - min(xs))
        self._edge = cell_mm(grid) * self._scale
        high = (max(ys) - min(ys)) * self._scale
        self._caption_at = (_WIDTH_PX / 2, high + self._edge * _TITLE_SHARE / 2)
        self._board = Image.new("RGB", (_WIDTH_PX, round(high + self._edge * _TITLE_SHARE)), _PAPER)
        self._small, self._large = (
            ImageFont.load_default(max(9, self._edge * share)) for share in (0.3, 0.36)
        )
        pen = ImageDraw.Draw(self._board)
        for cell in range(len(grid)):
            fill = OBSTACLE if cell in grid.obstacles else FLOOR
            pen.polygon(self._outline(cell), fill=fill, outline=LINE)

    def draw(self, marked: Iterable[Cell], pieces: Iterable[PieceShape], caption: str) -> Image.Image:
        """Draw the board with *marked* cells, *pieces* and a *caption*."""
        image = self._board.copy()
        pen = ImageDraw.Draw(image)
        for cell in marked:
            pen.polygon(self._outline(cell), outline=MARK, width=max(2, round(self._edge / 12)))
        for piece in pieces:
            self._put(pen, piece)
        pen.text(self._caption_at, caption, fill=CAPTION, font=self._large, anchor="mm")
        return image

    def _put(self, pen: ImageDraw.ImageDraw, piece: PieceShape) -> None:
        """Draw *piece*."""
        corners = [self._at((piece.left, piece.top)), self._at((piece.right, piece.bottom))]
        fill = _pale(piece.fill) if piece.is_wreck else piece.fill
        pen.rounded_rectangle(corners, piece.radius * self._scale, fill, BLACK)
        if piece.turned is not None:
            pen.polygon(self._nose(piece), fill=BLACK)
        pen.text(self._at(piece.centre), piece.letters, fill=piece.ink, font=self._small, anchor="mm")

    def _nose(self, piece: PieceShape) -> list[Point]:
        """Return the triangle that shows the facing of *piece*."""
        x, y = piece.centre
        sine, cosine = (
            math.sin(math.radians(piece.turned or 0)),
            math.cos(math.radians(piece.turned or 0)),
        )
        third = piece.radius / 3
        tip = ((-third, -piece.radius), (third, -piece.radius), (0.0, -piece.radius - third))
        return [self._at((x + dx * cosine - dy * sine, y + dx * sine + dy * cosine)) for dx, dy in tip]

    def _outline(self, cell: Cell) -> list[Point]:
        """Return the corners of *cell*, in px."""
        return [self._at((x, -y)) for x, y in self._grid.outlines[cell]]

    def _at(self, point: Point) -> Point:
        """Convert *point* from mm, y axis down, to px."""
        return (point[0] - self._left) * self._scale, (point[1] - self._top) * self._scale


def _pale(colour: str) -> str:
    """Mix *colour* (#rrggbb) with the floor's."""
    mixed = (
        round(int(colour[at : at + 2], 16) * _PALE + int(FLOOR[at : at + 2], 16) * (1 - _PALE))
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)
