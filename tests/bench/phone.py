# SPDX-License-Identifier: Apache-2.0
"""Measure the time from an image of a phone to the lamps.

A program plays Close Quarters with a phone as its camera. A headless Chromium on this machine takes
a film for its camera, in which hands make moves; its images are numbered. Figures:

- image_to_lamp_ms: from the first image without a hand, as the browser gets it from the camera, to
  the state of the table with the new move and its lamps: two further images, encoding, loopback,
  decoding, recognition and referee. A phone, its camera and a radio network add their own time.
- images_a_second: that the program received while it was measured.
- missed: moves of the film that were not recognised, or not within three seconds.
- load: the load average of the system.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402  (run as a script, from anywhere)
from websockets.exceptions import ConnectionClosed  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

from companion.games import find  # noqa: E402
from tests.bench.report import arguments, deliver, percentiles, say  # noqa: E402
from tests.page.conftest import CHROMIUM, HEADLESS, Program, ended, started  # noqa: E402
from tests.page.phone_film import BIT_PX, BITS, filmed, phone  # noqa: E402

LATE_MS: Final = 3000
_AFTER: Final = 40
"""Images after the last move."""

NUMBERS: Final = f"""
window.seen_at = {{}};
const canvas = document.createElement("canvas");
canvas.width = {BITS};
canvas.height = 1;
const drawn = canvas.getContext("2d", {{ willReadFrequently: true }});
const follow = HTMLVideoElement.prototype.requestVideoFrameCallback;
HTMLVideoElement.prototype.requestVideoFrameCallback = function (then) {{
  return follow.call(this, (...about) => {{
    const at = performance.timeOrigin + performance.now();
    drawn.drawImage(this, 0, 0, {BITS * BIT_PX}, {BIT_PX}, 0, 0, {BITS}, 1);
    const levels = drawn.getImageData(0, 0, {BITS}, 1).data;
    let number = 0;
    for (let bit = 0; bit < {BITS}; bit += 1) number = 2 * number + (levels[4 * bit] > 127);
    window.seen_at[number] ??= at;
    then(...about);
  }});
}};
"""
"""Notes when the browser got each image of the film: wall clock, ms."""


def quiet_moves(count: int, seed: int) -> list[str]:
    """*count* random legal moves of Close Quarters that capture nothing."""
    rules, chance = find("close-quarters").rules(), Random(seed)
    position, moves = rules.initial(), list[str]()
    while len(moves) < count:
        standing = rules.placement(position).by_cell()
        steps = [(move, rules.steps(position, move)) for move in rules.legal_moves(position)]
        quiet = [
            (move, step)
            for move, (step, *others) in steps
            if not others and step.target and step.target[0] not in standing
        ]
        move, step = chance.choice(quiet)
        moves.append(f"{rules.grid.name(step.source[0])}-{rules.grid.name(step.target[0])}")
        position = rules.apply(position, move)
    return moves


class Watcher(threading.Thread):
    """Notes when the table shows each number of moves, with the lamps of that time."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self._address = f"{address.replace('http', 'ws')}ws?watch=true"
        self.shown_ms: dict[int, float] = {}

    def run(self) -> None:
        """Read the states of the table until it closes."""
        lamps: list[int] = []
        try:
            with connect(self._address, max_size=None) as table:
                for text in table:
                    now_ms, state = time.time() * 1000, json.loads(text)
                    if "view" not in state:
                        continue
                    moves = len(state["view"]["record"])
                    if state["lamps"]["cells"] != lamps:
                        self.shown_ms.setdefault(moves, now_ms)
                    lamps = state["lamps"]["cells"]
        except ConnectionClosed:
            return


def measure(moves: Sequence[str], program: Program, film: Path, ends: Sequence[int]) -> dict[str, Any]:
    """Play the *film*, in which a hand has left at the images *ends*."""
    watcher = Watcher(program.address)
    watcher.start()
    chromium = next(each for each in (HEADLESS, CHROMIUM) if each.exists())
    with sync_playwright() as playwright, phone(playwright, chromium, film) as browser:
        page = browser.new_page()
        page.add_init_script(NUMBERS)
        page.goto(f"{program.address}camera")
        page.locator("#start").click()
        while page.evaluate("Math.max(0, ...Object.keys(window.seen_at))") < ends[-1] + _AFTER:
            page.wait_for_timeout(200)
        seen = {int(number): at for number, at in page.evaluate("window.seen_at").items()}
    times = sorted(seen.values())
    taken = []
    for number, end in enumerate(ends, start=1):
        first = min((each for each in seen if each >= end), default=None)
        if first is not None and number in watcher.shown_ms:
            taken.append(watcher.shown_ms[number] - seen[first])
    taken = [each for each in taken if each < LATE_MS]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    return {
        "image_to_lamp_ms": percentiles(taken),
        "images_a_second": round(1000 * len(gaps) / (times[-1] - times[0]), 1),
        "moves": len(moves),
        "missed": len(moves) - len(taken),
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    return arguments(__doc__, "python tests/bench/phone.py --quick")


def main() -> None:
    """Measure and print the report."""
    words = parser().parse_args()
    moves = quiet_moves(4 if words.quick else 40, words.seed)
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "game.mjpeg"
        say(f"a film of {len(moves)} moves ...")
        ends = filmed(film, moves)
        program = started(Path(folder), "--camera", "phone")
        try:
            say("the film before the browser ...")
            found = measure(moves, program, film, ends)
        finally:
            ended(program)
    deliver({**found, "load": round(os.getloadavg()[0], 1)}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
