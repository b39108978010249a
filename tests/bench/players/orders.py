# SPDX-License-Identifier: Apache-2.0
"""Gestures of moves with several pieces or changing pieces.

Captures, castling, promotion and turning.
"""

from __future__ import annotations

import math

from companion.model.moves import Step
from companion.model.pieces import Piece
from tests.bench.players.hand import Hand
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.people import median
from tests.bench.players.physics import Body
from tests.bench.players.scene import Scene


@kind("capture_same_hand", Slot.CAPTURE, 3.0)
def capture_same_hand(scene: Scene, mover: Step, victim: Step) -> None:
    """The capturing piece is lifted first, and one hand does everything.

    It lifts the victim, puts the capturing piece down and puts the victim aside.
    """
    hand = scene.right
    body, taken = scene.desk.body_on(*mover.source), scene.desk.body_on(*victim.source)
    hand.lift(body)
    scene.travel(hand, body, mover.target)
    hand.fly(body, scene.desk.spots(mover.target), 0.95 * scene.desk.board.pitch)
    hand.lift(taken)
    if scene.rng.random() < 0.5:
        hand.off(taken)
        hand.put(body, mover.target)
    else:
        taken.cells = ()
        scene.land(hand, body, mover.target)
        scene.lands_ms = hand.t
        hand.off(taken, quick=True)
    if mover.becomes != body.piece:
        scene.turn(hand, body, mover.becomes)


@kind("capture_push", Slot.CAPTURE, 2.0, lambda scene, mover, victim: len(mover.target) == 1)
def capture_push(scene: Scene, mover: Step, victim: Step) -> None:
    """The capturing piece pushes the victim aside and stands there; then the victim is removed."""
    hand, pitch = scene.right, scene.desk.board.pitch
    body, taken = scene.desk.body_on(*mover.source), scene.desk.body_on(*victim.source)
    hand.lift(body)
    scene.travel(hand, body, mover.target)
    (x, y), angle = scene.desk.spots(taken.cells)[0], scene.rng.uniform(0, 2 * math.pi)
    far = scene.rng.uniform(0.35, 0.6) * pitch
    spots = scene.desk.good_spots(mover.target, scene.person.temperament.error)
    hand.fly(body, spots)
    start = hand.t
    hand.plan(taken, 150, [(x + far * math.cos(angle), y + far * math.sin(angle))], 0.0)
    hand.t = start
    hand.lower(body, mover.target, spots, 160)
    scene.lands_ms = hand.t
    hand.wait(min(3000.0, median(scene.rng, 250, 0.8)))
    hand.off(taken)
    if mover.becomes != body.piece:
        scene.turn(hand, body, mover.becomes)


@kind("castle_two_hands", Slot.PAIR, 2.0)
def castle_two_hands(scene: Scene, first: Step, second: Step) -> None:
    """Each hand moves one of the pieces; both are lifted before either is put down."""
    one, other = scene.desk.body_on(*first.source), scene.desk.body_on(*second.source)
    scene.left.t = max(scene.begins_ms, scene.right.t + scene.rng.gauss(0, 150))
    scene.right.lift(one)
    scene.left.lift(other)
    one.cells = other.cells = ()
    both = max(scene.right.t, scene.left.t)
    scene.right.t, scene.left.t = both + scene.rng.uniform(0, 250), both + scene.rng.uniform(0, 250)
    scene.land(scene.right, one, first.target)
    scene.land(scene.left, other, second.target)
    scene.right.t = scene.left.t = scene.lands_ms = max(scene.right.t, scene.left.t)


@kind("pawn_waits", Slot.PROMOTION, 3.0)
def pawn_waits(scene: Scene, mover: Step, victim: Step | None) -> None:
    """The pawn stands on the last rank for seconds while a piece is fetched."""
    hand, body = scene.right, scene.desk.body_on(*mover.source)
    pushed = Step(mover.piece, mover.source, mover.target, mover.piece)
    if victim is not None:
        scene.capture(pushed, victim)
    else:
        scene.transfer(hand, pushed)
    hand.wait(min(30_000.0, max(300.0, median(scene.rng, 3500, 0.9))))
    hand.off(body)
    hand.reach()
    scene.crown(hand, mover)


@kind("queen_first", Slot.PROMOTION, 2.0)
def queen_first(scene: Scene, mover: Step, victim: Step | None) -> None:
    """The new piece stands on the last rank before the pawn is removed."""
    if victim is not None:
        scene.right.off(scene.desk.body_on(*victim.source))
        scene.right.reach()
    scene.crown(scene.right, mover)
    scene.right.linger(700, 0.8)
    scene.right.off(scene.desk.body_on(*mover.source))
    scene.lands_ms = scene.right.t


@kind("turn_by_steps", Slot.TURN, 2.0, lambda scene, hand, body, piece: piece.facing is not None)
def turn_by_steps(scene: Scene, hand: Hand, body: Body, piece: Piece) -> None:
    """A tank is turned on its cell by eighths of a turn."""
    now = body.piece
    if now.facing is None or piece.facing is None:
        hand.change(body, piece)
        return
    there = (piece.facing - now.facing) % 8
    way = 1 if there <= 4 else -1
    for number in range(1, min(there, 8 - there) + 1):
        hand.linger(320, 0.5)
        facing = (now.facing + way * number) % 8
        hand.change(body, Piece(piece.kind, piece.side, facing, piece.pose, piece.shows))


@kind("face_late", Slot.TURN, 1.0)
def face_late(scene: Scene, hand: Hand, body: Body, piece: Piece) -> None:
    """The piece stands for one to some seconds before it is turned or flipped."""
    hand.linger(1500, 0.8)
    hand.change(body, piece)
