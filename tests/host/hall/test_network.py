# SPDX-License-Identifier: Apache-2.0
"""The network between stations, broker and hall is cut, guarded and encrypted."""

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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Goodbye, Up, Welcome, write
from companion.host.hall.stations.mqtt import channel_opener, hall_door, read_url
from companion.model.errors import HallUnreachable, SettingsError
from tests.brokers import mosquitto
from tests.certificates import self_signed
from tests.host.hall.halls import Station, alone, beginnings, copies, hall_at, two_players, until
from tests.host.tables import WHOLE_GAME


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass
class Net:
    """Another machine to the network: a namespace at the end of a cable."""

    name: str
    cable: str
    """The network interface inside the namespace."""
    address: str

    def cut(self) -> None:
        """Cut it at the far end, without a report here: sent data vanish."""
        ip("-n", self.name, "link", "set", self.cable, "down")

    def mend(self) -> None:
        ip("-n", self.name, "link", "set", self.cable, "up")


@pytest.fixture
def net() -> Iterator[Net]:
    if not shutil.which("ip") or os.geteuid() != 0:
        pytest.skip("network namespaces need ip (iproute2), and root")
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


@pytest.mark.timeout(800)  # of which the long cut takes ten minutes
def test_a_cut_network_delays_no_game_and_loses_nothing(net: Net, tmp_path: Path, *, is_long: bool) -> None:
    moves = WHOLE_GAME.split()

    async def scenario() -> None:
        red = Station(tmp_path, "red")
        async with AsyncExitStack() as stack:
            inside = ("ip", "netns", "exec", net.name)
            broker = await stack.enter_async_context(mosquitto(tmp_path, host=net.address, before=inside))
            url = f"mqtt://{net.address}:{broker.port}/club"
            watchful = replace(read_url(url), keep_alive_s=1)
            await stack.enter_async_context(red.playing(channel_opener(watchful, is_open=True)))
            hall = await stack.enter_async_context(
                hall_at(tmp_path, f"sqlite:///{tmp_path}/hall.sqlite", url)
            )
            await two_players(hall)
            await red.play(moves[0])
            await until(lambda: bool(copies(tmp_path, "red")), "the first move is copied")
            net.cut()
            await red.play(" ".join(moves[1:]))
            await until(lambda: bool(red.branch.fault), "the board reports the fault")
            if is_long:
                await asyncio.sleep(600)
            net.mend()
            await until(lambda: (1, 1) in hall.keeper.book.of("club").reported, "the result is reported")
            assert beginnings(tmp_path, red)
            writer = red.table.current.journal
            assert len(copies(tmp_path, "red")[writer.path.name]) == writer.safe_bytes

    asyncio.run(asyncio.wait_for(scenario(), 760 if is_long else 100))


HELLO = Up("red", "i", Hello("red", "i", "Red", "chess"))


async def greet(station: str, hall: str, password: str | None, ca: str | None = None) -> None:
    """Send a hello from *station* and a welcome from *hall*."""
    async with asyncio.timeout(60):
        async with (
            hall_door(read_url(hall, password, ca), alone()) as door,
            channel_opener(read_url(station, password, ca), is_open=True)(HELLO) as way,
        ):
            await way.send(HELLO)
            assert await door.receive() == HELLO
            welcome = Down("red", "i", Welcome("h", 1))
            await door.send(welcome)
            assert await way.receive() == welcome


DYING: Final = """
import asyncio, os, sys
from companion.host.hall.stations.mqtt import channel_opener, read_url
from companion.host.hall.core.wire import read_up

async def die():
    async with channel_opener(read_url(sys.argv[1]), is_open=True)(read_up(sys.argv[2])) as way:
        os._exit(9)

asyncio.run(die())
"""


def test_a_killed_station_is_missing_at_once(tmp_path: Path) -> None:
    goodbye = Up("red", "i", Goodbye())

    async def scenario() -> None:
        async with mosquitto(tmp_path) as broker, asyncio.timeout(60):
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            async with hall_door(read_url(url), alone()) as door:
                words = [sys.executable, "-c", DYING, url, write(goodbye)]
                ended = await asyncio.to_thread(subprocess.run, words, check=False)
                assert ended.returncode == 9
                assert await door.receive() == goodbye, "the broker must send the goodbye for the board"
            left = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*left, return_exceptions=True)  # tasks of the client, cancelled there

    asyncio.run(scenario())


@pytest.mark.parametrize("key", [None, "k" * 32], ids=["open", "keyed"])
def test_a_station_sends_a_goodbye_when_its_program_ends(tmp_path: Path, key: str | None) -> None:
    async def scenario() -> None:
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
            await asyncio.gather(*left, return_exceptions=True)  # tasks of the clients, cancelled there

    asyncio.run(scenario())


def test_a_broker_with_passwords_accepts_the_right_one_only(tmp_path: Path) -> None:
    async def scenario() -> None:
        file = tmp_path / "passwords"
        words = ["mosquitto_passwd", "-b", "-c", str(file), "club", "open sesame"]
        await asyncio.to_thread(subprocess.run, words, check=True, capture_output=True)
        async with mosquitto(tmp_path, "allow_anonymous false", f"password_file {file}") as broker:
            url = f"mqtt://club@127.0.0.1:{broker.port}/club"
            await greet(url, url, "open sesame")
            with pytest.raises(HallUnreachable, match="user or password is wrong") as refused:
                await greet(url, url, "guess")
            assert "guess" not in str(refused.value)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.wait_for(
                asyncio.gather(*left, return_exceptions=True), 60
            )  # tasks of the client, cancelled there

    if not shutil.which("mosquitto_passwd"):
        pytest.skip("mosquitto_passwd is missing: apt-get install mosquitto")
    asyncio.run(scenario())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the client leaks its socket
def test_the_certificate_of_a_broker_must_be_trusted(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)

    async def scenario() -> None:
        lines = ("allow_anonymous true", f"certfile {certificate}", f"keyfile {key}")
        async with mosquitto(tmp_path, *lines) as broker:
            url = f"mqtts://127.0.0.1:{broker.port}/club"
            await greet(url, url, None, str(certificate))
            with pytest.raises(HallUnreachable, match="certificate"):
                await greet(url, url, None)

    asyncio.run(scenario())
    gc.collect()  # here, where it is expected, and not in the next test


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://broker/club", "is not a broker"),
        ("mqtt:///club", "is not a broker"),
        ("mqtt://red:sesame@broker/club", "must not contain a password"),
        ("mqtt://broker/a+b", "is not a name for a hall"),
    ],
)
def test_an_invalid_broker_address_is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason) as refused:
        read_url(url)
    assert "sesame" not in str(refused.value)


def test_a_brokers_representation_in_logs_has_no_password() -> None:
    assert "sesame" not in repr(read_url("mqtt://red@broker/club", "open sesame"))


def test_an_unreadable_certificate_is_named() -> None:
    with pytest.raises(SettingsError, match=r"/nowhere/ca\.pem cannot be read"):
        read_url("mqtts://broker/club", ca="/nowhere/ca.pem")


def test_a_missing_broker_is_reported_with_its_address() -> None:
    async def scenario() -> None:
        async with hall_door(read_url("mqtt://127.0.0.1:1/club"), alone()):
            pass

    with pytest.raises(
        HallUnreachable, match=r"the broker at 127\.0\.0\.1:1 cannot be reached: Connection refused"
    ):
        asyncio.run(scenario())
