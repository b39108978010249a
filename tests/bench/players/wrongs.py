# SPDX-License-Identifier: Apache-2.0
"""Illegal acts that look like moves.

A check ignored, a second move, an opponent's piece moved.

How often: beginners overlook a check in one of ten; a second move of the same side, and a move of
the opponent's piece, are made by distracted players and by children, once in a hundred moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from companion.model.game import CallOut, InvalidPosition
from companion.model.grid import Cell
from tests.bench.players.fidgets import attempt, standing
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.physics import Body
from tests.bench.players.scene import Scene

LINES = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
LEAPS = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))
WAYS = {
    "king": LINES + DIAGONALS,
    "queen": LINES + DIAGONALS,
    "rook": LINES,
    "bishop": DIAGONALS,
    "knight": LEAPS,
}
"""How chess pieces move, as files and ranks; pawns are treated on their own."""


def _in_check(scene: Scene) -> bool:
    """True if the side to move in a game of chess is in check."""
    if scene.rules.slug != "chess":
        return False
    cries = scene.rules.announcements(scene.position)
    return any(cry.cry is CallOut.CHECK and cry.side != scene.side for cry in cries)


def _walks(scene: Scene, body: Body) -> Iterator[Cell]:
    """The free cells that a piece of chess reaches by its way of moving."""
    names = {scene.rules.grid.name(cell): cell for cell in range(len(scene.rules.grid))}
    free, at = set(scene.desk.free_cells()), scene.rules.grid.name(body.cells[0])
    ways: Sequence[tuple[int, int]] = WAYS.get(body.piece.kind, ((0, 1 if body.piece.side == 0 else -1),))
    far = 7 if body.piece.kind in ("queen", "rook", "bishop") else 1
    for file, rank in ways:
        for step in range(1, far + 1):
            cell = names.get(f"{chr(ord(at[0]) + file * step)}{int(at[1]) + rank * step}")
            if cell is None or cell not in free:
                break
            yield cell


@kind("ignores_check", Slot.BEFORE, 1.2, _in_check, is_mistake=True)
def ignores_check(scene: Scene) -> None:
    """The king is in check, and a move is made that leaves it there."""
    legal = {
        (step.source, step.target)
        for move in scene.rules.legal_moves(scene.position)
        for step in scene.rules.steps(scene.position, move)
    }
    tries = [
        (body, cell)
        for body in standing(scene)
        if body.piece.side == scene.side
        for cell in _walks(scene, body)
        if (body.cells, (cell,)) not in legal
    ]
    if tries:
        attempt(scene, [scene.rng.choice(tries)], pressed=scene.rng.random() < 0.5, may_be_left=True)


def _moves_of(scene: Scene, side: int) -> list[tuple[Body, Cell]]:
    """Moves of *side* to a free cell, if it were its turn."""
    turned: Any = scene.rules.adopt(scene.rules.placement(scene.position), side, scene.position)
    if isinstance(turned, InvalidPosition):
        return []
    moves = list(scene.rules.legal_moves(turned))
    found, free = [], set(scene.desk.free_cells())
    for move in scene.rng.sample(moves, min(len(moves), 40)):
        steps = scene.rules.steps(turned, move)
        is_plain = len(steps) == 1 and len(steps[0].source) == len(steps[0].target) == 1
        if is_plain and steps[0].target[0] in free and steps[0].piece == steps[0].becomes:
            body = scene.desk.found_on(steps[0].source[0])
            if body is not None:
                found.append((body, steps[0].target[0]))
    return found


def _has_previous(scene: Scene) -> bool:
    return scene.previous is not None and scene.previous.turn != scene.side


@kind("second_move", Slot.BEFORE, 0.08, _has_previous, is_mistake=True)
def second_move(scene: Scene) -> None:
    """The side that has just moved makes another move."""
    side = scene.previous.turn
    moves = _moves_of(scene, side)
    if moves:
        pressed = scene.rng.random() < 0.4
        attempt(scene, [scene.rng.choice(moves)], pressed=pressed, presser=side, may_be_left=True)


@kind("moves_theirs", Slot.BEFORE, 0.08, is_mistake=True)
def moves_theirs(scene: Scene) -> None:
    """A player makes a move that would be one of the opponent's."""
    sides = [side for side in range(len(scene.rules.sides)) if side != scene.side]
    moves = _moves_of(scene, scene.rng.choice(sides))
    if moves:
        attempt(scene, [scene.rng.choice(moves)], pressed=scene.rng.random() < 0.4, may_be_left=True)
