# SPDX-License-Identifier: Apache-2.0
"""The statechart matches its golden table and refuses other events."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from hypothesis.strategies import sampled_from
from statemachine.exceptions import TransitionNotAllowed

from companion.referee.state.chart import TableChart, after, diagram, table
from companion.referee.values.view import Phase

GOLDEN = Path(__file__).parent / "golden" / "chart.md"
EVENTS = sorted({transition.event for state in TableChart.states for transition in state.transitions})
ROWS = {
    (cells[1].lower().replace(" ", "_"), cells[2].lower().replace(" ", "_"))
    for cells in ([cell.strip() for cell in line.split("|")] for line in table().splitlines()[2:])
    if len(cells) > 2
}


def test_the_transitions_match_the_golden_table() -> None:
    assert GOLDEN.read_text() == table()


def test_every_state_is_a_phase_that_can_be_shown() -> None:
    assert {state.id for state in TableChart.states} == {phase.value for phase in Phase}


def test_the_diagram_draws_every_state() -> None:
    assert all(f" as {phase.value}" in diagram() for phase in Phase)


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(TransitionNotAllowed):
        TableChart().send("exploded")


class AnyOrder(RuleBasedStateMachine):
    """Events in any order: one active state, changed only by rows of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.chart = TableChart()

    @rule(event=sampled_from(EVENTS))
    def send(self, event: str) -> None:
        (before,) = self.chart.configuration_values
        try:
            self.chart.send(event)
        except TransitionNotAllowed:
            assert (before, event) not in ROWS
            assert list(self.chart.configuration_values) == [before]
            with pytest.raises(TransitionNotAllowed):
                after(before, event)
        else:
            assert (before, event) in ROWS
            assert list(self.chart.configuration_values) == [after(before, event)]

    @invariant()
    def one_state_is_active(self) -> None:
        assert len(self.chart.configuration_values) == 1


TestAnyOrder = AnyOrder.TestCase
