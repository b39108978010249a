# SPDX-License-Identifier: Apache-2.0
"""Magnets, switches and scans: the reports of a board while bodies move over it.

A body is one piece with one magnet under each of its cells. A motion moves a body during a time. A
switch closes when a magnet comes nearer than its closing radius and opens beyond its opening
radius. Lengths are in millimetres. Sources of the numbers:

- Reed switches release at 40 to 90 % of the field that operates them (data sheets of common glass
  reeds), and the field of a small magnet falls with the cube of the distance: the opening radius
  is 1.04 to 1.35 times the closing radius.
- Reeds bounce for 0.1 to 1 ms when they close (the same data sheets); a piece that rocks adds tens
  of ms.
- Key matrices are scanned every 1 to 20 ms, and a change counts after 1 to 4 equal scans (keyboard
  firmware).
- Hands move with minimum jerk (Flash and Hogan, 1985).
- Reeds lie flat: straight above its middle, the field of an upright magnet runs across the reed,
  so height counts more than distance along the board (makers' drawings of activation zones): here
  1.5 times.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

from companion.model.grid import Cell, Grid
from companion.model.observation import EMPTY, OCCUPIED, Change, SensorKind, Sighting, Sightings
from companion.model.pieces import Piece
from tests.bench.players.noise import Noise

Point: TypeAlias = tuple[float, float]

AWAY: Point = (-10_000.0, -10_000.0)
"""A place out of reach of every switch."""
HEIGHT_COUNTS = 1.5
"""Effect of a millimetre of height, relative to one along the board."""


def look(piece: Piece, kind: SensorKind) -> Sighting:
    """The sighting of *piece* by a sensor of *kind*."""
    if kind is SensorKind.OCCUPANCY:
        return OCCUPIED
    if kind is SensorKind.SIDE:
        return Sighting(occupied=True, side=piece.side)
    facing = piece.facing if kind is SensorKind.IDENTITY_FACING else None
    return Sighting(True, piece.shows or piece.kind, piece.side, facing, piece.pose)


@dataclass(frozen=True, slots=True)
class Board:
    """The switches of one board, as it was built."""

    kind: SensorKind
    centres: tuple[Point, ...]
    pitch: float
    """The smallest distance between two cells."""
    closing: tuple[float, ...]
    opening: tuple[float, ...]
    scan_ms: int
    settle: int
    """Number of equal scans that make a change."""
    bounce: float
    """Probability that an edge flutters."""
    dead: frozenset[Cell] = frozenset()
    stuck: frozenset[Cell] = frozenset()

    @classmethod
    def build(cls, grid: Grid, kind: SensorKind, rng: Random, *, faulty: int = 0) -> Board:
        """A board of random make.

        It may have gaps between its cells, be plain, or have switches that reach over borders.
        """
        raw = [grid.centre_mm(cell) for cell in range(len(grid))]
        nearest = min(math.dist(raw[0], other) for other in raw[1:])
        pitch = rng.uniform(28.0, 62.0)
        centres = tuple((x * pitch / nearest, y * pitch / nearest) for x, y in raw)
        low, high = rng.choice([(0.2, 0.3), (0.3, 0.42), (0.3, 0.42), (0.42, 0.5), (0.5, 0.56)])
        make, spread = rng.uniform(low, high), rng.uniform(0.0, 0.06)
        ratio = rng.uniform(1.04, 1.35)
        closing = tuple(pitch * max(0.17, rng.gauss(make, make * spread)) for _ in centres)
        opening = tuple(min(each * ratio, 0.76 * pitch) for each in closing)
        picked = rng.sample(range(len(centres)), faulty) if kind is SensorKind.OCCUPANCY else []
        return cls(
            kind,
            centres,
            pitch,
            closing,
            opening,
            scan_ms=rng.choice([1, 2, 5, 5, 8, 10, 20]),
            settle=rng.choice([1, 1, 2, 2, 3, 4]),
            bounce=rng.choice([0.0, 0.1, 0.4]),
            dead=frozenset(picked[::2]),
            stuck=frozenset(picked[1::2]),
        )

    def reads(self, cells: Sequence[Cell], spots: Sequence[Point]) -> bool:
        """True if magnets resting on *spots* close exactly the switches of *cells*.

        This must hold whatever was closed before.
        """
        for cell, at in enumerate(self.centres):
            nearest = min(math.dist(at, spot) for spot in spots)
            if cell in cells and nearest > self.closing[cell]:
                return False
            if cell not in cells and nearest <= self.opening[cell]:
                return False
        return True


class Body:
    """A piece on the board, in a hand or beside the board."""

    def __init__(self, piece: Piece, cells: Sequence[Cell], spots: Sequence[Point]) -> None:
        self.piece = piece
        self.cells: tuple[Cell, ...] = tuple(cells)
        """Its intended cells, () beside the board; set when a motion is planned."""
        self.spots = list(spots)
        self.z = 0.0
        self.free_ms = 0
        """The end of its last planned motion."""
        self.is_held = False
        """True while a hand holds it, as planned."""
        self.height = 0.0
        """The height of that hand, as planned."""


@dataclass(order=True)
class Motion:
    """The motion of *body* to *spots* and *z* from *start* to *end*.

    Without *spots* it stays above its place.
    """

    start: float
    number: int
    end: float = field(compare=False)
    body: Body = field(compare=False)
    spots: tuple[Point, ...] | None = field(compare=False, default=None)
    z: float = field(compare=False, default=0.0)
    arc: float = field(compare=False, default=0.0)
    """Additional height in the middle of the motion."""
    then: Callable[[Body], None] | None = field(compare=False, default=None)
    """A change of the body at the end."""
    begun: tuple[tuple[Point, ...], float] | None = field(compare=False, default=None)

    def move(self, now: float) -> bool:
        """Move the body to its place at *now*; True once the motion is over."""
        if self.begun is None:
            self.begun = tuple(self.body.spots), self.body.z
        first, low = self.begun
        part = 1.0 if now >= self.end else max(0.0, (now - self.start) / (self.end - self.start))
        eased = part**3 * (10 - 15 * part + 6 * part * part)
        last = self.spots or first
        if len(last) != len(first):
            first = (first[0],) * len(last)
        self.body.spots = [
            (x1 + (x2 - x1) * eased, y1 + (y2 - y1) * eased)
            for (x1, y1), (x2, y2) in zip(first, last, strict=True)
        ]
        self.body.z = low + (self.z - low) * eased + self.arc * 4 * eased * (1 - eased)
        if part >= 1.0 and self.then is not None:
            self.then(self.body)
        return part >= 1.0


Item: TypeAlias = tuple[int, Any]
"""A time in ms, and a tuple of changes or a note for that time."""


class Table:
    """A board with bodies, and all planned motions."""

    def __init__(self, board: Board, rng: Random, noise: float = 0.0) -> None:
        """A table with *board*; *noise* is the probability that an edge is lost or doubled."""
        self.board = board
        self.noise = Noise(rng, noise)
        self.bodies: list[Body] = []
        self.now = 0
        self.reported: list[Sighting] = [EMPTY] * len(board.centres)
        self._rng = rng
        self._closed = bytearray(len(board.centres))
        self._near: dict[Cell, dict[tuple[Body, int], float]] = {
            cell: {} for cell in range(len(board.centres))
        }
        self._felt: dict[Body, set[Cell]] = {}
        self._unsettled: dict[Cell, tuple[Sighting, int]] = {}
        self._flutter: dict[Cell, tuple[int, Sighting]] = {}
        self._planned: list[Motion] = []
        self._active: list[Motion] = []
        self._notes: list[tuple[int, int, Any]] = []
        self._count = 0
        self._buckets: dict[tuple[int, int], list[Cell]] = {}
        for cell, (x, y) in enumerate(board.centres):
            file, rank = int(x // board.pitch), int(y // board.pitch)
            for near in ((file + i, rank + j) for i in (-1, 0, 1) for j in (-1, 0, 1)):
                self._buckets.setdefault(near, []).append(cell)

    def stand(self, body: Body) -> None:
        """Put *body* on its spots at once, and report it."""
        self.bodies.append(body)
        self._feel(body)
        for cell in range(len(self.reported)):
            self.reported[cell] = self._raw(cell)
        self._unsettled.clear()
        self._flutter.clear()

    def plan(
        self,
        body: Body,
        start: float,
        end: float,
        spots: Sequence[Point] | None = None,
        z: float = 0.0,
        arc: float = 0.0,
        then: Callable[[Body], None] | None = None,
    ) -> None:
        """Plan a motion of *body*."""
        self._count += 1
        ends = max(end, start + 1)
        given = tuple(spots) if spots is not None else None
        heapq.heappush(self._planned, Motion(start, self._count, ends, body, given, z, arc, then))
        body.free_ms = max(body.free_ms, math.ceil(ends))

    def note(self, at_ms: float, what: object) -> None:
        """Plan to emit the note *what* at its time."""
        self._count += 1
        heapq.heappush(self._notes, (math.ceil(at_ms), self._count, what))

    def sightings(self) -> Sightings:
        """The present sightings."""
        occupied = sum(1 << cell for cell, seen in enumerate(self.reported) if seen.occupied)
        seen = tuple((cell, each) for cell, each in enumerate(self.reported) if each.occupied)
        return Sightings(occupied, 0, () if self.board.kind is SensorKind.OCCUPANCY else seen)

    def advance(self, until: int) -> Iterator[Item]:
        """Let time pass until *until*; yields changes and notes in order."""
        while True:
            at = self._next(until)
            if at is None:
                break
            self.now = at
            yield from self._take_notes(at)
            changes = self._scan(at)
            if changes:
                yield at, changes
        yield from self._take_notes(until)
        self.now = max(self.now, until)

    def _take_notes(self, until: int) -> Iterator[Item]:
        while self._notes and self._notes[0][0] <= until:
            at, _, what = heapq.heappop(self._notes)
            yield at, what

    def _next(self, until: int) -> int | None:
        """The time of the next scan with a possible change, not after *until*."""
        scan = self.board.scan_ms
        if self._active or self._unsettled or self._flutter or self.noise.cells():
            soon = any(each.body.z < 60 or each.end < self.now + 60 or each.z < 30 for each in self._active)
            if soon or self._unsettled or self._flutter or self.noise.cells():
                at = (self.now // scan + 1) * scan
                return at if at <= until else None
        starts = [self._planned[0].start] if self._planned else []
        starts += [each.end for each in self._active]
        if not starts:
            return None
        at = max(math.ceil(min(starts) / scan), self.now // scan + 1) * scan
        return at if at <= until else None

    def _scan(self, now: int) -> tuple[Change, ...]:
        """Move the bodies and read the switches."""
        moved: dict[Body, None] = {}
        while self._planned and self._planned[0].start <= now:
            self._active.append(heapq.heappop(self._planned))
        for motion in list(self._active):
            moved[motion.body] = None
            if motion.move(now):
                self._active.remove(motion)
        touched: set[Cell] = {*self._unsettled, *self._flutter, *self.noise.cells()}
        for body in moved:
            touched |= self._felt.get(body, set())
            self._feel(body)
            touched |= self._felt[body]
        return tuple(self._settle(now, touched))

    def _settle(self, now: int, touched: set[Cell]) -> Iterator[Change]:
        """The changes that have been stable long enough."""
        for cell in sorted(touched):
            raw, body = self._read(cell, now), self._nearest(cell)
            if self.noise.has_missed(cell, self.reported[cell], body):
                self.reported[cell] = EMPTY
                yield Change(now, cell, EMPTY)
            raw = self.noise.reading(cell, now, raw, self.reported[cell])
            if raw == self.reported[cell]:
                self._unsettled.pop(cell, None)
                continue
            before, count = self._unsettled.get(cell, (raw, 0))
            count = count + 1 if before == raw else 1
            if count >= self.board.settle:
                self._unsettled.pop(cell, None)
                disturbed = self.noise.disturbs(
                    cell, now, self.reported[cell], self.board.scan_ms, self.board.settle
                )
                if disturbed:
                    self.note(now, {"note": "gesture", "name": disturbed})
                if disturbed == "lost_edge":
                    continue
                self.noise.stands(cell, body)
                self.reported[cell] = raw
                yield Change(now, cell, raw)
            else:
                self._unsettled[cell] = raw, count

    def _nearest(self, cell: Cell) -> Body | None:
        """The body whose magnet closes the switch of *cell*, or None."""
        near = self._near[cell]
        return min(near.items(), key=lambda item: item[1])[0][0] if near and self._closed[cell] else None

    def _read(self, cell: Cell, now: int) -> Sighting:
        """The reading of one scan, with flutter."""
        was = self._closed[cell]
        raw = self._raw(cell)
        if self._closed[cell] != was and self._rng.random() < self.board.bounce:
            until = now + max(1, round(self._rng.lognormvariate(0.7, 0.8)))
            self._flutter[cell] = until, self.reported[cell]
        if cell not in self._flutter:
            return raw
        until, before = self._flutter[cell]
        if now > until:
            del self._flutter[cell]
            return raw
        return raw if self._rng.random() < 0.5 else before

    def _raw(self, cell: Cell) -> Sighting:
        """The state of the switch or reader of *cell*."""
        if cell in self.board.dead:
            return EMPTY
        if cell in self.board.stuck:
            return OCCUPIED
        near = self._near[cell]
        if not near:
            self._closed[cell] = 0
            return EMPTY
        (body, _), distance = min(near.items(), key=lambda item: item[1])
        radius = self.board.opening[cell] if self._closed[cell] else self.board.closing[cell]
        self._closed[cell] = distance <= radius
        return look(body.piece, self.board.kind) if self._closed[cell] else EMPTY

    def _feel(self, body: Body) -> None:
        """Find the switches in reach of the magnets of *body*."""
        for cell in self._felt.get(body, ()):
            self._near[cell] = {key: each for key, each in self._near[cell].items() if key[0] is not body}
        found: set[Cell] = set()
        pitch = self.board.pitch
        for index, (x, y) in enumerate(body.spots):
            for cell in self._buckets.get((int(x // pitch), int(y // pitch)), ()):
                across, along = self.board.centres[cell]
                distance = math.sqrt((x - across) ** 2 + (y - along) ** 2 + (HEIGHT_COUNTS * body.z) ** 2)
                if distance <= self.board.opening[cell]:
                    self._near[cell][body, index] = distance
                    found.add(cell)
        self._felt[body] = found
