# SPDX-License-Identifier: Apache-2.0
"""Every trace leads to the right record, without a needless question or report."""

from __future__ import annotations

import pytest

from companion.model.observation import SensorKind
from tests.referee.trace_files import Trace, all_traces
from tests.referee.trace_results import NotOfferedError, performed, right

CASES = [
    pytest.param(
        trace,
        kind,
        id=f"{topic}: {trace.name}" + (f" [{kind}]" if len(trace.sensor) > 1 else ""),
        marks=[pytest.mark.long] if trace.long else [],
    )
    for topic, trace in all_traces()
    for kind in trace.sensor
]


@pytest.mark.parametrize(("trace", "kind"), CASES)
def test_a_trace_is_understood(trace: Trace, kind: SensorKind) -> None:
    try:
        differences = performed(trace, kind).differences(right(trace), may_ask_less=True)
    except NotOfferedError as error:
        differences = [str(error)]
    if trace.fails:
        if not differences:
            pytest.fail("it is understood now: delete its key `fails`", pytrace=False)
        pytest.xfail(trace.fails)
    if differences:
        pytest.fail("\n".join(differences), pytrace=False)
