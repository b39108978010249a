# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that writes what became of each test.

`pytest -p tests.house.recorder --outcomes FOLDER`.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.house.outcomes import Outcome, Outcomes, write, write_long

LEAST_SECONDS = 1
"""A test does not begin with less, since setting it up takes time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", metavar="FOLDER", help="where to write what became of each test")
    parser.addoption(
        "--stop-after",
        metavar="SECONDS",
        type=float,
        help="skip the tests that did not begin by then, and those under way then",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--outcomes"):
        config.pluginmanager.register(Recorder(config))
    if config.getoption("--stop-after"):
        config.pluginmanager.register(Deadline(config.getoption("--stop-after")))


class Recorder:
    """Writes what became of each test, from the process that reports them."""

    def __init__(self, config: pytest.Config) -> None:
        self._folder = Path(config.getoption("--outcomes"))
        self._worker = getattr(config, "workerinput", {}).get("workerid")
        self._chosen: set[str] = set()
        self._long: list[str] = []
        self._tests: dict[str, Outcome] = {}
        self._is_readable = True

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._long += [item.nodeid for item in items if item.get_closest_marker("long")]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._chosen |= {item.nodeid for item in session.items}
        if self._worker in (None, "gw0") and session.items:
            write_long(self._long, self._folder)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        del node
        self._chosen |= set(ids)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._is_readable = self._is_readable and not report.failed

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        for mark in item.iter_markers("unsteady"):
            item.user_properties.append(("unsteady", str(mark.args[0])))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        before = self._tests.get(report.nodeid, Outcome(report.nodeid, 0))
        causes = [str(value) for name, value in report.user_properties if name == "unsteady"]
        self._tests[report.nodeid] = Outcome(
            report.nodeid,
            before.seconds + report.duration,
            before.has_failed or report.failed,
            before.is_skipped or report.skipped,
            causes[-1] if causes else before.cause,
        )

    def pytest_sessionfinish(self) -> None:
        if self._worker is None:
            is_whole = self._is_readable and self._chosen <= set(self._tests)
            write(Outcomes(tuple(self._tests.values()), is_whole), self._folder)


class Deadline:
    """Skips what is not done when the time of the run is over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        left = self._end - time.monotonic()
        if left < LEAST_SECONDS:
            item.add_marker(pytest.mark.skip("not begun in the time of the run"), append=False)
        else:
            item.add_marker(pytest.mark.timeout(left), append=False)  # before one of the test's own
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.failed and time.monotonic() >= self._end:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, "not ended in the time of the run")
        return report
