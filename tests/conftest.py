# SPDX-License-Identifier: Apache-2.0
"""Guards for every test: nobody sleeps, no thread or task is left behind, and hypothesis repeats itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("long", max_examples=5000, deadline=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the long campaigns at full length")
    parser.addoption("--panel", metavar="PORT", help="run the tests that want a real panel, on this port")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--long"):
        settings.load_profile("long")


@pytest.fixture
def is_long(request: pytest.FixtureRequest) -> bool:
    """True if the long campaigns were asked for."""
    return bool(request.config.getoption("--long"))


@pytest.fixture(autouse=True)
def nobody_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that waits by sleeping is wrong on a slower machine: it fails here at once."""

    def refuse(_seconds: float) -> NoReturn:
        raise AssertionError("time.sleep was called: wait for what should happen instead")

    monkeypatch.setattr(time, "sleep", refuse)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Every thread that a test starts has ended with it."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    for thread in left:
        thread.join(timeout=2)
    alive = [thread.name for thread in left if thread.is_alive()]
    assert not alive, f"threads left behind: {alive}"
