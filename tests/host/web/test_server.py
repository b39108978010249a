# SPDX-License-Identifier: Apache-2.0
"""The web server: what browsers get, and which messages it accepts."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from contextlib import closing
from dataclasses import replace
from html import unescape
from http.client import HTTPConnection
from time import perf_counter
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from companion.host.pages.page_files import page, page_files
from companion.host.pages.table_data import with_data
from companion.host.table.link_status import LinkState, LinkStatus
from companion.host.table.table import Table
from companion.host.virtual_table.hands import Drop, Lift
from companion.host.web import server, table_page
from companion.host.web.guard import POLICY
from companion.model.absent import PlayedBy
from companion.model.errors import SettingsError
from companion.referee.values.commands import Correct, Resign, Restore
from tests.page_reader import PageReader


async def fetch(address: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of the response at *address*."""

    def read() -> tuple[int, dict[str, str], str]:
        try:
            with urlopen(address, timeout=60) as response:
                return response.status, dict(response.headers), response.read().decode()
        except HTTPError as fault:
            with fault:
                return fault.code, dict(fault.headers), ""

    return await asyncio.to_thread(read)


def test_the_page_and_its_modules_are_served_under_a_strict_policy(table: Table) -> None:
    async def browse() -> None:
        async with server.serving(table, server.listen("127.0.0.1", 0)) as address:
            status, headers, text = await fetch(address)
            assert (status, headers["content-security-policy"]) == (200, POLICY)
            assert "<svg" in text
            for name in ("main.js", "board.js", "style.css", "icon.svg"):
                assert (await fetch(f"{address}page/{name}"))[0] == 200
            for strange in ("page/..%2ftable.py", "page/missing.js", "nowhere"):
                status, headers, _ = await fetch(address + strange)
                assert (status, headers["content-security-policy"]) == (404, POLICY), strange

    asyncio.run(browse())


def test_the_date_of_the_answers_goes_on(table: Table) -> None:
    async def browse() -> None:
        async with server.serving(table, server.listen("127.0.0.1", 0)) as address:
            dates = {(await fetch(address))[1]["date"]}
            began = perf_counter()
            while len(dates) < 2:
                dates.add((await fetch(address))[1]["date"])
                assert perf_counter() - began < 30

    asyncio.run(browse())


def test_the_document_has_the_state_of_the_table_and_the_description_is_kept(table: Table) -> None:
    async def browse() -> None:
        async with server.serving(table, server.listen("127.0.0.1", 0)) as address:
            _, headers, text = await fetch(address)
            state = re.findall(r'<script id="pictured" type="application/json">(.*)</script>', text)
            assert [json.loads(each) for each in state] == [json.loads(json.dumps(table.page_state()))]
            (link,) = re.findall(r'href="(table.json[^"]+)"', text)
            described = unescape(link)
            status, kept, description = await fetch(address + described)
            assert (status, json.loads(description)) == (200, {"table": table.description()})
            assert kept["cache-control"] == "max-age=31536000, immutable"
            assert (await fetch(f"{address}{described}0"))[0] == 404, "that of no game"
            assert (await fetch(address))[1]["etag"] == headers["etag"]
            table.remark("hint", "The door < the stairs.")
            _, changed, text = await fetch(address)
            assert changed["etag"] != headers["etag"]
            assert "The door \\u003c the stairs." in text

    asyncio.run(browse())


def test_the_description_is_answered_although_another_game_has_begun_since(table: Table) -> None:
    before = '{"table":{"title":"the game before"}}'
    document = with_data("  </head>", before, "{}", "en")

    async def browse() -> None:
        async with server.serving(table, server.listen("127.0.0.1", 0)) as address:
            (link,) = re.findall(r'href="(table.json[^"]+)"', document)
            status, _, described = await fetch(address + unescape(link))
            assert (status, described) == (200, before)

    asyncio.run(browse())


def kept_alive(address: str, count: int) -> list[float]:
    """The seconds that each of *count* requests on one connection takes."""
    url, found = urlsplit(address), list[float]()
    connection = HTTPConnection(str(url.hostname), url.port, timeout=60)
    with closing(connection):
        for _ in range(count):
            began = perf_counter()
            connection.request("GET", "/page/main.js")
            connection.getresponse().read()
            found.append(perf_counter() - began)
    return found


def test_the_answers_on_one_connection_wait_for_no_acknowledgement(table: Table) -> None:
    """A client acknowledges a part that it need not answer after 40 ms."""

    async def browse() -> None:
        async with server.serving(table, server.listen("127.0.0.1", 0)) as address:
            taken = await asyncio.to_thread(kept_alive, address, 24)
            assert min(taken[8:]) < 0.03  # the first ones are acknowledged at once

    asyncio.run(browse())


