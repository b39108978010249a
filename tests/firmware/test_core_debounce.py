# SPDX-License-Identifier: Apache-2.0
"""Debouncing as tables: contact changes and the expected edges, at any scan rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.link.protocol_gen import (
    INPUT_BUTTON,
    INPUT_LEVEL,
    ConfigKey,
    ConfigSet,
    Health,
    Heartbeat,
    Ping,
    PingReply,
    Stats,
    StatsReply,
)
from tests.firmware.native import NativePanel

pytestmark = pytest.mark.native

Contact = tuple[int, int, bool]
"""At so many ms, a cell closes or opens."""

A, B, C = 3, 27, 60
TABLE: dict[str, tuple[list[Contact], list[Contact]]] = {
    "a clean closing": ([(10, A, True)], [(10, A, True)]),
    "a closing that bounces, stamped with its first touch": (
        [(10, A, True), (11, A, False), (12, A, True), (13, A, False), (14, A, True)],
        [(10, A, True)],
    ),
    "a touch too short to count": ([(10, A, True), (13, A, False)], []),
    "a flicker that ends where it began": (
        [(10, A, True), (11, A, False), (12, A, True), (13, A, False)],
        [],
    ),
    "closing and opening again": ([(10, A, True), (60, A, False)], [(10, A, True), (60, A, False)]),
    "an opening that bounces": (
        [(10, A, True), (80, A, False), (81, A, True), (83, A, False)],
        [(10, A, True), (80, A, False)],
    ),
    "a slide: the new cell closes before the old one opens": (
        [(10, A, True), (60, B, True), (80, A, False)],
        [(10, A, True), (60, B, True), (80, A, False)],
    ),
    "a long bounce does not let a later cell overtake": (
        [(10, A, True), (13, A, False), (15, A, True), (18, A, False), (20, A, True), (30, B, True)],
        [(10, A, True), (30, B, True)],
    ),
    "three at once come in the order of their cells": (
        [(10, C, True), (10, A, True), (10, B, True)],
        [(10, A, True), (10, B, True), (10, C, True)],
    ),
}
RATES_US = (50, 100, 130, 250, 333, 500, 1000, 1500, 2500, 4000)
ORIGINS_MS = (20, 65_500)
"""Not at zero; and where sixteen bits of milliseconds overflow on the way."""


def edges_of(
    panel: NativePanel, contacts: list[Contact], turn_us: int, after_ms: int
) -> list[tuple[int, int]]:
    """Change the contacts on time; return (t_ms, input) of all edges.

    It ends *after_ms* after the last change.
    """
    found, now_us = [], 0
    for at_ms, cell, is_closed in [*contacts, (contacts[-1][0] + after_ms, -1, False)]:
        while now_us < at_ms * 1000:
            panel.run_ms(turn_us / 1000, turn_us)
            now_us += turn_us
            found += panel.edges(0)
        if cell >= 0:
            panel.switch(cell, is_closed)
    assert panel.packets() == []
    return [(t_ms, edge) for _, t_ms, edge in found]


@pytest.mark.parametrize("origin_ms", ORIGINS_MS)
@pytest.mark.parametrize("turn_us", RATES_US)
@pytest.mark.parametrize("row", TABLE)
def test_debouncing(row: str, turn_us: int, origin_ms: int) -> None:
    contacts, wanted = TABLE[row]
    panel = NativePanel()
    panel.run_ms(origin_ms, 5000)
    panel.hello()  # brings the LEDs back if they went dark, which takes time of its own
    clock = panel.ask(Ping(0))
    assert isinstance(clock, PingReply)
    found = edges_of(panel, contacts, turn_us, 40)
    assert [edge for _, edge in found] == [
        cell | (INPUT_LEVEL if closed else 0) for _, cell, closed in wanted
    ]
    # The reply to PING is up to 1 ms old, a scan up to one period late; slow scans miss the first touches.
    slack_ms = 2 if turn_us <= 1000 else 5 + 2 * turn_us // 1000
    for (t_ms, _), (at_ms, _, _) in zip(found, wanted, strict=True):
        assert 0 <= t_ms - clock.t_ms - at_ms <= slack_ms, (t_ms, at_ms)
    for _ in range(60):
        panel.run_ms(1000, 5000)
        assert panel.edges(0) == [], "nothing more happens for a minute"
    assert panel.packets() == []


def test_edges_are_reported_within_a_scan_after_the_debounce_time() -> None:
    panel = NativePanel()
    panel.listen(50)
    panel.switch(A, True)
    assert panel.edges(4) == []
    assert len(panel.edges(2)) == 1


def test_a_longer_off_delay_holds_a_later_closing_back_and_keeps_the_order() -> None:
    panel = NativePanel()
    panel.switch(A, True)
    panel.listen(50)
    panel.ask(ConfigSet(ConfigKey.DEBOUNCE_OFF_MS, 20))
    found = edges_of(panel, [(10, A, False), (15, B, True)], 250, 40)
    assert [edge for _, edge in found] == [A, B | INPUT_LEVEL]
    assert found[0][0] < found[1][0]


def test_a_chattering_cell_is_reported_and_delays_others_only_briefly() -> None:
    panel = NativePanel()
    panel.listen(50)
    for other in (B, C):
        panel.switch(other, True)
        told_after_ms = []
        for ms in range(300):
            panel.switch(A, ms % 4 < 2)
            if any(edge == other | INPUT_LEVEL for _, _, edge in panel.edges(1)):
                told_after_ms.append(ms)
        assert len(told_after_ms) == 1
        assert told_after_ms[0] <= 75
    panel.listen(1000)
    stats = panel.ask(Stats())
    assert isinstance(stats, StatsReply)
    assert stats.chatter >= 4
    assert stats.chatter_input == A
    assert any(beat.health & Health.CHATTER for beat in panel.notices_of(Heartbeat))


@pytest.mark.parametrize(
    ("name", "cell", "button"), [("4x8", 6, None), ("20x20", 399, None), ("20x20", None, 2)]
)
def test_a_chattering_input_is_named_as_on_the_link(name: str, cell: int | None, button: int | None) -> None:
    panel = NativePanel(name)
    panel.listen(50)
    for ms in range(300):
        if cell is not None:
            panel.switch(cell, ms % 4 < 2)
        if button is not None:
            panel.buttons(1 << button if ms % 4 < 2 else 0)
        panel.listen(1)
    stats = panel.ask(Stats())
    assert isinstance(stats, StatsReply)
    assert stats.chatter > 0
    assert stats.chatter_input == (cell if button is None else INPUT_BUTTON + button)


def test_more_simultaneous_changes_than_slots_are_all_reported() -> None:
    panel = NativePanel("20x20")
    panel.listen(50)
    for cell in range(400):
        panel.switch(cell, True)
    found = panel.edges(120)
    assert sorted(edge for _, _, edge in found) == [cell | INPUT_LEVEL for cell in range(400)]
    assert [number for number, _, _ in found] == list(range(1, 401))


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 63), st.booleans()), min_size=1, max_size=40),
    st.sampled_from(RATES_US),
)
def test_edges_alternate_carry_rising_stamps_and_end_in_the_truth(moves: list[Contact], turn_us: int) -> None:
    panel = NativePanel()
    panel.listen(5)
    contacts, at_ms, truth = [], 0, dict.fromkeys(range(64), False)
    for pause_ms, cell, is_closed in moves:
        at_ms += pause_ms
        contacts.append((at_ms, cell, is_closed))
        truth[cell] = is_closed
    found = edges_of(panel, contacts, turn_us, 150)
    stamps = [t_ms for t_ms, _ in found]
    assert stamps == sorted(stamps)
    levels = dict.fromkeys(range(64), False)
    for _, edge in found:
        cell, level = edge & 0x7FFF, bool(edge & INPUT_LEVEL)
        assert levels[cell] is not level, "an edge changes something"
        levels[cell] = level
    assert levels == truth
    _, _, state = panel.state()
    assert int.from_bytes(state[:-2], "little") == sum(1 << cell for cell in range(64) if truth[cell])
