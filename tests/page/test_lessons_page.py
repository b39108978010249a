# SPDX-License-Identifier: Apache-2.0
"""Lessons in a real Chromium: chosen on the start page, learned at the virtual table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.test_page import carry, prompt
from tests.page.test_start_page import Started
from tests.page.test_whole_page import violations

pytestmark = [pytest.mark.browser, pytest.mark.walk, pytest.mark.long]


def learn(page: Page) -> None:
    """Open the lessons of Fightopia."""
    page.get_by_role("tab", name="Learn").click()
    page.get_by_role("button", name="Lessons: Fightopia").click()


def test_a_lesson_is_chosen_answered_and_followed_by_the_next(browser: Browser, tmp_path: Path) -> None:
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        learn(page)
        expect(page.locator("#learn")).to_contain_text("0 of 12 lessons done")
        assert violations(page) == []
        page.locator("#learn .primary").click()
        expect(page.locator("#lesson h2")).to_have_text("Lesson 1 of 12: The pawn")
        expect(page.locator("#lesson p")).to_contain_text("in any of the eight directions")
        expect(prompt(page)).to_have_text("Move the pawn from c3 to d4.")
        assert violations(page) == []
        carry(page, "c3-c4")
        expect(prompt(page)).to_have_text(
            "That was one cell, too. But the pawn is to go to d4. Move the pawn from c3 to d4."
        )
        carry(page, "c3-d4")
        expect(prompt(page)).to_have_text("Right. The lesson is done.")
        page.get_by_role("button", name="Next lesson").click()
        expect(page.locator("#lesson h2")).to_have_text("Lesson 2 of 12: The giant")
        expect(page.locator("#moves button")).to_have_count(0)
        page.locator("#home").click()
        expect(page.locator("#on-table")).to_contain_text("Lesson 2 of 12: The giant")
        learn(page)
        expect(page.locator("#learn")).to_contain_text("1 of 12 lessons done")
        expect(page.locator("#learn .primary")).to_contain_text("The giant")
        page.context.close()
        assert started.complaints == []


def test_the_whole_task_is_seen_on_every_screen(browser: Browser, tmp_path: Path) -> None:
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        learn(page)
        page.get_by_role("button", name=re.compile("The tank shoots")).click()
        expect(prompt(page)).to_have_text("Shoot the pawn on c6.")
        said = page.locator("#said")
        assert said.evaluate("each => each.scrollHeight <= each.clientHeight")
        expect(page.locator("#board")).to_be_in_viewport(ratio=1)
        page.context.close()
