# SPDX-License-Identifier: Apache-2.0
"""Replaying a kept game in a real Chromium: slider, buttons, keys, speed, screen reader."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.host.tables import WHOLE_GAME, written
from tests.page.test_whole_page import violations
from tests.programs import Program, companion

pytestmark = [pytest.mark.browser, pytest.mark.walk]


@contextmanager
def shown(folder: Path, game: Path) -> Iterator[str]:
    """Where the game in the file *game* is shown; it is kept in *folder*."""
    said = {**os.environ, "XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    companion("records", "import", str(game), env=said)
    words = ["records", "replay", "1", "--page", "--no-browser"]
    with Program("companion", words, stdout=PIPE, env=said) as program:
        assert program.stdout is not None
        found = re.search(r"http://\S+", program.stdout.readline())
        assert found is not None
        try:
            yield found[0]
        finally:
            program.send_signal(signal.SIGINT)
            program.stdout.read()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a game of six plies.

    Every page of it keeps its own place.
    """
    folder = tmp_path_factory.mktemp("kept")
    with shown(folder, written(folder / "game.jsonl", WHOLE_GAME)) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, without a mistake in its console."""
    context = browser.new_context()
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.goto(f"{address}#0")
    expect(page.locator("body.reviewing #review-next")).to_be_enabled()
    yield page
    context.close()
    assert faults == []


def sword(page: Page, cell: str) -> None:
    """Expect the Sword on *cell*."""
    expect(page.locator(f'[data-cell][aria-label^="{cell}, "]')).to_have_attribute(
        "aria-label", re.compile("Sword")
    )


def test_a_game_is_watched_with_slider_buttons_keys_and_moves(page: Page) -> None:
    sword(page, "a1")
    expect(page.locator("#slider")).to_have_attribute("max", "6")
    page.locator("#review-next").click()
    sword(page, "b2")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#cry")).to_contain_text("CHECK!")
    page.keyboard.press("ArrowRight")
    sword(page, "c3")
    page.locator("#slider").fill("1")
    sword(page, "b2")
    page.locator("#moves button").nth(2).click()
    sword(page, "c3")
    expect(page.locator('#moves [aria-current="true"]')).to_contain_text("b2-c3")
    named = page.locator('#moves [aria-current="true"] button')
    expect(named).to_have_accessible_name(re.compile("^Sword: b2-c3"))
    expect(page.locator("#review-move")).to_have_text("2. b2-c3")
    page.keyboard.press("End")
    expect(page.locator("#prompt")).to_have_text("The weapons win: the Sword is eliminated.")
    expect(page.locator("#review-move")).to_have_text("3… d1xb2#")
    expect(page.locator("#polite")).to_have_text(
        re.compile(r"Weapons: d1xb2#\. The weapons win: the Sword is eliminated\.$")
    )  # after what was not spoken yet
    page.keyboard.press("Home")
    sword(page, "a1")


def test_positions_that_follow_within_one_frame_are_read_together(page: Page) -> None:
    page.evaluate(
        "[...document.querySelectorAll('#moves button')].slice(0, 2).forEach((move) => move.click())"
    )
    sword(page, "b2")
    said = re.compile(r"^Sword: a1-b2\. Weapons: \S+\. The Sword ")
    expect(page.locator("#polite")).to_have_text(said)


@pytest.mark.walk("desktop")  # on narrow screens the moves follow one another
def test_moves_are_numbered_by_rounds_and_each_side_has_its_column(page: Page) -> None:
    rounds = page.locator("#moves li[data-round]")
    assert rounds.evaluate_all("all => all.map(li => li.dataset.round)") == ["1.", "2.", "3."]
    columns = page.locator("#moves li").evaluate_all("all => all.map(li => li.getBoundingClientRect().left)")
    assert columns[0] == columns[2] == columns[4] < columns[1] == columns[3] == columns[5]


@pytest.mark.long
def test_the_replay_runs_by_itself_and_stops_at_the_end(page: Page) -> None:
    page.locator("body").press("Space")
    expect(page.locator("#review-play")).to_have_text("❚❚")
    page.locator("#speed").select_option("5×")
    expect(page.locator("#slider")).to_have_value("6")
    expect(page.locator("#review-play")).to_have_text("▶")


@pytest.mark.walk("phone")
def test_every_control_has_a_name_and_fits_a_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    page.goto(f"{address}#0")
    for name in ("First", "Back", "Play", "Next", "Last"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(page.get_by_role("slider", name="Move")).to_be_visible()
    expect(page.get_by_role("combobox", name="Speed")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


HANDS = """[Game "gottaz"]
[First "Ann"]
[Result "*"]

1. L4U2@a1 S1L5@a5
2. L3U3@b1
"""
SCORES = """[Game "martian-chess"]
[Option "players" "3"]
[Result "*"]

1. A21-A30 B13xA30
"""


@pytest.mark.long
def test_hands_are_shown_and_grow_smaller_as_pawns_are_placed(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(HANDS, encoding="utf-8")
    with shown(tmp_path, tmp_path / "game.txt") as address:
        page = browser.new_page()
        page.goto(f"{address}#0")
        hand = page.locator("#near .heap")
        expect(page.locator("#near .name")).to_have_text("Ann · First side")
        expect(hand).to_have_count(6)
        first = hand.evaluate_all(COUNTED)
        page.keyboard.press("End")
        expect(page.locator("#near")).to_contain_text("Ann")
        assert (first, hand.evaluate_all(COUNTED)) == (10, 8)
        assert violations(page) == []
        page.close()


COUNTED = "all => all.reduce((sum, heap) => sum + Number(heap.querySelector('.badge')?.textContent.slice(1) ?? 1), 0)"


@pytest.mark.long
def test_scores_are_shown_for_each_move(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(SCORES, encoding="utf-8")
    with shown(tmp_path, tmp_path / "game.txt") as address:
        page = browser.new_page()
        page.goto(f"{address}#0")
        points = page.locator(".owner-1 .points")
        expect(points).to_have_text("0")
        page.keyboard.press("End")
        expect(points).to_have_text("1")
        page.keyboard.press("ArrowLeft")
        expect(points).to_have_text("0")
        expect(page.locator(".seat.owner-1")).to_have_class(re.compile("turn"))
        page.close()


@pytest.mark.long
def test_an_accepted_position_is_labelled_and_not_counted_as_a_move(browser: Browser, tmp_path: Path) -> None:
    stood = "A2P/4/4/4/4/4/S3/3M"
    game = tmp_path / "game.txt"
    game.write_text(
        f'[Game "close-quarters"]\n\n1. {{adopted: {stood} s 0}} a2-a3 {{adopted: {stood} w 0}} d8-d7\n'
    )
    with shown(tmp_path, game) as address:
        page = browser.new_page()
        page.goto(f"{address}#0")
        expect(page.locator("#moves li")).to_have_text(["let stand", "a2-a3, let stand", "d8-d7"])
        expect(page.locator("#moves li[data-round]")).to_have_count(1)
        page.close()
