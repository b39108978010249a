# SPDX-License-Identifier: Apache-2.0
"""The clocks of stations and hall are compared; one start time holds for all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Order, Welcome
from companion.host.hall.stations.clock_offset import Comparison
from companion.host.hall.stations.station_reporter import HELLO_MS, LATEST_MS, StationReporter
from companion.referee.values.commands import Release

WAYS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=30)


@given(st.integers(-(10**9), 10**9), WAYS)
def test_the_offset_of_two_clocks_is_within_its_stated_error(
    ahead_ms: int, ways: list[tuple[int, int]]
) -> None:
    clocks = Comparison()
    for number, (there_ms, back_ms) in enumerate(ways):
        asked_ms = 3000 * number
        clocks.measure(asked_ms, asked_ms + there_ms + back_ms, asked_ms + there_ms - ahead_ms)
        assert abs(clocks.offset_ms - ahead_ms) <= clocks.error_ms
    assert clocks.error_ms <= min(map(sum, ways[-20:])) // 2 + 1


def test_the_drift_of_a_fast_clock_is_measured() -> None:
    clocks = Comparison()
    for second in range(0, 3600, 3):
        clocks.measure(1000 * second + second // 36, 1000 * second + second // 36, 1000 * second)
    assert clocks.drift_ms in range(97, 101)


def station(name: str, ahead_ms: int, way_ms: int) -> tuple[StationReporter, int]:
    """A station whose clock is *ahead_ms* ahead, and the hall's time after a message."""
    reporter = StationReporter(Hello(name, "i", name, "chess"), None)
    now_ms = 0
    for number in range(3):
        now_ms = number * HELLO_MS
        sent = [up.what for up in reporter.messages(now_ms + ahead_ms) if isinstance(up.what, Hello)]
        answer = Welcome("hall", now_ms + way_ms, sent[0].at_ms)
        reporter.receive(Down(name, "i", answer), now_ms + 2 * way_ms + ahead_ms)
    return reporter, now_ms + 2 * way_ms


def test_all_stations_start_at_one_time_despite_clock_offsets_and_delays() -> None:
    starts = []
    for name, ahead_ms, way_ms in (("near", 0, 1), ("far", 86_400_000, 150), ("behind", -5_000, 40)):
        reporter, now_ms = station(name, ahead_ms, way_ms)
        order = Order("o", Release(), "Ana", at_ms=now_ms + 1000)
        here_ms = now_ms + way_ms + ahead_ms
        assert reporter.receive(Down(name, "i", order), here_ms) == order
        starts.append(reporter.due_ms(order, here_ms) - ahead_ms - now_ms)
    assert max(starts) - min(starts) <= 2
    assert starts[0] in range(998, 1003)


def test_an_order_that_is_late_or_by_an_unknown_clock_is_executed_at_once() -> None:
    reporter, now_ms = station("red", 500, 10)
    assert reporter.due_ms(Order("o", Release(), "Ana"), now_ms) == now_ms
    assert reporter.due_ms(Order("o", Release(), "Ana", at_ms=0), now_ms) == now_ms
    assert reporter.due_ms(Order("o", Release(), "Ana", at_ms=10**9), now_ms) == now_ms + LATEST_MS
    fresh = StationReporter(Hello("red", "i", "red", "chess"), None)
    assert fresh.due_ms(Order("o", Release(), "Ana", at_ms=10**9), 7) == 7


def test_a_station_reports_its_offset_and_discards_it_when_the_hall_restarts() -> None:
    reporter, _ = station("red", 500, 10)
    (hello,) = (up.what for up in reporter.messages(99_000) if isinstance(up.what, Hello))
    assert (hello.clock_offset_ms, hello.clock_error_ms, hello.clock_drift_ms) == (500, 11, 0)
    reporter.receive(Down("red", "i", Welcome("another", 0, 99_000)), 99_004)
    (hello,) = (up.what for up in reporter.messages(199_000) if isinstance(up.what, Hello))
    assert hello.clock_offset_ms == 99_002
