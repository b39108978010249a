# SPDX-License-Identifier: Apache-2.0
"""What a stranger may do while others play: every address and every message."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, get_args
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from websockets.asyncio.client import ClientConnection, connect

from companion.host.devices.camera import CameraOptions
from companion.host.journal.setup import GameSetup
from companion.host.pages.application import Application
from companion.host.pages.page_files import page_app
from companion.host.play.start import PlayOptions
from companion.host.start_page.device_finder import DeviceFinder
from companion.host.start_page.home import Home
from companion.host.start_page.requests import GoOn
from companion.host.start_page.web import StartMessage, make_home_app, understand_start
from companion.host.table.table import Table
from companion.host.watch.review_page import add_review
from companion.host.web import server
from companion.host.web.permission import MESSAGES, ROUTES, START_MESSAGES, Right
from companion.host.web.table_page import PageMessage, understand
from companion.sensing.sent_images import SentImages
from tests.host.tables import written
from tests.page_reader import PageReader

DESIGN = Path(__file__).resolve().parents[3] / "docs" / "design.md"
STRANGER = {"X-Forwarded-For": "192.0.2.9"}
PLAYED = "2026-01-02_11-00-00_close-quarters.jsonl"
ASKED = "A game is under way. Those who play it have been asked: wait for their answer."
KEEPERS = "Only this computer, and those who have a seat at the table, change what is kept."
SAMPLES: dict[str, dict[str, Any]] = {
    "Sit": {"sides": [0]},
    "StandUp": {},
    "GiveSeat": {"side": 0, "gives": True},
    "LetBegin": {"lets": True},
    "PressHint": {},
    "WantResult": {},
    "Lift": {"cell": 0},
    "Drop": {"cell": 9},
    "Touch": {"cell": 0},
    "PutBack": {},
    "PutAway": {"cell": 0},
    "Take": {"index": 0},
    "Turn": {"cell": 0},
    "Flip": {"cell": 0},
    "PressClock": {"side": 0},
    "SetRight": {},
    "Clear": {},
    "Resign": {"side": 0},
    "OfferDraw": {"side": 0},
    "DeclineDraw": {"side": 0},
    "TakeBack": {},
    "LetStand": {"turn": 1},
    "Pause": {},
    "Adjourn": {},
    "Resume": {},
    "StartClock": {},
    "SetLevel": {"level": 1},
    "Correct": {"ply": 0, "moves": []},
    "Restore": {"position": "anything"},
    "Answer": {"ply": 0, "choice": 0},
    "Begin": {"game": "chess"},
    "Again": {},
    "Invitation": {"place": "lichess", "game": {"game": "chess"}},
    "NewGame": {},
}
"""A valid message of each kind to the page of a table."""
START_SAMPLES: dict[str, dict[str, Any]] = {
    "Play": {"game": "chess"},
    "GoOn": {"journal": "2026-01-02_10-00-00_close-quarters.jsonl"},
    "Exercise": {"game": "chess", "puzzle": 1},
    "Delete": {"number": 1, "journal": "2026-01-02_10-00-00_close-quarters.jsonl"},
    "Import": {"content": base64.b64encode(b"1. e4 e5 *").decode(), "name": "club.pgn"},
}
GAPS = {
    "name": "main.js",
    "slug": "chess",
    "game": "chess",
    "number": "1",
    "number:int": "1",
    "form": "pgn",
    "journal": "x",
}


def names(messages: Any) -> set[str]:
    """The names of the classes of a union."""
    if isinstance(messages, UnionType):
        return set().union(*map(names, get_args(messages)))
    return {messages.__name__}


def paths(app: Application) -> set[str]:
    return {str(getattr(route, "path", route)) for route in app.routes}


@dataclass
class Played:
    """A program with a game of two moves, whose sides one browser holds."""

    home: Home
    address: str
    holder: ClientConnection
    reader: PageReader
    """What its page knows."""

    @property
    def table(self) -> Table:
        assert self.home.table is not None
        return self.home.table

    def line(self, path: str) -> connect:
        """A WebSocket of a stranger."""
        return connect(f"{self.address.replace('http', 'ws')}{path}", additional_headers=STRANGER)

    def state(self) -> tuple[object, ...]:
        """What no stranger may change."""
        view, current, folder = self.table.view, self.table.current, self.home.play_options.folder
        assert folder is not None
        assert current.virtual_table is not None
        standing = current.virtual_table.pieces.standing
        shown = view.record, view.outcome, view.phase, view.draw_offered_by, view.question
        return (
            current.journal.path,
            *shown,
            standing,
            self.table.invitations.wanted,
            len([*folder.rglob("*.jsonl")]),
        )

    async def settled(self) -> None:
        """Wait until all that was sent before this is carried out."""
        lift = {"is": "Lift", "cell": self.own_cell}
        for hand, phase in ((lift, "handling"), ({"is": "PutBack"}, "waiting")):
            await self.holder.send(json.dumps(hand))
            async with asyncio.timeout(60):
                async for text in self.holder:
                    shown = self.reader.take(text)
                    is_held = bool((shown.get("virtual") or {}).get("hand"))
                    if "view" in shown and (shown["view"]["phase"], is_held) == (phase, hand is lift):
                        break

    @property
    def own_cell(self) -> int:
        """A cell with a piece of the side to move."""
        entries = self.table.view.placement.entries
        return next(cells[0] for piece, cells in entries if piece.side == self.table.view.turn)


def home_in(folder: Path) -> Home:
    return Home(
        PlayOptions(GameSetup(""), folder=folder, store=f"sqlite:///{folder}/store.sqlite"),
        print,
        lambda changed: DeviceFinder(lambda: [], lambda: ((), ()), lambda: 0, changed),
    )


@asynccontextmanager
async def playing(folder: Path) -> AsyncIterator[Played]:
    """Two moves were made, and one browser has both seats."""
    home = home_in(folder)
    for name in (START_SAMPLES["GoOn"]["journal"], PLAYED):
        written(folder / name, "a1-b2 d8-b8")
    await home.resume(GoOn(PLAYED))
    running = asyncio.create_task(home.run())
    try:
        async with (
            server.serving_app(make_home_app(home), server.listen("127.0.0.1", 0)) as address,
            connect(f"{address.replace('http', 'ws')}ws?name=ann") as holder,
        ):
            await holder.send(json.dumps({"is": "Sit", "sides": [0, 1]}))
            reader = PageReader()
            async for text in holder:
                if reader.take(text).get("view", {}).get("phase") == "waiting":
                    break
            assert home.table is not None
            assert len(home.table.view.record) == 2
            home.table.invitations.server = "lichess"
            yield Played(home, address, holder, reader)
    finally:
        running.cancel()
        await asyncio.wait({running})
        assert home.table is not None
        home.factory.close(home.table.current)


async def answer(line: ClientConnection, kind: str) -> Any:
    """The content of the next message of *kind*."""
    async for text in line:
        if kind in (message := json.loads(text)):
            return message[kind]
    raise AssertionError


async def told(line: ClientConnection) -> str:
    """The next message to a stranger that is no state."""
    async for text in line:
        if text == "pong":
            return ""
        if found := {"told", "refused", "go"} & (message := json.loads(text)).keys():
            return str(message[found.pop()])
    raise AssertionError


def test_every_address_has_a_row(tmp_path: Path) -> None:
    assert paths(make_home_app(home_in(tmp_path))) == set(ROUTES)
    alone = page_app()
    add_review(alone, lambda: None)
    assert paths(alone) <= set(ROUTES)


def test_every_message_has_a_row_and_a_sample() -> None:
    assert names(PageMessage) == set(MESSAGES) == set(SAMPLES)
    assert names(StartMessage) == set(START_MESSAGES) == set(START_SAMPLES)


def test_the_document_has_a_row_for_every_right() -> None:
    text = DESIGN.read_text(encoding="utf-8").split("### What a stranger may do\n")[1].split("\n### ")[0]
    rows = re.findall(r"^\| (.+?) \|", text, re.MULTILINE)[1:]
    assert [row for row in rows if not row.startswith("---")] == [right.value for right in Right]


def test_no_message_of_a_stranger_changes_the_game(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing(tmp_path) as played, played.line("ws?name=eve") as line:
            before = played.state()
            for name, right in MESSAGES.items():
                text = json.dumps({"is": name, **SAMPLES[name]})
                assert understand(text, played.table) is not None, name
                await line.send(text)
                if right is Right.CONSENT:
                    assert await told(line) == ASKED, name
                await line.send("ping")
                assert await told(line) == "", name
                await played.settled()
                assert played.state() == before, name

    asyncio.run(run())


def test_no_request_at_the_start_page_changes_the_game(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing(tmp_path) as played, played.line("start/ws?name=eve") as line:
            before = played.state()
            for name, fields in START_SAMPLES.items():
                text = json.dumps({"is": name, **fields})
                assert understand_start(text) is not None, name
                await line.send(text)
                is_keeping = START_MESSAGES[name] is Right.KEEPER
                assert await told(line) == (KEEPERS if is_keeping else ASKED), name
                await played.settled()
                assert played.state() == before, name
            await played.holder.send(json.dumps({"is": "LetBegin", "lets": True}))
            assert await told(line) == "./"
            async for described in played.holder:
                if played.reader.take(described).get("table", {}).get("title") == "Chess":
                    break

    asyncio.run(run())


def test_who_has_a_seat_imports_and_deletes_and_a_long_text_of_a_stranger_is_not_read(tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            playing(tmp_path) as played,
            played.line("start/ws?name=eve") as eve,
            played.line("start/ws?name=ann") as ann,
        ):
            long = {"is": "Import", "content": "A" * 30_000, "name": ""}
            await eve.send(json.dumps(long))
            assert await told(eve) == KEEPERS
            await ann.send(json.dumps({"is": "Import", **START_SAMPLES["Import"]}))
            assert await answer(ann, "imported") == {"new": 1, "known": 0, "left_out": []}
            await ann.send(json.dumps({"is": "Delete", **START_SAMPLES["Delete"]}))
            while [each["journal"] or each["number"] for each in (await answer(ann, "state"))["games"]]:
                pass
            assert not (tmp_path / START_SAMPLES["Delete"]["journal"]).exists()
            await ann.send(json.dumps({"is": "Delete", "number": 1}))
            assert "there is no game 1" in await told(ann)

    asyncio.run(run())


def test_what_is_fetched_is_only_read(tmp_path: Path) -> None:
    def fetched(address: str) -> int:
        try:
            with urlopen(Request(address, headers=STRANGER)) as answer:
                return int(answer.status)
        except HTTPError as fault:
            with fault:
                return fault.code

    async def run() -> None:
        async with playing(tmp_path) as played:
            before = played.state()
            for route in make_home_app(played.home).routes:
                methods, path = getattr(route, "methods", None), str(getattr(route, "path", ""))
                if methods is None:
                    assert path.endswith("/ws") or path == "/ws"
                    continue
                assert methods <= {"GET", "HEAD"}, path
                filled = re.sub(r"{([a-z:]+)}", lambda gap: GAPS[gap[1]], path).removeprefix("/")
                assert await asyncio.to_thread(fetched, f"{played.address}{filled}") < 500, path
            await played.settled()
            assert played.state() == before

    asyncio.run(run())


def test_no_stranger_takes_the_place_of_the_phone_that_watches_a_game(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing(tmp_path) as played:
            sent = SentImages()
            camera = CameraOptions("phone", sent=sent)
            played.home.play_options = replace(played.home.play_options, camera=camera)
            async with (
                played.line("camera/ws?name=phone") as phone,
                played.line("camera/ws?name=eve") as stranger,
                played.line("camera/ws?name=phone") as again,
            ):
                for line, answer in ((phone, "next"), (stranger, "fault"), (again, "next")):
                    await line.recv()  # the words
                    await line.send(b"an image")
                    assert answer in json.loads(await line.recv())
                assert json.loads(await phone.recv()) == {"fault": "replaced"}

    asyncio.run(run())


def test_devices_are_looked_for_while_a_start_page_is_open(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    with home.watch():
        with home.watch():
            pass
        assert home.finder.wanted.is_set()
    assert not home.finder.wanted.is_set()
