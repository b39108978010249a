# SPDX-License-Identifier: Apache-2.0
"""Seating a round at the desk: casual games are confirmed, clocks wait for the start."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .desks import PASSWORD, Evening, board, companion, do, play

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_round_begins_with_full_clocks_and_without_the_moves_of_a_casual_game(
    evening: Callable[..., Evening], tmp_path: Path
) -> None:
    of = evening("b1", "b2", clock="15+10")
    table = of.page(of.tables["b1"])
    play(table, "a1-b2")
    expect(table.locator("#moves li")).to_have_text(["a1-b2 0:00"])
    players = tmp_path / "players.csv"
    players.write_text("name,rating\nAda,1800\nBen,1700\nCleo,1600\nDan,1500\n")
    words = ("--by=Ana", f"--password={PASSWORD}", f"--at={of.hall}")

    def said(*command: str) -> str:
        told, _ = companion(tmp_path, "hall", *command, *words).communicate()
        return told

    assert "announced" in said("announce", "club", "close-quarters", f"--players={players}")
    told = said("pair", "club", "b1", "b2")
    assert "1 of its tables have a board" in told
    assert "not seated, because a game is under way: b1" in told

    desk = of.desk()
    expect(board(desk, "b1")).to_contain_text("a1-b2")
    desk.get_by_role("button", name="Seat at the boards…").click()
    dialog = desk.get_by_role("dialog")
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog).to_contain_text("At b1 a game is under way.")
    dialog.get_by_role("button", name="Cancel").click()
    expect(table.locator("#moves li")).to_have_count(1)
    desk.get_by_role("button", name="Seat at the boards…").click()
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog).to_contain_text("At b1 a game is under way.")
    dialog.get_by_role("button", name="Do it").click()
    expect(table.locator("#moves li")).to_have_count(0)
    for name in ("b1", "b2"):
        expect(board(desk, name)).to_contain_text(" – ")
        expect(board(desk, name).locator(".clocks")).to_have_text(re.compile("15:00.*15:00"))
        expect(board(desk, name).locator(".running")).to_have_count(0)
        expect(board(desk, name).get_by_role("button", name="Start the clock")).to_have_count(1)
    expect(table.locator("#notices")).to_have_text("The clock starts with the first move.")
    do(desk, desk.get_by_role("button", name="Start all clocks: club"))
    for name in ("b1", "b2"):
        expect(board(desk, name).locator(".running")).to_contain_text(re.compile("14:5"))
        expect(board(desk, name).get_by_role("button", name="Start the clock")).to_have_count(0)
    expect(desk.locator("#book")).to_contain_text("Start the clock")
