# SPDX-License-Identifier: Apache-2.0
"""Messages between stations and the hall, as lines of JSON, for any transport.

A message may be lost, late, repeated or out of order: each kind is either replaced by newer ones or
acknowledged.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.feedback.glance import Glance
from companion.host.codec import decode, encode
from companion.host.hall.core.journal_sync import Have, Kept, Part
from companion.host.hall.core.station_states import Hello
from companion.host.table.table_game import Begin
from companion.model.phrase import Text
from companion.referee.values.commands import (
    Adjourn,
    Command,
    Conclude,
    Correct,
    LetStand,
    NewGame,
    Play,
    Resign,
    Restore,
    TakeBack,
)

VERSION: Final = 1
"""Version of the messages; ends with different versions report it and do nothing else."""
LONGEST: Final = 1 << 20
"""Limit of a message's length, in characters; ours are shorter."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The view of a station; a later one replaces it."""

    number: int
    """Increases within an instance."""
    at_ms: int
    """On the station's clock."""
    glance: Glance


@dataclass(frozen=True, slots=True)
class Done:
    """An order was executed or refused; repeated when the order is."""

    order: str
    fault: Text = ""


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The station's program ends."""


Wanted: TypeAlias = Command | Begin
"""What a hall may order."""


BOUND: Final = Adjourn | Begin | Conclude | Correct | LetStand | NewGame | Play | Resign | Restore | TakeBack
"""Orders that replace, end or change a game, each for the moment it was given."""


@dataclass(frozen=True, slots=True)
class Order:
    """An order for a station; repeated until answered, executed once."""

    order: str
    """Name of the order."""
    command: Wanted
    by: str
    """Author of the order."""
    at_ms: int | None = None
    """Time to execute it, on the hall's clock, for several stations at once;

    None for at once.
    """
    journal: str = ""
    """Journal of the game it is for; empty for any."""
    ply: int | None = None
    """The next ply of that game, if the order is for that moment only."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """The hall accepts the station."""

    hall: str
    """New with every start of the hall's program, after which its data are queried again."""
    at_ms: int
    """On the hall's clock."""
    hello_ms: int | None = None
    """Sending time of the answered hello, on the station's clock."""
    is_behind: bool = False
    """True if a glance sent before the hello has not arrived."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The hall rejects the station."""

    reason: Text


FromStation: TypeAlias = Hello | Shown | Part | Kept | Done | Goodbye
FromHall: TypeAlias = Welcome | Refused | Have | Order


@dataclass(frozen=True, slots=True)
class Up:
    """A message to the hall."""

    board: str
    instance: str
    what: FromStation
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Down:
    """A message to one instance of a station."""

    board: str
    instance: str
    what: FromHall
    version: int = VERSION


def write(message: Up | Down) -> str:
    """Return *message* as a line."""
    return json.dumps(encode(type(message), message), ensure_ascii=False, separators=(",", ":"))


def read_up(text: str) -> Up:
    """Decode a message to the hall. Raises `ValueError`."""
    message: Up = decode(Up, _json(text))
    if isinstance(message.what, Shown) and not all(piece.cells for piece in message.what.glance.pieces):
        raise ValueError("a piece that is shown stands nowhere")
    return message


def read_down(text: str) -> Down:
    """Decode a message to a station. Raises `ValueError`."""
    message: Down = decode(Down, _json(text))
    return message


def _json(text: str) -> object:
    """Parse *text* and check its version. Raises `ValueError`."""
    if len(text) > LONGEST:
        raise ValueError(f"a message of {len(text)} characters is too long")
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("a message is nested too deep") from None
    if "\\u" in text:  # a lone surrogate, which cannot be encoded later, can occur only like this
        json.dumps(found, ensure_ascii=False).encode()
    version = found.get("version", VERSION) if isinstance(found, dict) else None
    if version != VERSION:
        raise ValueError(f"a message has version {version}, this program speaks {VERSION}")
    return found
