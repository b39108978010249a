# SPDX-License-Identifier: Apache-2.0
"""The arbiter's desk in a real Chromium, with boards of the real program: putting right what went wrong, teams, a cup, paper."""

from __future__ import annotations

import io
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect
from pypdf import PdfReader

from tests.page.test_hall import HOLDING, cell, companion
from tests.page.test_page import prompt
from tests.page.test_whole_page import violations

pytestmark = pytest.mark.browser

PASSWORD = "hall of mirrors"


@dataclass
class Evening:
    """A hall that runs, with the addresses of its pages."""

    browser: Browser
    program: subprocess.Popen[str]
    hall: str = ""
    tables: dict[str, str] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def page(self, address: str, language: str = "en-GB", width: int = 1280) -> Page:
        context = self.browser.new_context(locale=language, viewport={"width": width, "height": 900})
        page = context.new_page()
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        page.goto(address)
        return page

    def desk(self, language: str = "en-GB", width: int = 1280) -> Page:
        """The desk, as soon as somebody has logged in by the keys alone."""
        page = self.page(f"{self.hall}arbiter", language, width)
        page.locator("input").first.focus()
        page.keyboard.type("Ana")
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator("#boards section").first).to_be_visible()
        return page


@pytest.fixture
def evening(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Evening]]:
    """Begins evenings with boards of Close Quarters, and ends them; a page that complains fails the test."""
    begun: list[Evening] = []

    def begin(*boards: str, clock: str = "none") -> Evening:
        companion(tmp_path, "hall", "admit", "Ana", "--password", PASSWORD).communicate()
        words = [f"--board={name}=close-quarters" for name in boards]
        of = Evening(browser, companion(tmp_path, "hall", "--http-port=0", f"--clock={clock}", *words))
        begun.append(of)
        assert of.program.stdout is not None
        while len(of.tables) < len(boards):
            line = of.program.stdout.readline()
            assert line, "the program ended"
            of.hall = of.hall or (found.group() if (found := re.search(r"http://\S+", line)) else "")
            if "the table is at" in line:
                of.tables[line.partition(":")[0]] = line.split()[-1]
        return of

    yield begin
    for of in begun:
        of.program.send_signal(signal.SIGINT)
        of.program.communicate()
        assert of.complaints == []


def play(table: Page, *moves: str) -> None:
    for move in moves:
        expect(table.locator("#board")).not_to_have_class(HOLDING)
        cell(table, move[:2])
        expect(table.locator("#board")).to_have_class(HOLDING)
        cell(table, move[3:5])


def board(desk: Page, name: str) -> Locator:
    return desk.locator(f"#board-{name}")


def do(desk: Page, what: Locator, **fields: str) -> None:
    """Press the button *what* and answer its dialog."""
    what.click()
    dialog = desk.get_by_role("dialog")
    expect(dialog).to_be_visible()
    for label, value in fields.items():
        place = dialog.get_by_label(label)
        if place.evaluate("place => place.tagName") == "SELECT":
            place.select_option(value)
        else:
            place.fill(value)
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog).to_have_count(0)


