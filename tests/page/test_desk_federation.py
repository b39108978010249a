# SPDX-License-Identifier: Apache-2.0
"""The head of the report is entered at the desk, which names what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.tournament.event import Event
from companion.tournament.trf import write_trf
from tests.page.full_halls import full_hall
from tests.page.test_desk_overview import desk_at

pytestmark = pytest.mark.browser


def test_the_head_of_the_report_is_entered_in_one_dialog_and_checked(
    browser: Browser, tmp_path: Path
) -> None:
    with full_hall(tmp_path, 2) as hall:
        desk = desk_at(browser, hall)
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
