# SPDX-License-Identifier: Apache-2.0
"""Open connections of a page's server: limits, timeouts, and which to close first.

Its rule: a new connection is always admitted, since only its request shows whether it is an
arbiter's. Over the limit, the connection closed is the oldest of those that have requested least,
at the address with the most. Spectators' WebSockets are never closed for others; their number is
limited instead, so that places stay free. A connection with an arbiter's token counts against no
limit of its address and is never closed for others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from math import inf
from typing import Final, Protocol

HEAD_S: Final = 10.0
"""For a TLS handshake and the head of the first request."""
BODY_S: Final = 30.0
"""For the body of a request, from the end of its head."""
ANSWER_S: Final = 300.0
"""For the answer until its last byte is sent; pairing a large round takes longest."""
IDLE_S: Final = 15.0
"""For the next request; uvicorn's own limit is shorter unless half a head has arrived."""
CLOSE_S: Final = 10.0
"""For the bytes left to send on a connection that is being closed."""

PER_ADDRESS: Final = 200
"""Default limit of connections per address: a club behind one router."""


class Stage(IntEnum):
    """Activity of a connection; those with the lowest stage are closed first."""

    SILENT = 0
    """No complete request has arrived yet."""
    IDLE = 1
    """All its requests have been answered."""
    ASKING = 2
    """A request is being answered."""
    WATCHING = 3
    """It is a WebSocket."""
    TRUSTED = 4
    """It has shown an arbiter's token."""


_PASSING: Final = (Stage.SILENT, Stage.IDLE, Stage.ASKING)
"""Stages that may be closed for others."""


class Transport(Protocol):
    """The transport of a connection."""

    def abort(self) -> None:
        """Close it at once."""
        ...

    def is_closing(self) -> bool:
        """True if it is closed, or will be once its buffer is sent."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """Limits on the number of connections."""

    most: int
    """In all; at least twice `reserved`."""
    per_address: int = PER_ADDRESS
    """WebSockets per address, and as many connections of other kinds."""
    reserved: int = 32
    """Part of `most` that spectators' WebSockets leave free."""
    head_s: float = HEAD_S
    body_s: float = BODY_S


class Connection:
    """A connection registered in `Connections`."""

    def __init__(self, table: Connections, address: str, transport: Transport, until_s: float) -> None:
        self.address = address
        self.transport = transport
        """Replaced once there is a transport."""
        self.stage = Stage.SILENT
        self.until_s = until_s
        """Time at which it is closed, unless something happens before."""
        self._table = table

    @property
    def head_s(self) -> float:
        """How long it may take until the first request is there, a handshake included."""
        return self._table.room.head_s

    def begin(self, address: str, *, is_trusted: bool, has_body: bool) -> None:
        """Note the head of a request from *address*, which a proxy may have given."""
        stage = Stage.TRUSTED if is_trusted else Stage.SILENT if has_body else Stage.ASKING
        self._table.move(self, stage, address, self._table.room.body_s if has_body else ANSWER_S)

    def complete(self) -> None:
        """Note that the whole request has arrived."""
        self._table.move(self, max(self.stage, Stage.ASKING), self.address, ANSWER_S)

    def answered(self) -> None:
        """Note that the answer is complete."""
        self._table.move(
            self, Stage.TRUSTED if self.stage is Stage.TRUSTED else Stage.IDLE, self.address, IDLE_S
        )

    def watch(self, address: str) -> bool:
        """Keep this WebSocket of *address* open; false if there are too many."""
        return self._table.watch(self, address)

    def trust(self) -> None:
        """Keep this WebSocket open: an arbiter's token has arrived on it."""
        self._table.move(self, Stage.TRUSTED, self.address, inf)

    def leave(self) -> None:
        """Remove the closed connection."""
        self._table.leave(self)


_Groups = dict[str, dict[Connection, None]]
"""Connections by address, oldest first."""


class Connections:
    """All connections of one server."""

    def __init__(self, room: Room, clock: Callable[[], float]) -> None:
        """*clock* returns monotonic seconds."""
        self.room = room
        self._clock = clock
        self._groups: dict[Stage, _Groups] = {stage: {} for stage in Stage}
        self._all: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._all)

    def count(self, stage: Stage, address: str | None = None) -> int:
        """Return the number of connections at *stage*, optionally of one *address*."""
        groups = self._groups[stage]
        if address is not None:
            return len(groups.get(address, ()))
        return sum(map(len, groups.values()))

    def enter(self, address: str, transport: Transport) -> Connection:
        """Register a new connection; close another one if there are too many."""
        connection = Connection(self, address, transport, self._clock() + self.room.head_s)
        self._all.add(connection)
        self._groups[Stage.SILENT].setdefault(address, {})[connection] = None
        self._keep_to_address(connection)
        if len(self) > self.room.most:
            self.make_room(connection)
        return connection

    def make_room(self, besides: Connection | None = None) -> None:
        """Close one connection, preferably not *besides*."""
        by_number = (
            sorted(groups, key=lambda address, of=groups: -len(of[address]))  # type: ignore[misc]
            for groups in (self._groups[stage] for stage in _PASSING)
        )
        self._close_one(zip(_PASSING, by_number, strict=True), besides)

    def move(self, connection: Connection, stage: Stage, address: str, patience_s: float) -> None:
        """Set the stage and timeout of *connection*, and its *address*."""
        if connection not in self._all:
            return
        self._take_out(connection)
        connection.stage, connection.address = stage, address
        connection.until_s = self._clock() + patience_s
        self._groups[stage].setdefault(address, {})[connection] = None
        if stage in _PASSING:
            self._keep_to_address(connection)

    def watch(self, connection: Connection, address: str) -> bool:
        """See `Connection.watch`."""
        if (
            self.count(Stage.WATCHING, address) >= self.room.per_address
            or self.count(Stage.WATCHING) >= self.room.most - self.room.reserved
        ):
            return False
        self.move(connection, Stage.WATCHING, address, inf)
        return True

    def leave(self, connection: Connection) -> None:
        """Remove *connection*."""
        if connection in self._all:
            self._all.discard(connection)
            self._take_out(connection)

    def sweep(self) -> None:
        """Close every expired connection."""
        now_s = self._clock()
        for connection in tuple(self._all):
            if connection.transport.is_closing():
                connection.until_s = min(connection.until_s, now_s + CLOSE_S)
            if connection.until_s <= now_s:
                self._close(connection)

    def _keep_to_address(self, connection: Connection) -> None:
        """Close a connection of the same address if there are too many."""
        address = connection.address
        if sum(self.count(stage, address) for stage in _PASSING) > self.room.per_address:
            self._close_one(((stage, [address]) for stage in _PASSING), connection)

    def _close_one(self, among: Iterable[tuple[Stage, Iterable[str]]], besides: Connection | None) -> None:
        """Close the first connection in *among*, preferably not *besides*.

        *among* gives stages with their addresses.
        """
        for stage, addresses in among:
            groups = self._groups[stage]
            for address in addresses:
                for connection in groups.get(address, ()):
                    if connection is not besides:
                        self._close(connection)
                        return
        if besides is not None:
            self._close(besides)

    def _close(self, connection: Connection) -> None:
        self.leave(connection)
        connection.transport.abort()

    def _take_out(self, connection: Connection) -> None:
        groups = self._groups[connection.stage]
        of_address = groups[connection.address]
        del of_address[connection]
        if not of_address:
            del groups[connection.address]
