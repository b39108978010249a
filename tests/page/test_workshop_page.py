# SPDX-License-Identifier: Apache-2.0
"""The camera workshop in a real Chromium, served with a folder of images."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from calibration.table import outfit_of
from calibration.view_fit import handles_mm
from companion.host.devices import profiles
from companion.sensing.profile import board_corners_mm
from tests.calibration.studio import CHESS, over, photographs, scene_of
from tests.programs import Program

OPTICS = over(CHESS, k1=-0.08)
SLOW_MS = 60_000
"""The workshop shares its processor with the other tests."""

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    for number, image in enumerate(photographs(scene_of(CHESS, OPTICS), 2)):
        cv2.imwrite(str(folder / f"{number}.png"), image)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the workshop keeps its files."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def address(home: Path, photos: Path) -> Iterator[str]:
    """A workshop before those images."""
    with served(str(photos), home) as found:
        yield found


@contextmanager
def served(source: str, home: Path) -> Iterator[str]:
    """A workshop in a process of its own, before *source*; where it is."""
    process = Program(
        "calibration",
        ["workshop", "--no-browser", f"--source={source}"],
        stdout=PIPE,
        env={**os.environ, "XDG_DATA_HOME": str(home), "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    try:
        yield found.group()
    finally:
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        process.stdout.close()
        assert process.wait() == 130


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page once the tags are found."""
    with shown(browser, address) as found:
        yield found


@contextmanager
def shown(browser: Browser, address: str, locale: str = "en-GB") -> Iterator[Page]:
    """The page at *address* once the tags are found, in a browser of *locale*.

    An error in its console fails the test.
    """
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1300, "height": 900}, locale=locale)
    context.set_default_timeout(SLOW_MS)
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda fault: complaints.append(str(fault)))
    opened.goto(address)
    expect(opened.locator(".tag-corner")).to_have_count(4, timeout=SLOW_MS)
    try:
        yield opened
    finally:
        context.close()
    assert not complaints


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def handle(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name)


def take_the_board(page: Page) -> None:
    """Say how large the cells are, so that the tags fit."""
    page.get_by_label("Edge of a cell, mm").fill("50")
    button(page, "Take this board").click()
    expect(page.locator("#note")).to_have_text("The corner tags are found.", timeout=SLOW_MS)


def spot(page: Page, name: str) -> tuple[float, float]:
    """Where a corner is said to be, in px of the image."""
    told = handle(page, name).get_attribute("aria-valuetext") or ""
    x, y = (float(part.split()[1]) for part in told.split(","))
    return x, y


def drag(page: Page, name: str, right: int, down: int) -> None:
    """Pull a corner by so many px of the screen."""
    handle(page, name).hover()  # waits until it lies still
    box = handle(page, name).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y + down / 2)
    expect(page.locator("#loupe")).to_be_visible()
    page.mouse.move(x + right, y + down)
    page.mouse.up()
    expect(page.locator("#loupe")).to_be_hidden()


