# SPDX-License-Identifier: Apache-2.0
"""Gestures before a move: pieces that are touched, and illegal attempts.

Rests: people see a mistake of their own within a second, or when the opponent or the table tells
them, which takes from 1 to 20 s. How often players err is guessed from children's and beginners'
games: 1 to 7 attempts in 100 moves.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.grid import Cell
from companion.model.moves import Step
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.looks import Looks, Sight
from tests.bench.players.people import median
from tests.bench.players.physics import Body, look
from tests.bench.players.scene import Scene


def standing(scene: Scene) -> list[Body]:
    """The bodies on the board."""
    return [body for body in scene.desk.table.bodies if body.cells]


def movable(scene: Scene, side: int) -> list[Body]:
    """Bodies with which *side* has a move."""
    sources = {cell for step in _all_steps(scene) for cell in step.source if step.target != step.source}
    own = [body for body in standing(scene) if set(body.cells) & sources]
    return [body for body in own if body.piece.side in (side, None)]


def _all_steps(scene: Scene) -> list[Step]:
    legal = scene.rules.legal_moves(scene.position)
    chosen = legal if len(legal) < 60 else scene.rng.sample(list(legal), 60)
    return [step for move in chosen for step in scene.rules.steps(scene.position, move)[:1]]


def looks_of(scene: Scene, moved: dict[int, Sequence[Cell]]) -> Looks:
    """The sightings with bodies (by id) on other cells."""
    return {
        cell: look(body.piece, scene.kind)
        for body in scene.desk.table.bodies
        for cell in moved.get(id(body), body.cells)
    }


@kind("put_back", Slot.BEFORE, 0.06)
def put_back(scene: Scene) -> None:
    """A piece is lifted, thought about, and put back; then the move is made."""
    for _ in range(1 if scene.rng.random() < 0.8 else 2):
        own = movable(scene, scene.side)
        if not own:
            return
        body, hand = scene.rng.choice(own), scene.right
        hand.reach()
        hand.lift(body)
        if scene.rng.random() < 0.3:
            scene.travel(hand, body, body.cells)
        hand.linger(1500, 0.9)
        hand.put_back(body)
        hand.wait(scene.person.takes_ms(500, 0.8))


@kind("jadoube", Slot.BEFORE, 0.04)
def jadoube(scene: Scene) -> None:
    """One to three pieces of either side are nudged, or lifted and put back."""
    bodies = standing(scene)
    for body in scene.rng.sample(bodies, min(len(bodies), scene.rng.randint(1, 3))):
        scene.right.reach()
        if scene.rng.random() < 0.5:
            scene.right.nudge(body)
        else:
            scene.right.lift(body)
            scene.right.linger(500, 0.7)
            scene.right.put_back(body)
    scene.right.wait(scene.person.takes_ms(400, 0.8))


@kind("knock_over", Slot.BEFORE, 0.008)
def knock_over(scene: Scene) -> None:
    """A hand or cup sweeps up to four neighbouring pieces off their cells.

    They are set up again one by one.
    """
    bodies = [body for body in standing(scene) if len(body.cells) == 1]
    if not bodies:
        return
    x, y = scene.rng.choice(bodies).spots[0]
    bodies.sort(key=lambda body: (body.spots[0][0] - x) ** 2 + (body.spots[0][1] - y) ** 2)
    fallen = bodies[: scene.rng.randint(1, 4)]
    hand = scene.right
    start = hand.t
    for body in fallen:
        hand.t = max(start + scene.rng.uniform(0, 250), body.free_ms)
        hand.lift(body, 0.9 * scene.desk.board.pitch)
    hand.t = start + 400
    hand.linger(1200)
    scene.rng.shuffle(fallen)
    for body in fallen:
        hand.reach()
        hand.put_back(body)
    hand.wait(scene.person.takes_ms(600, 0.8))


def may_be_legal(scene: Scene, moved: Sequence[tuple[Body, Cell]]) -> bool:
    """True if the board might be legal with bodies on other cells.

    It may be so in this position, or in the one before the last move.
    """
    seen = looks_of(scene, {id(body): (cell,) for body, cell in moved})
    for position in (scene.position, scene.previous):  # another version of the previous move counts, too
        if position is not None:
            sight = Sight(scene.rules, position, scene.kind)
            if sight.is_on_the_way(seen) or may_be_two(scene, sight, seen):
                return True
    return False


def attempt(
    scene: Scene,
    moved: Sequence[tuple[Body, Cell]],
    *,
    pressed: bool = False,
    presser: int | None = None,
    may_be_left: bool = False,
) -> None:
    """Put bodies on illegal cells, let them rest, and put them back.

    Nothing is done if the board might be legal. With *may_be_left* they may stay for long, or
    until the next piece is moved as well.
    """
    if may_be_legal(scene, moved):
        return
    if not scene.rules.allows_take_back and len(moved) > 1:  # none of them may count as a move alone
        parts = [looks_of(scene, {id(body): (cell,)}) for body, cell in moved]
        if any(Sight(scene.rules, scene.position, scene.kind).is_on_the_way(part) for part in parts):
            return
    scene.begin_gesture()
    hand, table = scene.right, scene.desk.table
    stood: list[tuple[Body, Sequence[Cell]]] = [(body, body.cells) for body, _ in moved]
    for body, cell in moved:
        hand.reach()
        hand.lift(body)
        scene.travel(hand, body, (cell,))
        hand.put(body, (cell,))
    # slow scans report it later: the rest begins with the last scan
    settled = hand.t + table.board.scan_ms * (table.board.settle + 1)
    is_pressed = pressed and scene.clock == "press"
    table.note(
        settled, {"note": "attempt", "cells": [list(body.cells) for body, _ in moved], "pressed": is_pressed}
    )
    if is_pressed:
        hand.wait(scene.person.takes_ms(350, 0.5))
        table.note(hand.t, {"note": "press", "side": scene.side if presser is None else presser})
    rest = min(45_000.0, max(250.0, median(scene.rng, 2500, 1.1)))
    is_left = may_be_left and scene.rng.random() < 0.3
    hand.t = max(hand.t, settled) + (max(rest, scene.rng.uniform(8000, 40_000)) if is_left else rest)
    if is_left:
        stood += _answer(scene, moved)
    table.note(hand.t, {"note": "attempt_over"})
    if is_pressed and presser is None and scene.rng.random() < 0.7:
        table.note(hand.t + 200, {"note": "press", "side": scene.next_side()})
    for body, cells in reversed(stood):
        hand.reach()
        hand.lift(body)
        hand.put(body, cells)
    hand.wait(scene.person.takes_ms(700, 0.8))


def _answer(scene: Scene, moved: Sequence[tuple[Body, Cell]]) -> list[tuple[Body, Sequence[Cell]]]:
    """Move one more piece on the illegal board; returns where it stood.

    Nobody has noticed yet. It is not done if the board might be legal then.
    """
    scene.used.append("left_illegal")
    scene.begin_gesture()
    handled = [body for body, _ in moved]
    bodies = [body for body in standing(scene) if len(body.cells) == 1 and body not in handled]
    if not bodies or scene.rng.random() < 0.5:
        return []
    body = scene.rng.choice(bodies)
    cell = _place(scene, body)
    if cell is None or may_be_legal(scene, [*((each, each.cells[0]) for each in handled), (body, cell)]):
        return []
    stood = body.cells
    scene.right.reach()
    scene.right.lift(body)
    scene.right.put(body, (cell,))
    scene.right.wait(scene.rng.uniform(1200, 6000))
    return [(body, stood)]


def may_be_two(scene: Scene, sight: Sight, seen: Looks) -> bool:
    """True if *seen* may be part of a second legal move.

    The first one is complete.
    """
    was_silent = False
    for move, steps in sight.moves():
        looks = sight.after(steps)
        if looks == sight.looks:  # all invisible moves have the same result
            if was_silent:
                continue
            was_silent = True
        entered = [cell for step in steps for cell in step.target if step.source != step.target]
        if any(looks.get(cell) != seen.get(cell) for cell in entered):
            continue
        after = scene.rules.apply(sight.position, move)
        if Sight(scene.rules, after, scene.kind).is_on_the_way(seen):
            return True
    return False


def _place(scene: Scene, body: Body) -> Cell | None:
    """A free cell near *body*."""
    free = scene.desk.free_cells()
    return scene.rng.choice(free) if free and len(body.cells) == 1 else None


@kind("wrong_side", Slot.BEFORE, 0.15, is_mistake=True)
def wrong_side(scene: Scene) -> None:
    """A piece of the other side is moved by mistake."""
    others = [body for body in standing(scene) if body.piece.side not in (scene.side, None)]
    others = [body for body in others if len(body.cells) == 1]
    if others and (cell := _place(scene, body := scene.rng.choice(others))) is not None:
        attempt(scene, [(body, cell)])


@kind("wrong_double", Slot.BEFORE, 0.1, is_mistake=True)
def wrong_double(scene: Scene) -> None:
    """Two own pieces are moved in one turn."""
    own = [body for body in movable(scene, scene.side) if len(body.cells) == 1]
    free = scene.desk.free_cells()
    if len(own) > 1 and len(free) > 1:
        attempt(scene, list(zip(scene.rng.sample(own, 2), scene.rng.sample(free, 2), strict=True)))


@kind("wrong_pressed", Slot.BEFORE, 0.2, is_mistake=True)
def wrong_pressed(scene: Scene) -> None:
    """An own piece is put on an unreachable cell, and the clock is pressed."""
    own = [body for body in movable(scene, scene.side) if len(body.cells) == 1]
    if own and (cell := _place(scene, body := scene.rng.choice(own))) is not None:
        attempt(scene, [(body, cell)], pressed=True)
