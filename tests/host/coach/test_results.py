# SPDX-License-Identifier: Apache-2.0
"""Who wins in the positions of solved games, for those who want to see it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from companion.feedback.words import load
from companion.games import find
from companion.host.analysis.tablebases import folder
from companion.host.clock import monotonic
from companion.host.coach.results import Results, answer_results, follow_wishes
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.new_table import make_table
from companion.host.play.start import PlayOptions
from companion.host.records.records import from_record
from companion.host.records.replay import session_of
from companion.host.table.table import Table
from companion.host.watch.review import ReviewedGame
from companion.model.absent import PlayedBy
from companion.model.notation import GameRecord
from companion.opponent.close_quarters.tablebase import name_of
from tests.host.tables import HEADER, until
from tests.host.test_successive_games import at_table, started
from tests.opponent.close_quarters.samples import KING, rules_of

WON = "4/4/4/4/4/S3/4/P1A1 s 0"
GAME = ReviewedGame(from_record(GameRecord("close-quarters", start=WON, moves=("a3xa1!",))))


def page_says(table: Table) -> str:
    said: str = table.page_state()["analysis"]
    return said


def test_the_page_of_a_solved_game_says_it_once_somebody_wants_to_see_it(own_folder: Path) -> None:
    async def play_on(table: Table) -> None:
        following = asyncio.create_task(follow_wishes(table, Results()))
        await started(table, "close-quarters")
        assert page_says(table) == ""
        table.want_result()
        await until(table, lambda: page_says(table) != "")
        assert page_says(table) == "The side to move wins with best play; plies to the end: 5"
        assert table.page_state()["is_secret"]
        following.cancel()
        await asyncio.wait({following})

    at_table(PlayOptions(GameSetup("close-quarters", position=WON)), play_on)


@pytest.mark.parametrize(
    "play_options", [PlayOptions(GameSetup("chess")), PlayOptions(GameSetup("fightopia"))]
)
def test_other_games_have_none(own_folder: Path, play_options: PlayOptions) -> None:
    async def play_on(table: Table) -> None:
        await started(table, play_options.setup.game)
        table.want_result()
        assert not table.pipeline.layers.hints.wants_result

    at_table(play_options, play_on)


def test_against_people_elsewhere_and_in_a_hall_there_is_none(tmp_path: Path) -> None:
    for by, has_arbiter in (((PlayedBy.TABLE, PlayedBy.ELSEWHERE), False), ((), True)):
        with JournalWriter.create(
            tmp_path / f"{has_arbiter}.jsonl", replace(HEADER, setup=replace(HEADER.setup, played_by=by))
        ) as writer:
            rules = find("close-quarters").rules()
            session = session_of(replace(HEADER, setup=replace(HEADER.setup, played_by=by)), rules)
            words = load("en", "close-quarters", rules.sides)
            game = make_table(None, find("close-quarters"), session, words, writer, monotonic()).current
            table = Table(game, has_arbiter=has_arbiter)
            table.want_result()
            assert not table.pipeline.layers.hints.wants_result


def test_each_position_of_a_game_has_a_result_in_the_language_of_the_page() -> None:
    async def said(language: str) -> list[str]:
        answer = await answer_results(lambda: GAME, language, Results())
        found: list[str] = json.loads(bytes(answer.body))
        return found

    won, lost = asyncio.run(said("en"))
    assert won == "The side to move wins with best play; plies to the end: 5"
    assert lost == "The side to move loses with best play; plies to the end: 4"
    assert asyncio.run(said("fr"))[1].startswith("Le camp au trait perd")


@pytest.mark.long
def test_a_missing_solution_is_computed_beside_the_program_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rules = rules_of(KING)
    evaluate = asyncio.run(Results().of(rules))
    assert "loses with best play" in evaluate(rules.read_position(WON))
    assert (folder() / name_of(KING)).is_file()
