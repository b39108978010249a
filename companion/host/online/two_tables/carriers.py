# SPDX-License-Identifier: Apache-2.0
"""What carries messages between two tables: a WebSocket, or an MQTT broker.

Its rule: a carrier connects again by itself, and loses what is sent while it is not connected.
Its users repeat what was not answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidProxy, InvalidURI, WebSocketException

from companion.host.online.two_tables.sealing import LONGEST
from companion.host.pages.application import Application
from companion.host.retry import USUAL, Intervals
from companion.host.tasks import quiet_logger
from companion.host.text.os_errors import reporting, why
from companion.host.web.allowed_hosts import Listener
from companion.host.web.server import bound, serving_app
from companion.model.errors import InvalidArgument, OnlineRefused, SettingsError
from companion.model.installation import importing
from companion.model.phrase import Phrase

WRONG_CODE: Final = 4404
"""WebSocket close code: nobody waits under this code."""
_PATIENCE_S: Final = 5.0
_USUAL_PORT: Final = 7810
_MQTT_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}

Receive = Callable[[bytes], None]
Report = Callable[[str], None]


class Carrier(Protocol):
    """Carries messages to the other end."""

    async def run(self, receive: Receive, report: Report) -> None:
        """Carry until cancelled; *report* gets why it is not connected, "" when it is.

        Raises `OnlineRefused` if nobody waits under this code.
        """
        ...

    async def send(self, message: bytes) -> None:
        """Send *message*, if connected."""
        ...


@dataclass
class WebSocketRooms:
    """Waits for other tables at *host* and *port*, each in the room of its code."""

    host: str
    port: int
    _rooms: dict[str, WebSocketRoom] = field(default_factory=dict)

    def room(self, name: str) -> WebSocketRoom:
        """Return the carrier for the table of room *name*."""
        return self._rooms.setdefault(name, WebSocketRoom())

    async def run(self) -> None:
        """Serve until cancelled. Raises `SettingsError` if the port is taken."""
        async with self.serving():
            await asyncio.Event().wait()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serve inside the block. Raises like `run`."""
        with _listening(self.host, self.port) as listener:
            async with serving_app(self._app(), listener):
                yield

    def _app(self) -> Application:
        app = Application()

        @app.websocket("/play/{room}")
        async def talk(other: WebSocket, room: str) -> None:
            await other.accept()
            if room in self._rooms:
                await self._rooms[room].talk(other)
            else:
                await other.close(WRONG_CODE)

        return app


@dataclass
class WebSocketRoom:
    """The connections of one room; a `Carrier` where others serve its port."""

    others: set[WebSocket] = field(default_factory=set)
    _receive: Receive | None = None
    """None while nobody is in the room: the other table tries again."""

    async def run(self, receive: Receive, report: Report) -> None:
        """Be in the room until cancelled."""
        self._receive = receive
        report("")
        try:
            await asyncio.Event().wait()
        finally:
            self._receive = None

    async def talk(self, other: WebSocket) -> None:
        """Take the messages of *other* until it has gone."""
        self.others.add(other)
        try:
            with contextlib.suppress(WebSocketDisconnect, KeyError):
                while True:
                    message = await other.receive_bytes()
                    if self._receive is not None:
                        self._receive(message)
        finally:
            self.others.discard(other)

    async def send(self, message: bytes) -> None:
        for other in tuple(self.others):
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it has just gone
                await other.send_bytes(message)


@dataclass
class WebSocketHost:
    """Waits for one other table at *host* and *port*."""

    host: str
    port: int
    room: str
    _room: WebSocketRoom | None = None

    async def run(self, receive: Receive, report: Report) -> None:
        """Serve until cancelled. Raises `SettingsError` if the port is taken."""
        rooms = WebSocketRooms(self.host, self.port)
        self._room = rooms.room(self.room)
        async with rooms.serving():
            await self._room.run(receive, report)

    async def send(self, message: bytes) -> None:
        if self._room is not None:
            await self._room.send(message)


