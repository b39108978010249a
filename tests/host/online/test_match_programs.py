# SPDX-License-Identifier: Apache-2.0
"""A match between two halls, each a program of its own with a panel."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from companion.host.journal import journal
from companion.host.journal.journal import CommandEntry
from companion.model.errors import CompanionError
from companion.referee.values.commands import Play
from companion.referee.values.events import GameBegan, MoveMade, Stage
from tests.host.online.seats import until
from tests.host.online.walks import PATIENCE_S, Board, board_of
from tests.ports import free_port
from tests.programs import Program
from tests.waits import brisk

pytestmark = pytest.mark.long


@dataclass
class HallProgram:
    """A hall with one board, its hands, and what it has printed."""

    folder: Path
    name: str
    board: Board
    lines: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def running(self, *words: str) -> AsyncIterator[None]:
        """The program runs in the context."""
        environment = {**os.environ, **brisk(self.folder), "XDG_DATA_HOME": str(self.folder)}
        environment |= {"PYTHONUNBUFFERED": "1", "COLUMNS": "400"}
        command = ["hall", "--http-port=0", f"--board={self.name}=chess@{self.board.panel.url}", *words]
        program = await asyncio.to_thread(Program, "companion", command, stdout=PIPE, env=environment)
        assert program.stdout is not None
        reading = asyncio.create_task(asyncio.to_thread(self._read, program.stdout))
        try:
            yield
        finally:
            program.send_signal(signal.SIGINT)
            await asyncio.to_thread(program.wait, PATIENCE_S)
            await reading
            program.stdout.close()
        assert program.returncode == 0, self.lines

    def _read(self, output: Any) -> None:
        for line in output:
            self.lines.append(line.rstrip())

    def says(self, pattern: str) -> re.Match[str] | None:
        """What it has printed that fits *pattern*."""
        return next((found for line in self.lines if (found := re.search(pattern, line))), None)

    def entries(self) -> list[object]:
        """All entries of its journals, as far as they are written."""
        found: list[object] = []
        for path in sorted(self.folder.rglob("*.jsonl")):
            with contextlib.suppress(CompanionError):  # it is being written
                found += journal.read(path).entries
        return found

    def has_begun(self) -> bool:
        """True once the game of the match has begun, the second one here."""
        return sum(isinstance(each, GameBegan) for each in self.entries()) >= 2

    def made(self) -> list[str]:
        """The moves that were announced."""
        moves = (each for each in self.entries() if isinstance(each, MoveMade))
        return [each.move for each in moves if each.stage is Stage.ANNOUNCED]

    def is_told(self, move: str) -> bool:
        """True once the board asks for the other hall's *move*."""
        commands = (each.command for each in self.entries() if isinstance(each, CommandEntry))
        return any(isinstance(each, Play) and each.move == move for each in commands)

    def carry(self, position: Any, text: str) -> None:
        """Let the hands make the move *text*."""
        rules = self.board.rules
        self.board.hands.do(tuple(rules.steps(position, rules.read_move(position, text))))


async def move(mover: HallProgram, other: HallProgram, position: Any, text: str) -> None:
    """Make a move at the board of *mover*, and carry it out at the other."""
    mover.carry(position, text)
    await until(lambda: text in mover.made())
    await until(lambda: other.is_told(text))
    other.carry(position, text)
    await until(lambda: text in other.made())


def test_two_halls_play_a_match_of_one_board_to_its_end(tmp_path: Path) -> None:
    async def play() -> None:
        via = f"ws://127.0.0.1:{free_port()}"
        async with board_of("chess") as one, board_of("chess") as two:
            here, there = (
                HallProgram(tmp_path / name, name, board) for name, board in (("ana", one), ("bo", two))
            )
            here.folder.mkdir()
            there.folder.mkdir()
            async with here.running("--match", "new", "--via", via):
                await until(lambda: here.says(r"--match (\S+)") is not None)
                code = here.says(r"--match (\S+)")
                assert code is not None
                async with there.running("--match", code[1], "--via", via):
                    await until(lambda: here.has_begun() and there.has_begun())
                    rules = one.rules
                    position = rules.initial()
                    sides = [(here, there), (there, here)]
                    for ply, text in enumerate(("f3", "e5", "g4", "Qh4#")):
                        await move(*sides[ply % 2], position, text)
                        position = rules.apply(position, rules.read_move(position, text))
                    await until(lambda: here.says("1 of 1 boards: 0 to 1") is not None)
                    await until(lambda: there.says("1 of 1 boards: 1 to 0") is not None)

    asyncio.run(play())
