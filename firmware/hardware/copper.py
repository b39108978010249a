# SPDX-License-Identifier: Apache-2.0
"""What a circuit board consists of: parts with pads, tracks, vias, holes and texts. Pure.

Lengths are in mm; x runs to the right and y downwards, as KiCad has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

Layer: TypeAlias = Literal["F.Cu", "B.Cu"]
SIGNAL_MM: Final = 0.25
VIA_MM: Final = 0.6
VIA_DRILL_MM: Final = 0.3


class At(NamedTuple):
    """A place on a board."""

    x: float
    y: float


class Pad(NamedTuple):
    """A pad of a footprint, from the middle of the footprint."""

    number: str
    at: At
    width: float
    height: float
    drill: float = 0
    """0 for a pad on one side only."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """The pads of a kind of part, and the box round its body."""

    name: str
    pads: tuple[Pad, ...]
    body: tuple[float, float, float, float]
    """Left, upper, right and lower edge."""
    is_below: bool = False
    """True if the body lies on the lower side."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A part on a board."""

    ref: str
    kind: str
    """A key of the list of parts to buy."""
    footprint: Footprint
    at: At
    nets: dict[str, str]
    """Net of each pad."""
    is_turned: bool = False
    """True if it is turned by 180 degrees."""
    is_fitted: bool = True
    """False if the part is an alternative that is not ordered."""

    def pad_at(self, number: str) -> At:
        """Where the pad *number* lies on the board. Raises `StopIteration` without it."""
        pad = next(pad for pad in self.footprint.pads if pad.number == number)
        sign = -1 if self.is_turned else 1
        return At(self.at.x + sign * pad.at.x, self.at.y + sign * pad.at.y)


class Track(NamedTuple):
    """A straight piece of copper."""

    begin: At
    end: At
    width: float
    layer: Layer
    net: str


class Via(NamedTuple):
    """A plated hole that joins both layers."""

    at: At
    net: str


class Mark(NamedTuple):
    """A text printed on the upper or lower side."""

    text: str
    at: At
    size: float
    is_below: bool = False


@dataclass(slots=True)
class Board:
    """A board while it is laid out."""

    name: str
    width: float
    height: float
    parts: list[Placed] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)
    holes: list[tuple[At, float]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    def path(self, net: str, layer: Layer, *points: At, width: float = SIGNAL_MM) -> None:
        """Lay a track through *points*."""
        self.tracks += [
            Track(begin, end, width, layer, net) for begin, end in pairwise(points) if begin != end
        ]

    def via(self, net: str, at: At) -> None:
        """Join both layers at a place."""
        self.vias.append(Via(at, net))

    def nets(self) -> tuple[str, ...]:
        """The names of all nets, in alphabetical order."""
        return tuple(sorted({net for part in self.parts for net in part.nets.values()}))
