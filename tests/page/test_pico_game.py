# SPDX-License-Identifier: Apache-2.0
"""A game goes from a Pico's switches through its USB to a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.games import find
from companion.host.clock import monotonic
from companion.model.occupancy import cells_of
from tests.firmware.boards import board
from tests.firmware.pico import PicoOverUsb
from tests.terminals import TerminalPanel

from .conftest import Start

pytestmark = [pytest.mark.browser, pytest.mark.firmware]
RULES = find("chess").rules()
MOVES = ("e2-e4", "e7-e5", "f1-c4", "b8-c6", "d1-h5", "g8-f6", "h5xf7")
WRITTEN = ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"]


class PicoInRealTime:
    """A simulated Pico that keeps up with this machine's clock if it can."""

    def __init__(self, sim: PicoOverUsb) -> None:
        self.sim = sim

    def feed(self, data: bytes, _now_ms: int) -> None:
        self.sim.feed(data)

    def bytes_to_send(self, now_ms: int) -> bytes:
        if now_ms > self.sim.now_ms:
            self.sim.run_ms(min(now_ms - self.sim.now_ms, 20))
        return self.sim.take()

    def next_deadline_ms(self) -> int:
        return self.sim.now_ms + 2


@pytest.fixture
def pico(tmp_path: Path) -> Iterator[TerminalPanel]:
    """A Pico's board at `tmp_path / "pico"`, with the pieces of chess."""
    panel = board("8x8-pico")
    with PicoOverUsb(panel.elf, panel.topology) as sim:
        for cell in cells_of(RULES.placement(RULES.initial()).occupancy):
            sim.cell(cell, True)
        sim.run_ms(100)
        ahead_ms = sim.now_ms
        clock = monotonic()
        with TerminalPanel(PicoInRealTime(sim), lambda: clock() + ahead_ms, tmp_path / "pico") as panel_there:
            yield panel_there
        assert sim.violations() == []


def switch(pico: TerminalPanel, name: str, *, is_closed: bool) -> None:
    assert isinstance(pico.panel, PicoInRealTime)
    change = partial(pico.panel.sim.cell, RULES.grid.cell(name), is_closed)
    pico.act(lambda _now_ms: change())


def carry(pico: TerminalPanel, page: Page, move: str) -> None:
    """Make *move* by hand: what is captured leaves after the piece that captures is lifted."""
    source, target = move[:2], move[-2:]
    for name in (source, target) if "x" in move else (source,):
        switch(pico, name, is_closed=False)
        seen = page.locator(f"#board [data-cell='{RULES.grid.cell(name)}']")
        expect(seen).to_have_attribute("aria-label", re.compile(rf"^{name}(, may go here)?$"))
    switch(pico, target, is_closed=True)


@pytest.mark.timeout(300)
def test_a_game_at_a_picos_own_cable_is_seen_in_a_browser(
    pico: TerminalPanel, start: Start, browser: Browser, tmp_path: Path
) -> None:
    page = browser.new_page()
    page.goto(start("--port", str(tmp_path / "pico"), game="chess").address)
    expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
    for number, move in enumerate(MOVES, 1):
        carry(pico, page, move)
        expect(page.locator("#moves li")).to_have_text(WRITTEN[:number])
    expect(page.locator("body")).to_have_attribute("data-phase", "finished")
    page.close()
