# SPDX-License-Identifier: Apache-2.0
"""A side played by a program: asked, stopped and replaced at a running virtual table."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal import journal
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.opponent.thinker import Ahead, MoveSource, SearchInput, Thinker, Thought
from companion.host.play.computer import Computer, played_by_computer
from companion.host.play.new_table import make_table
from companion.host.records.explain import explain
from companion.host.records.records import from_journal
from companion.host.records.replay import replay, restored, session_of
from companion.host.table.table import Table
from companion.model.absent import PlayedBy
from companion.model.game import Outcome
from companion.referee.values.commands import OfferDraw, Pause, Resume, TakeBack
from companion.referee.values.events import DrawDeclined, MoveDecided, Stage
from companion.referee.values.view import Phase
from tests.host.tables import HEADER

COMPUTER = (PlayedBy.TABLE, PlayedBy.COMPUTER)

SCRIPTED = """
import json, os, sys
moves = {moves!r}
for line in sys.stdin:
    request = json.loads(line)
    ply = len(request["past"])
    with open({log!r}, "a") as log:
        log.write(f"{{os.getpid()}} {{ply}}\\n")
    answer, _, value = moves[str(ply)].partition(" at ")
    if answer == "think":
        while True:
            pass
    if answer == "end":
        break
    print(json.dumps({{"move": answer, "value": int(value or 0), "depth": 1, "nodes": 1, "ms": 1}}), flush=True)
"""


@dataclass
class Running:
    """A table with its player."""

    table: Table
    log: Path
    informed: list[str] = field(default_factory=list)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until *holds*, examined after each change and every few ms."""
        async with asyncio.timeout(60):
            with self.table.watch() as has_changed:
                while not holds():
                    waiting = asyncio.create_task(has_changed.wait())
                    await asyncio.wait({waiting}, timeout=0.02)
                    waiting.cancel()
                    has_changed.clear()

    def play(self, text: str) -> None:
        """Make a move with the virtual hands."""
        rules, position = self.table.pipeline.session.rules, self.table.pipeline.session.position
        self.table.do(tuple(rules.steps(position, rules.read_move(position, text))))

    def made(self) -> list[str]:
        """The announced moves."""
        record = self.table.pipeline.view.record
        return [move.move for move in record if move.stage is not Stage.PROVISIONAL]

    def asked(self) -> list[tuple[int, int]]:
        """Process and ply of each request."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [(int(pid), int(ply)) for pid, ply in map(str.split, lines)]


@asynccontextmanager
async def running(
    tmp_path: Path,
    moves: dict[str, str],
    slug: str = "chess",
    of: Callable[[MoveSource], MoveSource] = lambda source: source,
    **options: str,
) -> AsyncIterator[Running]:
    """A virtual table, the second side of which *of* a scripted program plays."""
    log = tmp_path / "requests.log"
    script = tmp_path / "player.py"
    script.write_text(SCRIPTED.format(moves=moves, log=str(log)))
    game = games.find(slug)
    rules = game.rules(options)
    header = replace(HEADER, setup=GameSetup(slug, tuple(rules.options.items()), played_by=COMPUTER))
    computer = Computer(1, of(Thinker([sys.executable, str(script)])))
    with JournalWriter.create(tmp_path / "game.jsonl", header) as writer:
        session, words = session_of(header, rules), load("en", slug, rules.sides)
        table = make_table(None, game, session, words, writer, monotonic())
        at = Running(table, log)
        task = asyncio.create_task(table.run())
        try:
            async with played_by_computer(table, computer, at.informed.append):
                yield at
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def is_alive(pid: int) -> bool:
    """True if process *pid* runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_program_plays_a_side_and_the_virtual_hands_carry_its_moves_out(tmp_path: Path) -> None:
    async def play() -> None:
        async with running(tmp_path, {"1": "e5", "3": "Nc6"}) as at:
            await at.until(lambda: at.table.pipeline.view.phase is Phase.WAITING)
            at.play("e4")
            await at.until(lambda: at.made() == ["e4", "e5"])
            at.table.ask(OfferDraw(0))
            at.play("Nf3")
            await at.until(lambda: at.made() == ["e4", "e5", "Nf3", "Nc6"])
            assert [ply for _, ply in at.asked()] == [1, 3]
            assert len({pid for pid, _ in at.asked()}) == 1

    asyncio.run(play())
    kept = journal.read(tmp_path / "game.jsonl")
    assert [each.move for each in kept.events if isinstance(each, MoveDecided)] == ["e5", "Nc6"]
    (game,) = from_journal(kept)
    assert game.record.tags["Black"] == "Computer"
    assert "White" not in game.record.tags
    assert [each.side for each in kept.events if isinstance(each, DrawDeclined)] == [1]
    assert replay(kept) is None
    explained = explain(kept)
    assert {each.kept for each in explained.decisions} == {None}
    assert explain(kept, 1).decisions == ()  # decided elsewhere
    assert restored(kept, explained.rules, kept.header.sensor).played_by == COMPUTER


