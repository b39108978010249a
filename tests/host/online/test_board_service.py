# SPDX-License-Identifier: Apache-2.0
"""The service by which lichess.org's page and other programs read a board."""

from __future__ import annotations

import asyncio
import json
import socket
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from companion.host.clock import monotonic
from companion.host.online.board_service import MOST_FEEDS, listening
from companion.host.settings import BoardServiceSettings
from companion.virtual.panel import VirtualPanel
from tests.host.online.walks import PATIENCE_S, Walk, walking
from tests.host.tcp import TcpPanel
from tests.ports import free_port
from tests.virtual.eboards.dgt import VirtualDgtEboard
from tests.virtual.eboards.wire import pieces_of

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
LICHESS = "https://lichess.org"
FOOLS_MATE = (("f2", "f3", "P"), ("e7", "e5", "p"), ("g2", "g4", "P"), ("d8", "h4", "q"))


@dataclass
class Reader:
    """A page that asks for boards, subscribes, and sets up its game."""

    line: ClientConnection
    events: list[dict[str, Any]] = field(default_factory=list)

    async def call(self, number: int, call: str, param: object = None) -> dict[str, Any]:
        """Return the answer to *call*."""
        await self.line.send(json.dumps({"id": number, "call": call, "param": param}))
        while (said := await self._receive())["response"] == "feed" or said["id"] != number:
            pass
        return said

    async def set_up(self, placement: str, rest: str = "w KQkq - 0 1") -> dict[str, Any]:
        about = {"id": 1, "method": "setup", "param": {"fen": f"{placement} {rest}"}}
        return await self.call(3, "call", about)

    async def until(self, **wanted: object) -> None:
        """Wait for an event with the fields *wanted*."""
        async with asyncio.timeout(PATIENCE_S):
            while not any(wanted.items() <= event.items() for event in self.events[-1:]):
                await self._receive()

    async def _receive(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(await self.line.recv())
        if said["response"] == "feed":
            assert said["id"] == 7 or isinstance(said["id"], str)
            self.events.append(said["param"])
        return said


@asynccontextmanager
async def reading(port: int) -> AsyncIterator[Reader]:
    """A page of lichess that has subscribed to the only board."""
    async with connect(f"ws://localhost:{port}/api/v1.0", origin=LICHESS) as line:  # type: ignore[arg-type]
        reader = Reader(line)
        (board,) = (await reader.call(1, "eboards"))["param"]
        assert (board["source"], board["state"], board["board"]) == ("Companion", "ACTIVE", START)
        param = {"feed": "eboardevent", "id": 7, "param": {"serialnr": board["serialnr"]}}
        assert (await reader.call(2, "subscribe", param))["response"] == "call"
        yield reader


def served_at(port: int) -> str:
    return f"[board_service]\non = true\nport = {port}\n"


def test_listed_pages_read_moves_others_are_refused_and_nonsense_is_answered(tmp_path: Path) -> None:
    port = free_port()

    async def play() -> None:
        async with walking(tmp_path, settings=served_at(port)) as walk:
            assert f"Boards can be read at ws://127.0.0.1:{port}/api/v1.0" in walk.lines
            async with reading(port) as reader:
                await _read_an_illegal_move_and_a_move(walk, reader)
            await _intrude(f"ws://127.0.0.1:{port}/api/v1.0")
            listed = await asyncio.to_thread(_fetch, f"http://127.0.0.1:{port}/api/v1.0/eboards")
            assert [board["serialnr"] for board in listed] == ["Companion"]

    asyncio.run(play())


def test_a_connection_has_a_few_feeds_and_is_told_so(tmp_path: Path) -> None:
    port = free_port()

    async def play() -> None:
        async with walking(tmp_path, settings=served_at(port)), reading(port) as reader:

            async def subscribe(feed: object) -> dict[str, Any]:
                return await reader.call(9, "subscribe", {"feed": "eboardevent", "id": feed})

            for number in range(MOST_FEEDS - 1):
                assert (await subscribe(f"more {number}"))["response"] == "call"
            refused = await subscribe("one too many")
            assert (refused["response"], refused["param"]) == (
                "error",
                f"a connection has {MOST_FEEDS} feeds at most: unsubscribe from one",
            )
            assert (await subscribe(7))["response"] == "call", "that one begins again"
            await reader.call(10, "unsubscribe", "more 0")
            assert (await subscribe("another"))["response"] == "call"

    asyncio.run(play())


async def _read_an_illegal_move_and_a_move(walk: Walk, reader: Reader) -> None:
    """Only the second is among the moves."""
    await reader.until(board=START)
    assert "san" not in reader.events[-1]  # a page may take the last one for a move made now
    assert (await reader.set_up(START))["param"] is None
    await reader.until(san=[])
    walk.carry("e2", "e5")
    await walk.phase("illegal")
    await reader.until(board="rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR", san=[])
    walk.carry("e5", "e2")
    await walk.phase("waiting")
    await walk.move("d4")
    await reader.until(san=["d4"])


async def _intrude(url: str) -> None:
    """Open *url* from a page that is not listed, and say nonsense."""
    with pytest.raises(InvalidStatus, match="403"):
        async with connect(url, origin="https://lichess.example"):  # type: ignore[arg-type]
            pass
    async with connect(url) as line:
        for said, reason in (
            ("nonsense", "a message is a JSON object"),
            ("[" * 3000, "a message is a JSON object"),
            ('{"id":5,"call":"move"}', "known calls are"),
            ('{"id":5,"call":"subscribe","param":{"feed":"eboardevent","id":[]}}', "known calls are"),
            (
                '{"id":5,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"2"}}}',
                "the only board is Companion",
            ),
            (
                '{"id":5,"call":"call","param":{"id":1,"method":"setup","param":{"fen":"8/8 w"}}}',
                "",
            ),
        ):
            await line.send(said)
            answer = json.loads(await line.recv())
            assert answer["response"] == "error"
            assert answer["param"].startswith(reason)


@pytest.mark.long
def test_a_page_reads_a_board_of_another_maker_until_the_game_is_over(tmp_path: Path) -> None:
    service_port, clock = free_port(), monotonic()
    board = VirtualDgtEboard(pieces_of(START), clock())

    def carry(source: str, target: str, letter: str) -> None:
        board.take(source, clock())
        board.put(target, letter, clock())

    async def play() -> None:
        async with TcpPanel(cast(VirtualPanel, board), clock).serving() as line:
            words = ("--port", f"dgt:{line.url}")
            async with (
                walking(tmp_path, *words, settings=served_at(service_port)) as walk,
                reading(service_port) as reader,
            ):
                assert (await reader.set_up(START))["param"] is None
                for ply, (source, target, letter) in enumerate(FOOLS_MATE, start=1):
                    if ply == 2:
                        carry("e7", "e4", "p")
                        await walk.phase("illegal")
                        carry("e4", "e7", "p")
                        await walk.phase("waiting")
                    carry(source, target, letter)
                    await walk.until(lambda ply=ply: len(walk.made()) == ply)  # type: ignore[misc]
                await reader.until(san=["f3", "e5", "g4", "Qh4#"])

    asyncio.run(play())


@pytest.mark.long
def test_a_page_reads_a_virtual_table_until_the_game_is_over(tmp_path: Path) -> None:
    service_port = free_port()

    async def play() -> None:
        words = ("--port", "virtual:8x8")
        async with (
            walking(tmp_path, *words, settings=served_at(service_port)) as walk,
            reading(service_port) as reader,
        ):
            assert (await reader.set_up(START))["param"] is None
            for ply, (source, target, _) in enumerate(FOOLS_MATE, start=1):
                await walk.command("Lift", cell=walk.rules.grid.cell(source))
                await walk.command("Drop", cell=walk.rules.grid.cell(target))
                await walk.until(lambda ply=ply: len(walk.made()) == ply)  # type: ignore[misc]
            await reader.until(san=["f3", "e5", "g4", "Qh4#"])

    asyncio.run(play())


@pytest.mark.long
def test_a_page_reads_a_game_with_a_take_back_and_an_unplugged_board_and_the_next_game(
    tmp_path: Path,
) -> None:
    port = free_port()

    async def play() -> None:
        async with walking(tmp_path, settings=served_at(port)) as walk, reading(port) as reader:
            await reader.until(board=START)
            await _read_an_illegal_move_and_a_move(walk, reader)
            await walk.command("TakeBack")
            walk.carry("d4", "d2")
            await walk.until(lambda: walk.view["phase"] == "waiting" and not walk.made())
            await reader.until(board=START, san=[])
            moves = []
            for move in ("f3", "e5", "g4", "Qh4#"):
                if move == "g4":
                    walk.panel.cut()
                    await walk.until(lambda: walk.shown["link"]["state"] != "connected")
                    (board,) = (await reader.call(4, "eboards"))["param"]
                    assert board["state"] == "NOTRESPONDING"
                    await walk.until(lambda: walk.shown["link"]["state"] == "connected")
                await walk.move(move)
                moves.append(move)
                await reader.until(san=moves)
            assert walk.view["outcome"] is not None
            # the next game of the page begins elsewhere: the table begins one there, too
            rook = "4k3/8/8/8/8/8/8/R3K3"
            assert (await reader.set_up(rook, "w Q - 0 1"))["param"] is None
            await reader.until(san=[])
            await walk.until(lambda: walk.view["position"].startswith(rook))

    asyncio.run(play())


@pytest.mark.long
def test_a_reader_that_comes_back_in_the_middle_of_a_game_goes_on_from_there(tmp_path: Path) -> None:
    port = free_port()

    async def play() -> None:
        async with walking(tmp_path, settings=served_at(port)) as walk:
            async with reading(port):
                await walk.move("e4")
            async with connect(f"ws://localhost:{port}/api/v1.0") as line:
                reader = Reader(line)
                await reader.call(2, "subscribe", {"feed": "eboardevent", "id": 7})
                await reader.set_up("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", "b KQkq e3 0 1")
                await reader.until(san=[])
                await walk.move("e5")
                await reader.until(san=["e5"])
            assert walk.made() == ["e4", "e5"]

    asyncio.run(play())


def _fetch(url: str) -> Any:
    with urllib.request.urlopen(url) as answer:
        return json.loads(answer.read())


def test_a_port_that_another_program_has_is_reported_and_the_game_is_played() -> None:
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with listening(BoardServiceSettings(on=True, port=port), said.append, "en") as listener:
            assert listener is None
    assert f"port {port}" in said[0]
    assert "LiveChess" in said[0]


def test_it_is_off_unless_it_is_wanted() -> None:
    with listening(BoardServiceSettings(), lambda _said: None, "en") as listener:
        assert listener is None
