# SPDX-License-Identifier: Apache-2.0
"""Sets of board and pieces, and their surfaces: grain, print, vinyl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Colour = tuple[int, int, int]
"""sRGB, red first."""
TEXELS: Final = 2.5
"""For each mm of the board."""
FRAME_MM: Final = 46.0
"""The part around the cells that belongs to the board's texture."""


@dataclass(frozen=True)
class Style:
    """A set: colours and surfaces."""

    light: Colour
    dark: Colour
    """The pieces."""
    light_cell: Colour
    dark_cell: Colour
    frame: Colour
    table: Colour
    letters: Colour = (206, 170, 116)
    grain: float = 1.0
    """How much the board shows its grain."""
    piece_grain: float = 1.0
    gloss: float = 0.35
    """Of the pieces."""
    board_gloss: float = 0.12
    table_grain: float = 1.0
    frame_mm: float = 26.0


STYLES: Final[Mapping[str, Style]] = {
    "wooden": Style(
        (222, 180, 122), (112, 66, 40), (212, 172, 118), (142, 92, 56), (104, 62, 38), (150, 118, 88)
    ),
    "pale wooden": Style(
        (230, 196, 146), (128, 78, 50), (224, 192, 142), (166, 116, 74), (150, 104, 66), (92, 84, 80),
        table_grain=0.2,
    ),
    "red wooden": Style(
        (224, 186, 128), (104, 44, 30), (216, 174, 120), (128, 66, 42), (92, 44, 28), (196, 188, 176),
        table_grain=0.15,
    ),
    "plastic": Style(
        (232, 226, 208), (38, 37, 38), (226, 220, 196), (62, 110, 72), (226, 220, 196), (128, 100, 76),
        grain=0.08, piece_grain=0.05, gloss=0.6, board_gloss=0.06, letters=(40, 70, 50),
    ),
    "paper": Style(
        (236, 224, 196), (70, 42, 34), (240, 238, 232), (148, 146, 144), (240, 238, 232), (120, 84, 58),
        grain=0.0, piece_grain=0.25, gloss=0.5, board_gloss=0.02,
    ),
}  # fmt: skip


def linear(colour: Colour) -> NDArray[np.float32]:
    """(3,): linear BGR of *colour*."""
    level = np.array(colour[::-1], np.float32) / 255
    return np.asarray(np.where(level < 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4), np.float32)


