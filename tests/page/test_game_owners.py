# SPDX-License-Identifier: Apache-2.0
"""A game under way belongs to those who play it: three browsers in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.test_page import moves, play, prompt
from tests.page.test_start_page import Started
from tests.page.test_whole_page import violations
from tests.relay import coming_from

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop")]


@pytest.fixture(scope="module")
def family(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A program whose browsers are all elsewhere in the network."""
    with Started(browser, tmp_path_factory.mktemp("family")).running() as started:
        yield started


@pytest.fixture
def devices(family: Started) -> Iterator[list[Page]]:
    """The start page on three devices of the network."""
    with ExitStack() as open_ways:
        ways = [coming_from(f"192.0.2.{number}", family.address) for number in (1, 2, 3)]
        pages = [replace(family, address=open_ways.enter_context(way)).page() for way in ways]
        yield pages
        for page in pages:
            page.context.close()


def begin(page: Page, title: str) -> None:
    page.get_by_role("button", name=f"A friend here: {title}", exact=True).click()
    page.locator("#new-game").get_by_role("button", name="Begin").click()


def said(page: Page, text: str) -> None:
    expect(page.locator("#refused-start")).to_contain_text(text)


def test_a_stranger_asks_and_the_family_begins_its_next_game_with_one_click(devices: list[Page]) -> None:
    ann, ben, eve = devices
    table = urljoin(ben.url, "/")
    begin(ann, "Close Quarters")
    expect(prompt(ann)).to_contain_text("moves.")
    ben.goto(table)
    expect(prompt(ben)).to_contain_text("moves.")
    play(ann, "a1-b2", "a1-b2")

    begin(eve, "Chess")  # nobody is seated: both pages are asked
    said(eve, "A game is under way. Those who play it have been asked")
    for page in (ann, ben):
        expect(page.locator(".claim")).to_contain_text("Another device would like to begin Chess.")
    assert violations(ann) == []
    ben.get_by_role("button", name="Keep playing").click()
    said(eve, "Those who play want to go on with their game.")
    expect(ann.locator(".claim")).to_have_count(0)
    expect(moves(ann)).to_have_count(1)

    ann.get_by_role("button", name="Resign").click()
    ann.get_by_role("dialog").get_by_role("button", name="Sword").click()
    expect(prompt(ann)).to_contain_text("resigned")
    ben.goto(f"{table}start")
    begin(ben, "Chess")
    for page in (ann, ben):
        expect(page.locator("#title")).to_have_text("Chess")
        expect(prompt(page)).to_contain_text("moves.")
    play(ben, "e2-e4", "e4")

    ann.locator("#seat").click()
    ann.locator("#seats button").first.click()
    begin(eve, "Close Quarters")
    expect(ben.locator(".claim")).to_have_count(0)  # it has no seat
    ann.get_by_role("button", name="Let it begin").click()
    for page in (ann, ben, eve):
        expect(page.locator("#title")).to_have_text("Close Quarters")
