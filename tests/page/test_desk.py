# SPDX-License-Identifier: Apache-2.0
"""The arbiter's desk in a real Chromium, with boards of the real program: corrections."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.page.desks import Evening, board, do, log_in, play
from tests.page.test_page import prompt
from tests.page.test_whole_page import violations

pytestmark = pytest.mark.browser


def test_an_arbiters_corrections_of_clock_record_and_position_are_in_the_book(
    evening: Callable[..., Evening],
) -> None:
    of = evening("red", clock="5")
    desk, table = of.desk(), of.page(of.tables["red"])
    expect(desk.get_by_role("banner").get_by_role("status")).to_have_text("connected")
    red, book = board(desk, "red"), desk.locator("#book")
    red.get_by_role("button", name="Position…").click()
    beginning = desk.get_by_role("dialog").get_by_label("Position").input_value()
    desk.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    play(table, "a1-b2")
    expect(red).to_contain_text("b2")
    red.get_by_role("button", name="Take back").click()
    play(table, "d8-b8")  # while the arbiter thinks about it
    expect(red).to_contain_text("b8")
    desk.get_by_role("dialog").get_by_role("button", name="Do it").click()
    expect(book).to_contain_text("there was play since it was given: d8-b8")

    red.get_by_role("button", name="Pause").click()
    expect(red.get_by_role("button", name="Resume")).to_be_focused()  # in the place of what was pressed
    expect(red).to_contain_text("paused")
    do(desk, red.get_by_role("button", name="Time…"), Side="1", Seconds="120", Remark="noise in the hall")
    expect(red.locator(".clocks")).to_contain_text(re.compile(r"Weapons (6:[0-5]\d|7:00)"))
    expect(book).to_contain_text("noise in the hall")
    expect(book).not_to_contain_text("Restore a position")
    red.get_by_role("button", name="Resume").click()

    do(desk, red.get_by_role("button", name="Record…"), Moves="a1-b2 d8-d5", Remark="misread")
    expect(red).to_contain_text("being set up")
    play(table, "b8-d5")
    expect(red).to_contain_text("in play")
    expect(table.locator("#moves")).to_contain_text("d8-d5")
    expect(table.locator("#moves")).not_to_contain_text("d8-b8")
    expect(book).to_contain_text("2. d8-d5 · misread")  # the first move stays as it was

    play(table, "b2-d3")
    alarm = desk.locator(".urgency-3")
    expect(alarm).to_contain_text("illegal move: The Sword")
    alarm.get_by_role("link").click()
    expect(red).to_be_focused()
    do(desk, red.get_by_role("button", name="Let it stand"), Remark="too late to protest")
    expect(alarm).to_have_count(0)
    expect(book).to_contain_text("Let it stand Weapons")
    do(desk, red.get_by_role("button", name="Take back"))
    expect(book).to_contain_text("Take back")

    red.get_by_role("button", name="Record…").click()
    dialog = desk.get_by_role("dialog")
    dialog.get_by_label("Moves").fill("a1-b2 a1-h9")
    dialog.get_by_role("button", name="Do it").click()
    expect(book).to_contain_text("could not be done")
    expect(book).to_contain_text("move 2, a1-h9, cannot be played")
    expect(desk.get_by_role("alert")).to_contain_text("could not be done: move 2, a1-h9")

    do(desk, red.get_by_role("button", name="Position…"), Position=beginning, Remark="the pieces fell")
    expect(book).to_contain_text(f"Restore a position {beginning} · the pieces fell")
    expect(red).to_contain_text("being set up")
    expect(desk.get_by_role("alert")).to_have_text(
        "Sent. The order is carried out once, even if the board is offline now."
    )

    red.get_by_role("button", name="New game").click()
    expect(dialog).to_contain_text("ends without a result")
    assert violations(desk) == []
    desk.keyboard.press("Escape")
    expect(red.get_by_role("button", name="New game")).to_be_focused()
    expect(desk.get_by_role("alert")).not_to_contain_text("could not be done")  # that was told once
    desk.reload()
    expect(book).to_contain_text("could not be done")
    assert desk.get_by_role("alert").inner_text() == "", "what was refused before is no news"


@pytest.mark.long
def test_all_clocks_wait_for_a_common_start(evening: Callable[..., Evening]) -> None:
    of = evening("red", "blue", clock="5")
    desk = of.desk()
    for name in ("red", "blue"):
        expect(board(desk, name)).to_contain_text("in play")
    do(desk, desk.get_by_role("button", name="Pause all"), Remark="before the round")
    for name in ("red", "blue"):
        expect(board(desk, name)).to_contain_text("paused")
    do(desk, board(desk, "red").get_by_role("button", name="New game"))
    expect(board(desk, "red").locator(".clocks")).to_have_text(re.compile("5:00.*5:00"))
    expect(board(desk, "red")).to_contain_text("paused")
    desk.get_by_role("button", name="Start all clocks").click()
    expect(desk.get_by_role("dialog")).to_contain_text("2 boards concerned")
    desk.keyboard.press("Enter")
    for name in ("red", "blue"):
        expect(board(desk, name)).to_contain_text("in play")
        expect(board(desk, name).locator(".running")).to_contain_text(re.compile("4:[0-5]"))
        expect(board(desk, name)).not_to_contain_text("drift")  # it is accurate
    watcher = of.page(of.hall)
    expect(watcher.locator(".running").first).to_contain_text(re.compile("4:[0-5]"))
    assert watcher.evaluate(CLOCKS) == ["5:00", "4:53", "0:29 •••"]

    with desk.expect_event("websocket") as opened:
        desk.reload()
    desk.get_by_role("button", name="Log out").click()
    log_in(desk)
    if not opened.value.is_closed():  # it lives a little longer than its token
        opened.value.wait_for_event("close")
    desk.evaluate("() => new Promise(requestAnimationFrame)")
    expect(board(desk, "red")).to_contain_text("in play")
    desk.evaluate("() => sessionStorage.setItem('token', 'of last night')")
    desk.reload()
    log_in(desk)
    assert desk.evaluate(SEATING) == {
        "asked": ["concerns 3", "b9 b10", "1 4 2 3"],
        "health": ["", "clock_offset 800 0"],
    }


CLOCKS = """async () => {
  const { clockTexts, compareClocks } = await import(new URL("hall/shared.js", location.href));
  let now, began;
  do { // on a machine that lets an answer wait nobody knows what the time is
    began = performance.now();
    await compareClocks();
    now = (await (await fetch("api/clock")).json()).now_ms;
  } while (performance.now() - began > 300);
  const clock = (ago, more) => ({ left_ms: 300_000, is_running: true, at_ms: now - ago, ...more });
  const delayed = [1_500, 10_500].map((ago) => clock(ago, { delay_ms: 3_000 }));
  return clockTexts({ glance: { clocks: [...delayed, clock(302_500, { left_ms: 301_000, spans: 3, span_ms: 30_000 })] } });
}"""
"""The clocks on the hall's pages 1.5 and 10.5 s after a move.

