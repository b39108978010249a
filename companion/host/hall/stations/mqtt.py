# SPDX-License-Identifier: Apache-2.0
"""Stations and hall over an MQTT broker.

A station publishes to `companion/HALL/up/BOARD` and subscribes to `companion/HALL/down/BOARD`; the
hall does the opposite. On `companion/HALL/halls` halls find one another (see `other_halls`). Both
ends repeat lost messages, so the broker need not retain any. Messages are authenticated with the
stations' keys (see `message_auth`), unless the hall is open: then anybody at the broker can act for
any table. Its rule: passwords come from the environment or the settings, never from a URL that
might be printed or logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import ssl
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import urlsplit

import aiomqtt

from companion.host.hall.core import wire
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Refused, Up
from companion.host.hall.keys.joining import Admission, Applicant
from companion.host.hall.keys.message_auth import Answer, TableLine
from companion.host.hall.stations.broker_errors import reaching
from companion.host.hall.stations.other_halls import OtherHalls
from companion.host.hall.stations.station_link import ChannelOpener, HallChannel
from companion.host.retry import USUAL
from companion.host.tasks import quiet_logger, running
from companion.host.text.os_errors import why
from companion.model.errors import HallUnreachable, InvalidArgument, SettingsError
from companion.model.phrase import Phrase

PASSWORD: Final = "COMPANION_MQTT_PASSWORD"
"""Environment variable with the broker's password."""
_LOG = logging.getLogger(__name__)
_TIMEOUT_S: Final = 5.0
_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
_NOT_IN_NAMES: Final = frozenset("/+#")
_UNANSWERED: Final = 64
"""Limit of messages repeated after a new challenge."""
_JOIN_S: Final = 20.0
_REFUSED: Final = 100
"""Limit of stations without a key that are logged."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Address of a broker, and credentials."""

    host: str
    port: int
    hall: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: ssl.SSLContext | None = None
    keep_alive_s: int = 5
    """MQTT keep-alive: after 1.5 times this the broker publishes a station's will."""

    def client(self, will: aiomqtt.Will | None = None) -> aiomqtt.Client:
        """Return a client that is not connected yet."""
        return aiomqtt.Client(
            self.host,
            self.port,
            username=self.user,
            password=self.password,
            tls_context=self.tls,
            keepalive=self.keep_alive_s,
            timeout=_TIMEOUT_S,
            will=will,
            logger=quiet_logger(__name__, aiomqtt.MqttError),
        )

    @property
    def halls(self) -> str:
        """The topic of all halls of this name."""
        return f"companion/{self.hall}/halls"

    def reaching(self) -> AbstractContextManager[None]:
        """Convert errors of the broker to `HallUnreachable` inside the block."""
        return reaching(self.host, self.port)

    def topic(self, direction: str, station: str) -> str:
        """Return the topic of *station* for `up` or `down`."""
        return f"companion/{self.hall}/{direction}/{station}"


def read_url(url: str, password: str | None = None, ca: str | None = None) -> Broker:
    """Parse *url*, such as `mqtts://red@broker.example/club`; user and hall are optional.

    *ca* is a file with trusted certificates; without it the system's are used. Raises
    `SettingsError`.
    """
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise InvalidArgument(
            "{url!r} is not a broker: expected mqtt://HOST/HALL, or mqtts:// for TLS", url=url
        )
    if parts.password is not None:
        raise InvalidArgument(
            "the broker's address must not contain a password, since others may read it: set "
            "COMPANION_MQTT_PASSWORD in the environment instead"
        )
    hall = parts.path.strip("/") or "hall"
    if _NOT_IN_NAMES & set(hall):
        raise InvalidArgument("{hall!r} is not a name for a hall: it must not have / + or # in it", hall=hall)
    tls = None
    if parts.scheme == "mqtts":
        try:
            tls = ssl.create_default_context(cafile=ca)
        except OSError as fault:
            raise SettingsError(
                "the certificates in {ca} cannot be read: {reason}", ca=ca, reason=why(fault)
            ) from fault
    return Broker(parts.hostname, parts.port or _PORTS[parts.scheme], hall, parts.username, password, tls)


def broker_at(url: str, ca: str | None) -> Broker:
    """Return the broker at *url* with the password of the environment. Raises `SettingsError`."""
    return read_url(url, os.environ.get(PASSWORD), ca)


