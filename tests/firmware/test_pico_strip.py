# SPDX-License-Identifier: Apache-2.0
"""A Pico scans its board while the strip is written.

There are 400 LEDs and twenty full repaints a second.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from companion.link.protocol_gen import ClearStats, Colour, Lamp, LedFill, LedFillReply, LedPalette, Run
from tests.firmware.boards import board
from tests.firmware.simulator import Kind
from tests.firmware.talk import Talk
from tests.firmware.test_elf_budgets import SCAN_BEGIN, Report, stats, steady

pytestmark = pytest.mark.firmware
START_MS = 120
REPAINT_MS = 50
CONTACT_MS = 8
"""Twice the debounce time."""
APART_MS = 5
LEDS = 400


@pytest.fixture
def talk() -> Iterator[Talk]:
    with board("20x20-pico").powered() as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        talk.hello()
        talk.ask(LedPalette(1, (steady(1, 0, 3), steady(3, 0, 1))))
        talk.ask(ClearStats())
        talk.listen(20)
        talk.notices.clear()
        sim.records()
        yield talk


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Report:
    """Put a measured figure into the report that --junitxml writes."""
    return lambda name, value: request.node.user_properties.append((name, value))


def paint(talk: Talk, colour: int) -> None:
    """Order a repaint of the whole strip."""
    talk.send(LedFill(Lamp.SHOW, (Run(0, 200, colour), Run(200, 200, colour))))


def test_contacts_are_reported_in_order_and_in_time_during_repaints(talk: Talk, report: Report) -> None:
    sim, chance = talk.board, random.Random(5)
    begun = sim.image_count()
    changes: list[tuple[float, int, bool]] = []
    """What the switches are to do: millisecond, cell, closed."""
    repaints = 30
    cells = chance.sample(range(LEDS), 2 * repaints)
    for turn in range(repaints):
        first, second = cells[2 * turn : 2 * turn + 2]
        at = sim.ms + turn * REPAINT_MS + chance.uniform(1, 25)
        for cell, begin in ((first, at), (second, at + APART_MS)):
            changes += [(begin, cell, True), (begin + CONTACT_MS, cell, False)]
    changes.sort()
    start, heard_ms, done = sim.ms, list[float](), 0
    for turn in range(repaints):
        paint(talk, 1 + turn % 2)
        while sim.ms < start + (turn + 1) * REPAINT_MS:
            while done < len(changes) and changes[done][0] <= sim.ms:
                sim.cell(changes[done][1], changes[done][2])
                done += 1
            talk.listen(0.25)
            heard_ms += [sim.ms] * (len(talk.edges()) - len(heard_ms))
    talk.listen(30)
    heard_ms += [sim.ms] * (len(talk.edges()) - len(heard_ms))
    assert [(edge.input, edge.is_closed) for edge in talk.edges()] == [
        (cell, is_closed) for _, cell, is_closed in changes
    ]
    for kind, most_ms in ((True, 12), (False, 20)):  # the debouncer looks longer at an opening so soon
        waits_ms = sorted(
            heard - at for heard, (at, _, level) in zip(heard_ms, changes, strict=True) if level is kind
        )
        report(f"{'closing' if kind else 'opening'}_to_host_p99_ms", waits_ms[len(waits_ms) * 99 // 100])
        assert waits_ms[len(waits_ms) * 99 // 100] <= most_ms
    assert sim.image_count() - begun == repaints
    scans = [sim.ms_at(record.cycle) for record in sim.records() if is_scan(record.kind, record.value)]
    gaps_ms = [later - earlier for earlier, later in itertools.pairwise(scans)]
    report("longest_gap_us", max(gaps_ms) * 1000)
    assert len(gaps_ms) > 990 * repaints * REPAINT_MS / 1000
    assert max(gaps_ms) < 2, "the rise of a column is measured after an edge, repaints or not"
    counted = stats(talk)
    report("blackout_us", counted.blackout_max_us)
    assert counted.blackout_max_us < 1000, "a repaint takes 12 ms"
    assert counted.scans_late == 0


def is_scan(kind: Kind, value: int) -> bool:
    return kind is Kind.PROBE and value == SCAN_BEGIN


def test_of_images_that_come_too_fast_the_newest_is_shown_whole(talk: Talk) -> None:
    sim = talk.board
    begun = sim.image_count()
    for turn in range(9):
        paint(talk, 1 + turn % 2)
        assert isinstance(talk.reply(talk.sequence), LedFillReply)
    talk.ask(LedFill(Lamp.SHOW, (Run(7, 1, 2),)))
    talk.listen(60)
    images = sim.images(begun)
    assert 3 <= len(images) < 9
    assert all(len(image.data) == 3 * LEDS for image in images[:-1]), "every one was wholly sent"
    colours = board("20x20-pico").colours(images)
    assert colours == [(3, 0, 1) if cell == 7 else (1, 0, 3) for cell in range(LEDS)]
    gaps_ms = [sim.ms_at(later.begin_cycle - one.end_cycle) for one, later in itertools.pairwise(images)]
    assert min(gaps_ms) > 0.28, "the strip has latched each of them"


def test_the_strip_blinks_by_itself_in_whole_images(talk: Talk) -> None:
    talk.ask(LedPalette(3, (Colour(0, 4, 0, 4, 0, 0, period=6, phase=0),)))
    talk.ask(LedFill(Lamp.SHOW, (Run(0, 200, 3), Run(200, 200, 3))))
    begun = talk.board.image_count()
    talk.listen(500)
    images = talk.board.images(begun)
    assert 14 <= len(images) <= 18, "each 30 ms"
    assert {image.data for image in images[1:-1]} == {bytes((4, 0, 0) * LEDS), bytes((0, 4, 0) * LEDS)}
