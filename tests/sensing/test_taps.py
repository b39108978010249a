# SPDX-License-Identifier: Apache-2.0
"""A double tap is recognised, and nothing else."""

from __future__ import annotations

import pytest

from companion.model.observation import EMPTY, HIDDEN, OCCUPIED, Change, Input, Press, Sighting
from companion.sensing.taps import Taps


def changes(text: str) -> list[Change]:
    """Changes such as `100-3` (cell 3 becomes empty) and `200+3`."""
    made = []
    for word in text.split():
        sign = "-" if "-" in word else "+"
        at, cell = word.split(sign)
        made.append(Change(int(at), int(cell), EMPTY if sign == "-" else OCCUPIED))
    return made


@pytest.mark.parametrize(
    ("text", "taps"),
    [
        ("0-3 200+3 400-3 600+3", 1),
        ("0-3 200+3 400-3 600+3 800-3 1000+3", 1),
        ("0-3 200+3 400-3 600+3 800-3 1000+3 1200-3 1400+3", 2),
        ("0-3 200+3", 0),
        ("0-3 200+3 900-3 1300+3", 0),
        ("0-3 200+3 400-4 600+4", 0),
        ("0-3 200+4 400-4 600+3", 0),
        ("0+3 200-3 400+3 600-3", 0),
    ],
)
def test_only_a_piece_lifted_and_put_back_twice_in_time_is_a_double_tap(text: str, taps: int) -> None:
    assert Taps().count(changes(text)) == taps


def test_details_of_a_piece_and_presses_do_not_matter() -> None:
    seen = Sighting(occupied=True, kind="rook")
    inputs: list[Input] = [
        Change(0, 3, EMPTY),
        Change(100, 3, OCCUPIED),
        Change(100, 3, seen),
        Press(150, 0),
        Change(200, 3, HIDDEN),
        Change(250, 3, EMPTY),
        Change(400, 3, seen),
    ]
    assert Taps().count(inputs) == 1
