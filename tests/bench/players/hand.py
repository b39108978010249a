# SPDX-License-Identifier: Apache-2.0
"""Hands that plan motions, and the desk with the pieces as the players intend them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.pieces import Piece
from tests.bench.players.people import Person, median
from tests.bench.players.physics import AWAY, Body, Point, Table


class Desk:
    """The table with its bodies as intended after all planned motions."""

    def __init__(self, rules: AnyRules, table: Table, rng: Random) -> None:
        self.rules = rules
        self.table = table
        self.board = table.board
        self.rng = rng
        xs = [x for x, _ in self.board.centres]
        self._left, self._right = min(xs) - 150.0, max(xs) + 150.0

    def body_on(self, *cells: Cell) -> Body:
        """The body that covers all of *cells*."""
        return next(body for body in self.table.bodies if set(cells) <= set(body.cells))

    def found_on(self, cell: Cell) -> Body | None:
        """The body on *cell*, or None."""
        return next((body for body in self.table.bodies if cell in body.cells), None)

    def free_cells(self) -> list[Cell]:
        """Cells without a piece or an obstacle."""
        taken = {cell for body in self.table.bodies for cell in body.cells} | set(self.rules.grid.obstacles)
        return [cell for cell in range(len(self.rules.grid)) if cell not in taken]

    def from_box(self, piece: Piece) -> Body:
        """A new body beside the board."""
        body = Body(piece, (), [AWAY])
        self.table.bodies.append(body)
        return body

    def spots(self, cells: Sequence[Cell], shift: Point = (0.0, 0.0)) -> list[Point]:
        """The magnets' places of a piece on *cells*, shifted by *shift*."""
        return [
            (self.board.centres[cell][0] + shift[0], self.board.centres[cell][1] + shift[1]) for cell in cells
        ]

    def beside(self, body: Body) -> list[Point]:
        """A place left or right of the board."""
        x = self._left if self.rng.random() < 0.5 else self._right
        return [(x, self.board.centres[0][1])] * len(body.spots)

    def good_spots(self, cells: Sequence[Cell], error: float) -> list[Point]:
        """The places of a piece put on *cells* with an *error* that the switches tolerate.

        *error* is a part of a cell.
        """
        sigma = error * self.board.pitch
        for _ in range(12):
            spots = self.spots(cells, (self.rng.gauss(0, sigma), self.rng.gauss(0, sigma)))
            if self.board.reads(cells, spots):
                return spots
            sigma *= 0.8
        return self.spots(cells)

    def bad_spots(self, cells: Sequence[Cell], *, closes: int) -> list[Point] | None:
        """Places of a one-cell piece between cells that close *closes* switches, or None."""
        (cell,) = cells
        x, y = self.board.centres[cell]
        free = set(self.free_cells())
        beside = [at for at in free if math.dist(self.board.centres[at], (x, y)) < 1.5 * self.board.pitch]
        self.rng.shuffle(beside)
        for other in beside:
            across, along = self.board.centres[other]
            for part in (0.5, 0.47, 0.44, 0.4, 0.36):
                spot = (x + (across - x) * part, y + (along - y) * part)
                near = [math.dist(spot, at) for at in self.board.centres]
                count = sum(each <= limit for each, limit in zip(near, self.board.closing, strict=True))
                if count == closes:
                    return [spot]
        return None

    def is_clear(self, body: Body, target: Sequence[Point]) -> bool:
        """True if *body* can be slid to *target* without touching others."""
        others = [
            spot for other in self.table.bodies if other is not body for spot in self.spots(other.cells)
        ]
        for first, last in zip(self.spots(body.cells), target, strict=False):
            for step in range(11):
                at = tuple(a + (b - a) * step / 10 for a, b in zip(first, last, strict=True))
                if any(math.dist(at, other) < 0.75 * self.board.pitch for other in others):
                    return False
        return True


