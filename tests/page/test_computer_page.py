# SPDX-License-Identifier: Apache-2.0
"""The page shows the computer's move and leads the hands to it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.host.game_info import named_levels
from tests.page.test_page import more, play
from tests.page.test_whole_page import violations

from .conftest import Start, soldered

pytestmark = pytest.mark.browser


def shown_move(page: Page) -> tuple[str, str]:
    """Source and target of the move that the page asks for."""
    expect(page.locator("#prompt")).to_have_text(
        re.compile(r"^For the computer: Move the Sword from \w+ to \w+\.$")
    )
    found = re.search(r"from (\w+) to (\w+)", page.locator("#prompt").inner_text())
    assert found
    return found[1], found[2]


def test_a_move_of_the_computer_is_shown_corrected_and_carried_out_at_a_real_board(
    browser: Browser, start: Start
) -> None:
    with soldered("close-quarters") as (hands, panel):
        page = browser.new_page()
        page.goto(start("--port", panel, "--computer", "sword", "--level", "1").address)
        source, target = shown_move(page)
        expect(page.locator(".guide.arrow")).to_have_count(1)
        expect(page.locator(".pieces .piece")).to_have_count(4)
        print("d8 d5", file=hands, flush=True)
        expect(page.locator("#prompt")).to_have_text(
            re.compile("^That is not the move .*: Move the Spear from d5 to d8")
        )
        expect(page.locator(".guide.arrow")).to_have_count(2)
        expect(page.locator("body")).not_to_have_class(re.compile("wrong"))
        print("d5 d8", file=hands, flush=True)
        assert shown_move(page) == (source, target)
        print(f"{source} {target}", file=hands, flush=True)
        expect(page.locator("#moves li")).to_have_text([f"{source}-{target}"])
        expect(page.locator("#prompt")).to_have_text("The weapons move.")
        page.locator("#commands [data-command=resign]").click()
        expect(page.get_by_role("dialog").locator("p")).to_have_text("Resign · Really?")  # for the weapons
        expect(page.get_by_role("dialog").get_by_role("button")).to_have_text(["Yes", "No"])
        page.close()


@pytest.mark.long
def test_at_a_virtual_table_the_computers_pieces_move_by_themselves(browser: Browser, start: Start) -> None:
    page = browser.new_page()
    page.goto(start("--computer", "sword", "--level", "1", "--clock", "5+3").address)
    expect(page.locator("#moves li")).to_have_count(1)
    expect(page.locator("#prompt")).to_have_text("The weapons move.")
    page.close()


@pytest.mark.long
def test_levels_of_chess_are_chosen_by_their_strength(browser: Browser, start: Start) -> None:
    page = browser.new_page()
    page.goto(start("--computer", "black", "--level", "1", game="chess").address)
    said = [each.label for each in named_levels("chess", "en")]
    page.locator("#seat").click()
    expect(page.get_by_label("Level of the computer").locator("option")).to_have_text(said)
    page.keyboard.press("Escape")
    expect(page.locator("#far .name")).to_have_text("Computer (Newcomer) · Black")
    more(page)
    offered = page.locator("#players select").nth(1).locator("option")
    expect(offered).to_have_text(["Person at the table", *said])
    page.close()


@pytest.mark.long
def test_the_level_is_changed_during_a_game_where_it_says_who_plays(browser: Browser, start: Start) -> None:
    page = browser.new_page()
    page.goto(start("--computer", "weapons", "--level", "1").address)
    expect(page.locator("#far .name")).to_have_text("Computer (Newcomer) · Weapons")
    page.locator("#seat").click()
    level = page.get_by_label("Level of the computer")
    expect(level).to_have_value("1")
    expect(level.locator("option")).to_have_text(["1 Newcomer", "2 Amateur", "3 Perfect"])
    level.focus()
    level.select_option("3")
    expect(page.locator("#far .name")).to_have_text("Computer (Perfect) · Weapons")
    expect(level).to_have_value("3")
    expect(level).to_be_focused()
    assert violations(page) == []
    page.locator("#seating .actions button").click()
    play(page, "a1-b2", "a1-b2")
    expect(page.locator("#moves li")).to_have_count(2)  # the computer has answered
    page.locator("#seat").click()
    page.get_by_role("button", name="I watch").click()
    page.locator("#seat").click()
    expect(level).to_have_count(0)
    page.close()


@pytest.mark.long
def test_a_new_game_against_the_computer_is_chosen_in_the_dialog_and_a_rematch_keeps_its_level(
    browser: Browser, start: Start
) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(start().address)
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    more(page)
    who = page.locator("#players select")
    expect(who).to_have_count(2)
    page.get_by_text("More rules").click()
    expect(who.nth(1).locator("option")).to_have_text(
        [
            "Person at the table",
            "1 Newcomer",
            "2 Amateur",
            "3 Perfect",
        ]
    )
    page.locator("#players input").first.fill("Ann")
    who.nth(1).select_option("2")
    expect(page.get_by_label("Player: Weapons")).to_be_hidden()
    expect(page.get_by_label("Warn of losing moves: Weapons")).to_be_hidden()
    page.get_by_label("Warn of losing moves: Sword").check()
    assert violations(page) == []
    page.locator("#new-game button[value=begin]").click()
    expect(page.locator("#near .name")).to_have_text("Ann · Sword")
    expect(page.locator("#far .name")).to_have_text("Computer (Amateur) · Weapons")
    more(page)
    expect(page.get_by_role("radio", name="Against the computer")).to_be_checked()
    expect(page.get_by_role("radio", name="2 Amateur")).to_be_checked()
    expect(page.get_by_label("Warn of losing moves: Sword")).to_be_checked()
    page.locator("#new-game button[value=cancel]").click()
    page.locator("#seat").click()
    expect(page.locator("#seats button")).to_have_text(
        ["I play Ann · Sword", "I watch", "Everybody may move"]
    )
    page.keyboard.press("Escape")
    page.locator("[data-command=resign]").click()
    page.get_by_role("dialog").get_by_role("button", name="Yes").click()
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator("#far .name")).to_have_text("Computer (Amateur) · Sword")
    expect(page.locator("#near .name")).to_have_text("Ann · Weapons")
    expect(page.locator("#moves li")).to_have_count(1)
    here, there = (page.locator(f"[data-cell='{cell}']").bounding_box() for cell in (31, 0))
    assert here is not None
    assert there is not None
    assert here["y"] > there["y"], "the board is seen from the side of the person"
    more(page)
    expect(page.locator("#players select").first).to_have_value("2")  # as before
    expect(page.get_by_label("Warn of losing moves: Weapons")).to_be_checked()
    context.close()
