# SPDX-License-Identifier: Apache-2.0
"""The figures of short contacts show whether a board scans during repaints."""

from __future__ import annotations

from random import Random

import pytest

from tests.bench.contacts import Contact, figures, measured
from tests.firmware.boards import board

PAIR = [Contact(0, 3), Contact(5, 4)]


def test_a_whole_pair_in_order_is_all_there_is() -> None:
    heard = [(6.0, 3, True), (11.0, 4, True), (14.0, 3, False), (19.0, 4, False)]
    found = figures(PAIR, heard)
    assert (found["reported_percent"], found["pairs_in_order_percent"]) == (100, 100)
    assert found["closing_to_host_ms"] == {"p50": 6.0, "p99": 6.0}


def test_swapped_closings_are_reported_but_not_in_order() -> None:
    heard = [(11.0, 4, True), (11.0, 3, True), (19.0, 3, False), (19.0, 4, False)]
    found = figures(PAIR, heard)
    assert (found["reported_percent"], found["pairs_in_order_percent"]) == (100, 0)


def test_a_contact_without_its_opening_is_not_reported() -> None:
    found = figures(PAIR, [(6.0, 3, True), (11.0, 4, True), (19.0, 4, False)])
    assert (found["reported_percent"], found["pairs_in_order_percent"]) == (50, 0)


@pytest.mark.firmware
@pytest.mark.parametrize(
    "name",
    ["20x20", *(pytest.param(name, marks=pytest.mark.long) for name in ("8x8", "16x16", "20x20-chain"))],
)
def test_contacts_of_8_ms_are_reported_in_order_during_20_repaints_a_second(
    name: str, *, is_long: bool
) -> None:
    found = measured(board(name), Random(1), 8, 5, 40 if is_long else 6, repaints=True)
    assert (found["reported_percent"], found["pairs_in_order_percent"]) == (100, 100)
    assert found["closing_to_host_ms"]["p99"] <= 12
