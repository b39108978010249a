# SPDX-License-Identifier: Apache-2.0
"""Guards for every test.

No test sleeps, leaves a thread or task behind, or logs an error. hypothesis is deterministic.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, settings
from serial.urlhandler import protocol_socket

from tests import programs

settings.register_profile(
    "repeatable",
    derandomize=True,
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("long", max_examples=5000, deadline=None)
settings.load_profile("repeatable")


LONGEST = tuple(
    f"tests/{name}"
    for name in (
        *("page/", "firmware/", "cli/", "sensing/", "house/", "host/hall/", "test_programs.py"),
        *("referee/test_traces.py", "referee/test_chaos.py", "bench/players/", "games/conformance/"),
    )
)
"""The files with most of the processor time, and single long ones."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the long campaigns at full length")
    parser.addoption("--panel", metavar="PORT", help="run the tests that want a real panel, on this port")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--long"):
        settings.load_profile("long")


def pytest_sessionstart() -> None:
    """Search no garbage while tests are collected: that took a third of each worker's time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From now on garbage is searched, but seldom, and not among what was collected."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # as in the program; the usual ones took a tenth of many tests
    gc.enable()


def pytest_unconfigure() -> None:
    programs.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect `--long` tests without that option; sort the longest files first.

    So no core waits for the last file of another.
    """
    if not config.getoption("--long"):
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.fixture
def is_long(request: pytest.FixtureRequest) -> bool:
    """True if `--long` was given."""
    return bool(request.config.getoption("--long"))


@pytest.fixture(autouse=True)
def nobody_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sleeping fails the test: a fixed wait breaks on slower machines."""

    def refuse(_seconds: float) -> NoReturn:
        raise AssertionError("time.sleep was called: wait for what should happen instead")

    monkeypatch.setattr(time, "sleep", refuse)


@pytest.fixture(autouse=True)
def nobodys_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests do not depend on the settings of the user who runs them.

    Their pages are served to this machine alone, and Bluetooth is not searched.
    """
    monkeypatch.setenv("XDG_CONFIG_HOME", str(Path(__file__).parent / "settings"))


@pytest.fixture
def no_closing_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disables pyserial's sleep after closing a socket, meant for slow servers."""
    monkeypatch.setattr(protocol_socket, "time", SimpleNamespace(sleep=lambda _seconds: None))


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Journals, store, lessons and profiles of this test only."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Every thread that a test starts has ended with the test."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    for thread in left:
        thread.join(timeout=30)
    alive = [thread.name for thread in left if thread.is_alive()]
    assert not alive, f"threads left behind: {alive}"


@pytest.fixture(autouse=True)
def no_task_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test ends all tasks of its event loop itself.

    `asyncio.run` would hide the others by cancelling them.
    """
    run = asyncio.run

    def checked(main: Coroutine[Any, Any, Any], **options: Any) -> Any:
        async def watched() -> Any:
            result = await main
            left = [task.get_name() for task in asyncio.all_tasks() - {asyncio.current_task()}]
            assert not left, f"tasks left behind: {left}"
            return result

        return run(watched(), **options)

    monkeypatch.setattr(asyncio, "run", checked)


@pytest.fixture(autouse=True)
def no_error_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A logged error fails the test; `caplog.clear()` accepts an expected one."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    errors = [record.getMessage() for record in records if record.levelno >= logging.ERROR]
    assert not errors, f"errors were logged: {errors}"
