# SPDX-License-Identifier: Apache-2.0
"""Garbage collection delays no move."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator

import pytest

from companion.host.gc_tuning import sweep_rarely


@pytest.fixture
def as_before() -> Iterator[None]:
    """Restore the former state of the garbage collector."""
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


@pytest.mark.usefixtures("as_before")
def test_objects_from_the_start_are_not_collected_during_a_game() -> None:
    async def beginning() -> None:
        sweep_rarely()

    asyncio.run(beginning())
    searched: list[int] = []
    gc.callbacks.append(lambda phase, info: searched.append(info["generation"]))
    try:
        kept = [[number] for number in range(150_000)]  # the garbage of some hundred moves, several times
    finally:
        gc.callbacks.pop()
    assert kept
    assert searched
    assert 2 not in searched
    assert gc.get_freeze_count()
