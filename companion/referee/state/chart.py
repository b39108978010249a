# SPDX-License-Identifier: Apache-2.0
"""The table's statechart.

Rules of this file: it lists all states and events of a table; their *meaning* is decided elsewhere.
By default a `StateChart` swallows exceptions of callbacks and ignores unknown events:
the base class forbids both.
No parallel regions, no internal transitions, no delayed events: time is passed in.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from statemachine import State, StateChart


class StrictChart(StateChart[Any]):
    """A statechart that raises all errors."""

    catch_errors_as_events = False
    allow_event_without_transition = False


class TableChart(StrictChart):
    """The states of a table."""

    setting_up = State(initial=True)
    waiting = State()
    handling = State()
    choosing = State()
    illegal = State()
    paused = State()
    carrying_out = State()
    finished = State()

    set_up = setting_up.to(waiting)
    lifted = (
        waiting.to(handling)
        | choosing.to(handling)
        | illegal.to(handling)
        | finished.to(handling)
        | carrying_out.to(handling)
    )
    rested = (
        handling.to(waiting)
        | choosing.to(waiting)
        | illegal.to(waiting)
        | finished.to(waiting)
        | carrying_out.to(waiting)
    )
    doubted = waiting.to(choosing) | handling.to(choosing) | illegal.to(choosing) | finished.to(choosing)
    rejected = waiting.to(illegal) | handling.to(illegal) | choosing.to(illegal) | finished.to(illegal)
    decided = (
        waiting.to(carrying_out)
        | handling.to(carrying_out)
        | choosing.to(carrying_out)
        | illegal.to(carrying_out)
    )
    ended = (
        waiting.to(finished)
        | handling.to(finished)
        | choosing.to(finished)
        | illegal.to(finished)
        | carrying_out.to(finished)
    )
    halted = (
        waiting.to(paused)
        | handling.to(paused)
        | choosing.to(paused)
        | illegal.to(paused)
        | carrying_out.to(paused)
    )
    resumed = paused.to(waiting)
    cleared = (
        waiting.to(setting_up)
        | handling.to(setting_up)
        | choosing.to(setting_up)
        | illegal.to(setting_up)
        | paused.to(setting_up)
        | finished.to(setting_up)
        | carrying_out.to(setting_up)
    )


INITIAL: Final = str(TableChart.initial_state.value)
"""The initial state of a table."""


@cache
def after(state: str, event: str) -> str:
    """The state after *event* in *state*. Raises `TransitionNotAllowed`.

    The chart has neither guards nor actions, so results are cached:
    a hall has thousands of events per second.
    """
    chart = TableChart(start_value=state)
    chart.send(event)
    (reached,) = chart.configuration_values
    return str(reached)


def table() -> str:
    """The transitions as a Markdown table."""
    return f"{TableChart:md}"


def diagram() -> str:
    """The transitions as a Mermaid diagram."""
    return f"{TableChart:mermaid}"
