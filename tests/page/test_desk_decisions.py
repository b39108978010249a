# SPDX-License-Identifier: Apache-2.0
"""Decisions at the arbiter's desk: against a board's report, of nothing, and after a round."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.page.full_halls import STATES, full_hall
from tests.page.test_desk_overview import desk_at
from tests.page.test_whole_page import violations

pytestmark = pytest.mark.browser


def test_a_typed_result_that_contradicts_the_board_is_asked_about(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 2) as hall:
        hall.show("b1", STATES["reported"])
        hall.report("b1", 1, (0, 2))

        def points() -> object:
            return hall.at.hall.keeper.book.of("club").tournament.rounds[0].pairings[0].points

        desk = desk_at(browser, hall)
        dialog = desk.get_by_role("dialog")
        expect(desk.locator('[data-board="b1"]')).to_have_attribute("data-state", "reported")
        for key in ("Escape", "Enter"):
            desk.keyboard.type("1=")
            desk.keyboard.press("Enter")
            expect(dialog).to_contain_text("the board reported 0 : 1. ½ : ½ is entered only if you mean it.")
            assert violations(desk) == []
            assert points() is None
            desk.keyboard.press(key)
            expect(dialog).to_have_count(0)
        expect(desk.locator('[data-board="b1"]')).to_have_attribute("data-state", "decided")
        assert points() == (1, 1)
        desk.keyboard.press("u")
        expect(desk.locator('[data-board="b1"]')).to_have_attribute("data-state", "reported")


def test_without_a_result_to_confirm_nothing_can_be_done(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 2) as hall:
        desk = desk_at(browser, hall)
        dialog = desk.get_by_role("dialog")
        desk.keyboard.press("c")
        expect(dialog).to_contain_text("No reported result can be confirmed now.")
        expect(dialog.get_by_role("button", name="Do it")).to_be_disabled()
        expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
        assert violations(desk) == []
        desk.keyboard.press("Enter")
        expect(dialog).to_have_count(0)


def test_what_was_decided_is_over_when_the_next_round_is_paired(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 4) as hall:
        for number in range(1, 5):
            hall.show(f"b{number}", STATES["reported"])
            hall.report(f"b{number}", number, (2, 0))
        hall.show("b1", STATES["illegal"])
        desk = desk_at(browser, hall)
        expect(desk.locator("#alarms li")).to_have_count(4)
        for number in range(1, 5):
            place = {"is": "ResultDecided", "key": "club", "round": 1, "table": number}
            hall.ask("api/acts", {**place, "points": [2, 0]})
        expect(desk.locator("#alarms li")).to_have_count(0)
        desk.get_by_role("button", name="Pair the next round").click()
        expect(desk.locator("#tournaments h4").first).to_have_text("Round 2")
        expect(desk.locator("#alarms li")).to_have_count(0)
        expect(desk.locator('.tile[data-state="free"]')).to_have_count(4)
