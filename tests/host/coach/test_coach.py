# SPDX-License-Identifier: Apache-2.0
"""The coach at a running virtual table: hints in three stages, and warnings in time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from companion import games
from companion.feedback.hints import advice_sentences, merits
from companion.feedback.wordfiles import languages
from companion.host.coach.coach import is_blunder
from companion.host.journal import journal
from companion.host.opponent.thinker import Thinker
from companion.host.play.absent_player import requested
from companion.host.records.replay import replay
from companion.host.virtual_table.hands import Drop, Lift
from companion.model.absent import PlayedBy
from companion.model.advice import AdviceKind, HintStage
from companion.opponent.knowledge import WIN
from companion.referee.values.commands import TakeBack
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase
from tests.host.coach.coached import BOUNDED, coached_table

CAPTURE = "4k3/8/8/3q4/8/4N3/4P3/4K3 w - - 0 1"
"""The knight takes the queen."""
BLUNDER = "3k4/8/8/3p4/8/8/4Q3/4K3 w - - 0 1"
"""On e4 the queen is lost, and it gives no check."""


def test_three_presses_show_piece_cell_and_reason_and_a_fourth_hides_them(tmp_path: Path) -> None:
    async def play() -> None:
        async with coached_table(tmp_path, CAPTURE) as at:
            await at.is_ready()
            pipeline = at.table.pipeline
            assert await at.next_hint() == ["e3"]
            assert await at.next_hint() == ["e3", "d5"]
            assert (await at.next_hint())[:3] == ["e3", "d5", "wins"]
            at.table.press_hint()
            await at.until(lambda: pipeline.view.advice is None)
            at.table.press_hint()
            await at.until(lambda: pipeline.view.advice is not None)
            at.play("Nxd5")
            await at.until(lambda: bool(pipeline.view.record) and pipeline.view.advice is None)
            assert at.informed == []

    asyncio.run(play())
    assert replay(journal.read(tmp_path / "game.jsonl")) is None


def test_there_is_no_hint_against_people_elsewhere(tmp_path: Path) -> None:
    async def play() -> None:
        by = (PlayedBy.TABLE, PlayedBy.ELSEWHERE)
        async with coached_table(tmp_path, CAPTURE, warned=(0,), played_by=by) as at:
            pipeline = at.table.pipeline
            await at.until(lambda: pipeline.view.phase is Phase.WAITING)
            at.table.press_hint()
            at.play("Nxd5")
            await at.until(lambda: bool(pipeline.view.record) and pipeline.layers.hints.presses == 1)
            await at.until(lambda: pipeline.view.record[-1].stage is not Stage.PROVISIONAL)
            assert not pipeline.view.gives_hints
            assert pipeline.view.advice is None

    asyncio.run(play())


def test_a_piece_tapped_twice_asks_for_a_hint(tmp_path: Path) -> None:
    async def play() -> None:
        async with coached_table(tmp_path, CAPTURE) as at:
            await at.is_ready()
            king = at.table.pipeline.session.rules.grid.cell("e1")
            for _ in range(2):
                at.table.do(Lift(king))
                at.table.do(Drop(king))
            await at.until(lambda: (now := at.table.pipeline.view.advice) is not None and bool(now.source))

    asyncio.run(play())


def test_a_move_that_loses_at_once_is_warned_of_before_it_is_announced(tmp_path: Path) -> None:
    async def play() -> None:
        by = (PlayedBy.TABLE, PlayedBy.COMPUTER)
        async with coached_table(tmp_path, BLUNDER, warned=(0,), played_by=by) as at:
            await at.is_ready()
            pipeline = at.table.pipeline
            at.play("Qe4")
            await at.until(lambda: pipeline.view.advice is not None)
            advice = pipeline.view.advice
            assert advice is not None
            assert advice.kind is AdviceKind.WARNING
            assert [*map(pipeline.session.rules.grid.name, advice.target)] == ["e4"]
            (sentence,) = advice_sentences(pipeline.view, at.table.words("en"))
            assert sentence == "Careful! This loses the queen on e4: dxe4."
            await at.until(lambda: pipeline.view.record[-1].stage is not Stage.PROVISIONAL)
            assert requested(at.table, PlayedBy.COMPUTER) is None  # it waits while the warning is shown

    asyncio.run(play())


BLUNDERS = {
    "close-quarters": (
        "4/1A2/3P/4/4/4/4/1S1M s 0",
        "b1-b2",
        "loses the game: the Mace goes from d1 to b2 and captures the Sword",
    ),
    "fightopia": (
        "2pgg1p1/1ppggpp1/3ppp2/v1P4P/v3Pv2/p2PPv2/V1PGG2V/VPPGGPPV b",
        "Tf3f4-f2f3",
        "loses the tank on f2 and f3: the giant kills the tank on f2 and f3",
    ),
    "gottaz": (
        "u2l4,s4w2,.,s3w3,./l4u2,.,.,u3l3,u1w5/.,.,.,L3U3,./.,.,U1W5,.,W2S4/.,W2S4,.,.,. s "
        "2S1L5+1U1W5+2U2L4+1W3S3 2S1L5+1U1W5+1W2S4 -",
        "a4-b4",
        "loses the game in 2 moves at most: the Support 1 goes from c2 to c3",
    ),
    "martian-chess": (
        "1qd1/q1p1/ddq1/4/2pp/1pdd/2q1/pdqq 2 0,1 - - -",
        "c6-a4",
        "lets the opponent gain 1 point in an exchange: the Queen goes from a4 to a6 and captures the Drone",
    ),
    "tank-chess": (
        "w MJ1N CJ2NE HA3N LB3NW HM3NW LK4SW LN4S LC5SW MF5NE MK6E lL12SE mH13S mI13SE lL13NE lK14NE mK15SE "
        "hN15SW hD16S lE16NE cI16S",
        "A3-A5NW",
        "loses the Medium Tank on K6: the Medium Tank goes from H13 to F11, still faces south and destroys "
        "the Medium Tank on K6",
    ),
}
"""In each other game a position, a move that loses at once, and what."""


@pytest.mark.parametrize("slug", BLUNDERS)
def test_in_every_game_there_are_warnings_and_hints_in_words(slug: str, tmp_path: Path) -> None:
    start, move, loses = BLUNDERS[slug]
    turn = games.find(slug).rules().read_position(start).turn

    async def play() -> None:
        times = replace(BOUNDED, nodes=4000) if slug == "tank-chess" else BOUNDED
        async with coached_table(tmp_path, start, warned=(turn,), slug=slug, times=times) as at:
            await at.is_ready()
            pipeline, words = at.table.pipeline, at.table.words("en")
            said = [await at.next_hint() and [*advice_sentences(pipeline.view, words)] for _ in HintStage]
            assert all(one != other for one, other in pairwise(said))
            advice = at.shown()
            assert (advice.kind, advice.stage) == (AdviceKind.HINT, HintStage.REASON)
            for language in languages():
                words = at.table.words(language)
                (sentence,) = advice_sentences(pipeline.view, words)
                assert all(each in sentence for each in merits(advice.claims, words, is_told=True))
                assert "{" not in sentence
            at.play(move)
            await at.until(
                lambda: (now := pipeline.view.advice) is not None and now.kind is AdviceKind.WARNING
            )
            assert pipeline.view.advice is not None
            for language in languages():
                (sentence,) = advice_sentences(pipeline.view, at.table.words(language))
                assert "{" not in sentence
            (sentence,) = advice_sentences(pipeline.view, at.table.words("en"))
            assert sentence == f"Careful! This {loses}."
            assert pipeline.view.advice.target == pipeline.view.record[-1].target
            assert at.informed == []

    asyncio.run(play())


def test_the_computer_answers_when_a_warning_has_been_shown_long_enough(tmp_path: Path) -> None:
    async def play() -> None:
        by = (PlayedBy.TABLE, PlayedBy.COMPUTER)
        async with coached_table(
            tmp_path, BLUNDER, warned=(0,), played_by=by, times=replace(BOUNDED, warning_s=0.1)
        ) as at:
            await at.is_ready()
            seen = set()

            def is_asked() -> bool:
                seen.add(at.table.pipeline.view.advice is not None)
                return True in seen and requested(at.table, PlayedBy.COMPUTER) is not None

            at.play("Qe4")
            await at.until(is_asked)

    asyncio.run(play())


@pytest.mark.parametrize(("warned", "move"), [((0,), "Kf2"), ((1,), "Qe4")])
def test_only_losing_moves_of_warned_sides_are_warned_of(
    tmp_path: Path, warned: tuple[int, ...], move: str
) -> None:
    async def play() -> None:
        async with coached_table(tmp_path, BLUNDER, warned) as at:
            await at.is_ready()
            pipeline, seen = at.table.pipeline, set()
            at.play(move)

            def is_announced() -> bool:
                seen.add(pipeline.view.advice)
                return bool(pipeline.view.record) and pipeline.view.record[-1].stage is Stage.ANNOUNCED

            await at.until(is_announced)
            assert seen == {None}

    asyncio.run(play())


def test_a_puzzle_says_its_task_and_blinks_when_the_win_is_given_away(tmp_path: Path) -> None:
    async def play() -> None:
        by = (PlayedBy.TABLE, PlayedBy.COMPUTER)
        mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
        async with coached_table(tmp_path, mate, played_by=by, puzzle=1) as at:
            await at.is_ready()
            pipeline = at.table.pipeline

            def shown() -> tuple[AdviceKind, int] | None:
                advice = pipeline.view.advice
                return None if advice is None else (advice.kind, advice.count)

            await at.until(lambda: shown() == (AdviceKind.TASK, 1))
            at.play("Ra7")
            await at.until(lambda: shown() == (AdviceKind.MISSED, 0))
            await at.until(lambda: pipeline.view.record[-1].stage is not Stage.PROVISIONAL)
            assert requested(at.table, PlayedBy.COMPUTER) is None
            at.table.ask(TakeBack())
            await at.until(lambda: shown() == (AdviceKind.TASK, 1))
            at.play("Ra8#")
            await at.until(lambda: pipeline.view.outcome is not None)
            assert shown() is None
            assert at.informed == []

    asyncio.run(play())


def test_a_process_that_fails_is_reported_and_the_game_goes_on(tmp_path: Path) -> None:
    async def play() -> None:
        async with coached_table(tmp_path, CAPTURE, thinker=Thinker(["/bin/false"])) as at:
            await at.is_ready()
            at.table.press_hint()
            await at.until(lambda: at.table.pipeline.layers.hints.presses > 0)
            await at.until(lambda: bool(at.informed) and at.table.pipeline.view.advice is None)
            assert "has ended unexpectedly" in at.informed[0]
            at.play("Nxd5")
            await at.until(lambda: bool(at.table.pipeline.view.record))

    asyncio.run(play())


@pytest.mark.parametrize(
    ("best", "made", "is_one"),
    [
        (50, 20, False),
        (50, -150, True),
        (0, -WIN + 2, True),
        (-WIN + 4, -WIN + 2, False),
        (WIN - 3, 400, False),
    ],
)
def test_a_blunder_loses_the_game_or_two_least_pieces(best: int, made: int, is_one: bool) -> None:
    assert is_blunder(best, made) is is_one
