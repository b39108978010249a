# SPDX-License-Identifier: Apache-2.0
"""Time controls as text: usual notations are read, errors name the wrong part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.model.errors import OptionError
from companion.referee.values.clocks import Control, Period
from companion.referee.values.controls import NONE, PRESETS, read_control, write_control

MINUTE = 60_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", Control.same(2, Period(5 * MINUTE))),
        ("0.5", Control.same(2, Period(30_000))),
        ("90s", Control.same(2, Period(90_000))),
        ("5+3", Control.same(2, Period(5 * MINUTE, increment_ms=3_000))),
        ("5+3b", Control.same(2, Period(5 * MINUTE, bonus_ms=3_000))),
        ("5+3d", Control.same(2, Period(5 * MINUTE, delay_ms=3_000))),
        ("0+3x30", Control.same(2, Period(0, byo_yomi_ms=30_000, byo_yomi=3))),
        (
            "20+5+3x30",
            Control.same(2, Period(20 * MINUTE, increment_ms=5_000, byo_yomi_ms=30_000, byo_yomi=3)),
        ),
        ("5hourglass", Control.same(2, Period(5 * MINUTE), is_hourglass=True)),
        (
            "5,3+2",
            Control(
                ((Period(5 * MINUTE),), (Period(3 * MINUTE, increment_ms=2_000),)),
                starts_by_hand=True,
                gives_first=True,
            ),
        ),
        ("5+3@press", Control.same(2, Period(5 * MINUTE, increment_ms=3_000), by_moves=False)),
        (
            "90/40+30:30",
            Control.same(2, Period(90 * MINUTE, plies=40, increment_ms=30_000), Period(30 * MINUTE)),
        ),
        ("blitz", Control.same(2, Period(3 * MINUTE, increment_ms=2_000))),
        ("none", None),
    ],
)
def test_usual_notations_are_read(text: str, expected: Control | None) -> None:
    assert read_control(text, 2) == expected


@pytest.mark.parametrize(
    ("text", "sides", "said"),
    [
        ("", 2, "'' is not a time"),
        ("five", 2, "'five' is not a time"),
        ("5+x", 2, "'x' is not an increment"),
        ("5+0x30", 2, "'0x30' is not an increment"),
        ("5+3x30d", 2, "'3x30d' is not an increment"),
        ("5+0", 2, "'0' adds nothing"),
        ("5+3+2", 2, "'5+3+2' says the same thing twice"),
        ("0+3", 2, "'0+3' begins without time"),
        ("90/40", 2, "the last period holds to the end: leave out /40"),
        ("90/0:5", 2, "'90/0' ends after no move"),
        ("90:30", 2, "'90' does not say after how many moves it ends, such as 90/40"),
        ("2000", 2, "no time is longer than a day"),
        ("5,4,3", 2, "it gives time to 3 sides, the game has 2"),
        ("5hourglass", 3, "an hourglass is for two sides, the game has 3"),
        ("5hourglass,5", 2, "'5hourglass' is not a time"),
    ],
)
def test_an_invalid_control_is_refused_with_its_fault_and_examples(text: str, sides: int, said: str) -> None:
    with pytest.raises(OptionError) as raised:
        read_control(text, sides)
    assert said in str(raised.value)
    assert "examples are 5+3" in str(raised.value)


def test_each_preset_can_be_played_by_any_number_of_sides() -> None:
    for name in PRESETS:
        for sides in (2, 3, 4):
            control = read_control(name, sides)
            assert control is not None
            assert len(control.periods) == sides


MILLISECONDS = st.integers(0, 3_600_000)


@st.composite
def periods(draw: st.DrawFn) -> tuple[Period, ...]:
    """One to three periods of a side."""
    count = draw(st.integers(1, 3))
    found = []
    for number in range(count):
        spans = draw(st.integers(0, 5))
        found.append(
            Period(
                draw(st.integers(1, 24 * 3_600_000)),
                plies=draw(st.integers(1, 60)) if number + 1 < count else 0,
                increment_ms=draw(MILLISECONDS),
                bonus_ms=draw(MILLISECONDS),
                delay_ms=draw(MILLISECONDS),
                byo_yomi=spans,
                byo_yomi_ms=draw(st.integers(1, 60_000)) if spans else 0,
            )
        )
    return tuple(found)


@given(st.tuples(periods(), periods()), st.booleans(), st.booleans())
def test_a_written_control_is_read_back(
    sides: tuple[tuple[Period, ...], ...], hourglass: bool, moves: bool
) -> None:
    control = Control(sides, hourglass, moves, starts_by_hand=True, gives_first=True)
    assert read_control(write_control(control), 2) == control


def test_no_control_is_written_as_none() -> None:
    assert write_control(None) == NONE