def test_an_arbiter_puts_clock_record_and_position_right_and_all_of_it_is_in_the_book(
    evening: Callable[..., Evening],
) -> None:
    of = evening("red", clock="5")
    desk, table = of.desk(), of.page(of.tables["red"])
    red, book = board(desk, "red"), desk.locator("#book")
    red.get_by_role("button", name="Position…").click()
    beginning = desk.get_by_role("dialog").get_by_label("Position").input_value()
    desk.keyboard.press("Escape")
    play(table, "a1-b2", "d8-b8")
    expect(red).to_contain_text("b8")

    red.get_by_role("button", name="Pause").click()
    expect(red).to_contain_text("paused")
    do(desk, red.get_by_role("button", name="Time…"), Side="1", Seconds="120", Remark="noise in the hall")
    expect(red.locator(".clocks")).to_contain_text(re.compile(r"Weapons (6:5|7:00)"))
    expect(book).to_contain_text("noise in the hall")
    red.get_by_role("button", name="Resume").click()

    do(desk, red.get_by_role("button", name="Record…"), Moves="a1-b2 d8-d5", Remark="misread")
    expect(red).to_contain_text("being set up")
    play(table, "b8-d5")
    expect(red).to_contain_text("in play")
    expect(table.locator("#moves")).to_contain_text("d8-d5")
    expect(table.locator("#moves")).not_to_contain_text("d8-b8")

    play(table, "b2-d3")
    alarm = desk.locator(".urgency-3")
    expect(alarm).to_contain_text("illegal move: The Sword")
    do(desk, red.get_by_role("button", name="Let it stand"), Remark="too late to protest")
    expect(alarm).to_have_count(0)
    expect(book).to_contain_text("Let it stand Weapons")

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

    red.get_by_role("button", name="New game").click()
    expect(dialog).to_contain_text("ends without a result")
    assert violations(desk) == []
    desk.keyboard.press("Escape")
    expect(red.get_by_role("button", name="New game")).to_be_focused()


def test_all_clocks_start_at_one_time_and_wait_until_then(evening: Callable[..., Evening]) -> None:
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
    expect(desk.get_by_role("dialog")).to_contain_text("Boards concerned: 2")
    desk.keyboard.press("Enter")
    for name in ("red", "blue"):
        expect(board(desk, name)).to_contain_text("in play")
        expect(board(desk, name).locator(".running")).to_contain_text("4:5")
        expect(board(desk, name)).to_contain_text(re.compile(r"clock ±\d+ ms, drift -?\d+ ms"))
    watcher = of.page(of.hall)
    expect(watcher.locator(".running").first).to_contain_text("4:5")
    assert watcher.evaluate(CLOCKS) == ["5:00", "4:53", "0:29 •••"]


CLOCKS = """async () => {
  const { clockTexts } = await import(new URL("hall/shared.js", location.href));
  const { now_ms: now } = await (await fetch("api/clock")).json();
  const clock = (ago, more) => ({ left_ms: 300_000, is_running: true, at_ms: now - ago, ...more });
  const delayed = [1_500, 10_100].map((ago) => clock(ago, { delay_ms: 3_000 }));
  return clockTexts({ glance: { clocks: [...delayed, clock(302_100, { left_ms: 301_000, spans: 3, span_ms: 30_000 })] } });
}"""
"""What the hall's pages show of a clock with a delay of 3 s, 1.5 and 10.1 s after its move; and of one in its first byo-yomi."""


def announce(desk: Page, key: str, kind: str, players: str, boards: int = 0, seats: int = 2) -> None:
    """Announce a tournament, enter *players* from a file and pair its first round."""
    desk.get_by_text("Announce a tournament").click()
    form = desk.locator("form")
    form.get_by_label("Short name").fill(key)
    form.get_by_label("Name", exact=True).fill(key.title())
    form.get_by_label("Game").select_option("Close Quarters")
    form.get_by_label("Format").select_option(kind)
    form.get_by_label("Boards of a match").fill(str(boards))
    form.get_by_label("Players at a table").fill(str(seats))
    form.get_by_label("Tie-breaks, the first decides first 4").select_option("Progressive")
    form.get_by_role("button", name="Announce").click()
    file = FilePayload(name="players.csv", mimeType="text/csv", buffer=players.encode())
    desk.get_by_label("From a file").set_input_files(file)
    expect(desk.get_by_label("Players as a table")).not_to_have_value("")
    desk.get_by_role("button", name="Enter").click()
    expect(desk.get_by_text(f"Players: {players.count(chr(10)) - 1}")).to_be_visible()


