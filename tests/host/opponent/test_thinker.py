# SPDX-License-Identifier: Apache-2.0
"""Our own opponent thinks in its own process, which is replaced if it dies."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from companion.games import find, slugs
from companion.host.opponent.thinker import Thinker
from companion.model.errors import OpponentError
from companion.opponent.levels import find_level
from companion.opponent.player import choose

T = TypeVar("T")


def with_thinker(act: Callable[[Thinker], Awaitable[T]], *command: str) -> T:
    async def run() -> T:
        thinker = Thinker(command) if command else Thinker()
        try:
            return await act(thinker)
        finally:
            await thinker.close()

    return asyncio.run(run())


def test_the_process_plays_what_the_pure_function_plays() -> None:
    async def act(thinker: Thinker) -> None:
        for slug in slugs():
            rules = find(slug).rules()
            position = rules.initial()
            thought = await thinker.choose(rules, position, "2", 5, past=[position], most_ms=60_000)
            found = choose(rules, position, find_level(slug, "2"), 5, past=[position])
            assert (thought.move, thought.value, thought.nodes) == (found.move, found.value, found.nodes)

    with_thinker(act)


def test_a_search_is_stopped_on_request() -> None:
    rules = find("chess").rules()

    async def act(thinker: Thinker) -> float:
        await thinker.choose(rules, rules.initial(), "1", 1)  # the process has started
        start = time.monotonic()
        thinking = asyncio.create_task(thinker.choose(rules, rules.initial(), "master", 1, most_ms=3_600_000))
        await asyncio.sleep(0)
        thinker.stop()
        assert (await thinking).move in rules.legal_moves(rules.initial())
        return time.monotonic() - start

    assert with_thinker(act) < 2


def test_a_time_limit_ends_the_search() -> None:
    rules = find("chess").rules()

    async def act(thinker: Thinker) -> int:
        thought = await thinker.choose(rules, rules.initial(), "8", 1, most_ms=200)
        return thought.ms

    assert with_thinker(act) < 1000


def test_a_process_that_died_is_replaced(tmp_path: Path) -> None:
    rules = find("close-quarters").rules()
    script = tmp_path / "worker.sh"
    script.write_text(
        f'#!/bin/sh\nif [ -e "{tmp_path}/once" ]; then exec "{sys.executable}" -m companion.host.opponent.worker; fi\n'
        f'touch "{tmp_path}/once"\nread line\nexit 1\n'
    )
    script.chmod(0o755)

    async def act(thinker: Thinker) -> None:
        thought = await thinker.choose(rules, rules.initial(), "1", 1)
        assert thought.move in rules.legal_moves(rules.initial())

    with_thinker(act, str(script))


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("exit 1", "has ended unexpectedly"),
        ("while read line; do echo nonsense; done", "answers nonsense"),
        ('while read line; do echo \'{"move": "a1-a1"}\'; done', "answers nonsense"),
    ],
)
def test_a_process_that_fails_twice_is_named(program: str, reason: str) -> None:
    rules = find("close-quarters").rules()

    async def act(thinker: Thinker) -> None:
        await thinker.choose(rules, rules.initial(), "1", 1)

    with pytest.raises(OpponentError, match=reason):
        with_thinker(act, "/bin/sh", "-c", program)
