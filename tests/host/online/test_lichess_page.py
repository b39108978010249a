# SPDX-License-Identifier: Apache-2.0
"""Games on lichess that are asked for on the page of a table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from companion.host.journal.setup import GameSetup
from companion.host.online import tokens
from companion.host.online.elsewhere import GamesElsewhere
from companion.host.play.start import PlayOptions
from companion.host.table.table import Table
from companion.host.table.table_game import Invitation
from companion.host.web.table_page import understand
from companion.model.absent import PlayedBy
from tests.host.online.fake_lichess import TOKEN, FakeGame, FakeLichess, lichess
from tests.host.online.seats import QUICK, until
from tests.host.play.test_board_menu import played

pytestmark = pytest.mark.usefixtures("own_folder", "no_closing_pause")


@asynccontextmanager
async def at_table() -> AsyncIterator[tuple[Table, FakeLichess]]:
    """A table of chess whose owner is logged in to the fake server."""
    async with lichess() as fake:
        tokens.keep(fake.url, TOKEN)
        wished = PlayOptions(GameSetup("chess"), intervals=QUICK)
        async with played(wished, None, GamesElsewhere(wished), lambda _said: None) as board:
            await until(lambda: board.table.invitations.server == fake.url)
            yield board.table, fake


def asked(table: Table, *, control: str = "", game: str = "chess", **wish: Any) -> Invitation | None:
    """The request of a browser, if it is sensible."""
    place = wish.pop("place", table.invitations.server)
    said = {"is": "Invitation", "place": place, "game": {"game": game, "control": control}, **wish}
    message = understand(json.dumps(said), table)
    assert message is None or isinstance(message, Invitation)
    return message


def ask(table: Table, **wish: Any) -> None:
    """Ask as a browser does."""
    message = asked(table, **wish)
    assert message is not None
    table.invitations.wanted = message
    table.notify()


@pytest.mark.parametrize(
    ("wish", "form"),
    [
        ({"control": "15+10"}, {"time": "15", "increment": "10", "rated": "false"}),
        ({"days": 3}, {"days": "3", "rated": "false"}),
        (
            {"opponent": "Bo", "control": "10"},
            {"clock.limit": "600", "clock.increment": "0", "rated": "false"},
        ),
        pytest.param({"opponent": "Bo", "days": 1}, {"days": "1", "rated": "false"}, marks=pytest.mark.long),
        ({"opponent": "computer:2", "control": "none"}, {"level": "2"}),
    ],
)
def test_anyone_a_player_and_the_computer_are_asked_and_a_game_begins(
    wish: dict[str, Any], form: dict[str, str]
) -> None:
    async def run() -> None:
        async with at_table() as (table, fake):
            ask(table, **wish)
            await fake.has_seek.wait()
            if "opponent" not in wish:
                fake.begin(FakeGame("game0001"))
            await until(lambda: PlayedBy.ELSEWHERE in table.current.setup.played_by)
            seek = {**fake.seeks[0]}
            for usual in ("variant", "color", "keepAliveStream"):
                seek.pop(usual, None)
            assert seek == form
            assert set(table.current.setup.players) == {"Ana", "FM Bo"}
            assert "menu" not in table.remarks

    asyncio.run(run())


def test_what_the_server_does_not_play_is_said_before_it_is_asked() -> None:
    async def run() -> None:
        async with at_table() as (table, fake):
            for wish, said in (
                ({"control": "3+2"}, "8 minutes or more"),
                ({"opponent": "Bo", "control": "1"}, "3 minutes or more"),
                ({"opponent": "../account"}, "letters, digits"),
            ):
                ask(table, **wish)
                await until(lambda said=said: said in table.remarks.get("menu", ""))  # type: ignore[misc]
                assert said in str(table.page_state("en")["view"]["notices"])
            assert fake.asked == []
            fake.declines = True
            ask(table, opponent="Bo", control="10")
            await until(lambda: "Bo has declined" in table.remarks.get("menu", ""))
            assert PlayedBy.ELSEWHERE not in table.current.setup.played_by

    asyncio.run(run())


def test_a_browser_can_ask_only_for_what_the_page_offers() -> None:
    async def run() -> None:
        async with at_table() as (table, _):
            assert asked(table, control="15+10") is not None
            assert asked(table, place="https://elsewhere.example") is None
            assert asked(table, opponent="x" * 41) is None
            assert asked(table, game="go") is None
            table.invitations.server = ""
            assert asked(table, control="15+10") is None

    asyncio.run(run())
