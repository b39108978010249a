# SPDX-License-Identifier: Apache-2.0
"""Our own opponent thinks in its own process, which is replaced if it dies."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from companion.games import find, slugs
from companion.host.opponent.thinker import SearchInput, Thinker
from companion.model.errors import OpponentError
from companion.opponent.levels import find_level
from companion.opponent.player import choose

T = TypeVar("T")
ENDLESS_MS = 3_600_000
"""A test that waits so long fails at its own time limit."""


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
            thought = await thinker.choose(SearchInput(rules, position, [position], 60_000), "2", 5)
            found = choose(rules, position, find_level(slug, "2"), 5, past=[position])
            assert (thought.move, thought.value, thought.nodes) == (found.move, found.value, found.nodes)

    with_thinker(act)


def test_a_search_is_stopped_on_request() -> None:
    rules = find("chess").rules()

    async def act(thinker: Thinker) -> None:
        await thinker.choose(SearchInput(rules, rules.initial()), "1", 1)  # the process has started
        thinking = asyncio.create_task(
            thinker.analyse(SearchInput(rules, rules.initial(), most_ms=ENDLESS_MS))
        )
        await asyncio.sleep(0)
        thinker.stop()
        assert (await thinking).line[0] in rules.legal_moves(rules.initial())

    with_thinker(act)


def test_a_time_limit_ends_the_search() -> None:
    """Without it, an analysis of chess does not end in an hour."""
    rules = find("chess").rules()

    async def act(thinker: Thinker) -> None:
        found = await thinker.analyse(SearchInput(rules, rules.initial(), most_ms=200))
        assert found.line[0] in rules.legal_moves(rules.initial())

    with_thinker(act)


def test_a_process_that_died_is_replaced(tmp_path: Path) -> None:
    rules = find("close-quarters").rules()
    script = tmp_path / "worker.sh"
    script.write_text(
        f'#!/bin/sh\nif [ -e "{tmp_path}/once" ]; then exec "{sys.executable}" -m companion.host.opponent.worker; fi\n'
        f'touch "{tmp_path}/once"\nread line\nexit 1\n'
    )
    script.chmod(0o755)

    async def act(thinker: Thinker) -> None:
        thought = await thinker.choose(SearchInput(rules, rules.initial()), "1", 1)
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
        await thinker.choose(SearchInput(rules, rules.initial()), "1", 1)

    with pytest.raises(OpponentError, match=reason):
        with_thinker(act, "/bin/sh", "-c", program)
