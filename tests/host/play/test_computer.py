# SPDX-License-Identifier: Apache-2.0
"""The computer plays whole games at a virtual table, and ends with its table."""

from __future__ import annotations

import asyncio
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal import journal
from companion.host.journal.journal import FORMAT, Header, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.opponent.mind import questions_ahead
from companion.host.opponent.protocol import LEVELS
from companion.host.opponent.thinker import Thinker
from companion.host.play.computer import Computer, played_by_computer
from companion.host.play.new_table import make_table
from companion.host.records.replay import replay, session_of
from companion.model.absent import PlayedBy
from companion.model.observation import SensorKind
from companion.referee.values.controls import read_control
from companion.referee.values.timing import Timing

BRISK = Timing(rest_ms=30, hint_ms=200, dwell_ms=250, dwell_emptied_ms=400, longest_ms=800)

PARENT = """
import asyncio
from pathlib import Path
from companion.games import find
from companion.host.opponent.thinker import SearchInput, Thinker

async def think():
    rules = find("chess").rules()
    thinking = Thinker().choose(SearchInput(rules, rules.initial(), most_ms=600_000), "strongest", 1)
    task = asyncio.create_task(thinking)
    own = Path("/proc/thread-self/children")
    while not own.read_text():
        await asyncio.sleep(0)
    print(own.read_text(), flush=True)
    await task

asyncio.run(think())
"""


async def played(
    tmp_path: Path, slug: str, plies: int, clock: str = "none", thinker: Thinker | None = None
) -> list[str]:
    """The moves of a game of random moves against the computer, which begins second."""
    game = games.find(slug)
    rules = game.rules()
    header = Header(
        FORMAT,
        "0",
        "2026-05-01T20:15:00+02:00",
        GameSetup(slug, tuple(rules.options.items()), played_by=(PlayedBy.TABLE, PlayedBy.COMPUTER)),
        BRISK,
        SensorKind.IDENTITY_FACING,
        control=read_control(clock, len(rules.sides)),
    )
    chance, informed = Random(1), list[str]()
    with JournalWriter.create(tmp_path / "game.jsonl", header) as writer:
        session, words = session_of(header, rules), load("en", slug, rules.sides)
        table = make_table(None, game, session, words, writer, monotonic())
        table.current = replace(table.current, setup=replace(table.current.setup, levels=(0, 1)))
        running = asyncio.create_task(table.run())
        made = -1
        async with played_by_computer(table, Computer(1, thinker), informed.append):
            with table.watch() as has_changed:
                async with asyncio.timeout(100):
                    while (view := table.pipeline.view).ply < plies and view.outcome is None:
                        if view.phase == "waiting" and view.turn == 0 and view.ply > made:
                            made = view.ply
                            move = chance.choice(rules.legal_moves(session.position))
                            table.do(tuple(rules.steps(session.position, move)))
                        await has_changed.wait()
                        has_changed.clear()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert informed == []
    return [line.move for line in table.pipeline.view.record]


@pytest.mark.parametrize("slug", ["close-quarters"])
def test_the_computer_plays_a_side_and_the_virtual_hands_carry_its_moves_out(
    tmp_path: Path, slug: str
) -> None:
    assert len(asyncio.run(played(tmp_path, slug, 6, "5+3"))) >= 4
    assert replay(journal.read(tmp_path / "game.jsonl")) is None


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash copies the questions")
def test_the_computer_thinks_about_its_next_question_while_people_think(tmp_path: Path) -> None:
    copied = f'exec "{sys.executable}" -m companion.host.opponent.worker < <(tee "{tmp_path}/asked")'
    moves = asyncio.run(played(tmp_path, "close-quarters", 6, thinker=Thinker(["bash", "-c", copied])))
    assert len(moves) >= 4
    lines = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    foreseen: list[list[dict[str, Any]]] = []
    asked: list[tuple[dict[str, Any], list[list[dict[str, Any]]]]] = []
    for line in lines:
        if not line.startswith("{"):
            continue
        question = json.loads(line)
        if LEVELS in question:
            foreseen.append([timeless(each) for each in questions_ahead(question, lambda: False)])
        else:
            asked.append((timeless(question), foreseen))
            foreseen = []
    assert len(asked) >= 2
    for question, before in asked[1:]:  # the process has started with the first
        assert any(question in each for each in before)
    assert replay(journal.read(tmp_path / "game.jsonl")) is None


def timeless(question: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in question.items() if name != "most_ms"}


@pytest.mark.long
@pytest.mark.parametrize("slug", games.slugs())
def test_the_computer_plays_every_game(tmp_path: Path, slug: str) -> None:
    assert asyncio.run(played(tmp_path, slug, 12))
    assert replay(journal.read(tmp_path / "game.jsonl")) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the children of a process are read from /proc")
def test_the_process_of_the_computer_ends_when_its_table_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
    try:
        ended, _, _ = select.select([child], [], [], 60)
        assert ended
    finally:
        os.close(child)
