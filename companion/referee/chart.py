# SPDX-License-Identifier: Apache-2.0
"""The table's statechart, and nothing else.

Rules of this file: every state and event of a table is here; what an event *means* is decided elsewhere.
By its defaults a `StateChart` swallows what callbacks raise and ignores unknown events: the base class forbids both.
No parallel regions, no internal transitions, no delayed events: time comes in from outside.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from statemachine import State, StateChart


class StrictChart(StateChart[Any]):
    """A statechart that hides no error."""

    catch_errors_as_events = False
    allow_event_without_transition = False


class TableChart(StrictChart):
    """What a table is doing."""

    setting_up = State(initial=True)
    waiting = State()
    handling = State()
    choosing = State()
    astray = State()
    paused = State()
    finished = State()

    set_up = setting_up.to(waiting)
    lifted = waiting.to(handling) | choosing.to(handling) | astray.to(handling) | finished.to(handling)
    rested = handling.to(waiting) | choosing.to(waiting) | astray.to(waiting) | finished.to(waiting)
    doubted = waiting.to(choosing) | handling.to(choosing) | astray.to(choosing) | finished.to(choosing)
    strayed = waiting.to(astray) | handling.to(astray) | choosing.to(astray) | finished.to(astray)
    ended = waiting.to(finished) | handling.to(finished) | choosing.to(finished) | astray.to(finished)
    halted = waiting.to(paused) | handling.to(paused) | choosing.to(paused) | astray.to(paused)
    resumed = paused.to(waiting)
    cleared = (
        waiting.to(setting_up)
        | handling.to(setting_up)
        | choosing.to(setting_up)
        | astray.to(setting_up)
        | paused.to(setting_up)
        | finished.to(setting_up)
    )


INITIAL: Final = str(TableChart.initial_state.value)
"""The state in which a table begins."""


@cache
def after(state: str, event: str) -> str:
    """The state to which *event* leads from *state*. Raises `TransitionNotAllowed` if it leads nowhere.

    The chart has neither guards nor actions: it is asked once, for a hall has some thousand events a second.
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
