# SPDX-License-Identifier: Apache-2.0
"""Attacks by another client of the broker on a real table and hall.

They succeed in an open hall and fail in one with keys.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import aiomqtt
import pytest

from companion.host.hall.core import wire
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_copies import CopyRefused, JournalCopies, Limits
from companion.host.hall.core.journal_sync import Have, Part
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Goodbye, Order, Up, Welcome
from companion.host.hall.keys.keyring import HallKeys
from companion.host.hall.keys.message_auth import TableLine
from companion.host.hall.stations.mqtt import channel_opener, read_url
from companion.host.hall.stations.station_link import ChannelOpener, HallChannel
from companion.host.hall.views import Pages
from companion.referee.values.commands import Release, Resign
from tests.brokers import Mosquitto, mosquitto
from tests.host.hall.halls import Station, copies, hall_at, until

FIRST, SECOND = "a1-b2", "d8-b8"


@dataclass
class Attacker:
    """Another client of the broker: it records all messages and sends any of its own."""

    client: aiomqtt.Client
    heard: list[tuple[str, bytes]] = field(default_factory=list)

    async def listen(self) -> None:
        await self.client.subscribe("companion/#")
        async for message in self.client.messages:
            assert isinstance(message.payload, bytes)
            self.heard.append((str(message.topic), message.payload))

    async def say(self, topic: str, payload: str | bytes) -> None:
        await self.client.publish(f"companion/club/{topic}", payload, qos=1)

    def instance(self) -> str:
        """The instance of the table, which is readable in its messages."""
        texts = [text for topic, text in self.heard if topic.endswith("/up/red")]
        return str(json.loads(texts[0][texts[0].index(b"{") :])["instance"])

    async def echoed(self) -> None:
        """Wait until the broker has passed on all earlier messages."""
        mark = f"companion/club/mark/{len(self.heard)}"
        await self.client.publish(mark, "", qos=1)
        await until(lambda: any(topic == mark for topic, _ in self.heard), "the broker passes the message on")


class Club:
    """A broker with an attacker, the table red, and a hall that may restart."""

    def __init__(self, folder: Path, broker: Mosquitto, attacker: Attacker, *, is_open: bool) -> None:
        self.url = f"mqtt://127.0.0.1:{broker.port}/club"
        self.attacker = attacker
        self.keys = None if is_open else HallKeys(folder / "keys", "club")
        self.red = Station(folder, "red")
        self._folder = folder

    @property
    def ways(self) -> ChannelOpener:
        key = self.keys.key("red") if self.keys else None
        return channel_opener(read_url(self.url), key, is_open=self.keys is None)

    @asynccontextmanager
    async def hall(self, limits: Limits | None = None) -> AsyncIterator[Hall]:
        store = f"sqlite:///{self._folder}/hall.sqlite"
        async with hall_at(self._folder, store, self.url, self.keys, limits) as hall:
            yield hall

    async def seated(self, hall: Hall) -> None:
        await until(
            lambda: (
                "red" in hall.hub.station_states.known
                and hall.hub.station_states.known["red"].glance is not None
            ),
            "the table is connected",
        )

    async def obeys(self, hall: Hall) -> None:
        """Give an order; it must be executed after all earlier messages."""
        await self.attacker.echoed()
        order = await hall.order("Arbiter", "red", Release())
        await until(lambda: not hall.hub.is_open("red", order), "the order is answered")


@asynccontextmanager
async def club(folder: Path, *, is_open: bool = False) -> AsyncIterator[Club]:
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(mosquitto(folder))
        client = await stack.enter_async_context(aiomqtt.Client("127.0.0.1", broker.port))
        attacker = Attacker(client)
        listening = asyncio.create_task(attacker.listen())
        try:
            yield Club(folder, broker, attacker, is_open=is_open)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*left, return_exceptions=True)  # tasks of the clients, cancelled there


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "keyed"])
def test_a_forged_order_ends_a_game_in_an_open_hall_only(tmp_path: Path, *, is_open: bool) -> None:
    async def scenario() -> None:
        async with club(tmp_path, is_open=is_open) as at, at.hall() as hall, at.red.playing(at.ways):
            await at.seated(hall)
            await at.red.play(FIRST)
            order = wire.write(Down("red", at.attacker.instance(), Order("forged", Resign(0), "Ana")))
            await at.attacker.say("down/red", order)
            for kind in ("down", "up", "challenge", "end"):
                await at.attacker.say("down/red", f"{kind} {'0' * 32} {'0' * 32} 0.0 999999 {order}")
            if is_open:
                await until(lambda: at.red.table.pipeline.view.outcome is not None, "the game has ended")
                assert any("This hall is open" in fault["text"] for fault in Pages(hall).arbiters()["faults"])
            else:
                await at.red.play(SECOND)
                assert at.red.table.pipeline.view.outcome is None
                await at.obeys(hall)
                assert not any("forged" in journal.decode() for journal in at.red.journals().values())
                assert not Pages(hall).arbiters()["faults"]

    asyncio.run(scenario())


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "keyed"])
def test_a_forged_goodbye_and_hello_take_over_a_station_in_an_open_hall_only(
    tmp_path: Path, *, is_open: bool
) -> None:
    async def scenario() -> None:
        async with club(tmp_path, is_open=is_open) as at, at.hall() as hall, at.red.playing(at.ways):
            await at.seated(hall)
            goodbye = Up("red", at.attacker.instance(), Goodbye())
            hello = Up("red", "thief", Hello("red", "thief", "Red", "chess"))

            def is_thief() -> bool:
                return hall.hub.station_states.known["red"].hello.instance == "thief"

            for _ in range(20):  # messages of the table may come between
                for said in (goodbye, hello):
                    await at.attacker.say("up/red", wire.write(said))
                await at.attacker.echoed()
            if is_open:
                await until(is_thief, "the attacker is the board")
                await until(
                    lambda: "another program is the board red" in at.red.branch.reporter.refusal,
                    "the table is refused",
                )
            else:
                await at.obeys(hall)
                assert not hall.hub.station_states.known["red"].rivals
                assert at.red.branch.reporter.refusal == ""
                assert not Pages(hall).arbiters()["alarms"]

    asyncio.run(scenario())


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "keyed"])
def test_ghost_stations_appear_in_an_open_hall_only_and_can_be_dismissed(
    tmp_path: Path, *, is_open: bool
) -> None:
    async def scenario() -> None:
        async with club(tmp_path, is_open=is_open) as at, at.hall() as hall, at.red.playing(at.ways):
            await at.seated(hall)
            for what in (Hello("ghost", "g", "Ghost", "chess"), Part("x.jsonl", 0, 0, "boo\n"), Goodbye()):
                await at.attacker.say("up/ghost", wire.write(Up("ghost", "g", what)))
            if is_open:
                await until(lambda: bool(copies(tmp_path, "ghost")), "the ghost has a copy on the disk")
                await until(lambda: bool(Pages(hall).arbiters()["alarms"]), "the ghost is missing")
                hall.dismiss("ghost")
            await at.obeys(hall)
            assert list(hall.hub.station_states.known) == ["red"]
            assert not Pages(hall).arbiters()["alarms"]
            assert bool(copies(tmp_path, "ghost")) is is_open

    asyncio.run(scenario())


def test_replayed_messages_have_no_effect(tmp_path: Path) -> None:
    """Goodbye, hello and orders, replayed in one run and after restarts of table and hall."""

    async def replay(at: Club, hall: Hall) -> None:
        recorded = list(at.attacker.heard)
        kinds = {(topic.split("/")[2], text.split(b" ")[0]) for topic, text in recorded if text}
        assert kinds >= {("up", b"up"), ("down", b"down"), ("down", b"challenge")}
        before = hall.hub.station_states.known["red"].hello.instance, at.red.branch.reporter.refusal
        outcome = at.red.table.pipeline.view.outcome
        journals = at.red.journals().keys()
        publish = at.attacker.client.publish
        await asyncio.gather(*(publish(topic, payload, qos=1) for topic, payload in recorded))
        await at.obeys(hall)
        seat = hall.hub.station_states.known["red"]
        assert (seat.hello.instance, at.red.branch.reporter.refusal) == before
        assert not seat.is_gone
        assert not seat.rivals
        assert at.red.table.pipeline.view.outcome == outcome
        assert at.red.journals().keys() == journals

    async def scenario() -> None:
        async with club(tmp_path) as at:
            async with at.hall() as hall:
                async with at.red.playing(at.ways):
                    await at.seated(hall)
                    await at.red.play(FIRST)
                    order = await hall.order("Arbiter", "red", Resign(0))
                    await until(lambda: not hall.hub.is_open("red", order), "the order is answered")
                    await replay(at, hall)
                async with at.red.playing(at.ways):
                    await until(
                        lambda: hall.hub.station_states.known["red"].hello.instance == "red-2",
                        "the new instance is connected",
                    )
                    await at.obeys(hall)  # the hall may have refused it at first
                    await replay(at, hall)
            async with at.hall() as hall, at.red.playing(at.ways):
                await at.seated(hall)
                await replay(at, hall)

    asyncio.run(scenario())


def test_a_key_is_valid_for_its_own_station_only(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with club(tmp_path) as at, at.hall() as hall, at.red.playing(at.ways):
            await at.seated(hall)
            assert at.keys is not None
            thief, goodbye = TableLine(at.keys("blue")), Up("red", at.attacker.instance(), Goodbye())
            for _ in range(3):
                await at.attacker.say("up/red", thief.sign(wire.write(goodbye)))
                await at.attacker.say("up/blue", thief.sign(wire.write(goodbye)))
                await at.attacker.echoed()
                for topic, text in at.attacker.heard:
                    if topic.endswith("/down/blue"):
                        with suppress(ValueError):
                            thief.verify(text.decode())
            assert thief.challenge, "the hall must know the connection"
            await at.obeys(hall)
            assert list(hall.hub.station_states.known) == ["red"]
            assert not hall.hub.station_states.known["red"].is_gone

    asyncio.run(scenario())


AnswerT = TypeVar("AnswerT", Have, Welcome)


async def next_answer(line: HallChannel, kind: type[AnswerT]) -> AnswerT:
    """The next answer of *kind* from the hall on *line*."""
    while True:
        said = (await line.receive()).what
        if isinstance(said, kind):
            return said


async def welcomed(line: HallChannel) -> None:
    """Repeat the hello, like a table, until the hall answers.

    The hall may not be connected to its broker yet.
    """

    async def greet() -> None:
        while True:
            await line.send(Up("red", "i", Hello("red", "i", "Red", "chess")))
            await asyncio.sleep(0.2)

    greeting = asyncio.create_task(greet())
    try:
        await next_answer(line, Welcome)
    finally:
        greeting.cancel()
        await asyncio.gather(greeting, return_exceptions=True)


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        (Limits(journals=1), "red sends more than 1 journals: move old ones out of"),
        (Limits(table_mib=1), "the journals of red have more than 1 MiB: move old ones out of"),
        (Limits(hall_mib=1), "the copies of all journals have 1 MiB, those of red are not kept"),
    ],
    ids=lambda value: "" if isinstance(value, str) else None,
)
def test_the_disk_space_of_a_table_is_limited_and_the_desk_names_it(
    limits: Limits, fault: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with club(tmp_path) as at, at.hall(limits) as hall:
            assert at.keys is not None
            way = channel_opener(read_url(at.url), at.keys.key("red"))
            async with way(Up("red", "i", Goodbye())) as line, asyncio.timeout(60):
                await welcomed(line)
                text = "x" * 300_000 + "\n"
                answers, sizes = [], {"1.jsonl": 0, "2.jsonl": 0}
                for journal in sorted([*sizes] * 3):
                    part = Part(
                        journal,
                        sizes[journal],
                        zlib.crc32(text.encode() * (sizes[journal] // len(text))),
                        text,
                    )
                    await line.send(Up("red", "i", part))
                    have = await next_answer(line, Have)
                    sizes[journal] = have.size
                    answers.append(have.is_foreign)
                assert not answers[0]
                assert answers[-1], "the table must get the refusal"
                kept = {name: len(copy) for name, copy in copies(tmp_path, "red").items()}
                assert kept == {name: size for name, size in sizes.items() if size}
                assert sum(kept.values()) <= 1 << 20
                (told,) = (each["text"] for each in Pages(hall).arbiters()["faults"])
                assert told.startswith(fault)

    asyncio.run(scenario())


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    store = JournalCopies(tmp_path, print).store("red")
    with pytest.raises(CopyRefused, match=r"red sends 'x\.sh', which is not a name of a journal"):
        store.append("x.sh", b"boo\n")
    assert not list(tmp_path.iterdir())


def test_copies_of_earlier_games_count_towards_the_limit(tmp_path: Path) -> None:
    JournalCopies(tmp_path, print).store("red").append("1.jsonl", b"x" * 900_000 + b"\n")
    copies_now = JournalCopies(tmp_path, print, Limits(hall_mib=1))
    assert copies_now.used == 900_001
    copies_now.store("blue").append("1.jsonl", b"x" * 100_000 + b"\n")
    with pytest.raises(CopyRefused, match="the copies of all journals have 1 MiB"):
        copies_now.store("blue").append("1.jsonl", b"x" * 100_000 + b"\n")
