# SPDX-License-Identifier: Apache-2.0
"""The sensor test of a board in a real Chromium, begun at the start page."""

from __future__ import annotations

from pathlib import Path
from subprocess import PIPE

import pytest
from playwright.sync_api import Browser, expect

from tests import programs
from tests.page.test_start_page import Started
from tests.page.test_whole_page import violations
from tests.ports import free_port

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_the_page_leads_the_magnet_and_shows_faults_and_verdict(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    settings = f'port = "socket://127.0.0.1:{port}"\n'
    with Started(browser, tmp_path, settings=settings).running() as started:
        words = ["tools", "simulate", "close-quarters", "--listen", str(port)]
        with programs.Program("companion", words, stdin=PIPE, stdout=PIPE) as panel:
            assert panel.stdin is not None

            def type_in(*lines: str) -> None:
                assert panel.stdin is not None
                panel.stdin.write("".join(f"{line}\n" for line in lines))
                panel.stdin.flush()

            page, other = started.page(), started.page()
            type_in("clear")
            page.get_by_role("tab", name="Boards").click()
            page.get_by_role("link", name="Test the switches").click()
            expect(page.locator("#task")).to_contain_text("Put the magnet on a1")
            expect(other.locator("#devices li")).to_contain_text("In use")
            assert violations(page) == []
            type_in("put a1")
            expect(page.locator("#task")).to_contain_text("Put the magnet on b1")
            expect(page.locator("[data-cell=a1]")).to_have_class("good")
            type_in("away a1", "put c2")
            expect(page.locator("#faults")).to_have_text(
                "a magnet on b1 closes c2: b1 is wired in the place of c2"
            )
            expect(page.locator("[data-cell=b1]")).to_have_class("faulty")
            page.get_by_role("button", name="Back").click()
            expect(page.locator("#faults")).to_have_text("No faults so far.")
            page.get_by_role("button", name="No answer here").click()
            expect(page.locator("#faults")).to_contain_text("b1 does not close")
            page.get_by_role("button", name="End the test").click()
            expect(page.locator("#task")).to_have_text(
                "Verdict: not complete. Faults: 1; 30 of 32 cells were not visited."
            )
            expect(page.get_by_role("button", name="Test again")).to_be_visible()
            assert violations(page) == []
            page.get_by_role("link", name="All games").click()
            expect(page.locator("#devices li")).to_contain_text("Ready · Close Quarters", timeout=30_000)
            for each in (page, other):
                each.context.close()


def test_a_board_that_is_not_there_is_named(browser: Browser, tmp_path: Path) -> None:
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        page.goto(f"{started.address}sensors?device=panel:none")
        expect(page.locator("#task")).to_contain_text("the board panel:none cannot be tested now: plug it in")
        page.context.close()
