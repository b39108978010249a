# SPDX-License-Identifier: Apache-2.0
"""Every trace leads to the right record, without a needless question or report.

With `--inference=former` sessions use the former inference, to compare the two.
"""

from __future__ import annotations

import pytest

from companion.model.observation import SensorKind
from tests.bench.core import use_former
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
def test_a_trace_is_understood(
    trace: Trace, kind: SensorKind, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_former = pytestconfig.getoption("--inference") == "former"
    if is_former:
        use_former(monkeypatch.setattr)
    try:
        differences = performed(trace, kind).differences(right(trace), may_ask_less=True)
    except NotOfferedError as error:
        differences = [str(error)]
    if trace.fails and not is_former:
        if not differences:
            pytest.fail("it is understood now: delete its key `fails`", pytrace=False)
        pytest.xfail(trace.fails)
    if differences:
        pytest.fail("\n".join(differences), pytrace=False)
