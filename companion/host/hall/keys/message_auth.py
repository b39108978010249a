# SPDX-License-Identifier: Apache-2.0
"""Message authentication between a table and its hall, with protection against replay.

A signed message is one line: `KIND CODE LINE CHALLENGE NUMBER TEXT`.

- CODE is an HMAC-SHA256 of all the rest, made with the key of the station.
- LINE is a random name that the table gives to each of its connections.
- CHALLENGE is a name that the hall gives to each line. It is new in each run of the hall, and no
  two lines share it.
- NUMBER counts the messages of a line, separately in each direction. Only higher numbers are
  accepted.

A line begins with a message without a challenge. The hall does not accept it; it answers with the
challenge, and the table repeats the message. A message of another line, another run of the hall or
an earlier number is not accepted, so recorded messages are useless. The goodbye that a broker sends
for a table is made before the line has a challenge: it ends that line only, and only once.

The key of a station is derived from the hall's secret, the name of the station and the number of
renewals.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from companion.model.errors import SettingsError

Keys: TypeAlias = Callable[[str], bytes]
"""Returns the key of a station."""

_DIGITS: Final = 32
"""Hexadecimal digits of an authentication code: 128 bits."""
_SHORTEST: Final = 16
_LINES: Final = 8
"""Limit of concurrent lines per station: its table has one, others may claim the station."""


class Kind(StrEnum):
    """Kind of an authenticated message."""

    UP = "up"
    """From a table to the hall."""
    DOWN = "down"
    """From the hall to a table."""
    CHALLENGE = "challenge"
    """From the hall: the challenge of a line, numbered like the message it answers."""
    END = "end"
    """The goodbye of a line, sent by the broker as the table's will."""


@dataclass(frozen=True, slots=True)
class Packet:
    """An authenticated message."""

    kind: Kind
    line: str
    challenge: str
    """Empty if the line has none yet."""
    number: int
    text: str


def key_of(secret: str, station: str, renewed: int = 0) -> str:
    """Derive *station*'s key from *secret*, after *renewed* renewals. Raises `SettingsError`."""
    if len(secret) < _SHORTEST:
        raise SettingsError(
            "a hall's secret needs {shortest} letters at least: openssl rand -hex 16 makes one",
            shortest=_SHORTEST,
        )
    name = f"table {station} {renewed}" if renewed else f"table {station}"
    return hmac.new(secret.encode(), name.encode(), hashlib.sha256).hexdigest()


def sign(packet: Packet, key: bytes) -> str:
    """Return *packet* as a line with its authentication code."""
    rest = f"{packet.line} {packet.challenge or '-'} {packet.number} {packet.text}"
    return f"{packet.kind} {_code(packet.kind, rest, key)} {rest}"


def verify(message: str, key: bytes) -> Packet:
    """Verify and parse *message*. Raises `ValueError` if it is not authentic."""
    kind, _, made_and_rest = message.partition(" ")
    made, _, rest = made_and_rest.partition(" ")
    if not hmac.compare_digest(made.encode(), _code(kind, rest, key).encode()):
        raise ValueError("the code was not made with the key of the board")
    line, challenge, number, text = rest.split(" ", 3)
    return Packet(Kind(kind), line, challenge.removeprefix("-"), int(number), text)


def _code(kind: str, rest: str, key: bytes) -> str:
    return hmac.new(key, f"{kind} {rest}".encode(), hashlib.sha256).hexdigest()[:_DIGITS]


