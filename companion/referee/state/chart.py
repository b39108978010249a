# SPDX-License-Identifier: Apache-2.0
"""The table's statechart: which phase a table is in after an event.

Rules of this file: it lists all states and events of a table, and decides between them by guards;
what the guards mean is `Facts`, and the state of the session says which are true.
By default a `StateChart` swallows exceptions of callbacks and ignores unknown events:
the base class forbids both.
No parallel regions, no internal transitions, no delayed events: time is passed in.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

from statemachine import State, StateChart


class Facts(NamedTuple):
    """What the guards ask about a session; each field is a guard."""

    is_over: bool = False
    """True if the game has an outcome."""
    is_decided: bool = False
    """True while hands carry out a move that was decided elsewhere."""
    is_at_fault: bool = False
    """True while a fault is shown."""
    is_handled: bool = False
    """True while the board differs from the believed position."""
    is_asked: bool = False
    """True while a question is open."""


class StrictChart(StateChart[Any]):
    """A statechart that raises all errors."""

    catch_errors_as_events = False
    allow_event_without_transition = False


class TableChart(StrictChart):
    """The states of a table."""

    setting_up = State(initial=True)
    paused = State()

    class on_board(State.Compound):
        """The pieces stand as the game has them, or hands move them."""

        waiting = State(initial=True)
        handling = State()
        choosing = State()
        illegal = State()
        carrying_out = State()
        finished = State()

    set_up = setting_up.to(on_board)
    judged = (  # the first whose guard is true
        on_board.to(on_board.finished, cond="is_over")  # type: ignore[operator]  # its stub is of a class
        | on_board.to(on_board.carrying_out, cond="is_decided")
        | on_board.to(on_board.illegal, cond="is_at_fault")
        | on_board.to(on_board.handling, cond="is_handled")
        | on_board.to(on_board.choosing, cond="is_asked")
        | on_board.to(on_board.waiting)
    )
    ended = setting_up.to(on_board.finished) | paused.to(on_board.finished) | on_board.to(on_board.finished)
    halted = on_board.to(paused, unless="is_over")
    resumed = paused.to(on_board)
    cleared = on_board.to(setting_up) | paused.to(setting_up)


INITIAL: Final = str(TableChart.initial_state.value)
"""The initial state of a table."""


NO_FACTS: Final = Facts()


@cache
def after(state: str, event: str, facts: Facts = NO_FACTS) -> str:
    """The state after *event* in *state* with *facts*. Raises `TransitionNotAllowed`.

    The chart has no actions and knows no more than these three, so its results are kept: a hall
    has thousands of events per second.
    """
    chart = TableChart(start_value=state, listeners=[facts])
    chart.send(event)
    (reached,) = (each.value for each in chart.configuration if not each.states)
    return str(reached)


def table() -> str:
    """The transitions as a Markdown table."""
    return f"{TableChart:md}"


def diagram() -> str:
    """The transitions as a Mermaid diagram."""
    return f"{TableChart:mermaid}"
