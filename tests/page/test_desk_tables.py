# SPDX-License-Identifier: Apache-2.0
"""Tables of other machines at the arbiter's desk: invited, joined, withdrawn, dismissed."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.brokers import broker_beside
from tests.page.desks import Evening, board, companion, do
from tests.page.test_whole_page import violations

pytestmark = pytest.mark.browser


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The hall `club` at a broker of this test."""
    with broker_beside(tmp_path) as broker:
        yield f"mqtt://127.0.0.1:{broker.port}/club"


@pytest.mark.long
def test_a_table_is_invited_at_the_desk_joins_and_is_removed(
    evening: Callable[..., Evening], url: str, tmp_path: Path
) -> None:
    of = evening("red", words=("--broker", url))
    desk = of.desk()
    tables = desk.locator("#tables")
    do(desk, desk.get_by_role("button", name="Invite a table…"), Board="green")
    invited = tables.get_by_role("listitem")
    expect(invited).to_have_text(
        re.compile(r"^green: ([0-9A-Z]{4}-){3}[0-9A-Z]{5} valid for (10:00|0?9:5\d)$")
    )
    code = invited.locator("code").inner_text()
    expect(invited).to_contain_text(re.compile(r"valid for 0?9:[0-4]\d"))
    assert violations(desk) == []
    german = of.desk("de-DE")
    expect(german.locator("#tables")).to_contain_text(f"green: {code} gültig noch")
    words = ("hall", "table", "green", "close-quarters", "--hall", url, "--join", code)
    table = companion(tmp_path / "green", *words)
    try:
        expect(invited).to_have_text("green: has joined")
        expect(german.locator("#tables")).to_contain_text("dazugekommen")
        expect(board(desk, "green")).to_contain_text("in play")
        do(desk, desk.get_by_role("button", name="Take a key back…"), Board="green")
        expect(board(desk, "green")).to_contain_text("offline")
        expect(board(desk, "red").get_by_role("button", name="Dismiss")).to_have_count(0)
        board(desk, "green").get_by_role("button", name="Dismiss").click()
        expect(desk.locator("#board-green")).to_have_count(0)
        expect(desk.locator("#alarms")).not_to_contain_text("Green")
    finally:
        table.send_signal(signal.SIGINT)
        table.communicate()


@pytest.mark.long
def test_the_desk_always_shows_that_a_hall_is_open(evening: Callable[..., Evening], url: str) -> None:
    desk = evening("red", words=("--broker", url, "--open")).desk()
    expect(desk.locator("#alarms .fault")).to_contain_text(
        "This hall is open: anybody at its broker can play"
    )
    expect(desk.locator("#tables")).to_be_hidden()
    desk.reload()
    expect(desk.locator("#alarms .fault")).to_contain_text(
        "This hall is open: anybody at its broker can play"
    )


@pytest.mark.long
def test_a_hall_without_a_broker_offers_no_invitations(evening: Callable[..., Evening]) -> None:
    desk = evening("red").desk()
    expect(desk.locator("#tables")).to_be_hidden()
    expect(desk.locator("#alarms .fault")).to_have_count(0)
