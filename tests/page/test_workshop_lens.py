# SPDX-License-Identifier: Apache-2.0
"""The workshop's lens step: the chart is moved before a phone's camera."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from calibration.chart import FEWEST_VIEWS, ChartView, chart_in
from calibration.table import outfit_of
from companion.host.devices import profiles
from companion.sensing.profile import board_corners_mm
from companion.sensing.vision.codes import Grey
from tests.calibration.studio import CHESS, chart_photographs, over, photographs, scene_of
from tests.page.test_workshop_page import SLOW_MS, button, served, shown, take_the_board
from tests.phone import Phone

WIDE = over(CHESS, (960, 540), k1=-0.22, k2=0.04)
"""A lens that bends by a fifth of a cell and more."""
_APART = 0.3
"""The distance of views that surely count as new: 1.5 times the minimum."""

pytestmark = pytest.mark.browser


def views() -> Iterator[Grey]:
    """Images of the chart, each surely new."""
    kept: list[ChartView] = []
    for image in chart_photographs(WIDE, 14):
        view = chart_in(image)
        if view is not None and all(
            np.abs(np.subtract(view.measures, each.measures)).sum() > _APART for each in kept
        ):
            kept.append(view)
            yield image


@pytest.mark.long
@pytest.mark.timeout(300)  # it carries a chart before a camera, a dozen times
def test_a_lens_is_computed_from_the_chart_and_saved(browser: Browser, tmp_path: Path) -> None:
    board = photographs(scene_of(CHESS, WIDE), 1)[0]
    with Phone() as phone:
        phone.hold(board)
        with served(phone.address, tmp_path) as address, shown(browser, address) as page:
            take_the_board(page)
            page.locator("#lens summary").click()
            expect(button(page, "Work out the lens")).to_be_disabled()
            button(page, "Show the chart").click()
            expect(button(page, "Stop")).to_be_visible()
            expect(page.locator("#views")).to_have_text(f"0 views, {FEWEST_VIEWS} at least")
            count = 0
            for image in views():
                count += 1
                phone.hold(image)
                expect(page.locator("#views")).to_contain_text(f"{count} view", timeout=SLOW_MS)
                expect(page.locator("#note")).to_be_empty()
            assert count > FEWEST_VIEWS
            full = page.locator("#bars meter").evaluate_all("all => all.map(each => each.value)")
            assert min(full) > 0.2
            button(page, "Work out the lens").click()
            expect(page.locator("#note")).to_contain_text(
                f"The lens was computed from {count} views", timeout=SLOW_MS
            )
            expect(page.locator("#views")).to_contain_text("k1 -0.2")

            phone.hold(board)
            expect(page.locator("#note")).to_have_text("The corner tags are found.", timeout=SLOW_MS)
            button(page, "Lay the grid").click()
            expect(page.locator("#advice")).to_contain_text(
                "The bend of the lens is corrected as the chart showed it.", timeout=SLOW_MS
            )
            button(page, "Yes, it lies right").click()
            page.get_by_label("Name of the profile").fill("wide")
            page.keyboard.press("Tab")
            button(page, "Accept").click()
            expect(page.locator("#note")).to_contain_text("wide.toml")
    profile = profiles.load(tmp_path / "companion" / "profiles" / "wide.toml")
    assert profile.lens is not None
    assert profile.lens.k1 == pytest.approx(WIDE.k1, abs=0.02)
    assert profile.lens.focal_px == pytest.approx(WIDE.focal_px, rel=0.01)
    corners = np.array([(*corner, 0.0) for corner in board_corners_mm(outfit_of(CHESS).grid)])
    assert np.abs(np.array(profile.fit.corners_px) - WIDE.project(corners)).max() < 1.0
