# SPDX-License-Identifier: Apache-2.0
"""Tournaments at the arbiter's desk in a real Chromium: pairs, boards, teams, cup, paper.

A play-off is among them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from playwright.sync_api import FilePayload, Page, expect
from pypdf import PdfReader

from tests.page.desks import Evening, board, do, watch_for
from tests.page.test_whole_page import violations

pytestmark = pytest.mark.browser


def announce(
    desk: Page,
    key: str,
    kind: str,
    players: str,
    boards: int = 0,
    seats: int = 2,
    game: str = "Close Quarters",
    rules: Mapping[str, str] = MappingProxyType({}),
    delay: int = 0,
) -> None:
    """Announce a tournament, enter *players* from a file and pair its first round."""
    desk.get_by_text("Announce a tournament").click()
    form = desk.locator("form")
    form.get_by_label("Short name").fill(key)
    form.get_by_label("Name", exact=True).fill(key.title())
    form.get_by_label("Game").select_option(game)
    for label, value in rules.items():
        form.get_by_role("combobox", name=label).select_option("Other…" if value.isdecimal() else value)
        if value.isdecimal():
            form.get_by_role("spinbutton", name=label).fill(value)
    form.get_by_label("Format").select_option(kind)
    form.get_by_label("Boards of a match").fill(str(boards))
    form.get_by_label("Players at a table").fill(str(seats))
    form.get_by_label("Delay for spectators").fill(str(delay))
    form.get_by_label("Tie-breaks, in order of priority 4").select_option("Progressive")
    form.get_by_role("button", name="Announce").click()
    expect(desk.locator("#tournaments")).to_contain_text(f"{delay} min later" if delay else "live")
    file = FilePayload(name="players.csv", mimeType="text/csv", buffer=players.encode("cp1252"))
    desk.get_by_label("From a file").set_input_files(file)
    expect(desk.get_by_label("Players as a table")).not_to_have_value("")
    desk.get_by_role("button", name="Enter").click()
    expect(desk.get_by_text(f"Players: {players.count(chr(10)) - 1}")).to_be_visible()


@pytest.mark.long
def test_teams_are_lined_up_paired_decided_printed_and_shown(evening: Callable[..., Evening]) -> None:
    of = evening("red")
    desk = of.desk()
    csv = "name,rating,team\n" + "".join(f"{team}{n},1{n}00,{team}\n" for team in "AB" for n in (1, 2, 3))
    announce(desk, "league", "round-robin", csv, boards=2, rules={"The Sword wins after": "40"})
    expect(desk.locator("#tournaments")).to_contain_text("The Sword wins after: 40")
    heads = ["#", "Team", "Match points", "Board points"]
    expect(desk.locator("#tournaments thead").first.locator("th")).to_have_text([*heads, "DE", "SB", "PS"])
    expect(desk.locator("#tournaments caption").first).to_contain_text("SB: Sonneborn–Berger")
    expect(desk.get_by_text("cannot be chosen")).to_be_visible()
    desk.get_by_text("Line-up of the next round").click()
    desk.get_by_label("A 2").select_option("A3")
    desk.get_by_role("button", name="Save: A").click()
    expect(desk.locator("#book")).to_contain_text("line-up")
    desk.get_by_role("button", name="Pair the next round").click()
    rows = desk.locator("#tournaments .round tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("A3")
    rows.nth(0).get_by_role("button", name=re.compile("1:0$")).click()
    rows.nth(1).get_by_role("button", name=re.compile("½:½$")).click()
    expect(desk.get_by_text("1½ : ½").or_(desk.get_by_text("½ : 1½"))).to_be_visible()
    do(
        desk,
        rows.nth(1).get_by_role("button", name="Change…"),
        Result="0,2",
        Forfeit="forfeit",
        Remark="the score sheet says so",
    )
    expect(desk.locator("#book")).to_contain_text("0:1 forfeit · the score sheet says so")
    do(desk, desk.get_by_role("button", name="Excuse…: B", exact=True), Points="half")
    expect(desk.locator("#book")).to_contain_text("excused · league · B1 · Round 2 · half a point")
    assert violations(desk) == []
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Standings of the teams").click()
    pdf = PdfReader(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert "Match points" in pdf.pages[0].extract_text()
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Report (TRF)").click()
    assert Path(download.value.path()).read_text().startswith("012 ")
    expect(desk.get_by_role("alert")).to_contain_text("The federation’s report still lacks")
    desk.route("**/standings.pdf*", lambda asked: asked.abort())
    desk.get_by_role("button", name="Standings", exact=True).click()
    expect(desk.get_by_role("alert")).to_contain_text("No answer from the hall")

    watcher = of.page(of.hall, width=390)
    expect(watcher.get_by_role("cell", name="A", exact=True)).to_be_visible()
    expect(watcher.get_by_role("link", name="Cross table")).to_be_visible()
    assert violations(watcher) == []
    assert watcher.evaluate("document.documentElement.scrollWidth") <= 390
    watcher.locator("#boards .enlarge").press("Enter")
    expect(watcher.locator("li.large")).to_have_count(1)
    assert violations(watcher) == []
    watcher.keyboard.press("Escape")
    expect(watcher.locator("li.large")).to_have_count(0)


LARGE = """(name) => {
  const large = document.querySelector("#boards li.large");
  return name === null ? document.querySelector("#boards li") && !large : large?.textContent.includes(name);
}"""
"""Whether the board of that name, or no board, is the large one.

