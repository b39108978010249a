# SPDX-License-Identifier: Apache-2.0
"""Gestures with a single piece: how it is carried and put down.

Times: people hold a piece undecided for seconds (touch-move disputes are about just that); a piece
that is put down by mistake is noticed in 0.3 s or more (choice reaction times); pieces rock for 20
to 150 ms when they are set down hard.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from companion.model.grid import Cell
from tests.bench.players.hand import Hand
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.people import median
from tests.bench.players.physics import Body
from tests.bench.players.scene import Scene


def _single(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> bool:
    return len(cells) == 1 and len(body.spots) == 1


def _moved_last(scene: Scene, body: Body) -> bool:
    """True if the other side has just moved *body*, as is possible in Martian Chess."""
    if scene.previous is None:
        return False
    before = {cells: piece for piece, cells in scene.rules.placement(scene.previous).entries}
    return body.cells not in before or before[body.cells] != body.piece


@kind("hover", Slot.TRAVEL, 3.0)
def hover(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece hangs over one to four cells, for 0.2 to some seconds.

    It may be so low that switches close.
    """
    free = scene.desk.free_cells()
    for _ in range(scene.rng.randint(1, 4)):
        over = scene.rng.choice(free) if free and scene.rng.random() < 0.6 else cells[0]
        x, y = scene.desk.board.centres[over]
        low = scene.rng.uniform(0.05, 0.9) * scene.desk.board.pitch
        if not scene.rules.allows_take_back or _moved_last(scene, body):
            # hands stay higher where a short rest may count as a move, or as a new end of the last one
            low = scene.rng.uniform(0.55, 0.9) * scene.desk.board.pitch
        jitter = scene.desk.board.pitch * 0.15
        spots = [(x + scene.rng.gauss(0, jitter), y + scene.rng.gauss(0, jitter))]
        if len(body.spots) > 1:
            spots = scene.desk.spots(cells, (scene.rng.gauss(0, jitter), scene.rng.gauss(0, jitter)))
        hand.fly(body, spots, low)
        hand.linger(600, 0.9)
    hand.fly(body, scene.desk.spots(cells), 0.9 * scene.desk.board.pitch)


@kind("touch_slide", Slot.TRAVEL, 2.0, _single)
def touch_slide(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece stands on another free cell for a moment before it moves on."""
    if _moved_last(scene, body):
        return
    free = [cell for cell in scene.desk.free_cells() if cell not in cells]
    if not free:
        return
    x, y = scene.desk.board.centres[cells[0]]
    free.sort(key=lambda cell: math.dist(scene.desk.board.centres[cell], (x, y)))
    other = scene.rng.choice(free[:6])
    spots = scene.desk.good_spots((other,), scene.person.temperament.error)
    hand.fly(body, spots)
    hand.lower(body, body.cells, spots)
    longest = 4000.0 if scene.rules.allows_take_back else 350.0
    hand.wait(min(longest, median(scene.rng, 300, 0.9)))
    target = scene.desk.good_spots(cells, scene.person.temperament.error)
    body.is_held = True
    near = math.dist(scene.desk.board.centres[other], (x, y)) < 1.6 * scene.desk.board.pitch
    if near and scene.rng.random() < 0.6:
        hand.plan(body, scene.person.takes_ms(200), target, 0.0)
        body.height = 0.0
    else:
        hand.lift(body)


@kind("long_hold", Slot.TRAVEL, 1.0)
def long_hold(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The player holds the piece and thinks, for 3 to 25 s or more."""
    hand.wait(min(60_000.0, max(2000.0, median(scene.rng, 7000, 0.7))))


@kind("drag", Slot.MOVE, 2.0)
def drag(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece is slid along the board, if the way is clear."""
    if len(body.spots) != len(cells) or not scene.desk.is_clear(body, scene.desk.spots(cells)):
        hand.lift(body)
        scene.land(hand, body, cells)
        return
    across = math.dist(scene.desk.spots(body.cells)[0], scene.desk.spots(cells)[0]) / scene.desk.board.pitch
    hand.slide(body, cells, scene.person.takes_ms(250 + 150 * across))
    scene.lands_ms = scene.lands_ms or hand.t


@kind("giant_walk", Slot.MOVE, 3.0, lambda scene, hand, body, cells: len(cells) == 4)
def giant_walk(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """A big piece is walked without lifting it, in two to four shuffles.

    One side goes ahead, then the other.
    """
    first, last = (
        scene.desk.spots(body.cells),
        scene.desk.good_spots(cells, scene.person.temperament.error * 0.5),
    )
    if len(first) != 4:
        hand.lift(body)
        scene.land(hand, body, cells)
        return
    now, shuffles = list(first), scene.rng.randint(2, 4)
    for number in range(1, shuffles + 1):
        for ahead in ((0, 2), (1, 3)) if number % 2 else ((1, 3), (0, 2)):
            for index in ahead:
                (x1, y1), (x2, y2) = first[index], last[index]
                now[index] = (x1 + (x2 - x1) * number / shuffles, y1 + (y2 - y1) * number / shuffles)
            hand.plan(body, scene.person.takes_ms(220), now, 0.0)
            hand.wait(scene.person.takes_ms(60))
    hand.plan(body, scene.person.takes_ms(150), last, 0.0)
    body.cells = tuple(cells)
    scene.lands_ms = scene.lands_ms or hand.t


@kind("wobble", Slot.LANDING, 3.0)
def wobble(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece is set down hard and rocks.

    Its magnet leaves the board two to five times within 200 ms.
    """
    spots = scene.desk.good_spots(cells, scene.person.temperament.error)
    hand.fly(body, spots)
    hand.lower(body, cells, spots, scene.person.takes_ms(60))
    for _ in range(scene.rng.randint(1, 4)):
        up = scene.rng.uniform(0.1, 0.6) * scene.desk.board.pitch
        ms = scene.rng.uniform(8, 45)
        hand.plan(body, ms, spots, up)
        hand.plan(body, ms, spots, 0.0)


@kind("drop_skew", Slot.LANDING, 2.0, _single)
def drop_skew(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece is dropped beside the middle and slides in within half a second."""
    spots = scene.desk.good_spots(cells, scene.person.temperament.error)
    (x, y), pitch = spots[0], scene.desk.board.pitch
    angle, far = scene.rng.uniform(0, 2 * math.pi), scene.rng.uniform(0.2, 0.6) * pitch
    hand.fly(body, [(x + far * math.cos(angle), y + far * math.sin(angle))])
    hand.lower(body, cells, [(x + far * math.cos(angle), y + far * math.sin(angle))], 70)
    hand.wait(scene.person.takes_ms(120))
    hand.plan(body, scene.person.takes_ms(180), spots, 0.0)


def _askew(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell], closes: int) -> None:
    """Put the piece so that *closes* switches close; adjust it after a while."""
    spots = scene.desk.bad_spots(cells, closes=closes)
    if spots is None:
        hand.put(body, cells)
        return
    hand.fly(body, spots)
    hand.lower(body, cells, spots)
    scene.lands_ms = scene.lands_ms or hand.t
    hand.linger(1800, 0.9)
    hand.nudge(body)


@kind("off_two", Slot.LANDING, 1.0, _single)
def off_two(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece stands between two cells and closes both switches, until it is adjusted."""
    _askew(scene, hand, body, cells, 2)


@kind("off_none", Slot.LANDING, 1.0, _single)
def off_none(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece stands between two cells and closes neither switch, until it is adjusted."""
    _askew(scene, hand, body, cells, 0)