def test_an_unchanged_file_is_not_sent_again(table: Table) -> None:
    async def browse() -> None:
        async with server.serving(table, server.listen("127.0.0.1", 0)) as address:
            _, headers, _ = await fetch(f"{address}page/main.js")
            again = Request(f"{address}page/main.js", headers={"If-None-Match": headers["etag"]})
            with pytest.raises(HTTPError) as caught:
                await asyncio.to_thread(urlopen, again, timeout=60)
            with caught.value as answer:
                assert (answer.code, answer.read()) == (304, b"")

    asyncio.run(browse())


@pytest.mark.parametrize("first", ["index.html", "start.html"])
def test_no_page_weighs_more_than_225_kb_with_all_that_it_may_load(first: str) -> None:
    sizes, waiting = dict[str, int](), [page(first).bundled]
    while waiting:
        file = waiting.pop()
        text = "" if file.kind == "image/png" else file.content.decode()
        for name in re.findall(r'(?:(?:href|src)="page/|url\("|"src": ")([\w.-]+)', text):
            found = page_files().find(f"page/{name}")
            assert found is not None, name
            if name not in sizes:
                sizes[name] = len(found.content)
                waiting.append(found)
    named = {re.sub(r"-[0-9a-f]{16}\.", ".", name) for name in sizes}
    assert {"icon.svg", "icon-512.png", "gear.svg"} < named
    assert sum(name.endswith(".js") for name in sizes) == 2
    assert (
        len(page(first).bundled.content) + sum(sizes.values()) <= 225_000
    )  # a third of it on the wire: test_bundled_page.py


def test_a_browser_gets_the_table_and_then_the_complete_picture(table: Table) -> None:
    async def browse() -> None:
        async with (
            server.serving(table, server.listen("127.0.0.1", 0)) as address,
            connect(line_of(address)) as line,
        ):
            picture = PageReader().take(await line.recv())
            assert len(picture.pop("table")["grid"]["cells"]) == 32
            shown = {
                "now_ms",
                "view",
                "lamps",
                "takes_presses",
                "lines",
                "tune",
                "reply",
                "link",
                "camera",
                "virtual",
                "analysis",
                "retracted",
                "is_secret",
                "blocked",
                "menu",
                "reviews",
            }
            assert shown == set(picture)
            assert len(picture["virtual"]["pieces"]) == 4

    asyncio.run(browse())


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("evil.example", False),
        ("evil.example:8765", False),
        ("127.0.0.1.evil.example", False),
        ("[", False),
        ("localhost:1", True),
        ("192.168.7.7", True),
        ("[::1]:8765", True),
        ("Club.Example:80", True),
        (f"{socket.gethostname()}.", True),
    ],
)
def test_a_foreign_host_name_that_resolves_to_us_is_refused(table: Table, host: str, is_ours: bool) -> None:
    async def browse() -> None:
        listener = server.listen("127.0.0.1, club.EXAMPLE", 0)
        async with server.serving(table, listener) as address:
            place = listener.getsockname()
            status, said = await asyncio.to_thread(asked_for, place, host)
            assert status == (200 if is_ours else 421)
            assert is_ours or "--http-address ADDRESS,NAME" in said
            french = (await asyncio.to_thread(asked_for, place, host, "xx, fr-CA;q=0.8, en;q=0.5"))[1]
            assert is_ours or french.startswith("Cette page ne répond pas au nom ")
            line = line_of(address).replace("127.0.0.1", "localhost")
            async with connect(line, host="127.0.0.1", port=place[1]) as browser:
                assert await browser.recv()
            with pytest.raises(InvalidStatus, match="421"):
                await connect(line.replace("localhost", "evil.example"), host="127.0.0.1", port=place[1])

    asyncio.run(browse())


def asked_for(place: tuple[str, int], host: str, languages: str = "") -> tuple[int, str]:
    """Status and text of the page at *place*, requested with the host name *host*."""
    line = HTTPConnection(*place)
    try:
        line.request("GET", "/", headers={"Host": host, "Accept-Language": languages})
        answer = line.getresponse()
        return answer.status, answer.read().decode()
    finally:
        line.close()


