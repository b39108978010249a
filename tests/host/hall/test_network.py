# SPDX-License-Identifier: Apache-2.0
"""The network between boards, broker and hall: cut so that packets vanish, guarded by passwords, and encrypted."""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from companion.host.hall.boards.mqtt import channel_opener, hall_door, read_url
from companion.host.hall.core.board_states import Hello
from companion.host.hall.core.wire import Down, Goodbye, Up, Welcome, write
from companion.model.errors import HallUnreachable, SettingsError
from tests.brokers import mosquitto
from tests.certificates import self_signed
from tests.host.hall.evenings import Board, beginnings, copies, hall_at, two_players, until
from tests.host.tables import WHOLE_GAME


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass
class Net:
    """Another machine, as far as the network can tell: a namespace at the end of a cable."""

    name: str
    cable: str
    """Its end there."""
    address: str

    def cut(self) -> None:
        """At the far end, without a report here: sent data vanish."""
        ip("-n", self.name, "link", "set", self.cable, "down")

    def mend(self) -> None:
        ip("-n", self.name, "link", "set", self.cable, "up")


@pytest.fixture
def net() -> Iterator[Net]:
    if not shutil.which("ip") or os.geteuid() != 0:
        pytest.skip("network namespaces want ip (iproute2), and root")
    name = f"hall{secrets.token_hex(3)}"
    here, there = f"{name}a", f"{name}b"
    subnet = f"10.213.{secrets.randbelow(256)}"
    try:
        ip("netns", "add", name)
    except subprocess.CalledProcessError as refused:
        pytest.skip(f"no network namespaces here: {refused.stderr.decode()}")
    try:
        ip("link", "add", here, "type", "veth", "peer", "name", there)
        ip("link", "set", there, "netns", name)
        ip("addr", "add", f"{subnet}.1/24", "dev", here)
        ip("link", "set", here, "up")
        ip("-n", name, "addr", "add", f"{subnet}.2/24", "dev", there)
        ip("-n", name, "link", "set", there, "up")
        ip("-n", name, "link", "set", "lo", "up")
        yield Net(name, there, f"{subnet}.2")
    finally:
        ip("netns", "del", name)


@pytest.mark.timeout(800)  # ten minutes of which are the cut, if it is to be long
def test_a_network_that_is_cut_holds_nobody_up_and_loses_nothing(
    net: Net, tmp_path: Path, *, is_long: bool
) -> None:
    moves = WHOLE_GAME.split()

    async def evening() -> None:
        red = Board(tmp_path, "red")
        async with AsyncExitStack() as stack:
            inside = ("ip", "netns", "exec", net.name)
            broker = await stack.enter_async_context(mosquitto(tmp_path, host=net.address, before=inside))
            url = f"mqtt://{net.address}:{broker.port}/club"
            await stack.enter_async_context(red.playing(channel_opener(read_url(url), is_open=True)))
            hall = await stack.enter_async_context(
                hall_at(tmp_path, f"sqlite:///{tmp_path}/hall.sqlite", url)
            )
            await two_players(hall)
            await red.play(moves[0])
            await until(lambda: bool(copies(tmp_path, "red")), "the first move is copied")
            net.cut()
            await red.play(" ".join(moves[1:]))
            await until(lambda: bool(red.branch.fault), "the board has noticed")
            if is_long:
                await asyncio.sleep(600)
            net.mend()
            await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is told")
            assert beginnings(tmp_path, red)
            writer = red.table.current.journal
            assert len(copies(tmp_path, "red")[writer.path.name]) == writer.safe_bytes

    asyncio.run(asyncio.wait_for(evening(), 760 if is_long else 100))


HELLO = Up("red", "i", Hello("red", "i", "Red", "chess"))


async def greet(board: str, hall: str, password: str | None, ca: str | None = None) -> None:
    """A hello goes up by the way *board*, and a welcome comes down from *hall*."""
    async with asyncio.timeout(60):
        async with (
            hall_door(read_url(hall, password, ca)) as door,
            channel_opener(read_url(board, password, ca), is_open=True)(HELLO) as way,
        ):
            await way.send(HELLO)
            assert await door.receive() == HELLO
            welcome = Down("red", "i", Welcome("h", 1))
            await door.send(welcome)
            assert await way.receive() == welcome


