# SPDX-License-Identifier: Apache-2.0
"""Pieces sound wooden from the first touch, until one tap switches that off."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.test_page import carry, play, prompt

from .conftest import NewGame

pytestmark = [pytest.mark.browser, pytest.mark.walk("phone")]

RATE = 48_000
RECORDER = """
window.struck = [];
const Real = AudioBufferSourceNode;
window.AudioBufferSourceNode = class extends Real {
  constructor(context, options) {
    super(context, options);
    struck.push(options.buffer.length);
  }
  connect(output) {
    window.loudness = output;
    return super.connect(output);
  }
};
"""
"""Every sound of a piece that the page plays is written down, and is played."""


@pytest.fixture
def phone(browser: Browser, new_game: NewGame) -> Iterator[Page]:
    context = browser.new_context(has_touch=True)
    context.add_init_script(RECORDER)
    page = context.new_page()
    page.goto(new_game())
    expect(prompt(page)).to_have_text("The Sword moves.")
    yield page
    context.close()


def count(page: Page) -> int:
    found: int = page.evaluate("struck.length")
    return found


def test_moves_sound_from_the_first_touch_until_one_tap_switches_them_off(phone: Page) -> None:
    assert count(phone) == 0
    play(phone, "a1-b2", "a1-b2")
    assert count(phone) >= 2, "it is lifted and put down"
    sound = phone.get_by_role("button", name="Sound")
    expect(sound).to_be_visible()
    sound.tap()
    expect(sound).to_have_attribute("aria-pressed", "false")
    before = count(phone)
    carry(phone, "d8-b8")
    expect(phone.locator("#moves li")).to_have_count(2)
    assert count(phone) == before
    phone.reload()
    expect(sound).to_have_attribute("aria-pressed", "false")


@pytest.mark.long
def test_the_volume_is_set_and_kept(phone: Page) -> None:
    phone.get_by_role("button", name="Settings").tap()
    slider = phone.get_by_label("Volume")
    slider.fill("35")
    assert count(phone) == 1, "it is heard at once"
    assert phone.evaluate("loudness.gain.value") == pytest.approx(0.35**2)
    phone.reload()
    expect(slider).to_have_value("35")


@pytest.mark.long
@pytest.mark.parametrize(("name", "pitch", "length_s"), [("place", 430, 0.05), ("lift", 760, 0.05)])
def test_a_sound_is_that_of_a_struck_wooden_block(
    phone: Page, name: str, pitch: int, length_s: float
) -> None:
    """Short, loudest at its start, with partials that are no harmonics."""
    script = "async ([name, rate]) => [...(await import('/page/clicks.js')).samples(name, rate)]"
    found: list[float] = phone.evaluate(script, [name, RATE])
    energy = [value * value for value in found]
    assert max(map(abs, found)) <= 1
    assert sum(energy[: int(length_s * RATE)]) > 0.99 * sum(energy)
    assert max(range(len(found)), key=lambda at: abs(found[at])) < 0.004 * RATE

    def power(hz: float) -> float:
        turns = [2 * math.pi * hz * at / RATE for at in range(len(found))]
        real = sum(value * math.cos(turn) for value, turn in zip(found, turns, strict=True))
        imaginary = sum(value * math.sin(turn) for value, turn in zip(found, turns, strict=True))
        return real * real + imaginary * imaginary

    assert power(pitch) > 20 * power(2 * pitch)
    assert power(2.76 * pitch) > 2 * power(2 * pitch)


@pytest.mark.long
def test_what_has_changed_on_the_board_decides_the_sound(phone: Page) -> None:
    views = {
        "lift": ([1, 2], [1], 3, 3, 0),
        "place": ([1], [1, 2], 3, 3, 0),
        "take": ([1], [1, 2], 3, 2, 1),
        "": ([1, 2], [1, 2], 3, 3, 0),
    }
    script = """async ([before, now, had, has, moves]) => (await import('/page/clicks.js')).clicksFor(
      { game: 'x', occupied: before, pieces: Array(had), record: [] },
      { game: 'x', occupied: now, pieces: Array(has), record: Array(moves) }).join()"""
    assert {name: phone.evaluate(script, list(view)) for name, view in views.items()} == {
        name: name for name in views
    }
