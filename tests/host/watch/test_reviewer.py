# SPDX-License-Identifier: Apache-2.0
"""Games are analysed in the background, and the result is kept with them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion.host.opponent.thinker import Thinker
from companion.host.records.records import KeptGame, from_record
from companion.host.watch.judged import GameAnalysis, mistakes
from companion.host.watch.reviewer import Reviewer
from companion.model.errors import OpponentError
from companion.model.notation import GameRecord
from companion.opponent.knowledge import WIN

MOVES = ("e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#")
GAME = from_record(GameRecord("chess", moves=MOVES, result="white: checkmate"))


async def finished(reviewer: Reviewer, game: KeptGame = GAME) -> list[GameAnalysis]:
    """The stages of the analysis of *game*."""
    try:
        return [await reviewer.progress(game), *[found async for found in reviewer.finish(game)]]
    finally:
        await reviewer.close()


def test_a_game_is_judged_in_the_background_and_its_blunder_is_found(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/store.sqlite"
    stages = asyncio.run(finished(Reviewer(store, 60_000, most_nodes=2000)))
    assert stages[0].positions == ()
    assert stages[0].total == len(MOVES) + 1
    found = stages[-1]
    assert found.is_complete
    assert found.positions[-1].value == -WIN
    assert found.positions[-2].value == found.positions[-2].played == WIN - 1
    assert "Nf6" in [each.played.text for each in mistakes(GAME.record, found)]
    # kept: found again without any process
    assert asyncio.run(finished(Reviewer(store, 60, Thinker(["/bin/false"])))) == [found]


def test_a_store_that_cannot_be_used_only_costs_the_keeping(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    short = from_record(GameRecord("close-quarters", moves=("a1-b2",)))
    stages = asyncio.run(finished(Reviewer(f"sqlite:///{tmp_path}/file/no.sqlite", 20), short))
    assert stages[-1].is_complete


def test_the_analysis_of_a_solved_game_is_exact(tmp_path: Path) -> None:
    moves = ("a1-b2", "d8-b8!", "b2-c3", "b8-b2!", "c3xb2", "d1xb2#")
    game = from_record(GameRecord("close-quarters", moves=moves, result="weapons: sword-eliminated"))
    found = asyncio.run(finished(Reviewer(f"sqlite:///{tmp_path}/store.sqlite", 20), game))[-1]
    values = [each.value for each in found.positions]
    assert values[0] == 0
    assert values[-2:] == [WIN - 1, -WIN]


def test_a_process_that_fails_is_reported_and_the_next_request_begins_again(tmp_path: Path) -> None:
    async def run() -> None:
        reviewer = Reviewer(f"sqlite:///{tmp_path}/store.sqlite", 20, Thinker(["/bin/false"]))
        with pytest.raises(OpponentError, match="ended unexpectedly"):
            await finished(reviewer)

    asyncio.run(run())
