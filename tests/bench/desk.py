# SPDX-License-Identifier: Apache-2.0
"""Measure the arbiter's desk with many boards, in a headless Chromium on this machine.

A hall in a thread of this process has boards whose states the benchmark shows. Figures:

- alarm_to_screen_ms: from the message of a board with an illegal position to the frame of the desk
  that shows the alarm.
- height_px: height of the whole page of the desk at 1440 x 900, and the tiles that are cut off.
- acts: the presses and the keys that each act needs.
- hall_ready_s: from the start of `companion hall` with as many virtual boards to the last table.
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

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.bench.report import arguments, deliver, percentiles, say
from tests.page.counted import Counted, state_of, written
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
"""The time of the frame that shows the alarm of a board."""


def alarms(hall: FullHall, desk: Page, boards: int, count: int, seed: int) -> list[float]:
    """The times in ms from alarms to the screen."""
    drawn, found = random.Random(seed), []
    for _ in range(count):
        board = f"b{drawn.randint(1, boards)}"
        desk.evaluate(f"() => {{ window.seen = ({WAIT})('{board}'); }}")
        sent = time.time()
        hall.show(board, STATES["illegal"])
        found.append(desk.evaluate("() => window.seen") - 1000 * sent)
        hall.show(board, glance())
        expect(desk.locator("#alarms li")).to_have_count(0)
    return found


def acts(hall: FullHall, desk: Page) -> dict[str, tuple[int, int]]:
    """The acts of an arbiter, each with its presses and keys."""
    hands = Counted(desk)
    hands.type("12 draw\n")
    hands.done("enter a result", state_of(desk, "b12", "decided"))
    hands.type("u")
    hands.done("undo", state_of(desk, "b12", "thinking"))
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
        state_of(desk, f"b{number}", "reported")()
    hands.type("c")
    hands.type("\n")
    hands.done("confirm all results", state_of(desk, "b5", "decided"))
    hands.type("s")
    hands.type("\n")
    hands.done("start all clocks", written(desk, "Start the clock"))
    hands.press(desk.locator('.tile[data-board="b7"]'))
    hands.done("open a board", lambda: expect(desk.locator("#board-b7")).to_be_visible())
    row = desk.locator(".round tr", has_text=re.compile(r"^8Player"))
    hands.press(row.get_by_role("button", name=re.compile("1:0$")))
    hands.done("enter a result with the mouse", state_of(desk, "b8", "decided"))
    return hands.acts


def ready_s(folder: Path, boards: int) -> float:
    """The seconds from the start of a hall to its last table."""
    companion(folder, "hall", "admit", "Ana", "--password", "hall of mirrors").communicate()
    named = [f"--board=b{number}=close-quarters" for number in range(1, boards + 1)]
    began = time.monotonic()
    program = companion(folder, "hall", "--http-port=0", *named)
    assert program.stdout is not None
    there = 0
    while there < boards:
        line = program.stdout.readline()
        assert line, "the hall ended"
        there += "the table is at" in line
    taken = time.monotonic() - began
    program.terminate()
    program.communicate()
    return taken


def measure(browser: Browser, boards: int, count: int, seed: int) -> dict[str, Any]:
    """All figures of a hall with *boards* boards."""
    with tempfile.TemporaryDirectory() as folder:
        say(f"starting a hall with {boards} boards ...")
        ready = ready_s(Path(folder) / "program", boards)
    with tempfile.TemporaryDirectory() as folder, full_hall(Path(folder), boards) as hall:
        for number in range(1, boards + 1):
            hall.show(f"b{number}", glance())
        desk = desk_at(browser, hall)
        say(f"measuring {count} alarms ...")
        taken = alarms(hall, desk, boards, count, seed)
        fit = desk.evaluate(FIT)
        done = acts(hall, desk)
    return {
        "boards": boards,
        "alarm_to_screen_ms": percentiles(taken),
        "height_px": fit["page"],
        "tiles_cut_off": fit["outside"],
        "acts": {act: {"presses": presses, "keys": keys} for act, (presses, keys) in done.items()},
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
