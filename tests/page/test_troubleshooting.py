# SPDX-License-Identifier: Apache-2.0
"""`companion help trouble`, followed in a real Chromium.

What to press when the program, the record or the board is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from companion.feedback.wordfiles import read_common
from companion.host.text.guide import text_of

from .conftest import NewGame, Start

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, start: Start) -> Iterator[Page]:
    """A page; whatever it complains of in its console fails the test."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda fault: complaints.append(str(fault)))
    yield opened
    context.close()
    assert not complaints


def advised(trouble: str) -> list[str]:
    """What the guide says to press in *trouble*, in this order."""
    (row,) = re.findall(rf"^\| {re.escape(trouble)}[^|]*\|(.*)\|$", text_of("trouble"), flags=re.MULTILINE)
    return re.findall(r'"([^"]+)"', row)


def prompt(page: Page) -> Locator:
    return page.locator("#prompt")


def moves(page: Page) -> Locator:
    return page.locator("#moves li")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def order(page: Page, more: str, name: str) -> None:
    """Press *name* in the list that opens by *more*."""
    press(page, more)
    page.locator("#confirm").get_by_role("button", name=name, exact=True).click()


def carry(page: Page, move: str) -> None:
    for name, held in zip(move.split("-"), (1, 0), strict=True):
        page.get_by_role("button", name=re.compile(rf"^{name}\b")).click()
        expect(page.locator(".hand .piece")).to_have_count(held)


def play(page: Page, move: str) -> None:
    """Carry, and wait until the move is announced."""
    count = moves(page).count()
    carry(page, move)
    expect(moves(page).nth(count)).to_have_class(re.compile("announced|settled"))


def test_every_button_named_by_the_guide_is_on_the_page() -> None:
    rows = re.findall(r"^\| .*\|(.*)\|$", text_of("trouble"), flags=re.MULTILINE)
    pressed = {name for row in rows for name in re.findall(r'"([^"]+)"', row)}
    assert len(pressed) >= 5
    assert pressed <= set(read_common("en").labels.values())


def test_a_correct_board_is_accepted_after_questions_about_unseen_pieces(page: Page, start: Start) -> None:
    (more, stand) = advised("the program misread the game")
    page.goto(start("--sensor", "occupancy").address)
    expect(prompt(page)).to_have_text("The Sword moves.")
    order(page, more, stand)
    page.get_by_role("dialog").get_by_role("button", name="Sword").click()
    expect(page.locator("#reply")).to_contain_text("Nothing on the board differs from the record")
    carry(page, "a8-b5")
    carry(page, "d8-c5")
    expect(page.locator("#reply")).to_be_empty()
    expect(page.locator("#guides li").first).to_be_visible()
    order(page, more, stand)
    page.get_by_role("dialog").get_by_role("button", name="Weapons").click()
    expect(prompt(page)).to_contain_text("Which piece stands on b5 now?")
    expect(page.locator("#guides li")).to_have_count(0)
    press(page, "Axe a8 (Weapons)")
    expect(prompt(page)).to_have_text("The weapons move.")
    expect(moves(page)).to_have_text(["let stand"])
    expect(page.get_by_role("button", name=re.compile("^c5, Spear"))).to_be_visible()


@pytest.mark.long
def test_a_board_can_be_accepted_in_a_pause(page: Page, start: Start) -> None:
    page.goto(start("--sensor", "occupancy").address)
    order(page, "More", "Pause")
    expect(prompt(page)).to_have_text("The game is paused.")
    carry(page, "a8-b5")
    order(page, "More", "Let it stand")
    page.get_by_role("dialog").get_by_role("button", name="Sword").click()
    expect(page.get_by_role("button", name=re.compile("^b5, Axe"))).to_be_visible()
    press(page, "Go on")
    expect(prompt(page)).to_have_text("The Sword moves.")


@pytest.mark.long
def test_a_wrong_record_is_corrected_and_unplayable_moves_are_named(page: Page, new_game: NewGame) -> None:
    more, *steps = advised("a move on record is wrong")
    page.goto(new_game())
    play(page, "a1-b2")
    order(page, more, steps[0])
    dialog = page.get_by_role("dialog")
    written = page.get_by_role("textbox")
    expect(written).to_have_value("a1-b2")
    written.fill("a1-z9")
    dialog.get_by_role("button", name=steps[0]).click()
    expect(page.locator("#put-right-fault")).to_contain_text("Move 1, a1-z9, cannot be played")
    written.fill("a1-a2")
    dialog.get_by_role("button", name=steps[0]).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(prompt(page)).to_have_text("Set up the position as shown.")
    press(page, "Set everything right")
    expect(prompt(page)).to_have_text("The weapons move.")
    expect(moves(page)).to_have_text(["a1-a2"])


def test_fallen_pieces_are_set_up_again_and_invalid_positions_are_named(
    page: Page, new_game: NewGame
) -> None:
    more, *steps = advised("the pieces fell over")
    page.goto(new_game())
    play(page, "a1-b2")
    order(page, more, steps[0])
    page.get_by_role("dialog").get_by_role("button", name=f"{steps[1]} …", exact=True).click()
    written = page.get_by_role("textbox")
    expect(written).to_have_value(re.compile("^A2P/"))
    written.fill("nonsense")
    press(page, steps[1])
    expect(page.locator("#put-right-fault")).to_contain_text("This is not a position: 'nonsense'")
    written.fill("A2P/4/4/4/2M1/S3/4/4 s 0")
    press(page, steps[1])
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("#guides")).to_contain_text("Move the Mace from d1 to c4.")
    press(page, "Set everything right")
    expect(prompt(page)).to_have_text("The Sword moves.")


@pytest.mark.long
def test_the_start_position_in_the_middle_of_a_game_begins_a_new_one(page: Page, new_game: NewGame) -> None:
    (answer,) = advised("you want to start again")
    page.goto(new_game("chess"))
    for move in ("e2-e4", "g8-f6", "d2-d4", "d7-d5"):
        play(page, move)
    for move in ("e4-e2", "f6-g8", "d5-d7", "d4-d2"):
        carry(page, move)
    expect(prompt(page)).to_have_text("The start position is set up. A new game?")
    expect(moves(page)).to_have_text(["e4", "Nf6", "d4", "d5"])  # those of the game that would end
    press(page, answer)
    expect(moves(page)).to_have_count(0)
    expect(prompt(page)).to_have_text("White moves.")