def test_thinking_stops_when_the_position_changes_and_another_process_is_ready(tmp_path: Path) -> None:
    async def play() -> None:
        async with running(tmp_path, {"1": "think", "3": "e5"}) as at:
            await at.until(lambda: at.table.pipeline.view.phase is Phase.WAITING)
            at.play("e4")
            await at.until(lambda: len(at.asked()) == 1)
            ((pid, _),) = at.asked()
            at.table.ask(TakeBack())
            await at.until(lambda: at.made() == [] and not is_alive(pid))
            await at.until(lambda: at.table.pipeline.view.phase is Phase.WAITING)
            at.play("d4")
            await at.until(lambda: len(at.asked()) == 2)
            assert at.asked()[1][0] != pid

    asyncio.run(play())


@pytest.mark.long
def test_thinking_stops_in_a_pause_and_begins_again_after_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with running(tmp_path, {"1": "think"}) as at:
            await at.until(lambda: at.table.pipeline.view.phase is Phase.WAITING)
            at.play("e4")
            await at.until(lambda: len(at.asked()) == 1)
            at.table.ask(Pause())
            await at.until(lambda: not is_alive(at.asked()[0][0]))
            at.table.ask(Resume())
            await at.until(lambda: len(at.asked()) == 2)

    asyncio.run(play())


def test_the_computer_takes_a_draw_where_it_stands_worse(tmp_path: Path) -> None:
    async def play() -> None:
        async with running(tmp_path, {"1": "e5", "3": "Nc6 at -50"}) as at:
            await at.until(lambda: at.table.pipeline.view.phase is Phase.WAITING)
            for move, reply in (("e4", "e5"), ("Nf3", "")):
                at.table.ask(OfferDraw(0))
                at.play(move)
                if reply:
                    await at.until(lambda: at.made()[-1:] == ["e5"])
                    assert at.table.pipeline.view.draw_offered_by is None
            await at.until(lambda: at.table.pipeline.view.outcome is not None)
            assert at.table.pipeline.view.outcome == Outcome((), "agreement")

    asyncio.run(play())


class FailsFirst:
    """A `MoveSource` with an error in it, which the first question meets."""

    def __init__(self, source: MoveSource) -> None:
        self._source = source
        self._asked = 0

    async def choose(self, at: SearchInput, level: str, seed: int) -> Thought:
        self._asked += 1
        if self._asked == 1:
            raise ZeroDivisionError("what nobody expects")
        return await self._source.choose(at, level, seed)

    def think_ahead(self, ahead: Ahead) -> None:
        self._source.think_ahead(ahead)

    def rest(self) -> None:
        self._source.rest()

    async def kill(self) -> None:
        await self._source.kill()


def test_an_internal_error_is_said_at_once_and_the_next_move_is_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        async with running(tmp_path, {"1": "d5"}, of=FailsFirst) as at:
            await at.until(lambda: at.table.pipeline.view.phase is Phase.WAITING)
            at.play("e4")
            await at.until(lambda: at.informed != [])
            assert at.informed[0].startswith("error in this program: the computer has failed")
            at.table.ask(TakeBack())
            await at.until(lambda: at.made() == [] and at.table.pipeline.view.phase is Phase.WAITING)
            at.play("d4")
            await at.until(lambda: at.made() == ["d4", "d5"])

    asyncio.run(play())
    assert [record.getMessage() for record in caplog.records] == ["error in this program: the computer"]
    caplog.clear()


@pytest.mark.parametrize("answer", ["end", pytest.param("no move", marks=pytest.mark.long)])
def test_a_program_that_fails_is_reported_and_the_game_goes_on(tmp_path: Path, answer: str) -> None:
    async def play() -> None:
        async with running(tmp_path, {"1": answer, "3": "e5"}) as at:
            await at.until(lambda: at.table.pipeline.view.phase is Phase.WAITING)
            at.play("e4")
            await at.until(lambda: bool(at.informed))
            assert at.made() == ["e4"]
            assert at.informed[0].startswith("the opponent's process")

    asyncio.run(play())
