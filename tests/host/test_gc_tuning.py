# SPDX-License-Identifier: Apache-2.0
"""Python's search for garbage keeps no move waiting."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator

import pytest

from companion.host.gc_tuning import sweep_rarely


@pytest.fixture
def as_before() -> Iterator[None]:
    """The search goes on afterwards as it went before."""
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


@pytest.mark.usefixtures("as_before")
def test_what_a_program_holds_from_the_beginning_is_not_searched_in_mid_game() -> None:
    async def beginning() -> None:
        sweep_rarely()

    asyncio.run(beginning())
    searched: list[int] = []
    gc.callbacks.append(lambda phase, info: searched.append(info["generation"]))
    try:
        kept = [[number] for number in range(150_000)]  # what some hundred moves leave, several times over
    finally:
        gc.callbacks.pop()
    assert kept
    assert searched
    assert 2 not in searched
    assert gc.get_freeze_count()
