# SPDX-License-Identifier: Apache-2.0
"""Tables as programs at a real broker, which a test cuts off from their hall.

Hands play at the tables' pages meanwhile, and an arbiter acts over the API.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.sync import client as synchronous

from tests.bench.kill_hands import quiet_move
from tests.bench.kill_judge import Consent, Game, Shown, game_in, lost_moves, replaced_games
from tests.bench.kill_programs import Running
from tests.brokers import Mosquitto, mosquitto
from tests.cli.test_hall import PASSWORD, ask
from tests.page_reader import PageReader
from tests.ports import free_port
from tests.programs import companion

Json = dict[str, Any]
PATIENCE_S = 60
PLAYER = "Player"
"""All names of players begin with it."""


async def until(holds: Callable[[], object], what: str, limit_s: float = PATIENCE_S) -> None:
    """Wait for *holds*, which other programs bring about, at most *limit_s* seconds."""
    try:
        async with asyncio.timeout(limit_s):
            while not await asyncio.to_thread(holds):  # noqa: ASYNC110 - other programs tell nobody
                await asyncio.sleep(0.02)
    except TimeoutError:
        pytest.fail(f"not within {limit_s} s: {what}")


class Page:
    """Hands at the page of one table, and what it shows."""

    def __init__(self, station: str, shown: Shown) -> None:
        self.board = station
        self.view: Json = {}
        self.names = ""
        """The lines of the display that named players, once it did."""
        self._shown = shown
        self._changed = asyncio.Condition()
        self._line: ClientConnection | None = None

    async def read(self, address: str) -> None:
        """Follow the page until the table ends."""
        with suppress(ConnectionClosed):
            async with connect(f"{address.replace('http', 'ws', 1)}ws", max_size=None) as line:
                self._line, reader = line, PageReader()
                async for text in line:
                    told = reader.take(text)
                    if "view" in told:
                        self._shown.add(self.board, told["view"]["record"])
                        async with self._changed:
                            self.view = told["view"]
                            lines = " ".join(told["lines"])
                            self.names = lines if PLAYER in lines else self.names
                            self._changed.notify_all()
        self._line = None

    async def until(self, holds: Callable[[Json], object], what: str) -> None:
        """Wait until *holds* is true of what the page shows."""
        try:
            async with asyncio.timeout(PATIENCE_S), self._changed:
                await self._changed.wait_for(lambda: self.view and holds(self.view))
        except TimeoutError:
            told = {name: self.view.get(name) for name in ("phase", "ply", "prompt", "question", "fault")}
            pytest.fail(f"{self.board}: not within {PATIENCE_S} s: {what}; {told}")

    async def play(self, plies: int, chance: Random) -> None:
        """Make so many drawn moves, each after the one before was announced."""
        for _ in range(plies):
            await self.until(_is_ready, "a move is awaited")
            before = len(self.view["record"])
            drawn = quiet_move(self.view, chance)
            assert drawn is not None
            assert self._line is not None
            for gesture in drawn[1]:
                await self._line.send(gesture)
            await self.until(partial(_is_announced, before), f"{drawn[0]} is announced")

    @property
    def moves(self) -> list[str]:
        """The moves on its record."""
        return [each["move"] for each in self.view["record"]]


def _is_ready(view: Json) -> bool:
    return view["phase"] == "waiting" and all(each["stage"] != "provisional" for each in view["record"])


def _is_announced(before: int, view: Json) -> bool:
    return len(view["record"]) > before and view["record"][-1]["stage"] != "provisional"


class Evening:
    """A hall, its tables on other machines, and their pages."""

    def __init__(self, folder: Path, stations: Iterable[str], broker: Mosquitto) -> None:
        self.folder = folder
        self.broker = broker
        self.shown = Shown()
        self.consents: list[Consent] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._token = ""
        port, url = free_port(), f"mqtt://127.0.0.1:{broker.port}/club"
        self.address = f"http://127.0.0.1:{port}/"
        self.store = f"sqlite:///{folder}/hall.sqlite"
        words = ("hall", "--store", self.store, "--broker", url, "--http-port", str(port), "--open")
        self.hall = Running("hall", folder, lambda: words, lambda: folder / "hall")
        self.tables = {station: self._table(station, url) for station in stations}
        self.pages = {station: Page(station, self.shown) for station in self.tables}

    def _table(self, station: str, url: str) -> Running:
        words = ("hall", "table", station, "chess", "--hall", url, "--open", "--clock", "30")
        return Running(station, self.folder, lambda: words, lambda: self.folder / station)

    async def start(self) -> None:
        """Return when the desk shows all tables."""
        await asyncio.to_thread(
            companion, "hall", "admit", "Ana", "--password", PASSWORD, "--store", self.store
        )
        await self.hall.start()
        await until(lambda: "The hall is at" in self.hall.out.read_text(), "the hall has started")
        login = await asyncio.to_thread(ask, self.address, "api/login", {"name": "Ana", "password": PASSWORD})
        self._token = login["token"]
        for station in self.tables:
            await self.sit(station)
        await until(
            lambda: self.parts().keys() >= {f"board/{station}" for station in self.tables}, "all are there"
        )

    async def sit(self, station: str) -> None:
        """Start the table *station*, and open its page."""
        table = self.tables[station]
        await table.start()
        await until(table.addresses, f"the page of {station}")
        page = self.pages[station] = Page(station, self.shown)
        self._tasks.append(asyncio.create_task(page.read(table.addresses()[station])))
        await page.until(lambda view: view["phase"] in ("waiting", "paused"), "the table is ready")

    async def stop(self) -> None:
        """Kill all, and let no program have complained."""
        for program in (*self.tables.values(), self.hall):
            await asyncio.to_thread(program.kill)
        await asyncio.gather(*self._tasks)

    # --- the desk ---

    async def act(self, path: str, body: Json) -> Json:
        """What the hall answers the arbiter; a refusal fails the test."""
        try:
            found: Json = await asyncio.to_thread(ask, self.address, path, body, self._token)
        except HTTPError as fault:
            with fault:
                pytest.fail(f"{path} {body}: {fault.read().decode()}")
        return found

    def parts(self) -> Json:
        """What the desk shows, with the newest 200 entries of the book."""
        with synchronous.connect(f"{self.address.replace('http', 'ws', 1)}api/desk", max_size=None) as line:
            line.send(self._token)
            while True:
                said = json.loads(line.recv(timeout=PATIENCE_S))
                if "all" in said:
                    found: Json = said["all"]
                    return found

    def acts(self, kind: str = "") -> list[Json]:
        """The acts in the book, oldest first, or those of one *kind*."""
        acts = [entry["act"] for entry in self.parts()["book"]]
        return [act for act in acts if kind in ("", act["is"])]

    def refusals(self) -> dict[str, str]:
        """Why orders were refused, by order."""
        return {act["order"]: act["fault"] for act in self.acts("Obeyed") if act.get("fault")}

    def is_answered(self) -> bool:
        """True if no order waits for a station."""
        return {act["order"] for act in self.acts("Ordered")} <= {act["order"] for act in self.acts("Obeyed")}

    async def paired(self, key: str = "club", stations: int | None = None) -> None:
        """A tournament with a first round for so many stations, or for all."""
        players = 2 * (len(self.tables) if stations is None else stations)
        await self.act(
            "api/acts", {"is": "Opened", "key": key, "name": key, "format": "swiss", "game": "chess"}
        )
        names = "".join(f"{PLAYER} {number},{2800 - 10 * number}\n" for number in range(players))
        await self.act(f"api/tournaments/{key}/players", {"csv": f"name,rating\n{names}"})
        await self.act(f"api/tournaments/{key}/rounds", {})

    # --- the judge ---

    def games(self, station: str) -> list[Game]:
        """The games in the journals of *station* that began, oldest first."""
        paths = sorted((self.folder / station / "companion" / "journals" / station).glob("*.jsonl"))
        texts = {path.name: path.read_text(errors="replace") for path in paths}
        return [game_in(name, text) for name, text in texts.items() if '"GameBegan"' in text]

    def journals(self, station: str) -> list[Json]:
        """The heads of all journals of *station*, oldest first."""
        paths = sorted((self.folder / station / "companion" / "journals" / station).glob("*.jsonl"))
        return [json.loads(path.read_text().partition("\n")[0] or "{}") for path in paths]

    def lost(self) -> list[str]:
        """Announced moves that left their game without an explicit yes."""
        book, found = self.parts()["book"], list[str]()
        for station in self.tables:
            games = self.games(station)
            found += lost_moves(station, self.shown.records.get(station, []), games)
            found += replaced_games(station, games, book, self.consents)
            page = self.pages[station]
            if games and tuple(page.moves) != games[-1].moves:
                found.append(f"{station}: shows {page.moves}, and {games[-1]} is its newest journal")
        return found


@asynccontextmanager
async def evening(folder: Path, stations: Iterable[str]) -> AsyncIterator[Evening]:
    """A hall with *stations* that have connected."""
    async with mosquitto(folder) as broker:
        found = Evening(folder, stations, broker)
        try:
            await found.start()
            yield found
        finally:
            await found.stop()
