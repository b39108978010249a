# SPDX-License-Identifier: Apache-2.0
"""Films of games with plain pieces, as a phone above the board takes them.

Hands move pieces with human accuracy. Each part of a film is a generator of images
with their times; the scene goes on while they are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games import find
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.pieces import Piece
from tests.sensing.filmed.boards import STYLES
from tests.sensing.filmed.camera import Image, Pose
from tests.sensing.filmed.hands import SKINS, SLEEVES, Hand, Leaning, Person
from tests.sensing.filmed.picture import Pictures
from tests.sensing.filmed.scene import Lamp, Scene
from tests.sensing.filmed.solids import PROFILES, Body
from tests.sensing.filmed.stills import CELL_MM, Circumstances, put_down

Frame = tuple[int, Image]
"""Time in ms and image."""
Act = tuple[int, Body | None]
"""A piece by its number: a hand takes it (None), or puts it down."""
_GRIP: Final = 0.8
"""Where a piece is gripped, in parts of its height."""


@dataclass(frozen=True)
class Pace:
    """The times of a film, in ms."""

    moving: int = 200
    """Between two images while something moves."""
    resting: int = 125
    move: int = 1200
    """A move, with one leg of the hand more for each further piece."""
    rest: int = 1000
    fifths: int = 5
    """The fineness of the pictures, as in `Scene`."""


QUICK: Final = Pace()
FULL: Final = Pace(moving=33, resting=33, fifths=7)
"""Every image of a phone with 30 images a second."""


class Film:
    """A table with two players, and the phone that films it."""

    def __init__(self, given: Circumstances, pace: Pace = QUICK, without: Sequence[Cell] = ()) -> None:
        """*without*: cells of the start position on which the piece is missing."""
        self.given, self.pace = given, pace
        self.chance = Random(given.seed + 100)
        self.table = given.table()
        self.grid = self.table.grid
        self.rules = find("chess").rules()
        self.position = self.rules.initial()
        style = STYLES[given.style]
        self.scene = Scene(
            self.table, style, given.lamp, given.pose, given.seed, tags=given.has_tags, fifths=pace.fifths
        )
        self.pictures = Pictures(self.scene, given.sensor)
        self.now_ms = 0
        self.played: list[str] = []
        self.standing: dict[Cell, int] = {}
        """The number of the piece on each cell."""
        self._count = 0
        self._aside: dict[int, int] = {0: 0, 1: 0}
        """Number of pieces that each side has taken."""
        self._auto = 1.0
        for cell, piece in sorted(self.rules.placement(self.position).by_cell().items()):
            if cell not in without:
                self.add(cell, piece.kind, piece.side or 0)
        skin, sleeve = self.chance.sample(range(4), 2), self.chance.sample(range(len(SLEEVES)), 2)
        self.players = tuple(
            Person(
                (200 + self.chance.uniform(-140, 140), 200 + (1050 if side else -1050)),
                SKINS[skin[side]],
                SLEEVES[sleeve[side]],
                self.chance.choice([10.0, 60.0, 200.0]),
                self.chance.random() < 0.2,
            )
            for side in (0, 1)
        )

    # pieces

    def add(self, cell: Cell, kind: str, side: int) -> None:
        """Put a new piece on *cell*, without a hand."""
        self._count += 1
        self.scene.put(self._count, put_down(self.chance, self.grid.centre_mm(cell), kind, side))
        self.standing[cell] = self._count

    def move_unseen(self, text: str) -> None:
        """Play a move at once, without a hand."""
        move = self.rules.read_move(self.position, text)
        for number, body in self._acts(self.rules.steps(self.position, move), len(self.played) % 2):
            if body is not None:
                self.scene.put(number, body)
        self._follow(move)

    def jostle(self, count: int, most_mm: float) -> None:
        """Some pieces are pushed a little, without a hand."""
        for number in self.chance.sample(sorted(self.standing.values()), count):
            body = self.scene.bodies[number]
            x, y = (each + self.chance.uniform(-most_mm, most_mm) for each in body.at_mm)
            self.scene.put(number, replace(body, at_mm=(x, y), turn_deg=body.turn_deg + 20))

    def letters(self) -> str:
        """The 64 letters of the board as it stands, from a1."""
        sides = {cell: self.scene.bodies[number].side for cell, number in self.standing.items()}
        return "".join("LD"[sides[cell]] if cell in sides else "." for cell in range(64))

    # images

    def frame(
        self,
        hands: Sequence[Hand | Leaning] = (),
        held: Sequence[Body] = (),
        motion: NDArray[np.float64] | None = None,
        blur: int = 0,
    ) -> Frame:
        """One image; the exposure follows what comes into it."""
        still = self.pictures.still()
        picture = self.pictures.taken(hands, held)
        wanted = float(still[::16, ::16].mean() / max(picture[::16, ::16].mean(), 1.0)) ** 0.4
        self._auto += 0.35 * (wanted - self._auto)
        if abs(self._auto - 1) > 0.004:
            picture = np.asarray(cv2.convertScaleAbs(picture, alpha=self._auto), np.uint8)
        if blur > 1:
            picture = np.asarray(cv2.blur(picture, (blur, max(blur // 2, 1))), np.uint8)
        return self.now_ms, self.given.sensor.exposed(picture, self.now_ms, motion)

    def rest(self, ms: int | None = None) -> Iterator[Frame]:
        """Nobody moves."""
        end = self.now_ms + (self.pace.rest if ms is None else ms)
        while self.now_ms < end:
            self.now_ms += self.pace.resting
            yield self.frame()

    def play(self, text: str) -> Iterator[Frame]:
        """A player plays a move, and the board is left alone."""
        move = self.rules.read_move(self.position, text)
        side = len(self.played) % 2
        acts = self._acts(self.rules.steps(self.position, move), side)
        yield from self.carry(side, acts)
        self._follow(move)
        yield from self.rest()

    def shift(self, side: int, source: Cell, target: Cell) -> Iterator[Frame]:
        """*side* moves a piece, legal or not; one on the target is taken off."""
        acts: list[Act] = []
        if target in self.standing:
            number = self.standing.pop(target)
            acts += [(number, None), (number, self._beside(number, side))]
        number = self.standing.pop(source)
        acts += [(number, None), (number, self._on(number, target))]
        self.standing[target] = number
        yield from self.carry(side, acts)

    def bring(self, side: int, cell: Cell, kind: str) -> Iterator[Frame]:
        """*side* puts another piece on *cell*, from beside the board."""
        new, body = self._from_beside(cell, kind, side)
        yield from self.carry(side, [(new, None), (new, body)])

    def adjust(self, side: int, cell: Cell) -> Iterator[Frame]:
        """*side* lifts a piece and puts it down on the same cell."""
        number = self.standing[cell]
        yield from self.carry(side, [(number, None), (number, self._on(number, cell))])

    def waver(self, side: int, source: Cell, target: Cell) -> Iterator[Frame]:
        """*side* tries a move, with the hand at the piece, and puts it back."""
        number = self.standing[source]
        tried, back = self._on(number, target), self._on(number, source)
        yield from self.carry(side, [(number, None), (number, tried), (number, None), (number, back)])

    def remove(self, side: int, cell: Cell) -> Iterator[Frame]:
        """*side* takes a piece off the board."""
        number = self.standing.pop(cell)
        yield from self.carry(side, [(number, None), (number, self._beside(number, side))])

    def carry(self, side: int, acts: Sequence[Act]) -> Iterator[Frame]:
        """The hand of *side* does *acts*, one after the other."""
        person = self.players[side]
        x = self.chance.uniform(100, 300)
        idle = (x, 200.0 + (700 if side else -700), 60.0)
        places, held = [idle], dict[int, Body]()
        where = {number: self.scene.bodies[number] for number, _ in acts}
        for number, body in acts:
            where[number] = at = body or where[number]
            places.append((*at.at_mm, _GRIP * at.height_mm()))
        places.append(idle)
        for index, (start, end) in enumerate(pairwise(places)):
            yield from self._leg(person, start, end, held)
            if index < len(acts):
                number, body = acts[index]
                if body is None:
                    held[number] = self.scene.bodies[number]
                else:
                    held.pop(number, None)
                self.scene.put(number, body)

    def knock(self, shift_mm: tuple[float, float], turn_deg: float = 2.5) -> Iterator[Frame]:
        """Someone knocks the phone: it swings and stays in another pose."""
        old = self.scene.pose
        new = old.knocked(shift_mm, turn_deg, self.chance.uniform(-1, 1))
        before = _flat(old)
        for step, part in enumerate((0.5, 1.35, 1.15, 0.8, 0.92, 1.06, 1.02, 0.99)):
            self.now_ms += self.pace.moving if self.pace.moving < 60 else 66
            swung = old.knocked(
                (shift_mm[0] * part, shift_mm[1] * part),
                turn_deg * part,
                part * (new.tilt_deg - old.tilt_deg),
            )
            motion = _flat(swung) @ np.linalg.inv(before)
            yield self.frame(motion=motion, blur=(15, 11, 7, 5, 3)[min(step, 4)])
        self.pictures.look_from(new)
        yield self.frame()

    def light(self, lamp: Lamp) -> Iterator[Frame]:
        """The light changes, and the exposure follows."""
        self.scene.lamp = lamp
        self.pictures.look_from(self.scene.pose)
        yield from self.rest(600)

    def arm_rests(self, side: int, ms: int, over_mm: float = -30.0) -> Iterator[Frame]:
        """A player's arm lies *over_mm* over the edge of the board."""
        y = 400 - over_mm if side else over_mm
        hand = Hand(self.players[side], (200 + self.chance.uniform(-120, 120), y, 25.0), 9.0)
        end = self.now_ms + ms
        while self.now_ms < end:
            self.now_ms += self.pace.resting
            yield self.frame([hand])

    def lean(self, side: int, meanwhile: Callable[[], None], ms: int = 1500) -> Iterator[Frame]:
        """A player leans over the board; *meanwhile* happens when it is hidden."""
        eye = self.scene.pose.at_mm()
        middle = np.array([200.0, 200.0, 0.0])
        hidden = middle + 0.42 * (eye - middle) + np.array([0.0, -70.0 if side else 70.0, 0.0])
        away = np.array([0.0, 500.0 if side else -500.0, 0.0])
        count = max(500 // self.pace.moving, 2)
        path = [1 - (step + 1) / count for step in range(count)]
        for part in [*path, None, *reversed(path)]:
            if part is None:
                meanwhile()
                for _ in range(ms // self.pace.resting):
                    self.now_ms += self.pace.resting
                    yield self.frame([self._leaning(side, hidden)])
            else:
                self.now_ms += self.pace.moving
                yield self.frame([self._leaning(side, hidden + part * away)])

    # the rest is what hands need

    def _leaning(self, side: int, at: Any) -> Leaning:
        sway = self.chance.gauss(0, 2)
        return Leaning(self.players[side], (float(at[0]) + sway, float(at[1]), float(at[2])))

    def _follow(self, move: Any) -> None:
        self.played.append(self.rules.write_move(self.position, move))
        self.position = self.rules.apply(self.position, move)

    def _on(self, number: int, cell: Cell, kind: str | None = None) -> Body:
        """Where a hand puts a piece on *cell*."""
        body = self.scene.bodies[number]
        return put_down(self.chance, self.grid.centre_mm(cell), kind or body.kind, body.side)

    def _beside(self, number: int, side: int) -> Body:
        """Where *side* leaves a piece that it has taken."""
        count = self._aside[side]
        self._aside[side] += 1
        away = 70 + 48 * (count // 6)
        y = 60 + 52 * (count % 6)
        at = (-away, 400.0 - y) if side else (400.0 + away, float(y))
        return replace(put_down(self.chance, at, "pawn", 0), **_like(self.scene.bodies[number]))

    def _acts(self, steps: Sequence[Step], side: int) -> list[Act]:
        """What a hand does for *steps*: several habits of taking pieces."""
        leaving = [(self.standing.pop(step.source[0])) for step in steps if not step.target]
        first = [(number, self._beside(number, side)) for number in leaving]
        moves: list[Act] = []
        kings_first = sorted(
            (step for step in steps if step.target), key=lambda step: step.piece.kind != "king"
        )
        numbers = [self.standing.pop(step.source[0]) for step in kings_first]
        for number, step in zip(numbers, kings_first, strict=True):
            moves += [(number, None), (number, self._on(number, step.target[0]))]
            self.standing[step.target[0]] = number
            if step.becomes.kind != step.piece.kind:
                moves += self._promoted(number, step.target[0], step.becomes, side)
        habit = self.chance.random()
        taken: list[Act] = [act for number, body in first for act in ((number, None), (number, body))]
        if not first or habit < 0.4 or len(moves) > 2:
            return [*taken, *moves]
        if habit < 0.75:  # both in one hand
            return [moves[0], taken[0], *moves[1:], *taken[1:]]
        return [taken[0], *moves, taken[1]] if habit < 0.9 else self._pushed(moves, taken)

    def _pushed(self, moves: list[Act], taken: list[Act]) -> list[Act]:
        """The piece is put down beside the captured one, which is taken after that."""
        number, body = moves[1]
        assert body is not None
        away = self.chance.choice([-0.28, 0.28]) * CELL_MM
        beside = replace(body, at_mm=(body.at_mm[0] + away, body.at_mm[1]))
        return [moves[0], (number, beside), *taken, (number, None), moves[1]]

    def _promoted(self, pawn: int, cell: Cell, becomes: Piece, side: int) -> list[Act]:
        """The pawn leaves, and the new piece comes from beside the board."""
        new, body = self._from_beside(cell, becomes.kind, side)
        return [(pawn, None), (pawn, self._beside(pawn, side)), (new, None), (new, body)]

    def _from_beside(self, cell: Cell, kind: str, side: int) -> tuple[int, Body]:
        """Another piece that stands beside the board, and where it goes on *cell*."""
        self._count += 1
        body = put_down(self.chance, self.grid.centre_mm(cell), kind, side)
        self.scene.put(self._count, replace(body, at_mm=(-80.0, 380.0) if side else (480.0, 20.0)))
        self.standing[cell] = self._count
        return self._count, body

    def _leg(
        self,
        person: Person,
        start: tuple[float, float, float],
        end: tuple[float, float, float],
        held: dict[int, Body],
    ) -> Iterator[Frame]:
        """The hand goes from *start* to *end*."""
        legs = 3
        count = max(round(self.pace.move / legs / self.pace.moving), 2)
        slides = len(held) == 1 and self.chance.random() < 0.2
        lift = 0 if slides else 70 + 20 * len(held)
        for step in range(count):
            part = (step + 1) / count
            smooth = part * part * (3 - 2 * part)
            x, y, z = (one + (other - one) * smooth for one, other in zip(start, end, strict=True))
            z += lift * 4 * smooth * (1 - smooth)
            carried = [
                replace(
                    body,
                    at_mm=(x + 14 * index, y + 9 * index),
                    lift_mm=max(z - _GRIP * body.height_mm(), 0.5),
                )
                for index, body in enumerate(held.values())
            ]
            self.now_ms += self.pace.moving
            yield self.frame([Hand(person, (x, y, z), 6.0 if held else 12.0)], carried)


def _flat(pose: Pose) -> NDArray[np.float64]:
    """(3, 3): from the table to px."""
    return np.asarray(pose.matrix()[:, [0, 1, 3]])


def _like(body: Body) -> dict[str, Any]:
    assert body.kind in PROFILES
    return {"kind": body.kind, "side": body.side}
