# SPDX-License-Identifier: Apache-2.0
"""Switches of a Pico's panels on the real program: the tests of the AVR."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import cast

import pytest

from companion.link.handshake import faults_of
from companion.link.protocol_gen import Columns, ColumnsReply, Fault, Health, Heartbeat
from tests.bench.contacts import measured
from tests.firmware import test_elf_cells as same
from tests.firmware.boards import PICO_PANELS, Board, board
from tests.firmware.pico import PicoSimulator
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware


@pytest.fixture(params=PICO_PANELS)
def panel(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


@pytest.fixture
def talk() -> Iterator[Talk]:
    with board("8x8-pico").powered() as sim:
        yield same.greeted(sim)


test_each_cell = same.test_each_cell_is_reported_alone_in_order_and_to_the_millisecond
test_all_cells_at_once = same.test_simultaneous_changes_of_all_cells_are_reported
test_bounce = same.test_a_bouncing_contact_is_one_edge_stamped_with_its_first_touch
test_short_touch = same.test_a_touch_shorter_than_the_debounce_time_is_no_edge
test_longer_touch = same.test_a_touch_longer_than_the_debounce_time_is_two_edges
test_chatter = same.test_a_chattering_cell_is_reported_and_delays_no_other
test_long_chatter = same.test_a_contact_that_chatters_for_tens_of_milliseconds_is_one_edge
test_clean_and_bouncing = (
    same.test_a_clean_contact_and_one_that_bounces_for_three_milliseconds_are_reported_at_once
)
test_rest_of_chatter = same.test_a_contact_that_chatters_is_reported_once_when_it_rests
test_fast_hand = same.test_a_hand_that_lifts_again_after_80_milliseconds_is_followed_without_delay
test_fast_reversal = same.test_a_reversal_that_may_be_chatter_is_reported_in_order_once_it_lasts
test_double_touch = same.test_a_contact_of_twice_the_debounce_time_is_two_edges_also_soon_after_another
test_buttons_and_lever = same.test_buttons_and_lever_share_the_order_and_numbers_of_cells
test_snapshot = same.test_the_snapshot_says_which_cells_are_closed
test_every_cell_closed = same.test_a_board_on_which_every_cell_reads_closed_is_complained_of


def test_a_column_shorted_to_ground_is_complained_of() -> None:
    with board("8x8-pico").powered() as sim:
        sim.pin("GP12", 0)
        sim.reset()
        talk = Talk(sim)
        talk.listen(1500)
        beats = [notice for notice in talk.notices if isinstance(notice, Heartbeat)]
        assert beats[-1].health & Health.SELF_TEST


@pytest.mark.parametrize(("pin", "fault"), [("GP4", Fault.WIRING), ("", Fault(0))])
def test_rows_are_not_driven_against_what_holds_them(pin: str, fault: Fault) -> None:
    with board("8x8-pico").powered() as sim:
        if pin:
            sim.pin(pin, 0)
        sim.reset()
        talk = Talk(sim)
        talk.listen(120)
        assert (faults_of(talk.hello()) or Fault(0)) & Fault.WIRING == fault
        assert sim.output("GP2") == (None if pin else 1)


def test_the_rise_of_each_column_is_measured() -> None:
    with board("8x8-pico").powered() as sim:
        talk = same.greeted(sim)
        cast("PicoSimulator", sim).lengthen(3, 16)
        for cell in (2, 11):
            sim.cell(cell, True)
        talk.listen(60)
        reply = talk.ask(Columns())
        assert isinstance(reply, ColumnsReply)
        ideal = sim.topology.column.rise_us()
        assert reply.rise_us[2] == pytest.approx(ideal, abs=2)
        assert reply.rise_us[3] == pytest.approx(ideal + 16, abs=2)
        assert [us for column, us in enumerate(reply.rise_us[:8]) if column not in (2, 3)] == [0] * 6
        assert (faults_of(talk.hello()) or Fault(0)) & Fault.SLOW_COLUMN


@pytest.mark.parametrize("name", PICO_PANELS)
def test_slow_column(name: str) -> None:
    same.test_the_slowest_column_of_the_data_sheets_is_waited_for_twice_as_long(name)


@pytest.mark.parametrize("name", PICO_PANELS)
def test_settling_time(name: str) -> None:
    same.test_the_settling_time_of_a_column_is_that_of_the_panel(name)


@pytest.mark.parametrize("name", PICO_PANELS)
def test_too_slow_column(name: str) -> None:
    same.test_a_column_that_rises_more_slowly_than_the_panel_waits_shows_a_piece_on_the_next_rank_too(name)


def test_contacts_of_5_ms_are_told_in_order_while_the_strip_is_repainted(panel: Board) -> None:
    told = measured(panel, Random(7), 5, 3, 20, repaints=True)
    assert told["reported_percent"] == 100
    assert told["pairs_in_order_percent"] == 100
