# SPDX-License-Identifier: Apache-2.0
"""A line-oriented terminal prints news, including health of panel and camera.

See also tests/cli.
"""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

from rich.console import Console

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.devices.camera_status import CameraState, CameraStatus
from companion.host.journal.journal import JournalWriter
from companion.host.play.new_table import make_table
from companion.host.terminal.keyboard import Lines
from companion.host.terminal.screen import Terminal
from companion.model.errors import Outage
from companion.referee.session.session import Session
from companion.referee.values.view import Phase
from tests.host.tables import GAME, HEADER, until


def seen_at(path: Path, *typed: str, camera: CameraStatus | None = None, encoding: str = "utf-8") -> str:
    """The output for typed lines.

    Each line is typed once the preceding ones were handled.
    """
    rules = games.find(GAME).rules()
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)

    async def sit() -> None:
        with JournalWriter.create(path, HEADER) as writer:
            words = load("en", GAME, rules.sides)
            table = make_table(None, games.find(GAME), Session(rules), words, writer, monotonic())
            table.pipeline.camera = camera
            lines: Lines = asyncio.Queue()
            running = asyncio.create_task(table.run())
            sitting = asyncio.create_task(Terminal(Console(file=file, width=100)).run(table, lines))
            await until(table, lambda: table.pipeline.view.phase is Phase.WAITING)
            for line in typed:
                lines.put_nowait(line)
            await until(table, lambda: "a1-b2" not in typed or len(table.pipeline.view.record) == 1)
            lines.put_nowait(None)
            await sitting
            running.cancel()
            await asyncio.wait({running})

    asyncio.run(sit())
    file.flush()
    return raw.getvalue().decode(encoding)


def test_moves_and_answers_are_printed_line_by_line(tmp_path: Path) -> None:
    seen = seen_at(tmp_path / "game.jsonl", "nonsense", "a1-b2")
    assert "“nonsense” is neither a move nor a command." in seen
    assert " 8  ax ·  ·  sp Close Quarters" in seen


def test_the_obstacles_of_a_camera_are_printed(tmp_path: Path) -> None:
    words = load("en", GAME, games.find(GAME).rules().sides)
    status = CameraStatus(CameraState.LOST, Outage.UNPLUGGED)
    seen = seen_at(tmp_path / "game.jsonl", camera=status)
    assert all(words.common.camera[key] in seen for key in status.keys)


def test_a_limited_terminal_gets_ascii_characters(tmp_path: Path) -> None:
    seen = seen_at(tmp_path / "game.jsonl", encoding="ascii")
    assert " 7  .  .  .  ." in seen
