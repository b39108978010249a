# SPDX-License-Identifier: Apache-2.0
"""A game with another table is chosen in the menu on the board."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from companion.host.journal.setup import GameSetup
from companion.host.online.elsewhere import GamesElsewhere
from companion.host.online.two_tables.code import read_code
from companion.host.online.two_tables.tables import visit
from companion.host.play.start import OnlineOptions, PlayOptions
from companion.host.virtual_table.hands import Clear, Drop, Lift, Take
from companion.referee.values.commands import Resign
from companion.referee.values.view import Phase
from tests.host.online.seats import QUICK, seated, until
from tests.host.play.test_board_menu import Played, played
from tests.ports import free_port

pytestmark = pytest.mark.usefixtures("own_folder", "no_closing_pause")

GAME = "close-quarters"


async def choose(board: Played, *names: str) -> None:
    """Put a piece on the cell of each of *names*."""
    for name in names:
        await until(lambda name=name: board.offers(name))  # type: ignore[misc]
        virtual_table = board.table.current.virtual_table
        assert virtual_table is not None
        standing = {cells[0] for _, cells in virtual_table.pieces.standing.entries}
        of_menu = {each.cell for each in board.menu.cells} if board.menu else set()
        board.table.do(Take(0) if virtual_table.pieces.box else Lift(min(standing - of_menu)))
        board.table.do(Drop(board.cell(name)))
        await until(lambda name=name: board.menu is None or board.menu.sentence.startswith(name))  # type: ignore[misc]


@pytest.mark.long
def test_another_table_is_invited_at_the_board_and_another_game_is_chosen_after_it(tmp_path: Path) -> None:
    async def run() -> None:
        via, said = f"ws://127.0.0.1:{free_port()}", list[str]()
        wished = PlayOptions(
            GameSetup(GAME, players=("Ana",)),
            intervals=QUICK,
            online=OnlineOptions("new", via),
            folder=tmp_path,
        )
        async with played(wished, None, GamesElsewhere(wished), said.append) as board:
            table = board.table
            await until(lambda: table.pipeline.view.phase is Phase.WAITING)
            table.do(Clear())
            await choose(board, "Close Quarters", "Another table", "Begin")
            await until(lambda: any("--online" in each for each in said))
            assert "--online" in table.remarks["elsewhere"], "the page shows the code, too"
            code = next(found[1] for each in said if (found := re.search(r"--online (\S+)", each)))
            guest = await visit(
                replace(wished, setup=GameSetup(GAME, players=("Bo",)), online=None), read_code(code), via
            )
            async with seated(tmp_path, "guest", guest) as other:
                await until(lambda: table.current.setup.is_elsewhere)
                assert set(table.current.setup.players) == {"Ana", "Bo"}
                await until(lambda: other.view.phase is Phase.WAITING)
                other.table.ask(Resign(guest.side))
                await until(lambda: table.pipeline.view.outcome is not None)
                await until(lambda: board.menu is not None)
                assert board.menu is not None
                assert [each.name for each in board.menu.cells] == ["Another game", "Go over the game"]
            await choose(board, "Another game", "Begin")
            await until(lambda: not table.current.setup.is_elsewhere)
            assert table.current.setup.players == ()

    asyncio.run(run())
