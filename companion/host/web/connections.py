# SPDX-License-Identifier: Apache-2.0
"""The open connections of a page's server: how many there may be, how long each may wait, and which one is closed first.

Rule: a new connection is always let in, because only its request tells whether an arbiter sent it. When there are too many,
the one closed is the oldest of those that have asked for the least, at the address that has most of them.
WebSockets of spectators are never closed for others; there is a limit to them instead, which leaves places free.
A connection that has shown an arbiter's token counts against no limit of its address and is never closed for others.
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
"""For the answer, until the last of it is taken: the longest is a large round that is paired."""
IDLE_S: Final = 15.0
"""For the next request on the same connection; the server itself is less patient, unless half a head has come."""
CLOSE_S: Final = 10.0
"""For what is still to be sent on a connection that is being closed."""

PER_ADDRESS: Final = 200
"""Connections of one address, if nobody says otherwise: a club behind one router."""


class Stage(IntEnum):
    """What a connection does; the lowest are closed first."""

    SILENT = 0
    """It has not sent a whole request yet."""
    IDLE = 1
    """Its requests have been answered."""
    ASKING = 2
    """Its request is being answered."""
    WATCHING = 3
    """It is a WebSocket."""
    TRUSTED = 4
    """It has shown an arbiter's token."""


_PASSING: Final = (Stage.SILENT, Stage.IDLE, Stage.ASKING)
"""These may be closed for others."""


class Line(Protocol):
    """The connection itself, as the event loop has it."""

    def abort(self) -> None:
        """Close it at once."""
        ...

    def is_closing(self) -> bool:
        """True if it is closed, or will be as soon as everything is sent."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """How many connections there may be."""

    most: int
    """In all; at least twice as many as are `reserved`."""
    per_address: int = PER_ADDRESS
    """WebSockets of one address, and as many connections of other kinds."""
    reserved: int = 32
    """Of `most`, that spectators' WebSockets leave free."""


class Connection:
    """One of the connections in a table of `Connections`."""

    def __init__(self, table: Connections, address: str, line: Line, until_s: float) -> None:
        self.address = address
        self.line = line
        """Replaced as soon as a transport is there."""
        self.stage = Stage.SILENT
        self.until_s = until_s
        """When it is closed, if nothing happens before."""
        self._table = table

    def begin(self, address: str, *, is_trusted: bool, has_body: bool) -> None:
        """The head of a request has come, from *address*, which a proxy may have told."""
        stage = Stage.TRUSTED if is_trusted else Stage.SILENT if has_body else Stage.ASKING
        self._table.move(self, stage, address, BODY_S if has_body else ANSWER_S)

    def complete(self) -> None:
        """All of the request has come."""
        self._table.move(self, max(self.stage, Stage.ASKING), self.address, ANSWER_S)

    def answered(self) -> None:
        """The answer is complete."""
        self._table.move(
            self, Stage.TRUSTED if self.stage is Stage.TRUSTED else Stage.IDLE, self.address, IDLE_S
        )

    def watch(self, address: str) -> bool:
        """Keep this WebSocket of *address* open from now on; False if there are too many."""
        return self._table.watch(self, address)

    def trust(self) -> None:
        """An arbiter's token has come on this WebSocket: it stays open from now on."""
        self._table.move(self, Stage.TRUSTED, self.address, inf)

    def leave(self) -> None:
        """The connection is closed."""
        self._table.leave(self)


_Groups = dict[str, dict[Connection, None]]
"""Connections by address, the oldest first."""


class Connections:
    """All connections of one server."""

    def __init__(self, room: Room, clock: Callable[[], float]) -> None:
        """*clock* tells seconds that only grow."""
        self.room = room
        self._clock = clock
        self._groups: dict[Stage, _Groups] = {stage: {} for stage in Stage}
        self._all: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._all)

    def count(self, stage: Stage, address: str | None = None) -> int:
        """How many are at *stage*: of *address*, if one is given."""
        groups = self._groups[stage]
        if address is not None:
            return len(groups.get(address, ()))
        return sum(map(len, groups.values()))

    def enter(self, address: str, line: Line) -> Connection:
        """A new connection; another one is closed if there are too many now."""
        connection = Connection(self, address, line, self._clock() + HEAD_S)
        self._all.add(connection)
        self._groups[Stage.SILENT].setdefault(address, {})[connection] = None
        self._keep_to_address(connection)
        if len(self) > self.room.most:
            self.make_room(connection)
        return connection

    def make_room(self, besides: Connection | None = None) -> None:
        """Close one that may be closed for others, any but *besides*; that one only if there is no other."""
        by_number = (
            sorted(groups, key=lambda address, of=groups: -len(of[address]))  # type: ignore[misc]
            for groups in (self._groups[stage] for stage in _PASSING)
        )
        self._close_one(zip(_PASSING, by_number, strict=True), besides)

    def move(self, connection: Connection, stage: Stage, address: str, patience_s: float) -> None:
        """*connection* of *address* is at *stage* now, for *patience_s* at most."""
        if connection not in self._all:
            return
        self._take_out(connection)
        connection.stage, connection.address = stage, address
        connection.until_s = self._clock() + patience_s
        self._groups[stage].setdefault(address, {})[connection] = None
        if stage in _PASSING:
            self._keep_to_address(connection)

    def watch(self, connection: Connection, address: str) -> bool:
        """As `Connection.watch`."""
        if (
            self.count(Stage.WATCHING, address) >= self.room.per_address
            or self.count(Stage.WATCHING) >= self.room.most - self.room.reserved
        ):
            return False
        self.move(connection, Stage.WATCHING, address, inf)
        return True

    def leave(self, connection: Connection) -> None:
        """*connection* is closed: its place is free."""
        if connection in self._all:
            self._all.discard(connection)
            self._take_out(connection)

    def sweep(self) -> None:
        """Close every connection whose time is over."""
        now_s = self._clock()
        for connection in tuple(self._all):
            if connection.line.is_closing():
                connection.until_s = min(connection.until_s, now_s + CLOSE_S)
            if connection.until_s <= now_s:
                self._close(connection)

    def _keep_to_address(self, connection: Connection) -> None:
        """Close one of the address of *connection* if it has too many."""
        address = connection.address
        if sum(self.count(stage, address) for stage in _PASSING) > self.room.per_address:
            self._close_one(((stage, [address]) for stage in _PASSING), connection)

    def _close_one(self, among: Iterable[tuple[Stage, Iterable[str]]], besides: Connection | None) -> None:
        """Close the first of *among*, stages with addresses, but *besides* only if there is no other."""
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
        connection.line.abort()

    def _take_out(self, connection: Connection) -> None:
        groups = self._groups[connection.stage]
        of_address = groups[connection.address]
        del of_address[connection]
        if not of_address:
            del groups[connection.address]
