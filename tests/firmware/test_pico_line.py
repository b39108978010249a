# SPDX-License-Identifier: Apache-2.0
"""The line to a Pico, its resets and its settings.

Where they apply, the tests are those of the AVR.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest

from companion.link.protocol_gen import BoardKind, ConfigKey, ConfigSave, ConfigSet, ResetCause, Status
from tests.firmware import test_elf_line as same
from tests.firmware.boards import PICO_PANELS, Board, board
from tests.firmware.pico import PicoSimulator
from tests.firmware.simulator import EXTRF, PORF, Kind
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
TIMER_INTE = 0x40054038
SETTINGS_AT, SECTOR = 0x1FE000, 4096


@pytest.fixture(params=PICO_PANELS)
def panel(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


@pytest.fixture
def talk(panel: Board) -> Iterator[Talk]:
    with panel.powered() as sim:
        yield same.greeted(sim)


def pico(talk: Talk) -> PicoSimulator:
    """The simulator behind *talk*, with what only a Pico has."""
    return cast("PicoSimulator", talk.board)


test_flipped_bit = same.test_a_flipped_bit_anywhere_in_a_command_leaves_it_unanswered_and_counted
test_garbage = same.test_the_first_good_packet_after_garbage_is_answered
test_repeat = same.test_a_repeated_command_is_answered_again_and_executed_once
test_oversized = same.test_an_oversized_packet_is_counted_and_harmless
test_unknown = same.test_an_unknown_command_is_refused_by_name
test_edges_during_leds = same.test_edges_during_led_output_are_reported_in_order
test_edges_again = same.test_edges_are_sent_again_on_demand
test_reset_command = same.test_the_reset_command_is_answered_first_and_then_obeyed
test_damaged_reset = same.test_a_damaged_reset_command_is_not_obeyed
test_sessions = same.test_sessions_differ_after_every_start
test_dark = same.test_leds_go_dark_three_seconds_after_the_last_packet_and_light_at_the_next
test_numbers = same.test_numbers_of_edges_run_over_without_a_gap


def test_no_byte_lost() -> None:
    with board("20x20-pico").powered() as sim:
        same.test_no_byte_is_lost_while_the_whole_strip_is_sent(same.greeted(sim))


@pytest.mark.parametrize(("mcusr", "cause"), [(EXTRF, ResetCause.EXTERNAL), (PORF, ResetCause.POWER_ON)])
def test_reset_cause(talk: Talk, mcusr: int, cause: ResetCause) -> None:
    same.test_a_reset_in_mid_stream_sends_boot_with_its_cause_and_a_new_session(talk, mcusr, cause)


def test_a_hanging_chip_is_restarted_by_its_watchdog_and_reports_it() -> None:
    with board("20x20-pico").powered() as sim:
        talk = same.greeted(sim)
        boots = len(talk.boots())
        pico(talk).write_register(TIMER_INTE, 0)  # a disturbance: nothing wakes the main loop any more
        hung = sim.now_ms
        sim.records()
        talk.listen(500 + same.START_MS + 50)
        assert talk.boots()[boots].reset_cause is ResetCause.WATCHDOG
        (restarted,) = [record.cycle for record in sim.records() if record.kind is Kind.RESET]
        assert 450 < sim.ms_at(restarted) - hung < 550
        sim.cell(9, True)
        talk.notices.clear()
        talk.listen(20)
        assert [edge.input for edge in talk.edges()] == [9]


def test_each_new_panel_makes_its_own_unique_id() -> None:
    def new_panel(seed: int) -> bytes:
        with board("8x8-pico").powered() as sim:
            simulator = cast("PicoSimulator", sim)
            simulator.write_flash(SETTINGS_AT, b"\xff" * 2 * SECTOR)
            sim.power_cycle(seed)
            hello = same.greeted(sim).hello()
            assert hello.board is BoardKind.RP2040
            return hello.unique_id

    assert len({new_panel(seed) for seed in range(1, 5)}) == 4


def save(talk: Talk, brightness: int) -> Status | None:
    """Save another brightness; the status of the reply."""
    talk.ask(ConfigSet(ConfigKey.BRIGHTNESS, brightness))
    return getattr(talk.ask(ConfigSave(), timeout_ms=500), "status", None)


@pytest.fixture
def saving() -> Iterator[Talk]:
    with board("8x8-pico").powered() as sim:
        yield same.greeted(sim)


def test_saved_settings_survive_a_reset_and_a_power_cut(saving: Talk) -> None:
    before = saving.hello()
    saving.ask(ConfigSet(ConfigKey.DEBOUNCE_ON_MS, 11))
    assert getattr(saving.ask(ConfigSave(), timeout_ms=500), "status", None) is Status.OK
    for cycle_power in (False, True):
        saving.board.power_cycle() if cycle_power else saving.board.reset()
        saving.listen(same.START_MS)
        after = saving.hello()
        assert (after.debounce_on_ms, after.unique_id) == (11, before.unique_id)
    assert pico(saving).flash_use()["violations"] == []


def test_a_save_that_the_flash_does_not_take_is_reported(saving: Talk) -> None:
    assert save(saving, 90) is Status.OK
    pico(saving).fail_programs(1000)
    assert save(saving, 91) is Status.STORAGE_FAILED
    pico(saving).fail_programs(0)
    assert save(saving, 92) is Status.OK


def test_a_full_log_moves_to_the_other_sector_while_the_board_is_scanned(saving: Talk) -> None:
    sim = pico(saving)
    used = sim.flash(SETTINGS_AT, SECTOR), sim.flash(SETTINGS_AT + SECTOR, SECTOR)
    (sector,) = [index for index, data in enumerate(used) if data[:1] != b"\xff"]
    address = SETTINGS_AT + sector * SECTOR
    data = used[sector]
    blank = next(at for at in range(0, SECTOR, 4) if data[at : at + 4] == b"\xff" * 4)
    worn = bytes((47, 208, 1, 254))  # a byte that means nothing to the program
    sim.write_flash(address + blank, worn * ((SECTOR - 8 - blank) // 4))
    before = saving.hello()
    sim.reset()
    saving.listen(same.START_MS)
    saving.hello()
    saving.notices.clear()
    saving.ask(ConfigSet(ConfigKey.DEBOUNCE_OFF_MS, 9))
    saving.send(ConfigSave())
    saving.listen(10)
    erased = sim.flash_use()["erasures"]
    sim.cell(9, True)
    saving.listen(10)
    assert [edge.input for edge in saving.edges()] == [9], "the flash is still being erased"
    assert len(erased) == 2
    assert getattr(saving.reply(saving.sequence, 500), "status", None) is Status.OK
    sim.power_cycle()
    saving.listen(same.START_MS)
    after = saving.hello()
    assert (after.debounce_off_ms, after.unique_id) == (9, before.unique_id)
    assert sim.flash(address ^ SECTOR, 1) != b"\xff"
    assert sim.flash_use()["violations"] == []


@pytest.mark.parametrize("cut_ms", [1, 20, 46, 47, 48, 60])
def test_a_power_cut_during_a_move_to_the_other_sector_keeps_the_settings(saving: Talk, cut_ms: int) -> None:
    sim = pico(saving)
    assert save(saving, 120) is Status.OK
    used = sim.flash(SETTINGS_AT, SECTOR), sim.flash(SETTINGS_AT + SECTOR, SECTOR)
    (sector,) = [index for index, data in enumerate(used) if data[:1] != b"\xff"]
    data = used[sector]
    blank = next(at for at in range(0, SECTOR, 4) if data[at : at + 4] == b"\xff" * 4)
    filled = bytes((47, 208, 1, 254)) * ((SECTOR - blank) // 4)
    sim.write_flash(SETTINGS_AT + sector * SECTOR + blank, filled)
    sim.reset()
    saving.listen(same.START_MS)
    before = saving.hello()
    saving.ask(ConfigSet(ConfigKey.DEBOUNCE_ON_MS, 17))
    saving.send(ConfigSave())
    saving.listen(cut_ms)
    sim.power_cycle(cut_ms)
    saving.listen(same.START_MS)
    after = saving.hello()
    assert after.unique_id == before.unique_id
    assert after.debounce_on_ms in (before.debounce_on_ms, 17)