class TableLine:
    """A table's end of a line to its hall."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._line = secrets.token_hex(16)
        self._challenge = ""
        self._sent = 0
        self._received = 0
        self._answered = 0
        """Number of the message that was answered with the challenge."""

    @property
    def challenge(self) -> str:
        """Return the challenge of this line; empty before there is one."""
        return self._challenge

    def sign(self, text: str) -> str:
        """Return *text* with its code; without a challenge, the hall answers with one instead."""
        self._sent += 1
        return sign(Packet(Kind.UP, self._line, self._challenge, self._sent, text), self._key)

    def end(self, text: str) -> str:
        """Return the goodbye *text* for the broker to send if the line is cut."""
        return sign(Packet(Kind.END, self._line, "", 0, text), self._key)

    def verify(self, message: str) -> str | None:
        """Return the text of a message; None for a challenge. Raises `ValueError` if invalid."""
        packet = verify(message, self._key)
        if packet.line != self._line:
            raise ValueError("the message is for another line")
        if packet.kind is Kind.CHALLENGE:
            if not self._answered < packet.number <= self._sent:
                raise ValueError("the challenge is old")
            self._answered = packet.number
            if packet.challenge != self._challenge:
                self._challenge, self._received = packet.challenge, 0
            return None
        if (
            packet.kind is not Kind.DOWN
            or packet.challenge != self._challenge
            or packet.number <= self._received
        ):
            raise ValueError("the message is old")
        self._received = packet.number
        return packet.text


@dataclass(slots=True)
class _Line:
    """The hall's end of a line."""

    challenge: str
    sent: int = 0
    received: int = 0
    instance: str = ""
    """Program that uses this line."""


@dataclass(slots=True)
class _Station:
    """The lines of a station, most recently used last."""

    key: bytes
    lines: OrderedDict[str, _Line] = field(default_factory=OrderedDict)
    begun: int = 0
    """Number of lines begun in this run of the hall, for distinct challenges."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A message that the hall accepts."""

    line: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The hall's answer to a message that it does not accept."""

    message: str


class HallLines:
    """The hall's ends of all lines, for one run of the hall."""

    def __init__(self, keys: Keys) -> None:
        """*keys* is called for each message, so that keys can be renewed."""
        self._keys = keys
        self._run = secrets.token_hex(16)
        self._stations: dict[str, _Station] = {}

    def verify(self, station: str, message: str) -> Accepted | Answer:
        """Process a message of *station*.

        Raises `ValueError` if it is invalid and needs no answer.
        """
        key = self._keys(station)
        packet = verify(message, key)
        known = self._station(station, key)
        line = known.lines.get(packet.line)
        if packet.kind is Kind.END:
            if line is None:
                raise ValueError("the line has ended before")
            del known.lines[packet.line]
            return Accepted(packet.line, packet.text)
        if packet.kind is not Kind.UP:
            raise ValueError("the message is not for a hall")
        if line is None:
            offered = f"{self._run}.{known.begun}"
            if packet.challenge != offered:
                return Answer(sign(Packet(Kind.CHALLENGE, packet.line, offered, packet.number, ""), key))
            line = known.lines[packet.line] = _Line(offered)
            known.begun += 1
            while len(known.lines) > _LINES:
                known.lines.popitem(last=False)
        if packet.challenge != line.challenge or packet.number <= line.received:
            raise ValueError("the message is old")
        line.received = packet.number
        known.lines.move_to_end(packet.line)
        return Accepted(packet.line, packet.text)

    def assign(self, station: str, name: str, instance: str) -> None:
        """Assign line *name* of *station* to program *instance*, and drop its other lines."""
        known = self._stations.get(station)
        if known is None or name not in known.lines or known.lines[name].instance == instance:
            return
        for each in [key for key, line in known.lines.items() if line.instance == instance]:
            del known.lines[each]
        known.lines[name].instance = instance

    def sign(self, station: str, instance: str, text: str) -> str | None:
        """Return *text* for program *instance* of *station*; None if it has no line."""
        known = self._stations.get(station)
        if known is None or known.key != self._keys(station):
            return None
        for name, line in known.lines.items():
            if line.instance == instance:
                line.sent += 1
                return sign(Packet(Kind.DOWN, name, line.challenge, line.sent, text), known.key)
        return None

    def _station(self, station: str, key: bytes) -> _Station:
        """Return the lines of *station*; a renewed key drops all former ones."""
        known = self._stations.setdefault(station, _Station(key))
        if known.key != key:
            known.key = key
            known.lines.clear()
        return known
