# SPDX-License-Identifier: Apache-2.0
"""The panel's clock is mapped to the host's by the quickest recent comparison.

Mapped times are monotonic.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.link.boardclock import BoardClock


def test_the_quickest_comparison_counts() -> None:
    clock = BoardClock()
    for panel_ms, now_ms in ((1000, 5030), (2000, 6004), (3000, 7090)):
        clock.compare(panel_ms, now_ms)
    assert clock.to_host(3050, 8000) == 7054


def test_without_a_comparison_a_stamp_is_now() -> None:
    assert BoardClock().to_host(12, 345) == 345


def test_the_clock_reveals_a_missed_restart() -> None:
    """Its BOOT was lost; the next snapshot is the first packet with its new clock."""
    clock = BoardClock()
    clock.compare(600_000, 700_000)
    clock.compare(40, 700_900)
    assert clock.to_host(120, 701_500) == 700_980


def test_a_cached_reply_of_the_panel_is_no_restart() -> None:
    clock = BoardClock()
    clock.compare(600_000, 700_002)
    clock.compare(600_100, 700_852)
    assert clock.to_host(600_500, 701_000) == 700_502


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 5000)), min_size=1, max_size=20))
def test_results_never_go_backwards_nor_lie_in_the_future(stamps: list[tuple[int, int]]) -> None:
    clock, now_ms, last_ms = BoardClock(), 10_000, 0
    for panel_ms, passed_ms in stamps:
        now_ms += passed_ms
        clock.compare(panel_ms, now_ms)
        found = clock.to_host(panel_ms, now_ms)
        assert last_ms <= found <= now_ms
        last_ms = found
