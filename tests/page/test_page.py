# SPDX-License-Identifier: Apache-2.0
"""The page in a real Chromium: what a player sees and does."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.page.desks import watch_for
from tests.page.targets import LEAST, SMALL

from .conftest import NewGame, Start

pytestmark = [pytest.mark.browser, pytest.mark.walk]

NEW_GAME, PAUSE, ADJOURN, RECORD = 0, 1, 2, -2
"""Numbers in the list of *More* while a game is on; *Close* is the last."""


@pytest.fixture
def page(browser: Browser, new_game: NewGame) -> Iterator[Page]:
    """The page of a new table; an error in its console fails the test."""
    complaints: list[str] = []
    context = browser.new_context()
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda fault: complaints.append(str(fault)))
    opened.goto(new_game())
    expect(prompt(opened)).to_have_text("The Sword moves.")
    yield opened
    context.close()
    assert not complaints


def cell(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{name}\b"))


def more(page: Page, number: int = NEW_GAME) -> None:
    """Choose the command *number* of those that *More* lists."""
    page.locator("[data-command=more]").click()
    page.locator("#confirm button").nth(number).click()


def prompt(page: Page) -> Locator:
    return page.locator("#prompt")


def moves(page: Page) -> Locator:
    return page.locator("#moves li")


def opened(context: Browser | BrowserContext, address: str) -> Page:
    """The page at *address*, as soon as there is something to play."""
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#commands button:visible").first).to_be_visible()
    return page


def carry(page: Page, move: str) -> None:
    """Lift and drop by clicking, as a person who looks before the second click."""
    source, target = move.split("-")
    cell(page, source).click()
    expect(page.locator(".hand .piece")).to_have_count(1)
    cell(page, target).click()
    expect(page.locator(".hand .piece")).to_have_count(0)


def play(page: Page, move: str, written: str) -> None:
    """Carry, and wait until the move is announced."""
    count = moves(page).count()
    carry(page, move)
    expect(moves(page).nth(count)).to_have_text(re.compile(rf"^{re.escape(written)}( \d:\d\d)?$"))
    expect(moves(page).nth(count)).to_have_class(re.compile("announced|settled"))


def lit(page: Page) -> set[str]:
    """Names of the cells whose lamp is lit."""
    lamps = page.locator("[data-cell]:not(:has(.lamp-0))")
    return {name.partition(",")[0] for name in lamps.evaluate_all("all => all.map(e => e.ariaLabel ?? '')")}


def test_a_whole_game_by_clicking_with_an_illegal_move_check_and_the_result(page: Page) -> None:
    play(page, "a1-b2", "a1-b2")
    expect(prompt(page)).to_have_text("The weapons move.")

    carry(page, "a8-a5")
    expect(prompt(page)).to_contain_text("The Axe moves diagonally")
    expect(page.locator("#guides")).to_contain_text("Move the Axe from a5 to a8.")
    expect(page.locator(".guide.arrow")).to_have_count(1)
    expect(page.locator("#display")).to_contain_text("Axe a5 > a8")
    carry(page, "a5-a8")
    expect(prompt(page)).to_have_text("The weapons move.")
    expect(page.locator("#guides li")).to_have_count(0)

    play(page, "d8-b8", "d8-b8!")
    expect(page.locator("#cry")).to_contain_text("CHECK!")
    expect(page.locator("#cry")).to_contain_text("b8")
    expect(page.locator("#display")).to_contain_text("CHECK!")
    play(page, "b2-c3", "b2-c3")
    expect(page.locator("#cry")).to_be_empty()

    play(page, "b8-b2", "b8-b2!")
    play(page, "c3-b2", "c3xb2")
    expect(page.get_by_role("button", name="Box: Spear")).to_be_visible()
    play(page, "d1-b2", "d1xb2#")
    expect(prompt(page)).to_have_text("The weapons win: the Sword is eliminated.")
    expect(page.locator("#display")).to_contain_text("Weapons win")
    expect(page.get_by_role("button", name="Resign")).to_have_count(0)


def test_one_press_lets_an_illegal_move_stand_and_the_other_side_moves(page: Page) -> None:
    carry(page, "a1-d5")
    expect(prompt(page)).to_contain_text("The Sword moves one or two")
    page.get_by_role("button", name="Let it stand").click()
    expect(prompt(page)).to_have_text("The weapons move.")
    expect(page.locator(".turn")).to_contain_text("Weapons")
    expect(moves(page)).to_have_text(["let stand"])
    carry(page, "d1-c3")
    expect(moves(page)).to_have_text(["let stand", re.compile("^d1-c3")])


@pytest.mark.parametrize(
    ("following", "prompted"),
    [
        ("Sword", "The Sword moves."),
        pytest.param("Weapons", "The weapons move.", marks=pytest.mark.long),
    ],
)
def test_letting_a_position_stand_asks_who_moves_next_if_that_is_not_clear(
    page: Page, following: str, prompted: str
) -> None:
    carry(page, "a8-b5")
    expect(prompt(page)).to_contain_text("may not move now")
    page.get_by_role("button", name="Let it stand").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Who moves next?")
    dialog.get_by_role("button", name=following).click()
    expect(prompt(page)).to_have_text(prompted)
    expect(page.locator(".turn")).to_contain_text(following)
    expect(moves(page)).to_have_text(["let stand"])
    source = {"Sword": "a1-a2", "Weapons": "d1-c3"}[following]
    carry(page, source)
    expect(moves(page)).to_have_text(["let stand", re.compile(f"^{source}")])


@pytest.mark.long
def test_with_clocks_each_move_is_shown_with_its_time(page: Page, new_game: NewGame) -> None:
    play(page, "a1-b2", "a1-b2")
    expect(moves(page).locator("small")).to_have_count(0)
    expect(moves(page).get_by_role("button")).to_have_accessible_name("Sword: a1-b2")
    page.goto(new_game(clock="5+3"))
    expect(prompt(page)).to_have_text("The Sword moves.")
    for move, side in (("a1-b2", "Sword"), ("d8-b8", "Weapons")):
        play(page, move, {"d8-b8": "d8-b8!"}.get(move, move))
        made = moves(page).last
        expect(made.locator("small")).to_have_text(re.compile(r"^0:\d\d$"))
        expect(made.get_by_role("button")).to_have_accessible_name(re.compile(rf"^{side}: {move}!?, 0:\d\d$"))


def test_the_targets_of_a_lifted_piece_are_shown_by_lamps_marks_and_text(page: Page) -> None:
    cell(page, "a1").click()
    targets = {"a2", "a3", "b1", "b2", "c1", "c3"}
    expect(page.locator(".target")).to_have_count(len(targets))
    assert targets | {"a1"} == lit(page)
    expect(cell(page, "c3")).to_have_accessible_name("c3, may go here")
    expect(page.locator("#display")).to_contain_text("Sword a1 > ..")


def test_a_blinking_lamp_changes_its_look_and_computes_no_frames_between(page: Page) -> None:
    carry(page, "a1-d5")
    expect(prompt(page)).to_contain_text("The Sword moves one or two")
    watch_for(
        page,
        """() => {
          const seen = (window.seenLooks ??= new Set());
          const lamps = [...document.querySelectorAll(".lamp:not(.lamp-0)")].map((each) => getComputedStyle(each));
          seen.add(lamps.map(({ color, opacity }) => `${color} ${opacity}`).join());
          return seen.size > 1;
        }""",
    )
    assert page.evaluate("document.getAnimations().length") == 0


def test_a_piece_can_be_dragged_with_the_mouse(page: Page) -> None:
    cell(page, "a1").hover()
    page.mouse.down()
    expect(page.locator(".hand .piece")).to_have_count(1)
    cell(page, "c3").hover()
    page.mouse.up()
    expect(moves(page)).to_have_text(["a1-c3"])


def test_a_move_is_made_with_the_keyboard_alone(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(cell(page, "a1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".hand .piece")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    expect(cell(page, "a2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(cell(page, "a1")).to_have_accessible_name("a1, Sword")
    expect(cell(page, "a8")).to_have_accessible_name("a8, Axe, Weapons")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(page.locator(".hand .piece")).to_have_count(1)
    for key in ("ArrowUp", "ArrowRight", "Space"):
        page.keyboard.press(key)
    expect(moves(page)).to_have_text(["a1-b2"])
    expect(cell(page, "b2")).to_have_accessible_name("b2, Sword")


@pytest.mark.long
def test_a_page_opened_in_mid_game_shows_the_same_as_an_older_one(page: Page, browser: Browser) -> None:
    play(page, "a1-b2", "a1-b2")
    play(page, "d8-b8", "d8-b8!")
    seen = page.locator("main").aria_snapshot()
    page.reload()
    expect(moves(page)).to_have_count(2)
    assert seen == page.locator("main").aria_snapshot()

    other = browser.new_page()
    other.goto(page.url)
    expect(moves(other)).to_have_count(2)
    play(other, "b2-c3", "b2-c3")
    expect(moves(page)).to_have_count(3)
    other.close()


def answer(page: Page, text: str) -> None:
    """Answer what is asked before something is done."""
    page.get_by_role("dialog").get_by_role("button", name=text, exact=True).click()


def test_resigning_asks_for_the_side_first(page: Page) -> None:
    play(page, "a1-b2", "a1-b2")
    page.get_by_role("button", name="Resign").click()
    answer(page, "No")
    expect(prompt(page)).to_have_text("The weapons move.")
    page.get_by_role("button", name="Resign").click()
    answer(page, "Sword")
    expect(prompt(page)).to_contain_text("The weapons win")


def test_a_draw_is_offered_by_the_side_that_has_moved_and_accepted(page: Page) -> None:
    play(page, "a1-b2", "a1-b2")
    page.get_by_role("button", name="Offer a draw").click()
    answer(page, "Sword")
    expect(page.locator("#offer")).to_have_text("The Sword offers a draw.")
    page.get_by_role("button", name="Agree to a draw").click()
    expect(prompt(page)).to_contain_text("Draw")


def test_after_a_crash_the_page_finds_the_resumed_game_by_itself(browser: Browser, start: Start) -> None:
    program = start()
    opened = browser.new_page()
    opened.goto(program.address)
    play(opened, "a1-b2", "a1-b2")
    program.stop(signal.SIGKILL)
    expect(opened.locator("#link")).to_have_text("Connecting again")
    start("--resume", port=int(program.address.rstrip("/").rpartition(":")[2]))
    expect(opened.locator("#link")).to_contain_text("Connected")
    expect(moves(opened)).to_have_text(["a1-b2"])
    play(opened, "d8-b8", "d8-b8!")
    opened.close()


@pytest.mark.walk("desktop")
def test_board_and_prompt_fit_every_screen_and_every_control_has_a_name(page: Page) -> None:
    for width, height in ((360, 740), (667, 375), (820, 1180), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        board = page.locator("#board").bounding_box()
        assert board is not None
        assert board["width"] > 150
        assert board["y"] + board["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    cell(page, "a1").click()
    expect(page.locator(".hand .piece")).to_have_count(1)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(SMALL, LEAST["phone"]) == []
    names = page.get_by_role("button").evaluate_all(
        "all => all.map(e => e.ariaLabel || e.textContent.trim())"
    )
    assert len(names) > 32
    assert all(names)


def test_ctrl_c_ends_the_program_cleanly_with_a_page_open(browser: Browser, start: Start) -> None:
    program = start()
    opened = browser.new_page()
    opened.goto(program.address)
    expect(prompt(opened)).to_have_text("The Sword moves.")
    assert program.stop() == 0
    opened.close()