class OpenChannel:
    """A station's channel to an open hall; without *is_open* it is refused."""

    def __init__(self, client: aiomqtt.Client, broker: Broker, station: str, *, is_open: bool) -> None:
        self._client = client
        self._broker = broker
        self._station = station
        self._is_open = is_open

    async def send(self, message: Up) -> None:
        """Send *message*. Raises `HallUnreachable`."""
        with self._broker.reaching():
            await self._client.publish(self._broker.topic("up", self._station), wire.write(message))

    async def receive(self) -> Down:
        """Return the next valid message. Raises `HallUnreachable`."""
        with self._broker.reaching():
            async for message in self._client.messages:
                with contextlib.suppress(ValueError):
                    said = wire.read_down(_text(message))
                    return said if self._is_open else replace(said, what=self._refused(said))
        raise HallUnreachable("the broker has closed the connection")

    def _refused(self, said: Down) -> Refused:
        """Return why messages are rejected: anybody at the broker may have sent them."""
        if isinstance(said.what, Refused):
            return Refused(
                Phrase(
                    "this hall needs a key: ask the arbiter for a code for the board {board}, and start "
                    "again with --join CODE",
                    board=self._station,
                )
            )
        return Refused(
            Phrase(
                "this hall is open, anybody at its broker can speak for it: start again with --open to "
                "take orders from it"
            )
        )


class SignedChannel:
    """A station's authenticated channel."""

    def __init__(self, client: aiomqtt.Client, broker: Broker, station: str, line: TableLine) -> None:
        self._client = client
        self._broker = broker
        self._station = station
        self._line = line
        self._unanswered: deque[str] = deque(maxlen=_UNANSWERED)
        """Messages since the last hello that the hall may have rejected."""
        self._is_taken = False
        """True once the hall has answered with the current challenge."""

    async def send(self, message: Up) -> None:
        """Send *message*. Raises `HallUnreachable`."""
        text = wire.write(message)
        if self._is_taken and isinstance(message.what, Hello):
            self._unanswered.clear()
        if not self._is_taken or isinstance(message.what, Hello):
            self._unanswered.append(text)
        await self._publish(text)

    async def receive(self) -> Down:
        """Return the next valid message. Raises `HallUnreachable`."""
        with self._broker.reaching():
            async for message in self._client.messages:
                with contextlib.suppress(ValueError):
                    challenge = self._line.challenge
                    text = self._line.verify(_text(message))
                    if text is not None:
                        self._is_taken = True
                        return wire.read_down(text)
                    if self._line.challenge != challenge:
                        self._is_taken = False
                        await self._send_again()
        raise HallUnreachable("the broker has closed the connection")

    async def _send_again(self) -> None:
        """Repeat what was sent without the hall's challenge."""
        for text in tuple(self._unanswered):
            await self._publish(text)

    async def _publish(self, text: str) -> None:
        with self._broker.reaching():
            await self._client.publish(self._broker.topic("up", self._station), self._line.sign(text))


def channel_opener(broker: Broker, key: str | None = None, *, is_open: bool = False) -> ChannelOpener:
    """Return the opener of channels through *broker*: with *key*, or to an open hall."""

    @contextlib.asynccontextmanager
    async def open_channel(goodbye: Up) -> AsyncIterator[HallChannel]:
        station = goodbye.board
        line = None if key is None else TableLine(key.encode())
        last = wire.write(goodbye) if line is None else line.end(wire.write(goodbye))
        with broker.reaching():
            async with broker.client(aiomqtt.Will(broker.topic("up", station), last, qos=1)) as client:
                await client.subscribe(broker.topic("down", station))
                try:
                    if line is None:
                        yield OpenChannel(client, broker, station, is_open=is_open)
                    else:
                        yield SignedChannel(client, broker, station, line)
                finally:  # the broker publishes the will only if the connection is lost, not on a disconnect
                    with contextlib.suppress(aiomqtt.MqttError):
                        await client.publish(broker.topic("up", station), last)

    return open_channel


async def join(broker: Broker, station: str, code: str) -> str:
    """Request the key of *station* with *code*, for 20 s.

    Anybody at the broker can send an answer, so only an authentic one ends it.

    Raises `SettingsError`, `JoinRefused` and `HallUnreachable`.
    """
    applicant = await asyncio.to_thread(Applicant, code, broker.hall, station)
    with broker.reaching():
        async with broker.client() as client:
            await client.subscribe(broker.topic("down", station))
            asking = asyncio.create_task(_ask(client, broker.topic("up", station), applicant), name="join")
            try:
                async with asyncio.timeout(_JOIN_S):
                    async for message in client.messages:
                        with contextlib.suppress(ValueError):
                            if (key := applicant.receive(_text(message))) is not None:
                                return key
            except TimeoutError:
                if applicant.is_unknown:
                    raise HallUnreachable(
                        "the hall {hall} does not know this code for the board {board}: compare each letter with "
                        "the arbiter's desk, or ask for a new code; it ends after ten minutes, five wrong tries, "
                        "or when a newer one is given",
                        hall=broker.hall,
                        board=station,
                    ) from None
                raise HallUnreachable(
                    "the hall {hall} at {host}:{port} does not answer: is it running, and not open?",
                    hall=broker.hall,
                    host=broker.host,
                    port=broker.port,
                ) from None
            finally:
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
    raise HallUnreachable("the broker has closed the connection")


