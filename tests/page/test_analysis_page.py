# SPDX-License-Identifier: Apache-2.0
"""The page shows who wins with best play, to those who want to see it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import Start
from .desks import play

pytestmark = pytest.mark.browser

POSITION = ("--position", "4/4/4/4/4/S3/4/P1A1 s 0")


def opened(browser: Browser, address: str, locale: str = "en-GB") -> Page:
    page = browser.new_context(locale=locale).new_page()
    page.goto(address)
    expect(page.locator("#moves")).to_be_attached()
    return page


@pytest.mark.long
def test_the_result_follows_the_position_in_the_language_of_the_page(browser: Browser, start: Start) -> None:
    address = start("--analysis", *POSITION).address
    page, french = opened(browser, address), opened(browser, f"{address}?language=fr")
    expect(page.locator("#analysis")).to_have_text(
        "The side to move wins with best play; plies to the end: 5"
    )
    play(page, "a3-a1")
    expect(page.locator("#analysis")).to_have_text(
        "The side to move loses with best play; plies to the end: 4"
    )
    expect(french.locator("#analysis")).to_have_text(
        "Le camp au trait perd avec le meilleur jeu ; demi-coups jusqu’à la fin : 4"
    )
    page.get_by_role("button", name="Resign").first.click()
    page.locator("#confirm button").first.click()
    expect(page.locator("#prompt")).to_contain_text("win")
    expect(page.locator("#analysis")).to_have_text("")
    page.context.close()
    french.context.close()


@pytest.mark.long
def test_without_the_option_nothing_is_shown(browser: Browser, start: Start) -> None:
    page = opened(browser, start(*POSITION).address)
    play(page, "a3-a1")
    expect(page.locator("#moves li").first).to_contain_text("a3xa1")
    expect(page.locator("#analysis")).to_have_text("")
    page.context.close()


def test_a_user_switches_it_on_during_a_game_and_sees_it_in_the_review(
    browser: Browser, start: Start
) -> None:
    address = start(*POSITION).address
    page, other = opened(browser, address), opened(browser, address)
    result = page.locator("#analysis")
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    page.locator("#open-settings").click()
    page.get_by_label("Show who wins").check()
    expect(result).to_have_text("The side to move wins with best play; plies to the end: 5")
    page.locator("#settings [data-label=close]").click()
    play(page, "a3-a1")
    expect(result).to_have_text("The side to move loses with best play; plies to the end: 4")
    page.locator("#moves li button").first.click()
    expect(page.locator("#review-move")).to_have_text("1. a3xa1!")
    expect(result).to_have_text("The side to move loses with best play; plies to the end: 4")
    page.keyboard.press("Home")
    expect(result).to_have_text("The side to move wins with best play; plies to the end: 5")
    page.locator("#open-settings").click()
    page.get_by_label("Show who wins").uncheck()
    expect(result).to_be_empty()
    page.locator("#settings [data-label=close]").click()
    page.keyboard.press("Escape")
    expect(page.locator("#moves li").first).to_contain_text("a3xa1")
    expect(result).to_be_empty()
    expect(other.locator("#moves li").first).to_contain_text("a3xa1")
    expect(other.locator("#analysis")).to_be_empty()  # off by default
    page.context.close()
    other.context.close()