def test_teams_are_lined_up_paired_decided_printed_and_shown(evening: Callable[..., Evening]) -> None:
    of = evening("red")
    desk = of.desk()
    csv = "name,rating,team\n" + "".join(f"{team}{n},1{n}00,{team}\n" for team in "AB" for n in (1, 2, 3))
    announce(desk, "league", "round-robin", csv, boards=2)
    desk.get_by_text("Line-up of the next round").click()
    desk.get_by_label("A 2").select_option("A3")
    desk.get_by_role("button", name="Save: A").click()
    expect(desk.locator("#book")).to_contain_text("line-up")
    desk.get_by_role("button", name="Pair the next round").click()
    rows = desk.locator("#tournaments table").last.locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("A3")
    rows.nth(0).get_by_role("button", name=re.compile("1:0$")).click()
    rows.nth(1).get_by_role("button", name=re.compile("½:½$")).click()
    expect(desk.get_by_text("1½ : ½").or_(desk.get_by_text("½ : 1½"))).to_be_visible()
    do(
        desk,
        rows.nth(1).get_by_role("button", name="Change…"),
        Result="0,2",
        Remark="the score sheet says so",
    )
    expect(desk.locator("#book")).to_contain_text("the score sheet says so")
    do(desk, desk.get_by_role("button", name="Excuse…: B", exact=True), Points="half")
    expect(desk.locator("#book")).to_contain_text("excused · league · B1 · Round 2 · half a point")
    assert violations(desk) == []
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Standings of the teams").click()
    pdf = PdfReader(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert "Match points" in pdf.pages[0].extract_text()

    watcher = of.page(of.hall, width=390)
    expect(watcher.get_by_role("cell", name="A", exact=True)).to_be_visible()
    expect(watcher.get_by_role("link", name="Cross table")).to_be_visible()
    assert violations(watcher) == []
    assert watcher.evaluate("document.documentElement.scrollWidth") <= 390
    watcher.locator("#boards button").press("Enter")
    expect(watcher.locator("li.large")).to_have_count(1)
    assert violations(watcher) == []
    watcher.keyboard.press("Escape")
    expect(watcher.locator("li.large")).to_have_count(0)


def test_pairs_boards_delay_and_a_play_off_are_the_arbiters_to_choose(
    evening: Callable[..., Evening],
) -> None:
    of = evening("red", "blue")
    desk = of.desk()
    announce(desk, "open", "free", "name\nAna\nBen\nCleo\nDan\nEva\n", seats=3)
    expect(desk.get_by_role("heading", name="Open · Free play · Close Quarters")).to_be_visible()
    expect(desk.locator("#tournaments th")).to_have_text(["Rank", "Player", "Points", "Wins", "Progressive"])
    do(desk, desk.get_by_role("button", name="Delay for spectators…"), Delay="15")
    expect(desk.get_by_text("15 min later")).to_be_visible()
    chosen = ("Cleo", "Ana", "Eva"), ("Dan", "Ben")
    seats = {
        f"Table {table} · {seat}": who
        for table, players in enumerate(chosen, 1)
        for seat, who in enumerate(players, 1)
    }
    do(desk, desk.get_by_role("button", name="Choose who plays whom…"), **seats)
    rows = desk.locator("#tournaments table").last.locator("tbody tr")
    expect(rows).to_contain_text(["Cleo – Ana – Eva", "Dan – Ben"])
    do(desk, desk.get_by_role("button", name="Seat at the boards…"), Boards="red, blue")
    expect(desk.get_by_label("Board 1")).to_have_value("red")
    expect(desk.get_by_label("Board 2")).to_have_value("blue")

    do(desk, desk.get_by_role("button", name="Pause all: Open"), Remark="not yet")
    for name in ("red", "blue"):
        expect(board(desk, name)).to_contain_text("paused")

    places = {"Rank: Cleo": "1", "Rank: Ana": "1", "Rank: Eva": "3"}
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

    do(desk, desk.get_by_role("button", name="Withdraw: Eva"))
    do(desk, desk.get_by_role("button", name="Write a remark…"), Remark="the heating failed")
    book = desk.locator("#book")
    for said in (
        "remark · the heating failed",
        "withdrawn · open · Eva",
        "seated · open · red · Round 2 · Table 1",
        "result · open · Round 1 · Table 1 · 1½:1½:0",
        "delay · open · 15 minutes",
    ):
        expect(book).to_contain_text(said)
    assert violations(desk) == []
    watcher = of.page(f"{of.hall}?rotate=0.5")  # a big screen: each board by itself, then all
    for name in ("blue", "red"):
        expect(watcher.locator("li.large")).to_contain_text(name)
    expect(watcher.locator("li.large")).to_have_count(0)


def test_a_drawn_game_of_a_cup_is_played_on_or_decided(evening: Callable[..., Evening]) -> None:
    of = evening("red")
    desk = of.desk()
    announce(desk, "cup", "knockout", "name,rating\nAna,1700\nBen,1600\nCleo,1500\nDan,1400\n")
    desk.get_by_role("button", name="Pair the next round").click()
    rows = desk.locator("#tournaments table").last.locator("tbody tr")
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
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog.get_by_label("By which rule")).to_be_focused()  # it must be said
    dialog.get_by_label("By which rule").fill("drawn by lot")
    dialog.get_by_role("button", name="Do it").click()
    expect(rows.nth(1)).to_contain_text("goes on")
    desk.get_by_role("button", name="Pair the next round").click()
    expect(desk.get_by_role("heading", name="Round 2")).to_be_visible()


