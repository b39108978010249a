# SPDX-License-Identifier: Apache-2.0
"""The wiring walk with a magnet finds crossed wires and corrects the order."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.reed_walk import (
    ReedWalk,
    complete,
    corrected_led_order,
    corrected_sensor_order,
    inverted,
    rewritten,
)
from calibration.reeds import Result, describe, walk_board
from calibration.wording import load
from companion.host.clock import monotonic
from companion.host.devices.panel_session import open_session
from companion.host.devices.ports import OnChunk, OnEnd, Port, VirtualPort
from companion.link.events import InputEdge, InputsChanged
from companion.link.panel import UNWIRED, load_panel, order_of, panel_names, read_panel
from companion.link.protocol_gen import INPUT_BUTTON
from companion.model.errors import CalibrationError
from companion.model.grid import rectangle
from companion.virtual.panel import VirtualPanel

CLOCK = monotonic(10_000)


def closed(*inputs: int) -> InputsChanged:
    edges = tuple(InputEdge(1, number, True) for number in inputs)
    return InputsChanged(1, edges, closed=0, aux=0)


class TestWalk:
    def test_the_closing_switch_belongs_to_the_prompted_cell(self) -> None:
        walk = ReedWalk(3).take(closed(2))
        assert (walk.found, walk.place) == ((2,), 1)

    def test_a_known_switch_or_a_button_is_not_assigned_to_another_cell(self) -> None:
        walk = ReedWalk(3).take(closed(2)).take(closed(2)).take(closed(INPUT_BUTTON))
        assert walk.place == 1

    def test_a_cell_can_be_skipped_and_a_step_undone(self) -> None:
        walk = ReedWalk(3).take(closed(0)).take(closed(2)).back().leave_out().take(closed(1))
        assert (walk.found, walk.place) == ((0, None, 1), None)
        assert walk.take(closed(2)) == walk

    def test_a_single_skipped_cell_gets_the_remaining_switch(self) -> None:
        assert complete((2, None, 0), "switch", rectangle(3, 1)) == (2, 1, 0)

    def test_two_skipped_cells_cannot_be_assigned(self) -> None:
        with pytest.raises(CalibrationError, match="no switch answered at a1 c1"):
            complete((None, 1, None), "switch", rectangle(3, 1))


def shuffled(order: tuple[int, ...], seed: int) -> tuple[int, ...]:
    """*order* with exchanged wires, as after soldering mistakes."""
    wired = [each for each in order if each != UNWIRED]
    Random(seed).shuffle(wired)
    return tuple(UNWIRED if each == UNWIRED else wired.pop() for each in order)


@given(st.sampled_from(panel_names()), st.integers(0, 1000))
def test_the_corrected_orders_are_the_true_wiring(name: str, seed: int) -> None:
    """The panel's file may be wrong in any way.

    A complete walk restores the true wiring.
    """
    panel = load_panel(name)
    believed = order_of(panel.sensor_order, panel.sensor_rows * panel.sensor_columns, panel.sensor_columns)
    true = shuffled(believed, seed)
    true_cells = inverted(tuple(believed[true.index(cell)] for cell in range(panel.cells)))
    assert corrected_sensor_order(panel, true_cells) == true
    believed_leds = order_of(panel.led_order, panel.leds, panel.files)
    true_leds = shuffled(believed_leds[: panel.cells], seed) + believed_leds[panel.cells :]
    lamp_cells = tuple(true_leds.index(believed_leds[cell]) for cell in range(panel.cells))
    assert corrected_led_order(panel, lamp_cells) == true_leds


@given(st.permutations(list(range(12))))
def test_two_half_turns_change_nothing(found: list[int]) -> None:
    assert inverted(inverted(tuple(found))) == tuple(found)


@pytest.mark.parametrize("name", panel_names())
def test_a_rewritten_file_differs_only_in_that_order(name: str) -> None:
    text = (resources.files("companion") / "panels" / f"{name}.toml").read_text(encoding="utf-8")
    panel = load_panel(name)
    order = tuple(reversed(order_of(panel.sensor_order, panel.sensor_rows * panel.sensor_columns, 1)))
    once = rewritten(text, "sensor_order", order, 7)
    assert read_panel(once, name) == replace(panel, sensor_order=order)
    assert rewritten(once, "sensor_order", order, 7) == once


def test_a_file_without_the_line_is_refused() -> None:
    with pytest.raises(CalibrationError, match="no line for led_order"):
        rewritten("name = 'x'\n", "led_order", (0, 1), 4)


class CrossedBoard:
    """A virtual panel with crossed wires, and a person who follows the prompts."""

    def __init__(self, panel: VirtualPanel, switch_at: dict[int, int], lamp_at: dict[int, int]) -> None:
        """*switch_at* and *lamp_at*: wrongly wired inputs and lamps, by cell."""
        self.panel = panel
        self.said: list[str] = []
        self._switch_at = switch_at
        self._lamp_at = lamp_at
        self._port: VirtualPort | None = None
        self._grid = rectangle(panel.device.panel.files, panel.device.panel.ranks)
        self._held: int | None = None
        self.pauses: set[str] = set()
        """Prompts at which the person presses a key instead, once each."""

    async def open_port(self, on_chunk: OnChunk, _on_end: OnEnd) -> Port:
        self._port = VirtualPort(self.panel, CLOCK, on_chunk)
        self._port.fetch()
        return self._port

    def say(self, text: str) -> None:
        self.said.append(text)
        named = re.search(r"magnet on (\w+)\.", text)
        if text in self.pauses:
            self.pauses.discard(text)
        elif named:
            self._later(lambda: self._grid.cell(named[1]))
        elif "blinks" in text:
            self._later(self._lit_cell)

    def _later(self, where: Callable[[], int]) -> None:
        """People react more slowly than LEDs."""
        asyncio.get_running_loop().call_later(0.005, self._carry, where)

    def _lit_cell(self) -> int:
        lamp = self.panel.device.lamps.image.index(1)
        return self._lamp_at.get(lamp, lamp)

    def _carry(self, where: Callable[[], int]) -> None:
        """Lift the magnet and move it there."""
        if self._held is not None:
            self.panel.open(self._held, CLOCK())
        cell = where()
        self._held = self._switch_at.get(cell, cell)
        asyncio.get_running_loop().call_later(0.01, self._put)

    def _put(self) -> None:
        assert self._port is not None
        assert self._held is not None
        self.panel.close(self._held, CLOCK())
        self._port.fetch()


def walked(
    board: CrossedBoard, next_key: Callable[[], str | None] = lambda: None
) -> tuple[Result, list[str]]:
    async def run() -> tuple[Result, list[str]]:
        async with open_session(board.open_port, CLOCK) as session:
            result = await walk_board(session, CLOCK, board.say, next_key, load("en"))
            hello = session.connection.hello
            assert hello is not None
            return result, [load("en").text(describe(finding, hello)) for finding in result.findings]

    return asyncio.run(run())


def board(switch_at: dict[int, int], lamp_at: dict[int, int]) -> CrossedBoard:
    panel = VirtualPanel(load_panel("5x5"), unique_id=bytes(8), session=1, now_ms=CLOCK())
    return CrossedBoard(panel, switch_at, lamp_at)


def test_a_correct_board_is_left_unchanged() -> None:
    result, told = walked(board({}, {}))
    assert told == []
    assert read_panel(result.text, "5x5") == load_panel("5x5")


def test_crossed_switches_and_lamps_are_found_and_corrected() -> None:
    """Two columns are crossed in the first rank, and two lamps are exchanged."""
    result, told = walked(board({0: 1, 1: 0}, {7: 8, 8: 7}))
    assert told == [
        "The switch wired as a1 lies at b1.",
        "The switch wired as b1 lies at a1.",
        "The lamp wired as c2 lies at d2.",
        "The lamp wired as d2 lies at c2.",
    ]
    before, after = load_panel("5x5"), read_panel(result.text, "5x5")
    assert order_of(after.sensor_order, 25, 5)[:3] == tuple(
        order_of(before.sensor_order, 25, 5)[at] for at in (1, 0, 2)
    )
    old, new = order_of(before.led_order, 25, 5), order_of(after.led_order, 25, 5)
    assert (new[7], new[8]) == (old[8], old[7])


def test_a_dead_switch_can_be_skipped_and_a_mistake_undone() -> None:
    """No switch closes at b1.

    Asked for d1, the person goes one back first and does c1 again.
    """
    slow = board({}, {})
    keys = {"Put the magnet on b1.": "s", "Put the magnet on d1.": "b"}
    slow.pauses = set(keys)
    result, told = walked(slow, lambda: keys.pop(slow.said[-1], None))
    assert told == []
    assert slow.said.count("Put the magnet on c1.") == 2
    assert read_panel(result.text, "5x5") == load_panel("5x5")
