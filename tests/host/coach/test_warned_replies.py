# SPDX-License-Identifier: Apache-2.0
"""The computer's reply to a warned side waits for the coach, but not for long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion import games
from companion.feedback.hints import advice_sentences
from companion.host.clock import monotonic
from companion.host.coach.coach import USUAL
from companion.host.play.absent_player import JUDGEMENT_MS, Decision, MoveRequest, is_judged, play_absent
from companion.host.play.computer import Computer, played_by_computer
from companion.host.tasks import running
from companion.model.absent import PlayedBy
from companion.model.advice import AdviceKind
from companion.opponent.find import knowledge_of
from companion.referee.session.session import Session
from companion.referee.values.commands import TakeBack
from companion.referee.values.view import Phase, TableView
from tests.host.coach.coached import Coached, coached_table

RULES = games.find("chess").rules()
CHESS = knowledge_of(RULES)
BLUNDER, QUEEN_LOST = "3k4/8/8/3p4/8/8/8/4QK2 w - - 0 1", "Qe4"
AGAINST_COMPUTER = (PlayedBy.TABLE, PlayedBy.COMPUTER)


def queen_given_away(seed: int) -> tuple[str, str]:
    """A position reached at random, and a move that gives White's queen away."""
    chance = Random(seed)
    while True:
        position = RULES.initial()
        for _ in range(chance.randrange(4, 12, 2)):
            position = RULES.apply(position, chance.choice(RULES.legal_moves(position)))
            if RULES.status(position) is not None:
                break
        else:
            moves = [move for move in RULES.legal_moves(position) if gives_queen_away(position, move)]
            if moves:
                return RULES.write_position(position), RULES.write_move(position, chance.choice(moves))


def gives_queen_away(position: Any, move: Any) -> bool:
    """True if *move* captures nothing, and the queen is taken without an answer."""
    after = RULES.apply(position, move)
    if RULES.steps(position, move)[0].piece.kind != "queen" or CHESS.taken(position, move):
        return False
    return any(
        not any(CHESS.taken(taken, back) for back in RULES.legal_moves(taken))
        for taken in queens_taken(after)
    )


def queens_taken(after: Any) -> Iterator[Any]:
    """The positions after each capture of the queen."""
    for reply in RULES.legal_moves(after):
        if any(each.piece.kind == "queen" for each in CHESS.taken(after, reply)):
            yield RULES.apply(after, reply)


async def is_warned(at: Coached, move: str) -> bool:
    """Play *move*; true if a warning of it comes, false if the reply is sooner."""
    pipeline = at.table.pipeline

    def warning() -> bool:
        advice = pipeline.view.advice
        return advice is not None and advice.kind is AdviceKind.WARNING

    at.play(move)
    await at.until(lambda: warning() or pipeline.view.decided is not None or pipeline.view.ply > 1)
    return warning()


def is_taken_back(view: TableView) -> bool:
    """True once the pieces are where they were before the first move."""
    return view.ply == 0 and view.phase is Phase.WAITING


async def given_away(folder: Path, level: int, seed: int) -> None:
    """Give a queen away against *level*, take it back when warned, and repeat."""
    start, move = queen_given_away(seed)
    times, levels = replace(USUAL, warning_s=60), (0, level)
    async with (
        coached_table(folder, start, (0,), AGAINST_COMPUTER, times=times, levels=levels) as at,
        played_by_computer(at.table, Computer(seed), at.informed.append),
    ):
        await at.is_ready()
        for _ in range(2):
            assert await is_warned(at, move), (start, move)
            (said,) = advice_sentences(at.table.pipeline.view, at.table.words("en"))
            assert said.startswith("Careful! This loses the queen"), (start, move, said)
            at.table.ask(TakeBack())
            await at.until(lambda: is_taken_back(at.table.pipeline.view))
        assert at.informed == []


@pytest.mark.parametrize("level", [1, 2, 5])
def test_a_queen_that_is_given_away_is_warned_of_before_the_computer_replies(
    level: int, tmp_path: Path
) -> None:
    asyncio.run(given_away(tmp_path, level, seed=100 * level))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_every_queen_that_is_given_away_is_warned_of(seed: int, tmp_path: Path) -> None:
    asyncio.run(given_away(tmp_path, (1, 2, 5)[seed % 3], seed))


@dataclass
class Quick:
    """An absent player that has decided before it is asked."""

    move: str = "dxe4"
    is_asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def decide(self, request: MoveRequest, session: Session, view: TableView) -> Decision:
        self.is_asked.set()
        return Decision(self.move)


@dataclass
class Time:
    """A clock that can be put forward."""

    ahead_ms: int = 0
    runs: Callable[[], int] = field(default_factory=monotonic)

    def __call__(self) -> int:
        return self.runs() + self.ahead_ms


@dataclass
class Replying:
    """A table with a clock, and a coach that never answers."""

    at: Coached
    clock: Time
    asked_ms: int = 0

    async def reply(self) -> int:
        """Wait for the reply; how long it took since it was asked for."""
        await self.at.until(lambda: self.at.table.pipeline.view.decided is not None)
        return self.clock() - self.asked_ms


@asynccontextmanager
async def replying(
    folder: Path, by: PlayedBy = PlayedBy.COMPUTER, warned: tuple[int, ...] = (0,)
) -> AsyncIterator[Replying]:
    """A table where the queen was given away, and the reply was asked for."""
    played_by, clock, player = (PlayedBy.TABLE, by), Time(), Quick()
    async with coached_table(folder, BLUNDER, warned, played_by, clock=clock, is_watched=False) as at:
        at.table.advise(None)
        async with running(play_absent(at.table, by, player, lambda _: None), "absent player"):
            await at.until(lambda: at.table.pipeline.view.phase is Phase.WAITING)
            at.play(QUEEN_LOST)
            async with asyncio.timeout(60):
                await player.is_asked.wait()
            yield Replying(at, clock, clock())


def test_the_computer_waits_two_seconds_for_a_coach_that_never_answers(tmp_path: Path) -> None:
    async def play() -> None:
        async with replying(tmp_path) as game:
            assert not is_judged(game.at.table)
            assert await game.reply() >= JUDGEMENT_MS - 100

    asyncio.run(play())


def test_the_two_seconds_are_those_of_the_clock_of_the_table(tmp_path: Path) -> None:
    async def play() -> None:
        async with replying(tmp_path) as game:
            game.clock.ahead_ms = JUDGEMENT_MS
            game.at.table.press_hint()  # a change
            assert await game.reply() < 2 * JUDGEMENT_MS - 100

    asyncio.run(play())


def test_the_computer_replies_as_soon_as_the_move_is_judged(tmp_path: Path) -> None:
    async def play() -> None:
        async with replying(tmp_path) as game:
            assert game.at.table.pipeline.view.decided is None
            game.at.table.advise(None, judged=game.at.table.pipeline.view.position)
            assert await game.reply() < JUDGEMENT_MS - 100

    asyncio.run(play())


@pytest.mark.parametrize(
    ("by", "warned"), [(PlayedBy.ELSEWHERE, (0,)), (PlayedBy.COMPUTER, ()), (PlayedBy.COMPUTER, (1,))]
)
def test_a_move_from_elsewhere_and_one_that_nobody_is_warned_before_come_at_once(
    by: PlayedBy, warned: tuple[int, ...], tmp_path: Path
) -> None:
    async def play() -> None:
        async with replying(tmp_path, by, warned) as game:
            assert await game.reply() < JUDGEMENT_MS - 100

    asyncio.run(play())
