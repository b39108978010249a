# SPDX-License-Identifier: Apache-2.0
"""Guards of every WebSocket and response: origins, headers, invalid text."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from calibration.shell import Shell
from calibration.web import make_app as make_workshop
from calibration.workshop import Workshop
from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.hall.stations import stations
from companion.host.hall.web import WebLimits
from companion.host.journal.journal import JournalWriter
from companion.host.pages.application import Application
from companion.host.play.new_table import make_table
from companion.host.records.records import from_record
from companion.host.watch.review import ReviewedGame
from companion.host.watch.review_page import make_kept_app
from companion.host.web import server
from companion.host.web.allowed_hosts import Listener
from companion.model.notation import GameRecord
from companion.referee.session.session import Session
from tests.calibration.studio import CHESS
from tests.certificates import self_signed
from tests.host.hall.sites import site
from tests.host.tables import GAME, HEADER

Serve = Callable[[Path], AbstractAsyncContextManager[str]]


@contextlib.asynccontextmanager
async def hall(folder: Path) -> AsyncIterator[str]:
    async with site(folder) as at:
        yield at.address


@contextlib.asynccontextmanager
async def play(folder: Path, listener: Listener | None = None) -> AsyncIterator[str]:
    game = games.find(GAME)
    rules = game.rules()
    with JournalWriter.create(folder / "game.jsonl", HEADER) as writer:
        table = make_table(None, game, Session(rules), load("en", GAME, rules.sides), writer, monotonic())
        async with server.serving(table, listener or server.listen("127.0.0.1", 0)) as address:
            yield address


@contextlib.asynccontextmanager
async def workshop(folder: Path) -> AsyncIterator[str]:
    shell = Shell(Workshop(CHESS), monotonic())
    async with server.serving_app(make_workshop(shell), server.listen("127.0.0.1", 0)) as address:
        task = asyncio.create_task(shell.run(), name="shell")
        try:
            yield address
        finally:
            shell.is_closing = True
            await task


@contextlib.asynccontextmanager
async def replay(folder: Path) -> AsyncIterator[str]:
    async with server.serving_app(
        make_kept_app(ReviewedGame(from_record(GameRecord("close-quarters"))), "en"),
        server.listen("127.0.0.1", 0),
    ) as address:
        yield address


LINES: dict[str, tuple[Serve, str]] = {
    "play": (play, "ws"),
    "spectators": (hall, "api/watch"),
    "desk": (hall, "api/desk"),
    "workshop": (workshop, "ws"),
}


@pytest.mark.parametrize("line", LINES)
def test_every_websocket_accepts_only_our_own_pages_and_programs_without_origin(
    own_folder: Path, line: str
) -> None:
    serve, path = LINES[line]

    async def browse() -> None:
        async with serve(own_folder) as address:
            way = address.replace("http", "ws") + path
            host = urlsplit(address).netloc
            for strange in (
                "http://evil.example",
                "null",
                "http://localhost:1",
                "http://127.0.0.1",
                "http://[",
                "",
            ):
                with pytest.raises(InvalidStatus, match="403"):
                    async with connect(way, origin=Origin(strange)):
                        pass
            for origin in (None, Origin(f"http://{host}")):
                async with connect(way, origin=origin) as opened:
                    await opened.ping()

    asyncio.run(browse())


def test_the_configured_name_is_ours_behind_a_proxy(tmp_path: Path) -> None:
    async def browse() -> None:
        async with play(tmp_path, server.listen("127.0.0.1, hall.example", 0)) as address:
            way = address.replace("http", "ws") + "ws"
            for ours in ("https://hall.example", "http://Hall.Example:80", "https://hall.example:443"):
                async with connect(way, origin=Origin(ours)) as opened:
                    assert await opened.recv()
            for strange in ("https://hall.example:8443", "https://evil.hall.example", "ftp://hall.example"):
                with pytest.raises(InvalidStatus, match="403"):
                    await connect(way, origin=Origin(strange))

    asyncio.run(browse())


def test_no_application_can_omit_the_origin_check(tmp_path: Path) -> None:
    app = Application()

    @app.websocket("/trusting")
    async def trusting(browser: WebSocket) -> None:
        await browser.accept()
        await browser.close()

    async def browse() -> None:
        async with server.serving_app(app, server.listen("127.0.0.1", 0)) as address:
            way = address.replace("http", "ws") + "trusting"
            async with connect(way) as opened:
                await opened.wait_closed()
            with pytest.raises(InvalidStatus, match="403"):
                await connect(way, origin=Origin("http://evil.example"))

    asyncio.run(browse())


@pytest.mark.parametrize("line", LINES)
def test_invalid_text_closes_the_websocket_without_a_log_entry(
    own_folder: Path, caplog: pytest.LogCaptureFixture, line: str
) -> None:
    serve, path = LINES[line]

    async def browse() -> None:
        async with serve(own_folder) as address:
            way = address.replace("http", "ws") + path
            for pieces in ([b"\xff\xfe"], [b"\xc3", b"\x28"]):
                async with connect(way) as opened:
                    await opened.send(pieces if len(pieces) > 1 else pieces[0], text=True)
                    await asyncio.wait_for(opened.wait_closed(), 60)
                    assert opened.close_code == 1007
            async with connect(way) as opened:
                await opened.send([b"\xc3", b"\xa4"], text=True)
                await opened.send(b"\xff")
                if line != "desk":
                    assert await opened.recv(), "a letter in two pieces is one, and bytes are no text"
        assert not [record for record in caplog.records if record.name.startswith(("uvicorn", "companion"))]

    asyncio.run(browse())


@pytest.mark.parametrize("serve", [play, hall, workshop, replay])
@pytest.mark.parametrize(
    "path", ["", "page/icon.svg", "page/nowhere.js", "nowhere", "api/state", "review.json"]
)
def test_every_response_has_the_headers(own_folder: Path, serve: Serve, path: str) -> None:

    async def browse() -> None:
        async with serve(own_folder) as address:
            place = urlsplit(address)
            for host in (place.netloc, "evil.example"):
                headers = await asyncio.to_thread(headers_of, place.netloc, f"/{path}", host)
                policy = headers["content-security-policy"]
                assert "default-src 'none'" in policy
                assert "frame-ancestors 'none'" in policy
                assert "unsafe" not in policy
                assert headers["x-content-type-options"] == "nosniff"
                assert headers["cache-control"] == "no-cache"

    asyncio.run(browse())


def headers_of(place: str, path: str, host: str) -> dict[str, str]:
    line = HTTPConnection(place)
    try:
        line.request("GET", path, headers={"Host": host})
        return {name.lower(): value for name, value in line.getresponse().getheaders()}
    finally:
        line.close()


def test_the_pages_of_a_halls_boards_have_the_headers() -> None:
    async def browse() -> None:
        of = stations.Stations(lambda _text: None)
        async with of.serving("127.0.0.1"):
            place = urlsplit(of.address).netloc
            headers = await asyncio.to_thread(headers_of, place, "/red/", place)
            assert "frame-ancestors 'none'" in headers["content-security-policy"]

    asyncio.run(browse())


def test_tls_closes_silent_connections_before_the_handshake_and_checks_origins(tmp_path: Path) -> None:
    pipeline, key = self_signed(tmp_path)
    trusting = ssl.create_default_context(cafile=str(pipeline))

    async def browse() -> None:
        async with site(tmp_path, server.Certificate(str(pipeline), str(key)), WebLimits(head_s=0.2)) as at:
            place = urlsplit(at.address)
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
            async with asyncio.timeout(60):
                assert await reader.read() == b""
            writer.close()
            way = at.address.replace("http", "ws") + "api/watch"
            async with connect(way, ssl=trusting, origin=Origin(at.address.rstrip("/"))) as line:
                assert await line.recv()
            with pytest.raises(InvalidStatus, match="403"):
                await connect(way, ssl=trusting, origin=Origin("https://evil.example"))

    asyncio.run(browse())