It is checked in every frame, since the state passes.
"""


@pytest.mark.long
def test_an_arbiter_sets_pairings_boards_delay_and_a_play_off(
    evening: Callable[..., Evening],
) -> None:
    of = evening("red", "blue")
    desk = of.desk()
    rules = {"Merged pieces are": "exchanged"}
    csv = "name\nAna\nBen\nCleo\nDan\nÉva\n"
    announce(desk, "open", "free", csv, seats=3, game="Martian Chess", rules=rules)
    expect(desk.get_by_role("heading", name="Open · Free play · Martian Chess")).to_be_visible()
    expect(desk.locator("#tournaments")).to_contain_text("Merged pieces are: exchanged")
    expect(desk.locator("#tournaments th")).to_have_text(["#", "Player", "Points", "WIN", "PS"])
    do(desk, desk.get_by_role("button", name="Delay for spectators…"), Delay="15")
    expect(desk.get_by_text("15 min later")).to_be_visible()
    chosen = ("Cleo", "Ana", "Éva"), ("Dan", "Ben")
    seats = {
        f"Table {table} · {seat}": who
        for table, players in enumerate(chosen, 1)
        for seat, who in enumerate(players, 1)
    }
    do(desk, desk.get_by_role("button", name="Choose who plays whom…"), **seats)
    rows = desk.locator("#tournaments .round tbody tr")
    expect(rows).to_contain_text(["Cleo – Ana – Éva", "Dan – Ben"])
    do(desk, desk.get_by_role("button", name="Seat at the boards…"), Boards="red")
    expect(desk.get_by_label("Board 1")).to_have_value("red")
    expect(of.page(of.tables["red"])).to_have_title(re.compile("Martian Chess"))

    do(desk, desk.get_by_role("button", name="Pause all: Open"), Remark="not yet")
    expect(board(desk, "red")).to_contain_text("paused")
    expect(board(desk, "blue")).to_contain_text("in play")  # of no tournament
    desk.get_by_label("Board 2").select_option("blue")
    expect(board(desk, "blue")).to_contain_text("Dan – Ben")

    places = {"Rank: Cleo": "1", "Rank: Ana": "1", "Rank: Éva": "3"}
    do(desk, rows.nth(0).get_by_role("button", name="Change…"), **places)
    expect(rows.nth(0)).to_contain_text("1½ : 1½ : 0")
    rows.nth(1).get_by_role("button", name=re.compile("½:½$")).click()
    desk.get_by_role("button", name="Play-off for the first place").click()
    dialog = desk.get_by_role("dialog")
    expect(dialog.get_by_label("Table 1 · 1")).to_have_value("1")
    expect(dialog.get_by_label("Table 1 · 2")).to_have_value("3")
    dialog.get_by_label("Table 1 · 1").select_option("Cleo")
    dialog.get_by_label("Table 1 · 2").select_option("Ana")
    assert violations(desk) == []
    dialog.get_by_role("button", name="Do it").click()
    expect(desk.get_by_role("heading", name="Play-off")).to_be_visible()
    expect(rows).to_contain_text(["Cleo – Ana"])
    desk.get_by_role("button", name="Seat at the boards…").click()
    expect(dialog.get_by_role("textbox")).to_have_value("red blue")  # as in the round before
    dialog.get_by_role("button", name="Do it").click()
    expect(desk.get_by_label("Board 1")).to_have_value("red")

    do(desk, desk.get_by_role("button", name="Withdraw: Éva"))
    do(desk, desk.get_by_role("button", name="Readmit: Éva"))
    do(desk, desk.get_by_role("button", name="Correct…: Dan"), Name="Dana", Elo="1500")
    do(desk, desk.get_by_role("button", name="Write a remark…"), Remark="the heating failed")
    book = desk.locator("#book")
    for said in (
        "remark · the heating failed",
        "withdrawn · open · Éva",
        "plays again · open · Éva",
        "corrected · open · Dana",
        "seated · open · red · Round 2 · Table 1",
        "result · open · Round 1 · Table 1 · 1½:1½:0",
        "delay · open · 15 minutes",
        "Begin a game Martian Chess",
    ):
        expect(book).to_contain_text(said)
    assert violations(desk) == []
    watcher = of.page(f"{of.hall}?rotate=0.5")  # a big screen: each board by itself, then all
    expect(watcher.locator("#empty")).not_to_be_empty()  # of both boards nothing is old enough yet
    do(desk, desk.get_by_role("button", name="Delay for spectators…"), Delay="0")
    for name in ("blue", "Cleo – Ana", None):
        watch_for(watcher, LARGE, name)
    expect(watcher.locator("#boards .region")).not_to_have_count(0)  # whose zone is which, as at the table


@pytest.mark.long
def test_a_drawn_cup_game_gets_another_game_or_a_decision(evening: Callable[..., Evening]) -> None:
    of = evening("red")
    desk = of.desk()
    announce(desk, "cup", "knockout", "name,rating\nAna,1700\nBen,1600\nCleo,1500\nDan,1400\n", delay=5)
    chosen = {"Table 1 · 1": "Ana", "Table 1 · 2": "Cleo", "Table 2 · 1": "Ben", "Table 2 · 2": "Dan"}
    do(desk, desk.get_by_role("button", name="Choose who plays whom…"), **chosen)
    rows = desk.locator("#tournaments .round tbody tr")
    rows.nth(0).get_by_role("button", name=re.compile("1:0$")).click()
    do(desk, rows.nth(0).get_by_role("button", name="Take the result back"), Remark="of another table")
    for row in (0, 1):
        rows.nth(row).get_by_role("button", name=re.compile("½:½$")).click()
        expect(rows.nth(row).get_by_role("button", name="Play another game")).to_be_visible()
    desk.get_by_role("button", name="Pair the next round").click()
    expect(desk.get_by_role("alert")).to_contain_text("a knockout needs a winner at table 1, 2")
    rows.nth(0).get_by_role("button", name="Play another game").click()
    expect(rows.nth(0)).to_contain_text("(…)")
    rows.nth(0).get_by_role("button", name=re.compile("1:0$")).click()
    expect(rows.nth(0)).to_contain_text("(1:0)")
    rows.nth(1).get_by_role("button", name="Who goes on…").click()
    dialog = desk.get_by_role("dialog")
    expect(dialog.locator("option")).to_have_text(["Ben", "Dan"])
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog.get_by_label("By which rule")).to_be_focused()  # it must be said
    dialog.get_by_label("By which rule").fill("drawn by lot")
    dialog.get_by_role("button", name="Do it").click()
    expect(rows.nth(1)).to_contain_text("Ben goes on")
    rows.nth(1).get_by_role("button", name="Take the decision back").click()
    expect(rows.nth(1)).not_to_contain_text("Ben goes on")
    rows.nth(1).get_by_role("button", name="Who goes on…").click()
    dialog.get_by_label("By which rule").fill("drawn by lot")
    dialog.get_by_role("button", name="Do it").click()
    expect(rows.nth(1)).to_contain_text("Ben goes on")
    desk.get_by_role("button", name="Choose who plays whom…").click()
    expect(dialog.get_by_label("Table 1 · 1").locator("option")).to_have_count(
        3
    )  # nobody, and who is still in
    desk.keyboard.press("Escape")
    desk.get_by_role("button", name="Pair the next round").click()
    expect(desk.get_by_role("heading", name="Round 2")).to_be_visible()
    desk.locator("summary", has_text="Round 1").click()
    rows = desk.get_by_role("group", name="Cup: Round 1").locator("tbody tr")
    do(
        desk,
        rows.nth(0).get_by_role("button", name="Change…"),
        Result="0,2",
        Remark="the sheets were swapped",
    )
    expect(rows.nth(0)).to_contain_text("(0:1)")
    form = desk.locator("form")
    form.get_by_label("Short name").fill("cup")
    form.get_by_label("Name", exact=True).fill("Another")
    form.get_by_role("button", name="Announce").click()
    expect(desk.get_by_role("alert")).to_contain_text("there is a tournament 'cup' already")
    expect(form.get_by_label("Short name")).to_have_value("cup")  # there to be mended
    of.program.kill()
    do(desk, desk.get_by_role("button", name="Write a remark…"), Remark="it is dark here")
    expect(desk.get_by_role("alert")).to_contain_text("No answer from the hall")


ANOTHER = """async ([path, body]) => {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${sessionStorage.getItem("token")}` };
  await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}"""
"""What another arbiter does meanwhile."""


LATE_FILE = """() => {
  const [read, before] = [File.prototype.arrayBuffer, document.querySelector("#tournaments textarea")];
  File.prototype.arrayBuffer = async function () {
    while (document.contains(before)) await new Promise(requestAnimationFrame);
    return read.call(this);
  };
}"""
"""A file is read only once its place was drawn again."""


def test_pressed_buttons_and_fields_with_focus_are_not_redrawn(
    evening: Callable[..., Evening],
) -> None:
    of = evening("red")
    desk = of.desk()
    announce(desk, "cup", "knockout", "name\nAna\nBen\n")
    heard: list[str] = []
    probe = desk.context.new_cdp_session(desk)
    probe.on("Network.webSocketFrameReceived", lambda frame: heard.append(frame["response"]["payloadData"]))
    probe.send("Network.enable")
    button = desk.get_by_role("button", name="Pair the next round")
    button.hover()
    desk.mouse.down()
    desk.evaluate(ANOTHER, ["api/tournaments/cup/players", {"csv": "name\nCleo\n"}])
    expect(desk.get_by_text("Players: 2")).to_be_visible()
    desk.get_by_label("Players as a table").evaluate(
        "place => { place.value = 'name'; }"
    )  # a list that was pasted
    while not any("Cleo" in text for text in heard):
        desk.evaluate("() => new Promise(requestAnimationFrame)")
    desk.mouse.up()
    expect(desk.get_by_text("Players: 3")).to_be_visible()
    roster = desk.get_by_label("Players as a table")
    expect(roster).to_have_value("name")
    expect(desk.get_by_role("heading", name="Round 1")).to_be_visible()
    expect(desk.get_by_text("no game (1)")).to_be_visible()
    expect(button).to_be_focused()
    roster.evaluate("place => { place.focus(); place.setSelectionRange(2, 2); }")
    desk.evaluate(ANOTHER, ["api/acts", {"is": "DelaySet", "key": "cup", "seconds": 600}])
    expect(desk.locator("#book")).to_contain_text("delay · cup")
    assert roster.evaluate("place => document.activeElement === place && place.selectionStart") == 2
    wrong = "rating,born\n1800,1990"
    roster.blur()
    desk.evaluate(LATE_FILE)
    file = FilePayload(name="wrong.csv", mimeType="text/csv", buffer=wrong.encode())
    desk.get_by_label("From a file").set_input_files(file)
    desk.evaluate(ANOTHER, ["api/acts", {"is": "DelaySet", "key": "cup", "seconds": 0}])
    expect(roster).to_have_value(wrong)
    desk.get_by_role("button", name="Enter").click()
    expect(desk.get_by_role("alert")).to_contain_text("must name its columns")
    expect(roster).to_have_value(wrong)
    do(desk, desk.get_by_role("button", name="Void this round"))
    expect(desk.get_by_role("heading", name="Round 1")).to_have_count(0)
