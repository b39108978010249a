# SPDX-License-Identifier: Apache-2.0
"""The overview at the arbiter's desk: all boards, alarms, one board beside them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.host.hall.sites import NAME, PASSWORD
from tests.page.full_halls import NOW_MS, STATES, FullHall, full_hall, glance
from tests.page.test_whole_page import violations

pytestmark = pytest.mark.browser

FIT = """() => {
  const boards = document.querySelector("#boards");
  const inside = boards.getBoundingClientRect();
  const tiles = [...boards.querySelectorAll(".tile")].map((tile) => tile.getBoundingClientRect());
  return {
    tiles: tiles.length,
    page: document.documentElement.scrollHeight,
    scrolls: boards.scrollHeight > boards.clientHeight,
    outside: tiles.filter((tile) => tile.bottom > inside.bottom + 1 || tile.right > inside.right + 1).length,
    cut: [...boards.querySelectorAll(".tile")].filter((tile) => tile.scrollHeight > tile.clientHeight + 1).length,
  };
}"""
"""How many tiles there are, and whether the screen shows all of them whole."""


def desk_at(browser: Browser, hall: FullHall, width: int = 1440, height: int = 900) -> Page:
    page = browser.new_context(
        locale="en-GB", viewport={"width": width, "height": height}, reduced_motion="reduce"
    ).new_page()
    page.on("pageerror", lambda fault: pytest.fail(str(fault)))
    page.goto(f"{hall.address}arbiter")
    page.locator("input[type=password]").wait_for()
    page.locator("input").first.fill(NAME)
    page.locator("input[type=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#boards .tile").first).to_be_visible()
    return page


@contextmanager
def in_all_states(folder: Path, boards: int) -> Iterator[FullHall]:
    """A hall whose first boards show each state."""
    with full_hall(folder, boards) as hall:
        for number, (_state, shown) in enumerate(STATES.items(), 1):
            hall.show(f"b{number}", shown, ms=NOW_MS - 5_000)
        hall.show("b9", glance(), "The panel was unplugged.")
        for number in range(10, boards + 1):
            hall.show(f"b{number}", glance())
        hall.fall_silent("b10")
        yield hall


@pytest.mark.long
def test_forty_boards_fit_on_one_screen_are_sorted_filtered_and_found(
    browser: Browser, tmp_path: Path
) -> None:
    with in_all_states(tmp_path, 40) as hall:
        desk = desk_at(browser, hall)
        fits = {"tiles": 40, "page": 900, "scrolls": False, "outside": 0, "cut": 0}
        expect(desk.locator('[data-board="b10"]')).to_have_attribute("data-state", "silent")
        for number, state in enumerate(STATES, 1):
            expect(desk.locator(f'[data-board="b{number}"]')).to_have_attribute("data-state", state)
        expect(desk.locator('[data-board="b9"]')).to_have_attribute("data-state", "sensor")
        expect(desk.locator('[data-board="b8"] .state')).to_have_text(re.compile(r"● 0:\d\d"))
        assert desk.evaluate(FIT) == fits
        desk.locator('[data-board="b3"]').click()
        expect(desk.locator("#board-b3")).to_contain_text("run out of time")
        assert desk.evaluate(FIT) == fits
        assert violations(desk) == []

        desk.get_by_label("Order", exact=True).select_option("worst first")
        expect(desk.locator(".tile").first).to_have_attribute("data-board", "b10")
        chip = desk.locator('.chips [data-state="illegal"]')
        expect(chip).to_contain_text("1")
        chip.click()
        expect(desk.locator(".tile")).to_have_count(1)
        chip.click()
        expect(desk.locator(".tile")).to_have_count(40)
        desk.locator('[data-board="b3"]').focus()
        desk.keyboard.press("ArrowLeft")
        expect(desk.locator('[data-board="b1"]')).to_be_focused()
        desk.keyboard.press("Enter")
        expect(desk.locator("#board-b1")).to_be_focused()
        expect(desk.locator("#open section")).to_have_count(1)
        desk.get_by_role("button", name="Close").click()
        expect(desk.locator("#open section")).to_have_count(0)
        expect(desk.locator('[data-board="b1"]')).to_be_focused()
        phone = desk_at(browser, hall, 390, 844)
        phone.locator('[data-board="b1"]').click()
        expect(phone.locator("#board-b1")).to_be_in_viewport()
        expect(phone.locator("#boards")).to_be_hidden()  # one board at a time
        expect(phone.locator("#alarms li").first).to_be_in_viewport()
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.long
def test_a_hundred_and_twenty_boards_fit_on_a_large_screen(browser: Browser, tmp_path: Path) -> None:
    with in_all_states(tmp_path, 120) as hall:
        desk = desk_at(browser, hall, 1920, 1080)
        expect(desk.locator('[data-board="b10"]')).to_have_attribute("data-state", "silent")
        fits = {"tiles": 120, "page": 1080, "scrolls": False, "outside": 0, "cut": 0}
        assert desk.evaluate(FIT) == fits
        desk.locator('[data-board="b3"]').click()
        expect(desk.locator("#board-b3")).to_be_visible()
        assert desk.evaluate(FIT) == fits


def test_a_new_alarm_stands_on_top_and_one_arbiter_takes_it(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 12) as hall:
        for number in range(1, 11):
            hall.show(f"b{number}", STATES["illegal"], ms=NOW_MS - 1000 * number)
        ana, ben = desk_at(browser, hall), desk_at(browser, hall)
        ana.get_by_role("button", name="Sound").click()
        first = ana.locator("#alarms li").first
        expect(first).to_contain_text("b1 (")
        first.get_by_role("button", name="I go").click()
        for desk in (ana, ben):
            last = desk.locator("#alarms li").last
            expect(last).to_have_class(re.compile("taken"))
            expect(last).to_contain_text("b1 (")
            expect(desk.locator("#alarms li").first).to_contain_text("b2 (")
        hall.show("b11", STATES["illegal"], ms=NOW_MS + 1000)
        expect(ana.locator("#alarms li").first).to_contain_text("b11 (")
        expect(ana.locator("#alarms li").first).to_be_in_viewport()
        hall.show("b1", STATES["thinking"], ms=NOW_MS + 2000)
        hall.show("b1", STATES["illegal"], ms=NOW_MS + 3000)
        expect(ben.locator("#alarms li").first).to_contain_text("b1 (")  # a new alarm, which nobody has
        expect(ben.locator("#alarms .taken")).to_have_count(0)


def test_all_reported_results_are_confirmed_at_once_except_odd_ones(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 8) as hall:
        for number in range(1, 7):
            hall.show(f"b{number}", STATES["reported"])
            hall.report(f"b{number}", number, (2, 0))
        hall.show("b2", glance(2, outcome=STATES["reported"].outcome, result="White wins."))
        hall.show("b3", glance())
        hall.show("b4", STATES["reported"], "The panel was unplugged.")
        desk = desk_at(browser, hall)
        expect(desk.locator("#alarms")).to_contain_text("results reported")
        desk.get_by_role("button", name="Confirm all reported…").first.click()
        dialog = desk.get_by_role("dialog")
        expect(dialog).to_contain_text("3 results are confirmed as reported.")
        expect(dialog.locator(".odd li")).to_contain_text(
            ["only 2 moves", "no longer shows", "alarm is open"]
        )
        desk.keyboard.press("Enter")
        expect(desk.locator('.round tr[data-state="decided"]')).to_have_count(3)
        tables = hall.at.hall.keeper.book.of("club").tournament.rounds[0].pairings
        assert [pairing.table for pairing in tables if not pairing.is_on] == [1, 5, 6]


def test_a_start_of_the_clocks_names_tables_that_are_not_ready(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 4) as hall:
        hall.show("b2", glance(0, phase="setting_up", awaits_clock=True))
        hall.show("b5", glance(0))  # of no table
        hall.fall_silent("b4", "b5")
        desk = desk_at(browser, hall)
        expect(desk.locator('[data-board="b4"]')).to_have_attribute("data-state", "silent")
        desk.keyboard.press("s")
        dialog = desk.get_by_role("dialog")
        expect(dialog).to_contain_text("Not ready: table 2 (being set up), 4 (offline).")
        desk.keyboard.press("Escape")
        desk.get_by_role("button", name="Remove boards that left").click()
        expect(desk.locator(".tile")).to_have_count(4)


@pytest.mark.long
def test_a_phone_adds_a_photograph_to_the_book(browser: Browser, tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.effect_noise((3000, 2000), 60).convert("RGB").save(file, "PNG")
    assert file.tell() > 5 << 20
    with full_hall(tmp_path, 2) as hall:
        desk = desk_at(browser, hall, 390, 844)
        desk.locator('[data-board="b2"]').click()
        taken = FilePayload(name="sheet.png", mimeType="image/png", buffer=file.getvalue())
        desk.locator(".photograph input").set_input_files(taken)
        line = desk.locator("#book li", has_text="score sheet photographed · club · Round 1 · Table 2")
        with desk.context.expect_page() as opened:
            line.get_by_role("link", name="Show").click()
        size = opened.value.locator("img").evaluate("(image) => [image.naturalWidth, image.naturalHeight]")
        assert size == [2400, 1600]
        desk.locator(".photograph input").set_input_files(
            FilePayload(name="sheet.png", mimeType="image/png", buffer=b"no picture")
        )
        expect(desk.get_by_role("alert")).to_contain_text("send a JPEG or PNG")