def grain(shape: tuple[int, int], dice: np.random.Generator, long: float = 60.0, rings: float = 9.0) -> Array:
    """(height, width) around 0: fibres along x, with rings and pores."""
    high, wide = shape
    fibres: Any = dice.normal(0, 1, (high, max(int(wide / long) + 3, 4))).astype(np.float32)
    fibres = cv2.resize(fibres, (wide, high), interpolation=cv2.INTER_CUBIC)
    fine: Any = dice.normal(0, 1, (high, max(wide // 14, 4))).astype(np.float32)
    fine = cv2.resize(fine, (wide, high), interpolation=cv2.INTER_LINEAR)
    small = dice.normal(0, 1, (max(high // 40, 3), max(wide // 160, 3))).astype(np.float32)
    bent: Any = cv2.resize(small, (wide, high), interpolation=cv2.INTER_CUBIC)
    y = np.arange(high, dtype=np.float32)[:, None]
    wave = np.sin(2 * np.pi * (y / rings + 1.3 * bent))
    found = 0.45 * cv2.GaussianBlur(fibres, (0, 0), 1.2) + 0.3 * wave + 0.25 * fine + 0.4 * bent
    return np.asarray(found, np.float32)


def board_texture(grid: Any, style: Style, dice: np.random.Generator) -> Array:
    """(height, width, 3): the board, far edge on top.

    It is -1 outside of its frame.
    """
    xs, ys = ([point[axis] for outline in grid.outlines for point in outline] for axis in (0, 1))
    wide, high = max(xs), max(ys)
    columns = round((wide + 2 * FRAME_MM) * TEXELS)
    rows = round((high + 2 * FRAME_MM) * TEXELS)
    texture = np.full((rows, columns, 3), -1, np.float32)
    inset = round((FRAME_MM - style.frame_mm) * TEXELS)
    wooden = grain((rows, columns), dice, 90, 14)[..., None] * 0.1 * style.grain
    inner = (slice(inset, rows - inset), slice(inset, columns - inset))
    texture[inner] = (linear(style.frame) * (1 + wooden))[inner]
    middle = np.array([grid.centre_mm(cell) for cell in range(len(grid.outlines))])
    edge = abs(middle[1, 0] - middle[0, 0])
    half = edge / 2
    for x, y in middle:
        left, top = round((x - half + FRAME_MM) * TEXELS), round((high - y - half + FRAME_MM) * TEXELS)
        size = round(edge * TEXELS)
        is_dark = (int(x // edge) + int(y // edge)) % 2 == 0
        pattern = grain((size, size), dice, 70, float(dice.uniform(6, 16)))
        if dice.random() < 0.5:
            pattern = pattern[::-1, ::-1]
        if not is_dark:
            pattern = pattern.T
        colour = linear(style.dark_cell if is_dark else style.light_cell)
        varied = colour * (1 + style.grain * dice.normal(0, 0.06) + style.grain * dice.normal(0, 0.012, 3))
        texture[top : top + size, left : left + size] = varied * (1 + 0.13 * style.grain * pattern[..., None])
    if style.frame_mm > 10:
        low = (round((high + FRAME_MM) * TEXELS) + 2, round((wide + FRAME_MM) * TEXELS) + 2)
        start = round(FRAME_MM * TEXELS) - 3
        shade = tuple(float(each) for each in linear(style.dark_cell) * 0.35)
        cv2.rectangle(texture, (start, start), (low[1], low[0]), shade, 2)
        letters = np.zeros((rows, columns), np.uint8)
        for number in range(8):
            along = round((FRAME_MM + (number + 0.5) * edge) * TEXELS)
            near = rows - round((FRAME_MM - style.frame_mm / 2) * TEXELS) + 10
            for text, at in (
                ("ABCDEFGH"[number], (along - 10, near)),
                (str(8 - number), (inset + 18, along + 10)),
            ):
                cv2.putText(letters, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.8, 255, 2, cv2.LINE_AA)
        texture += (letters / np.float32(255))[..., None] * (linear(style.letters) - texture)
    return texture


def lay_tags(texture: Array, table: Any) -> None:
    """Put the printed corner tags of *table* on its *texture*."""
    high = max(point[1] for outline in table.grid.outlines for point in outline)
    for tag, (x, y) in table.corners.items():
        rows = np.array(table.family.rows(tag), bool)
        face = np.pad(np.where(rows, 0.8, 0.02), 1, constant_values=0.8).astype(np.float32)
        edge = round(table.corner_mm / len(rows) * len(face) * TEXELS)
        card = cv2.resize(face, (edge, edge), interpolation=cv2.INTER_NEAREST)
        left = round((x + FRAME_MM) * TEXELS - edge / 2)
        top = round((high - y + FRAME_MM) * TEXELS - edge / 2)
        top, left = max(top, 0), max(left, 0)
        part = texture[top : top + edge, left : left + edge]
        part[:] = card[: part.shape[0], : part.shape[1], None]


def table_texture(style: Style, dice: np.random.Generator, edge_mm: int = 2400) -> Array:
    """(edge, edge, 3): the table, a texel for each mm."""
    half = grain((edge_mm // 2, edge_mm // 2), dice, 160, 22)
    pattern = cv2.resize(half, (edge_mm, edge_mm))[..., None] * 0.14 * style.table_grain
    cloth = dice.normal(0, 0.05, (edge_mm, edge_mm, 1)).astype(np.float32) * (1.2 - style.table_grain)
    return np.asarray(linear(style.table) * (1 + pattern + cloth), np.float32)