@pytest.mark.parametrize(("origin", "is_ours"), [("http://evil.example", False), ("OURS", True)])
def test_a_page_of_another_site_is_refused(table: Table, origin: str, is_ours: bool) -> None:
    async def browse() -> None:
        async with server.serving(table, server.listen("127.0.0.1", 0)) as address:
            own = origin.replace("OURS", address.rstrip("/"))
            async with connect(line_of(address), origin=Origin(own)) as line:
                assert await line.recv()

    if is_ours:
        asyncio.run(browse())
    else:
        with pytest.raises(InvalidStatus, match="403"):
            asyncio.run(browse())


def test_invalid_messages_do_not_close_the_websocket(table: Table) -> None:
    async def browse() -> None:
        async with (
            server.serving(table, server.listen("127.0.0.1", 0)) as address,
            connect(line_of(address)) as line,
        ):
            for nonsense in ("nonsense", '{"is":"Lift","cell":99}', "[" * 4000):
                await line.send(nonsense)
            assert PageReader().take(await line.recv())["view"]["phase"] == "setting_up"
            assert await asyncio.wait_for(await line.ping(), 60) is not None

    asyncio.run(browse())


def test_a_slow_browser_skips_to_the_newest_picture(table: Table) -> None:
    async def browse() -> None:
        async with (
            server.serving(table, server.listen("127.0.0.1", 0)) as address,
            connect(line_of(address)) as line,
        ):
            reader = PageReader()
            reader.take(await line.recv())
            for number in range(50):
                table.pipeline.panel.status = LinkStatus(LinkState.LOST, f"reason {number}")
                table.notify()
            assert reader.take(await line.recv())["link"]["text"] == "reason 49"

    asyncio.run(browse())


def test_what_changes_nothing_is_not_sent(table: Table) -> None:
    async def browse() -> None:
        async with (
            server.serving(table, server.listen("127.0.0.1", 0)) as address,
            connect(line_of(address)) as line,
        ):
            await line.recv()
            table.notify()
            await asyncio.sleep(0)  # the news is looked at
            await line.send("ping")
            assert await line.recv() == "pong"

    asyncio.run(browse())


def line_of(address: str) -> str:
    return address.replace("http", "ws", 1) + "ws"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"is":"Lift","cell":31}', Lift(31)),
        ('{"is":"Drop","cell":0}', Drop(0)),
        ('{"is":"Resign","side":1}', Resign(1)),
        ('{"is":"Lift","cell":32}', None),
        ('{"is":"Lift","cell":-1}', None),
        ('{"is":"Resign","side":2}', None),
        ('{"is":"LetStand","turn":5}', None),
        ('{"is":"AdjustClock","side":0,"by_ms":60000}', None),
        ('{"is":"Correct","ply":0,"moves":["a1-a2"]}', Correct(0, ("a1-a2",))),
        ('{"is":"Restore","position":"any"}', Restore("any")),
        ('{"is":"Hold"}', None),
        ('{"is":"Play","ply":0,"move":"a1-a2"}', None),
        ('{"is":"Begin","game":"chess","played_by":["table","computer"]}', None),
        ('{"is":"Lift"}', None),
        ('{"is":"Shoot","cell":1}', None),
        ("[]", None),
        ("nonsense", None),
        ('{"is":"Lift","cell":"' + "9" * 5000 + '"}', None),
        ("[" * 4000, None),
    ],
)
def test_only_valid_commands_for_players_are_accepted(table: Table, text: str, said: object) -> None:
    assert said == table_page.understand(text, table)


def test_browsers_do_not_speak_for_a_side_that_is_not_played_at_the_table(table: Table) -> None:
    by = (PlayedBy.TABLE, PlayedBy.COMPUTER)
    table.pipeline.view = replace(table.pipeline.view, played_by=by)
    for command in ("Resign", "OfferDraw"):
        assert table_page.understand(f'{{"is":"{command}","side":0}}', table) is not None
        assert table_page.understand(f'{{"is":"{command}","side":1}}', table) is None


def test_only_the_arbiter_corrects_the_record_at_a_table_of_a_hall(table: Table) -> None:
    halls = Table(table.current, has_arbiter=True)
    for text in ('{"is":"Correct","ply":0,"moves":[]}', '{"is":"Restore","position":"any"}'):
        assert table_page.understand(text, table) is not None
        assert table_page.understand(text, halls) is None
    table.pipeline.played = replace(table.pipeline.view, is_begun=True)
    offered = [set(each.page_state()["view"]["commands"]) for each in (table, halls)]
    assert offered[0] - offered[1] == {"correct-record", "set-up-position"}


def test_deeply_nested_messages_are_refused(table: Table) -> None:
    assert table_page.understand("[" * 7_999, table) is None


def test_an_occupied_page_port_is_named_with_the_remedy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=rf"port {port}.*--http-port"):
            server.listen("127.0.0.1", port)
