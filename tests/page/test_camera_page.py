# SPDX-License-Identifier: Apache-2.0
"""The page shows on the board which cells the camera cannot judge."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import pytest
from playwright.sync_api import Browser, expect

from companion.model.tags import family
from tests.host.printed import HEIGHT_MM, PrintedTable
from tests.page.looks import SIZES, resized
from tests.page.test_page import cell
from tests.phone import Phone
from tests.virtual.render import Thing

from .conftest import Start

pytestmark = pytest.mark.browser


def test_a_cell_that_the_camera_cannot_judge_is_marked_on_the_board(browser: Browser, start: Start) -> None:
    table = PrintedTable()
    middle = table.outfit.grid.centre_mm(table.outfit.grid.cell("b4"))
    stranger = Thing(family().rows(103), middle, 0.0, table.outfit.tag_mm, HEIGHT_MM)
    with Phone() as phone:
        phone.hold(table.see())
        page = browser.new_page()
        page.goto(start("--camera", phone.address).address)
        expect(page.locator("#link")).to_contain_text("The camera is watching.")
        expect(page.locator(".cell.unsure")).to_have_count(0)
        table.scene.put(900, stranger)
        phone.hold(table.see())
        expect(page.locator("#link")).to_contain_text("What lies on b4")
        expect(cell(page, "b4")).to_have_class(re.compile(r"\bunsure\b"))
        expect(page.locator(".cell.unsure")).to_have_count(1)
        page.locator("#open-picture").click()
        expect(page.locator("#camera-picture-said")).to_contain_text("What lies on b4")
        expect(page.locator("#camera-picture-image")).to_have_js_property("complete", value=True)
        assert page.locator("#camera-picture-image").evaluate("(image) => image.naturalWidth") > 100
        page.keyboard.press("Escape")
        table.scene.put(900, None)
        phone.hold(table.see())
        expect(page.locator(".cell.unsure")).to_have_count(0)
        expect(page.locator("#open-picture")).to_be_hidden()
        page.close()


def test_the_end_of_a_recording_is_said_within_the_window(
    browser: Browser, start: Start, tmp_path: Path
) -> None:
    (folder := tmp_path / "film").mkdir()
    cv2.imwrite(str(folder / "0.png"), PrintedTable().see())
    page = browser.new_page()
    page.goto(start("--camera", str(folder)).address)
    told = page.locator("#link[data-state=ended]")
    expect(told).to_have_text("The recording has ended.")
    for width, height in (*SIZES.values(), (320, 640)):
        resized(page, (width, height))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert told.evaluate("each => each.scrollWidth <= each.clientWidth"), "nothing of it is cut off"
    page.close()