def test_a_button_under_a_finger_is_not_drawn_anew(evening: Callable[..., Evening]) -> None:
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
    desk.evaluate(
        """async () => {
          const headers = { "Content-Type": "application/json", Authorization: `Bearer ${sessionStorage.getItem("token")}` };
          await fetch("api/tournaments/cup/players", { method: "POST", headers, body: JSON.stringify({ csv: "name\\nCleo\\n" }) });
        }"""
    )
    expect(desk.get_by_text("Players: 2")).to_be_visible()
    desk.get_by_label("Players as a table").evaluate(
        "place => { place.value = 'name'; }"
    )  # a list that was pasted
    while not any("Cleo" in text for text in heard):
        desk.evaluate("() => new Promise(requestAnimationFrame)")
    desk.mouse.up()
    expect(desk.get_by_text("Players: 3")).to_be_visible()
    expect(desk.get_by_label("Players as a table")).to_have_value("name")
    expect(desk.get_by_role("heading", name="Round 1")).to_be_visible()


@pytest.mark.parametrize(
    ("language", "said", "ordered", "refused"),
    [
        ("de", "regelwidriger Zug: ", "Aufzeichnung berichtigen", "Zug 1, a1-h9, "),
        ("hr", "nepravilan potez: ", "Ispravi zapis", "Potez 1, a1-h9, ne može se odigrati: "),
        ("ja", "反則手: ", "棋譜を訂正する", "1 手目 a1-h9 は指せません: "),
    ],
)
def test_alarms_and_refusals_are_read_in_the_arbiters_language_whatever_the_players_read(
    evening: Callable[..., Evening], language: str, said: str, ordered: str, refused: str
) -> None:
    of = evening("red")
    desk, table = of.desk(language), of.page(of.tables["red"])
    play(table, "a1-d3")
    alarm = desk.locator(".urgency-3")
    expect(alarm).to_contain_text(said)
    expect(prompt(table)).to_contain_text("The Sword")
    assert not re.search(r"Sword|illegal|move", alarm.inner_text())
    board(desk, "red").locator('[data-name="red correct_record"]').click()
    desk.get_by_role("dialog").locator("textarea").fill("a1-h9")
    desk.get_by_role("dialog").locator(".main").click()
    expect(desk.locator("#book")).to_contain_text(f"{ordered} 1. a1-h9")
    expect(desk.locator("#book")).to_contain_text(refused)
    expect(desk.get_by_role("alert")).to_contain_text(refused)
