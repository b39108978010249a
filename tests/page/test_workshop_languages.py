# SPDX-License-Identifier: Apache-2.0
"""The workshop's page in two languages: no English is left, numbers are localised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import cv2
import pytest
from playwright.sync_api import Browser, Page, expect

from calibration.wording import Words, load
from tests.calibration.studio import CHESS, over, photographs, scene_of
from tests.page.test_workshop_page import SLOW_MS, button, served, shown

pytestmark = pytest.mark.browser

SAID = """() => [document.title, ...[...document.querySelectorAll("body *")].flatMap((each) => [
    ...[...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data.trim()),
    each.ariaLabel, each.ariaValueText, each.title, each.placeholder,
])].filter(Boolean)"""
"""All texts of the page, also those that only screen readers say."""
SAME_IN_ALL = re.compile(
    r"Close Quarters|Fightopia|GOTTAZ|Martian Chess|Tank Chess|Companion|companion tools print chart|JavaScript|rtsp://\S+"
    r"|\bpx\b|\bmm\b|\bk1\b|Tab|Shift|v4l2-ctl[^）)]*|Linux|Chess960|FIDE|\S*/\S+"
)
"""Names, units, addresses and commands."""


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    for number, image in enumerate(photographs(scene_of(CHESS, over(CHESS, k1=-0.08)), 2)):
        cv2.imwrite(str(folder / f"{number}.png"), image)
    return folder


def english_texts(words: Words) -> Iterator[str]:
    """The English texts that are others in the language of *words*, without those with gaps."""
    english = load("en").file
    for table in fields(english):
        ours = getattr(words.file, table.name)
        for key, text in getattr(english, table.name).items():
            if ours[key] != text and "{" not in text:
                yield text


def from_tags_to_the_profile(page: Page, words: Words) -> None:
    """Fit the board and confirm it, with the buttons of that language."""
    page.get_by_label(words.sentence("page.cell")).fill("50")
    button(page, words.sentence("page.choose")).click()
    expect(page.locator("#note")).to_have_text(words.sentence("page.found"), timeout=SLOW_MS)
    button(page, words.sentence("page.lay")).click()
    expect(page.locator("#note")).to_have_text(words.sentence("page.laid"), timeout=SLOW_MS)
    button(page, words.sentence("page.confirm")).click()
    expect(page.locator("#rows tbody tr").first).to_be_visible(timeout=SLOW_MS)
    page.locator("#lens summary").click()


@pytest.mark.parametrize(
    ("code", "locale"), [("de", "de-AT"), pytest.param("ja", "ja-JP", marks=pytest.mark.long)]
)
def test_no_english_is_left_on_the_page(
    code: str, locale: str, browser: Browser, photos: Path, tmp_path: Path
) -> None:
    words = load(code)
    with served(str(photos), tmp_path) as address, shown(browser, address, locale) as page:
        from_tags_to_the_profile(page, words)
        expect(page.locator("html")).to_have_attribute("lang", code)
        said = page.evaluate(SAID)
        advice = " ".join(page.locator("#advice").all_inner_texts())
        page.get_by_label(words.sentence("page.source"), exact=True).fill("none.avi")
        button(page, words.sentence("page.open")).click()
        expect(page.locator("#source-fault")).to_contain_text("none.avi")
    assert words.sentence("page.title") in said
    assert set(said) & set(english_texts(words)) == set()
    assert re.search(r"\d,\d\d px" if code == "de" else r"\d\.\d\d px", advice)
    if code == "ja":
        assert [text for text in said if re.search(r"[A-Za-z]{3,}", SAME_IN_ALL.sub("", text))] == []


@pytest.mark.long
def test_the_address_may_choose_the_language(browser: Browser, photos: Path, tmp_path: Path) -> None:
    words = load("hr")
    with (
        served(str(photos), tmp_path) as address,
        shown(browser, f"{address}?language=hr", "de-DE") as page,
    ):
        expect(page.locator("h1")).to_have_text(words.sentence("page.title"))
        expect(page.locator("html")).to_have_attribute("lang", "hr")