One has a delay of 3 s, one is in its first byo-yomi period.
"""

SEATING = """async () => {
  const load = (name) => import(new URL(`hall/${name}.js`, location.href));
  const [{ makeBoards }, { makeSeating }] = [await load("desk_boards"), await load("desk_seating")];
  const { makeTogether } = await load("desk_together");
  const act = (_, key, onclick) => Object.assign(document.createElement("button"), { id: key, onclick });
  const boards = ["b10", "b9", "b3", "b2"].map((board) => ({ board, name: board, is_silent: board === "b2", troubles: {} }));
  const of = (key, board) => ({ key, name: key, rounds: [{ is_complete: false, tables: [{ board, seated: [] }] }] });
  const tournaments = [of("cup", null), of("league", "b3")];
  const say = (key, gaps = {}) => [key, ...Object.values(gaps)].join(" ");
  const tools = { say, act, looks: {}, newest: () => ({ boards, tournaments }), events: { resultActs: () => [] }, photographs: { field: () => "" } };
  const made = makeBoards(tools);
  const four = [1, 2, 3, 4];
  const over = { players: four.map((name) => ({ name })), standings: four.map((number) => ({ number, points: 1 })), candidates: [],
    format: "swiss", seats: 2, rounds: [{ is_complete: true, tables: [] }] };
  const seating = [tournaments[0], over].map((each) => makeSeating(tools).buttons(each).find(Boolean));
  const pause = act("all", "pause_all", () => makeTogether(tools).pause());
  const asked = [pause, ...seating].map((button) => {
    button.click();
    const dialog = document.querySelector("dialog");
    dialog.remove();
    const chosen = [...dialog.querySelectorAll("textarea, select")].map((field) => field.value).join(" ");
    return chosen || dialog.querySelector(".warning").textContent;
  });
  const place = document.createElement("div");
  const health = [20, 800].map((error) => {
    made.draw(place, { ...boards[0], clock_error_ms: error, clock_drift_ms: 0 });
    return place.querySelector("section > p > small").textContent;
  });
  return { asked, health };
}"""
"""The desk with one silent board, one at another tournament, and four leaders.

Returns what it asks, and what it says of a clock that is accurate, and of one that is not.
"""

LATE_ANSWERS = """() => {
  const read = Response.prototype.json;
  Response.prototype.json = async function () {
    while (!document.querySelector("#answer.fault")) await new Promise(requestAnimationFrame);
    const said = await read.call(this);
    setTimeout(() => { document.body.dataset.answered = this.url; });
    return said;
  };
}"""
"""Delay the hall's answers until a refusal is shown; then the body says so."""


SAID = {
    "de": ("regelwidriger Zug: ", "Aufzeichnung berichtigen", "Zug 1, a1-h9, "),
    "hr": ("nepravilan potez: ", "Ispravi zapis", "Potez 1, a1-h9, ne može se odigrati: "),
    "ja": ("反則手: ", "棋譜を訂正する", "1 手目 a1-h9 は指せません: "),
}
"""The messages about a wrong move, an order, and the reason of its failure."""


@pytest.mark.long
def test_alarms_and_refusals_are_shown_in_each_arbiters_own_language(
    evening: Callable[..., Evening],
) -> None:
    of = evening("red")
    desks, table = {language: of.desk(language) for language in SAID}, of.page(of.tables["red"])
    play(table, "a1-d3")
    for language, desk in desks.items():
        alarm = desk.locator(".urgency-3")
        expect(alarm).to_contain_text(SAID[language][0])
        assert not re.search(r"Sword|illegal|move", alarm.inner_text())
    expect(prompt(table)).to_contain_text("The Sword")
    one = desks["de"]
    board(one, "red").locator('[data-name="red correct_record"]').click()
    one.get_by_role("dialog").locator("textarea").fill("a1-h9")
    one.evaluate(LATE_ANSWERS)
    one.get_by_role("dialog").locator(".main").click()
    expect(one.locator("body[data-answered]")).to_have_count(1)
    for language, desk in desks.items():
        _, ordered, refused = SAID[language]
        expect(desk.locator("#book")).to_contain_text(f"{ordered} 1. a1-h9")
        expect(desk.locator("#book")).to_contain_text(refused)
        expect(desk.get_by_role("alert")).to_contain_text(refused)
