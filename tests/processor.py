# SPDX-License-Identifier: Apache-2.0
"""A unit for processor time that does not depend on the speed of the machine."""

from __future__ import annotations

import time


def reference_ms() -> float:
    """Processor time of a fixed computation now, the least of ten.

    A server of 2024 needs 4 ms. Measure it beside what it is compared with: the speed of a
    processor changes with what else it does.
    """
    return min(_computed_ms() for _ in range(10))


def _computed_ms() -> float:
    start = time.thread_time()
    counts: dict[tuple[int, int], int] = {}
    for number in range(20_000):
        counts[number % 97, number % 31] = counts.get((number % 31, number % 97), 0) + number
    return (time.thread_time() - start) * 1000
