# SPDX-License-Identifier: Apache-2.0
"""Boards and hall over an MQTT broker: any broker, from Mosquitto on a club's laptop to a clustered one.

A board publishes to `companion/HALL/up/BOARD` and listens to `companion/HALL/down/BOARD`; the hall the other way round.
What is lost is sent again by those who talk, so the broker need not keep anything.
Its rule: passwords come from the environment or the settings, never from an address that might be printed or logged.
"""

from __future__ import annotations

import contextlib
import logging
import ssl
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

import aiomqtt

from companion.host.hall import wire
from companion.host.hall.branch import OpenWay, Way
from companion.host.hall.sealing import Keys, seal, unseal
from companion.host.hall.wire import Down, Refused, Up
from companion.host.reasons import why
from companion.model.errors import HallUnreachable, SettingsError

_LOG = logging.getLogger(__name__)
_QUIET: Final = logging.getLogger(f"{__name__}.client")
_QUIET.setLevel(logging.CRITICAL)
"""The library's own voice: what it has to tell comes as exceptions, and we say it in our words."""
_KEEP_ALIVE_S: Final = 5
"""A broker that hears nothing for one and a half times this says goodbye for a board."""
_TIMEOUT_S: Final = 5.0
_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
_WRONG_PASSWORD: Final = (
    "it wants another user or password: mqtt://USER@… says the user, COMPANION_MQTT_PASSWORD the password"
)
_NOT_LET_IN: Final = frozenset({134, 135})
"""MQTT's reason codes for those whom a broker does not know, or does not want."""
_NOT_IN_NAMES: Final = frozenset("/+#")


@dataclass(frozen=True, slots=True)
class Broker:
    """Where a broker is, and who we are to it."""

    host: str
    port: int
    hall: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: ssl.SSLContext | None = None
    keys: Keys | None = field(default=None, repr=False)
    """Of the boards; None if nothing is sealed."""

    def client(self, will: aiomqtt.Will | None = None) -> aiomqtt.Client:
        """A client that is not connected yet."""
        return aiomqtt.Client(
            self.host,
            self.port,
            username=self.user,
            password=self.password,
            tls_context=self.tls,
            keepalive=_KEEP_ALIVE_S,
            timeout=_TIMEOUT_S,
            will=will,
            logger=_QUIET,
        )

    def topic(self, direction: str, board: str) -> str:
        """Where messages of *board* go, `up` or `down`."""
        return f"companion/{self.hall}/{direction}/{board}"

    def sealed(self, direction: str, board: str, text: str) -> str:
        """*text* as it goes to or from *board*."""
        return text if self.keys is None else seal(text, self.keys(board), direction)

    def unsealed(self, direction: str, board: str, text: str) -> str:
        """What was sealed. Raises `ValueError` if it was not, or not so."""
        return text if self.keys is None else unseal(text, self.keys(board), direction)


def read_url(
    url: str, password: str | None = None, ca: str | None = None, keys: Keys | None = None
) -> Broker:
    """The broker at *url*, such as `mqtts://red@broker.example/club`: user and hall may be left out.

    *ca* is a file with the certificates to trust; without it, those of the system. With *keys* all is sealed.
    Raises `SettingsError`.
    """
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise SettingsError(f"{url!r} is no broker: it wants mqtt://HOST/HALL, or mqtts:// for TLS")
    if parts.password is not None:
        raise SettingsError(
            "a password does not belong into the broker's address, where others may read it: "
            "put it into the environment as COMPANION_MQTT_PASSWORD"
        )
    hall = parts.path.strip("/") or "hall"
    if _NOT_IN_NAMES & set(hall):
        raise SettingsError(f"{hall!r} is no name for a hall: it must not have / + or # in it")
    tls = None
    if parts.scheme == "mqtts":
        try:
            tls = ssl.create_default_context(cafile=ca)
        except OSError as fault:
            raise SettingsError(f"the certificates in {ca} cannot be read: {why(fault)}") from fault
    return Broker(
        parts.hostname, parts.port or _PORTS[parts.scheme], hall, parts.username, password, tls, keys
    )


