# SPDX-License-Identifier: Apache-2.0
"""A hall with few file descriptors gets more idle connections than it can hold."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from websockets.asyncio.client import connect as watch
from websockets.exceptions import ConnectionClosed

from companion.host.hall.web import WebLimits
from companion.host.web.file_limit import raise_file_limit
from tests.host.hall.halls import until
from tests.host.hall.sites import NAME, PASSWORD, site
from tests.programs import companion

FILES, MANY = 1024, 1100
ONE, HUNDRED = ("127.0.0.1",), tuple(f"127.0.0.{number}" for number in range(1, 101))
AT_MOST = 10
"""Bound of an act beside a crowd, in multiples of one without, and 0.1 s."""

_UPGRADE = (
    b"GET /api/%b HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
KINDS = {
    "silent": b"",
    "half a header": b"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "half a body": b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b'Content-Length: 1000\r\n\r\n{"name":',
    "spectators": _UPGRADE % b"watch",
    "desks without a token": _UPGRADE % b"desk",
}


def _few_files() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[tuple[str, int, Path]]:
    """Start `companion hall` with few files: its address, its process, and its warnings."""
    if sys.platform != "linux":
        pytest.skip("needs 127.0.0.0/8 and /proc")
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    command = [sys.executable, "-m", "companion", "hall"]
    companion("hall", "admit", NAME, "--password", PASSWORD, env=environment)
    log = tmp_path / "log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [*command, "--http-port=0", "--board=red=close-quarters"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
            preexec_fn=_few_files,
        ) as program,
    ):
        assert program.stdout is not None
        try:
            address = next(found[0] for line in program.stdout if (found := re.search(r"http://\S+", line)))
            yield address, program.pid, log
        finally:
            program.terminate()
            program.stdout.read()


def post(address: str, path: str, body: object, token: str = "") -> Any:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    with urlopen(Request(address + path, json.dumps(body).encode(), headers), timeout=30) as answer:
        return json.load(answer)


def acts_s(address: str, tokens: list[str]) -> float:
    """The median duration of an act with each of *tokens*."""
    took = []
    for token in tokens:
        started = time.monotonic()
        post(address, "api/acts", {"is": "Noted", "text": "x"}, token)
        took.append(time.monotonic() - started)
    return statistics.median(took)


@contextlib.asynccontextmanager
async def crowd(address: str, sources: tuple[str, ...], said: bytes) -> AsyncIterator[None]:
    """Open connections from *sources*, each sending *said*, as far as the hall accepts them."""
    place = urlsplit(address)
    loop = asyncio.get_running_loop()
    lines = []
    try:
        for number in range(MANY):
            line = socket.socket()
            lines.append(line)
            line.setblocking(False)
            line.bind((sources[number % len(sources)], 0))
            await loop.sock_connect(line, (place.hostname, place.port))
            if said:
                with contextlib.suppress(ConnectionError):
                    await loop.sock_sendall(line, said)
        yield
    finally:
        for line in lines:
            line.close()


@pytest.mark.parametrize(
    ("sources", "kind"),
    [
        pytest.param(HUNDRED, "silent", id="a hundred-silent"),
        *(
            pytest.param(sources, kind, marks=pytest.mark.long, id=f"{name}-{kind}")
            for name, sources in (("one address", ONE), ("a hundred", HUNDRED))
            for kind in KINDS
            if (sources, kind) != (HUNDRED, "silent")
        ),
    ],
)
def test_idle_connections_do_not_delay_an_arbiter(
    hall: tuple[str, int, Path], sources: tuple[str, ...], kind: str
) -> None:
    address, process, log = hall
    if raise_file_limit() < 2 * MANY:
        pytest.skip("the system allows this test too few files")
    before = post(address, "api/login", {"name": NAME, "password": PASSWORD})["token"]
    alone_s = acts_s(address, [before] * 3)

    async def flood() -> None:
        async with crowd(address, sources, KINDS[kind]):
            assert len(os.listdir(f"/proc/{process}/fd")) < FILES
            meanwhile = await asyncio.to_thread(
                post, address, "api/login", {"name": NAME, "password": PASSWORD}
            )
            beside_s = await asyncio.to_thread(acts_s, address, [before, meanwhile["token"], before])
            assert beside_s < AT_MOST * (alone_s + 0.1)
            async with watch(f"{address.replace('http', 'ws')}api/desk") as desk:
                await desk.send(before)
                assert "board/red" in json.loads(await desk.recv())["all"]

    asyncio.run(flood())
    said = log.read_text()
    assert "Traceback" not in said
    assert len(said.splitlines()) < 5, said


def test_idle_incomplete_and_unauthorised_connections_are_closed_and_watchers_stay(
    tmp_path: Path,
) -> None:
    limits = WebLimits(head_s=0.2, body_s=0.2, token_s=0.2)

    async def scenario() -> None:
        async with site(tmp_path, limits=limits) as at:
            place = urlsplit(at.address)
            lines = f"{at.address.replace('http', 'ws')}api/"
            async with watch(lines + "watch") as spectator, watch(lines + "desk") as desk:
                for kind in ("silent", "half a header", "half a body"):
                    reader, writer = await asyncio.open_connection(place.hostname, place.port)
                    writer.write(KINDS[kind])
                    async with asyncio.timeout(60):
                        with contextlib.suppress(ConnectionError):
                            assert await reader.read() == b"", kind
                    writer.close()
                with pytest.raises(ConnectionClosed):
                    await asyncio.wait_for(desk.recv(), 60)
                assert desk.close_code == 4401
                await spectator.recv()
                at.station("red")
                assert "board/red" in json.loads(await spectator.recv())["changed"]

    asyncio.run(scenario())


def test_the_number_of_watchers_is_limited_for_each_address(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path, limits=WebLimits(per_address=2)) as at:
            address = f"{at.address.replace('http', 'ws')}api/watch"
            async with watch(address) as first, watch(address) as second:
                assert "all" in json.loads(await first.recv())
                async with watch(address) as third:
                    await third.wait_closed()
                    assert third.close_code == 1013
                async with watch(address, additional_headers={"X-Forwarded-For": "192.0.2.7"}) as behind:
                    assert "all" in json.loads(await behind.recv())
                await second.close()
                async with watch(address) as again:
                    assert "all" in json.loads(await again.recv())

    asyncio.run(scenario())


def test_a_program_without_free_files_reports_it_once_and_continues_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """All files are taken by something other than connections."""
    resource = pytest.importorskip("resource")

    async def scenario() -> None:
        async with site(tmp_path) as at:
            assert (await at.ask("api/state"))[0] == 200
            place = urlsplit(at.address)
            limits = resource.getrlimit(resource.RLIMIT_NOFILE)
            with socket.socket() as line:
                resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/dev/fd"))), limits[1]))
                taken = list(_all_files())
                try:
                    line.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        line.connect((place.hostname, place.port))
                    await until(
                        lambda: "cannot be accepted" in caplog.text, "the hall reports that it has no files"
                    )
                finally:
                    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
                    for file in taken:
                        os.close(file)
            assert (await at.ask("api/state"))[0] == 200
            assert caplog.text.count("cannot be accepted") == 1
            assert "Traceback" not in caplog.text

    asyncio.run(scenario())


def _all_files() -> Iterator[int]:
    """Every file that can still be opened."""
    with contextlib.suppress(OSError):
        while True:
            yield os.open(os.devnull, os.O_RDONLY)
