# SPDX-License-Identifier: Apache-2.0
"""Options beyond the lists of the new-game dialog: positions, numbers, files, and chosen pawns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.page.conftest import NewGame
from tests.page.desks import Evening
from tests.page.test_page import more, opened
from tests.page.test_whole_page import context, violations

__all__ = ["context"]

pytestmark = [pytest.mark.browser, pytest.mark.walk, pytest.mark.long]

MAP = """title = "Bridge"
size = [6, 6]
board = '''
6 % % c l % %
5 . . . . . .
4 # . . . . #
3 # . . . . #
2 . . . . . .
1 % % L C % %
'''
"""
POOL = ["S1L5", "U1W5", "J1R5", "D1L5", "U2L4", "W2S4", "D2T4", "J2R4", "L3U3", "W3S3"]


def dialog_for(page: Page, game: str) -> Locator:
    """The new-game dialog with *game* selected."""
    more(page)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Game", exact=True).select_option(game)
    dialog.get_by_text("More rules").click()
    return dialog


def begin(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Begin").click()


def test_a_chess960_number_and_a_position_are_entered(context: BrowserContext, new_game: NewGame) -> None:
    page = opened(context, new_game())
    dialog = dialog_for(page, "Chess")
    dialog.get_by_role("combobox", name="Start", exact=True).select_option("a FEN, or a Chess960 number")
    begin(dialog)
    expect(dialog).to_be_visible()  # a text is missing
    dialog.get_by_role("textbox", name="Start").fill("0")
    begin(dialog)
    expect(page.locator("[data-cell='0']")).to_have_attribute("aria-label", "a1, bishop, White")
    dialog = dialog_for(page, "Chess")
    expect(dialog.get_by_role("combobox", name="Start", exact=True)).to_have_value("0")
    dialog.get_by_role("combobox", name="Start", exact=True).select_option("a FEN, or a Chess960 number")
    dialog.get_by_role("textbox", name="Start").fill("4k3/8/8/8/8/8/8/4K2X w - - 0 1")
    begin(dialog)
    expect(dialog.locator("#refused")).to_contain_text(
        "is not allowed; allowed are standard, a FEN, 0 to 959"
    )
    dialog.get_by_role("combobox", name="Game", exact=True).select_option("GOTTAZ")
    expect(dialog.locator("#refused")).to_be_empty()
    dialog.get_by_role("combobox", name="Game", exact=True).select_option("Chess")
    dialog.get_by_role("combobox", name="Start", exact=True).select_option("a FEN, or a Chess960 number")
    dialog.get_by_role("textbox", name="Start").fill("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    begin(dialog)
    expect(page.locator("[data-cell='7']")).to_have_attribute("aria-label", "h1, rook, White")


def test_a_map_and_a_set_of_pawns_are_files_of_the_browser(
    context: BrowserContext, new_game: NewGame, tmp_path: Path
) -> None:
    page = opened(context, new_game())
    map_file, broken = tmp_path / "bridge.toml", tmp_path / "broken.toml"
    map_file.write_text(MAP)
    broken.write_text(MAP.replace("L C", "L M"))
    dialog = dialog_for(page, "Tank Chess")
    dialog.get_by_role("combobox", name="Map", exact=True).select_option("a map of one's own")
    dialog.locator("input[type=file]").first.set_input_files(broken)
    begin(dialog)
    expect(dialog.locator("#refused")).to_contain_text("map: White has no Command Tank")
    dialog.locator("input[type=file]").first.set_input_files(map_file)
    begin(dialog)
    expect(page.locator(".cell.outside")).to_have_count(8)
    expect(page.locator(".obstacle")).to_have_count(4)
    assert violations(page) == []
    dialog = dialog_for(page, "Tank Chess")
    expect(dialog.get_by_role("combobox", name="Map", exact=True).locator("option:checked")).to_have_text(
        "Bridge"
    )


def test_ten_pawns_are_chosen_from_the_pool(context: BrowserContext, new_game: NewGame) -> None:
    page = opened(context, new_game())
    dialog = dialog_for(page, "GOTTAZ")
    dialog.get_by_role("combobox", name="Pawns", exact=True).select_option("ten chosen here")
    for sign in POOL[:-1]:
        dialog.locator(f"input[value={sign}]").check()
    assert violations(page) == []
    begin(dialog)
    expect(dialog).to_be_visible()  # one of 3/3 is missing
    expect(dialog.locator(".parts legend")).to_have_text(["1/5: 4 / 4", "2/4: 4 / 4", "3/3: 1 / 2"])
    expect(dialog.locator("input[value=R1J5]")).to_be_disabled()
    dialog.locator(f"input[value={POOL[-1]}]").check()
    begin(dialog)
    expect(page).to_have_title("GOTTAZ – Companion")
    expect(page.get_by_role("button", name="Jump 1/Rotate 5").first).to_be_visible()


OWN_POOL = """title = "Ours"
pawns = [
    "supply-1/leap-5", "support-1/swap-5", "jump-1/rotate-5", "slant-1/leap-5", "tsunami-1/swap-5",
    "support-2/leap-4", "swap-2/supply-4", "slant-2/tsunami-4", "jump-2/rotate-4",
    "leap-3/support-3", "swap-3/supply-3",
]
"""


def test_pawns_are_chosen_from_a_pool_that_is_a_file(
    context: BrowserContext, new_game: NewGame, tmp_path: Path
) -> None:
    page = opened(context, new_game())
    (tmp_path / "pool.toml").write_text(OWN_POOL)
    dialog = dialog_for(page, "GOTTAZ")
    dialog.get_by_role("combobox", name="Pawns", exact=True).select_option("both choose the same ten")
    dialog.get_by_role("combobox", name="The pool", exact=True).select_option("pawns of one's own")
    dialog.locator("input[type=file]:visible").set_input_files(tmp_path / "pool.toml")
    begin(dialog)
    expect(page).to_have_title("GOTTAZ – Companion")
    page.locator("#near .done").click()
    offered = page.locator("#question button").filter(has_text="/")  # not "Why?"
    expect(offered).to_have_count(11)
    expect(offered.filter(has_text="Tsunami 1/Swap 5")).to_have_count(1)
    offered.filter(has_text="Tsunami 1/Swap 5").click()
    expect(page.locator("#moves li")).to_have_count(1)


def test_an_arbiter_chooses_the_ten_pawns_of_a_tournament(evening: Callable[..., Evening]) -> None:
    of = evening("red")
    desk = of.desk()
    desk.get_by_text("Announce a tournament").click()
    form = desk.locator("form")
    form.get_by_label("Short name").fill("cup")
    form.get_by_label("Name", exact=True).fill("Cup")
    form.get_by_label("Game").select_option("GOTTAZ")
    form.get_by_role("combobox", name="Pawns", exact=True).select_option("ten chosen here")
    for sign in POOL:
        form.locator(f"input[value={sign}]").check()
    assert violations(desk) == []
    form.get_by_role("button", name="Announce").click()
    expect(desk.locator("#tournaments")).to_contain_text(f"Pawns: {'+'.join(POOL)}")