DYING: Final = """
import asyncio, os, sys
from companion.host.hall.boards.mqtt import channel_opener, read_url
from companion.host.hall.core.wire import read_up

async def die():
    async with channel_opener(read_url(sys.argv[1]), is_open=True)(read_up(sys.argv[2])) as way:
        os._exit(9)

asyncio.run(die())
"""


def test_a_board_whose_program_is_killed_is_missed_at_once(tmp_path: Path) -> None:
    goodbye = Up("red", "i", Goodbye())

    async def meeting() -> None:
        async with mosquitto(tmp_path) as broker, asyncio.timeout(60):
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            async with hall_door(read_url(url)) as door:
                words = [sys.executable, "-c", DYING, url, write(goodbye)]
                ended = await asyncio.to_thread(subprocess.run, words, check=False)
                assert ended.returncode == 9
                assert await door.receive() == goodbye, "the broker says it for the board"
            left = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*left, return_exceptions=True)  # the client's, which it has ended

    asyncio.run(meeting())


@pytest.mark.parametrize("key", [None, "k" * 32], ids=["open", "keyed"])
def test_a_board_whose_program_ends_says_goodbye(tmp_path: Path, key: str | None) -> None:
    async def meeting() -> None:
        async with mosquitto(tmp_path) as broker, asyncio.timeout(60):
            address = read_url(f"mqtt://127.0.0.1:{broker.port}/club")
            async with address.client() as listener:
                await listener.subscribe(address.topic("up", "red"))
                async with channel_opener(address, key, is_open=key is None)(Up("red", "i", Goodbye())):
                    pass
                message = await anext(listener.messages)
                assert isinstance(message.payload, bytes)
                assert '"is":"Goodbye"' in message.payload.decode()
            left = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*left, return_exceptions=True)  # the clients', which they have ended

    asyncio.run(meeting())


def test_a_broker_with_passwords_lets_in_who_knows_them(tmp_path: Path) -> None:
    async def meeting() -> None:
        file = tmp_path / "passwords"
        words = ["mosquitto_passwd", "-b", "-c", str(file), "club", "open sesame"]
        await asyncio.to_thread(subprocess.run, words, check=True, capture_output=True)
        async with mosquitto(tmp_path, "allow_anonymous false", f"password_file {file}") as broker:
            url = f"mqtt://club@127.0.0.1:{broker.port}/club"
            await greet(url, url, "open sesame")
            with pytest.raises(HallUnreachable, match="it wants another user or password") as refused:
                await greet(url, url, "guess")
            assert "guess" not in str(refused.value)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.wait_for(
                asyncio.gather(*left, return_exceptions=True), 60
            )  # the client's, which it has ended

    if not shutil.which("mosquitto_passwd"):
        pytest.skip("mosquitto_passwd is missing: apt-get install mosquitto")
    asyncio.run(meeting())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the client drops its socket
def test_a_broker_with_a_certificate_is_believed_if_that_is_trusted(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)

    async def meeting() -> None:
        lines = ("allow_anonymous true", f"certfile {certificate}", f"keyfile {key}")
        async with mosquitto(tmp_path, *lines) as broker:
            url = f"mqtts://127.0.0.1:{broker.port}/club"
            await greet(url, url, None, str(certificate))
            with pytest.raises(HallUnreachable, match="certificate"):
                await greet(url, url, None)

    asyncio.run(meeting())
    gc.collect()  # here, where it is expected, and not in whatever test comes next


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://broker/club", "is no broker"),
        ("mqtt:///club", "is no broker"),
        ("mqtt://red:sesame@broker/club", "must not contain a password"),
        ("mqtt://broker/a+b", "is no name for a hall"),
    ],
)
def test_an_address_that_will_not_do_is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason) as refused:
        read_url(url)
    assert "sesame" not in str(refused.value)


def test_a_password_is_not_in_what_a_broker_looks_like_in_a_log() -> None:
    assert "sesame" not in repr(read_url("mqtt://red@broker/club", "open sesame"))


def test_certificates_that_cannot_be_read_are_named() -> None:
    with pytest.raises(SettingsError, match=r"/nowhere/ca\.pem cannot be read"):
        read_url("mqtts://broker/club", ca="/nowhere/ca.pem")


def test_without_a_broker_it_is_said_where_it_was_looked_for() -> None:
    async def meeting() -> None:
        async with hall_door(read_url("mqtt://127.0.0.1:1/club")):
            pass

    with pytest.raises(
        HallUnreachable, match=r"the broker at 127\.0\.0\.1:1 cannot be reached: Connection refused"
    ):
        asyncio.run(meeting())
