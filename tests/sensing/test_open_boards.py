# SPDX-License-Identifier: Apache-2.0
"""No game freezes: an open, still board is reported as it is within two seconds.

Games are rendered with low lamps, mirrored lamps, blocks of several heights and things that people
leave on a board: coins, cups, papers, taken pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final, TypeAlias

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.grid import Cell
from companion.model.observation import SensorKind, Sighting
from companion.referee.values.board.looks import look
from tests.sensing.lamplit import Block, Hand, Lamplit, Pinhole, Room, Spot

Points: TypeAlias = NDArray[np.float32]
DUEL: Final = {"map": "Duel; 8x8; B4 G5; CA1N LC2N MD2N ME3N cH8S lF7S mE7S mD6S"}
TWO_SECONDS: Final = 60
"""Images."""
PERIOD_MS: Final = 33
PLAIN: Final = ((True,) * 6,) * 6
MOVES: Final = 4
TABLES: Final = [3, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(60) if seed != 3)]


def thing(chance: Random, at_mm: tuple[float, float]) -> Block:
    """Something that people leave on a board."""
    wide, high, shade, side = chance.choice(
        [
            (22.0, 2.0, 0.35, 0.3),  # a coin
            (55.0, 60.0, 0.75, 0.6),  # a cup
            (45.0, 0.5, 0.9, 0.9),  # a slip of paper
            (30.0, 8.0, 0.05, 0.05),  # a dark box
            (15.0, 15.0, 0.8, 0.75),  # a die
        ]
    )
    return Block(PLAIN, at_mm, chance.uniform(0, 90), wide * 0.75, high, side, shade)


def hull_px(pinhole: Pinhole, block: Block) -> Points:
    """The outline of *block* in the image."""
    return np.asarray(cv2.convexHull(seen_px(pinhole, block.corners())), np.float32)


def seen_px(pinhole: Pinhole, points_mm: NDArray[np.float64]) -> Points:
    """(n, 2): the points in the image."""
    seen = np.column_stack([points_mm, np.ones(len(points_mm))]) @ pinhole.matrix().T
    return (seen[:, :2] / seen[:, 2:]).astype(np.float32)


class Party:
    """A table where people play, and leave things."""

    def __init__(self, seed: int) -> None:
        """Set up the duel under a chance light, with chance things on it."""
        chance = self.chance = Random(seed)
        self.pinhole = Pinhole((960, 540), (100.0, chance.uniform(-190, -130), 430.0), (100.0, 85.0), 1000.0)
        angle = chance.uniform(0, 6.28)
        lamp = (100 + 500 * np.cos(angle), 100 + 500 * np.sin(angle), chance.uniform(250, 900))
        self.room = Room(
            lamp, chance.uniform(0.3, 0.6), gain=chance.uniform(0.6, 1.0), noise=chance.uniform(1, 4)
        )
        self.table = Lamplit(
            DUEL, self.pinhole, seed, self.room, height_mm=chance.choice([4.0, 10.0, 18.0]), aside_mm=1.2
        )
        self.table.set_up(self.table.rules.initial())
        self.things: list[Block] = []
        self.screen: Block | None = None
        """The thing whose look changes all the time."""
        for _ in range(chance.choice([0, 0, 1, 2])):
            self.hang_lamp()

    def hang_lamp(self) -> None:
        """Hang a lamp that the board mirrors where it hides no tag."""
        before, chance = self.room, self.chance
        for _ in range(20):
            spot = Spot((chance.uniform(20, 180), chance.uniform(20, 180)), chance.uniform(0.4, 1.5))
            self.room = replace(before, spots=(*before.spots, spot))
            if self.is_clear([], list(self.table.blocks.values())):
                self.table.light(self.room)
                return
        self.room = before

    def truth(self) -> dict[Cell, Sighting]:
        """The sightings of a perfect sensor."""
        kind = SensorKind.IDENTITY_FACING
        return {cell: look(piece, kind) for cell, piece in self.table.pieces.items()}

    def reported(self) -> dict[Cell, Sighting]:
        """The sightings that the sensor reported last."""
        return {} if self.table.last is None else dict(self.table.last.sightings.seen)

    def leave_things(self, count: int, *, has_screen: bool = False) -> None:
        """Lay *count* things where they hide no tag, and perhaps a telephone with a film."""
        self.things.clear()
        self.screen = None
        for _ in range(40):
            at_mm = (self.chance.uniform(-10, 210), self.chance.uniform(-10, 210))
            one = thing(self.chance, at_mm)
            if len(self.things) < count and self.is_clear(
                [*self.things, one], list(self.table.blocks.values())
            ):
                self.things.append(one)
        if has_screen and self.things:
            self.screen = self.things[-1]
        self.table.lay(*self.things)

    def is_clear(self, things: Sequence[Block], blocks: Sequence[Block]) -> bool:
        """True if *things* and lamps hide no tag on *blocks* or in corners."""
        tops = [block.corners()[4:] for block in blocks]
        half = self.table.outfit.corner_mm * 0.45
        for x, y in self.table.outfit.corners.values():
            tops.append(
                np.array(
                    [
                        (x + dx, y + dy, 0)
                        for dx, dy in ((-half, -half), (half, -half), (half, half), (-half, half))
                    ]
                )
            )
        for top in tops:
            for spot in self.room.spots:
                if np.hypot(*(top[:, :2].mean(axis=0) - spot.at_mm)) < 14 * spot.wide_deg + 12:
                    return False
            spread = top.mean(axis=0) + (top - top.mean(axis=0)) * 1.05
            points = seen_px(self.pinhole, np.vstack([spread, top.mean(axis=0)]))
            for each in things:
                if any(
                    cv2.pointPolygonTest(hull_px(self.pinhole, each), tuple(map(float, at)), False) >= 0
                    for at in points
                ):
                    return False
        return True

    def choice(self) -> tuple[Cell, Cell]:
        """A piece, and a free cell where all tags can be seen."""
        table, taken = self.table, {*self.table.pieces, *self.table.grid.obstacles}
        moves = [
            (one, other)
            for one in sorted(table.pieces)
            for other in range(len(table.grid))
            if other not in taken
        ]
        self.chance.shuffle(moves)
        for source, target in moves:
            moved = replace(table.blocks[source], at_mm=table.grid.centre_mm(target))
            others = [block for cell, block in table.blocks.items() if cell != source]
            is_free = self.is_clear([*self.things, *others], [moved])
            if is_free and self.is_clear([*self.things, moved], others):
                return source, target
        raise AssertionError("no move is possible: fewer lamps or things")

    def move(self) -> None:
        """A hand moves a piece to a free cell, or takes one off."""
        table, chance = self.table, self.chance
        source, target = self.choice()
        piece = replace(table.pieces[source], facing=chance.randrange(8))
        self.see(3, source)
        mark = table.take(source)
        if len(table.pieces) > 4 and chance.random() < 0.3:
            self.see(2, source)
            return
        self.see(2, target)
        table.put(target, piece, mark)
        self.see(2, target)
        if chance.random() < 0.3:
            self.room = replace(self.room, gain=chance.uniform(0.5, 1.0))
            table.light(self.room)

    def see(self, images: int, hand: Cell | None = None) -> None:
        """Show the sensor the next images, with a hand at a cell."""
        table = self.table
        for _ in range(images):
            hands = []
            if hand is not None:
                x, y = table.grid.centre_mm(hand)
                tip = (x + self.chance.gauss(0, 4), y + self.chance.gauss(0, 4))
                hands.append(Hand(tip, (x + 40, -250.0)))
            image = table.photograph(hands)
            if self.screen is not None:
                outline = hull_px(self.pinhole, self.screen).astype(np.int32)
                cv2.fillConvexPoly(image, outline, self.chance.randrange(20, 250))
            table.now_ms += PERIOD_MS
            table.last = table.sensor.observe(image, table.now_ms) or table.last


@pytest.mark.parametrize("seed", TABLES)
def test_the_report_is_the_position_after_two_seconds_of_an_open_board(seed: int) -> None:
    party = Party(seed)
    party.leave_things(party.chance.choice([0, 1, 3]))
    party.see(TWO_SECONDS)
    assert party.reported() == party.truth()
    for number in range(MOVES):
        if number == MOVES // 2:
            party.leave_things(party.chance.choice([0, 2]), has_screen=party.chance.random() < 0.5)
            party.see(TWO_SECONDS if party.screen is None else 3 * TWO_SECONDS)
            assert party.reported() == party.truth()
        party.move()
        party.see(TWO_SECONDS)
        assert party.reported() == party.truth()
