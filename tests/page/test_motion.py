# SPDX-License-Identifier: Apache-2.0
"""Moves glide, captured pieces fade, the last move is tinted, and the cursor grabs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.page.fingers import middle
from tests.page.test_page import cell, opened, play

from .conftest import NewGame

pytestmark = [pytest.mark.browser, pytest.mark.walk]

RECORDER = """
window.motions = [];
const real = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  const made = real.call(this, frames, options);
  motions.push({ of: this.getAttribute("class"), ...frames, ms: options.duration });
  return made;
};
"""
"""Every motion that the page asks the browser for is written down, and takes place."""


@pytest.fixture(params=["no-preference", pytest.param("reduce", marks=pytest.mark.long)])
def context(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    """A person's browser, with and without reduced motion."""
    made = browser.new_context(reduced_motion=request.param)
    made.add_init_script(RECORDER)
    yield made
    made.close()


def motions(page: Page, kind: str) -> list[dict[str, Any]]:
    """The motions of *kind* on *page*: "translate" or "opacity"."""
    found: list[dict[str, Any]] = page.evaluate("kind => motions.filter(each => kind in each)", kind)
    return found


def test_moves_glide_and_captured_pieces_fade_unless_motion_is_reduced(
    context: BrowserContext, new_game: NewGame
) -> None:
    address = new_game()
    playing, watching = opened(context, address), opened(context, address)
    is_calm = watching.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    play(playing, "a1-b2", "a1-b2")
    expect(watching.locator("#moves li")).to_have_text(["a1-b2"])
    glides = motions(watching, "translate")
    if is_calm:
        assert glides == []
    else:
        assert [(each["of"], each["ms"]) for each in glides] == [("piece side-0", 150)]
        x, y = (float(part.removesuffix("px")) for part in glides[0]["translate"][0].split())
        assert x < -20, "it comes from the left"
        assert y > 20, "it comes from below"
        assert glides[0]["translate"][1] == "0px 0px"
    expect(watching.locator(".pieces .side-0")).to_have_count(1)
    watching.wait_for_function("() => document.getAnimations().length === 0")
    there, wanted = (middle(watching, each) for each in (".pieces .side-0", "[data-cell='5'] .floor"))
    assert there == pytest.approx(wanted, abs=1)

    play(playing, "d8-b8", "d8-b8!")
    play(playing, "b2-c3", "b2-c3")
    play(playing, "b8-b2", "b8-b2!")
    play(playing, "c3-b2", "c3xb2")
    expect(watching.locator("#moves li")).to_have_count(5)
    fades = motions(watching, "opacity")
    assert [(each["ms"], each["opacity"]) for each in fades] == ([] if is_calm else [(150, [1, 0])])
    expect(watching.locator(".pieces .piece")).to_have_count(3)


@pytest.fixture
def page(browser: Browser, new_game: NewGame) -> Iterator[Page]:
    context = browser.new_context()
    yield opened(context, new_game())
    context.close()


@pytest.mark.long
def test_a_piece_is_lifted_where_another_browser_lifts_it(browser: Browser, new_game: NewGame) -> None:
    address = new_game()
    contexts = [browser.new_context() for _ in range(2)]
    playing, watching = (opened(each, address) for each in contexts)
    cell(watching, "d4").hover()
    cell(playing, "a1").click()
    expect(watching.locator(".hand .piece")).to_have_count(1)
    held, lifted = (middle(watching, each) for each in (".hand .piece", "[data-cell='0'] .floor"))
    assert held[0] == pytest.approx(lifted[0], abs=2), "it does not follow another person's pointer"
    for each in contexts:
        each.close()


def test_the_last_move_is_tinted_and_the_tint_moves_on(page: Page) -> None:
    traced = page.locator(".cell.last")
    expect(traced).to_have_count(0)
    for move, written in (("a1-b2", "a1-b2"), ("d8-b8", "d8-b8!")):
        play(page, move, written)
        names = traced.evaluate_all("all => all.map(each => each.ariaLabel.slice(0, 2))")
        assert sorted(names) == sorted(move.split("-"))
    fill = page.locator(".cell.last .trace").first.evaluate("each => getComputedStyle(each).fill")
    assert fill != "none"


@pytest.mark.long
def test_the_cursor_grabs_a_piece_and_the_held_piece_has_a_shadow(page: Page) -> None:
    def cursor(name: str) -> str:
        found: str = cell(page, name).evaluate("each => getComputedStyle(each).cursor")
        return found

    assert (cursor("a1"), cursor("b2")) == ("grab", "auto")
    cell(page, "a1").click()
    expect(page.locator(".hand .piece")).to_have_count(1)
    assert (cursor("a1"), cursor("b2")) == ("grabbing", "auto")
    cell(page, "b2").hover()
    assert (cursor("a1"), cursor("b2")) == ("auto", "grabbing")
    cell(page, "a1").click()
    expect(page.locator(".hand .piece")).to_have_count(0)
    assert (cursor("a1"), cursor("b2")) == ("grab", "auto")
    page.mouse.down()
    expect(page.locator(".hand .piece")).to_have_count(1)
    captor = page.locator(".hand")
    assert captor.evaluate("each => getComputedStyle(each).cursor") == "grabbing"
    cell(page, "c2").hover()
    assert middle(page, ".hand .piece") == pytest.approx(middle(page, "[data-cell='6'] .floor"), abs=4)
    shadow = page.locator(".hand .piece").evaluate("each => getComputedStyle(each).filter")
    assert "drop-shadow" in shadow
    page.mouse.up()
    expect(page.locator(".hand .piece")).to_have_count(0)


@pytest.mark.long
@pytest.mark.walk("phone")
def test_a_piece_under_a_finger_is_larger_and_above_it(browser: Browser, new_game: NewGame) -> None:
    phone = browser.new_context(has_touch=True)
    page = opened(phone, new_game())
    cell(page, "a1").tap()
    held = page.locator(".hand .piece")
    expect(held).to_have_count(1)
    at, finger = middle(page, ".hand .piece"), middle(page, "[data-cell='0'] .floor")
    size = held.bounding_box()
    assert size is not None
    assert size["width"] > 44
    assert finger[1] - at[1] > 15, "the finger does not hide it"
    cell(page, "b2").tap()
    expect(page.locator("#moves li")).to_have_text(["a1-b2"])
    phone.close()