def test_a_profile_is_made_from_tags_and_a_dragged_corner(page: Page, home: Path) -> None:
    take_the_board(page)
    before = spot(page, "Near left corner")
    drag(page, "Near left corner", 4, -3)
    expect(page.locator("#note")).to_be_empty(timeout=SLOW_MS)
    moved = spot(page, "Near left corner")
    assert 3 < np.hypot(moved[0] - before[0], moved[1] - before[1]) < 20

    button(page, "Lay the grid").click()
    expect(page.locator("#advice")).to_contain_text("The grid fits the board's lines", timeout=SLOW_MS)
    true = OPTICS.project(np.column_stack([handles_mm(outfit_of(CHESS).grid), np.zeros(4)]))
    assert np.abs(np.array(spot(page, "Near left corner")) - true[0]).max() < 0.6, "it snapped to the lines"
    page.get_by_label("Show px per module").check()
    expect(page.locator(".map .good")).to_have_count(64)
    button(page, "Yes, it lies right").click()
    button(page, "The board is empty: take the picture").click()
    expect(page.locator("#references")).to_contain_text(
        "The picture of the empty board is kept.", timeout=SLOW_MS
    )
    page.get_by_label("pawn, mm").fill("11")
    page.get_by_label("Name of the profile").fill("kitchen")
    page.keyboard.press("Tab")
    expect(page.get_by_role("row", name="Residual")).to_contain_text("px")
    button(page, "Accept").click()
    expect(page.locator("#note")).to_contain_text("kitchen.toml")

    path = home / "companion" / "profiles" / "kitchen.toml"
    profile = profiles.load(path)
    corners = OPTICS.project(np.column_stack([board_corners_mm(outfit_of(CHESS).grid), np.zeros(4)]))
    assert np.abs(np.array(profile.fit.corners_px) - corners).max() < 0.5
    assert profile.heights.of("pawn") == 11
    assert profiles.images(profile, path)["empty"].exists()

    button(page, "Rename: kitchen").click()
    page.get_by_label("New name of kitchen").fill("club")
    button(page, "Yes").click()
    expect(page.locator("#profiles b")).to_have_text(["club"])
    button(page, "Delete: club").click()
    button(page, "No").click()
    button(page, "Delete: club").click()
    button(page, "Yes").click()
    expect(page.locator("#profiles")).to_have_text("There are no profiles yet.")

    button(page, "Find by tags").click()
    expect(page.locator("#check")).to_be_hidden()
    expect(page.locator("#note")).to_have_text("The corner tags are found.", timeout=SLOW_MS)


def test_a_corner_is_moved_with_the_keyboard_alone(page: Page) -> None:
    take_the_board(page)
    x, y = spot(page, "Far right corner")
    handle(page, "Far right corner").focus()
    expect(page.locator("#loupe")).to_be_visible()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowUp")
    expect(handle(page, "Far right corner")).to_have_attribute(
        "aria-valuetext", f"x {x + 10:.1f}, y {y - 1:.1f}"
    )
    expect(page.locator("#note")).to_be_empty(timeout=SLOW_MS)
    button(page, "Find by tags").click()
    expect(handle(page, "Far right corner")).to_have_attribute("aria-valuetext", f"x {x:.1f}, y {y:.1f}")


def test_the_page_fits_every_screen_and_every_control_has_a_name(page: Page) -> None:
    take_the_board(page)
    button(page, "Lay the grid").click()
    button(page, "Yes, it lies right").click()
    expect(page.locator("#keep")).to_be_visible(timeout=SLOW_MS)
    for width, height in ((360, 740), (820, 1180), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        picture = page.locator("#live").bounding_box()
        assert picture is not None
        assert picture["width"] > 0.5 * width
    expect(button(page, "Measure")).to_be_visible()
    nameless = page.locator("button, input, select, [role=slider]").evaluate_all(
        "all => all.filter(e => e.offsetParent !== null || e.role).filter(e => !(e.ariaLabel || e.textContent.trim() "
        "|| e.labels?.[0]?.textContent.trim())).map(e => e.outerHTML)"
    )
    assert nameless == []


def test_without_tags_on_the_pieces_heights_are_typed_in(page: Page) -> None:
    page.get_by_label("Pieces carry printed tags").uncheck()
    take_the_board(page)
    button(page, "Lay the grid").click()
    expect(page.locator("#height-word")).to_contain_text("The tallest", timeout=SLOW_MS)
    expect(page.locator("#map-word")).to_have_text("Show px per cell")
    expect(page.get_by_label("king, mm")).to_be_visible()
    expect(button(page, "Measure")).to_be_hidden()
    page.get_by_label("Pieces carry printed tags").check()
    take_the_board(page)


def test_errors_are_shown_as_sentences(page: Page) -> None:
    page.get_by_label("Edge of a cell, mm").fill("20")
    button(page, "Take this board").click()
    expect(page.locator("#note.fault")).to_contain_text("do not lie as on this board")
    page.get_by_label("Camera or file").fill("no-such-video.avi")
    button(page, "Open").click()
    expect(page.locator("#source-fault")).to_contain_text("no-such-video.avi")
