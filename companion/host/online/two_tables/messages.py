# SPDX-License-Identifier: Apache-2.0
"""What two tables say to each other, inside the sealed messages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from companion.host.codec import decode, encode
from companion.host.online.game_elsewhere import GameElsewhere

T = TypeVar("T")


class Deed(StrEnum):
    """What the invited table asks for."""

    MAKE = "make"
    OFFER = "offer"
    DECLINE = "decline"
    RESIGN = "resign"
    TAKE_BACK = "take-back"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Request:
    """One request; the inviting table carries it out once."""

    number: int
    """Counted from 1."""
    deed: Deed
    ply: int = 0
    move: str = ""
    spent_ms: int = 0


@dataclass(frozen=True, slots=True)
class Greeting:
    """What the invited table sends again and again."""

    guest: str
    """By which the inviting table knows it again."""
    player: str = ""
    sent: int = 0
    """Time at the sender, which comes back with the answer."""
    lag_ms: int = 0
    requests: tuple[Request, ...] = ()
    """Those that were not carried out yet."""
    has_ended: bool = False
    """True once the game has ended at this table, too."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """What the inviting table says of the game."""

    game: str
    options: tuple[tuple[str, str], ...]
    side: int
    """That of the other table."""
    control: str
    player: str = ""
    """Name of the player at the inviting table."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the inviting table sends: to a greeting, and after each change."""

    welcome: Welcome | None = None
    state: GameElsewhere | None = None
    done: int = 0
    """Number of the last request that was carried out."""
    sent: int | None = None
    """The time in the greeting."""
    is_used: bool = False
    """True if the code belongs to another table."""
    reason: str = ""
    """Why a request was refused."""


def packed(message: Greeting | Answer) -> bytes:
    """Return *message* as bytes."""
    return json.dumps(encode(type(message), message), separators=(",", ":")).encode()


def unpacked(kind: type[T], data: bytes) -> T | None:
    """Return the message of *kind* in *data*; None for anything else."""
    try:
        said: Any = json.loads(data)
        found: T = decode(kind, said)
    except (ValueError, RecursionError):
        return None
    return found
