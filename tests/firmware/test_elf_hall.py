# SPDX-License-Identifier: Apache-2.0
"""The board with hall sensors behind multiplexers, as a real ELF.

It scans more slowly but detects every change.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.link.protocol_gen import INPUT_BUTTON, INPUT_LEVER, ClearStats, Stats, StatsReply
from tests.firmware.boards import Board, board
from tests.firmware.simulator import Kind
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
START_MS = 120
SCAN_BEGIN = 1


@pytest.fixture
def panel() -> Board:
    return board("8x8-hall")


@pytest.fixture
def talk(panel: Board) -> Iterator[Talk]:
    with panel.powered() as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        talk.hello()
        talk.notices.clear()
        yield talk


def test_every_cell_senses_magnets_of_either_pole(talk: Talk) -> None:
    truth = []
    for is_closed in (True, False):
        for cell in range(64):
            talk.board.cell(cell, is_closed)
            talk.listen(11)
            truth.append((cell, is_closed))
    talk.listen(10)
    assert [(edge.input, edge.is_closed) for edge in talk.edges()] == truth


def test_it_is_scanned_five_hundred_times_a_second_and_has_time_for_the_rest(talk: Talk) -> None:
    talk.ask(ClearStats())
    talk.board.records()
    talk.listen(1000)
    begun = [
        record for record in talk.board.records() if record.kind is Kind.PROBE and record.value == SCAN_BEGIN
    ]
    assert 499 <= len(begun) <= 501
    stats = talk.ask(Stats())
    assert isinstance(stats, StatsReply)
    assert stats.scan_max_us < 1800
    assert stats.scans_late == 0


def test_a_sensor_that_settles_too_slowly_shows_on_its_neighbour(panel: Board) -> None:
    with panel.powered(channel_us=12) as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        sim.cell(5, True)
        talk.listen(30)
        assert [edge.input for edge in talk.edges()] != [5]


def test_buttons_and_lever_are_where_the_wiring_says(talk: Talk, panel: Board) -> None:
    for pin in (*panel.buttons, panel.lever):
        talk.board.pin(pin, 1)
    talk.listen(20)
    talk.notices.clear()
    for pin in (*panel.buttons, panel.lever):
        talk.board.pin(pin, 0)
        talk.listen(12)
    assert [edge.input for edge in talk.edges()] == [INPUT_BUTTON, INPUT_BUTTON + 1, INPUT_LEVER]