class Hand:
    """One hand: each call plans a motion after the previous one."""

    def __init__(self, desk: Desk, person: Person, t_ms: float) -> None:
        self.desk = desk
        self.person = person
        self.t = t_ms
        self.first_ms: float | None = None
        """The time of its first touch."""
        self.holds_until = 0.0
        """Until then a lifted piece is held, because another hand is busy."""

    def wait(self, ms: float) -> None:
        """Do nothing for a while."""
        self.t += ms

    def reach(self) -> None:
        """Reach for the next piece."""
        self.t += self.person.takes_ms(220)

    def plan(
        self,
        body: Body,
        ms: float,
        spots: Sequence[Point] | None = None,
        z: float = 0.0,
        arc: float = 0.0,
    ) -> None:
        """Plan a motion that takes *ms*."""
        start = max(self.t, body.free_ms)
        if z == 0 and not body.is_held:
            start = max(start, self.holds_until)
        if self.first_ms is None:
            self.first_ms = start
        self.t = start + max(ms, 2.0)
        self.desk.table.plan(body, start, self.t, spots, z, arc)

    def change(self, body: Body, piece: Piece) -> None:
        """Turn *body* into *piece* now."""

        def turn(changed: Body) -> None:
            changed.piece = piece

        start = max(self.t, body.free_ms, self.holds_until)
        self.t = start + 1
        if self.first_ms is None:
            self.first_ms = start
        z = self.height_of(body)
        self.desk.table.plan(body, start, self.t, None, z, 0.0, turn)

    def height_of(self, body: Body) -> float:
        """The height of *body* after all planned motions."""
        return body.height if body.is_held else 0.0

    def lift(self, body: Body, height: float | None = None) -> None:
        """Lift *body*."""
        height = height or max(self.person.height_mm(), 0.85 * self.desk.board.pitch)
        self.plan(body, self.person.takes_ms(130), None, height)
        self.t = max(self.t, self.holds_until)
        body.is_held = True
        body.height = height

    def fly(self, body: Body, spots: Sequence[Point], z: float | None = None) -> None:
        """Carry the lifted *body* above *spots*."""
        height = z if z is not None else self.height_of(body)
        body.height = height
        self.plan(body, self.person.takes_ms(330), spots, height)

    def lower(
        self, body: Body, cells: Sequence[Cell], spots: Sequence[Point], ms: float | None = None
    ) -> None:
        """Put *body* down on *spots*; from then on it stands on *cells*."""
        self.plan(body, ms or self.person.takes_ms(120), spots, 0.0)
        body.is_held = False
        body.cells = tuple(cells)

    def put(self, body: Body, cells: Sequence[Cell]) -> None:
        """Carry *body* to *cells* and put it down, roughly in the middle."""
        spots = self.desk.good_spots(cells, self.person.temperament.error)
        self.fly(body, spots)
        self.lower(body, cells, spots)

    def put_back(self, body: Body) -> None:
        """Put *body* back on the cells where the players expect it."""
        self.put(body, body.cells)

    def slide(self, body: Body, cells: Sequence[Cell], ms: float | None = None) -> None:
        """Push *body* along the board to *cells*."""
        spots = self.desk.good_spots(cells, self.person.temperament.error)
        self.plan(body, ms or self.person.takes_ms(420), spots, 0.0)
        body.cells = tuple(cells)

    def nudge(self, body: Body) -> None:
        """Straighten *body* where it stands."""
        spots = self.desk.good_spots(body.cells, self.person.temperament.error * 0.4)
        self.plan(body, self.person.takes_ms(250), spots, 0.0)

    def off(self, body: Body, *, quick: bool = False) -> None:
        """Take *body* off the board."""
        if not body.is_held:
            self.lift(body)
        self.plan(
            body, self.person.takes_ms(200 if quick else 380), self.desk.beside(body), self.height_of(body)
        )
        self.plan(body, 5, [AWAY] * len(body.spots), 0.0)
        body.is_held = False
        body.cells = ()

    def bring(self, body: Body, cells: Sequence[Cell]) -> None:
        """Bring *body* from beside the board and hold it above *cells*."""
        height = max(self.person.height_mm(), 0.85 * self.desk.board.pitch)
        side = [self.desk.beside(body)[0]] * len(cells)
        self.t = max(self.t, self.holds_until)
        self.plan(body, 5, side, height)
        body.is_held = True
        body.height = height
        self.fly(body, self.desk.good_spots(cells, self.person.temperament.error))

    def linger(self, ms: float, spread: float = 0.6) -> None:
        """Wait for a time of median *ms*."""
        self.wait(median(self.person.rng, ms, spread))