async def _ask(client: aiomqtt.Client, topic: str, applicant: Applicant) -> None:
    """Repeat the request until cancelled."""
    while True:
        await client.publish(topic, applicant.ask())
        await asyncio.sleep(USUAL.message_ms / 1000)


class HallDoor:
    """The hall's end of a broker."""

    def __init__(
        self, client: aiomqtt.Client, broker: Broker, others: OtherHalls, admission: Admission | None
    ) -> None:
        self._client = client
        self._broker = broker
        self._others = others
        self._admission = admission
        self._refused: set[str] = set()
        """Stations without a key that were logged."""

    async def send(self, message: Down) -> None:
        """Send *message* to its station. Raises `HallUnreachable`."""
        text: str | None = wire.write(message)
        if self._admission is not None and text is not None:
            text = self._admission.lines.sign(message.board, message.instance, text)
        if text is not None:
            await self._publish(message.board, text)

    async def receive(self) -> Up:
        """Return the next valid message of a station on its own topic. Raises `HallUnreachable`."""
        with self._broker.reaching():
            async for message in self._client.messages:
                with contextlib.suppress(ValueError):
                    topic, text = str(message.topic), _text(message)
                    if topic == self._broker.halls:
                        if self._others.receive(text):
                            await self.announce()
                        continue
                    station = topic.rpartition("/")[2]
                    up = await self._read(station, text)
                    if up is not None and up.board == station:
                        return up
        raise HallUnreachable("the broker has closed the connection")

    async def announce(self) -> None:
        """Tell other halls of the same name that we are here. Raises `HallUnreachable`."""
        with self._broker.reaching():
            await self._client.publish(self._broker.halls, self._others.here)

    async def _read(self, station: str, text: str) -> Up | None:
        """Decode a message; None if it is not for the hall. Raises `ValueError` if invalid."""
        if self._admission is None:
            return wire.read_up(text)
        if text.startswith("join "):
            if answer := self._admission.answer(station, text):
                await self._publish(station, answer)
            return None
        if text.startswith("{"):
            await self._refuse(station, wire.read_up(text).instance)
            return None
        verified = self._admission.lines.verify(station, text)
        if isinstance(verified, Answer):
            await self._publish(station, verified.message)
            return None
        up = wire.read_up(verified.text)
        if up.board == station:
            self._admission.lines.assign(station, verified.line, up.instance)
        return up

    async def _refuse(self, station: str, instance: str) -> None:
        """Tell a table without a key, which ignores authenticated messages, that it needs one."""
        if station not in self._refused and len(self._refused) < _REFUSED:
            self._refused.add(station)
            _LOG.warning("a table that says it is the board %s has no key, and is ignored", station)
        refusal = Refused(Phrase("this hall needs a key"))
        await self._publish(station, wire.write(Down(station, instance, refusal)))

    async def _publish(self, station: str, text: str) -> None:
        with self._broker.reaching():
            await self._client.publish(self._broker.topic("down", station), text)


@contextlib.asynccontextmanager
async def hall_door(
    broker: Broker, others: OtherHalls, admission: Admission | None = None
) -> AsyncIterator[HallDoor]:
    """Connect the hall to *broker* inside the block; open without *admission*.

    Raises `HallUnreachable`.
    """
    with broker.reaching():
        async with broker.client(aiomqtt.Will(broker.halls, others.gone)) as client:
            await client.subscribe([(broker.topic("up", "+"), 0), (broker.halls, 0)])
            door = HallDoor(client, broker, others, admission)
            try:
                async with running(others.stay(door.announce), "hall presence"):
                    yield door
            finally:
                with contextlib.suppress(aiomqtt.MqttError):
                    await client.publish(broker.halls, others.gone)
                others.forget()


def _text(message: aiomqtt.Message) -> str:
    """Return the text of *message*. Raises `ValueError` if it is not text."""
    payload = message.payload
    return payload.decode() if isinstance(payload, bytes | bytearray) else str(payload)
