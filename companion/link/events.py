# SPDX-License-Identifier: Apache-2.0
"""Events of a connection, named in the past tense. Times are host milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from companion.link.panel import Shape
from companion.link.protocol_gen import Health, HelloReply, LogLevel, Message, Status, Whole
from companion.model.observation import Observation
from companion.model.pieces import Side


@dataclass(frozen=True, slots=True)
class PanelGreeted:
    """A panel has answered the greeting.

    `InputsRead` follows;
    or, if the same panel went on counting while the link was down, the edges missed in between.
    """

    at_ms: int
    hello: HelloReply


@dataclass(frozen=True, slots=True)
class PanelForeign:
    """A panel answers with another protocol; nothing more is sent until it restarts."""

    at_ms: int
    ours: str
    theirs: str
    remedy: str


@dataclass(frozen=True, slots=True)
class InputEdge:
    """One debounced change of one input, stamped with its first raw change."""

    t_ms: int
    input: int
    """Cell, `INPUT_BUTTON` + button, or `INPUT_LEVER`."""
    is_closed: bool


@dataclass(frozen=True, slots=True)
class InputsChanged:
    """Edges, complete, in order and without duplicates.

    *closed* and *aux* are the state after the last edge.
    """

    at_ms: int
    edges: tuple[InputEdge, ...]
    closed: int
    """Closed cells, bit *i* for cell *i*."""
    aux: int
    """Pressed buttons, bit *i* for button *i*; bit 15 is the lever."""


@dataclass(frozen=True, slots=True)
class InputsRead:
    """The whole state, read again."""

    at_ms: int
    closed: int
    aux: int
    has_gap: bool
    """True if edges may have been missed before; False for the very first state."""


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """The reply to a message given to `Connection.send`; a `Refusal` on failure."""

    at_ms: int
    command: Whole
    reply: Message


@dataclass(frozen=True, slots=True)
class CommandLost:
    """A message given to `Connection.send` was not answered before the link went down.

    The panel may have carried it out.
    """

    at_ms: int
    command: Whole


@dataclass(frozen=True, slots=True)
class FeedbackRefused:
    """The panel refused a lamp image, palette or line of text."""

    at_ms: int
    command: Whole
    status: Status


@dataclass(frozen=True, slots=True)
class HealthReported:
    """The panel's health flags have changed."""

    at_ms: int
    health: Health


@dataclass(frozen=True, slots=True)
class PanelLogged:
    """A log line of the panel's firmware."""

    at_ms: int
    level: LogLevel
    text: str


@dataclass(frozen=True, slots=True)
class EboardGreeted:
    """An eboard has answered; its first `EboardSeen` follows."""

    at_ms: int
    name: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class EboardSeen:
    """Changes on an eboard that knows its pieces; the cells are those of the eboard."""

    at_ms: int
    observation: Observation


@dataclass(frozen=True, slots=True)
class ClockSeen:
    """The times of a clock of another maker have changed otherwise than by passing."""

    at_ms: int
    left_ms: tuple[int, ...]
    running: Side | None


@dataclass(frozen=True, slots=True)
class LinkLost:
    """The panel has restarted or does not answer; it is greeted again automatically."""

    at_ms: int
    reason: str


LinkEvent: TypeAlias = (
    PanelGreeted
    | EboardGreeted
    | EboardSeen
    | ClockSeen
    | PanelForeign
    | InputsChanged
    | InputsRead
    | CommandAnswered
    | CommandLost
    | FeedbackRefused
    | HealthReported
    | PanelLogged
    | LinkLost
)