class BoardWay:
    """A board's way through a broker."""

    def __init__(self, client: aiomqtt.Client, broker: Broker, board: str) -> None:
        self._client = client
        self._broker = broker
        self._board = board

    async def send(self, message: Up) -> None:
        """Send *message*. Raises `HallUnreachable`."""
        with _reaching(self._broker):
            text = self._broker.sealed("up", self._board, wire.write(message))
            await self._client.publish(self._broker.topic("up", self._board), text)

    async def receive(self) -> Down:
        """The next message that makes sense. Raises `HallUnreachable`."""
        with _reaching(self._broker):
            async for message in self._client.messages:
                with contextlib.suppress(ValueError):
                    return wire.read_down(self._broker.unsealed("down", self._board, _text(message)))
        raise HallUnreachable("the broker has closed the connection")


def board_ways(broker: Broker) -> OpenWay:
    """How a board opens its way through *broker*."""

    @contextlib.asynccontextmanager
    async def open_way(goodbye: Up) -> AsyncIterator[Way]:
        up = broker.topic("up", goodbye.board)
        with _reaching(broker):
            last = broker.sealed("up", goodbye.board, wire.write(goodbye))
            async with broker.client(aiomqtt.Will(up, last, qos=1)) as client:
                await client.subscribe(broker.topic("down", goodbye.board))
                yield BoardWay(client, broker, goodbye.board)

    return open_way


class HallDoor:
    """The hall's way through a broker."""

    def __init__(self, client: aiomqtt.Client, broker: Broker) -> None:
        self._client = client
        self._broker = broker
        self._refused: set[str] = set()
        """Boards without a key, as far as that was said."""

    async def send(self, message: Down) -> None:
        """Send *message* to its board. Raises `HallUnreachable`."""
        with _reaching(self._broker):
            text = self._broker.sealed("down", message.board, wire.write(message))
            await self._client.publish(self._broker.topic("down", message.board), text)

    async def receive(self) -> Up:
        """The next message of any board that makes sense and comes the way of that board. Raises `HallUnreachable`."""
        with _reaching(self._broker):
            async for message in self._client.messages:
                with contextlib.suppress(ValueError):
                    if (up := await self._read(message)) is not None:
                        return up
        raise HallUnreachable("the broker has closed the connection")

    async def _read(self, message: aiomqtt.Message) -> Up | None:
        """What *message* says; None if it is not for us. Raises `ValueError` if it makes no sense."""
        board = str(message.topic).rpartition("/")[2]
        text = _text(message)
        try:
            up = wire.read_up(self._broker.unsealed("up", board, text))
        except ValueError:
            if self._broker.keys is not None:
                await self._refuse(board, wire.read_up(text).instance)
            return None
        return up if up.board == board else None

    async def _refuse(self, board: str, instance: str) -> None:
        """Let a table without a key know, which would not hear what is sealed."""
        if board not in self._refused:
            self._refused.add(board)
            _LOG.warning("a table that says it is the board %s has no key, and is not heard", board)
        refusal = Refused(
            f"this hall wants a key: put what `companion hall key {board}` prints there into COMPANION_TABLE_KEY here"
        )
        await self._client.publish(
            self._broker.topic("down", board), wire.write(Down(board, instance, refusal))
        )


@contextlib.asynccontextmanager
async def hall_door(broker: Broker) -> AsyncIterator[HallDoor]:
    """The hall's way through *broker*, open meanwhile. Raises `HallUnreachable`."""
    with _reaching(broker):
        async with broker.client() as client:
            await client.subscribe(broker.topic("up", "+"))
            yield HallDoor(client, broker)


def _text(message: aiomqtt.Message) -> str:
    """What *message* says. Raises `ValueError` if it is no text."""
    payload = message.payload
    return payload.decode() if isinstance(payload, bytes | bytearray) else str(payload)


@contextlib.contextmanager
def _reaching(broker: Broker) -> Iterator[None]:
    """What the broker cannot do is `HallUnreachable`."""
    try:
        yield
    except aiomqtt.MqttError as fault:
        where = f"the broker at {broker.host}:{broker.port}"
        raise HallUnreachable(f"{where} cannot be reached: {_reason(fault)}") from fault


def _reason(fault: aiomqtt.MqttError) -> str:
    """Why the library has given up."""
    refused = fault.rc if isinstance(fault, aiomqtt.MqttCodeError) else None
    if refused is not None and not isinstance(refused, int):
        return _WRONG_PASSWORD if refused.value in _NOT_LET_IN else f"it refuses: {refused}"
    behind = fault.__context__  # of which the library keeps no more than its text
    return why(behind) if isinstance(behind, OSError) else "the connection was lost"
