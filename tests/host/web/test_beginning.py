# SPDX-License-Identifier: Apache-2.0
"""Who begins another game in place of one on the table, and who is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.websockets import WebSocket

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.play.new_table import make_table
from companion.host.table.table import Table
from companion.host.web.beginning import MOST, Asker
from companion.host.web.browser_socket import is_here
from companion.host.web.table_seats import LetBegin, Sit, TableSeats
from companion.referee.session.session import Session
from tests.host.tables import GAME, HEADER

ASKED = "A game is under way. Those who play it have been asked: wait for their answer."
KEPT = "Those who play want to go on with their game. Begin another one when it is over."
NOBODY = "A game is under way, and nobody is at its page to be asked. Open that page, and begin the new game there."
OFTEN = "Too many games were begun within a minute. Wait a moment."


@dataclass
class Hearing:
    """A browser that notes what the program says to it."""

    said: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def send_text(self, text: str) -> None:
        self.said.put_nowait(json.loads(text)["told"])


@dataclass
class Club:
    """A table with a game under way, and the games that were begun."""

    table: Table
    begun: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seats = TableSeats(self.table)

    def open(self, *names: str) -> None:
        for name in names:
            self.seats.enter(name, asyncio.Event())

    def goes_on(self, *, is_under_way: bool) -> None:
        record = cast("Any", ("a move",) if is_under_way else ())
        self.table.pipeline.view = replace(self.table.pipeline.view, record=record)

    async def wants(self, name: str, *, is_here: bool = False, hearing: Hearing | None = None) -> Hearing:
        hearing = hearing or Hearing()

        async def begin() -> None:
            self.begun.append(name)

        await self.seats.begin(Asker(cast(WebSocket, hearing), name, is_here, "en"), "chess", begin)
        return hearing


async def heard(hearing: Hearing) -> str:
    return await asyncio.wait_for(hearing.said.get(), 60)


async def answered() -> None:
    """Wait until nobody waits for an answer any more."""
    current = asyncio.current_task()
    await asyncio.wait(asyncio.all_tasks() - {current}, timeout=60)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    game = games.find(GAME)
    rules = game.rules()
    with JournalWriter.create(tmp_path / "game.jsonl", HEADER) as writer:
        made = Club(
            make_table(None, game, Session(rules), load("en", GAME, rules.sides), writer, monotonic())
        )
        made.goes_on(is_under_way=True)
        yield made


def test_who_has_a_seat_begins_at_once_and_others_ask(club: Club) -> None:
    async def run() -> None:
        club.open("ann", "ben", "eve")
        club.seats.take("ann", Sit((0,)))
        await club.wants("ann")
        stranger = await club.wants("eve", is_here=True)
        assert await heard(stranger) == ASKED
        assert club.begun == ["ann"]
        asked = [club.seats.seen_by(name, "de")["begins"] for name in ("ann", "ben", "eve")]
        assert asked == ["Schach", "", ""]
        club.seats.take("ben", LetBegin(lets=True))  # it has no seat
        club.seats.take("ann", LetBegin(lets=False))
        assert await heard(stranger) == KEPT
        assert club.seats.seen_by("ann")["begins"] == ""
        assert await heard(await club.wants("eve")) == KEPT  # the players are left alone
        assert club.begun == ["ann"]

    asyncio.run(run())


def test_the_game_begins_once_the_players_let_it(club: Club) -> None:
    async def run() -> None:
        club.open("ann")
        club.seats.take("ann", Sit((0, 1)))
        stranger = await club.wants("")
        assert await heard(stranger) == ASKED
        await club.wants("", hearing=stranger)  # another wish of the same browser takes the place
        assert await heard(stranger) == ASKED
        other = await club.wants("")
        assert await heard(other) == "Another device asks for a game just now. Try again in a minute."
        club.seats.take("ann", LetBegin(lets=True))
        await answered()
        assert club.begun == [""]

    asyncio.run(run())


def test_nobody_is_asked_any_more_once_the_asker_has_gone(club: Club) -> None:
    async def run() -> None:
        club.open("ann")
        club.seats.take("ann", Sit((0,)))
        stranger = await club.wants("eve")
        assert await heard(stranger) == ASKED
        club.seats.withdraw(cast(WebSocket, stranger))
        assert club.seats.seen_by("ann")["begins"] == ""
        club.seats.take("ann", LetBegin(lets=True))
        await answered()
        assert (club.begun, stranger.said.empty()) == ([], True)

    asyncio.run(run())


def test_without_an_answer_the_game_goes_on(club: Club) -> None:
    async def run() -> None:
        club.seats = TableSeats(club.table, patience_s=0)
        club.open("ann")
        club.seats.take("ann", Sit((0,)))
        stranger = await club.wants("eve")
        assert await heard(stranger) == ASKED
        assert await heard(stranger) == (
            "Those who play have not answered. Ask them, or begin when their game is over."
        )
        assert (club.begun, club.seats.seen_by("ann")["begins"]) == ([], "")

    asyncio.run(run())


def test_another_game_ends_the_question(club: Club, tmp_path: Path) -> None:
    async def run() -> None:
        club.open("ann")
        club.seats.take("ann", Sit((0,)))
        stranger = await club.wants("eve")
        assert await heard(stranger) == ASKED
        with JournalWriter.create(tmp_path / "next.jsonl", HEADER) as writer:
            club.table.current = replace(club.table.current, journal=writer)
            assert club.seats.seen_by("ann")["begins"] == ""
        assert await heard(stranger) == "Another game has begun in the meantime."

    asyncio.run(run())


def test_while_nobody_is_seated_this_machine_and_those_who_play_begin_and_others_ask_them(club: Club) -> None:
    async def run() -> None:
        assert await heard(await club.wants("eve")) == NOBODY
        await club.wants("at this machine", is_here=True)
        club.open("ann")
        await club.wants("ann")  # it has the only page
        club.open("ben", "cleo")
        club.seats.take("cleo", Sit(()))
        club.seats.play("ben")
        await club.wants("ben")
        assert club.begun == ["at this machine", "ann", "ben"]
        assert await heard(await club.wants("eve")) == ASKED
        asked = [club.seats.seen_by(name)["begins"] for name in ("ann", "ben", "cleo", "eve")]
        assert asked == ["Chess", "Chess", "", ""]
        club.seats.take("ann", LetBegin(lets=True))
        await answered()
        assert club.begun[-1] == "eve"

    asyncio.run(run())


def test_a_game_that_is_not_under_way_is_replaced_by_everybody_but_not_without_end(club: Club) -> None:
    async def run() -> None:
        club.open("ann")
        club.seats.take("ann", Sit((0,)))
        club.goes_on(is_under_way=False)
        for _ in range(MOST):
            await club.wants("")
        assert await heard(await club.wants("")) == OFTEN
        assert len(club.begun) == MOST
        await club.wants("ann")
        await club.wants("", is_here=True)
        assert len(club.begun) == MOST + 2

    asyncio.run(run())


def test_a_round_of_a_hall_belongs_to_its_players_before_the_first_move(club: Club) -> None:
    async def run() -> None:
        club.goes_on(is_under_way=False)
        cast("Any", club.table).has_arbiter = True
        club.open("ann")
        club.seats.take("ann", Sit((0,)))
        stranger = await club.wants("eve")
        assert await heard(stranger) == ASKED
        club.seats.take("ann", LetBegin(lets=False))
        assert await heard(stranger) == KEPT

    asyncio.run(run())


@pytest.mark.parametrize(
    ("client", "called", "expected"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("::1", "::1", True),
        ("::ffff:127.0.0.1", "::", True),
        ("192.168.7.7", "192.168.7.7", True),  # by its address in the network
        ("192.168.7.8", "192.168.7.7", False),
        ("fe80::1%eth0", "fe80::2%eth0", False),
        ("", "127.0.0.1", False),
    ],
)
def test_a_browser_of_this_machine_is_known_by_its_address(client: str, called: str, expected: bool) -> None:
    async def nothing(*_message: object) -> Any:
        raise AssertionError

    scope = {"type": "websocket", "client": (client, 5), "server": (called, 8765)}
    assert is_here(WebSocket(scope, nothing, nothing)) == expected
