# SPDX-License-Identifier: Apache-2.0
"""Measure the arbiter's desk with many stations, in a headless Chromium on this machine.

A hall in a thread of this process has stations whose states the benchmark shows. Figures:

- alarm_to_screen_ms: from a station's message of an illegal position to the frame of the desk
  that shows the alarm.
- height_px: height of the whole page of the desk at 1440 x 900, and the tiles that are cut off.
- acts: the presses and the keys that each act needs; what is written is not counted.
- acts_exceeding: those that need more than two presses or eight keys.
- hall_ready_s: from the start of `companion hall` with as many virtual stations to the last table.
- load: the load average of the system.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.bench.report import arguments, deliver, percentiles, say
from tests.page.counted import Counted, exceeding, state_of, written
from tests.page.desks import companion
from tests.page.full_halls import STATES, FullHall, full_hall, glance
from tests.page.test_desk_overview import FIT, desk_at

CHROMIUM: Final = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
ALARMS: Final = {False: 300, True: 40}
"""Alarms that are measured; True for `--quick`."""

WAIT: Final = """(board) => new Promise((done) => {
  const find = () => document.querySelector(`#alarms a[href="#board-${board}"]`);
  const shown = () => requestAnimationFrame(() => setTimeout(() => done(Date.now())));
  const watcher = new MutationObserver(() => { if (find()) { watcher.disconnect(); shown(); } });
  watcher.observe(document.body, { childList: true, subtree: true });
})"""
"""The time of the frame that shows the alarm of a station."""


def alarms(hall: FullHall, desk: Page, stations: int, count: int, seed: int) -> list[float]:
    """The times in ms from alarms to the screen."""
    drawn, found = random.Random(seed), []
    for _ in range(count):
        station = f"b{drawn.randint(1, stations)}"
        desk.evaluate(f"() => {{ window.seen = ({WAIT})('{station}'); }}")
        sent = time.time()
        hall.show(station, STATES["illegal"])
        found.append(desk.evaluate("() => window.seen") - 1000 * sent)
        hall.show(station, glance())
        expect(desk.locator("#alarms li")).to_have_count(0)
    return found


def acts(hall: FullHall, desk: Page) -> dict[str, tuple[int, int]]:
    """The acts of an arbiter, each with its presses and keys."""
    hands = Counted(desk)
    acts_by_keys(hall, hands)
    acts_at_stations(hall, hands)
    acts_with_results(hall, hands)
    acts_with_players(hands)
    acts_with_rounds(hall, hands)
    return hands.acts


def acts_by_keys(hall: FullHall, hands: Counted) -> None:
    """What is done often."""
    desk = hands.desk
    hands.type("12 draw\n")
    hands.done("enter a result", state_of(desk, "b12", "decided"))
    hands.type("u")
    hands.done("undo", state_of(desk, "b12", "thinking"))
    hands.type("12+-\n")
    hands.done("enter a forfeit", state_of(desk, "b12", "decided"))
    hall.show("b3", STATES["illegal"])
    state_of(desk, "b3", "illegal")()
    hands.type("g")
    hands.done("go to an alarm", lambda: expect(desk.locator("#board-b3")).to_be_visible())
    hands.type("p")
    hands.done("pause a board", written(desk, "order · b3 · Pause"))
    hands.type("t")
    hands.type("\n")
    hands.done("give a minute", written(desk, "order · b3 · Add or take time"))
    hands.type("+")
    hands.done("decide at the open board", state_of(desk, "b3", "decided"))
    for number in (4, 5):
        hall.show(f"b{number}", STATES["reported"])
        hall.report(f"b{number}", number, (2, 0))
    expect(desk.locator('.round tr[data-state="reported"]')).to_have_count(2)
    hands.type("c")
    hands.type("\n")
    hands.done("confirm all results", state_of(desk, "b5", "decided"))
    hands.type("s")
    hands.type("\n")
    hands.done("start all clocks", written(desk, "Start the clock"))
    hands.press(button(desk, "Pause all: All boards"))
    hands.type("\n")
    hands.done("pause all boards", written(desk, "Pause"))
    hall.show("b6", STATES["illegal"])
    hands.press(button(desk, "I go: b6: illegal"))
    hands.done("take an alarm", lambda: expect(desk.locator("#alarms .taken", has_text="b6")).to_be_visible())
    hands.press(desk.locator('.chips [data-state="illegal"]'))
    hands.done("show the boards of one state", lambda: expect(desk.locator(".tile")).to_have_count(1))
    desk.locator('.chips [data-state="illegal"]').click()


def acts_at_stations(hall: FullHall, hands: Counted) -> None:
    """What is done at one station, which is opened first."""
    desk = hands.desk

    def opened(act: str, name: str, text: str, *, write: tuple[str, str] | None = None) -> None:
        desk.keyboard.press("Escape")
        expect(desk.locator("#open section")).to_have_count(0)
        hands.press(desk.locator('.tile[data-board="b7"]'))
        hands.press(desk.locator("#open").get_by_role("button", name=name, exact=True))
        if write:
            desk.get_by_role("dialog").get_by_label(write[0]).fill(write[1])
        if desk.get_by_role("dialog").count():
            hands.type("\n")
        hands.done(act, written(desk, f"order · b7 · {text}"))

    hands.press(desk.locator('.tile[data-board="b7"]'))
    hands.done("open a board", lambda: expect(desk.locator("#board-b7")).to_be_visible())
    opened("let a position stand", "Let it stand", "Let it stand")
    opened("take back a move", "Take back", "Take back")
    opened("begin a new game", "New game", "New game")
    opened("take time", "Time…", "Add or take time", write=("Seconds", "-60"))
    hall.show("b7", glance(0, awaits_clock=True))
    state_of(desk, "b7", "ready")()
    opened("start one clock", "Start the clock", "Start the clock")


def acts_with_results(hall: FullHall, hands: Counted) -> None:
    """Results in the table of the round."""
    desk = hands.desk

    def row(table: int) -> Locator:
        return desk.locator(".round tr", has_text=re.compile(rf"^{table}Player"))

    hands.press(row(8).get_by_role("button", name=re.compile("1:0$")))
    hands.done("enter a result with the mouse", state_of(desk, "b8", "decided"))
    hands.press(row(8).get_by_role("button", name=re.compile("^Change")))
    hands.choose(desk.get_by_role("dialog").get_by_label("Result"), "½ : ½")
    desk.get_by_label("Remark").fill("both sheets say so")
    hands.type("\n")
    changed = desk.locator("#book li", has_text="½:½ · both sheets say so")
    hands.done("change a result", lambda: expect(changed).to_be_visible())
    hands.press(row(8).get_by_role("button", name=re.compile("^Take the result back")))
    hands.type("\n")
    hands.done("take back a result", state_of(desk, "b8", "thinking"))
    hands.choose(row(9).get_by_role("combobox"), "b10")
    hands.press(button(desk, "Do it"))
    hands.done("give a table another board", written(desk, "seated · club · b10"))


def acts_with_players(hands: Counted) -> None:
    """Players of the tournament, whose list is closed at first."""
    desk = hands.desk
    players = desk.locator("#tournaments details", has_text=re.compile(r"^Players"))

    def listed(act: str, name: str, text: str, write: tuple[str, str] | None = None) -> None:
        if players.evaluate("(list) => list.open"):
            players.locator("summary").click()
        hands.press(players.locator("summary"))
        hands.press(button(desk, f"{name}: Player 003 Surname"))
        if write:
            desk.get_by_role("dialog").get_by_label(write[0]).fill(write[1])
        hands.type("\n")
        hands.done(act, written(desk, text))

    listed("correct a player", "Correct…", "corrected · club", ("Elo", "1900"))
    listed("excuse a player", "Excuse…", "excused · club · Player 003")
    listed("withdraw a player", "Withdraw", "withdrawn · club · Player 003")
    listed("readmit a player", "Readmit", "plays again · club · Player 003")
    players.locator("summary").click()
    hands.press(players.locator("summary"))
    desk.get_by_label("Players as a table").fill("name\nLate Entry\n")
    hands.press(button(desk, "Enter"))
    hands.done("enter a player", written(desk, "entered · club · Late Entry"))


def acts_with_rounds(hall: FullHall, hands: Counted) -> None:
    """Tournaments and their rounds, and what concerns the hall."""
    desk = hands.desk
    hands.press(button(desk, "Delay for spectators…"))
    desk.get_by_role("dialog").get_by_label("Delay").fill("15")
    hands.type("\n")
    hands.done("delay spectators", written(desk, "delay · club · 15 minutes"))
    hands.press(button(desk, "Write a remark…"))
    desk.get_by_role("dialog").get_by_label("Remark").fill("doors closed")
    desk.get_by_role("dialog").get_by_label("Remark").press("Tab")
    hands.type("\n")
    hands.done("write a remark", written(desk, "remark · doors closed"))
    hands.press(desk.get_by_text("Announce a tournament", exact=True))
    for label, text in {"Short name": "cup", "Name": "Cup", "Rounds": "5"}.items():
        desk.get_by_label(label, exact=True).fill(text)
    hands.type("\n")
    hands.done("announce a tournament", written(desk, "announced · cup"))
    of = hall.at.hall.keeper.book.of("club").tournament
    for pairing in of.rounds[-1].pairings:
        if pairing.is_on:
            result = {
                "is": "ResultDecided",
                "key": "club",
                "round": 1,
                "table": pairing.table,
                "points": [2, 0],
            }
            hall.ask("api/acts", result)
    club = desk.locator("#tournaments > section", has_text="Club ·")
    hands.press(club.get_by_role("button", name="Pair the next round"))
    hands.done("pair a round", written(desk, "round paired · club · Round 2"))
    for station in hall.at.hall.hub.station_states.known:
        hall.show(station, glance(0, awaits_clock=True))
    hands.press(club.get_by_role("button", name="Seat at the boards…"))
    hands.press(button(desk, "Do it"))
    hands.done("seat a round", written(desk, "seated · club"))
    hands.press(club.get_by_role("button", name="Void this round"))
    hands.type("\n")
    hands.done("void a round", written(desk, "round void · club"))
    with desk.expect_download():
        hands.press(club.get_by_role("button", name="Standings", exact=True))
    hands.done("print a list", lambda: expect(desk.locator("#answer")).not_to_have_class("fault"))


def button(desk: Page, name: str) -> Locator:
    """The button *name*."""
    return desk.get_by_role("button", name=name, exact=True)


def ready_s(folder: Path, stations: int) -> float:
    """The seconds from the start of a hall to its last table."""
    companion(folder, "hall", "admit", "Ana", "--password", "hall of mirrors").communicate()
    named = [f"--board=b{number}=close-quarters" for number in range(1, stations + 1)]
    began = time.monotonic()
    program = companion(folder, "hall", "--http-port=0", *named)
    assert program.stdout is not None
    there = 0
    while there < stations:
        line = program.stdout.readline()
        assert line, "the hall ended"
        there += "the table is at" in line
    taken = time.monotonic() - began
    program.terminate()
    program.communicate()
    return taken


def measure(browser: Browser, stations: int, count: int, seed: int) -> dict[str, Any]:
    """All figures of a hall with *stations* stations."""
    with tempfile.TemporaryDirectory() as folder:
        say(f"starting a hall with {stations} boards ...")
        ready = ready_s(Path(folder) / "program", stations)
    with tempfile.TemporaryDirectory() as folder, full_hall(Path(folder), stations) as hall:
        for number in range(1, stations + 1):
            hall.show(f"b{number}", glance())
        desk = desk_at(browser, hall)
        say(f"measuring {count} alarms ...")
        taken = alarms(hall, desk, stations, count, seed)
        fit = desk.evaluate(FIT)
        done = acts(hall, desk)
    return {
        "boards": stations,
        "alarm_to_screen_ms": percentiles(taken),
        "height_px": fit["page"],
        "tiles_cut_off": fit["outside"],
        "acts": {act: {"presses": presses, "keys": keys} for act, (presses, keys) in done.items()},
        "acts_exceeding": sorted(exceeding(done)),
        "hall_ready_s": round(ready, 2),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__, "python tests/bench/desk.py --json", "python tests/bench/desk.py --boards 100"
    )
    parser.add_argument("--boards", type=int, default=40, metavar="N", help="number of boards (default: 40)")
    return parser


def main() -> None:
    """Measure the desk and print the report."""
    words = parser().parse_args()
    program = next(path for path in CHROMIUM if Path(path).exists())
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        found = measure(browser, words.boards, ALARMS[words.quick], words.seed)
        browser.close()
    deliver(found, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
