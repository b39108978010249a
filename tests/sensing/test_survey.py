# SPDX-License-Identifier: Apache-2.0
"""The magnet survey of a panel finds stuck, dead and bouncing switches."""

from __future__ import annotations

from companion.link.events import InputEdge, InputsChanged, InputsRead
from companion.link.protocol_gen import INPUT_BUTTON
from companion.sensing.survey import Survey


def changed(*edges: tuple[int, int, bool]) -> InputsChanged:
    """Edges given as (ms, input, level)."""
    stamped = tuple(InputEdge(t_ms, number, is_closed) for t_ms, number, is_closed in edges)
    return InputsChanged(stamped[-1].t_ms, stamped, closed=0, aux=0)


def surveyed() -> Survey:
    """Cell 0 works, 1 is stuck, 2 is dead, 3 opened only now."""
    survey = Survey(4, closed=0b1010)
    survey.note(changed((10, 0, True), (40, 0, False), (50, INPUT_BUTTON, True), (60, 3, False)))
    return survey


def test_a_cell_that_never_closed_is_untouched() -> None:
    assert surveyed().untouched == (2,)


def test_a_cell_that_never_opened_is_stuck() -> None:
    assert surveyed().stuck == (1,)


def test_a_repeated_snapshot_counts_too() -> None:
    survey = Survey(4, closed=0b1010)
    survey.note(InputsRead(0, closed=0b0101, aux=0, has_gap=True))
    assert (survey.untouched, survey.stuck) == ((), ())


def test_edges_are_counted_by_cell() -> None:
    assert surveyed().counts == [2, 0, 0, 1]


def test_a_passing_magnet_is_no_chatter() -> None:
    survey = Survey(1, 0)
    survey.note(changed(*((t_ms, 0, t_ms % 2 == 0) for t_ms in range(6))))
    assert survey.chattering == ()


def test_a_switch_that_does_not_settle_chatters() -> None:
    survey = Survey(2, 0)
    survey.note(changed(*((90 * step, 1, step % 2 == 0) for step in range(10))))
    assert survey.chattering == (1,)


def test_the_same_number_of_edges_over_a_long_time_is_play() -> None:
    survey = Survey(2, 0)
    survey.note(changed(*((500 * step, 1, step % 2 == 0) for step in range(40))))
    assert survey.chattering == ()
