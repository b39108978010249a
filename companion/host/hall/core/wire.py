# SPDX-License-Identifier: Apache-2.0
"""What boards and the hall say to each other, as lines of JSON; how they travel is the business of others.

A message may be lost, come late, twice or out of order: each is either the newest of its kind, or acknowledged.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.feedback.glance import Glance
from companion.host.codec import decode, encode
from companion.host.hall.core.journal_sync import Have, Kept, Part
from companion.host.hall.core.seats import Hello
from companion.host.table.game_setup import Begin
from companion.referee.commands import Command

VERSION: Final = 1
"""Of these messages: a hall and a board that differ in it say so and do nothing else."""
LONGEST: Final = 1 << 20
"""Characters of a message; nothing of ours is as long."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the board shows; a later one takes its place."""

    number: int
    """Counted up by each instance."""
    at_ms: int
    """By the board's clock."""
    glance: Glance


@dataclass(frozen=True, slots=True)
class Done:
    """An order was carried out, or could not be; said again whenever the order comes again."""

    order: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The board's program ends."""


Wanted: TypeAlias = Command | Begin
"""What a hall may have done at a board."""


@dataclass(frozen=True, slots=True)
class Order:
    """Somebody at the hall wants *command* of the board. Comes until it is answered, and is done once."""

    order: str
    """Its own name."""
    command: Wanted
    by: str
    """Who wants it."""
    at_ms: int | None = None
    """When, by the hall's clock: at many boards at one time; None for at once."""
    journal: str = ""
    """Of the game that is meant; empty for whichever is played."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """The hall knows the board."""

    hall: str
    """Made anew whenever the hall's program starts: what it had may have to be asked anew."""
    at_ms: int
    """By the hall's clock."""
    hello_ms: int | None = None
    """When the hello was said that this answers, by the board's clock."""
    is_behind: bool = False
    """True if a glance that was sent before the hello has not come."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The hall does not take the board."""

    reason: str


FromBoard: TypeAlias = Hello | Shown | Part | Kept | Done | Goodbye
FromHall: TypeAlias = Welcome | Refused | Have | Order


@dataclass(frozen=True, slots=True)
class Up:
    """A message on its way to the hall."""

    board: str
    instance: str
    what: FromBoard
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Down:
    """A message on its way to one instance of a board."""

    board: str
    instance: str
    what: FromHall
    version: int = VERSION


def write(message: Up | Down) -> str:
    """*message* as one line."""
    return json.dumps(encode(type(message), message), ensure_ascii=False, separators=(",", ":"))


def read_up(text: str) -> Up:
    """The message to the hall that *text* is. Raises `ValueError`."""
    message: Up = decode(Up, _json(text))
    if isinstance(message.what, Shown) and not all(piece.cells for piece in message.what.glance.pieces):
        raise ValueError("a piece that is shown stands nowhere")
    return message


def read_down(text: str) -> Down:
    """The message to a board that *text* is. Raises `ValueError`."""
    message: Down = decode(Down, _json(text))
    return message


def _json(text: str) -> object:
    """What *text* says, if it is of our version. Raises `ValueError`."""
    if len(text) > LONGEST:
        raise ValueError(f"a message of {len(text)} characters is too long")
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("a message is nested too deep") from None
    if "\\u" in text:  # half a letter can be written only so, and never sent on or kept
        json.dumps(found, ensure_ascii=False).encode()
    version = found.get("version", VERSION) if isinstance(found, dict) else None
    if version != VERSION:
        raise ValueError(f"a message has version {version}, this program speaks {VERSION}")
    return found
