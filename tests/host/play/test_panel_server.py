# SPDX-License-Identifier: Apache-2.0
"""A software panel behind a TCP port: other programs play at it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.play.new_table import make_table
from companion.host.play.panel_server import HELP, serve, understand
from companion.host.terminal.keyboard import Lines
from companion.host.virtual_table.hands import (
    Clear,
    Drop,
    Lift,
    PressClock,
    PutAway,
    PutBack,
    SetRight,
    Take,
    Turn,
)
from companion.host.virtual_table.set_up import make_virtual_table
from companion.host.web.server import listen
from companion.model.grid import rectangle
from companion.referee.session.session import Session
from companion.referee.values.view import Phase
from tests.host.tables import GAME, HEADER, until

pytestmark = pytest.mark.usefixtures("no_closing_pause")


@pytest.mark.parametrize(
    ("line", "hands"),
    [
        ("a1 b2", (Lift(0), Drop(5))),
        ("A1-b2", (Lift(0), Drop(5))),
        ("lift a1", (Lift(0),)),
        ("drop b2", (Drop(5),)),
        ("away a1", (PutAway(0),)),
        ("put b2", (Take(0), Drop(5))),
        ("clear", (Clear(),)),
        ("turn", (Turn(),)),
        ("back", (PutBack(),)),
        ("right", (SetRight(),)),
        ("press 2", (PressClock(1),)),
        ("press 3", ()),
        ("press 0", ()),
        ("a1 z9", ()),
        ("what", ()),
        ("", ()),
        ("quit", ()),
    ],
)
def test_typed_commands_are_actions_of_hands(line: str, hands: object) -> None:
    assert understand(line, rectangle(4, 8), 2) == hands


@pytest.mark.parametrize(("panel", "at"), [("", ""), ("8x8", "d1")])
def test_another_program_plays_at_the_panel_over_the_real_link(tmp_path: Path, panel: str, at: str) -> None:
    rules = games.find(GAME).rules()
    said: list[str] = []

    async def evening() -> None:
        lines: Lines = asyncio.Queue()
        clock = monotonic()
        with (
            listen("127.0.0.1", 0) as listener,
            JournalWriter.create(tmp_path / "game.jsonl", HEADER) as writer,
        ):
            url = f"socket://127.0.0.1:{listener.getsockname()[1]}"
            virtual_table = make_virtual_table(Session(rules), clock, panel, at)
            serving = asyncio.create_task(serve(virtual_table, rules.grid, listener, lines, said.append))
            words = load("en", GAME, rules.sides)
            table = make_table(url, games.find(GAME), Session(rules), words, writer, clock)
            playing = asyncio.create_task(table.run())
            await until(table, lambda: table.pipeline.view.phase is Phase.WAITING)
            lines.put_nowait("nonsense")
            lines.put_nowait("a1 b2")
            await until(table, lambda: [move.move for move in table.pipeline.view.record] == ["a1-b2"])
            playing.cancel()
            await asyncio.wait({playing})
            lines.put_nowait("quit")
            await serving

    asyncio.run(evening())
    assert said[0] == "A program has connected."
    assert HELP in said


def test_every_board_of_martian_chess_has_a_panel() -> None:
    from companion.link.panel import load_panel, panel_names

    known = {load_panel(name).grid: load_panel(name) for name in panel_names()}
    for players in "23456":
        rules = games.find("martian-chess").rules({"players": players})
        panel = known[rules.grid.slug]
        assert panel.cells == len(rules.grid)
        assert panel.buttons >= len(rules.sides) or rules.grid.files
