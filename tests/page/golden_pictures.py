# SPDX-License-Identifier: Apache-2.0
"""Golden pictures of every screen: six looks of each on one sheet.

A picture is compared after both were made coarse, so that another version of the browser or of a
font passes, and a part that is missing, moved or coloured otherwise does not.

Usage: `python -m tests.page.golden_pictures [GROUP …]` writes the sheets; look at each that has
changed before you commit it. With `ja=FOLDER` they are those of another language, in that folder.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Final

from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Page, expect, sync_playwright

from tests.page.looks import SIZES
from tests.page.screens import GROUPS

FOLDER: Final = Path(__file__).parent / "goldens"
SCALE: Final = 1 / 3
GAP: Final = 8
COLOURS: Final = 64
COARSE: Final = 3
"""Radius in which pictures are blurred before they are compared, in pixels of a sheet."""
LEVELS: Final = 32
"""Difference of brightness, of 255, that counts."""
MOST: Final = 0.004
"""Share of the pixels of a sheet that may differ."""
CHANGING: Final = "#puzzle img, #puzzle small, #puzzle b, #kept small, #devices, .clock"
"""What differs from day to day, or from computer to computer."""


def sheet(page: Page) -> Image.Image:
    """The six looks of *page*, light above dark."""
    for width, height in SIZES.values():  # each fetches its own symbols
        page.set_viewport_size({"width": width, "height": height})
    page.wait_for_load_state("networkidle")
    rows = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        rows.append([_look(page, size) for size in SIZES])
    wide = sum(each.width + GAP for each in rows[0]) - GAP
    high = max(each.height for each in rows[0])
    made = Image.new("RGB", (wide, 2 * high + GAP), "#888")
    for number, row in enumerate(rows):
        left = 0
        for each in row:
            made.paste(each, (left, number * (high + GAP)))
            left += each.width + GAP
    return made


def _look(page: Page, size: str) -> Image.Image:
    """The window of *page* in one size, made smaller."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    taken = Image.open(
        io.BytesIO(page.screenshot(mask=[page.locator(CHANGING)], mask_color="#888", animations="disabled"))
    ).convert("RGB")
    return taken.resize((round(width * SCALE), round(height * SCALE)), Image.Resampling.LANCZOS)


def difference(one: Image.Image, other: Image.Image) -> float:
    """The share of the pixels in which two sheets differ."""
    if one.size != other.size:
        return 1.0
    coarse = [each.convert("RGB").filter(ImageFilter.BoxBlur(COARSE)) for each in (one, other)]
    found = ImageChops.difference(*coarse)
    brightest = ImageChops.lighter(ImageChops.lighter(*found.split()[:2]), found.split()[2])
    return sum(brightest.histogram()[LEVELS:]) / (one.width * one.height)


def path(name: str) -> Path:
    """The file of the sheet *name*."""
    return FOLDER / f"{name}.png"


def keep(name: str, made: Image.Image, folder: Path = FOLDER) -> None:
    """Write the sheet *name*, with few colours."""
    folder.mkdir(parents=True, exist_ok=True)
    reduced(made).save(folder / f"{name}.png", optimize=True)


def reduced(made: Image.Image) -> Image.Image:
    """A sheet with few colours, as it is kept."""
    return made.quantize(COLOURS, dither=Image.Dither.NONE)


def main() -> None:
    """Make the sheets of the groups that are named, or all."""
    from tests.page.conftest import CHROMIUM, HEADLESS, launched

    language, _, elsewhere = next((each for each in sys.argv[1:] if "=" in each), "en=").partition("=")
    groups = [each for each in sys.argv[1:] if "=" not in each] or list(GROUPS)
    with sync_playwright() as driver, launched(driver, HEADLESS, CHROMIUM) as browser:
        for group in groups:
            for name, page in GROUPS[group](browser, language):
                keep(name, sheet(page), Path(elsewhere) if elsewhere else FOLDER)
                print(name)


if __name__ == "__main__":
    main()
