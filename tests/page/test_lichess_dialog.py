# SPDX-License-Identifier: Apache-2.0
"""The dialog for a new game offers the server to which somebody is logged in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.page.conftest import Start
from tests.page.test_own_options import begin, dialog_for
from tests.page.test_page import opened
from tests.page.test_whole_page import context, violations
from tests.ports import free_port

__all__ = ["context"]

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_player_the_computer_and_days_are_chosen_and_a_refused_clock_is_explained(
    context: BrowserContext, start: Start, tmp_path: Path
) -> None:
    server = f"http://127.0.0.1:{free_port()}"
    (tmp_path / "companion").mkdir()
    (tmp_path / "companion" / "tokens.json").write_text(json.dumps({server: "lip_secret"}))
    page = opened(context, start(game="chess").address)
    dialog = dialog_for(page, "Close Quarters")
    dialog.get_by_role("radio", name="A phone or another place").check()
    opponent = dialog.get_by_role("combobox", name="Opponent")
    expect(opponent).to_have_count(0)
    dialog.get_by_role("combobox", name="Game", exact=True).select_option("Chess")
    opponent.select_option("A player on lichess")
    expect(dialog.locator("#players")).to_be_hidden()
    expect(dialog.get_by_role("combobox", name="Time")).to_be_visible()
    begin(dialog)
    expect(dialog).to_be_visible()  # the name is missing
    dialog.get_by_role("textbox", name="Name on lichess").fill("Bo")
    dialog.get_by_role("combobox", name="Days for each move").select_option("3")
    expect(dialog.get_by_role("combobox", name="Time")).to_be_hidden()
    assert violations(page) == []
    opponent.select_option("Anyone on lichess")
    dialog.get_by_role("combobox", name="Days for each move").select_option("none")
    dialog.get_by_role("combobox", name="Time").select_option("3+2")
    begin(dialog)
    expect(page.get_by_text("boards play against anyone with 8 minutes or more")).to_be_visible()
    dialog = dialog_for(page, "Chess")
    dialog.get_by_role("radio", name="A phone or another place").check()
    opponent.select_option("The computer of lichess")
    expect(dialog.get_by_role("combobox", name="Level of the computer")).to_be_visible()
    dialog.get_by_role("combobox", name="Time").select_option("No clock")
    begin(dialog)
    expect(page.get_by_text("cannot be reached")).to_be_visible()
