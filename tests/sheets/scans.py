# SPDX-License-Identifier: Apache-2.0
"""Render sheets with poppler and measure the pixels in millimetres."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from companion.model.tags import family
from companion.sheets.page import Page, Point
from companion.sheets.pdf import to_pdf

needs_poppler = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="wants pdftoppm of poppler-utils")

DPI = 254
PX_PER_MM = DPI / 25.4


@dataclass(frozen=True, slots=True)
class Scan:
    """One page in grey."""

    width_px: int
    height_px: int
    pixels: bytes

    def shade(self, at: Point) -> int:
        """The grey level at a point, 0 (black) to 255 (white).

        The point is in mm from the lower left corner of the paper.
        """
        column = int(at[0] * PX_PER_MM)
        row = int(self.height_px - at[1] * PX_PER_MM)
        return self.pixels[row * self.width_px + column]

    def read_tag(self, lower_left: Point, module_mm: float) -> int | None:
        """The id of the tag whose black border begins at *lower_left*.

        None if a module is wrong.
        """
        width = family().width
        rows = tuple(
            tuple(
                self.shade((lower_left[0] + (col + 0.5) * module_mm, lower_left[1] + (row + 0.5) * module_mm))
                > 127
                for col in range(width)
            )
            for row in reversed(range(width))
        )
        return next((tag for tag in range(len(family().bits)) if family().rows(tag) == rows), None)

    def dark_runs(self, y_mm: float) -> list[tuple[float, float]]:
        """The start and end, in mm, of dark runs on a line across the paper."""
        row = int(self.height_px - y_mm * PX_PER_MM)
        line = self.pixels[row * self.width_px : (row + 1) * self.width_px]
        changes = [x for x in range(1, len(line)) if (line[x] < 128) != (line[x - 1] < 128)]
        return [(a / PX_PER_MM, b / PX_PER_MM) for a, b in zip(changes[::2], changes[1::2], strict=True)]


def scan(pages: Sequence[Page]) -> list[Scan]:
    """Every page of the document of *pages*."""
    command = ["pdftoppm", "-r", str(DPI), "-gray", "-"]
    data = subprocess.run(command, input=to_pdf(pages, "test"), capture_output=True, check=True).stdout
    scans = []
    while data:
        kind, size, depth, rest = data.split(b"\n", 3)
        assert (kind, depth) == (b"P5", b"255")
        width, height = map(int, size.split())
        scans.append(Scan(width, height, rest[: width * height]))
        data = rest[width * height :]
    return scans