@dataclass
class WebSocketGuest:
    """Connects to the table that waits at *url*."""

    url: str
    room: str
    intervals: Intervals
    _line: ClientConnection | None = None

    async def run(self, receive: Receive, report: Report) -> None:
        """Connect again and again until cancelled."""
        while True:
            try:
                async with connect(
                    f"{self.url}/play/{self.room}",
                    open_timeout=_PATIENCE_S,
                    max_size=2 * LONGEST,
                    proxy=None if is_near(self.url) else True,
                ) as self._line:
                    report("")
                    async for message in self._line:
                        if isinstance(message, bytes):
                            receive(message)
                report(Phrase("the connection to the other table was closed"))
            except InvalidURI as fault:
                raise InvalidArgument(
                    "{url!r} is not an address: expected ws://HOST:PORT", url=self.url
                ) from fault
            except ConnectionClosed as fault:
                if fault.rcvd is not None and fault.rcvd.code == WRONG_CODE:
                    raise OnlineRefused(
                        "nobody waits under this code at {place}: compare each letter with the other table's",
                        place=self.url,
                    ) from fault
                report(Phrase("the connection to the other table was closed"))
            except (OSError, ImportError, WebSocketException) as fault:
                report(self._why(fault))
            finally:
                self._line = None
            await asyncio.sleep(self.intervals.retry_s)

    def _why(self, fault: Exception) -> Phrase:
        """Return why there is no connection; a proxy may need a library."""
        if isinstance(fault, InvalidProxy | ImportError):
            reason = str(fault).rstrip(".")
            return Phrase("the proxy to {where} cannot be used: {reason}", where=self.url, reason=reason)
        reason = why(fault) if isinstance(fault, OSError) else str(fault)
        return Phrase("{where} cannot be reached: {reason}", where=self.url, reason=reason)

    async def send(self, message: bytes) -> None:
        if self._line is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._line.send(message)


@dataclass
class OverBroker:
    """Both tables at the MQTT broker *url*, under the name of the room."""

    url: str
    room: str
    role: str
    peer_role: str
    intervals: Intervals
    _client: Any = None

    async def run(self, receive: Receive, report: Report) -> None:
        """Connect again and again until cancelled. Raises `ExtraMissing` without the library."""
        with importing("two tables need {library}, which is not installed: {install}", extra="online"):
            import aiomqtt
        parts = urlsplit(self.url)
        tls = ssl.create_default_context() if parts.scheme == "mqtts" else None
        while True:
            try:
                async with aiomqtt.Client(
                    parts.hostname or "",
                    parts.port or _MQTT_PORTS[parts.scheme],
                    username=parts.username,
                    password=parts.password,
                    tls_context=tls,
                    timeout=_PATIENCE_S,
                    keepalive=int(4 * _PATIENCE_S),
                    logger=quiet_logger(__name__, aiomqtt.MqttError),
                ) as client:
                    await client.subscribe(f"companion/play/{self.room}/{self.peer_role}", qos=1)
                    self._client = client
                    report("")
                    async for message in client.messages:
                        if isinstance(message.payload, bytes):
                            receive(message.payload)
            except aiomqtt.MqttError as fault:
                host = parts.hostname
                report(Phrase("{where} cannot be reached: {reason}", where=host, reason=fault))
            finally:
                self._client = None
            await asyncio.sleep(self.intervals.retry_s)

    async def send(self, message: bytes) -> None:
        import aiomqtt

        if self._client is not None:
            with contextlib.suppress(aiomqtt.MqttError):
                await self._client.publish(f"companion/play/{self.room}/{self.role}", message, qos=1)


def _listening(host: str, port: int) -> Listener:
    """Return a listening socket for the other table. Raises `SettingsError`."""
    with reporting(
        "the other table cannot be waited for at {address} port {port}: {reason}. "
        "Name another place with --via ws://ADDRESS:PORT",
        SettingsError,
        address=host,
        port=port,
    ):
        return bound(host, port)


def is_near(url: str) -> bool:
    """True if *url* is in the same network, to which no web proxy leads.

    >>> [is_near(f"ws://{host}:7810") for host in ("localhost", "table.local", "192.168.1.5")]
    [True, True, True]
    >>> is_near("wss://table.example"), is_near("ws://[fe80::1]:7810"), is_near("ws://8.8.8.8")
    (False, True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(".local")
    return address.is_private or address.is_link_local


def rooms_at(via: str) -> WebSocketRooms | None:
    """Return the rooms of tables that are waited for at *via*; None at a broker.

    Raises `InvalidArgument`.
    """
    parts = urlsplit(via)
    if parts.scheme in _MQTT_PORTS and parts.hostname:
        return None
    waiting = carrier_for(via, "", invites=True, intervals=USUAL)
    assert isinstance(waiting, WebSocketHost)
    return WebSocketRooms(waiting.host, waiting.port)


def carrier_for(via: str, room: str, *, invites: bool, intervals: Intervals) -> Carrier:
    """Return the carrier for the address *via*. Raises `InvalidArgument`."""
    parts = urlsplit(via)
    if parts.scheme in _MQTT_PORTS and parts.hostname:
        roles = ("host", "guest") if invites else ("guest", "host")
        return OverBroker(via, room, *roles, intervals)
    if parts.scheme in ("ws", "wss") and parts.hostname:
        if invites:
            return WebSocketHost(parts.hostname, parts.port or _USUAL_PORT, room)
        address = (
            via.rstrip("/") if parts.port or parts.scheme == "wss" else f"ws://{parts.hostname}:{_USUAL_PORT}"
        )
        return WebSocketGuest(address, room, intervals)
    raise InvalidArgument(
        "{via!r} is not a way to another table: name ws://HOST:PORT of the inviting table, or a broker as "
        "mqtt://HOST, with --via",
        via=via,
    )
