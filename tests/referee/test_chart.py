# SPDX-License-Identifier: Apache-2.0
"""The statechart matches its golden table, decides by its guards and refuses other events."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from hypothesis.strategies import booleans, builds, sampled_from
from statemachine.exceptions import TransitionNotAllowed

from companion.referee.state.chart import Facts, TableChart, after, diagram, table
from companion.referee.values.view import Phase

GOLDEN = Path(__file__).parent / "golden" / "chart.md"
EVENTS = [event.id for event in TableChart(listeners=[Facts()]).events]
ON_BOARD = [Phase(state.value) for state in TableChart.on_board.states]  # type: ignore[attr-defined]
ANY_FACTS = builds(Facts, *(booleans() for _ in Facts._fields))


def test_the_transitions_match_the_golden_table() -> None:
    assert GOLDEN.read_text() == table()


def test_every_state_is_a_phase_that_can_be_shown() -> None:
    assert {*TableChart.states_map} - {"on_board"} == {phase.value for phase in Phase}


def test_the_diagram_draws_every_state() -> None:
    assert all(f" as {phase.value}" in diagram() for phase in Phase)


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(TransitionNotAllowed):
        TableChart(listeners=[Facts()]).send("exploded")


@given(before=sampled_from(ON_BOARD), facts=ANY_FACTS)
def test_the_worst_news_decides_what_a_judged_board_shows(before: Phase, facts: Facts) -> None:
    ranked = (Phase.FINISHED, Phase.CARRYING_OUT, Phase.ILLEGAL, Phase.HANDLING, Phase.CHOOSING)
    wanted = next((phase for phase, is_true in zip(ranked, facts, strict=True) if is_true), Phase.WAITING)
    assert after(before, "judged", facts) == wanted


@pytest.mark.parametrize("phase", [Phase.SETTING_UP, Phase.PAUSED])
def test_what_stands_aside_is_not_judged(phase: Phase) -> None:
    with pytest.raises(TransitionNotAllowed):
        after(phase, "judged")


def test_a_finished_game_is_not_paused() -> None:
    with pytest.raises(TransitionNotAllowed):
        after(Phase.FINISHED, "halted", Facts(is_over=True))
    assert after(Phase.WAITING, "halted") == Phase.PAUSED


class AnyOrder(RuleBasedStateMachine):
    """Events in any order: kept results are those of a chart that runs on."""

    def __init__(self) -> None:
        super().__init__()
        self.guards = SimpleNamespace(**Facts()._asdict())
        self.chart = TableChart(listeners=[self.guards])

    @property
    def phase(self) -> Phase:
        """The only leaf."""
        (leaf,) = (each.value for each in self.chart.configuration if not each.states)
        return Phase(leaf)

    @rule(event=sampled_from(EVENTS), facts=ANY_FACTS)
    def send(self, event: str, facts: Facts) -> None:
        before = self.phase
        vars(self.guards).update(facts._asdict())
        try:
            self.chart.send(event)
        except TransitionNotAllowed:
            assert self.phase is before
            with pytest.raises(TransitionNotAllowed):
                after(before, event, facts)
        else:
            assert self.phase == after(before, event, facts)

    @invariant()
    def one_state_is_active(self) -> None:
        assert self.phase in Phase


TestAnyOrder = AnyOrder.TestCase
