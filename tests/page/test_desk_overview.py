# SPDX-License-Identifier: Apache-2.0
"""The arbiter's desk on one screen: all boards, alarms, a board beside them, dialogs."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, FilePayload, Page, expect

from companion.tournament.event import Event
from companion.tournament.trf import write_trf
from tests.host.hall.sites import NAME, PASSWORD
from tests.page.desks import do, watch_for
from tests.page.full_halls import NOW_MS, STATES, FullHall, full_hall, glance
from tests.page.test_whole_page import violations
from tests.tournament.test_rating_list import LIST, row

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
NAMED = """() => [...document.querySelectorAll(".tile .who")].filter((who) => {
  const names = [...who.querySelectorAll("span")].map((name) => name.getBoundingClientRect());
  return names.length === 2 && names[1].right <= who.getBoundingClientRect().right && names[1].top > names[0].top;
}).length"""
"""How many tiles have a line for each player."""


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
        assert desk.evaluate(NAMED) == 40
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


COUNT_TONES = """() => {
  window.tones = 0;
  const Real = OscillatorNode;
  window.OscillatorNode = class extends Real {
    constructor(...given) {
      super(...given);
      tones += 1;
    }
  };
}"""
"""The tones that a desk begins are counted, and sound."""
OWNERS = """() => [
  getComputedStyle(document.querySelector("#alarms li.taken")).borderLeftColor,
  getComputedStyle(document.querySelector('.tile[data-board="b1"]')).boxShadow.split(" 0px")[0],
]"""
"""The colours of who takes the first alarm: there, and at the tile."""


def test_a_new_alarm_stands_on_top_and_one_arbiter_takes_it(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 12) as hall:
        for number in range(1, 11):
            hall.show(f"b{number}", STATES["illegal"], ms=NOW_MS - 1000 * number)
        ana, ben = desk_at(browser, hall), desk_at(browser, hall)
        ana.evaluate(COUNT_TONES)
        ana.get_by_role("button", name="Sound").click()
        first = ana.locator("#alarms li").first
        expect(first).to_contain_text("b1 (")
        first.get_by_role("button", name="I go").click()
        for desk in (ana, ben):
            last = desk.locator("#alarms li").last
            expect(last).to_have_class(re.compile("taken"))
            expect(last).to_contain_text("b1 (")
            expect(desk.locator("#alarms li").first).to_contain_text("b2 (")
            alarm, tile = desk.evaluate(OWNERS)
            assert alarm == tile
            assert alarm != "rgba(0, 0, 0, 0)", "the colour of who goes there"
        assert ana.evaluate("tones") == 0, "what was there before is silent"
        assert ana.evaluate("document.documentElement.scrollHeight") == 900, "one screen"
        hall.show("b11", STATES["illegal"], ms=NOW_MS + 1000)
        expect(ana.locator("#alarms li").first).to_contain_text("b11 (")
        expect(ana.locator("#alarms li").first).to_be_in_viewport()
        watch_for(ana, "() => tones > 0")
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


def test_a_start_checks_the_tables_and_starts_those_that_are_ready(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 6) as hall:
        for number in range(1, 7):
            hall.show(f"b{number}", glance(0, awaits_clock=True))
        hall.show("b2", glance(0, phase="setting_up", awaits_clock=True))
        hall.show("b3", STATES["paused"])
        hall.show("b5", glance(1))  # plays already
        hall.show("b7", glance(0))  # of no table
        hall.fall_silent("b4", "b7")
        desk = desk_at(browser, hall)
        expect(desk.locator('[data-board="b4"]')).to_have_attribute("data-state", "silent")
        dialog = desk.get_by_role("dialog")
        started = {"1": ["b1", "b6"], "2": ["b1", "b2", "b3", "b5", "b6"]}
        for time, boards in started.items():
            before = set(hall.at.hall.keeper.book.orders)
            desk.keyboard.press("s")
            expect(dialog).to_contain_text("2 tables are ready: the pieces stand")
            expect(dialog).to_contain_text("Not ready: table 2 (being set up), 3 (paused), 4 (offline).")
            if time == "2":
                dialog.get_by_label("Start the clocks").select_option("all")
            desk.keyboard.press("Enter")
            expect(desk.locator("#answer")).to_contain_text("Sent")
            orders = hall.at.hall.keeper.book.orders
            assert sorted(orders[name].board for name in orders.keys() - before) == boards
            desk.locator("#answer").evaluate("(answer) => { answer.textContent = ''; }")
        desk.get_by_role("button", name="Remove boards that left").click()
        expect(desk.locator(".tile")).to_have_count(6)
        for number in range(1, 7):
            hall.show(f"b{number}", STATES["paused"])
        expect(desk.locator('.tile[data-state="paused"]')).to_have_count(6)
        desk.keyboard.press("s")
        expect(dialog).to_contain_text("6 boards concerned")
        expect(dialog).not_to_contain_text("ready")


def test_a_board_whose_game_has_not_begun_is_not_ready(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 2, has_begun=False) as hall:
        hall.show("b1", glance(0, awaits_clock=True), error_ms=800)
        desk = desk_at(browser, hall)
        expect(desk.locator('.tile[data-state="setup"]')).to_have_count(2)
        desk.keyboard.press("s")
        dialog = desk.get_by_role("dialog")
        expect(dialog).to_contain_text("0 tables are ready")
        expect(dialog).to_contain_text("Not ready: table 1 (being set up), 2 (being set up).")
        expect(dialog).to_contain_text("more than half a second: table 1 (±800 ms)")
        expect(dialog.get_by_label("Start the clocks")).to_have_count(0)


@pytest.mark.long
def test_a_phone_confirms_a_result_gives_time_and_adds_a_photograph(browser: Browser, tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.effect_noise((3000, 2000), 60).convert("RGB").save(file, "PNG")
    assert file.tell() > 5 << 20
    with full_hall(tmp_path, 2) as hall:
        desk = desk_at(browser, hall, 390, 844)
        hall.show("b1", STATES["reported"])
        hall.report("b1", 1, (2, 0))
        desk.locator('[data-board="b1"]').click()
        desk.locator("#board-b1").get_by_role("button", name="Confirm").click()
        expect(desk.locator("#book li").first).to_contain_text("result · club · Round 1 · Table 1 · 1:0")
        desk.get_by_role("button", name="Close").click()
        desk.locator('[data-board="b2"]').click()
        do(desk, desk.locator("#board-b2").get_by_role("button", name="Time…"), Seconds="60")
        expect(desk.locator("#book li").first).to_contain_text("order · b2 · Add or take time")
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


def test_the_head_of_the_report_is_entered_in_one_dialog_and_checked(
    browser: Browser, tmp_path: Path
) -> None:
    with full_hall(tmp_path, 2) as hall:
        desk = desk_at(browser, hall)
        with desk.expect_download():
            desk.get_by_role("button", name="Report (TRF)").click()
        expect(desk.locator("#answer")).to_contain_text("still lacks: city · federation · first day")
        desk.get_by_role("button", name="For the federation").click()
        dialog = desk.get_by_role("dialog")
        expect(dialog).to_contain_text("still lacks: city · federation · first day")
        expect(dialog).to_contain_text("Norms are not computed here")
        dialog.get_by_label("City").fill("Zürich")
        dialog.get_by_label("Federation").fill("Swiss")
        dialog.get_by_role("button", name="Do it").click()
        expect(desk.locator("#answer")).to_contain_text("'Swiss' is no federation: three capital letters")

        desk.get_by_role("button", name="For the federation").click()
        for label, text in {
            "City": "Zürich",
            "Federation": "SUI",
            "First day": "2026/11/20",
            "Last day": "2026/11/21",
            "Chief arbiter": "IA Ana Sudac",
            "Deputy arbiters": "Ben; Čedo",
            "Time control": "90 min + 30 s",
            "Dates of the rounds": "2026/11/20; 2026/11/21",
        }.items():
            dialog.get_by_label(label).fill(text)
        dialog.get_by_role("button", name="Do it").click()
        expect(desk.locator("#book li").first).to_contain_text("place, dates and arbiters")
        of = hall.at.hall.keeper.book.of("club").tournament
        dates = ("2026/11/20", "2026/11/21")
        assert of.event == Event(
            "Zürich", "SUI", *dates, "IA Ana Sudac", ("Ben", "Čedo"), "90 min + 30 s", dates
        )
        assert "022 Zürich" in write_trf(of)
        desk.get_by_role("button", name="For the federation").click()
        expect(dialog).to_contain_text("is complete")
        expect(dialog.get_by_label("Deputy arbiters")).to_have_value("Ben; Čedo")
        dialog.get_by_role("button", name="Cancel").click()

        look_up_in_a_rating_list(hall, desk)
        hall.ask("api/acts", {"is": "ResultDecided", "key": "club", "round": 1, "table": 1, "points": [2, 0]})
        desk.get_by_text("Ratings after the evening").click()
        row = desk.get_by_role("group", name="Ratings after the evening").locator("tbody tr").first
        expect(row).to_have_text(re.compile(r"Player 000 Surname2310\+10"))


def look_up_in_a_rating_list(hall: FullHall, desk: Page) -> None:
    """Enter players found by name and by id, and a table completed."""
    others = [row(200 + number, f"Other, Nobody {number}", 1900) for number in range(20_000)]
    content = "".join((*LIST, *others)).encode("cp1252")
    desk.locator("#tournaments summary", has_text="Players").click()
    desk.get_by_label("Rating list").set_input_files(
        FilePayload(name="list.txt", mimeType="text/plain", buffer=content)
    )
    look_up = desk.get_by_label("Look up in the list")
    for text, found in (("mül jörg", "Müller, Jörg · 100"), ("102", "Sudac, Ana · 102")):
        look_up.fill(text)
        look_up.press("Enter")
        desk.get_by_role("button", name=found).click()
        expect(desk.locator("#tournaments li", has_text=found.partition(" ·")[0]).first).to_be_visible()
    desk.get_by_label("Rating list").set_input_files(
        FilePayload(
            name="dwz.csv", mimeType="text/csv", buffer=b"Name;DWZ;Titel\nDora, Dan;1700;CM\nEva;1500;\n"
        )
    )
    look_up.fill("dora")
    look_up.press("Enter")
    desk.get_by_role("button", name="Dora, Dan").click()
    expect(desk.locator("#tournaments li", has_text="Dora, Dan 1700")).to_be_visible()
    desk.get_by_label(re.compile("Rating list.*dwz.csv")).set_input_files(
        FilePayload(name="list.txt", mimeType="text/plain", buffer=content)
    )
    desk.get_by_label("Players as a table").fill("name\nBen Beginner\nSudac, Ana\n")
    desk.get_by_role("button", name="Enter", exact=True).click()
    expect(desk.locator("#answer")).to_contain_text("several in the rating list")
    known = {player.name: player for player in hall.at.hall.keeper.book.of("club").tournament.players}
    assert (known["Müller, Jörg"].rating, known["Müller, Jörg"].title) == (2210, "FM")
    assert (known["Ben Beginner"].licence, known["Ben Beginner"].federation) == ("103", "SUI")
