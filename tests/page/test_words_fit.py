# SPDX-License-Identifier: Apache-2.0
"""On every page words have room in every language, and what is pressed is large."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from urllib.parse import urljoin

import cv2
import pytest
from playwright.sync_api import Browser, Page, expect

from calibration.wording import load
from companion.feedback.wordfiles import languages
from tests import programs
from tests.calibration.studio import CHESS, over, photographs, scene_of
from tests.host.hall.sites import NAME, PASSWORD
from tests.host.tables import WHOLE_GAME, written
from tests.page.fitting import unfit
from tests.page.screens import GROUPS
from tests.page.test_desk_overview import in_all_states
from tests.page.test_start_page import Started
from tests.page.test_workshop_languages import from_tags_to_the_profile
from tests.page.test_workshop_page import served
from tests.ports import free_port
from tests.waits import brisk

pytestmark = pytest.mark.browser

LANGUAGES = [each if each == "de" else pytest.param(each, marks=pytest.mark.long) for each in languages()]
"""German has the longest words."""
TRIES = 40


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """A page of its own at *address*, without motion."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


BAD = """<style>* { font: 16px monospace } p { position: absolute; margin: 0 }</style>
<button style="width: 60px; white-space: nowrap">Aufzeichnung</button>
<div style="width: 60px; overflow: hidden">Aufzeichnung</div>
<p style="top: 200px">over</p><p style="top: 204px">below</p>"""


def test_words_without_room_are_found(browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content(BAD)
        found = unfit(page)
    for fault in ("wider than its place: button", "cut: div", "overlap: p", "phone: small: Aufzeichnung"):
        assert any(fault in each for each in found), fault


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_on_the_wall_of_a_hall_and_at_its_desk(browser: Browser, tmp_path: Path, language: str) -> None:
    with in_all_states(tmp_path, 14) as hall:
        with opened(browser, f"{hall.address}?language={language}") as page:
            expect(page.locator("#boards > li")).to_have_count(14)
            expect(page.locator("#tournaments table").first).to_be_attached()
            assert unfit(page) == []
        with opened(browser, f"{hall.address}arbiter?language={language}") as page:
            page.locator("input[type=password]").wait_for()
            assert unfit(page) == []
            page.locator("input").first.fill(NAME)
            page.locator("input[type=password]").fill(PASSWORD)
            page.keyboard.press("Enter")
            expect(page.locator("#boards .tile").first).to_be_visible()
            expect(page.locator(".round tr").first).to_be_attached()
            assert unfit(page) == []
            page.locator('[data-board="b1"]').click()
            expect(page.locator("#board-b1")).to_be_visible()
            assert unfit(page) == []


@pytest.fixture(scope="module")
def program(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A start page with a board, a kept game and an unfinished one."""
    folder = tmp_path_factory.mktemp("start")
    brisk(folder)
    journals = folder / "companion" / "journals"
    journals.mkdir(parents=True)
    written(journals / "2026-01-02_10-00-00_close-quarters.jsonl", "a1-b2 d8-b8")
    environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
    programs.companion("records", "import", str(written(folder / "whole.jsonl", WHOLE_GAME)), env=environment)
    port = free_port()
    words = ["tools", "simulate", "close-quarters", "--listen", str(port)]
    with (
        Started(browser, folder, settings=f'port = "socket://127.0.0.1:{port}"\n').running() as started,
        programs.Program("companion", words, stdin=PIPE, stdout=PIPE),
    ):
        yield started


DIALOGS = {
    "play": (".card:nth-child(1) .computer", ".card:nth-child(2) .friend", ".card:nth-child(3) .elsewhere"),
    "games": ("#open-join", "#open-settings", "#kept .quiet"),
    "learn": ("#taught li:nth-child(4) button:last-child", "#taught li:nth-child(3) button:first-of-type"),
    "boards": (),
}
"""What opens the dialogs of each tab."""


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_on_the_start_page_and_in_its_dialogs(browser: Browser, program: Started, language: str) -> None:
    with opened(browser, f"{program.address}?language={language}") as page:
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("#puzzle img")).to_be_attached()
        expect(page.locator("#devices li")).not_to_have_count(0)
        for tab, openers in DIALOGS.items():
            page.locator(f"#tab-{tab}").click()
            assert unfit(page) == [], tab
            for opener in openers:
                page.locator(opener).first.click()
                expect(page.locator("dialog[open]")).to_be_visible()
                assert unfit(page) == [], opener
                page.keyboard.press("Escape")
                expect(page.locator("dialog[open]")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("language", ["de", "ja"])
def test_on_the_table_in_its_dialogs_and_in_the_review(browser: Browser, language: str, group: str) -> None:
    found = {name: faults for name, page in GROUPS[group](browser, language) if (faults := unfit(page))}
    assert found == {}


def open_sensor_test(page: Page, address: str) -> None:
    """Open the sensor test at *address*, as soon as the board is free."""
    page.goto(address)
    for _ in range(TRIES):
        expect(page.locator("#task")).not_to_be_empty()
        if page.locator("#cells [data-cell]").count():
            return
        page.reload()
    pytest.fail(page.locator("#task").inner_text())


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_of_kept_games_sensor_tests_and_cameras(browser: Browser, program: Started, language: str) -> None:
    with opened(browser, f"{program.address}?language={language}") as page:
        kept = page.locator("#kept a").first.get_attribute("href")
        sensors = page.locator("a[href*=sensors]").first.get_attribute("href")
        assert kept is not None
        assert sensors is not None
        page.goto(urljoin(program.address, f"{kept}?language={language}"))
        expect(page.locator("#moves button").first).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert unfit(page) == []
        open_sensor_test(page, urljoin(program.address, f"{sensors}&language={language}"))
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert unfit(page) == []
        page.goto(urljoin(program.address, f"camera?language={language}"))
        expect(page.locator("#said")).not_to_be_empty()
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert unfit(page) == []


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    for number, image in enumerate(photographs(scene_of(CHESS, over(CHESS, k1=-0.08)), 2)):
        cv2.imwrite(str(folder / f"{number}.png"), image)
    return folder


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_in_the_camera_workshop(browser: Browser, photos: Path, tmp_path: Path, language: str) -> None:
    with (
        served(str(photos), tmp_path) as address,
        opened(browser, f"{address}?language={language}") as page,
    ):
        from_tags_to_the_profile(page, load(language))
        assert unfit(page) == []
