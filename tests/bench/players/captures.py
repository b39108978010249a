# SPDX-License-Identifier: Apache-2.0
"""Captures in which the captured piece is pushed, held along, or put back.

Times: a push takes as long as a short reach, 0.1 to 0.3 s; a pushed piece stands on its new cell
until the hand has let the mover go and come back, 0.2 to 1.5 s.
"""

from __future__ import annotations

import math

from companion.model.grid import Cell
from companion.model.moves import Step
from tests.bench.players.hand import Hand
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.people import median
from tests.bench.players.physics import Body
from tests.bench.players.scene import Scene


def _small(scene: Scene, mover: Step, victim: Step) -> bool:
    return len(mover.source) == len(mover.target) == len(victim.source) == 1


def _neighbours(scene: Scene, victim: Step) -> list[Cell]:
    """The free cells beside that of *victim*."""
    centres, pitch = scene.desk.board.centres, scene.desk.board.pitch
    at = centres[victim.source[0]]
    return [cell for cell in scene.desk.free_cells() if math.dist(centres[cell], at) < 1.2 * pitch]


def _over_a_cell(scene: Scene, mover: Step, victim: Step) -> bool:
    return _small(scene, mover, victim) and bool(_neighbours(scene, victim))


def _ends(scene: Scene, hand: Hand, body: Body, taken: Body, mover: Step) -> None:
    """Remove the pushed piece, and turn the mover if it changes."""
    longest = 1500.0 if scene.rules.allows_take_back else 300.0
    hand.wait(min(longest, median(scene.rng, 450, 0.6)))
    hand.off(taken)
    if mover.becomes != body.piece:
        scene.turn(hand, body, mover.becomes)


def _push(scene: Scene, hand: Hand, taken: Body, cell: Cell, ms: float) -> None:
    """Slide *taken* to the free *cell*; the hand does not wait for it."""
    start = hand.t
    hand.plan(taken, ms, scene.desk.good_spots((cell,), scene.person.temperament.error), 0.0)
    hand.t = start


@kind("push_over", Slot.CAPTURE, 1.5, _over_a_cell)
def push_over(scene: Scene, mover: Step, victim: Step) -> None:
    """The lifted mover pushes the captured piece onto a neighbouring cell.

    It is removed from there.
    """
    hand = scene.right
    body, taken = scene.desk.body_on(*mover.source), scene.desk.body_on(*victim.source)
    cell = scene.rng.choice(_neighbours(scene, victim))
    hand.lift(body)
    spots = scene.desk.good_spots(mover.target, scene.person.temperament.error)
    hand.fly(body, spots)
    ms = scene.person.takes_ms(260)
    _push(scene, hand, taken, cell, ms)
    hand.lower(body, mover.target, spots, ms)
    scene.lands_ms = hand.t
    _ends(scene, hand, body, taken, mover)


@kind("push_slide", Slot.CAPTURE, 1.5, _over_a_cell)
def push_slide(scene: Scene, mover: Step, victim: Step) -> None:
    """The mover is slid along the board and pushes the captured piece off its cell.

    Where the way is not clear, the mover is lifted.
    """
    hand, desk = scene.right, scene.desk
    body, taken = desk.body_on(*mover.source), desk.body_on(*victim.source)
    target = desk.spots(mover.target)
    stood, taken.cells = taken.cells, ()
    is_clear = desk.is_clear(body, target)
    taken.cells = stood
    (x1, y1), (x2, y2) = desk.spots(mover.source)[0], target[0]
    across = math.dist((x1, y1), (x2, y2))
    pitch, cells = desk.board.pitch, _neighbours(scene, victim)

    def ahead(cell: Cell) -> float:
        x, y = desk.board.centres[cell]
        return (x - x2) * (x2 - x1) + (y - y2) * (y2 - y1)

    cell = max(cells, key=ahead)
    if not is_clear or ahead(cell) <= 0:
        scene.used[scene.used.index("push_slide")] = "push_over"
        push_over(scene, mover, victim)
        return
    if across > 1.3 * pitch:  # up to the captured piece, at which the hand slows down
        part = 1 - 0.85 * pitch / across
        hand.plan(body, scene.person.takes_ms(250), [(x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)], 0.0)
    ms = scene.person.takes_ms(280)
    _push(scene, hand, taken, cell, ms)
    spots = desk.good_spots(mover.target, scene.person.temperament.error)
    hand.plan(body, ms, spots, 0.0)
    body.cells = tuple(mover.target)
    scene.lands_ms = hand.t
    _ends(scene, hand, body, taken, mover)


@kind("both_in_hand", Slot.CAPTURE, 2.0)
def both_in_hand(scene: Scene, mover: Step, victim: Step) -> None:
    """The hand with the captured piece also lifts the mover, and puts it down."""
    hand = scene.right
    body, taken = scene.desk.body_on(*mover.source), scene.desk.body_on(*victim.source)
    hand.lift(taken)
    taken.cells = ()
    hand.reach()
    start = hand.t
    hand.plan(taken, scene.person.takes_ms(220), scene.desk.beside(taken), taken.height)
    hand.t = start
    hand.lift(body)
    scene.land(hand, body, mover.target)
    scene.lands_ms = hand.t
    hand.off(taken, quick=True)
    if mover.becomes != body.piece:
        scene.turn(hand, body, mover.becomes)


@kind("victim_returns", Slot.CAPTURE, 1.0)
def victim_returns(scene: Scene, mover: Step, victim: Step) -> None:
    """The captured piece is lifted and stands on its cell again for a moment.

    The mover is lifted before it, or after it.
    """
    hand = scene.right
    body, taken = scene.desk.body_on(*mover.source), scene.desk.body_on(*victim.source)
    is_first = scene.rng.random() < 0.5
    if is_first:
        hand.lift(body)
        hand.reach()
    hand.lift(taken)
    hand.linger(500, 0.7)
    hand.put_back(taken)
    hand.wait(min(2500.0, max(150.0, median(scene.rng, 500, 0.7))))
    hand.off(taken)
    hand.reach()
    if not is_first:
        hand.lift(body)
    scene.land(hand, body, mover.target)
    scene.lands_ms = hand.t
    if mover.becomes != body.piece:
        scene.turn(hand, body, mover.becomes)
