# SPDX-License-Identifier: Apache-2.0
"""Every screen looks as in its golden picture, in three sizes, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, expect

from tests.page.golden_pictures import FOLDER, MOST, difference, keep, path, reduced, sheet
from tests.page.looks import SIZES
from tests.page.screens import GROUPS
from tests.page.targets import LEAST, SMALL
from tests.page.test_whole_page import violations

pytestmark = pytest.mark.browser


@pytest.mark.long
@pytest.mark.parametrize("group", GROUPS)
def test_every_screen_looks_as_in_its_golden_picture_and_is_accessible(
    browser: Browser, tmp_path: Path, group: str
) -> None:
    found: dict[str, object] = {}
    for name, page in GROUPS[group](browser, "en"):
        made = sheet(page)
        share = difference(reduced(made), Image.open(path(name))) if path(name).exists() else 1.0
        if share > MOST:
            keep(name, made, tmp_path)
            found[name] = f"{share:.2%}: compare {tmp_path / name}.png with {path(name)}"
        for size, scheme in (("phone", "dark"), ("desktop", "light")):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
            expect(page.locator("html")).to_have_attribute("data-theme", scheme)
            if faults := [*violations(page), *page.evaluate(SMALL, LEAST[size])]:
                found[f"{name}, {size}, {scheme}"] = faults
    assert found == {}, f"if a look is meant: python -m tests.page.golden_pictures {group}"


def test_a_part_that_is_missing_or_coloured_otherwise_is_a_difference() -> None:
    golden = Image.open(path("start")).convert("RGB")
    assert difference(golden, golden) == 0
    for colour in ("#000000", "#c02020"):
        changed = golden.copy()
        ImageDraw.Draw(changed).rectangle((40, 60, 140, 110), fill=colour)
        assert difference(golden, changed) > MOST


def test_golden_pictures_are_small() -> None:
    assert sum(each.stat().st_size for each in FOLDER.glob("*.png")) < 3_200_000
