# SPDX-License-Identifier: Apache-2.0
"""Keys of tables: who has none, or another's, speaks for no board and no hall, not even with a copy of what they said."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from companion.cli import main
from companion.host.hall import wire
from companion.host.hall.branch import Way
from companion.host.hall.mqtt import BoardWay, HallDoor, board_ways, hall_door, read_url
from companion.host.hall.sealing import Keys, hall_keys, key_of, seal, table_keys, unseal
from companion.host.hall.seats import Hello
from companion.host.hall.wire import Down, Goodbye, Order, Refused, Up, Welcome
from companion.model.errors import SettingsError
from companion.referee.commands import Resign
from tests.brokers import mosquitto

SECRET = "a secret of sixteen letters or more"
HELLO = Up("red", "i", Hello("red", "i", "Red", "chess"))
WELCOME = Down("red", "i", Welcome("h", 1))
FORGED = Down("red", "i", Order("o", Resign(0), "nobody"))


@given(st.text(), st.text(min_size=1), st.binary(min_size=1), st.sampled_from(["up", "down"]))
def test_what_was_sealed_is_read_and_what_was_changed_is_not(
    text: str, other: str, key: bytes, way: str
) -> None:
    sealed = seal(text, key, way)
    assert unseal(sealed, key, way) == text
    assume(other != text)
    for forged, with_key, direction in (
        (sealed[:32] + other, key, way),
        (other, key, way),
        (sealed, key + b"x", way),
        (sealed, key, "down" if way == "up" else "up"),
    ):
        with pytest.raises(ValueError, match="seal"):
            unseal(forged, with_key, direction)


def test_keys_differ_from_board_to_board_and_tell_nothing_of_the_secret() -> None:
    keys = {key_of(SECRET, board) for board in ("red", "blue", "")}
    assert len(keys) == 3
    assert all(SECRET not in key and len(key) == 64 for key in keys)
    with pytest.raises(SettingsError, match="16 letters at least"):
        key_of("short", "red")


def test_the_program_prints_a_tables_key_and_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COMPANION_HALL_SECRET", raising=False)
    assert main(["hall", "key", "red"]) == 1
    assert "COMPANION_HALL_SECRET" in capsys.readouterr().err
    monkeypatch.setenv("COMPANION_HALL_SECRET", SECRET)
    assert main(["hall", "key", "red"]) == 0
    assert capsys.readouterr().out.strip() == key_of(SECRET, "red")


@asynccontextmanager
async def meeting(folder: Path, table: Keys | None) -> AsyncIterator[tuple[HallDoor, Way, str]]:
    """A hall with a secret, a table with *table*, and the address of the broker between them."""
    async with mosquitto(folder) as broker, asyncio.timeout(60):
        url = f"mqtt://127.0.0.1:{broker.port}/club"
        async with (
            hall_door(read_url(url, keys=hall_keys(SECRET))) as door,
            board_ways(read_url(url, keys=table))(HELLO) as way,
        ):
            yield door, way, url
        left = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*left, return_exceptions=True)  # the clients', which they have ended


async def forge(url: str, topic: str, text: str) -> None:
    """Somebody else at the broker says *text*."""
    broker = read_url(url)
    async with aiomqtt.Client(broker.host, broker.port) as client:
        await client.publish(f"companion/club/{topic}", text)


def test_a_table_with_its_key_is_heard_and_takes_only_what_the_hall_has_sealed(tmp_path: Path) -> None:
    async def running() -> None:
        async with meeting(tmp_path, table_keys(key_of(SECRET, "red"))) as (door, way, url):
            for_red = wire.write(Up("red", "i", Goodbye()))
            await forge(url, "up/blue", seal(for_red, key_of(SECRET, "blue").encode(), "up"))
            await way.send(HELLO)
            assert await door.receive() == HELLO, "with a key of its own nobody speaks for another"
            forged = wire.write(FORGED)
            await forge(url, "down/red", forged)
            await forge(url, "down/red", seal(forged, key_of(SECRET, "blue").encode(), "down"))
            await forge(url, "down/red", seal(forged, key_of(SECRET, "red").encode(), "up"))
            await door.send(WELCOME)
            assert await way.receive() == WELCOME

    asyncio.run(running())


@pytest.mark.parametrize("key", [None, key_of(SECRET, "blue"), "nonsense"])
def test_a_table_without_its_key_is_not_heard_and_one_with_none_is_told_why(
    tmp_path: Path, key: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    async def running() -> None:
        async with meeting(tmp_path, table_keys(key)) as (door, way, url):
            with caplog.at_level(logging.WARNING, logger="companion.host.hall.mqtt"):
                for _ in range(3):
                    await way.send(HELLO)
                right = read_url(url, keys=table_keys(key_of(SECRET, "blue")))
                async with board_ways(right)(Up("blue", "j", Hello("blue", "j", "Blue", "chess"))) as other:
                    hello = Up("blue", "j", Hello("blue", "j", "Blue", "chess"))
                    await other.send(hello)
                    assert await door.receive() == hello, "the first that is heard"
            if key is None:
                answer = await way.receive()
                assert isinstance(answer.what, Refused)
                assert "companion hall key red" in answer.what.reason
                assert [
                    record.getMessage() for record in caplog.records if "no key" in record.getMessage()
                ] == ["a table that says it is the board red has no key, and is not heard"]
            assert isinstance(way, BoardWay)

    asyncio.run(running())


def test_neither_password_nor_key_is_in_what_a_broker_looks_like_in_a_log() -> None:
    broker = read_url("mqtt://red@broker/club", "open sesame", keys=table_keys("the key"))
    assert "sesame" not in repr(broker)
    assert "the key" not in repr(broker)
