# SPDX-License-Identifier: Apache-2.0
"""The page around the board.

Another game, sounds and speech, the big screen, spectators, lost connections, keys, languages.
"""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.page.test_page import carry, cell, more, moves, opened, play, prompt

from .conftest import NewGame, Start

pytestmark = [pytest.mark.browser, pytest.mark.walk]

RECORDERS = """
window.said = [];
window.sung = [];
Object.defineProperty(window, "speechSynthesis", { value: {
  speak: (utterance) => said.push([utterance.lang, utterance.text]),
  cancel: () => {},
} });
const Real = OscillatorNode;
window.OscillatorNode = class extends Real {
  constructor(context, options) {
    super(context, options);
    sung.push(options.frequency);
  }
};
"""
"""What the browser is asked to say and to sing is written down."""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A person's browser; whatever a page of it complains of fails the test."""
    complaints: list[str] = []
    made = browser.new_context()
    made.on("weberror", lambda fault: complaints.append(str(fault.error)))
    made.on(
        "console",
        lambda message: (
            complaints.append(message.text)
            if message.type == "error" and "WebSocket connection" not in message.text
            else None
        ),
    )
    made.add_init_script(RECORDERS)
    yield made
    made.close()
    assert not complaints


def violations(page: Page) -> list[str]:
    """What axe-core finds against the rules of accessibility, each with the elements concerned."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:120]}" for each in found for node in each["nodes"]]


def test_another_game_is_started_with_options_players_and_time(
    context: BrowserContext, new_game: NewGame
) -> None:
    page = opened(context, new_game())
    play(page, "a1-b2", "a1-b2")
    more(page)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("The game under way stops here")).to_be_visible()
    assert violations(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    expect(moves(page)).to_have_count(1)

    page.keyboard.press("n")
    dialog.get_by_role("combobox", name="Game", exact=True).select_option("Martian Chess")
    dialog.get_by_text("More rules").click()
    expect(dialog.locator("#players .player")).to_have_count(2)
    dialog.get_by_role("combobox", name="Players", exact=True).select_option("four")
    expect(dialog.locator("#players .player")).to_have_count(4)
    dialog.get_by_role("combobox", name="Game", exact=True).select_option("Fightopia")
    dialog.get_by_role("textbox", name="White").fill("Ann")
    dialog.get_by_role("textbox", name="Black").fill("Ben")
    dialog.get_by_role("combobox", name="Called out").select_option("nothing")
    dialog.get_by_role("combobox", name="Time", exact=True).select_option("Own time")
    dialog.get_by_label("Minutes a side").fill("7")
    dialog.get_by_label("Seconds more for each move").fill("5")
    dialog.get_by_role("button", name="Begin").click()

    expect(page).to_have_title("Fightopia – Companion")
    expect(prompt(page)).to_have_text("White moves.")
    expect(moves(page)).to_have_count(0)
    more(page)
    dialog.get_by_text("More rules").click()
    expect(dialog.get_by_role("textbox", name="White")).to_have_value("Ann")
    expect(dialog.get_by_role("combobox", name="Called out")).to_have_value("none")
    expect(dialog.get_by_label("Minutes a side")).to_have_value("7")
    expect(dialog.locator("#drop")).to_be_hidden()


def test_a_rematch_is_one_click_after_the_end(context: BrowserContext, new_game: NewGame) -> None:
    page = opened(context, new_game(start="long-side"))
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Sword").click()
    expect(prompt(page)).to_contain_text("The weapons win")
    assert violations(page) == []
    page.get_by_role("button", name="Rematch").click()
    expect(prompt(page)).to_have_text("The Sword moves.")
    expect(page.get_by_role("button", name="Rematch")).to_have_count(0)


def speak(page: Page) -> None:
    """Switch speech on."""
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Speech").check()
    page.keyboard.press("Escape")


def test_important_events_are_spoken_if_that_is_on_and_sounded_once(
    context: BrowserContext, new_game: NewGame
) -> None:
    page = opened(context, new_game())
    play(page, "a1-b2", "a1-b2")
    assert page.evaluate("[said, sung]") == [[], []]
    speak(page)
    carry(page, "a8-a5")
    expect(prompt(page)).to_contain_text("diagonally")
    expect(page.get_by_role("button", name="Let it stand")).to_be_visible()
    carry(page, "a5-a8")
    expect(prompt(page)).to_have_text("The weapons move.")
    play(page, "d8-b8", "d8-b8!")
    expect(page.locator("#cry")).to_contain_text("CHECK!")
    said = page.evaluate("said")
    assert [language for language, _ in said] == ["en", "en"]
    assert said[0][1].startswith("The Axe moves diagonally")
    assert said[1][1].startswith("CHECK! The weapons could win next turn")
    sung = page.evaluate("sung")
    assert (sung[:2], sung[-5:]) == ([330, 220], [784, 1047, 880, 880, 880])
    assert sung.count(330) == 1  # the same fault, a hint first and then a matter for the arbiter

    page.reload()
    expect(page.locator("#settings [data-pref=speech]")).to_be_checked()
    expect(page.locator("#cry")).to_contain_text("CHECK!")
    page.locator("#title").click()
    assert page.evaluate("[said, sung]") == [[], []]
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Sword").click()
    expect(prompt(page)).to_contain_text("The weapons win")
    assert page.evaluate("said") == [["en", prompt(page).inner_text()]]


@pytest.mark.walk("desktop")
@pytest.mark.long
def test_the_big_screen_is_readable_from_two_metres_and_closes_with_escape(
    context: BrowserContext, new_game: NewGame
) -> None:
    page = opened(context, new_game())
    play(page, "a1-b2", "a1-b2")
    play(page, "d8-b8", "d8-b8!")
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{page.url}?big")
    expect(page.locator("#last")).to_contain_text("d8-b8!")
    board = page.locator("#board").bounding_box()
    assert board is not None
    assert board["height"] > 0.8 * 1080
    for large in ("#last", "#cry", "#prompt"):
        size = page.locator(large).evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
        assert size >= 0.04 * 1080, large  # 14 mm on a screen of 65 cm: a third of a degree at two metres
    expect(page.get_by_role("button", name="Resign")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollHeight") <= 1080
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Resign")).to_be_visible()
    assert "big" not in page.url


@pytest.mark.walk("phone")
@pytest.mark.long
def test_the_big_screen_of_a_phone_closes_with_a_tap_even_after_a_reload(
    browser: Browser, new_game: NewGame
) -> None:
    phone = browser.new_context(has_touch=True)
    page = opened(phone, new_game())
    page.get_by_role("button", name="Settings").tap()
    page.get_by_label("Big screen").tap()
    page.get_by_role("button", name="Close").tap()
    expect(page.get_by_role("button", name="Resign")).to_be_hidden()
    page.reload()
    expect(prompt(page)).to_have_text("The Sword moves.")
    leave = page.get_by_role("button", name="Big screen")
    seen = leave.bounding_box()
    assert seen is not None
    assert seen["height"] >= 44
    near = page.locator("#near .seat").bounding_box()
    assert near is not None
    assert near["y"] + near["height"] <= seen["y"], "it covers nobody's clock"
    leave.tap()
    expect(page.get_by_role("button", name="Resign")).to_be_visible()
    assert "big" not in page.url
    page.reload()
    expect(page.get_by_role("button", name="Resign")).to_be_visible()
    phone.close()


def test_one_click_takes_back_and_no_piece_pushes_others_off(
    context: BrowserContext, new_game: NewGame
) -> None:
    page = opened(context, new_game("chess"))
    play(page, "e2-e4", "e4")
    page.get_by_role("button", name="Take back").click()
    expect(prompt(page)).to_have_text("White moves.")
    expect(cell(page, "e2")).to_have_accessible_name(re.compile("pawn"))
    expect(moves(page)).to_have_count(0)
    cell(page, "a1").click()
    expect(page.locator(".hand .piece")).to_have_count(1)
    cell(page, "a2").click()
    expect(page.locator("#refusal")).to_have_text(
        "The rook may not go to a2: the pawn of the same side stands there."
    )
    expect(page.locator(".hand .piece")).to_have_count(0)
    expect(cell(page, "a1")).to_have_accessible_name(re.compile("rook"))
    expect(cell(page, "a2")).to_have_accessible_name(re.compile("pawn"))
    expect(page.locator("#box")).to_be_empty()
    expect(prompt(page)).to_have_text("White moves.")
    assert violations(page) == []


def test_check_is_not_called_beside_the_result(context: BrowserContext, new_game: NewGame) -> None:
    page = opened(context, new_game())
    play(page, "a1-b2", "a1-b2")
    play(page, "d8-b8", "d8-b8!")
    expect(page.locator("#cry")).to_contain_text("CHECK!")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Sword").click()
    expect(prompt(page)).to_contain_text("The weapons win")
    expect(page.locator("#cry")).to_be_empty()


@pytest.mark.walk("phone")
def test_a_silent_port_is_reported_with_the_remedy_even_on_a_phone(browser: Browser, start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = start(f"--port=socket://127.0.0.1:{silent.getsockname()[1]}").address
        phone = browser.new_context()
        page = opened(phone, f"{address}?language=de")
        told = page.locator("#link[data-state=silent]")
        expect(told).to_contain_text("Noch hat kein Brett geantwortet")
        expect(told).to_contain_text("läuft darauf die Firmware von Companion")
        assert told.evaluate("each => each.scrollWidth <= each.clientWidth"), "nothing of it is cut off"
        assert violations(page) == []
        phone.close()


def test_a_spectator_sees_the_game_and_cannot_act(context: BrowserContext, new_game: NewGame) -> None:
    address = new_game()
    playing = opened(context, address)
    watching = context.new_page()
    watching.goto(f"{address}?watch")
    expect(watching.get_by_text("Only watching")).to_be_visible()
    play(playing, "a1-b2", "a1-b2")
    expect(moves(watching)).to_have_text(["a1-b2"])
    assert violations(watching) == []
    cell(watching, "a8").click()
    watching.keyboard.press("n")
    expect(watching.get_by_role("button", name="Resign")).to_have_count(0)
    expect(watching.get_by_role("dialog")).to_have_count(0)
    expect(playing.locator(".hand .piece")).to_have_count(0)


def test_a_lost_connection_is_shown_and_restored(context: BrowserContext, start: Start) -> None:
    program = start()
    page = opened(context, program.address)
    play(page, "a1-b2", "a1-b2")
    program.process.send_signal(signal.SIGSTOP)  # the line stands, but nothing comes through any more
    expect(page.locator("#banner")).to_contain_text("No connection to the table")
    expect(page.locator("body")).to_have_class(re.compile(r"\boffline\b"))
    program.process.send_signal(signal.SIGCONT)
    expect(page.locator("#banner")).to_have_text("The connection is back.")
    expect(page.locator("#link")).to_contain_text("Connected")
    play(page, "d8-b8", "d8-b8!")


def test_everything_works_with_the_keyboard_alone(context: BrowserContext, new_game: NewGame) -> None:
    page = opened(context, new_game())
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Go over the board")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("g")
    expect(cell(page, "a1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".hand .piece")).to_have_count(1)
    for key in ("ArrowUp", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(moves(page)).to_have_text(["a1-b2"])
    page.keyboard.press("p")
    expect(prompt(page)).to_have_text("The game is paused.")
    page.keyboard.press("p")
    expect(prompt(page)).to_have_text("The weapons move.")
    while page.evaluate("document.activeElement.dataset.command") != "resign":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="No", exact=True)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(prompt(page)).to_contain_text("The Sword wins")
    page.keyboard.press("o")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_label("Shortcuts with keys").press("Space")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.long
def test_each_browser_has_its_own_language_and_colours(context: BrowserContext, new_game: NewGame) -> None:
    address = new_game()
    page, other = opened(context, address), opened(context, f"{address}?language=hr")
    expect(prompt(other)).not_to_have_text("The Sword moves.")
    page.get_by_role("button", name="Settings").click()
    assert violations(page) == []
    page.get_by_label("Colours").select_option("Dark")
    page.get_by_label("Language").select_option("Deutsch")
    expect(page.get_by_role("button", name="Schließen")).to_be_visible()
    page.keyboard.press("Escape")
    expect(prompt(page)).to_contain_text("Das Schwert")
    page.reload()
    expect(prompt(page)).to_contain_text("Das Schwert")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert violations(page) == []
    carry(page, "a1-a5")
    expect(page.locator("body")).to_have_class(re.compile("wrong"))
    expect(page.locator("#urgent")).to_have_text(prompt(page).inner_text())
    assert violations(page) == []


@pytest.mark.long
def test_keys_pressed_faster_than_the_page_updates_all_count(
    context: BrowserContext, new_game: NewGame
) -> None:
    page = opened(context, new_game())
    page.keyboard.press("g")
    expect(cell(page, "a1")).to_be_focused()
    keys = ["Enter", "ArrowUp", "ArrowRight", "Enter"]  # the Sword to b2
    keys += [
        "ArrowRight",
        "ArrowRight",
        *["ArrowUp"] * 6,
        "Enter",
        "ArrowLeft",
        "ArrowLeft",
        " ",
    ]  # the Spear to b8
    page.evaluate(
        """(keys) => keys.forEach((key) =>
          document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })))""",
        keys,
    )
    expect(moves(page)).to_have_text(["a1-b2", "d8-b8!"])
    expect(page.locator(".hand .piece")).to_have_count(0)
