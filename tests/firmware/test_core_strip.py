# SPDX-License-Identifier: Apache-2.0
"""The strip waits for switches, which a chip cannot scan while it sends.

The native core sends without delay, and stops where an input has left its level since the last
scan.
"""

from collections.abc import Iterable

import pytest

from companion.link.protocol_gen import Colour, Edges, Lamp, LedFill, LedPalette, Run
from tests.firmware.native import NativePanel

PATIENCE_MS = 20
LIMIT_MS = 60
DEBOUNCE_MS = 4
GREEN = (0, 9, 0)


@pytest.fixture
def panel() -> NativePanel:
    panel = NativePanel("8x8")
    panel.hello()
    panel.ask(LedPalette(1, (Colour(*GREEN, 0, 0, 0, 0, 0),)))
    panel.listen(10)
    return panel


def shown_after_ms(panel: NativePanel, ms: Iterable[int]) -> int:
    """Order an image; count the milliseconds until the strip shows it."""
    panel.send(LedFill(Lamp.SHOW, (Run(0, 1, 1),)))
    for passed in ms:
        panel.run_ms(1)
        panel.packets()
        if panel.strip()[0] == GREEN:
            return passed
    raise AssertionError("the strip was never sent")


def test_at_rest_it_is_sent_at_once(panel: NativePanel) -> None:
    assert shown_after_ms(panel, range(3)) <= 1


@pytest.mark.parametrize("phase_us", range(0, 1000, 250))
def test_a_switch_that_moves_at_the_same_moment_is_reported_first(panel: NativePanel, phase_us: int) -> None:
    panel.run_ms(phase_us / 1000)
    panel.switch(9, is_closed=True)
    assert DEBOUNCE_MS <= shown_after_ms(panel, range(10)) <= DEBOUNCE_MS + 3
    assert [edge.input for notice in panel.notices_of(Edges) for edge in notice.edges] == [0x8000 | 9]


def test_a_switch_that_chatters_does_not_hold_it(panel: NativePanel) -> None:
    def chatter() -> Iterable[int]:
        for ms in range(LIMIT_MS):
            panel.switch(9, is_closed=ms % 2 == 0)
            yield ms

    for _ in zip(chatter(), range(10), strict=False):
        panel.run_ms(1)
    assert shown_after_ms(panel, chatter()) <= 3


def test_it_waits_for_the_opening_of_a_short_contact_to_be_told(panel: NativePanel) -> None:
    panel.switch(9, is_closed=True)
    panel.run_ms(8)
    panel.switch(9, is_closed=False)
    panel.run_ms(5)
    assert shown_after_ms(panel, range(PATIENCE_MS)) >= 10
    assert [edge.input for notice in panel.notices_of(Edges) for edge in notice.edges] == [0x8000 | 9, 9]


def test_switches_that_move_all_the_time_hold_it_for_a_limited_time(panel: NativePanel) -> None:
    def touches(first: int) -> Iterable[int]:
        for ms in range(2 * LIMIT_MS):
            if ms % 3 == 0:
                panel.switch(first + ms // 3, is_closed=True)
            yield ms

    for _ in zip(touches(0), range(6), strict=False):
        panel.run_ms(1)
    assert LIMIT_MS - 3 < shown_after_ms(panel, touches(2)) <= LIMIT_MS + 2
